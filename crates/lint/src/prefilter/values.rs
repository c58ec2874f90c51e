//! The values of a field that may be a use, as far as the raw bytes of a body decide.

use memchr::memchr2;

use crate::rule_choice::RulesByValue;
use sundown_text_json::json::key_context::{self, QuoteLevel};
use sundown_text_json::text::Span;

impl RulesByValue {
    /// Whether the key whose name has this span may have a value that a rule is about. Only a scalar without
    /// escapes or an object decides; everything else may have one.
    pub(super) fn may_be_value_of(&self, text: &[u8], name: Span, level: QuoteLevel) -> bool {
        let Some(at) = key_context::value_of_key(text, name.start, name.end, level) else {
            return true;
        };
        let rest = text.get(at..).unwrap_or_default();
        let quote = level.quote().as_bytes();
        let content = match rest.first() {
            Some(b'{') => return false,
            _ if rest.starts_with(quote) => {
                let rest = rest.get(quote.len()..).unwrap_or_default();
                string_content(rest, level)
            }
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => scalar(rest),
            _ => None,
        };
        let content = content.and_then(|content| std::str::from_utf8(content).ok());
        content.is_none_or(|content| {
            self.about(content).next().is_some()
                || self.find_other_case(&[content.into()]).is_some()
        })
    }
}

/// The content of a string up to its closing quote; `None` if it has an escape.
fn string_content(rest: &[u8], level: QuoteLevel) -> Option<&[u8]> {
    let end = memchr2(b'"', b'\\', rest)?;
    let is_closed = rest.get(end..)?.starts_with(level.quote().as_bytes());
    rest.get(..end).filter(|_| is_closed)
}

/// A number or literal, up to what may follow it.
fn scalar(rest: &[u8]) -> Option<&[u8]> {
    let end = rest
        .iter()
        .position(|byte| !(byte.is_ascii_alphanumeric() || b"+-.".contains(byte)))?;
    let is_end = matches!(
        rest.get(end)?,
        b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n' | b'\\'
    );
    rest.get(..end).filter(|_| is_end)
}
