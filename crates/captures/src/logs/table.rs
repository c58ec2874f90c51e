//! Tables whose columns a header line names: CSV and TSV (RFC 4180), and the W3C extended log file format.
//!
//! A row is read as the JSON record that has its cells as members, so all shapes of records are those of rows, too.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use crate::access_log;
use crate::chunks::{Chunker, Cut, ReadOptions, Records};
use crate::file_head::FileHead;
use crate::messages::{DecodedText, DecodedTexts};
use crate::names::NAMES;
use crate::records;
use crate::shapes::{Logs, USER_AGENT_MEMBERS, is_common_line};
use sundown_exchange::{Exchange, Method, Reason, Record, RecordSink, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::{MAX_DOCUMENT_DEPTH, is_value};
use sundown_text_json::text::{Block, OffsetMap, Span, percent_decode};

/// Begins a table.
pub(crate) fn begin(_: Limits) -> Box<dyn Chunker> {
    Box::new(Columns::default())
}

/// The number of lines in which a call is searched.
const FIRST_LINES: usize = 64;

pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    is_table(head.bytes, head.start, &Logs::default())
}

/// Whether the text from `start` on is a table with a column for the URL of a log, or with a call among its first rows.
pub(crate) fn is_table(text: &[u8], start: usize, logs: &Logs<'_>) -> bool {
    if text.get(start).is_none_or(|byte| b"{[<".contains(byte)) {
        return false;
    }
    let mut rows = Rows::new(Block::whole(text), Columns::default());
    rows.at = start;
    let options = ReadOptions {
        limits: Limits {
            depth: MAX_DOCUMENT_DEPTH,
            ..Limits::default()
        },
        ..ReadOptions::new(logs)
    };
    for _ in 0..FIRST_LINES {
        let Some(row) = rows.step() else { return false };
        let names = &rows.columns.names;
        if rows.columns.separator.is_none() {
            if names.iter().any(|name| name.starts_with("cs-uri")) {
                return true;
            }
        } else if names.len() < 2 || row.is_header && !names_columns(row.span.slice(text), names) {
            return false;
        }
        if is_common_line(row.span.slice(text))
            && !has_call_columns(names)
            && !has_line_in_cell(&row, text)
        {
            return false;
        }
        let mut has_call = false;
        rows.emit(&row, 0, &options, &mut |record: Record<'_>| {
            if let Record::Exchange(Exchange { call, .. }) = record {
                has_call |= call.method.as_ref().is_some_and(Method::is_common);
            }
        });
        if has_call {
            return true;
        }
    }
    false
}

/// Whether a line with these cells may be a header. The first line of a log has a call; or it begins with a time, a level or a key, or
/// half of its cells look like values.
fn names_columns(line: &[u8], cells: &[String]) -> bool {
    if access_log::has_call(line) {
        return false;
    }
    let values = cells.iter().filter(|cell| is_like_value(cell)).count();
    let begins_log = cells
        .first()
        .is_some_and(|cell| is_like_value(cell) && cell.contains([' ', ':']));
    has_call_columns(cells) || !begins_log && values * 2 < cells.len()
}

fn is_like_value(cell: &str) -> bool {
    cell.starts_with(|c: char| c.is_ascii_digit() || "[{<".contains(c))
        || cell.contains('=')
        || cell.contains(": ")
}

/// Whether the names are also those of a column for the method and of one for the URL.
fn has_call_columns(names: &[String]) -> bool {
    [&NAMES.methods, &NAMES.urls].iter().all(|words| {
        names.iter().any(|name| {
            let name = name.to_ascii_lowercase();
            words.iter().any(|word| name.ends_with(word.as_str()))
        })
    })
}

/// Whether a cell of a row is a line of a log by itself: the first one only in quotes, as a line that is cut at its commas begins a
/// row, too.
fn has_line_in_cell(row: &Row, text: &[u8]) -> bool {
    row.cells
        .iter()
        .any(|cell| cell.start > row.span.start && is_common_line(content(text, *cell).as_bytes()))
}

/// The columns of a table, as far as it has been read.
#[derive(Debug, Clone, Default)]
struct Columns {
    names: Arc<[String]>,
    /// The byte between cells, where the first row has the names. A cell in quotes may then have several lines. `None`: `#Fields:`
    /// has them, and tabs or spaces are between the cells of a line.
    separator: Option<u8>,
}

