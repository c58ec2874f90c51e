//! Recovers the valid beginning of a truncated or broken JSON document.

use super::document::MAX_DOCUMENT_DEPTH;
use super::error::SyntaxError;
use super::walker::{Token, Walker};
use crate::Limits;

/// The valid beginning of a broken document, with brackets added so that it is valid JSON.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repaired {
    /// The document up to `cut`, and the brackets that close what is open there.
    pub text: String,
    /// The length of the text that comes from the document: up to its last complete value or opening bracket.
    pub cut: usize,
    /// The error after that text.
    pub error: SyntaxError,
}

/// Repairs a text that should be one JSON value, nested no deeper than a document may be; `None` if it is valid, or if it does
/// not begin with an object or array.
pub fn repair(text: &str, limits: Limits) -> Option<Repaired> {
    let depth = limits.depth.min(MAX_DOCUMENT_DEPTH);
    let mut walker = Walker::new(text).up_to(depth);
    // The closing brackets of the open containers, innermost last.
    let mut closers: Vec<u8> = Vec::new();
    let mut cut = 0;
    let mut open_at_cut = 0;
    let error = loop {
        match walker.next_event() {
            Ok(Some(event)) => {
                match event.token {
                    Token::Key => continue,
                    Token::ObjectStart => closers.push(b'}'),
                    Token::ArrayStart => closers.push(b']'),
                    Token::ObjectEnd | Token::ArrayEnd => drop(closers.pop()),
                    _ => {}
                }
                (cut, open_at_cut) = (event.span.end, closers.len());
            }
            Ok(None) => break walker.finish().err()?,
            Err(error) => break error,
        }
    };
    // No bracket has been opened or closed since the last complete value.
    let whole = text
        .get(..cut)
        .filter(|whole| whole.trim_start().starts_with(['{', '[']))?;
    let closing = closers
        .iter()
        .take(open_at_cut)
        .rev()
        .map(|&byte| char::from(byte));
    Some(Repaired {
        text: whole.chars().chain(closing).collect(),
        cut,
        error,
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tests::value;
    use super::*;

    #[test]
    fn what_is_open_is_closed_behind_the_last_whole_value() {
        for (text, mended) in [
            (r#"{"a":[1,{"b":2},{"c"#, r#"{"a":[1,{"b":2},{}]}"#),
            (r#"{"a":[1,{"b":tru"#, r#"{"a":[1,{}]}"#),
            (r#"{"a":"x","b":"y"#, r#"{"a":"x"}"#),
            ("[[[", "[[[]]]"),
            ("[1,2] x", "[1,2]"),
            (r#"{"a":1,}"#, r#"{"a":1}"#),
        ] {
            assert_eq!(
                repair(text, Limits::default()).unwrap().text,
                mended,
                "{text}"
            );
        }
        for text in ["", "  ", "\"a", "x", "{}", "[1]\n"] {
            assert_eq!(repair(text, Limits::default()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn a_document_cut_anywhere_is_mended_to_json_that_begins_like_it(
            text in value(),
            cut in any::<prop::sample::Index>(),
        ) {
            let text = format!("[{text}]");
            let mut cut = cut.index(text.len());
            while !text.is_char_boundary(cut) {
                cut -= 1;
            }
            if let Some(mended) = repair(&text[..cut], Limits::default()) {
                let json = serde_json::from_str::<serde::de::IgnoredAny>(&mended.text);
                prop_assert!(json.is_ok(), "{}", mended.text);
                prop_assert!(mended.cut <= cut && text.starts_with(&mended.text[..mended.cut]));
            } else {
                prop_assert!(cut == 0);
            }
        }
    }
}
