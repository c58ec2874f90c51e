//! Parts of exchanges in documents that are read as a whole: the document itself, complete or repaired, and the bodies, header
//! fields and URLs in it.

use std::borrow::Cow;

use super::fields::bare_media_type;
use super::{Limits, Record, RecordSink};
use crate::json::{
    Document, DocumentFormat, MAX_DOCUMENT_DEPTH, ValueKind, ValueRef, repair, string, valid_prefix,
};
use crate::text::{Block, OffsetMap, Span};
use crate::traffic::{Body, Decoded, Encoding, HeaderName, Reason, Signal, Skip, Target, signals};

/// A document and the file it was read from.
pub(super) struct Held<'a> {
    pub(super) document: Document<'a>,
    pub(super) place: Place<'a>,
    /// Whether it looks complete but is cut off, which has been reported: a value at the end of the file may be incomplete.
    pub(super) ends_with_file: bool,
}

/// The file that a document was read from.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    file: &'a [u8],
    /// The offset of the document's text.
    start: usize,
}

/// Parses the JSON document in a file. If it is broken, reports that, and parses its complete part with all brackets closed.
pub(super) fn json<'a>(
    file: Block<'a>,
    limits: Limits,
    sink: &mut dyn RecordSink<'_>,
) -> Option<Held<'a>> {
    let start = file.text_start();
    let place = Place { file: file.bytes, start };
    let (text, cut) = valid_prefix(file.bytes.get(start..).unwrap_or_default());
    let whole = Span::new(start, file.bytes.len());
    let refused = match Document::parse_within(text, DocumentFormat::Json, limits.bounds()) {
        Ok(document) if cut.is_none() => {
            return Some(Held { document, place, ends_with_file: false });
        }
        Ok(_) => Skip::at(Reason::InvalidUtf8, whole),
        Err(error) => Skip::at(Reason::InvalidJson, whole).because(error),
    };
    let Some(mended) = repair(text, limits.depth.min(MAX_DOCUMENT_DEPTH)) else {
        sink.record(Record::Skip(refused));
        return None;
    };
    let error = cut.filter(|_| mended.error.offset >= text.len()).unwrap_or(mended.error);
    let lost = whole.end - (start + mended.cut);
    sink.record(Record::Skip(Skip { bytes: lost, ..Skip::broken(error, whole) }));
    let document = Document::parse(mended.text, DocumentFormat::Json).ok()?;
    Some(Held { document, place, ends_with_file: false })
}

impl<'a> Place<'a> {
    /// Creates the place of a document at `start` of a file.
    pub(super) fn new(file: &'a [u8], start: usize) -> Self {
        Self { file, start }
    }

    /// The whole file.
    pub(super) fn file(self) -> &'a [u8] {
        self.file
    }

    /// Maps the text of a string to the file.
    pub(super) fn text_map(self, value: ValueRef<'_>) -> Option<OffsetMap> {
        value.text_map(self.start).or_else(|| {
            let content = value.raw().strip_prefix('"')?.strip_suffix('"')?;
            Some(string::offset_map(content, self.span(value.span()).start + 1))
        })
    }

    /// Returns the position of a value in the file. A value that was open where the document breaks off ends with the file.
    pub(super) fn span(self, inner: Span) -> Span {
        let outer = inner.shifted(self.start);
        Span::new(outer.start, outer.end.min(self.file.len()))
    }

    /// A body that is nested as JSON, or a string with its text; `None` for anything else.
    pub(super) fn body(self, value: ValueRef<'_>) -> Option<Body<'a>> {
        let encoding = match value.kind() {
            ValueKind::String if value.text().is_some_and(str::is_empty) => return None,
            _ if value.is_yaml_scalar() && value.kind() != ValueKind::Null => {
                return Some(self.yaml_text(value));
            }
            ValueKind::String => Encoding::JsonString,
            ValueKind::Null => return None,
            _ => Encoding::Plain,
        };
        Some(Body::new(self.file, self.span(value.span()), encoding))
    }

    /// A body that is the text of a scalar in YAML.
    fn yaml_text(self, value: ValueRef<'_>) -> Body<'a> {
        if let Some(span) = value.text_span() {
            return Body::new(self.file, self.span(span), Encoding::Plain);
        }
        let bytes = value.text().unwrap_or_default().as_bytes().to_vec();
        self.decoded(value, Decoded { bytes, map: value.text_map(self.start) })
    }

    /// A body that has been decoded out of a value.
    pub(super) fn decoded(self, value: ValueRef<'_>, decoded: Decoded) -> Body<'a> {
        Body::decoded(self.file, self.span(value.span()), decoded)
    }

    /// A body that is base64 in a string.
    pub(super) fn base64(self, value: ValueRef<'_>) -> Option<Body<'a>> {
        let is_text = value.text().is_some_and(|text| !text.is_empty());
        let span = self.span(value.span());
        is_text.then(|| Body::new(self.file, span, Encoding::Base64JsonString))
    }

    /// The names of header fields that are an object's keys.
    pub(super) fn header_names(self, fields: ValueRef<'_>) -> Vec<HeaderName<'a>> {
        let names = fields.children().filter_map(|field| {
            let name = Cow::Owned(field.key()?.to_ascii_lowercase());
            Some(HeaderName { name, span: self.span(field.key_span()?) })
        });
        names.collect()
    }

    /// The signals in these header fields.
    pub(super) fn signals(self, fields: ValueRef<'_>) -> Vec<Signal> {
        let of_field = |field: ValueRef<'_>| {
            let name = field.key()?.to_ascii_lowercase();
            let span = self.span(field.key_span()?);
            let all =
                texts_of(field).into_iter().flat_map(move |value| signals(&name, value, span));
            Some(all.collect::<Vec<_>>())
        };
        fields.children().filter_map(of_field).flatten().collect()
    }
}

/// The values of a header field: a text, or a list of texts.
fn texts_of(field: ValueRef<'_>) -> Vec<&str> {
    match field.kind() {
        ValueKind::Array => field.children().filter_map(ValueRef::text).collect(),
        _ => vec![field.text().unwrap_or_default()],
    }
}

/// The media type by the header fields in an object, which are texts or lists of texts.
pub(super) fn media_type(fields: ValueRef<'_>) -> Option<String> {
    bare_media_type(header(fields, "content-type")?)
}

/// Removes the parameters of a media type.
pub(super) fn bare(media_type: &str) -> Option<String> {
    bare_media_type(media_type)
}

/// The value of the first header field of this name. It must not be kept.
pub(super) fn header<'d>(fields: ValueRef<'d>, name: &str) -> Option<&'d str> {
    let is_it =
        |field: &ValueRef<'_>| field.key().is_some_and(|known| known.eq_ignore_ascii_case(name));
    let field = fields.children().find(is_it)?;
    field.element(0).unwrap_or(field).text()
}

/// Parses a URL.
pub(super) fn target(url: &str) -> Target<'static> {
    Target::parse(url).into_owned()
}
