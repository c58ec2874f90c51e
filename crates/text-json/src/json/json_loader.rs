//! Loads a `Document` from JSON, by the events of the walker.

use super::document::DocumentArena;
use super::document_builder::{DocumentBuilder, ScalarText};
use super::document_error::{DocumentError, DocumentErrorKind};
use super::error::{SyntaxError, SyntaxErrorKind};
use super::string;
use super::value_kind::ValueKind;
use super::walker::{Event, Token, Walker};
use crate::text::{Span, magic};

/// Reads the one value of `text`, which may begin with a byte order mark.
pub(super) fn load(text: &str, max_depth: usize) -> Result<DocumentArena, DocumentError> {
    let mark = magic::BYTE_ORDER_MARK;
    let start = if text.as_bytes().starts_with(mark) {
        mark.len()
    } else {
        0
    };
    let mut walker = Walker::starting_at(text, start).with_max_depth(max_depth);
    let arena = build(text, DocumentBuilder::new(text), &mut walker).map_err(error)?;
    walker.finish().map_err(error)?;
    Ok(arena)
}

/// Reads the value at the beginning of `text`, and ignores the text after it.
pub(super) fn load_first_value(text: &str, max_depth: usize) -> Result<DocumentArena, SyntaxError> {
    let mut walker = Walker::new(text).with_max_depth(max_depth);
    // The value may be a small part of the text.
    build(text, DocumentBuilder::with_capacity(text, 64), &mut walker)
}

fn build(
    text: &str,
    mut builder: DocumentBuilder<'_>,
    walker: &mut Walker<'_>,
) -> Result<DocumentArena, SyntaxError> {
    while let Some(event) = walker.next_event()? {
        if u32::try_from(event.span.end).is_err() {
            return Err(SyntaxError::new(
                event.span.start,
                SyntaxErrorKind::TooLarge,
            ));
        }
        add(&mut builder, text, event);
    }
    Ok(builder.finish())
}

fn add(builder: &mut DocumentBuilder<'_>, text: &str, event: Event) {
    let kind = match event.token {
        Token::Key => return builder.key(event.span, quoted(text, event)),
        Token::ObjectEnd | Token::ArrayEnd => return builder.close(Some(event.span.end)),
        Token::ObjectStart | Token::ArrayStart => {
            let is_object = event.token == Token::ObjectStart;
            builder.open(
                if is_object {
                    ValueKind::Object
                } else {
                    ValueKind::Array
                },
                event.span,
            );
            return;
        }
        Token::String => {
            builder.scalar(ValueKind::String, event.span, quoted(text, event));
            return;
        }
        Token::Number => ValueKind::Number,
        Token::True | Token::False => ValueKind::Bool,
        Token::Null => ValueKind::Null,
    };
    builder.scalar(kind, event.span, ScalarText::At(event.span));
}

/// The text between the quotes, decoded if it has escapes.
fn quoted(text: &str, event: Event) -> ScalarText<'_> {
    let inside = Span::new(event.span.start + 1, event.span.end - 1);
    if event.escaped {
        ScalarText::Decoded(string::decode(text, event.span))
    } else {
        ScalarText::At(inside)
    }
}

fn error(error: SyntaxError) -> DocumentError {
    let kind = match error.kind {
        SyntaxErrorKind::TooDeep(limit) => DocumentErrorKind::TooDeep(limit),
        SyntaxErrorKind::TooLarge => DocumentErrorKind::TooLarge,
        kind => DocumentErrorKind::Json(kind),
    };
    DocumentError::new(error.offset, kind)
}
