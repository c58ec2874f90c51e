//! Documents in YAML that are read as a whole: the document, as far as it can be read, and the way from its texts back to
//! the file.

use super::pieces::{Held, Place};
use super::{Intake, Limits, Record};
use crate::document::{Document, DocumentError, DocumentErrorKind, Format, valid_prefix};
use crate::exchange::{Reason, Skip};
use crate::source::{Block, OffsetMap, Span};

/// How many list items are given up, from the last whole line backwards, before a broken document is.
const MOST_TRIES: usize = 12;

/// Reads the document in a file, or, where it is broken, what stands before the list item that is; then what is wrong with
/// it has been told.
pub(super) fn read<'a>(
    file: Block<'a>,
    _: Limits,
    intake: &mut dyn Intake<'_>,
) -> Option<Held<'a>> {
    let start = file.text_start();
    let place = Place::new(file.bytes, start);
    let (text, cut) = valid_prefix(file.bytes.get(start..).unwrap_or_default());
    let error = match Document::parse(text, Format::Yaml) {
        Ok(document) if cut.is_none() => return Some(Held { document, place }),
        Ok(_) => DocumentError { offset: text.len(), kind: DocumentErrorKind::InvalidUtf8 },
        Err(error) => error,
    };
    let reason = match error.kind {
        DocumentErrorKind::InvalidUtf8 => Reason::InvalidUtf8,
        DocumentErrorKind::TooDeep(_) => Reason::TooDeep,
        _ => Reason::Truncated,
    };
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
    let starts = std::iter::once(before.len()).chain(items.take(MOST_TRIES));
    starts.filter_map(|end| Document::parse(text.get(..end)?, Format::Yaml).ok()).next()
}

/// The way from a scalar's `text` back to where it stands as `raw`, at byte `start`: of those that are written as they are
/// meant, in one piece or line by line.
pub(super) fn map(raw: &str, text: &str, start: usize) -> Option<OffsetMap> {
    let mut map = OffsetMap::default();
    let verbatim = |at: usize| Span::new(start + at, start + at + text.len());
    let margin = usize::from(raw.starts_with(['"', '\'']));
    if raw.get(margin..raw.len().saturating_sub(margin)) == Some(text) {
        map.push(text.len(), verbatim(margin));
        return Some(map);
    }
    let mut at = 0;
    let mut lines = raw.split_inclusive('\n');
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches('\n');
        let Some(written) = lines.next() else {
            // What ends a block scalar's last line is no part of its span.
            return content.is_empty().then_some(map);
        };
        let bare = written.trim_end_matches(['\n', '\r']);
        let indent = bare.len().checked_sub(content.len())?;
        if bare.get(indent..) != Some(content) || !bare.get(..indent)?.trim().is_empty() {
            return None;
        }
        let from = start + at + indent;
        map.push(content.len(), Span::new(from, from + content.len()));
        if line.len() > content.len() {
            map.push(1, Span::new(from + content.len(), start + at + written.len()));
        }
        at += written.len();
    }
    Some(map)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Value;

    /// What a text is mapped to, piece by piece.
    fn back(file: &str, pointer: &str, inner: &str) -> Option<String> {
        let document = Document::parse(file, Format::Yaml).unwrap();
        let value = document.at(pointer).unwrap();
        let text = value.as_str().unwrap();
        let at = text.find(inner).unwrap();
        let map = map(value.raw(), text, Value::span(value).start)?;
        let outer = map.outer(Span::new(at, at + inner.len()));
        Some(file[outer.start..outer.end].to_owned())
    }

    #[test]
    fn texts_lead_back_to_their_place_whatever_their_style() {
        for style in [
            "a: |-\n    {\n      \"k\": 1\n    }\n",
            "a: '{\"k\": 1}'\n",
            "a: |\n  {\"k\":\n\n  1}",
        ] {
            assert_eq!(back(style, "/a", "\"k\"").as_deref(), Some("\"k\""), "{style}");
        }
        assert_eq!(back("a: |\r\n  {\"k\":\r\n  1}\r\n", "/a", "1}").as_deref(), Some("1}"));
        assert_eq!(
            back("a: >\n  {\"k\":\n  1}\n", "/a", "1}"),
            None,
            "folded lines are another text"
        );
        assert_eq!(back("a: 'it''s'\n", "/a", "s"), None);
    }

    #[test]
    fn a_broken_document_is_whole_up_to_the_item_that_breaks_it() {
        let text = "a:\n  - b: 1\n  - b: 2\n  - b: \"x\n";
        let error = Document::parse(text, Format::Yaml).unwrap_err();
        let whole = whole_part(text, error.offset).unwrap();
        assert!(whole.root().get("a").unwrap().children().len() >= 2);
    }
}
