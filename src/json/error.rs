//! What is wrong with a text that should have been JSON.

use std::fmt;

/// The first thing that is wrong with a JSON text (RFC 8259), and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SyntaxError {
    /// Byte offset into the text that was read.
    pub offset: usize,
    /// What is wrong there.
    pub kind: SyntaxErrorKind,
}

/// What can be wrong with a JSON text. [`Self::TooDeep`] and [`Self::TooLarge`] are limits of
/// this program; everything else is a fault of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// The text ends inside a value; what stands before is well-formed.
    UnexpectedEnd,
    /// Something else stands where this was expected.
    Expected(&'static str),
    /// A control character inside a string, which must be written as an escape.
    ControlCharacter,
    /// A backslash followed by what is no escape.
    BadEscape,
    /// A number that breaks the grammar: leading zero, bare sign, missing digits.
    BadNumber,
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// Arrays and objects nested deeper than the limit, which is given.
    TooDeep(usize),
    /// More bytes than four-byte offsets can count, in a value that is to be loaded.
    TooLarge,
}

impl SyntaxError {
    pub(crate) fn new(offset: usize, kind: SyntaxErrorKind) -> Self {
        Self { offset, kind }
    }

    /// Whether all that stands before the offset is a proper beginning of a JSON text, so that what was found in it holds.
    pub fn leaves_prefix_whole(self) -> bool {
        matches!(
            self.kind,
            SyntaxErrorKind::UnexpectedEnd
                | SyntaxErrorKind::TooDeep(_)
                | SyntaxErrorKind::TooLarge
        )
    }
}

impl fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnexpectedEnd => f.write_str("the text ends inside a value"),
            Self::Expected(what) => write!(f, "expected {what}"),
            Self::ControlCharacter => f.write_str("a control character inside a string"),
            Self::BadEscape => f.write_str("an unknown escape in a string"),
            Self::BadNumber => f.write_str("a malformed number"),
            Self::InvalidUtf8 => f.write_str("bytes that are not UTF-8"),
            Self::TooDeep(limit) => write!(f, "nested deeper than {limit} levels"),
            Self::TooLarge => f.write_str("larger than 4 GiB"),
        }
    }
}

impl std::error::Error for SyntaxError {}

/// Of an error found in the valid prefix of some bytes and what cut the prefix short, the one that comes first: what ends
/// the text explains why a value did not.
pub fn earliest(
    prefix: &str,
    found: Option<SyntaxError>,
    cut: Option<SyntaxError>,
) -> Option<SyntaxError> {
    found.filter(|found| cut.is_none() || found.offset < prefix.len()).or(cut)
}

/// The longest beginning of `bytes` that is UTF-8, and the error behind it where that is not all.
///
/// A code point cut off by the end of the bytes is [`SyntaxErrorKind::UnexpectedEnd`].
pub fn valid_prefix(bytes: &[u8]) -> (&str, Option<SyntaxError>) {
    // The quick way says only that something is wrong, and nearly always nothing is.
    match simdutf8::basic::from_utf8(bytes) {
        Ok(text) => (text, None),
        Err(_) => valid_beginning(bytes),
    }
}

/// The same of bytes that are likely to be UTF-8 not for long: no more of them are read than that.
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
            (std::str::from_utf8(prefix).unwrap_or_default(), Some(SyntaxError::new(offset, kind)))
        }
    }
}
