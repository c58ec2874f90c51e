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
                Some(escaped) if escaped.is_ascii_alphanumeric() => path.any(),
                Some(escaped) => path.plain(escaped),
                None => {}
            },
            '/' if path.depth == 0 => path.plain('/'),
            '[' | '(' | '{' => path.open(),
            ']' | ')' | '}' => path.close(),
            '.' if characters
                .next_if(|next| matches!(next, '*' | '+'))
                .is_some() =>
            {
                path.rest();
            }
            '*' | '+' | '?' | '|' => path.any(),
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
            path.rest();
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

    fn any(&mut self) {
        self.is_any = true;
    }

    fn rest(&mut self) {
        self.goes_on = true;
    }

    fn open(&mut self) {
        self.is_any = true;
        self.depth += 1;
    }

    fn close(&mut self) {
        self.depth = self.depth.saturating_sub(1);
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
    let named = patterns
        .children()
        .filter(|pattern| !is_absent(*pattern))
        .filter_map(|pattern| Some((pattern.key()?, pattern)));
    named
        .flat_map(|(name, pattern)| {
            let patterns = match pattern.kind() {
                ValueKind::Array if pattern.children().next().is_some() => {
                    pattern.children().collect()
                }
                _ => vec![pattern],
            };
            patterns.into_iter().map(move |one| QueryParameter {
                name: Cow::Owned(name.to_owned()),
                value: exact_value(one).map(Cow::Owned),
            })
        })
        .collect()
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
