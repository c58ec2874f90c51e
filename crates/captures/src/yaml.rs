//! Reads YAML documents as a whole, as far as they can be read.

use crate::limits::Limits;
use crate::parsed_document::ParsedDocument;
use sundown_exchange::{Reason, RecordPlace, RecordSink, Skip};
use sundown_text_json::json::{
    Document, DocumentError, DocumentErrorKind, DocumentFormat, DocumentLimits, MAX_DOCUMENT_DEPTH,
    SyntaxErrorKind, valid_prefix,
};
use sundown_text_json::text::{Block, Span};

/// The number of bytes that are parsed again while list items are given up, from the last complete line backwards.
const MAX_TRIED: usize = 64 << 20;

/// Reads the document in a file. If it is broken, the part before the broken list item is read, and the fault is
/// reported.
pub(super) fn read<'a>(
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
    let error = match Document::parse_within(text, DocumentFormat::Yaml, limits.bounds()) {
        Ok(document) if cut.is_none() => {
            // The tools that write such files end each line.
            let ends_with_file = !text.ends_with('\n');
            if ends_with_file {
                let end = Span::new(file.bytes.len(), file.bytes.len());
                sink.skip(Skip::at(Reason::Truncated, end));
            }
            return Some(ParsedDocument {
                document,
                place,
                ends_with_file,
            });
        }
        Ok(_) => DocumentError {
            offset: text.len(),
            kind: DocumentErrorKind::InvalidUtf8,
        },
        Err(error) => error,
    };
    let reason = if cut.is_none() {
        reason_at_end(text, &error, limits.bounds())
    } else {
        reason(&error)
    };
    let from = (start + error.offset).min(file.bytes.len());
    let skip = Skip::at(reason, Span::new(from, file.bytes.len())).because(detail(&error));
    let document = whole_part(text, error.offset, limits.bounds());
    sink.skip(skip);
    Some(ParsedDocument {
        document: document?,
        place,
        ends_with_file: false,
    })
}

/// Why a document that ends with its file is not read.
pub(super) fn reason_at_end(text: &str, error: &DocumentError, bounds: DocumentLimits) -> Reason {
    // A limit that is exceeded stays exceeded, however the document continues.
    let goes_too_far = matches!(
        error.kind,
        DocumentErrorKind::TooManyAliases(_) | DocumentErrorKind::TooDeep(_)
    );
    let at_end = error.offset >= text.trim_end().len() || is_cut_off(text, bounds);
    if at_end && !goes_too_far {
        Reason::Truncated
    } else {
        reason(error)
    }
}

/// Whether a document is broken by its end: in its last line, or inside quotes.
fn is_cut_off(text: &str, bounds: DocumentLimits) -> bool {
    let is_whole =
        |text: String| Document::parse_within(text, DocumentFormat::Yaml, bounds).is_ok();
    let last = memchr::memrchr(b'\n', text.as_bytes()).map_or(0, |end| end + 1);
    let (before, last) = text.split_at(last);
    !last.trim().is_empty() && is_whole(before.to_owned())
        || ["'", "\""]
            .into_iter()
            .any(|quote| is_whole(format!("{text}{quote}")))
}

/// Parses the document up to the last list item that leaves it valid.
fn whole_part(text: &str, fault: usize, bounds: DocumentLimits) -> Option<Document<'_>> {
    let before = text.get(..fault).unwrap_or(text);
    let items = memchr::memrchr_iter(b'\n', before.as_bytes())
        .map(|end| end + 1)
        .filter(|&line| {
            text.get(line..)
                .is_some_and(|line| line.trim_start_matches(' ').starts_with("- "))
        });
    let mut tried = 0;
    std::iter::once(before.len())
        .chain(items)
        .take_while(|end| {
            tried += end;
            tried <= MAX_TRIED.max(before.len())
        })
        .find_map(|end| Document::parse_within(text.get(..end)?, DocumentFormat::Yaml, bounds).ok())
}

/// Why a document is not read.
pub(super) fn reason(error: &DocumentError) -> Reason {
    match &error.kind {
        DocumentErrorKind::TooDeep(_) => Reason::TooDeep,
        DocumentErrorKind::TooLarge => Reason::TooLarge,
        DocumentErrorKind::TooManyAliases(_) => Reason::ExpandsTooFar,
        DocumentErrorKind::Json(SyntaxErrorKind::UnexpectedEnd) => Reason::Truncated,
        DocumentErrorKind::InvalidUtf8 | DocumentErrorKind::Utf16 => Reason::InvalidUtf8,
        _ => Reason::InvalidYaml,
    }
}

/// The detail of the fault. No flag raises the nesting limit of YAML.
pub(super) fn detail(error: &DocumentError) -> String {
    match error.kind {
        DocumentErrorKind::TooDeep(limit) if limit >= MAX_DOCUMENT_DEPTH => {
            format!("{error}, the most that is read of YAML whatever the limit")
        }
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_broken_document_is_whole_up_to_the_item_that_breaks_it() {
        let text = "a:\n  - b: 1\n  - b: 2\n  - b: \"x\n";
        let error = Document::parse(text, DocumentFormat::Yaml).unwrap_err();
        let whole = whole_part(text, error.offset, DocumentLimits::default()).unwrap();
        assert!(whole.root().get("a").unwrap().children().len() >= 2);
    }
}
