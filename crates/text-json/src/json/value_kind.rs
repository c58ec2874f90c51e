//! The six kinds of JSON values.

/// The kind of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(
    missing_docs,
    reason = "the six kinds of JSON value need no explanation"
)]
pub enum ValueKind {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

impl ValueKind {
    /// The kind of the value that begins with this byte.
    #[inline]
    pub fn of_first_byte(byte: u8) -> Option<Self> {
        match byte {
            b'{' => Some(Self::Object),
            b'[' => Some(Self::Array),
            b'"' => Some(Self::String),
            b'-' | b'0'..=b'9' => Some(Self::Number),
            b't' | b'f' => Some(Self::Bool),
            b'n' => Some(Self::Null),
            _ => None,
        }
    }
}
