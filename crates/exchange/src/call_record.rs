//! The record of a call in a capture, whose members may name the caller.

use sundown_text_json::text::Span;

/// The JSON record of a call.
#[derive(Debug, Clone)]
pub struct CallRecord<'a> {
    capture: &'a [u8],
    own: Span,
    /// The string in it that has the record of the call, as container engines wrap what programs write.
    wrapped: Option<Span>,
    /// Objects around the calls of a batch, the innermost first.
    around: Vec<Span>,
}

/// A JSON value that belongs to a record.
#[derive(Debug, Clone, Copy)]
pub struct RecordPart<'a> {
    pub text: &'a [u8],
    /// Its position in the capture.
    pub span: Span,
    pub role: RecordRole,
}

/// The role of a part of a record for its call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RecordRole {
    /// The record itself.
    Record,
    /// A string in it, which has the record of the call.
    Wrapped,
    /// An object that describes other calls, too.
    Around,
}

impl<'a> CallRecord<'a> {
    /// Creates a record from its position in the bytes of a capture.
    pub fn new(capture: &'a [u8], own: Span) -> Self {
        Self {
            capture,
            own,
            wrapped: None,
            around: Vec::new(),
        }
    }

    /// Sets the position of the string in it that has the record of the call.
    #[must_use]
    pub fn wrapping(self, wrapped: Option<Span>) -> Self {
        Self { wrapped, ..self }
    }

    /// The position of the string in it that has the record of the call, if there is one.
    pub fn wrapped(&self) -> Option<Span> {
        self.wrapped
    }

    /// Adds objects that describe all calls of a part of a batch, the innermost first.
    #[must_use]
    pub fn within(self, around: Vec<Span>) -> Self {
        Self { around, ..self }
    }

    /// The record itself.
    pub fn own(&self) -> RecordPart<'a> {
        RecordPart {
            text: self.own.slice(self.capture),
            span: self.own,
            role: RecordRole::Record,
        }
    }

    /// The record, the string in it, and the objects around it.
    pub fn parts(&self) -> impl Iterator<Item = RecordPart<'a>> {
        let inside = self.wrapped.map(|span| (span, RecordRole::Wrapped));
        let around = self.around.iter().map(|&span| (span, RecordRole::Around));
        std::iter::once((self.own, RecordRole::Record))
            .chain(inside)
            .chain(around)
            .map(|(span, role)| RecordPart {
                text: span.slice(self.capture),
                span,
                role,
            })
    }
}
