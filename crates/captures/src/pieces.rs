//! Parts of exchanges in documents that are read as a whole: the document itself, complete or repaired, and the bodies and
//! URLs in it.

use super::Limits;
use super::record_place::RecordPlace;
use sundown_exchange::{Body, Decoded, Encoding, MappedText, Reason, RecordSink, Skip, Target};
use sundown_text_json::json::{
    Document, DocumentFormat, MAX_DOCUMENT_DEPTH, ValueKind, ValueRef, repair, string, valid_prefix,
};
use sundown_text_json::text::{Block, OffsetMap, Span};

/// A document and the file it was read from.
pub(super) struct ParsedDocument<'a> {
    pub(super) document: Document<'a>,
    pub(super) place: RecordPlace<'a>,
    /// Whether it looks complete but is cut off, which has been reported: a value at the end of the file may be incomplete.
    pub(super) ends_with_file: bool,
}

/// Parses the JSON document in a file. If it is broken, reports that, and parses its complete part with all brackets closed.
pub(super) fn json<'a>(
    file: Block<'a>,
    limits: Limits,
    sink: &mut dyn RecordSink<'_>,
) -> Option<ParsedDocument<'a>> {
    let start = file.text_start();
    let place = RecordPlace {
        file: file.bytes,
        start,
    };
    let (text, cut) = valid_prefix(file.bytes.get(start..).unwrap_or_default());
    let whole = Span::new(start, file.bytes.len());
    let refused = match Document::parse_within(text, DocumentFormat::Json, limits.bounds()) {
        Ok(document) if cut.is_none() => {
            return Some(ParsedDocument {
                document,
                place,
                ends_with_file: false,
            });
        }
        Ok(_) => Skip::at(Reason::InvalidUtf8, whole),
        Err(error) => Skip::at(Reason::InvalidJson, whole).because(error),
    };
    let Some(mended) = repair(text, limits.depth.min(MAX_DOCUMENT_DEPTH)) else {
        sink.skip(refused);
        return None;
    };
    let error = cut
        .filter(|_| mended.error.offset >= text.len())
        .unwrap_or(mended.error);
    let lost = whole.end - (start + mended.cut);
    sink.skip(Skip {
        bytes: lost,
        ..Skip::broken(error, whole)
    });
    let document = Document::parse(mended.text, DocumentFormat::Json).ok()?;
    Some(ParsedDocument {
        document,
        place,
        ends_with_file: false,
    })
}

/// Maps the text of a string to the file.
pub(super) fn text_map(value: ValueRef<'_>, place: RecordPlace<'_>) -> Option<OffsetMap> {
    value.text_map(place.start).or_else(|| {
        let content = value.raw().strip_prefix('"')?.strip_suffix('"')?;
        Some(string::offset_map(
            content,
            place.span(value.span()).start + 1,
        ))
    })
}

/// The text of a scalar with its positions in the file; empty for a list or an object.
pub(super) fn mapped_text(value: ValueRef<'_>, place: RecordPlace<'_>) -> MappedText {
    let text = value.text().unwrap_or_default();
    let map = text_map(value, place).filter(|_| value.kind() == ValueKind::String);
    let map = map.unwrap_or_else(|| {
        let mut map = OffsetMap::default();
        map.push(text.len(), place.span(value.span()));
        map
    });
    MappedText {
        bytes: text.as_bytes().to_vec(),
        map,
    }
}

/// A body that is nested as JSON, or a string with its text; `None` for anything else.
pub(super) fn body<'a>(value: ValueRef<'_>, place: RecordPlace<'a>) -> Option<Body<'a>> {
    let encoding = match value.kind() {
        ValueKind::String if value.text().is_some_and(str::is_empty) => return None,
        _ if value.is_yaml_scalar() && value.kind() != ValueKind::Null => {
            return Some(yaml_text(value, place));
        }
        ValueKind::String => Encoding::JsonString,
        ValueKind::Null => return None,
        _ => Encoding::Plain,
    };
    Some(Body::new(place.file, place.span(value.span()), encoding))
}

/// A body that is the text of a scalar in YAML.
fn yaml_text<'a>(value: ValueRef<'_>, place: RecordPlace<'a>) -> Body<'a> {
    if let Some(span) = value.text_span() {
        return Body::new(place.file, place.span(span), Encoding::Plain);
    }
    let bytes = value.text().unwrap_or_default().as_bytes().to_vec();
    decoded(
        value,
        Decoded {
            bytes,
            map: value.text_map(place.start),
        },
        place,
    )
}

/// A body that has been decoded out of a value.
pub(super) fn decoded<'a>(
    value: ValueRef<'_>,
    decoded: Decoded,
    place: RecordPlace<'a>,
) -> Body<'a> {
    Body::decoded(place.file, place.span(value.span()), decoded)
}

/// A body that is base64 in a string.
pub(super) fn base64<'a>(value: ValueRef<'_>, place: RecordPlace<'a>) -> Option<Body<'a>> {
    let is_text = value.text().is_some_and(|text| !text.is_empty());
    let span = place.span(value.span());
    is_text.then(|| Body::new(place.file, span, Encoding::Base64JsonString))
}

/// Parses a URL.
pub(super) fn target(url: &str) -> Target<'static> {
    Target::parse(url).into_owned()
}
