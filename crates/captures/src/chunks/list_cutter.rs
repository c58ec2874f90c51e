//! Cuts a JSON document into the records of its list while it is being read: an archive is one document, and may be larger than
//! memory.
//!
//! The keys that lead to the list may be anywhere in it. Only quotes and brackets are followed here; the reader parses the pieces.

use super::chunker::{Chunker, Cut, Oversized, ReadOptions, RecordEnd, Records};
use crate::shapes::Logs;
use sundown_exchange::{Reason, RecordPlace, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::scan::{self, Break, Skimmer};
use sundown_text_json::json::{
    Document, MAX_DOCUMENT_DEPTH, Node, SyntaxError, SyntaxErrorKind, find_error, is_value, string,
};
use sundown_text_json::text::{Block, Span};

/// The list of a format.
#[derive(Debug, Clone, Copy)]
pub(crate) struct RecordList<'l> {
    /// The keys that lead to the list, from the outside in. Without any, the document is the list; or it has values in a row, of
    /// which lists have records as well.
    pub path: &'l [&'l str],
    /// Whether an object is a record, where a fault has hidden the beginnings of records.
    pub is_record: fn(Node<'_>, RecordPlace<'_>, &Logs<'_>) -> bool,
    /// The details on a document without the list, and on one whose list is empty, if that is a fault.
    pub empty: [&'static str; 2],
}

/// A piece of a document. Positions are in the text that was cut.
#[derive(Debug, Clone)]
pub(crate) enum ListPiece {
    /// A record, by its brackets.
    Record(Span),
    /// A value beside the records.
    Other(Span),
    /// What is reported of something else, and for how many records it counts.
    Fault(Skip, usize),
}

impl ListPiece {
    /// Something that should not be there, or not end there. The offset of the error counts from its beginning.
    fn broken(error: SyntaxError, span: Span) -> Self {
        Self::Fault(Skip::broken(error, span), 0)
    }

    /// The same in the place of a record.
    fn broken_record(error: SyntaxError, span: Span) -> Self {
        Self::Fault(Skip::broken(error, span), 1)
    }
}

/// Cuts a document, block by block.
#[derive(Debug)]
pub(crate) struct ListChunker {
    pub cutter: ListCutter<'static>,
    /// Makes pieces the records of a block.
    pub records: fn(Vec<ListPiece>) -> Box<dyn Records>,
}

/// Cuts a document.
#[derive(Debug)]
pub(crate) struct ListCutter<'l> {
    list: RecordList<'l>,
    state: CutterState,
    /// Whether no list is open: records are values in a row.
    is_row: bool,
    limits: Limits,
    /// The number of lists of records.
    lists: usize,
    /// The number of records, broken ones included.
    records: usize,
    /// The last byte before the text, white space aside: it decides whether a record may begin with the text.
    before: Option<u8>,
    /// The number of bytes that may be searched in vain.
    budget: usize,
}

#[derive(Debug, Clone, Copy)]
enum CutterState {
    /// Before the document.
    Start,
    /// Inside an object on the way to the list, after its opening bracket or a member. The key of this level leads on.
    Members { level: usize, first: bool },
    /// Inside a list of records, after its opening bracket or an element.
    Elements { first: bool },
    /// After a fault, searching for the next record from an offset on; with the fault until it is reported.
    Searching {
        from: usize,
        fault: Option<SyntaxError>,
    },
    /// After the document.
    After,
    /// Nothing more can be read, for this reason if more may follow.
    Over(Option<SyntaxError>),
}

impl CutterState {
    /// Inside an object on the way to the list, after a member.
    fn after_member(level: usize) -> Self {
        let first = false;
        Self::Members { level, first }
    }
}

/// The number of bytes that are searched in vain after broken records, at most, until more of the file has been read.
const SEARCH_BUDGET: usize = 256 * 1024 * 1024;

/// By how much the budget grows for each byte that is read.
const SEARCHED_PER_BYTE: usize = 16;

/// The number of pieces that are cut at once: a document may consist of the smallest only.
const MAX_PIECES: usize = 16 * 1024;

/// In a text longer than this, an object that does not end counts as one that lost a bracket.
const WORTH_WAITING: usize = 16 * 1024 * 1024;

