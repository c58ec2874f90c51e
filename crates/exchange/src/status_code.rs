//! The status code of a response.

use std::fmt;

/// The status code of a response (RFC 9110, section 15): 100 to 599.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct StatusCode(u16);

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
