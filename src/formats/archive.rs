//! Cuts an HTTP Archive into its entries while it is being read: archives are one document, and larger than memory.
//!
//! Wherever `log` and `entries` stand, and whatever stands between. Only quotes and brackets are followed here; what is
//! cut out is for the reader to parse.

use super::entry::{self, Members};
use super::fields;
use crate::json::scan::{self, Break};
use crate::json::{NodeRef, SyntaxError, SyntaxErrorKind, Tree, string};
use crate::text::{Block, Span};
use crate::traffic::Reason;

/// A piece of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// What it is.
    pub(super) kind: PieceKind,
    /// Where it stands in the text that was cut.
    pub(super) span: Span,
}

/// What a piece is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// An entry, by its brackets.
    Entry,
    /// A value that stands beside the entries.
    Other,
    /// What stands where an entry should; the error's offset counts from the piece's beginning.
    BrokenEntry(SyntaxError),
    /// What should not be there, or not end there.
    Broken(SyntaxError),
    /// What follows it: it has been told, and this is more of the same.
    BrokenStill(SyntaxError),
    /// The archive has ended without an entry, so many bytes behind the file's beginning.
    NoEntries(Reason, &'static str, usize),
}

/// What has been cut out of a text.
#[derive(Debug)]
pub(super) struct Cut {
    /// The pieces, in their order.
    pub(super) pieces: Vec<Piece>,
    /// Up to where the text has been dealt with: what follows must come again, with more behind it.
    pub(super) consumed: usize,
}

/// Where in an archive the cutting stands.
#[derive(Debug)]
pub(super) struct Cutter {
    state: State,
    max_depth: usize,
    /// How many lists of entries there were.
    lists: usize,
    /// How many entries, broken ones included.
    entries: usize,
}

#[derive(Debug, Clone, Copy)]
enum State {
    /// Before the document.
    Start,
    /// Inside an object, behind its opening bracket or a member.
    Members { level: Level, first: bool },
    /// Inside a list of entries, behind its opening bracket or an element.
    Elements { first: bool },
    /// Behind a fault, looking for the next entry from an offset on; the fault, until it has been told.
    Searching { from: usize, fault: Option<SyntaxError> },
    /// Behind the document.
    Behind,
    /// Nothing more can be read, for this reason where more may follow.
    Over(Option<SyntaxError>),
}

/// How far into the archive an object stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Archive,
    Log,
}

/// How many bytes are read, at most, to find the next entry behind a broken one.
const SEARCH_BUDGET: usize = 256 * 1024 * 1024;

/// How many pieces are cut at once: an archive may be made of nothing but the smallest.
const MOST_PIECES: usize = 16 * 1024;

/// In a text longer than this, an object that does not end is taken to have lost a bracket.
const WORTH_WAITING: usize = 16 * 1024 * 1024;

impl Cutter {
    /// At the beginning of an archive whose entries may nest `max_depth` levels deep.
    pub(super) fn new(max_depth: usize) -> Self {
        Self { state: State::Start, max_depth, lists: 0, entries: 0 }
    }

    /// Cuts what is whole out of `text`, which begins where the last one was consumed; `all` says that nothing follows it.
    pub(super) fn cut(&mut self, text: Block<'_>, all: bool) -> Cut {
        let mut pass = Pass { cutter: self, text, all, at: 0, pieces: Vec::new() };
        // What is not cut comes again, unless this is all there is.
        while (all || pass.pieces.len() < MOST_PIECES) && pass.step() {}
        Cut { consumed: pass.at, pieces: pass.pieces }
    }

    /// Looks into an entry that has become very large and is still not whole: one that is broken ends at its fault.
    pub(super) fn look_into(&mut self, text: Block<'_>) {
        let State::Elements { first } = self.state else { return };
        let start = element_start(text.bytes, first);
        let piece = text.bytes.get(start..).unwrap_or_default();
        if let Err(error) = Tree::parse_bytes(piece, self.max_depth)
            && !error.leaves_prefix_whole()
        {
            let from = start + search_start(piece, error);
            let fault = Some(SyntaxError { offset: start + error.offset, ..error });
            self.state = State::Searching { from, fault };
        }
    }

