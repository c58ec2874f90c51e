//! Breaks text for people into lines, between words only.

use std::io::{self, Write};

use unicode_width::UnicodeWidthStr;

/// The width of a line, in columns of a terminal.
pub(super) const WIDTH: usize = 80;

/// The width of a text, in columns of a terminal: Chinese, Japanese and Korean characters take two.
pub(super) fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// Writes a text in lines of at most [`WIDTH`] columns where words allow it, each indented.
pub(super) fn write_wrapped(indent: usize, text: &str, out: &mut dyn Write) -> io::Result<()> {
    let mut line = String::new();
    for word in text.split(' ') {
        let length = width(&line);
        if length > 0 && indent + length + 1 + width(word) > WIDTH {
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
        write_wrapped(
            2,
            &format!("{} {long} end", "word ".repeat(17).trim()),
            &mut out,
        )
        .unwrap();
        let text = String::from_utf8(out).unwrap();
        let lines: Vec<_> = text.lines().collect();
        assert_eq!(lines[0], format!("  {}", "word ".repeat(15).trim()));
        assert_eq!(&lines[1..], ["  word word", &format!("  {long}"), "  end"]);
    }

    #[test]
    fn wide_characters_take_two_columns() {
        let (word, mut out) = ("注文".repeat(5), Vec::new());
        write_wrapped(0, &[word.as_str(); 5].join(" "), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        assert_eq!(
            text,
            format!(
                "{}\n{}\n",
                [word.as_str(); 3].join(" "),
                [word.as_str(); 2].join(" ")
            )
        );
    }
}