/// The error where a list does not go on as one.
const NO_ELEMENT: SyntaxError = SyntaxError {
    offset: 0,
    kind: SyntaxErrorKind::Expected(scan::LIST_GOES_ON),
};

/// A record that has become this large is looked into: it may have lost a bracket.
const LARGE: usize = 4 * 1024 * 1024;

impl Chunker for ListChunker {
    fn cut(&mut self, text: Block<'_>, all: bool, logs: &Logs<'_>) -> Option<Cut> {
        let (mut pieces, mut bytes) = self.cutter.pieces(text, all, logs);
        if !all && bytes == 0 && text.bytes.len() >= LARGE.min(self.cutter.limits.record) {
            self.cutter.look_into(text);
            (pieces, bytes) = self.cutter.pieces(text, all, logs);
        }
        // The end shows what is missing.
        let has_any = bytes > 0 || all && !pieces.is_empty();
        let records = (self.records)(pieces);
        has_any.then_some(Cut { bytes, records })
    }

    /// After a fault, no record may begin in all of the text.
    fn give_up(&mut self, text: Block<'_>) -> Oversized {
        let CutterState::Searching { fault, .. } = self.cutter.state else {
            return Oversized::Record {
                end: RecordEnd::Value(Skimmer::default(), self.cutter.value_start(text)),
                numbered: usize::from(matches!(self.cutter.state, CutterState::Elements { .. })),
            };
        };
        self.cutter.state = CutterState::Searching {
            from: 0,
            fault: None,
        };
        let span = Span::new(0, text.bytes.len());
        let error = gap_error(fault, text.bytes).into_iter();
        let pieces: Vec<_> = error
            .map(|error| ListPiece::broken_record(error, span))
            .collect();
        self.cutter.records += pieces.len();
        self.cutter.consumed(text.bytes);
        Oversized::Text((self.records)(pieces))
    }

    fn passed_over(&mut self) {
        self.cutter.before = Some(b'}');
        self.cutter.state = match self.cutter.state {
            CutterState::Members { level, .. } => CutterState::after_member(level),
            CutterState::Elements { .. } | CutterState::Searching { .. } => {
                self.cutter.records += 1;
                CutterState::Elements { first: false }
            }
            state => state,
        };
    }
}

impl<'l> ListCutter<'l> {
    /// Begins a document.
    pub(crate) fn new(list: RecordList<'l>, limits: Limits) -> Self {
        Self {
            list,
            state: CutterState::Start,
            is_row: false,
            limits,
            lists: 0,
            records: 0,
            before: None,
            budget: SEARCH_BUDGET,
        }
    }

    /// Cuts whole pieces off the front of a text, and returns them with their end.
    pub(crate) fn pieces(
        &mut self,
        text: Block<'_>,
        all: bool,
        logs: &Logs<'_>,
    ) -> (Vec<ListPiece>, usize) {
        let mut pass = Pass {
            cutter: self,
            text,
            all,
            logs,
            at: 0,
            pieces: Vec::new(),
        };
        // The rest begins the next block, unless this is the end.
        while (all || pass.pieces.len() < MAX_PIECES) && pass.step() {}
        let Pass { pieces, at, .. } = pass;
        self.consumed(text.bytes.get(..at).unwrap_or_default());
        (pieces, at)
    }

    /// Records how the text ends that the next block does not repeat.
    fn consumed(&mut self, text: &[u8]) {
        self.before = text.trim_ascii_end().last().copied().or(self.before);
        let more = text.len().saturating_mul(SEARCHED_PER_BYTE);
        self.budget = self.budget.saturating_add(more).min(SEARCH_BUDGET);
    }

    /// Looks into a record that has become very large and is still not complete: a broken one ends at its fault.
    fn look_into(&mut self, text: Block<'_>) {
        let CutterState::Elements { first } = self.state else {
            return;
        };
        let start = element_start(text.bytes, first);
        let piece = text.bytes.get(start..).unwrap_or_default();
        if let Some(error) = find_error(piece, self.limits.depth)
            && !error.leaves_prefix_whole()
        {
            let from = start + search_start(piece, error);
            let fault = Some(SyntaxError {
                offset: start + error.offset,
                ..error
            });
            self.state = CutterState::Searching { from, fault };
        }
    }

