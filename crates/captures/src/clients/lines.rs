//! The lines of a request file.

use sundown_text_json::text::Span;

/// The positions of the lines in a part of a file, without their line ends.
#[derive(Clone)]
pub(super) struct LineSpans<'a> {
    pub(super) bytes: &'a [u8],
    /// The beginning of the next line.
    pub(super) at: usize,
    pub(super) end: usize,
}

impl<'a> LineSpans<'a> {
    /// The lines of a file.
    pub(super) fn of(bytes: &'a [u8]) -> Self {
        let end = bytes.len();
        Self { bytes, at: 0, end }
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
