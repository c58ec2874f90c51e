//! JSON into a [`Document`], by the walker's events.

use super::document::DocumentArena;
use super::document_builder::{DocumentBuilder, ScalarText};
use super::document_error::{DocumentError, DocumentErrorKind};
use super::error::{SyntaxError, SyntaxErrorKind};
use super::string;
use super::tree::ValueKind;
use super::walker::{Event, Token, Walker};
use crate::text::{Span, magic};

/// Reads the one value of `text`, which may have a byte order mark in front.
pub(super) fn load(text: &str, max_depth: usize) -> Result<DocumentArena, DocumentError> {
    let mut builder = DocumentBuilder::new(text);
    let mark = magic::BYTE_ORDER_MARK;
    let start = if text.as_bytes().starts_with(mark) { mark.len() } else { 0 };
    let mut walker = Walker::starting_at(text, start).with_max_depth(max_depth);
    while let Some(event) = walker.next_event().map_err(error)? {
        add(&mut builder, text, event);
    }
    walker.finish().map_err(error)?;
    Ok(builder.finish())
}

fn add(builder: &mut DocumentBuilder<'_>, text: &str, event: Event) {
    let kind = match event.token {
        Token::Key => return builder.key(event.span, quoted(text, event)),
        Token::ObjectEnd | Token::ArrayEnd => return builder.close(Some(event.span.end)),
        Token::ObjectStart | Token::ArrayStart => {
            let is_object = event.token == Token::ObjectStart;
            builder.open(if is_object { ValueKind::Object } else { ValueKind::Array }, event.span);
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

/// What stands between the quotes, decoded where it has escapes.
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
        kind => DocumentErrorKind::Json(kind),
    };
    DocumentError::new(error.offset, kind)
}