    /// If the text stands behind a fault, lets go of it: no entry begins there.
    pub(super) fn give_up_search(&mut self, text: Block<'_>) -> Option<Vec<Piece>> {
        let State::Searching { fault, .. } = self.state else { return None };
        self.state = State::Searching { from: 0, fault: None };
        let span = Span::new(0, text.bytes.len());
        let piece = |error| Piece { kind: PieceKind::BrokenEntry(error), span };
        let pieces: Vec<_> = gap_error(fault, text.bytes).map(piece).into_iter().collect();
        self.entries += pieces.len();
        Some(pieces)
    }

    /// Whether the next value is an entry.
    pub(super) fn is_in_entry(&self) -> bool {
        matches!(self.state, State::Elements { .. } | State::Searching { .. })
    }

    /// Where the value that fills `text` without an end begins.
    pub(super) fn value_start(&self, text: Block<'_>) -> usize {
        let State::Members { first, .. } = self.state else {
            return element_start(text.bytes, false);
        };
        let key = element_start(text.bytes, first);
        scan::member_head(text.bytes, key).map_or(text.bytes.len(), |(_, value)| value)
    }

    /// The value that the text begins with has been passed over.
    pub(super) fn passed_over(&mut self) {
        self.state = match self.state {
            State::Members { level, .. } => State::Members { level, first: false },
            State::Elements { .. } | State::Searching { .. } => {
                self.entries += 1;
                State::Elements { first: false }
            }
            state => state,
        };
    }
}

/// Where the element begins, behind white space and a comma.
fn element_start(bytes: &[u8], first: bool) -> usize {
    let at = scan::skip_whitespace(bytes, 0);
    if !first && bytes.get(at) == Some(&b',') { scan::skip_whitespace(bytes, at + 1) } else { at }
}

/// One text being cut.
struct Pass<'c, 't> {
    cutter: &'c mut Cutter,
    text: Block<'t>,
    all: bool,
    at: usize,
    pieces: Vec<Piece>,
}

impl Pass<'_, '_> {
    /// Goes one piece on; `false` where the text gives no more.
    fn step(&mut self) -> bool {
        match self.cutter.state {
            State::Start => self.start(),
            State::Members { level, first } => self.member(level, first),
            State::Elements { first } => self.element(first),
            State::Searching { from, fault } => self.search(from, fault),
            State::Behind => self.behind(),
            State::Over(fault) => self.over(fault),
        }
    }

    /// What follows a fault behind which nothing can be read is as broken, and counts with it.
    fn over(&mut self, fault: Option<SyntaxError>) -> bool {
        let rest = Span::new(self.at, self.len());
        if let Some(error) = fault.filter(|_| !rest.is_empty()) {
            self.push(PieceKind::BrokenStill(error), rest);
        }
        self.at = self.len();
        false
    }

    fn len(&self) -> usize {
        self.text.bytes.len()
    }

    fn push(&mut self, kind: PieceKind, span: Span) {
        self.pieces.push(Piece { kind, span });
    }

    fn start(&mut self) -> bool {
        let open = scan::skip_whitespace(self.text.bytes, self.text.text_start());
        self.go(State::Members { level: Level::Archive, first: true }, open + 1)
    }

    /// The next state, from `at` on.
    fn go(&mut self, state: State, at: usize) -> bool {
        self.cutter.state = state;
        self.at = at;
        true
    }

    /// The text ends before what stands at `at` does.
    fn cut_off(&mut self, at: usize) -> bool {
        if self.all {
            self.break_off(Break::Truncated(at));
        }
        false
    }

    /// The rest of the file cannot be read.
    fn break_off(&mut self, at: Break) {
        let (start, kind) = match at {
            Break::Truncated(start) => (start, SyntaxErrorKind::UnexpectedEnd),
            Break::Malformed(start) => (start, SyntaxErrorKind::Expected(scan::LIST_GOES_ON)),
        };
        self.broken(start, kind);
    }

    /// Nothing can be read from `start` on.
    fn broken(&mut self, start: usize, kind: SyntaxErrorKind) {
        let error = SyntaxError { offset: 0, kind };
        self.push(PieceKind::Broken(error), Span::new(start.min(self.len()), self.len()));
        self.go(State::Over(Some(error)), self.len());
    }

