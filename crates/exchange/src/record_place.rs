//! The position of a record or document in its file.

use super::lazy::RecordValue;
use sundown_text_json::json::Node;
use sundown_text_json::text::Span;

/// The file from which a record or document was read, and the offset of its text.
#[derive(Debug, Clone, Copy)]
pub struct RecordPlace<'a> {
    /// The whole file.
    pub file: &'a [u8],
    /// The offset of the text.
    pub start: usize,
}

impl<'a> RecordPlace<'a> {
    /// A value of the text, as the file writes it.
    pub fn value(self, node: Node<'_>) -> RecordValue<'a> {
        RecordValue {
            file: self.file,
            span: self.span(node.span()),
        }
    }

    /// Returns the position in the file of a part of the text. A value that is open where the text breaks off ends with the
    /// file.
    pub fn span(self, inner: Span) -> Span {
        let outer = inner.shifted(self.start);
        Span::new(outer.start, outer.end.min(self.file.len()))
    }

    /// Returns whether a part of the text is in the file as a whole.
    pub fn holds(self, inner: Span) -> bool {
        inner.end.saturating_add(self.start) <= self.file.len()
    }
}
