//! JSON documents that are read as a whole, complete or repaired.

use crate::limits::Limits;
use sundown_exchange::{Reason, RecordPlace, RecordSink, Skip};
use sundown_text_json::json::{
    Document, DocumentFormat, MAX_DOCUMENT_DEPTH, earliest, repair, valid_prefix,
};
use sundown_text_json::text::{Block, Span};

/// A document and the file it was read from.
pub(super) struct ParsedDocument<'a> {
    pub(super) document: Document<'a>,
    pub(super) place: RecordPlace<'a>,
    /// Whether it looks complete but is cut off, which has been reported: a value at the end of the file may be incomplete.
    pub(super) ends_with_file: bool,
}

impl ParsedDocument<'_> {
    /// The end of the last line, if the file is cut off in it. A value that ends there may be incomplete.
    pub(super) fn broken_line(&self) -> Option<usize> {
        let bytes = self.place.file;
        let last = bytes.rsplit(|&byte| byte == b'\n').next()?;
        let is_broken = self.ends_with_file && !last.trim_ascii().is_empty();
        is_broken.then(|| bytes.trim_ascii_end().len())
    }
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
    let Some((skip, document)) = mended(file.bytes, whole, limits.depth) else {
        sink.skip(refused);
        return None;
    };
    sink.skip(skip);
    Some(ParsedDocument {
        document: document?,
        place,
        ends_with_file: false,
    })
}

/// The whole part of a broken document at `span` with all brackets closed, and what is reported of the rest; `None` if there is
/// none.
pub(super) fn mended(
    bytes: &[u8],
    span: Span,
    max_depth: usize,
) -> Option<(Skip, Option<Document<'static>>)> {
    let (text, cut) = valid_prefix(span.slice(bytes));
    let mended = repair(text, max_depth.min(MAX_DOCUMENT_DEPTH))?;
    let error = earliest(text, Some(mended.error), cut).unwrap_or(mended.error);
    let skip = Skip {
        bytes: span.len() - mended.cut,
        ..Skip::broken(error, span)
    };
    let document = Document::parse(mended.text, DocumentFormat::Json).ok();
    Some((skip, document))
}
