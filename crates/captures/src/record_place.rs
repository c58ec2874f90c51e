//! The position of a record or document in its file.

use sundown_text_json::text::Span;

/// The file from which a record or document was read, and the offset of its text.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordPlace<'a> {
    /// The whole file.
    pub(super) file: &'a [u8],
    /// The offset of the text.
    pub(super) start: usize,
}

impl RecordPlace<'_> {
    /// Returns the position in the file of a part of the text. A value that is open where the text breaks off ends with the
    /// file.
    pub(super) fn span(self, inner: Span) -> Span {
        let outer = inner.shifted(self.start);
        Span::new(outer.start, outer.end.min(self.file.len()))
    }

    /// Returns whether a part of the text is in the file as a whole.
    pub(super) fn holds(self, inner: Span) -> bool {
        inner.end.saturating_add(self.start) <= self.file.len()
    }
}
