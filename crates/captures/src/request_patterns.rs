//! Request patterns of stubs and contracts: they describe requests instead of recording them, so paths may be patterns.

use crate::file_head::begins_with_any;
use crate::pieces::{mapped_text, parameters_named};
use regex_syntax::hir::{Dot, Hir, HirKind, Literal};
use sundown_exchange::{Exchange, NamedNode, QueryParameter, RecordPlace, Skip, Target};
use sundown_text_json::json::{Node, ValueKind};

/// Anything within a segment, where only matching would determine it.
const ANY: char = '\u{1}';

/// Anything, also in further segments.
const SEVERAL: char = '\u{2}';

/// The most paths that are read from one expression.
const MAX_PATHS: usize = 16;

/// Parses the paths of a regular expression over URLs, one for each of its alternatives, as far as their segments are plain text. If
/// the URL may continue, its beginning counts. Of one that cannot be parsed, such as one with a look-ahead, the plain segments are
/// known.
pub(crate) fn targets_of_regex(expression: &str) -> Vec<Target<'static>> {
    let expression = expression.trim_start_matches("(?i)");
    let Ok(parsed) = regex_syntax::parse(expression) else {
        let path = expression.trim_start_matches('^').trim_end_matches('$');
        let path = path.chars().map(|c| {
            if c.is_ascii_alphanumeric() || "/-_.~".contains(c) {
                c
            } else {
                ANY
            }
        });
        return vec![target_of_path(&path.collect::<String>())];
    };
    let mut targets: Vec<Target<'_>> = Vec::new();
    for path in extended(vec![String::new()], &parsed, MAX_PATHS) {
        let target = target_of_path(&path);
        let known = targets.iter_mut();
        match known
            .filter(|known| known.segments == target.segments)
            .last()
        {
            // Its query has alternatives.
            Some(known) => {
                let mut others = target.parameters;
                others.retain(|one| !known.parameters.contains(one));
                known.parameters.extend(others);
            }
            None => targets.push(target),
        }
    }
    targets
}

/// Whether a URL is the regular expression by which a stub knows it, by what no path has there.
pub(crate) fn is_regex(url: &str) -> bool {
    begins_with_any(url.as_bytes(), &[b"^", b".*", b"(?i)"])
        || url.starts_with('/') && url.ends_with('$') && !url.ends_with("/$") && !url.contains('?')
}

/// The exchange of a stub for each of the paths that it knows it by, with the parameters of that path beside its own.
pub(crate) fn with_paths<'a>(
    exchange: &Exchange<'a>,
    paths: Vec<Target<'static>>,
) -> Vec<Result<Exchange<'a>, Skip>> {
    let with_path = |path: Target<'static>| {
        let mut exchange = exchange.clone();
        exchange.call.change_target(|target| {
            let own = std::mem::take(target);
            let mut parameters = own.parameters;
            parameters.retain(|one| !path.parameters.contains(one));
            parameters.extend(path.parameters);
            let host = own.host.or(path.host);
            *target = Target {
                host,
                parameters,
                ..path
            };
        });
        Ok(exchange)
    };
    paths.into_iter().map(with_path).collect()
}

/// Parses the path of a glob: `*` matches anything.
pub(crate) fn target_of_glob(glob: &str) -> Target<'static> {
    target_of_path(&glob.replace('*', SEVERAL.encode_utf8(&mut [0; 4])))
}

/// Continues paths by what a part of an expression matches, in at most so many paths, of which groups inside of each other share the
/// room. Its nesting is limited.
fn extended(mut paths: Vec<String>, part: &Hir, room: usize) -> Vec<String> {
    let nothing = Hir::empty();
    let choices: Vec<&Hir> = match part.kind() {
        HirKind::Alternation(parts) => parts.iter().collect(),
        HirKind::Repetition(optional) if optional.max == Some(1) => vec![&optional.sub, &nothing],
        _ => Vec::new(),
    };
    let count = paths.len() * choices.len();
    if (1..=room).contains(&count) {
        let extend = |path| {
            let choices = choices.iter();
            choices
                .flat_map(move |choice| extended(vec![String::clone(path)], choice, room / count))
        };
        return paths.iter().flat_map(extend).collect();
    }
    let text = match part.kind() {
        HirKind::Empty | HirKind::Look(_) => return paths,
        HirKind::Capture(group) => return extended(paths, &group.sub, room),
        HirKind::Concat(parts) => {
            return parts
                .iter()
                .fold(paths, |paths, part| extended(paths, part, room));
        }
        HirKind::Literal(Literal(text)) => String::from_utf8_lossy(text).into_owned(),
        HirKind::Repetition(repeated) if *repeated.sub == Hir::dot(Dot::AnyCharExceptLF) => {
            SEVERAL.into()
        }
        HirKind::Repetition(_) | HirKind::Class(_) | HirKind::Alternation(_) => ANY.into(),
    };
    for path in &mut paths {
        path.push_str(&text);
    }
    paths
}

/// Parses a path of which parts are anything. Segments with such a part are placeholders, unless it is their end and the path may
/// continue after it. Of its query, the parameters of known names count.
fn target_of_path(path: &str) -> Target<'static> {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let segments = path.split('/').map(|segment| {
        let plain = segment.trim_end_matches(SEVERAL);
        let is_known = !plain.contains([ANY, SEVERAL]) && plain.is_empty() == segment.is_empty();
        if is_known { plain } else { "{}" }
    });
    let path = segments.collect::<Vec<_>>().join("/");
    let query = query.trim_start_matches(SEVERAL);
    let mut target = Target::parse(&format!("{path}?{query}")).into_owned();
    let is_open = |text: &str| text.contains([ANY, SEVERAL]);
    target.parameters.retain(|one| !is_open(&one.name));
    for parameter in &mut target.parameters {
        parameter.value.take_if(|value| is_open(value));
    }
    target
}