    /// Returns the offset of the value that fills `text` and does not end.
    fn value_start(&self, text: Block<'_>) -> usize {
        let CutterState::Members { first, .. } = self.state else {
            return element_start(text.bytes, false);
        };
        let key = element_start(text.bytes, first);
        scan::member_head(text.bytes, key).map_or(text.bytes.len(), |(_, value)| value)
    }
}

/// Returns the offset of the element, after white space and a comma.
fn element_start(bytes: &[u8], first: bool) -> usize {
    let at = scan::skip_whitespace(bytes, 0);
    if !first && bytes.get(at) == Some(&b',') {
        scan::skip_whitespace(bytes, at + 1)
    } else {
        at
    }
}

/// A text that is being cut.
struct Pass<'c, 'l, 't> {
    cutter: &'c mut ListCutter<'l>,
    text: Block<'t>,
    all: bool,
    logs: &'t Logs<'t>,
    at: usize,
    pieces: Vec<ListPiece>,
}

impl Pass<'_, '_, '_> {
    /// Advances by one piece; `false` if the text has no other.
    fn step(&mut self) -> bool {
        match self.cutter.state {
            CutterState::Start => self.start(),
            CutterState::Members { level, first } => self.member(level, first),
            CutterState::Elements { .. } if self.cutter.is_row => self.value_of_row(),
            CutterState::Elements { first } => self.element(first),
            CutterState::Searching { from, fault } => self.search(from, fault),
            CutterState::After => self.after(),
            CutterState::Over(fault) => self.over(fault),
        }
    }

    /// Text after a fault in which nothing can be read is equally broken, and counted with it.
    fn over(&mut self, fault: Option<SyntaxError>) -> bool {
        let rest = Span::new(self.at, self.len());
        if let Some(error) = fault.filter(|_| !rest.is_empty()) {
            // The beginning has been counted.
            let skip = Skip {
                count: 0,
                ..Skip::broken(error, rest)
            };
            self.pieces.push(ListPiece::Fault(skip, 0));
        }
        self.at = self.len();
        false
    }

    fn len(&self) -> usize {
        self.text.bytes.len()
    }

    fn start(&mut self) -> bool {
        let start = scan::skip_whitespace(self.text.bytes, self.text.text_start());
        if self.cutter.list.path.is_empty() {
            self.cutter.is_row = true;
            return self.go(CutterState::Elements { first: true }, start);
        }
        let (level, first) = (0, true);
        self.go(CutterState::Members { level, first }, start + 1)
    }

    /// Reads a record that is in no list, or begins a list of them.
    fn value_of_row(&mut self) -> bool {
        let start = scan::skip_whitespace(self.text.bytes, self.at);
        match self.text.bytes.get(start) {
            None if self.all => self.go(CutterState::Over(None), start),
            None => {
                self.at = start;
                false
            }
            Some(b',') if self.last_before(start) == Some(b']') => self.comma(start),
            Some(b'[') => {
                self.cutter.is_row = false;
                self.go(CutterState::Elements { first: true }, start + 1)
            }
            Some(_) => self.record(start),
        }
    }

    /// The last byte before an offset, white space aside.
    fn last_before(&self, at: usize) -> Option<u8> {
        let text = self.text.bytes.get(..at).unwrap_or_default();
        text.trim_ascii_end().last().copied().or(self.cutter.before)
    }

    /// A comma after a list is a fault, and what follows is read all the same.
    fn comma(&mut self, start: usize) -> bool {
        let rest = self.text.bytes.get(start..).unwrap_or_default();
        let between = rest
            .iter()
            .take_while(|byte| byte.is_ascii_whitespace() || **byte == b',');
        let next = start + between.count();
        if next == self.len() && !self.all {
            return false;
        }
        self.gap(Some(NO_ELEMENT), Span::new(start, next));
        self.go(CutterState::Elements { first: false }, next)
    }

    /// The next state, from `at` on.
    fn go(&mut self, state: CutterState, at: usize) -> bool {
        self.cutter.state = state;
        self.at = at;
        true
    }

    /// The text ends before the value at `at` does.
    fn cut_off(&mut self, at: usize) -> bool {
        if self.all {
            self.broken(at, SyntaxErrorKind::UnexpectedEnd);
        }
        false
    }

    /// Nothing can be read from `start` on.
    fn broken(&mut self, start: usize, kind: SyntaxErrorKind) -> bool {
        let error = SyntaxError { offset: 0, kind };
        let rest = Span::new(start.min(self.len()), self.len());
        self.pieces.push(ListPiece::broken(error, rest));
        self.go(CutterState::Over(Some(error)), self.len())
    }

    /// Returns the offset of the next part of a list; `Ok(None)` at its end.
    fn part(&self, close: u8, first: bool) -> Result<Option<usize>, Break> {
        let at = scan::skip_whitespace(self.text.bytes, self.at);
        match self.text.bytes.get(at) {
            None => Err(Break::Truncated(at)),
            Some(&byte) if byte == close => Ok(None),
            Some(b',') if !first => Ok(Some(scan::skip_whitespace(self.text.bytes, at + 1))),
            Some(_) if first => Ok(Some(at)),
            Some(_) => Err(Break::Malformed(at)),
        }
    }

    fn member(&mut self, level: usize, first: bool) -> bool {
        let bytes = self.text.bytes;
        let key = match self.part(b'}', first) {
            Ok(Some(at)) => at,
            Ok(None) => return self.end_of_object(level),
            Err(Break::Truncated(at)) => return self.cut_off(at),
            Err(Break::Malformed(at)) => return self.broken(at, NO_ELEMENT.kind),
        };
        let (name, value) = match scan::member_head(bytes, key) {
            Ok((name, value)) if value < bytes.len() => (name, value),
            Ok(_) | Err(Break::Truncated(_)) => return self.cut_off(key),
            Err(Break::Malformed(at)) => return self.broken(at, NO_ELEMENT.kind),
        };
        let path = self.cutter.list.path;
        let is_last = level + 1 == path.len();
        let open = if is_last { b'[' } else { b'{' };
        let leads_on = path
            .get(level)
            .is_some_and(|key| string::decode_bytes(bytes, name) == *key);
        if leads_on && bytes.get(value) == Some(&open) {
            self.cutter.lists += usize::from(is_last);
            let (level, first) = (level + 1, true);
            let inside = if is_last {
                CutterState::Elements { first }
            } else {
                CutterState::Members { level, first }
            };
            return self.go(inside, value + 1);
        }
        let has_end_mark = matches!(bytes.get(value), Some(b'[' | b'{' | b'"'));
        match scan::value(bytes, value) {
            Ok(span) => {
                self.pieces.push(ListPiece::Other(span));
                self.go(CutterState::after_member(level), span.end)
            }
            // A number may go on, and is whole all the same.
            Err(Break::Truncated(_)) if !self.all || !has_end_mark => self.cut_off(value),
            // Its present part is read, and then reported as cut off.
            Err(Break::Truncated(_)) => {
                let rest = Span::new(value, self.len());
                self.pieces.push(ListPiece::Other(rest));
                self.go(CutterState::Over(None), self.len())
            }
            Err(Break::Malformed(at)) => self.broken(at, NO_ELEMENT.kind),
        }
    }

    fn end_of_object(&mut self, level: usize) -> bool {
        let after = scan::skip_whitespace(self.text.bytes, self.at) + 1;
        let outside = level.checked_sub(1).map(CutterState::after_member);
        self.go(outside.unwrap_or(CutterState::After), after)
    }

    /// A complete document without a record must not pass unnoticed.
    fn no_records(&mut self, end: usize) {
        let [no_list, no_record] = self.cutter.list.empty;
        let (reason, detail) = match (self.cutter.records, self.cutter.lists) {
            (0, 0) => (Reason::InvalidJson, no_list),
            (0, _) if !no_record.is_empty() => (Reason::Empty, no_record),
            _ => return,
        };
        let skip = Skip::file(reason, self.text.start + end).because(detail);
        self.pieces.push(ListPiece::Fault(skip, 0));
    }

    fn element(&mut self, first: bool) -> bool {
        let start = match self.part(b']', first) {
            Ok(Some(at)) => at,
            Ok(None) => return self.end_of_list(),
            Err(Break::Truncated(at)) => return self.cut_off(at),
            Err(Break::Malformed(at)) => return self.malformed(at),
        };
        self.record(start)
    }

    fn end_of_list(&mut self) -> bool {
        let after = scan::skip_whitespace(self.text.bytes, self.at) + 1;
        let Some(level) = self.cutter.list.path.len().checked_sub(1) else {
            self.cutter.is_row = true;
            return self.go(CutterState::Elements { first: false }, after);
        };
        self.go(CutterState::after_member(level), after)
    }

    /// Cuts out the record at `start`.
    fn record(&mut self, start: usize) -> bool {
        let bytes = self.text.bytes;
        match scan::value(bytes, start) {
            // It lost a bracket, and took that of the list.
            Ok(record) if matches!(record.slice(bytes), [b'{', .., last] if *last != b'}') => {
                self.unfinished(start)
            }
            Ok(record) => {
                self.cutter.records += 1;
                self.pieces.push(ListPiece::Record(record));
                self.go(CutterState::Elements { first: false }, record.end)
            }
            Err(Break::Truncated(_)) if !self.all => false,
            Err(Break::Truncated(at)) => {
                let searched = self.len().saturating_sub(start);
                match self.cutter.budget.checked_sub(searched) {
                    Some(budget) => {
                        self.cutter.budget = budget;
                        self.unfinished(at)
                    }
                    None => self.cut_off(at),
                }
            }
            Err(Break::Malformed(at)) => self.malformed(at),
        }
    }

    fn malformed(&mut self, at: usize) -> bool {
        let fault = Some(NO_ELEMENT);
        self.go(CutterState::Searching { from: 0, fault }, at)
    }

    /// A record that the file cuts off, or that lost a bracket: the strict walker says which.
    fn unfinished(&mut self, at: usize) -> bool {
        let start = at.min(self.len());
        let rest = self.text.bytes.get(start..).unwrap_or_default();
        match find_error(rest, self.cutter.limits.depth) {
            Some(error) if !error.leaves_prefix_whole() => {
                let from = search_start(rest, error);
                let fault = Some(error);
                self.go(CutterState::Searching { from, fault }, start)
            }
            _ => self.cut_off(at),
        }
    }

    /// `from` counts from the beginning of the searched piece.
    fn search(&mut self, from: usize, fault: Option<SyntaxError>) -> bool {
        let start = (self.at + from).min(self.len());
        let rest = Span::new(start, self.len());
        let bytes = self.text.bytes;
        let before = self.cutter.before;
        let limits = self.cutter.limits;
        let (list, logs) = (self.cutter.list, self.logs);
        let mut budget = self.cutter.budget;
        let next = next_item(bytes, rest, self.all, &mut budget, &|item| {
            (scan::skip_whitespace(bytes, 0) != item.start || may_precede_item(before))
                && list.has(bytes, item, limits, logs)
        });
        self.cutter.budget = budget;
        if let Some(record) = next {
            self.gap(fault, Span::new(self.at, record.start));
            self.cutter.records += 1;
            self.pieces.push(ListPiece::Record(record));
            return self.go(CutterState::Elements { first: false }, record.end);
        }
        if !self.all {
            return false;
        }
        self.gap(fault, Span::new(self.at, self.len()));
        self.go(CutterState::Over(None), self.len())
    }

    fn gap(&mut self, fault: Option<SyntaxError>, gap: Span) {
        if let Some(error) = gap_error(fault, gap.slice(self.text.bytes)) {
            self.cutter.records += 1;
            self.pieces.push(ListPiece::broken_record(error, gap));
        }
    }

    /// The document is one value and nothing follows it.
    fn after(&mut self) -> bool {
        let rest = scan::skip_whitespace(self.text.bytes, self.at);
        if rest == self.len() && !self.all {
            self.at = rest;
            return false;
        }
        self.no_records(rest);
        if rest == self.len() {
            return self.go(CutterState::Over(None), rest);
        }
        self.broken(rest, SyntaxErrorKind::Expected("the end of the file"))
    }
}

