//! Decides whether a text is longer than the screen.

use crate::ScreenSize;

/// Returns whether a text takes more lines than the screen has. The line of the prompt follows the text.
pub(super) fn is_longer(screen: ScreenSize, text: &[u8]) -> bool {
    let text = String::from_utf8_lossy(text);
    let lines = text.lines().map(|line| {
        // A control sequence (ECMA-48) takes no space.
        let mut in_sequence = false;
        let shown = line.chars().filter(|&character| {
            let is_start = character == '\u{1b}';
            let is_shown = !is_start && !in_sequence;
            in_sequence = is_start || in_sequence && !character.is_ascii_alphabetic();
            is_shown
        });
        shown.count().div_ceil(screen.columns.max(1)).max(1)
    });
    lines.sum::<usize>() + 1 > screen.rows
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_the_screen_breaks_them() {
        let is_longer = |rows: usize, text: &str| {
            let screen = ScreenSize { rows, columns: 4 };
            super::is_longer(screen, text.as_bytes())
        };
        for (text, lines) in [
            ("", 0),
            ("a\nb\n", 2),
            ("abcd\n", 1),
            ("abcde\n", 2),
            ("éééé\n", 1),
            ("\u{1b}[1;31mabcd\u{1b}[0m\n", 1),
        ] {
            assert!(is_longer(lines, text), "{text:?}");
            assert!(!is_longer(lines + 1, text), "{text:?}");
        }
    }
}
