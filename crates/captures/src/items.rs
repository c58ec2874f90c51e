//! The items of a JSON list, in which recorders and stubs keep exchanges. Each is cut out by its brackets and read alone, so
//! that a large file is never in memory as a tree. After a fault, the next complete item is searched.

use std::ops::ControlFlow;

use super::Limits;
use super::list_cutter::{SEARCH_BUDGET, gap_error, next_item, search_start};
use super::records::{Parts, emit_part};
use sundown_exchange::RecordPlace;
use sundown_exchange::{Exchange, Reason, RecordSink, Skip};
use sundown_text_json::json::scan::{self, Break};
use sundown_text_json::json::{
    Document, DocumentFormat, DocumentLimits, MAX_DOCUMENT_DEPTH, Node, SyntaxError,
    SyntaxErrorKind, earliest, find_error, repair, string, valid_prefix,
};
use sundown_text_json::text::{Block, Span};

/// Turns an item into exchanges, whose number is filled in later, or what is reported of it.
pub(super) type Make<'m, 'a> = &'m dyn Fn(Node<'_>, RecordPlace<'a>) -> Parts<'a>;

/// The place of items in a file.
#[derive(Clone, Copy)]
pub(super) struct Shape<'s> {
    /// The keys that lead to the list, from the outside in; without any, the file is the one item.
    pub(super) path: &'s [&'s str],
    /// Whether an object is an item of the list, where a fault has hidden the beginnings of items.
    pub(super) is_item: &'s dyn Fn(Node<'_>) -> bool,
}

/// Reads a file item by item.
pub(super) fn read<'a>(
    file: Block<'a>,
    shape: Shape<'_>,
    limits: Limits,
    make: Make<'_, 'a>,
    sink: &mut dyn RecordSink<'a>,
) {
    let start = scan::skip_whitespace(file.bytes, file.text_start());
    let depth = limits.depth.min(MAX_DOCUMENT_DEPTH);
    let bounds = DocumentLimits {
        depth,
        ..limits.bounds()
    };
    Items {
        file: file.bytes,
        shape,
        bounds,
        make,
        sink,
        index: 0,
    }
    .read(start);
}

/// Returns the offset of the value of a key in the object at `open`.
pub(super) fn member(bytes: &[u8], open: usize, name: &str) -> Option<usize> {
    members(bytes, open, name).next()
}

/// Returns the offsets of the values of all keys of that name.
fn members(bytes: &[u8], open: usize, name: &str) -> impl Iterator<Item = usize> {
    let is_object = bytes.get(open) == Some(&b'{');
    is_object
        .then(|| scan::keys(bytes, open))
        .into_iter()
        .flatten()
        .filter(move |(key, _)| string::decode_bytes(bytes, *key) == name)
        .map(|(_, value)| value)
}

struct Items<'i, 'a> {
    file: &'a [u8],
    shape: Shape<'i>,
    bounds: DocumentLimits,
    make: Make<'i, 'a>,
    sink: &'i mut dyn RecordSink<'a>,
    index: usize,
}

