//! Documents in YAML that are read as a whole: the document, as far as it can be read, and the way from its texts back to
//! the file.

use super::pieces::{Held, Place};
use super::{Intake, Limits, Record};
use crate::document::{Document, DocumentError, DocumentErrorKind, Format, string, valid_prefix};
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
    let mut starts = std::iter::once(before.len()).chain(items.take(MOST_TRIES));
    starts.find_map(|end| Document::parse(text.get(..end)?, Format::Yaml).ok())
}

/// The way from a scalar's `text` back to where it stands as `raw`, at byte `start`; `None` for what is written with
/// escapes that JSON does not have.
pub(super) fn map(raw: &str, text: &str, start: usize) -> Option<OffsetMap> {
    if let Some(inside) = raw.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'))
        && string::unescape(inside) == text
    {
        return Some(string::offset_map(inside, start + 1));
    }
    line_by_line(raw, text, start).or_else(|| folded(raw, text, start))
}

/// The way back from a text whose lines stand as they are, but for what they are indented by.
fn line_by_line(raw: &str, text: &str, start: usize) -> Option<OffsetMap> {
    let mut map = OffsetMap::default();
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
    lines.next().is_none().then_some(map)
}

/// The way back from a text in which a line break stands for a space, and several for one less.
fn folded(raw: &str, text: &str, start: usize) -> Option<OffsetMap> {
    let mut map = OffsetMap::default();
    let is_quoted = raw.len() > 1 && raw.starts_with('\'');
    let (mut at, end) = if is_quoted { (1, raw.len() - 1) } else { (0, raw.len()) };
    let mut left = text;
    while !left.is_empty() {
        let rest = raw.get(at..end)?;
        let blank = rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
        let breaks = rest.get(..blank)?.matches('\n').count();
        let (meant, length) = match breaks {
            _ if is_quoted && rest.starts_with("''") => ("'".to_owned(), 2),
            // A block's last line break is no part of its span.
            _ if rest.is_empty() && left == "\n" => return Some(map),
            0 => {
                let length = rest.chars().next()?.len_utf8();
                (rest.get(..length)?.to_owned(), length)
            }
            1 => (" ".to_owned(), blank),
            more => ("\n".repeat(more - 1), blank),
        };
        left = left.strip_prefix(&meant)?;
        map.push(meant.len(), Span::new(start + at, start + at + length));
        at += length;
    }
    (at == end).then_some(map)
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
        for (file, inner, place) in [
            ("a: >\n  {\"k\":\n  1}\n", "1}", Some("1}")),
            ("a: >-\n  é\n\n  {\"k\":\n  1}", "1}", Some("1}")),
            ("a: x\n  y z\n", "y z", Some("y z")),
            ("a: 'it''s'\n", "'", Some("''")),
            ("a: \"\\u0041 \\\"k\\\"\"", "\"k\"", Some("\\\"k\\\"")),
            ("a: \"\\x41 k\"", "k", None),
        ] {
            assert_eq!(back(file, "/a", inner).as_deref(), place, "{file}");
        }
    }

    #[test]
    fn a_broken_document_is_whole_up_to_the_item_that_breaks_it() {
        let text = "a:\n  - b: 1\n  - b: 2\n  - b: \"x\n";
        let error = Document::parse(text, Format::Yaml).unwrap_err();
        let whole = whole_part(text, error.offset).unwrap();
        assert!(whole.root().get("a").unwrap().children().len() >= 2);
    }
}