/// Returns the error for text between two records that were found after a fault: the fault, the first time; then anything that
/// does not belong there. The end of the list and what follows belong there.
fn gap_error(fault: Option<SyntaxError>, gap: &[u8]) -> Option<SyntaxError> {
    fault.or_else(|| {
        let has_text = gap
            .iter()
            .any(|byte| !byte.is_ascii_whitespace() && !b",]}".contains(byte));
        (has_text && !ends_list(gap)).then_some(SyntaxError {
            offset: 0,
            kind: SyntaxErrorKind::Expected("a whole entry"),
        })
    })
}

/// Whether a text ends a list, and goes on as JSON does after that: it is JSON with the brackets before it that it closes.
fn ends_list(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let text = text.strip_suffix(b",").unwrap_or(text);
    if !text.starts_with(b"]") {
        return false;
    }
    let mut opened: Vec<&[u8]> = vec![text];
    let mut at = 0;
    while let Some(byte) = text.get(at) {
        match byte {
            b']' => opened.push(b"["),
            b'}' => opened.push(b"{\"\":"),
            b'[' | b'{' | b'"' => match scan::value(text, at) {
                Ok(value) => {
                    at = value.end;
                    continue;
                }
                Err(_) => return false,
            },
            _ => {}
        }
        at += 1;
    }
    opened.reverse();
    is_value(&opened.concat(), MAX_DOCUMENT_DEPTH)
}

