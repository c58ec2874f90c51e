//! The position of a record or document in its file, and values of it that have only been located.

use sundown_text_json::json::{Document, Node};
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
    #[inline]
    pub fn value(self, node: Node<'_>) -> RecordValue<'a> {
        RecordValue {
            file: self.file,
            span: self.span(node.span()),
        }
    }

    /// Returns the position in the file of a value of the text.
    #[inline]
    pub fn span_of(self, node: Node<'_>) -> Span {
        self.span(node.span())
    }

    /// Returns the position in the file of a part of the text. A value that is open where the text breaks off ends with the
    /// file.
    #[inline]
    pub fn span(self, inner: Span) -> Span {
        let outer = inner.shifted(self.start);
        Span::new(outer.start, outer.end.min(self.file.len()))
    }

    /// Whether a part of the text is in the file as a whole.
    #[inline]
    pub fn holds(self, inner: Span) -> bool {
        inner.end.saturating_add(self.start) <= self.file.len()
    }
}

/// A value as its file writes it, where its reader has located it and nothing more.
#[derive(Debug, Clone, Copy)]
pub struct RecordValue<'a> {
    /// The whole file.
    pub file: &'a [u8],
    /// The position of the value; a string with its quotes.
    pub span: Span,
}

impl<'a> RecordValue<'a> {
    /// Its bytes.
    #[inline]
    pub fn raw(self) -> &'a [u8] {
        self.span.slice(self.file)
    }

    /// Reads the tree of the JSON value. If its brackets do not fit together, it has no content.
    pub fn read<T>(self, read: impl FnOnce(Node<'_>, RecordPlace<'a>) -> T) -> T {
        let place = RecordPlace {
            file: self.file,
            start: self.span.start,
        };
        read(Document::of_valid(self.raw(), |_| true).root(), place)
    }
}

/// Reads a node with its content, which its document may leave out.
pub fn with_content<'a, T>(
    node: Node<'_>,
    place: RecordPlace<'a>,
    read: impl FnOnce(Node<'_>, RecordPlace<'a>) -> T,
) -> T {
    if !node.is_left_out() {
        return read(node, place);
    }
    // The bytes of the node may differ from those of the file, and a place may have no file.
    let inner = RecordPlace {
        start: place.start + node.span().start,
        ..place
    };
    read(Document::of_valid(node.raw_bytes(), |_| true).root(), inner)
}
