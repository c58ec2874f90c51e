//! The status code of a response.

use serde::{Deserialize, Serialize};
use std::fmt;

/// The status code of a response (RFC 9110, section 15): 100 to 599.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "u16", into = "u16")]
pub struct StatusCode(u16);

impl From<StatusCode> for u16 {
    fn from(status: StatusCode) -> Self {
        status.0
    }
}

impl TryFrom<u16> for StatusCode {
    type Error = &'static str;

    fn try_from(code: u16) -> Result<Self, Self::Error> {
        Self::new(code).ok_or("a status code is a number from 100 to 599")
    }
}

impl StatusCode {
    /// Returns the status code of this number; `None` if it is none, such as the 0 that browsers write for failed calls.
    pub fn new(code: u16) -> Option<Self> {
        (100..=599).contains(&code).then_some(Self(code))
    }

    /// Parses three digits.
    pub fn parse(digits: &[u8]) -> Option<Self> {
        if digits.len() != 3 {
            return None;
        }
        let code = digits.iter().try_fold(0, |code, digit| {
            (digit.is_ascii_digit()).then(|| code * 10 + u16::from(digit - b'0'))
        });
        Self::new(code?)
    }

    /// The number.
    pub fn code(self) -> u16 {
        self.0
    }
}

impl fmt::Display for StatusCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.code().fmt(f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_three_digits_in_range_are_a_status_code() {
        let parse = |text: &str| StatusCode::parse(text.as_bytes()).map(StatusCode::code);
        assert_eq!(
            ["100", "204", "599"].map(parse),
            [Some(100), Some(204), Some(599)]
        );
        for text in [
            "", "0", "000", "099", "600", "20", "2000", "2OO", "-20", "0200", "99999999",
        ] {
            assert_eq!(parse(text), None, "{text}");
        }
    }
}