    /// Where the next part of a list begins: `Ok(None)` at its end.
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

    fn member(&mut self, level: Level, first: bool) -> bool {
        let bytes = self.text.bytes;
        let key = match self.part(b'}', first) {
            Ok(Some(at)) => at,
            Ok(None) => return self.end_of_object(level),
            Err(Break::Truncated(at)) => return self.cut_off(at),
            Err(malformed) => {
                self.break_off(malformed);
                return true;
            }
        };
        let (name, value) = match scan::member_head(bytes, key) {
            Ok((name, value)) if value < bytes.len() => (name, value),
            Ok(_) | Err(Break::Truncated(_)) => return self.cut_off(key),
            Err(malformed) => {
                self.break_off(malformed);
                return true;
            }
        };
        match (level, &*string::decode_bytes(bytes, name), bytes.get(value)) {
            (Level::Archive, "log", Some(b'{')) => {
                return self.go(State::Members { level: Level::Log, first: true }, value + 1);
            }
            (Level::Log, "entries", Some(b'[')) => {
                self.cutter.lists += 1;
                return self.go(State::Elements { first: true }, value + 1);
            }
            _ => {}
        }
        match scan::value(bytes, value) {
            Ok(span) => {
                self.push(PieceKind::Other, span);
                self.go(State::Members { level, first: false }, span.end)
            }
            Err(Break::Truncated(_)) if !self.all => false,
            // What is there of it is looked into, and then told to be cut off.
            Err(Break::Truncated(_)) => {
                self.push(PieceKind::Other, Span::new(value, self.len()));
                self.go(State::Over(None), self.len())
            }
            Err(malformed) => {
                self.break_off(malformed);
                true
            }
        }
    }

    fn end_of_object(&mut self, level: Level) -> bool {
        let behind = scan::skip_whitespace(self.text.bytes, self.at) + 1;
        match level {
            Level::Log => self.go(State::Members { level: Level::Archive, first: false }, behind),
            Level::Archive => self.go(State::Behind, behind),
        }
    }

    /// A whole archive without an entry would pass in silence.
    fn no_entries(&mut self, end: usize) {
        let (reason, detail) = match (self.cutter.entries, self.cutter.lists) {
            (0, 0) => (Reason::InvalidJson, "a HAR without a list `log.entries`"),
            (0, _) => (Reason::Empty, "a HAR without an entry"),
            _ => return,
        };
        let kind = PieceKind::NoEntries(reason, detail, self.text.start + end);
        self.push(kind, Span::new(end, end));
    }

    fn element(&mut self, first: bool) -> bool {
        let start = match self.part(b']', first) {
            Ok(Some(at)) => at,
            Ok(None) => {
                let behind = scan::skip_whitespace(self.text.bytes, self.at) + 1;
                return self.go(State::Members { level: Level::Log, first: false }, behind);
            }
            Err(Break::Truncated(at)) => return self.cut_off(at),
            Err(Break::Malformed(at)) => return self.malformed(at),
        };
        match scan::value(self.text.bytes, start) {
            Ok(entry) => {
                self.cutter.entries += 1;
                self.push(PieceKind::Entry, entry);
                self.go(State::Elements { first: false }, entry.end)
            }
            Err(Break::Truncated(_)) if !self.all => false,
            Err(Break::Truncated(at)) => self.unfinished(at),
            Err(Break::Malformed(at)) => self.malformed(at),
        }
    }

    fn malformed(&mut self, at: usize) -> bool {
        let kind = SyntaxErrorKind::Expected(scan::LIST_GOES_ON);
        self.go(State::Searching { from: 0, fault: Some(SyntaxError { offset: 0, kind }) }, at)
    }

    /// An entry that the file cuts off, or that has lost a bracket on the way: the strict walker tells which.
    fn unfinished(&mut self, at: usize) -> bool {
        let start = at.min(self.len());
        let rest = self.text.bytes.get(start..).unwrap_or_default();
        match Tree::parse_bytes(rest, self.cutter.max_depth) {
            Err(error) if !error.leaves_prefix_whole() => {
                let from = search_start(rest, error);
                self.go(State::Searching { from, fault: Some(error) }, start)
            }
            _ => self.cut_off(at),
        }
    }