/// The names of the parameters in a separate query: a text, or an object.
pub(crate) fn query_parameters(
    query: Node<'_>,
    place: RecordPlace<'_>,
) -> Vec<QueryParameter<'static>> {
    match query.text() {
        Some(_) => Target::parse_query(&mapped_text(query, place)),
        None if query.kind() == ValueKind::Object => parameters(query, place),
        None => Vec::new(),
    }
}

/// The members of an object of patterns, but for those that must not be there.
fn parameters(patterns: Node<'_>, place: RecordPlace<'_>) -> Vec<QueryParameter<'static>> {
    let patterns = patterns.children().filter(|pattern| !is_absent(*pattern));
    patterns
        .filter_map(NamedNode::of)
        .flat_map(|named| parameters_named(named, place, exact_value))
        .collect()
}

/// The text with which a value is compared exactly, if it is: alone, with `equalTo` (WireMock), or with the matcher `exact`
/// (Hoverfly).
pub(crate) fn exact_value(pattern: Node<'_>) -> Option<String> {
    let exact = match pattern.kind() {
        ValueKind::Object => pattern.get("equalTo").or_else(|| {
            let is_exact = pattern.text_of("matcher") == Some("exact");
            pattern.get("value").filter(|_| is_exact)
        })?,
        _ => pattern,
    };
    exact.text().map(str::to_owned)
}

/// Whether a pattern requires that the part is absent.
pub(crate) fn is_absent(pattern: Node<'_>) -> bool {
    pattern.get("absent").and_then(Node::as_bool) == Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(target: &Target<'_>) -> String {
        target.segments.join("/")
    }

    #[test]
    fn expressions_call_what_is_plain_in_them() {
        for (expression, called) in [
            ("/rest/api/v1/chat", "rest/api/v1/chat"),
            ("^/rest/api/v1/chat$", "rest/api/v1/chat"),
            ("/rest/api/v1/chat.*", "rest/api/v1/chat"),
            ("/rest/api/v1/chat\\?.*", "rest/api/v1/chat"),
            ("/rest/api/v1/chat(\\?a=.*)?", "rest/api/v1/chat"),
            ("/rest/api/v1/chat/?", "rest/api/v1/chat"),
            ("^/v1/(chat|search)$", "v1/chat v1/search"),
            ("/v1/(?:chat|teams/[0-9]+)", "v1/chat v1/teams/{}"),
            ("^/v1/chat|/v1/search$", "v1/chat v1/search"),
            ("/v1/chat(/.*)?", "v1/chat/{} v1/chat"),
            ("/policies/[^/]+/x", "policies/{}/x"),
            ("/policies/([a-z0-9-]{3,}|new)", "policies/{} policies/new"),
            ("/policies/\\d+\\.json", "policies/{}"),
            ("/v1\\.2/x\\-y", "v1.2/x-y"),
            (".*/v1/chat", "{}/v1/chat"),
            ("/v1/.*", "v1/{}"),
            // What cannot be parsed, and more optional groups than paths are read.
            ("(((", "{}"),
            ("/v1/(?!admin)[a-z]+/chat", "v1/{}/chat"),
            (
                "/v1/(a?(a?(a?(a?(a?(a?(a?)?)?)?)?)?)?)?/x",
                "v1/{}/x v1/a/x v1/x",
            ),
            (
                "/(ab|cd|ef|gh|ij)/(ab|cd|ef|gh|ij)",
                "ab/{} cd/{} ef/{} gh/{} ij/{}",
            ),
        ] {
            let paths: Vec<_> = targets_of_regex(expression).iter().map(path).collect();
            assert_eq!(paths.join(" "), called, "{expression}");
        }
    }

    #[test]
    fn parameters_of_known_names_are_read_from_expressions() {
        for (expression, called) in [
            ("/v1/chat\\?a=1&b=.*", "a=1 b=?"),
            ("/v1/chat\\?(.*&)?a=[0-9]+", "a=?"),
            ("/v1/chat\\?.*a=.*", "a=?"),
            ("/v1/chat(\\?a=(one|two))?", "a=one a=two"),
            ("/v1/chat\\?.*", ""),
            ("/v1/chat\\?[a-z]+=1", ""),
        ] {
            let targets = targets_of_regex(expression);
            let [target] = &*targets else {
                panic!("{expression}")
            };
            let parameters = target.parameters.iter().map(|one| {
                let value = one.value.as_deref().unwrap_or("?");
                format!("{}={value}", one.name)
            });
            assert_eq!(
                parameters.collect::<Vec<_>>().join(" "),
                called,
                "{expression}"
            );
        }
    }

    #[test]
    fn globs_call_what_is_plain_in_them() {
        for (glob, called) in [
            ("/rest/*/v1/chat", "rest/{}/v1/chat"),
            ("*/v1/chat", "{}/v1/chat"),
            ("/v1/chat*", "v1/chat"),
            ("/v1/ch*t", "v1/{}"),
        ] {
            assert_eq!(path(&target_of_glob(glob)), called, "{glob}");
        }
    }
}
