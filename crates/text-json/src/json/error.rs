//! Syntax errors in JSON, and the UTF-8 check that goes with them.

use thiserror::Error;

/// The first syntax error in a JSON text (RFC 8259).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct SyntaxError {
    /// Byte offset of the error in the text that was read.
    pub offset: usize,
    /// The error.
    pub kind: SyntaxErrorKind,
}

/// The kinds of errors in a JSON text.
///
/// [`Self::TooDeep`] and [`Self::TooLarge`] are limits of this program; all others are faults of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum SyntaxErrorKind {
    /// The text ends inside a value; the text before is well-formed.
    #[error("the text ends inside a value")]
    UnexpectedEnd,
    /// The text has something else where this was expected.
    #[error("expected {0}")]
    Expected(&'static str),
    #[error("comments are not JSON")]
    Comment,
    /// A control character inside a string, which must be written as an escape.
    #[error("a control character inside a string")]
    ControlCharacter,
    /// A backslash that does not begin an escape.
    #[error("an unknown escape in a string")]
    BadEscape,
    /// A number that breaks the grammar: leading zero, bare sign, missing digits.
    #[error("a malformed number")]
    BadNumber,
    /// Bytes that are not UTF-8.
    #[error("bytes that are not UTF-8")]
    InvalidUtf8,
    /// Arrays and objects nested deeper than this limit.
    #[error("nested deeper than {0} levels")]
    TooDeep(usize),
    /// A value of more bytes than four-byte offsets can count.
    #[error("larger than 4 GiB")]
    TooLarge,
}

impl SyntaxError {
    /// An error at an offset.
    pub fn new(offset: usize, kind: SyntaxErrorKind) -> Self {
        Self { offset, kind }
    }

    /// Whether the text before the offset is the beginning of a valid JSON text, so that findings in it hold.
    pub fn leaves_prefix_whole(self) -> bool {
        matches!(
            self.kind,
            SyntaxErrorKind::UnexpectedEnd
                | SyntaxErrorKind::TooDeep(_)
                | SyntaxErrorKind::TooLarge
        )
    }
}

/// Chooses between a syntax error found in the valid UTF-8 prefix of some bytes and the error that ended this prefix.
///
/// The first one wins; an error at the very end of the prefix only follows from the end of the text.
pub fn earliest(
    prefix: &str,
    found: Option<SyntaxError>,
    cut: Option<SyntaxError>,
) -> Option<SyntaxError> {
    found
        .filter(|found| cut.is_none() || found.offset < prefix.len())
        .or(cut)
}

/// Returns the longest prefix of `bytes` that is UTF-8, and the error after it, if any.
///
/// A code point cut off by the end of the bytes is [`SyntaxErrorKind::UnexpectedEnd`].
pub fn valid_prefix(bytes: &[u8]) -> (&str, Option<SyntaxError>) {
    // The fast check reports no position, and nearly all inputs pass it.
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(_) => valid_beginning(bytes),
    }
}

/// Like [`valid_prefix`], for bytes that are probably invalid early: it stops reading at the first error.
pub fn valid_beginning(bytes: &[u8]) -> (&str, Option<SyntaxError>) {
    match simdutf8::compat::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(error) => {
            let offset = error.valid_up_to();
            let kind = match error.error_len() {
                Some(_) => SyntaxErrorKind::InvalidUtf8,
                None => SyntaxErrorKind::UnexpectedEnd,
            };
            let prefix = bytes.get(..offset).unwrap_or_default();
            (
                std::str::from_utf8(prefix).unwrap_or_default(),
                Some(SyntaxError::new(offset, kind)),
            )
        }
    }
}
