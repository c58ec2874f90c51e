//! Decides whether a text is longer than the screen, without keeping it.

use std::io::{self, Write};

use crate::ScreenSize;

/// Counts the lines of a text on the screen, until they no longer fit on it.
struct LineCounter {
    screen: ScreenSize,
    lines: usize,
    /// The characters in the current line.
    column: usize,
    /// Whether the text is inside a control sequence (ECMA-48), which takes no space.
    in_sequence: bool,
}

/// Returns whether what `write` writes takes more lines than the screen has. The line of the prompt follows the text.
pub(super) fn is_longer(
    screen: ScreenSize,
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> bool {
    let mut counter = LineCounter {
        screen,
        lines: 0,
        column: 0,
        in_sequence: false,
    };
    write(&mut counter).is_err() || counter.is_full()
}

impl LineCounter {
    fn is_full(&self) -> bool {
        self.lines + 1 > self.screen.rows
    }

    fn count(&mut self, byte: u8) {
        match byte {
            _ if self.in_sequence => self.in_sequence = !byte.is_ascii_alphabetic(),
            0x1b => self.in_sequence = true,
            b'\n' => {
                self.lines += 1;
                self.column = 0;
            }
            // Later bytes of a character.
            0x80..0xc0 => {}
            _ if self.column >= self.screen.columns.max(1) => {
                self.lines += 1;
                self.column = 1;
            }
            _ => self.column += 1,
        }
    }
}

impl Write for LineCounter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        for &byte in bytes {
            self.count(byte);
        }
        if self.is_full() {
            Err(io::ErrorKind::Other.into())
        } else {
            Ok(bytes.len())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_as_the_screen_breaks_them() {
        let is_longer = |rows: usize, text: &str| {
            let screen = ScreenSize { rows, columns: 4 };
            super::is_longer(screen, |out| out.write_all(text.as_bytes()))
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
