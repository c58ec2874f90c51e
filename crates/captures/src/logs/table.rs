//! Tables whose columns a header line names: CSV and TSV (RFC 4180), and the W3C extended log file format.
//!
//! A row is read as the JSON record that has its cells as members, so all shapes of records are those of rows, too.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use crate::access_log;
use crate::chunks::{Chunker, Cut, ReadOptions, Records};
use crate::file_head::FileHead;
use crate::messages::DecodedText;
use crate::pieces::all_at;
use crate::records::{self, Parts};
use crate::shapes::{Logs, USER_AGENT_MEMBERS, is_common_line};
use sundown_exchange::{MappedText, Method, Reason, RecordSink, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::{MAX_DOCUMENT_DEPTH, is_value};
use sundown_text_json::text::{Block, OffsetMap, Span};

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
    let mut rows = Rows {
        bytes: text,
        at: start,
        columns: Columns::default(),
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
        if row.cells.len() != names.len() {
            continue;
        }
        let limits = Limits {
            depth: MAX_DOCUMENT_DEPTH,
            ..Limits::default()
        };
        let parts = rows.parts(&row, limits, logs);
        let mut methods = parts
            .iter()
            .flatten()
            .filter_map(|it| it.call.method.as_ref());
        if methods.any(Method::is_common) {
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
    let parts: [&[&str]; 2] = [&["method", "verb"], &["url", "uri", "path", "endpoint"]];
    parts.iter().all(|words| {
        names.iter().any(|name| {
            let name = name.to_ascii_lowercase();
            words.iter().any(|word| name.ends_with(word))
        })
    })
}

/// Whether a cell of a row is a line of a log by itself: the first one only in quotes, as a line that is cut at its commas begins a
/// row, too.
fn has_line_in_cell(row: &Row, text: &[u8]) -> bool {
    row.cells
        .iter()
        .any(|cell| cell.start > row.span.start && is_common_line(&value(text, *cell).bytes))
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
        let records = Box::new(before);
        (end > 0).then_some(Cut {
            bytes: end,
            records,
        })
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
            for part in rows.parts(&row, options.limits, options.logs) {
                records::emit_part(part, index, sink);
            }
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
                let names = found.iter().map(|cell| value(self.bytes, *cell).bytes);
                let names = names.map(|name| String::from_utf8_lossy(name.trim_ascii()).into());
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

    /// Reads the exchanges of a row.
    fn parts(&self, row: &Row, limits: Limits, logs: &Logs<'_>) -> Parts<'t> {
        let names = &self.columns.names;
        let count = row.cells.len();
        let is_last = row.span.end == self.bytes.len();
        if is_last && (row.is_open || count < names.len()) {
            return vec![Err(Skip::at(Reason::Truncated, row.span))];
        }
        if count != names.len() {
            return vec![Err(Skip::at(Reason::LogFormatMismatch, row.span))];
        }
        let values = row.cells.iter().map(|cell| value(self.bytes, *cell));
        let cells: Vec<_> = names.iter().map(String::as_str).zip(values).collect();
        let RowRecord { json, map } = RowRecord::new(&cells, limits);
        let source = DecodedText {
            text: &json,
            whole: row.span,
            map,
        };
        let mut parts = records::parts_of_decoded(&source, self.bytes, logs);
        for exchange in parts.iter_mut().flatten() {
            let mut logged = exchange.logged.get().clone();
            // No caller is named by JSON.
            let is_text = |(_, value): &&(&str, MappedText)| !value.bytes.starts_with(b"{");
            logged.extend(cells.iter().filter(is_text).map(|(name, value)| {
                let is_agent = USER_AGENT_MEMBERS.contains(name);
                let name = if is_agent { "user-agent" } else { name };
                let value = String::from_utf8_lossy(&value.bytes).into_owned();
                (name.to_owned().into(), value.into())
            }));
            exchange.logged = logged.into();
        }
        parts
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
fn value(bytes: &[u8], cell: Span) -> MappedText {
    let content = cell.slice(bytes);
    if std::str::from_utf8(content).is_err() {
        return all_at(String::from_utf8_lossy(content).as_bytes().into(), cell);
    }
    if bytes.get(cell.start.wrapping_sub(1)) != Some(&b'"') {
        return MappedText::verbatim(bytes, cell);
    }
    let mut value = MappedText {
        bytes: Vec::with_capacity(content.len()),
        ..MappedText::default()
    };
    let mut at = cell.start;
    let pairs = memchr::memmem::find_iter(content, b"\"\"").map(|pair| cell.start + pair);
    for pair in pairs.chain([cell.end]) {
        let run = Span::new(at, pair);
        value.push(run.slice(bytes), run);
        if pair < cell.end {
            value.push(b"\"", Span::new(pair, pair + 2));
        }
        at = pair + 2;
    }
    value
}

/// The JSON record that has the cells of a row as members, and where each part of it is in the file.
#[derive(Default)]
struct RowRecord {
    json: String,
    map: OffsetMap,
}

impl RowRecord {
    fn new(cells: &[(&str, MappedText)], limits: Limits) -> Self {
        let mut record = Self::default();
        let mut date: Option<&[u8]> = None;
        record.push("{", Span::default());
        for (name, value) in cells {
            let bytes = value.bytes.as_slice();
            // Neither is in the JSON of databases and loggers.
            let is_absent = matches!(bytes, b"" | b"-") || bytes.eq_ignore_ascii_case(b"null");
            if is_absent || header_name(name).is_some() {
                continue;
            }
            match (*name, date) {
                // The W3C format has the two parts of a time in UTC apart.
                ("time", Some(date)) => {
                    let time = [date, b"T", bytes, b"Z"].concat();
                    record.member(name, &all_at(time, value.outer()), limits);
                }
                _ => record.member(name, value, limits),
            }
            date = if *name == "date" { Some(bytes) } else { date };
        }
        for (side, headers) in [("cs", "request_headers"), ("sc", "response_headers")] {
            let fields = cells.iter().filter_map(|(name, value)| {
                let (of, name) = header_name(name)?;
                (of == side && value.bytes != b"-").then_some((name, value))
            });
            let fields: Vec<_> = fields.collect();
            if fields.is_empty() {
                continue;
            }
            record.push(&format!(",\"{headers}\":{{"), Span::default());
            for (name, value) in fields {
                let decoded = value.percent_decoded(true).bytes;
                record.member(name, &all_at(decoded, value.outer()), limits);
            }
            record.push("}", Span::default());
        }
        record.push("}", Span::default());
        record
    }

    fn push(&mut self, text: &str, outer: Span) {
        self.json.push_str(text);
        self.map.push(text.len(), outer);
    }

    /// Writes a member: JSON, such as a body or header fields, as it is if it nests no deeper than allowed, and anything else as a
    /// string.
    fn member(&mut self, name: &str, value: &MappedText, limits: Limits) {
        let cell = value.outer();
        if !self.json.ends_with('{') {
            self.push(",", cell);
        }
        let key = serde_json::to_string(name).unwrap_or_default();
        self.push(&(key + ":"), cell);
        let is_scalar = |byte: &u8| byte.is_ascii_digit() || b"-\"".contains(byte);
        if value.bytes.first().is_some_and(is_scalar) || !is_value(&value.bytes, limits.depth) {
            return self.string(value);
        }
        self.json
            .push_str(std::str::from_utf8(&value.bytes).unwrap_or_default());
        self.map.extend(&value.map);
    }

    fn string(&mut self, value: &MappedText) {
        let is_special = |c: char| c.is_control() || matches!(c, '"' | '\\');
        let cell = value.outer();
        let text = std::str::from_utf8(&value.bytes).unwrap_or_default();
        let mut at = 0;
        self.push("\"", Span::new(cell.start, cell.start));
        for piece in text.split_inclusive(is_special) {
            let plain = piece.trim_end_matches(is_special);
            self.json.push_str(plain);
            self.map
                .extend(&value.map.part(Span::new(at, at + plain.len())));
            for special in piece.chars().skip(plain.chars().count()) {
                let _ = write!(self.json, "\\u{:04x}", u32::from(special));
                let place = Span::new(at + plain.len(), at + piece.len());
                self.map.push(6, value.map.outer(place));
            }
            at += piece.len();
        }
        self.push("\"", Span::new(cell.end, cell.end));
    }
}

/// The side and the name of the header field that a column of the W3C format has: `cs(Referer)`.
fn header_name(column: &str) -> Option<(&str, &str)> {
    column.strip_suffix(')')?.split_once('(')
}