/// Returns where to search a broken piece for entries after the fault: at the string before it, which may have lost its end and
/// contain the beginning of a record.
fn search_start(piece: &[u8], error: SyntaxError) -> usize {
    let quote = |end: usize| {
        piece
            .get(..end)
            .and_then(|text| memchr::memrchr(b'"', text))
    };
    quote(error.offset)
        .and_then(quote)
        .unwrap_or(error.offset)
        .min(piece.len())
}

/// Returns the records in a piece that is broken by `error`, and what is between them: after a lost bracket, whole records look
/// like parts of the broken one.
pub(super) fn pieces_of_broken(
    bytes: &[u8],
    piece: Span,
    error: SyntaxError,
    list: &RecordList<'_>,
    options: &ReadOptions<'_>,
) -> Vec<ListPiece> {
    let mut pieces = Vec::new();
    let mut fault = Some(error);
    let mut budget = SEARCH_BUDGET;
    let mut gap = piece.start;
    let mut from = piece.start + search_start(piece.slice(bytes), error);
    loop {
        let rest = Span::new(from, piece.end);
        let record = next_item(bytes, rest, true, &mut budget, &|item| {
            list.has(bytes, item, options.limits, options.logs)
        });
        let between = Span::new(gap, record.map_or(piece.end, |record| record.start));
        if let Some(error) = gap_error(fault.take(), between.slice(bytes)) {
            pieces.push(ListPiece::broken_record(error, between));
        }
        let Some(span) = record else {
            return pieces;
        };
        pieces.push(ListPiece::Record(span));
        (gap, from) = (span.end, span.end);
    }
}

