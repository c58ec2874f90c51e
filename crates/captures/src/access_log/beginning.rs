//! Recognises a log by its first lines: code and prose may contain a line of an access log as an example.

use crate::names::NAMES;
use std::net::{IpAddr, SocketAddr};

/// The number of lines that are examined.
const LINES: usize = 20;

/// Counts the first lines of a file that are not blank.
#[derive(Debug, Default)]
pub(in super::super) struct Beginning {
    seen: usize,
    of_log: usize,
}

impl Beginning {
    /// Counts the next line; `is_call` returns whether it belongs to an access log.
    pub(in super::super) fn line(&mut self, line: &[u8], is_call: impl Fn(&[u8]) -> bool) {
        if self.seen < LINES {
            self.seen += 1;
            self.of_log += usize::from(is_logged(line) || is_call(line));
        }
    }

    /// Whether at least half of the lines look like those of a log.
    pub(in super::super) fn is_log(&self) -> bool {
        self.of_log * 2 >= self.seen
    }
}

/// Whether a line is a JSON object, or begins with an address or a date.
fn is_logged(line: &[u8]) -> bool {
    let is_object = line.len() > 2 && line.starts_with(b"{\"") && line.ends_with(b"}");
    let undated = line.strip_prefix(b"[").unwrap_or(line);
    let mut dates = NAMES.dates.iter().map(String::as_bytes);
    let has_date = dates.any(|date| undated.len() >= date.len() && is_like(undated, date));
    is_object || has_date || begins_with_address(line)
}

/// Whether a text begins like a time as servers write it, as far as it goes. A space may be between date and time (Python's
/// `http.server`).
pub(super) fn is_dated(text: &[u8]) -> bool {
    is_like(text, b"00/Aaa/0000:00") || is_like(text, b"0000-00-00T00")
}

/// Whether a text is like a pattern, as far as both go: `0` is a digit, `A` and `a` are letters. A space may come before a day of one
/// digit.
fn is_like(text: &[u8], pattern: &[u8]) -> bool {
    let mut pairs = pattern.iter().zip(text);
    pairs.all(|(wanted, byte)| match wanted {
        b'0' => byte.is_ascii_digit() || *byte == b' ' && pattern.starts_with(b"A"),
        b'A' => byte.is_ascii_uppercase(),
        b'a' => byte.is_ascii_lowercase(),
        b':' => matches!(byte, b':' | b' '),
        other => byte == other,
    })
}

fn begins_with_address(line: &[u8]) -> bool {
    let end = line
        .iter()
        .position(|byte| matches!(byte, b' ' | b',' | b'\t'));
    let word = line.get(..end.unwrap_or(line.len())).unwrap_or_default();
    let text = std::str::from_utf8(word).unwrap_or_default();
    text.parse::<IpAddr>().is_ok() || text.parse::<SocketAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_logs_are_distinguished_from_code_and_prose() {
        for line in [
            "1.1.1.1 - - x",
            "1.1.1.1, 2.2.2.2 POST /",
            "[::1]:80 x",
            "::1 x",
            "2026-11-21T09:12:44Z starting",
            "[2026/11/21 09:12:44] x",
            "[21/Nov/2026:09:12:44 +0100] x",
            "Nov  1 09:12:44 host x",
            "{\"a\":1}",
        ] {
            assert!(is_logged(line.as_bytes()), "{line}");
        }
        for line in [
            "import re",
            "# 1.1.1.1 - -",
            "1. First",
            "{",
            "{}",
            "a: 2026-11-21",
            "May 1 is",
        ] {
            assert!(!is_logged(line.as_bytes()), "{line}");
        }
    }
}