impl Chunker for Columns {
    fn cut(&mut self, text: Block<'_>, all: bool, _: &Logs<'_>) -> Option<Cut> {
        let before = self.clone();
        let end = if all {
            text.bytes.len()
        } else {
            self.pass(text)
        };
        Cut::of(end, before)
    }
}

impl Columns {
    /// Passes over the complete rows of a block, and returns their end.
    fn pass(&mut self, block: Block<'_>) -> usize {
        let mut rows = Rows::new(block, self.clone());
        loop {
            let (at, columns) = (rows.at, rows.columns.clone());
            let is_complete = |row: Row| !row.is_open && row.span.end < block.bytes.len();
            if !rows.step().is_some_and(is_complete) {
                *self = columns;
                return at;
            }
        }
    }
}

impl Records for Columns {
    /// Reads the rows of a block, before which the columns are these.
    fn read(
        &self,
        block: Block<'_>,
        options: &ReadOptions<'_>,
        sink: &mut dyn RecordSink,
    ) -> usize {
        let mut rows = Rows::new(block, self.clone());
        let mut index = 0;
        while let Some(row) = rows.step() {
            if row.cells.is_empty() {
                continue;
            }
            rows.emit(&row, index, options, sink);
            index += 1;
        }
        index
    }
}

/// The number of columns, at most.
const MAX_COLUMNS: usize = 4096;

/// The length of a header line in bytes, at most: each row becomes a record with the names.
const MAX_HEADER: usize = 64 * 1024;

/// How many columns the header in a line may name.
fn columns_of(line: &[u8]) -> usize {
    if line.len() > MAX_HEADER {
        1
    } else {
        MAX_COLUMNS
    }
}

/// The names of columns, each of which is that of one member: the first column of a name has it.
fn distinct(names: impl Iterator<Item = String>) -> Arc<[String]> {
    let mut counts: HashMap<String, usize> = HashMap::new();
    let names = names.map(|name| {
        let count = counts.entry(name.clone()).or_default();
        *count += 1;
        match *count {
            1 => name,
            count => format!("{name} ({count})"),
        }
    });
    names.collect()
}

/// The rows of a text.
struct Rows<'t> {
    bytes: &'t [u8],
    at: usize,
    columns: Columns,
}

/// A row; a blank line, a header and a comment have no cells.
struct Row {
    span: Span,
    /// Without their quotes.
    cells: Vec<Span>,
    /// Whether a quote in it has no end.
    is_open: bool,
    /// Whether it names the columns.
    is_header: bool,
}

impl<'t> Rows<'t> {
    fn new(block: Block<'t>, columns: Columns) -> Self {
        Self {
            bytes: block.bytes,
            at: block.text_start(),
            columns,
        }
    }

    /// Takes the next line, or the next row, which may have several.
    fn step(&mut self) -> Option<Row> {
        let start = self.at;
        let rest = self.bytes.get(start..).filter(|rest| !rest.is_empty())?;
        let mut end = start + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = self.bytes.get(start..end).unwrap_or_default();
        let line = line.trim_ascii_end();
        let whole = self.bytes.get(..start + line.len()).unwrap_or_default();
        let columns = &mut self.columns;
        let mut cells = Vec::new();
        let mut is_open = false;
        let mut is_header = false;
        if let Some(names) = line.strip_prefix(b"#Fields:") {
            let names = String::from_utf8_lossy(names);
            let names = names.split_whitespace().map(str::to_owned);
            columns.names = distinct(names.take(columns_of(line)));
            columns.separator = None;
        } else if !line.is_empty() && (columns.separator.is_some() || !line.starts_with(b"#")) {
            is_header = columns.names.is_empty();
            if is_header {
                let count = |byte: &u8| memchr::memchr_iter(*byte, line).count();
                columns.separator = [b';', b'\t', b','].into_iter().max_by_key(count);
            }
            let (text, separator) = match columns.separator {
                Some(separator) => (self.bytes, separator),
                None if line.contains(&b'\t') => (whole, b'\t'),
                None => (whole, b' '),
            };
            let found = split(text, start, separator, true);
            is_open = found.is_none() && columns.separator.is_some();
            let (found, row_end) = found.or_else(|| split(text, start, separator, false))?;
            end = end.max(row_end);
            if is_header {
                let names = found.iter().map(|cell| content(self.bytes, *cell));
                let names = names.map(|name| name.trim_ascii().to_owned());
                columns.names = distinct(names.take(columns_of(line)));
            } else {
                cells = found;
            }
        }
        self.at = (end + 1).min(self.bytes.len());
        Some(Row {
            span: Span::new(start, end),
            cells,
            is_open,
            is_header,
        })
    }

