//! Cuts the list of interactions in a YAML cassette into its items, by their indentation and without a parser. A broken
//! item hides no other, and a large cassette is never in memory as a tree.

use crate::file_head::{lines_of, top_level_key};
use crate::line_spans::LineSpans;
use crate::shapes::LogShape;
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, DocumentFormat};
use sundown_text_json::text::Span;

/// Keys next to the list, which recorders write with scalar values; and the other one of two lists.
const MARKS: [&[u8]; 3] = [b"version", b"recorded_with", b"responses"];

/// The largest number of lines before the list.
const LINES_BEFORE: usize = 64;

/// The list in a document.
#[derive(Debug, Default)]
pub(super) struct InteractionList {
    /// Its items; none if it is not written line by line.
    pub items: Vec<Span>,
    /// The indentation of its items.
    pub margin: usize,
    /// Whether one of the marks is before it.
    pub is_marked_before: bool,
    /// Whether a mark with a value is after it.
    pub is_marked_after: bool,
    /// The beginning of a further document.
    pub further: Option<usize>,
}

/// A line with content, without its break.
#[derive(Clone, Copy)]
struct YamlLine<'a> {
    start: usize,
    text: &'a [u8],
    indent: usize,
}

/// The lines that are neither empty nor comments.
fn lines(bytes: &[u8], start: usize) -> impl Iterator<Item = YamlLine<'_>> {
    let all = LineSpans::within(bytes, Span::new(start, bytes.len())).map(|span| {
        let text = span.slice(bytes).trim_ascii_end();
        let indent = text.iter().take_while(|&&byte| byte == b' ').count();
        YamlLine {
            start: span.start,
            text,
            indent,
        }
    });
    all.filter(|line| !matches!(line.text.get(line.indent), None | Some(b'#')))
}

impl<'a> YamlLine<'a> {
    fn begins_item(self) -> bool {
        matches!(
            self.text.get(self.indent..),
            Some([b'-'] | [b'-', b' ', ..])
        )
    }

    /// The key at its beginning, in quotes or not, and the text after its colon.
    fn key(self) -> Option<(&'a [u8], &'a [u8])> {
        let (key, value) = top_level_key(self.text).filter(|_| self.indent == 0)?;
        let is_pair = matches!(value.first(), None | Some(b' ')) && !key.contains(&b' ');
        is_pair.then(|| (key, value.trim_ascii()))
    }

    /// The text after a mark.
    fn mark(self) -> Option<&'a [u8]> {
        let (key, value) = self.key()?;
        MARKS.contains(&key).then_some(value)
    }
}

/// Finds the list among the keys of a document. Other keys than recorders write may come before `http_interactions` alone, which
/// is a name that nothing else has. Text that fits no item belongs to the item before it, which its reader reports as broken.
pub(super) fn find(bytes: &[u8], start: usize, name: &str) -> Option<InteractionList> {
    let mut list = InteractionList::default();
    let mut has_key = false;
    let mut lines = lines(bytes, start);
    let value = lines.by_ref().take(LINES_BEFORE).find_map(|line| {
        let is_inside = has_key && (line.indent > 0 || line.begins_item());
        if is_inside || line.text == b"---" || line.text.starts_with(b"%") {
            return None;
        }
        let is_mark = line.mark().is_some();
        match line.key() {
            Some((key, value)) if key == name.as_bytes() => Some(Some(value)),
            Some(_) if is_mark || name.starts_with("http") => {
                has_key = true;
                list.is_marked_before |= is_mark;
                None
            }
            _ => Some(None),
        }
    })??;
    // The end of the item that is open.
    let mut end = None;
    // Where keys of another program begin, if nothing else comes after them.
    let mut other = None;
    let mut open = None;
    if !matches!(value.first(), None | Some(b'#')) {
        return Some(list);
    }
    for line in lines {
        if open.is_none() {
            if !line.begins_item() {
                return Some(list);
            }
            list.margin = line.indent;
        }
        if line.indent == list.margin && line.begins_item() {
            let before = open.replace(line.start);
            list.close(before, end.take().unwrap_or(line.start));
            other = None;
        } else if line.indent > 0 {
            // A text in quotes went on at the margin, mostly with a quote.
            other = None;
            continue;
        } else if line.text.starts_with(b"---") || line.text == b"..." {
            list.further = line.text.starts_with(b"---").then_some(line.start);
            end = end.or(other).or(Some(line.start));
            break;
        }
        // The beginning of a mark at the end of the file is not part of the last item.
        let is_last = line.start + line.text.len() == bytes.len();
        let is_cut_mark = is_last && MARKS.iter().any(|mark| mark.starts_with(line.text));
        if is_cut_mark || line.mark().is_some() {
            list.is_marked_after |= line.mark().is_some_and(|value| !value.is_empty());
            end = end.or(other).or(Some(line.start));
        } else if line.text.first().is_some_and(u8::is_ascii_alphabetic)
            && line.key().is_some_and(|(_, value)| !value.is_empty())
        {
            other = other.or(Some(line.start));
        }
    }
    list.close(open, end.or(other).unwrap_or(bytes.len()));
    Some(list)
}

impl InteractionList {
    fn close(&mut self, open: Option<usize>, end: usize) {
        let item = open.map(|start| Span::new(start, end.max(start)));
        self.items.extend(item);
    }

    /// Whether the recorder wrote the list, by the URL in the first interaction that is whole, if there is one.
    pub(super) fn is_of(&self, bytes: &[u8], recorder: &LogShape) -> bool {
        let mut items = self.items.iter().map(|item| item.slice(bytes));
        match recorder.list() {
            "http_interactions" => return true,
            "requests" => return items.next().is_some_and(is_request),
            _ => {}
        }
        let whole = items.find_map(|item| {
            Document::parse_bytes_within(item, DocumentFormat::Yaml, Limits::default()).ok()
        });
        if let Some(first) = whole.as_ref().and_then(|all| all.root().element(0)) {
            let has_call = recorder.has_call(first);
            let is_only = self.items.len() == 1;
            let is_cut =
                is_only && first.get("request").is_some() && first.get("response").is_none();
            if has_call || !is_cut {
                return has_call;
            }
        }
        // Without an item, all recorders write the same, and there is nothing to read. A body continues after the end of the text.
        // Of the recorders of the same list, only go-vcr writes the version first.
        let is_go_vcr = recorder.end.is_none();
        self.is_marked_before == is_go_vcr && (is_go_vcr || !self.items.is_empty())
    }
}

/// Whether an item is a request by itself.
fn is_request(item: &[u8]) -> bool {
    ["uri:", "method:"]
        .iter()
        .all(|key| lines_of(item).any(|line| line.trim_ascii_start().starts_with(key.as_bytes())))
}