    /// `from` counts from where the piece begins that is being searched.
    fn search(&mut self, from: usize, fault: Option<SyntaxError>) -> bool {
        let start = (self.at + from).min(self.len());
        let rest = Span::new(start, self.len());
        if let Some(entry) = next_entry(self.text.bytes, rest, self.all, self.cutter.max_depth) {
            self.gap(fault, Span::new(self.at, entry.start));
            self.cutter.entries += 1;
            self.push(PieceKind::Entry, entry);
            return self.go(State::Elements { first: false }, entry.end);
        }
        if !self.all {
            return false;
        }
        self.gap(fault, Span::new(self.at, self.len()));
        self.go(State::Over(None), self.len())
    }

    fn gap(&mut self, fault: Option<SyntaxError>, gap: Span) {
        if let Some(error) = gap_error(fault, gap.slice(self.text.bytes)) {
            self.cutter.entries += 1;
            self.push(PieceKind::BrokenEntry(error), gap);
        }
    }

    /// The archive is one value, with nothing behind it.
    fn behind(&mut self) -> bool {
        let rest = scan::skip_whitespace(self.text.bytes, self.at);
        if rest == self.len() && !self.all {
            self.at = rest;
            return false;
        }
        self.no_entries(rest);
        if rest == self.len() {
            return self.go(State::Over(None), rest);
        }
        self.broken(rest, SyntaxErrorKind::Expected("the end of the file"));
        true
    }
}

/// What is wrong with the text between two entries that were found behind a fault: the fault, the first time; then
/// whatever is more than belongs there.
pub(super) fn gap_error(fault: Option<SyntaxError>, gap: &[u8]) -> Option<SyntaxError> {
    let belongs = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b',' | b']' | b'}');
    let other = || SyntaxError { offset: 0, kind: SyntaxErrorKind::Expected("a whole entry") };
    fault.or_else(|| (!gap.iter().all(belongs)).then(other))
}

/// Where in a broken piece to begin the search for entries behind the fault: at the string before it, which may have
/// lost its end and swallowed the beginning of an entry.
pub(super) fn search_start(piece: &[u8], error: SyntaxError) -> usize {
    let quote = |end: usize| piece.get(..end).and_then(|text| memchr::memrchr(b'"', text));
    quote(error.offset).and_then(quote).unwrap_or(error.offset).min(piece.len())
}

/// The next object in `range` that is a whole entry.
pub(super) fn next_entry(bytes: &[u8], range: Span, all: bool, max_depth: usize) -> Option<Span> {
    let is_entry = |tree: NodeRef<'_>, start| {
        entry::exchange(&Members::of(tree), fields::Place { file: bytes, start }).is_some()
    };
    next_item(bytes, range, all, max_depth, &is_entry)
}

/// The next object in `range` that is an item of the list: it begins where one could, behind a comma or another object.
/// Unless that is `all` there is, one that does not end in the range is waited for.
pub(super) fn next_item(
    bytes: &[u8],
    range: Span,
    all: bool,
    max_depth: usize,
    is_item: &dyn Fn(NodeRef<'_>, usize) -> bool,
) -> Option<Span> {
    let bytes = bytes.get(..range.end)?;
    let mut budget = SEARCH_BUDGET;
    for open in memchr::memchr_iter(b'{', bytes.get(range.start..)?).map(|at| range.start + at) {
        let before = bytes.get(..open).unwrap_or_default().trim_ascii_end().last();
        let behind = bytes.get(scan::skip_whitespace(bytes, open + 1));
        // A key in escaped quotes is in a string.
        if !matches!(before, Some(b',' | b'}')) || behind != Some(&b'"') {
            continue;
        }
        let Ok(span) = scan::value(bytes, open) else {
            if !all && range.len() < WORTH_WAITING {
                return None;
            }
            budget = budget.checked_sub(range.end - open)?;
            continue;
        };
        let tree = Tree::parse_bytes(span.slice(bytes), max_depth);
        if tree.is_ok_and(|tree| is_item(tree.root(), open)) {
            return Some(span);
        }
        budget = budget.checked_sub(span.len())?;
    }
    None
}
