//! Cuts an HTTP Archive into its entries while it is being read: an archive is one document, and may be larger than memory.
//!
//! `log` and `entries` may be anywhere in it. Only quotes and brackets are followed here; the reader parses the pieces.

use super::shapes::Logs;
use sundown_exchange::Reason;
use sundown_text_json::json::scan::{self, Break};
use sundown_text_json::json::{Document, SyntaxError, SyntaxErrorKind, find_error, string};
use sundown_text_json::text::{Block, Span};

/// A piece of an archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ArchivePiece {
    /// The kind of piece.
    pub(super) kind: PieceKind,
    /// Its position in the text that was cut.
    pub(super) span: Span,
}

/// The kind of a piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PieceKind {
    /// An entry, by its brackets.
    Entry,
    /// A value beside the entries.
    Other,
    /// Something in the place of an entry. The offset of the error counts from the beginning of the piece.
    BrokenEntry(SyntaxError),
    /// Something that should not be there, or not end there.
    Broken(SyntaxError),
    /// The continuation of broken text that has been reported.
    BrokenStill(SyntaxError),
    /// The archive ended after so many bytes without an entry.
    NoEntries(Reason, &'static str, usize),
}

/// The pieces that were cut out of a text.
#[derive(Debug)]
pub(super) struct Cut {
    /// The pieces, in order.
    pub(super) pieces: Vec<ArchivePiece>,
    /// The offset up to which the text is done. The next block must begin with the rest.
    pub(super) consumed: usize,
}

/// The state of cutting an archive.
#[derive(Debug)]
pub(super) struct Cutter {
    state: CutterState,
    max_depth: usize,
    /// The number of lists of entries.
    lists: usize,
    /// The number of entries, broken ones included.
    entries: usize,
    /// The last byte before the text, white space aside: it decides whether an entry may begin with the text.
    before: Option<u8>,
}

#[derive(Debug, Clone, Copy)]
enum CutterState {
    /// Before the document.
    Start,
    /// Inside an object, after its opening bracket or a member.
    Members { level: Level, first: bool },
    /// Inside a list of entries, after its opening bracket or an element.
    Elements { first: bool },
    /// After a fault, searching for the next entry from an offset on; with the fault until it is reported.
    Searching {
        from: usize,
        fault: Option<SyntaxError>,
    },
    /// After the document.
    After,
    /// Nothing more can be read, for this reason if more may follow.
    Over(Option<SyntaxError>),
}

/// The level of an object in the archive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Archive,
    Log,
}

/// The number of bytes that are searched for the next entry after a broken one.
const SEARCH_BUDGET: usize = 256 * 1024 * 1024;

/// The number of pieces that are cut at once: an archive may consist of the smallest only.
const MAX_PIECES: usize = 16 * 1024;

/// In a text longer than this, an object that does not end counts as one that lost a bracket.
const WORTH_WAITING: usize = 16 * 1024 * 1024;

impl Cutter {
    /// Begins an archive whose entries may nest `max_depth` levels deep.
    pub(super) fn new(max_depth: usize) -> Self {
        Self {
            state: CutterState::Start,
            max_depth,
            lists: 0,
            entries: 0,
            before: None,
        }
    }

    /// Cuts complete pieces off `text`, which begins where the last one was consumed. `all` says that nothing follows it.
    pub(super) fn cut(&mut self, text: Block<'_>, all: bool) -> Cut {
        let mut pass = Pass {
            cutter: self,
            text,
            all,
            at: 0,
            pieces: Vec::new(),
        };
        // The rest begins the next block, unless this is the end.
        while (all || pass.pieces.len() < MAX_PIECES) && pass.step() {}
        let cut = Cut {
            consumed: pass.at,
            pieces: pass.pieces,
        };
        self.consumed(text.bytes.get(..cut.consumed).unwrap_or_default());
        cut
    }

    /// Records how the text ends that the next block does not repeat.
    fn consumed(&mut self, text: &[u8]) {
        self.before = text.trim_ascii_end().last().copied().or(self.before);
    }

