//! Breaks text for people into lines, between words only.

use std::io::{self, Write};

/// The width of a line, in characters.
pub(super) const WIDTH: usize = 80;

/// Writes a text in lines of at most [`WIDTH`] characters where words allow it, each indented.
pub(super) fn write_wrapped(indent: usize, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut line = String::new();
    for word in text.split(' ') {
        let length = line.chars().count();
        if length > 0 && indent + length + 1 + word.chars().count() > WIDTH {
            writeln!(out, "{:indent$}{line}", "")?;
            line.clear();
        } else if length > 0 {
            line.push(' ');
        }
        line.push_str(word);
    }
    writeln!(out, "{:indent$}{line}", "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_between_words_only() {
        let long = "x".repeat(90);
        let mut out = Vec::new();
        write_wrapped(2, &format!("{} {long} end", "word ".repeat(17).trim()), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], format!("  {}", "word ".repeat(15).trim()));
        assert_eq!(&lines[1..], ["  word word", &format!("  {long}"), "  end"]);
    }
}
