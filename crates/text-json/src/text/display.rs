//! Numbers, lists of names and system errors as messages show them.

use std::fmt::Display;

use chrono::{DateTime, Utc};

/// A time in UTC, to the second (RFC 3339).
pub fn timestamp(time: DateTime<Utc>) -> String {
    time.format("%Y-%m-%dT%H:%M:%SZ").to_string()
}

/// Writes a number with commas between groups of three digits.
pub fn group_digits(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.char_indices() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Writes names in backticks, separated by commas.
pub fn quote_list(names: impl IntoIterator<Item = impl Display>) -> String {
    join(names.into_iter().map(|name| format!("`{name}`")), ", ")
}

/// The texts as one, with the separator between them.
pub fn join(texts: impl IntoIterator<Item = impl AsRef<str>>, separator: &str) -> String {
    let mut joined = String::new();
    for (place, text) in texts.into_iter().enumerate() {
        if place > 0 {
            joined.push_str(separator);
        }
        joined.push_str(text.as_ref());
    }
    joined
}

/// The operating system's description of an error, without the error number, which differs between systems.
pub fn io_error_text(error: &std::io::Error) -> String {
    let text = error.to_string();
    // Text of our own is written as it should be.
    if error.get_ref().is_some() {
        return text;
    }
    text.split(" (os error")
        .next()
        .unwrap_or_default()
        .to_lowercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_grouped_by_three() {
        let shown = [0, 999, 1_000, 29_980, 1_234_567].map(group_digits);
        assert_eq!(shown, ["0", "999", "1,000", "29,980", "1,234,567"]);
    }
}
