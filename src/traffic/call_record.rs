//! The record of a call in a capture, whose members may name the caller.

use crate::text::Span;

/// The JSON record of a call.
#[derive(Debug, Clone)]
pub struct CallRecord<'a> {
    capture: &'a [u8],
    own: Span,
    /// Objects around the calls of a batch, the innermost first.
    around: Vec<Span>,
}

/// A JSON value that belongs to a record.
#[derive(Debug, Clone, Copy)]
pub struct RecordPart<'a> {
    /// Its text.
    pub text: &'a [u8],
    /// Its position in the capture.
    pub span: Span,
}

impl<'a> CallRecord<'a> {
    /// Creates a record from its position in the bytes of a capture.
    pub fn new(capture: &'a [u8], own: Span) -> Self {
        Self { capture, own, around: Vec::new() }
    }

    /// Adds objects that describe all calls of a part of a batch, the innermost first.
    #[must_use]
    pub fn within(self, around: Vec<Span>) -> Self {
        Self { around, ..self }
    }

    /// The record, and the objects around it.
    pub fn parts(&self) -> impl Iterator<Item = RecordPart<'a>> {
        let spans = std::iter::once(self.own).chain(self.around.iter().copied());
        spans.map(|span| RecordPart { text: span.slice(self.capture), span })
    }
}
