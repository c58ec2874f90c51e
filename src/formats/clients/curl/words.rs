//! The words and commands of a shell, with their positions in the file.

use std::borrow::Cow;

use crate::text::{OffsetMap, Span};
use crate::traffic::MappedText;

/// The placeholder for an expansion that is not known.
pub(super) const UNKNOWN: &[u8] = b"{{$}}";

/// A word as the shell passes it to a program.
#[derive(Debug, Clone, Default)]
pub(super) struct ShellWord {
    pub(super) text: Vec<u8>,
    /// The positions of its bytes in the file.
    pub(super) map: OffsetMap,
    /// Its position, with its quotes.
    pub(super) span: Span,
}

/// A command: its words and its input.
#[derive(Debug, Clone, Default)]
pub(super) struct ShellCommand {
    pub(super) words: Vec<ShellWord>,
    /// A here-document, a here-string, or the output of the command before the pipe, if it is known.
    pub(super) input: Option<ShellWord>,
    /// The position of input that is not known: a file, or the command before the pipe.
    pub(super) unread_input: Option<Span>,
}

impl ShellWord {
    pub(super) fn push(&mut self, text: &[u8], outer: Span) {
        self.text.extend_from_slice(text);
        self.map.push(text.len(), outer);
    }

    pub(super) fn copy(&mut self, bytes: &[u8], start: usize, end: usize) {
        let text = bytes.get(start..end).unwrap_or_default();
        if !text.is_empty() {
            self.push(text, Span::new(start, start + text.len()));
        }
    }

    pub(super) fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.text)
    }

    /// Returns whether nothing of it is known.
    pub(super) fn is_unknown(&self) -> bool {
        self.text == UNKNOWN
    }

    /// Returns whether its beginning is not known.
    pub(super) fn begins_unknown(&self) -> bool {
        self.text.trim_ascii_start().starts_with(UNKNOWN)
    }

    /// A part of the word. Its position is that of its bytes.
    pub(super) fn part(&self, start: usize, end: usize) -> Self {
        let mut part = Self::default();
        for (at, byte) in self.text.iter().enumerate().take(end).skip(start) {
            part.push(&[*byte], self.map.outer(Span::new(at, at + 1)));
        }
        part.span = self.map.outer(Span::new(start, end));
        part
    }

    /// The word with all bytes percent-encoded that have a meaning in a form, as curl encodes them.
    pub(super) fn percent_encoded(&self) -> Self {
        let mut encoded = Self { span: self.span, ..Self::default() };
        for (at, &byte) in self.text.iter().enumerate() {
            let outer = self.map.outer(Span::new(at, at + 1));
            if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) {
                encoded.push(&[byte], outer);
            } else {
                encoded.push(format!("%{byte:02X}").as_bytes(), outer);
            }
        }
        encoded
    }

    /// The word without its quotes.
    pub(super) fn into_text(self) -> MappedText {
        MappedText { bytes: self.text, map: self.map }
    }

    /// The words into which the shell splits the value of a variable.
    pub(super) fn fields(self) -> Vec<Self> {
        let is_space = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\n');
        if !self.text.iter().any(is_space) && !self.text.is_empty() {
            return vec![self];
        }
        let mut fields = Vec::new();
        let mut start = 0;
        for field in self.text.split(is_space) {
            let end = start + field.len();
            if !field.is_empty() {
                fields.push(Self { span: self.span, ..self.part(start, end) });
            }
            start = end + 1;
        }
        fields
    }

    /// The word with positions in the file, if its own are positions in the text of `script`.
    fn within(self, script: &Self) -> Self {
        let mut map = OffsetMap::default();
        for at in 0..self.text.len() {
            map.push(1, script.map.outer(self.map.outer(Span::new(at, at + 1))));
        }
        Self { text: self.text, map, span: script.map.outer(self.span) }
    }
}

impl ShellCommand {
    /// The command with positions in the file, if its own are positions in the text of `script`.
    pub(super) fn within(self, script: &ShellWord) -> Self {
        Self {
            words: self.words.into_iter().map(|word| word.within(script)).collect(),
            input: self.input.map(|word| word.within(script)),
            unread_input: self.unread_input.map(|span| script.map.outer(span)),
        }
    }
}