    /// Looks into an entry that has become very large and is still not complete: a broken one ends at its fault.
    pub(super) fn look_into(&mut self, text: Block<'_>) {
        let CutterState::Elements { first } = self.state else {
            return;
        };
        let start = element_start(text.bytes, first);
        let piece = text.bytes.get(start..).unwrap_or_default();
        if let Some(error) = find_error(piece, self.max_depth)
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

    /// Gives up a text after a fault: no entry begins there.
    pub(super) fn give_up_search(&mut self, text: Block<'_>) -> Option<Vec<ArchivePiece>> {
        let CutterState::Searching { fault, .. } = self.state else {
            return None;
        };
        self.state = CutterState::Searching {
            from: 0,
            fault: None,
        };
        let span = Span::new(0, text.bytes.len());
        let pieces: Vec<_> = gap_error(fault, text.bytes)
            .map(|error| ArchivePiece {
                kind: PieceKind::BrokenEntry(error),
                span,
            })
            .into_iter()
            .collect();
        self.entries += pieces.len();
        self.consumed(text.bytes);
        Some(pieces)
    }

    /// Returns whether the next value is an entry.
    pub(super) fn is_in_entry(&self) -> bool {
        matches!(
            self.state,
            CutterState::Elements { .. } | CutterState::Searching { .. }
        )
    }

    /// Returns the offset of the value that fills `text` and does not end.
    pub(super) fn value_start(&self, text: Block<'_>) -> usize {
        let CutterState::Members { first, .. } = self.state else {
            return element_start(text.bytes, false);
        };
        let key = element_start(text.bytes, first);
        scan::member_head(text.bytes, key).map_or(text.bytes.len(), |(_, value)| value)
    }

    /// Records that the value at the beginning of the text was skipped.
    pub(super) fn passed_over(&mut self) {
        self.before = Some(b'}');
        self.state = match self.state {
            CutterState::Members { level, .. } => CutterState::Members {
                level,
                first: false,
            },
            CutterState::Elements { .. } | CutterState::Searching { .. } => {
                self.entries += 1;
                CutterState::Elements { first: false }
            }
            state => state,
        };
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
struct Pass<'c, 't> {
    cutter: &'c mut Cutter,
    text: Block<'t>,
    all: bool,
    at: usize,
    pieces: Vec<ArchivePiece>,
}

impl Pass<'_, '_> {
    /// Advances by one piece; `false` if the text has no other.
    fn step(&mut self) -> bool {
        match self.cutter.state {
            CutterState::Start => self.start(),
            CutterState::Members { level, first } => self.member(level, first),
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
            self.push(PieceKind::BrokenStill(error), rest);
        }
        self.at = self.len();
        false
    }

    fn len(&self) -> usize {
        self.text.bytes.len()
    }

    fn push(&mut self, kind: PieceKind, span: Span) {
        self.pieces.push(ArchivePiece { kind, span });
    }

    fn start(&mut self) -> bool {
        let open = scan::skip_whitespace(self.text.bytes, self.text.text_start());
        self.go(
            CutterState::Members {
                level: Level::Archive,
                first: true,
            },
            open + 1,
        )
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
        self.push(
            PieceKind::Broken(error),
            Span::new(start.min(self.len()), self.len()),
        );
        self.go(CutterState::Over(Some(error)), self.len());
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
                return self.go(
                    CutterState::Members {
                        level: Level::Log,
                        first: true,
                    },
                    value + 1,
                );
            }
            (Level::Log, "entries", Some(b'[')) => {
                self.cutter.lists += 1;
                return self.go(CutterState::Elements { first: true }, value + 1);
            }
            _ => {}
        }
        match scan::value(bytes, value) {
            Ok(span) => {
                self.push(PieceKind::Other, span);
                self.go(
                    CutterState::Members {
                        level,
                        first: false,
                    },
                    span.end,
                )
            }
            Err(Break::Truncated(_)) if !self.all => false,
            // Its present part is read, and then reported as cut off.
            Err(Break::Truncated(_)) => {
                self.push(PieceKind::Other, Span::new(value, self.len()));
                self.go(CutterState::Over(None), self.len())
            }
            Err(malformed) => {
                self.break_off(malformed);
                true
            }
        }
    }

    fn end_of_object(&mut self, level: Level) -> bool {
        let after = scan::skip_whitespace(self.text.bytes, self.at) + 1;
        match level {
            Level::Log => self.go(
                CutterState::Members {
                    level: Level::Archive,
                    first: false,
                },
                after,
            ),
            Level::Archive => self.go(CutterState::After, after),
        }
    }

    /// A complete archive without an entry must not pass unnoticed.
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
                let after = scan::skip_whitespace(self.text.bytes, self.at) + 1;
                return self.go(
                    CutterState::Members {
                        level: Level::Log,
                        first: false,
                    },
                    after,
                );
            }
            Err(Break::Truncated(at)) => return self.cut_off(at),
            Err(Break::Malformed(at)) => return self.malformed(at),
        };
        match scan::value(self.text.bytes, start) {
            Ok(entry) => {
                self.cutter.entries += 1;
                self.push(PieceKind::Entry, entry);
                self.go(CutterState::Elements { first: false }, entry.end)
            }
            Err(Break::Truncated(_)) if !self.all => false,
            Err(Break::Truncated(at)) => self.unfinished(at),
            Err(Break::Malformed(at)) => self.malformed(at),
        }
    }

    fn malformed(&mut self, at: usize) -> bool {
        let kind = SyntaxErrorKind::Expected(scan::LIST_GOES_ON);
        self.go(
            CutterState::Searching {
                from: 0,
                fault: Some(SyntaxError { offset: 0, kind }),
            },
            at,
        )
    }

    /// An entry that the file cuts off, or that lost a bracket: the strict walker says which.
    fn unfinished(&mut self, at: usize) -> bool {
        let start = at.min(self.len());
        let rest = self.text.bytes.get(start..).unwrap_or_default();
        match find_error(rest, self.cutter.max_depth) {
            Some(error) if !error.leaves_prefix_whole() => {
                let from = search_start(rest, error);
                self.go(
                    CutterState::Searching {
                        from,
                        fault: Some(error),
                    },
                    start,
                )
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
        let max_depth = self.cutter.max_depth;
        let next = next_item(bytes, rest, self.all, &|item| {
            (scan::skip_whitespace(bytes, 0) != item.start || may_precede_item(before))
                && is_entry(bytes, item, max_depth)
        });
        if let Some(entry) = next {
            self.gap(fault, Span::new(self.at, entry.start));
            self.cutter.entries += 1;
            self.push(PieceKind::Entry, entry);
            return self.go(CutterState::Elements { first: false }, entry.end);
        }
        if !self.all {
            return false;
        }
        self.gap(fault, Span::new(self.at, self.len()));
        self.go(CutterState::Over(None), self.len())
    }

    fn gap(&mut self, fault: Option<SyntaxError>, gap: Span) {
        if let Some(error) = gap_error(fault, gap.slice(self.text.bytes)) {
            self.cutter.entries += 1;
            self.push(PieceKind::BrokenEntry(error), gap);
        }
    }

    /// The archive is one value and nothing follows it.
    fn after(&mut self) -> bool {
        let rest = scan::skip_whitespace(self.text.bytes, self.at);
        if rest == self.len() && !self.all {
            self.at = rest;
            return false;
        }
        self.no_entries(rest);
        if rest == self.len() {
            return self.go(CutterState::Over(None), rest);
        }
        self.broken(rest, SyntaxErrorKind::Expected("the end of the file"));
        true
    }
}

/// Returns the error for text between two entries that were found after a fault: the fault, the first time; then anything that
/// does not belong there.
pub(super) fn gap_error(fault: Option<SyntaxError>, gap: &[u8]) -> Option<SyntaxError> {
    fault.or_else(|| {
        gap.iter()
            .any(|byte| !byte.is_ascii_whitespace() && !b",]}".contains(byte))
            .then_some(SyntaxError {
                offset: 0,
                kind: SyntaxErrorKind::Expected("a whole entry"),
            })
    })
}

/// Returns where to search a broken piece for entries after the fault: at the string before it, which may have lost its end and
/// contain the beginning of an entry.
pub(super) fn search_start(piece: &[u8], error: SyntaxError) -> usize {
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

/// Finds the next object in `range` that is a complete entry.
pub(super) fn next_entry(bytes: &[u8], range: Span, all: bool, max_depth: usize) -> Option<Span> {
    next_item(bytes, range, all, &|item| is_entry(bytes, item, max_depth))
}

/// Returns whether the object at `item` can be read as an entry.
fn is_entry(bytes: &[u8], item: Span, max_depth: usize) -> bool {
    let logs = Logs::default();
    Document::parse_json(item.slice(bytes), max_depth).is_ok_and(|entry| {
        let found = logs.compiled().find(entry.root());
        entry.root().get("request").is_some() && found.locate(entry.root(), &logs).is_some()
    })
}

/// Returns whether an item of a list may follow this byte.
fn may_precede_item(before: Option<u8>) -> bool {
    matches!(before, Some(b',' | b'}'))
}

/// Finds the next object in `range` that is an item of the list: it begins after a comma or another object, or with the text.
/// One that does not end in the range is left for more text, unless that is `all`.
pub(super) fn next_item(
    bytes: &[u8],
    range: Span,
    all: bool,
    is_item: &dyn Fn(Span) -> bool,
) -> Option<Span> {
    let bytes = bytes.get(..range.end)?;
    let mut budget = SEARCH_BUDGET;
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
            budget = budget.checked_sub(range.end - open)?;
            continue;
        };
        if is_item(span) {
            return Some(span);
        }
        budget = budget.checked_sub(span.len())?;
    }
    None
}