impl RecordList<'_> {
    fn has(&self, bytes: &[u8], item: Span, limits: Limits, logs: &Logs<'_>) -> bool {
        let place = RecordPlace {
            file: bytes,
            start: item.start,
        };
        Document::parse_json(item.slice(bytes), limits.depth)
            .is_ok_and(|item| (self.is_record)(item.root(), place, logs))
    }
}

/// Whether an item of a list may follow this byte.
fn may_precede_item(before: Option<u8>) -> bool {
    matches!(before, Some(b',' | b'}'))
}

/// Finds the next object in `range` that is an item of the list: it begins after a comma or another object, or with the text.
/// One that does not end in the range is left for more text, unless that is `all`.
fn next_item(
    bytes: &[u8],
    range: Span,
    all: bool,
    budget: &mut usize,
    is_item: &dyn Fn(Span) -> bool,
) -> Option<Span> {
    let bytes = bytes.get(..range.end)?;
    for open in memchr::memchr_iter(b'{', bytes.get(range.start..)?).map(|at| range.start + at) {
        let before = bytes
            .get(..open)
            .unwrap_or_default()
            .trim_ascii_end()
            .last();
        let after = bytes.get(scan::skip_whitespace(bytes, open + 1));
        // A key in escaped quotes is inside a string.
        if before.is_some() && !may_precede_item(before.copied()) || after != Some(&b'"') {
            continue;
        }
        let Ok(span) = scan::value(bytes, open) else {
            if !all && range.len() < WORTH_WAITING {
                return None;
            }
            *budget = budget.checked_sub(range.end - open)?;
            continue;
        };
        if is_item(span) {
            return Some(span);
        }
        *budget = budget.checked_sub(span.len())?;
    }
    None
}