    /// Hands on the exchanges of a row of this number.
    fn emit(
        &mut self,
        row: &Row,
        index: usize,
        options: &ReadOptions<'_>,
        sink: &mut dyn RecordSink,
    ) {
        let names = &self.columns.names;
        let count = row.cells.len();
        let is_last = row.span.end == self.bytes.len();
        let is_cut = is_last && (row.is_open || count < names.len());
        if is_cut || count != names.len() {
            let reason = if is_cut {
                Reason::Truncated
            } else {
                Reason::LogFormatMismatch
            };
            return sink.skip(Skip::at(reason, row.span));
        }
        let cells = names.iter().zip(&row.cells).map(|(name, &span)| NamedCell {
            name,
            text: content(self.bytes, span),
            span,
        });
        let cells: Vec<_> = cells.collect();
        let RowRecord { json, map, .. } = RowRecord::new(&cells, row.span, options.limits);
        let texts = DecodedTexts::default();
        let source = DecodedText {
            text: &json,
            whole: row.span,
            map: Arc::new(map).into(),
        };
        for mut part in records::parts_in_text(&source, options.logs, &texts) {
            if let Ok(exchange) = &mut part {
                // No caller is named by JSON.
                let values = cells.iter().filter(|cell| !cell.text.starts_with('{'));
                let values = values.map(|NamedCell { name, text, .. }| {
                    let is_agent = USER_AGENT_MEMBERS.contains(name);
                    let name = if is_agent { "user-agent" } else { name };
                    (name.into(), Cow::from(&**text))
                });
                let logged = exchange.logged.get().iter().cloned();
                exchange.logged = logged.chain(values).collect::<Vec<_>>().into();
            }
            records::emit_part(part, index, sink);
        }
    }
}

/// Splits the row at `start`, and returns its cells and its end; `None` if a cell in quotes does not end.
fn split(text: &[u8], start: usize, separator: u8, has_quotes: bool) -> Option<(Vec<Span>, usize)> {
    let mut cells = Vec::new();
    let mut at = start;
    loop {
        let mut found = None;
        if has_quotes && text.get(at) == Some(&b'"') {
            found = Some(quoted_cell(text, at + 1)?).filter(|(_, end)| {
                let next = text.get(*end);
                next.is_none_or(|byte| [separator, b'\n'].contains(byte))
            });
        }
        // A quote before other text belongs to the cell.
        let (cell, end) = found.unwrap_or_else(|| bare_cell(text, at, separator));
        // More are as many as none: they do not fit.
        if cells.len() <= MAX_COLUMNS {
            cells.push(cell);
        }
        if text.get(end) != Some(&separator) {
            return Some((cells, end));
        }
        at = end + 1;
    }
}

/// The cell whose content begins after a quote, and the offset after its last quote and the carriage return of its line.
fn quoted_cell(text: &[u8], start: usize) -> Option<(Span, usize)> {
    let mut close = start;
    loop {
        close += memchr::memchr(b'"', text.get(close..)?)?;
        if text.get(close + 1) != Some(&b'"') {
            break;
        }
        close += 2;
    }
    let has_return = text.get(close + 1) == Some(&b'\r');
    let end = close + 1 + usize::from(has_return);
    Some((Span::new(start, close), end))
}

fn bare_cell(text: &[u8], start: usize, separator: u8) -> (Span, usize) {
    let rest = text.get(start..).unwrap_or_default();
    let length = memchr::memchr2(separator, b'\n', rest).unwrap_or(rest.len());
    let content = rest.get(..length).unwrap_or_default();
    let content = content.strip_suffix(b"\r").unwrap_or(content);
    (Span::new(start, start + content.len()), start + length)
}

/// The text of a cell. A doubled quote in quotes is one, and bytes that are not UTF-8 are replaced.
fn content(bytes: &[u8], cell: Span) -> Cow<'_, str> {
    let text = String::from_utf8_lossy(cell.slice(bytes));
    let is_quoted = bytes.get(cell.start.wrapping_sub(1)) == Some(&b'"');
    match text {
        Cow::Borrowed(text) if is_quoted && memchr::memchr(b'"', text.as_bytes()).is_some() => {
            text.replace("\"\"", "\"").into()
        }
        text => text,
    }
}

/// A cell with the name of its column.
struct NamedCell<'t> {
    name: &'t str,
    text: Cow<'t, str>,
    /// Without its quotes.
    span: Span,
}

