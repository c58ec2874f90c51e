//! Request patterns of stubs and contracts: they describe requests instead of recording them, so paths may be patterns.

use std::borrow::Cow;

use sundown_exchange::{QueryParameter, Target};
use sundown_text_json::json::{Node, ValueKind};

/// The placeholder for a segment that only matching would determine.
const ANY: &str = "{}";

/// Parses the path of a regular expression over URLs, as far as its segments are plain text. If the URL may continue,
/// its beginning counts.
pub(crate) fn target_of_regex(expression: &str) -> Target<'static> {
    let text = expression.strip_prefix('^').unwrap_or(expression);
    let text = text.strip_suffix('$').unwrap_or(text);
    let mut path = Segments::default();
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\\' => match characters.next() {
                Some('?') => break,
                Some(escaped) if escaped.is_ascii_alphanumeric() => path.is_any = true,
                Some(escaped) => path.plain(escaped),
                None => {}
            },
            '/' if path.depth == 0 => path.plain('/'),
            '[' | '(' | '{' => {
                path.is_any = true;
                path.depth += 1;
            }
            ']' | ')' | '}' => path.depth = path.depth.saturating_sub(1),
            '.' if characters
                .next_if(|next| matches!(next, '*' | '+'))
                .is_some() =>
            {
                path.goes_on = true;
            }
            '*' | '+' | '?' | '|' => path.is_any = true,
            other => path.plain(other),
        }
    }
    path.into_target()
}

/// Parses the path of a glob: `*` matches anything.
pub(crate) fn target_of_glob(glob: &str) -> Target<'static> {
    let mut path = Segments::default();
    for character in glob.chars() {
        if character == '*' {
            path.goes_on = true;
        } else {
            path.plain(character);
        }
    }
    path.into_target()
}

/// A path that is being read from a pattern.
#[derive(Default)]
struct Segments {
    /// The known part of the path.
    text: String,
    /// The number of open brackets.
    depth: usize,
    /// Whether the current segment is not plain text.
    is_any: bool,
    /// Whether the path may continue with anything.
    goes_on: bool,
}

impl Segments {
    fn plain(&mut self, character: char) {
        if self.depth > 0 {
            return;
        }
        if character == '/' {
            self.finish();
        } else {
            // A repetition that is not at the end may match anything.
            self.is_any |= self.goes_on;
        }
        self.text.push(character);
    }

    /// Ends the current segment.
    fn finish(&mut self) {
        let begin = self.text.rfind('/').map_or(0, |slash| slash + 1);
        let is_bare = self.text.len() == begin;
        if self.is_any || self.goes_on && is_bare {
            self.text.truncate(begin);
            self.text.push_str(ANY);
        }
        (self.is_any, self.goes_on) = (false, false);
    }

    fn into_target(mut self) -> Target<'static> {
        self.finish();
        Target::parse(&self.text).into_owned()
    }
}

/// The names of the parameters in a separate query: a text, or an object.
pub(crate) fn query_parameters(query: Node<'_>) -> Vec<QueryParameter<'static>> {
    match query.text() {
        Some(text) => Target::parse(&format!("?{text}")).into_owned().parameters,
        None if query.kind() == ValueKind::Object => parameters(query),
        None => Vec::new(),
    }
}

/// The members of an object of patterns, but for those that must not be there.
fn parameters(patterns: Node<'_>) -> Vec<QueryParameter<'static>> {
    let mut parameters = Vec::new();
    for pattern in patterns.children().filter(|pattern| !is_absent(*pattern)) {
        let values = match pattern.kind() {
            ValueKind::Array if pattern.children().len() > 0 => pattern.children().collect(),
            _ => vec![pattern],
        };
        let name = pattern.key().unwrap_or_default();
        parameters.extend(values.into_iter().map(|value| QueryParameter {
            name: name.to_owned().into(),
            value: exact_value(value).map(Cow::Owned),
        }));
    }
    parameters
}

/// The text with which a value is compared exactly, if it is: alone, with `equalTo` (WireMock), or with the matcher `exact`
/// (Hoverfly).
fn exact_value(pattern: Node<'_>) -> Option<String> {
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
            ("/rest/api/v1/chat(\\?a=.*)?", "rest/api/v1/{}"),
            ("/policies/[^/]+/x", "policies/{}/x"),
            ("/policies/([a-z0-9-]{3,}|new)", "policies/{}"),
            ("/policies/\\d+\\.json", "policies/{}"),
            ("/v1\\.2/x\\-y", "v1.2/x-y"),
            (".*/v1/chat", "{}/v1/chat"),
            ("/v1/.*", "v1/{}"),
            ("(((", "{}"),
        ] {
            assert_eq!(path(&target_of_regex(expression)), called, "{expression}");
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
