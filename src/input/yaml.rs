//! Documents in YAML that are read as a whole: the document, as far as it can be read, and why it cannot be.

use super::pieces::{Held, Place};
use super::{Intake, Record};
use crate::document::{
    Document, DocumentError, DocumentErrorKind, Format, SyntaxErrorKind, valid_prefix,
};
use crate::exchange::{Reason, Skip};
use crate::source::{Block, Span};

/// How many list items are given up, from the last whole line backwards, before a broken document is.
const MOST_TRIES: usize = 12;

/// Reads the document in a file, or, where it is broken, what stands before the list item that is; then what is wrong with
/// it has been told.
pub(super) fn read<'a>(file: Block<'a>, intake: &mut dyn Intake<'_>) -> Option<Held<'a>> {
    let start = file.text_start();
    let place = Place::new(file.bytes, start);
    let (text, cut) = valid_prefix(file.bytes.get(start..).unwrap_or_default());
    let error = match Document::parse(text, Format::Yaml) {
        Ok(document) if cut.is_none() => return Some(Held { document, place }),
        Ok(_) => DocumentError { offset: text.len(), kind: DocumentErrorKind::InvalidUtf8 },
        Err(error) => error,
    };
    let at_end = error.offset >= text.trim_end().len();
    let reason = if at_end && cut.is_none() { Reason::Truncated } else { reason(&error) };
    let from = (start + error.offset).min(file.bytes.len());
    let skip = Skip::at(reason, Span::new(from, file.bytes.len())).because(&error);
    let document = whole_part(text, error.offset);
    intake.record(Record::Skip(skip));
    Some(Held { document: document?, place })
}

/// The document up to the last list item that leaves it whole.
fn whole_part(text: &str, fault: usize) -> Option<Document<'_>> {
    let before = text.get(..fault).unwrap_or(text);
    let lines = memchr::memrchr_iter(b'\n', before.as_bytes()).map(|end| end + 1);
    let items = lines.filter(|&line| {
        text.get(line..).is_some_and(|line| line.trim_start_matches(' ').starts_with("- "))
    });
    let mut starts = std::iter::once(before.len()).chain(items.take(MOST_TRIES));
    starts.find_map(|end| Document::parse(text.get(..end)?, Format::Yaml).ok())
}

/// Why a document is not read.
pub(super) fn reason(error: &DocumentError) -> Reason {
    match &error.kind {
        DocumentErrorKind::TooDeep(_) => Reason::TooDeep,
        DocumentErrorKind::TooLarge => Reason::TooLarge,
        DocumentErrorKind::Json(SyntaxErrorKind::UnexpectedEnd) => Reason::Truncated,
        DocumentErrorKind::InvalidUtf8 | DocumentErrorKind::Utf16 => Reason::InvalidUtf8,
        _ => Reason::InvalidYaml,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    #[test]
    fn a_broken_document_is_whole_up_to_the_item_that_breaks_it() {
        let text = "a:\n  - b: 1\n  - b: 2\n  - b: \"x\n";
        let error = Document::parse(text, Format::Yaml).unwrap_err();
        let whole = whole_part(text, error.offset).unwrap();
        assert!(whole.root().get("a").unwrap().children().len() >= 2);
    }
}