/// The JSON record that has the cells of a row as members, and where each part of it is in the file.
#[derive(Default)]
struct RowRecord {
    json: String,
    map: OffsetMap,
    /// Where its last cell ends.
    end: usize,
}

impl RowRecord {
    fn new(cells: &[NamedCell<'_>], row: Span, limits: Limits) -> Self {
        let mut record = Self {
            json: String::with_capacity(row.len() * 2),
            end: row.start,
            ..Self::default()
        };
        let mut date = None;
        record.push("{");
        for NamedCell { name, text, span } in cells {
            // Neither is in the JSON of databases and loggers.
            let is_absent = matches!(&**text, "" | "-") || text.eq_ignore_ascii_case("null");
            if is_absent || header_name(name).is_some() {
                continue;
            }
            // The W3C format has the two parts of a time in UTC apart.
            let time = date.filter(|_| *name == "time");
            let time = time.map(|date| format!("{date}T{text}Z"));
            record.member(name, time.as_deref().unwrap_or(text), *span, limits);
            if *name == "date" {
                date = Some(text);
            }
        }
        for (side, headers) in [("cs", "request_headers"), ("sc", "response_headers")] {
            let fields = cells.iter().filter_map(|cell| {
                let (of, name) = header_name(cell.name)?;
                (of == side && cell.text != "-").then_some((name, cell))
            });
            let mut fields = fields.peekable();
            let Some((_, first)) = fields.peek() else {
                continue;
            };
            // What is between them and the cells before is none of them.
            record.end = first.span.start;
            record.key(headers, Span::new(record.end, record.end));
            record.push("{");
            for (name, NamedCell { text, span, .. }) in fields {
                let decoded = text.replace('+', " ");
                record.member(name, &percent_decode(&decoded), *span, limits);
            }
            record.push("}");
        }
        record.end = cells.last().map_or(row.end, |cell| cell.span.end);
        record.push("}");
        record
    }

    /// Writes what is in no cell.
    fn push(&mut self, text: &str) {
        self.copy(text, Span::new(self.end, self.end));
    }

    fn copy(&mut self, text: &str, outer: Span) {
        self.json.push_str(text);
        self.map.push(text.len(), outer);
    }

    fn key(&mut self, name: &str, outer: Span) {
        if !self.json.ends_with('{') {
            self.push(",");
        }
        let key = serde_json::to_string(name).unwrap_or_default();
        self.copy(&(key + ":"), outer);
    }

    /// Writes a member: JSON, such as a body or header fields, as it is if it nests no deeper than allowed, and anything else as a
    /// string.
    fn member(&mut self, name: &str, text: &str, cell: Span, limits: Limits) {
        self.key(name, cell);
        let bytes = text.as_bytes();
        let is_scalar = |byte: &u8| byte.is_ascii_digit() || b"-\"".contains(byte);
        let is_string = bytes.first().is_some_and(is_scalar) || !is_value(bytes, limits.depth);
        let quote = if is_string { "\"" } else { "" };
        self.copy(quote, Span::new(cell.start, cell.start));
        self.value(text, cell, is_string);
        self.end = cell.end;
        self.push(quote);
    }

    fn value(&mut self, text: &str, cell: Span, is_string: bool) {
        let quotes = memchr::memchr_iter(b'"', text.as_bytes()).count();
        let is_doubled = text.len() + quotes == cell.len();
        // A text that is longer or shorter than its cell has no part with a place of its own.
        let is_whole = text.len() != cell.len() && !is_doubled;
        let is_special = |c: char| c < ' ' || c == '"' || c == '\\';
        let mut at = cell.start;
        for piece in text.split_inclusive(is_special) {
            let plain = piece.strip_suffix(is_special).unwrap_or(piece);
            for part in [plain, piece.get(plain.len()..).unwrap_or_default()] {
                let quotes = usize::from(is_doubled && part == "\"");
                let place = Span::new(at, at + part.len() + quotes);
                at = place.end;
                let written = match part.as_bytes() {
                    [byte @ (b'"' | b'\\' | ..b' ')] if is_string => {
                        Cow::from(format!("\\u{byte:04x}"))
                    }
                    _ => part.into(),
                };
                self.copy(&written, if is_whole { cell } else { place });
            }
        }
    }
}

/// The side and the name of the header field that a column of the W3C format has: `cs(Referer)`.
fn header_name(column: &str) -> Option<(&str, &str)> {
    column.strip_suffix(')')?.split_once('(')
}
