//! The lines of a text, each as its position.

use crate::file_head::FileHead;
use sundown_text_json::text::Span;

/// The number of bytes in which the first request, and signs of a format, are searched.
const HEAD: usize = 64 * 1024;

/// The positions of the lines in a part of a file, without their line ends.
#[derive(Clone)]
pub(crate) struct LineSpans<'a> {
    pub bytes: &'a [u8],
    /// The beginning of the next line.
    pub at: usize,
    pub end: usize,
}

impl<'a> LineSpans<'a> {
    /// The lines in which the format of a file is searched.
    pub(crate) fn of_head(head: &FileHead<'a>) -> Self {
        let end = head.bytes.len().min(HEAD.max(head.start));
        Self::within(head.bytes, Span::new(head.start, end))
    }

    /// The lines in a part of a file.
    pub(crate) fn within(bytes: &'a [u8], part: Span) -> Self {
        Self {
            bytes,
            at: part.start,
            end: part.end,
        }
    }

    /// The next line, which stays the next.
    pub(crate) fn peek(&self) -> Option<Span> {
        self.clone().next()
    }
}

impl Iterator for LineSpans<'_> {
    type Item = Span;

    fn next(&mut self) -> Option<Span> {
        let rest = self
            .bytes
            .get(self.at..self.end)
            .filter(|rest| !rest.is_empty())?;
        let length = memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let bare = rest
            .get(..length)?
            .strip_suffix(b"\r")
            .map_or(length, <[u8]>::len);
        let line = Span::new(self.at, self.at + bare);
        self.at = (self.at + length + 1).min(self.end);
        Some(line)
    }
}