impl<'a> Items<'_, 'a> {
    fn read(&mut self, start: usize) {
        let path = self.shape.path;
        if path.is_empty() {
            if self.element(scan::value(self.file, start)).is_continue() {
                self.around(start, true);
            }
            return;
        }
        let mut lists = path.iter().fold(vec![start], |opens, name| {
            opens
                .into_iter()
                .flat_map(|open| members(self.file, open, name))
                .collect()
        });
        // A duplicate key is read twice: which one counts is unknown.
        lists.retain(|&at| self.file.get(at) == Some(&b'['));
        let went = lists.iter().try_for_each(|&at| self.list(at));
        if went.is_continue() {
            self.around(start, !lists.is_empty());
        }
    }

    /// Reports the text around the list.
    fn around(&mut self, start: usize, has_list: bool) {
        let file = self.file;
        match scan::value(file, start) {
            Ok(root) if scan::skip_whitespace(file, root.end) < file.len() => {
                self.skip(Skip::broken_off(Break::Malformed(root.end), file.len()));
            }
            Ok(root) if !has_list => self.skip(Skip::at(Reason::NoExchange, root)),
            Ok(_) => {}
            Err(Break::Truncated(_)) => {
                self.skip(Skip::broken_off(Break::Truncated(file.len()), file.len()));
            }
            Err(at) => self.skip(Skip::broken_off(at, file.len())),
        }
    }

    fn skip(&mut self, skip: Skip) {
        self.sink.skip(skip);
    }

    /// Reads the elements of the list; breaks if all that follows has been reported.
    fn list(&mut self, open: usize) -> ControlFlow<()> {
        for element in scan::elements(self.file, open) {
            self.element(element)?;
        }
        ControlFlow::Continue(())
    }

    fn element(&mut self, element: Result<Span, Break>) -> ControlFlow<()> {
        let length = self.file.len();
        match element {
            Ok(span) => {
                self.item(span);
                return ControlFlow::Continue(());
            }
            Err(Break::Truncated(at)) if at < length => self.unfinished(Span::new(at, length)),
            Err(Break::Truncated(at)) => {
                self.skip(Skip::broken_off(Break::Truncated(at), length));
            }
            Err(Break::Malformed(at)) => {
                let kind = SyntaxErrorKind::Expected(scan::LIST_GOES_ON);
                self.search(
                    SyntaxError { offset: 0, kind },
                    Span::new(at.min(length), length),
                );
            }
        }
        ControlFlow::Break(())
    }

    /// Reads an item that ends where its brackets say.
    fn item(&mut self, span: Span) {
        let (text, cut) = valid_prefix(span.slice(self.file));
        let error = match (
            Document::parse_within(text, DocumentFormat::Json, self.bounds),
            cut,
        ) {
            (Ok(document), None) => return self.made(document.root(), span.start),
            (_, Some(cut)) => cut,
            (Err(_), None) => match repair(text, self.bounds.depth) {
                Some(mended) => mended.error,
                None => return self.nothing(Reason::InvalidJson, span),
            },
        };
        // A lost bracket or quote may have merged several items.
        self.search(error, span);
    }

    fn nothing(&mut self, reason: Reason, span: Span) {
        self.index += 1;
        self.skip(Skip::at(reason, span));
    }

    fn made(&mut self, item: Node<'_>, start: usize) {
        let place = RecordPlace {
            file: self.file,
            start,
        };
        let parts = (self.make)(item, place);
        if parts.is_empty() {
            return self.nothing(Reason::NoExchange, place.span(item.span()));
        }
        self.record(parts);
    }

    fn record(&mut self, parts: Parts<'a>) {
        let index = self.index;
        self.index += 1;
        for part in parts {
            emit_part(part, index, self.sink);
        }
    }

    /// Reads the last item, which does not end: the file is cut off, or a bracket or quote is lost.
    fn unfinished(&mut self, rest: Span) {
        let start = scan::skip_whitespace(self.file, rest.start);
        let rest = Span::new(start, rest.end);
        let written = rest.slice(self.file);
        match find_error(written, self.bounds.depth) {
            Some(error) if !error.leaves_prefix_whole() => self.search(error, rest),
            _ => self.cut_off(rest),
        }
    }

    /// Reads the complete part of the last item of a file that is cut off, if that is enough to know the call.
    fn cut_off(&mut self, rest: Span) {
        let (text, cut) = valid_prefix(rest.slice(self.file));
        let Some(mended) = repair(text, self.bounds.depth) else {
            return self.skip(Skip::at(Reason::Truncated, rest));
        };
        let error = earliest(text, Some(mended.error), cut).unwrap_or(mended.error);
        let lost = rest.len() - mended.cut;
        self.skip(Skip {
            bytes: lost,
            ..Skip::broken(error, rest)
        });
        let Ok(document) = Document::parse(mended.text, DocumentFormat::Json) else {
            return;
        };
        let place = RecordPlace {
            file: self.file,
            start: rest.start,
        };
        let mut parts = (self.make)(document.root(), place);
        let is_known = |exchange: &Exchange<'_>| exchange.call.method.is_some();
        parts.retain(|part| part.as_ref().is_ok_and(is_known));
        if !parts.is_empty() {
            self.record(parts);
        }
    }

    /// Reports a fault, and reads the complete items after it.
    fn search(&mut self, error: SyntaxError, piece: Span) {
        let mut pending = Some(error);
        let mut budget = SEARCH_BUDGET;
        let mut gap = piece.start;
        let mut from = piece.start + search_start(piece.slice(self.file), error);
        let file = self.file;
        let bounds = self.bounds;
        let shape = self.shape;
        let is_item = |span: Span| {
            let item = Document::parse_bytes_within(span.slice(file), DocumentFormat::Json, bounds);
            item.is_ok_and(|item| (shape.is_item)(item.root()))
        };
        while let Some(item) = next_item(
            file,
            Span::new(from, piece.end),
            true,
            &mut budget,
            &is_item,
        ) {
            self.gap(pending.take(), Span::new(gap, item.start));
            self.item(item);
            (gap, from) = (item.end, item.end);
        }
        self.gap(pending, Span::new(gap, piece.end));
    }

    /// Reports the text between items that were found after a fault, unless it is the end of the list and what follows.
    fn gap(&mut self, error: Option<SyntaxError>, gap: Span) {
        let text = gap.slice(self.file);
        let is_end = error.is_none() && text.trim_ascii_start().starts_with(b"]");
        if let Some(error) = gap_error(error, text).filter(|_| !is_end) {
            self.index += 1;
            self.skip(Skip::broken(error, gap));
        }
    }
}
