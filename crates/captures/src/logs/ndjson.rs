//! One exchange for each line: the JSON of loggers and proxies (NDJSON, JSON Lines), and access logs.

use super::cut_lines::{self, Joined};
use crate::access_log::{self, LineFit, LineMiss};
use crate::chunks::{Chunker, Cut, ReadOptions, Records};
use crate::file_head::{begins_with_any, blank_length};
use crate::messages::DecodedTexts;
use crate::records::{self, OuterReader};
use crate::shapes::Logs;
use memchr::memchr_iter;
use sundown_exchange::{Exchange, Reason, RecordPlace, RecordSink, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::{
    Document, MAX_DOCUMENT_DEPTH, SyntaxError, SyntaxErrorKind, find_error, is_value, scan,
};
use sundown_text_json::text::{Block, Span};

/// Whether some line of a text is an exchange, or the user says that each should be one. Without one, the text is a
/// body of several values.
pub fn has_exchange(text: Block<'_>, limits: Limits, logs: &Logs<'_>) -> bool {
    let is_exchange = |line: Span| {
        is_call(line.slice(text.bytes), logs)
            || matches!(read_line(text.bytes, line, limits, logs, &DecodedTexts::default()), Ok(parts) if records::has_call(&parts))
    };
    logs.declares_line_format() || lines(text).any(is_exchange) || has_joined_call(text, logs)
}

/// Whether some call is in pieces.
fn has_joined_call(text: Block<'_>, logs: &Logs<'_>) -> bool {
    let mut lines = all_lines(text).map(|(line, _)| line);
    let mut tried = 0;
    while let Some(line) = lines.next() {
        let joined = Joined::begin(text.bytes, line, lines.clone(), &mut tried);
        let has_call = |joined: Joined| {
            let texts = DecodedTexts::default();
            let parts = records::parts_in_text(&joined.source(), logs, &texts);
            records::has_call(&parts)
        };
        if joined.is_some_and(has_call) {
            return true;
        }
    }
    false
}

/// Whether a good part of the lines of a text are calls in an access log, in known formats or those of `logs`. A file
/// that is not named must also begin like a log.
pub(crate) fn is_access_log(text: Block<'_>, logs: &Logs<'_>) -> bool {
    let mut calls = 0usize;
    let mut all = 0usize;
    let mut beginning = access_log::Beginning::default();
    for line in lines(text) {
        let line = line.slice(text.bytes);
        all += 1;
        calls += usize::from(is_call(line, logs));
        beginning.line(line, |line| is_call(line, logs));
    }
    calls > 0 && calls * 4 >= all && (logs.declares_file() || beginning.is_log())
}

fn is_call(line: &[u8], logs: &Logs<'_>) -> bool {
    may_be_access(line, logs)
        && matches!(logs.read_line(line), LineFit::Whole(pieces) if pieces.is_call(line))
}

/// Lines that begin like objects, or lists of them, are not those of access logs, unless the user says so.
fn may_be_access(line: &[u8], logs: &Logs<'_>) -> bool {
    let is_json = line.starts_with(b"{") || line.starts_with(b"[{");
    !is_json || logs.has_line_formats()
}

/// Cuts whole lines off a file.
#[derive(Debug)]
pub(crate) struct LineChunker {
    /// The largest record in bytes.
    limit: usize,
    lines: Lines,
}

/// Whole lines. A broken one affects no other.
#[derive(Debug, Clone, Copy)]
struct Lines {
    /// Whether they belong to an access log, rather than a log in JSON.
    is_access_log: bool,
}

impl LineChunker {
    pub(crate) fn begin(limits: Limits, is_access_log: bool) -> Box<dyn Chunker> {
        Box::new(Self {
            limit: limits.record,
            lines: Lines { is_access_log },
        })
    }
}

impl Chunker for LineChunker {
    /// While there is more to read, the last line is kept for the next, which may be the last line of the file and is judged by
    /// it, unless that is too large anyway.
    fn cut(&mut self, text: Block<'_>, all: bool, _: &Logs<'_>) -> Option<Cut> {
        let bytes = text.bytes;
        let end = last_line_end(bytes);
        let end = if all {
            bytes.len()
        } else if bytes.len() - end >= self.limit {
            end
        } else {
            let kept = kept_from(bytes.get(..end).unwrap_or_default()).unwrap_or(end);
            cut_lines::begin_of_pieces(bytes, kept)
        };
        Cut::of(end, self.lines)
    }

    fn stop(&mut self, text: Block<'_>, _: &Logs<'_>) -> Option<Cut> {
        Cut::of(last_line_end(text.bytes), self.lines)
    }

    fn next_size(&self, text: &[u8], size: usize, limit: usize) -> Option<usize> {
        // The kept line is not part of the record after it.
        let most = limit.saturating_add(last_line_end(text));
        (size < most).then(|| (size * 2).min(most))
    }
}

/// Returns the offset after the last line feed.
fn last_line_end(text: &[u8]) -> usize {
    memchr::memrchr(b'\n', text).map_or(0, |at| at + 1)
}

impl Records for Lines {
    fn read(
        &self,
        block: Block<'_>,
        options: &ReadOptions<'_>,
        sink: &mut dyn RecordSink,
    ) -> usize {
        let mut reading = LogReading {
            block,
            options,
            is_access_log: self.is_access_log,
            index: 0,
            sink,
        };
        let mut lines = all_lines(block);
        let mut tried = 0;
        while let Some((whole, is_ended)) = lines.next() {
            let others = lines.clone().map(|(line, _)| line);
            if let Some(joined) = Joined::begin(block.bytes, whole, others, &mut tried) {
                reading.parse_joined(&joined);
                reading.index += 1;
                lines.nth(joined.others - 1);
                continue;
            }
            let Some(line) = trimmed(block.bytes, whole) else {
                continue;
            };
            let open = (!is_ended).then_some(whole.start);
            if !reading.call(line, open) && !reading.locate(line) {
                reading.parse(line);
            }
            reading.index += 1;
        }
        reading.index
    }
}

/// The lines that are read, and the sink.
struct LogReading<'a, 'e> {
    block: Block<'a>,
    options: &'e ReadOptions<'e>,
    is_access_log: bool,
    /// The number of the current line.
    index: usize,
    sink: &'e mut dyn RecordSink,
}

impl LogReading<'_, '_> {
    fn skip(&mut self, reason: Reason, line: Span) {
        self.sink.skip(Skip::at(reason, line));
    }

    /// Hands on a line of an access log. Returns whether it is one. `open` is where it begins if it is the last of its file, and has no
    /// line feed.
    fn call(&mut self, line: Span, open: Option<usize>) -> bool {
        let logs = self.options.logs;
        let file = self.block.bytes;
        let text = line.slice(file);
        if !may_be_access(text, logs) {
            return false;
        }
        let fit = logs.read_line(text);
        let above = |start| Some(line_above(self.block, start)?.slice(file));
        if open.is_some_and(|start| is_cut(&fit, self.is_access_log, above(start), logs)) {
            self.skip(Reason::Truncated, line);
            return true;
        }
        let LineFit::Whole(pieces) = fit else {
            // Objects may be JSON records.
            let is_unfit = logs.declares_line_format() && !text.starts_with(b"{");
            if is_unfit {
                self.skip(Reason::LogFormatMismatch, line);
            }
            return is_unfit;
        };
        let Some(exchange) = pieces.exchange(line, file, self.index) else {
            let reason = if pieces.say_nothing(text) {
                Reason::NoRequest
            } else {
                Reason::LogFormatMismatch
            };
            self.skip(reason, line);
            return true;
        };
        // A call in a line is always valid.
        self.sink.exchange(&exchange).is_ok()
    }

    /// Locates the parts of a record and hands it on. Returns whether that was enough; if not, nothing has been handed on.
    fn locate(&mut self, line: Span) -> bool {
        let (index, file) = (self.index, self.block.bytes);
        let ReadOptions { limits, logs, .. } = *self.options;
        match OuterReader::new(file, logs, limits.depth).scan(line) {
            Some(Ok(exchange)) => self.sink.exchange(&Exchange { index, ..exchange }).is_ok(),
            Some(Err(skip)) => {
                self.sink.skip(skip);
                true
            }
            None => false,
        }
    }

    /// Parses a record that was cut, and hands on its exchanges.
    fn parse_joined(&mut self, joined: &Joined) {
        let source = joined.source();
        let texts = DecodedTexts::default();
        for part in records::parts_in_text(&source, self.options.logs, &texts) {
            let record = Some(source.record(self.block.bytes));
            let part = part.map(|exchange| Exchange { record, ..exchange });
            records::emit_part(part, self.index, self.sink);
        }
    }

    /// Parses a record, and hands on its exchanges.
    fn parse(&mut self, line: Span) {
        let ReadOptions { limits, logs, .. } = *self.options;
        let texts = DecodedTexts::default();
        let parts = read_line(self.block.bytes, line, limits, logs, &texts);
        for part in parts.unwrap_or_else(|skip| vec![Err(skip)]) {
            records::emit_part(part, self.index, self.sink);
        }
    }
}

/// Whether the last line of a file, which has no line feed, was cut off. The line above shows whether it belongs to a log in a file
/// of another format.
fn is_cut(fit: &LineFit<'_>, is_log: bool, above: Option<&[u8]>, logs: &Logs<'_>) -> bool {
    let mut above = above.into_iter();
    match fit {
        LineFit::Missed(LineMiss::Cut) => true,
        LineFit::Missed(LineMiss::Begun) => is_log || above.any(|above| is_call(above, logs)),
        _ => false,
    }
}

/// Returns the last line before an offset that is not blank, without white space around it, if it was kept.
fn line_above(block: Block<'_>, offset: usize) -> Option<Span> {
    let start = kept_from(block.bytes.get(..offset)?)?;
    trimmed(
        block.bytes,
        Span::new(start.max(block.text_start()), offset.checked_sub(1)?),
    )
}

/// The length up to which a line is kept for the one after it, without its line feed but with blank lines: lines of logs are
/// far shorter, and memory has room for two of them.
const MAX_KEPT_BYTES: usize = 64 * 1024;

/// Returns the offset of the last line that is not blank, if it is kept. The line above decides whether a last line without
/// line feed was cut off, so both are read together, in blocks of any size.
fn kept_from(lines: &[u8]) -> Option<usize> {
    let line = lines.strip_suffix(b"\n")?;
    // The line feed before the longest line that is kept.
    let far = line.len().saturating_sub(MAX_KEPT_BYTES + 1);
    let near = line.get(far..)?.trim_ascii_end();
    match memchr::memrchr(b'\n', near) {
        Some(at) => Some(far + at + 1),
        None => (line.len() <= MAX_KEPT_BYTES).then_some(0),
    }
}

/// The lines that are not blank, without white space around them.
fn lines(block: Block<'_>) -> impl Iterator<Item = Span> {
    all_lines(block).filter_map(move |(line, _)| trimmed(block.bytes, line))
}

/// All lines without their ends, each with whether it has one.
fn all_lines(block: Block<'_>) -> impl Iterator<Item = (Span, bool)> + Clone {
    let mut start = block.text_start();
    let len = block.bytes.len();
    memchr_iter(b'\n', block.bytes)
        .chain([len])
        .map(move |end| {
            let line = Span::new(start.min(end), end);
            start = end + 1;
            (line, end < len)
        })
}

/// Trims white space; `None` if nothing is left.
#[inline]
fn trimmed(bytes: &[u8], line: Span) -> Option<Span> {
    let text = line.slice(bytes);
    let mut ends = [text.first(), text.last()].into_iter();
    if ends.all(|byte| byte.is_some_and(|byte| !byte.is_ascii_whitespace())) {
        return Some(line);
    }
    let front = blank_length(text);
    (front < text.len())
        .then(|| Span::new(line.start + front, line.start + text.trim_ascii_end().len()))
}

/// Whether a bracket begins a text, because a word follows that is no value: `[Server started]`, `{main} loop`.
fn begins_label(text: &[u8]) -> bool {
    let inside = text.strip_prefix(b"[").or(text.strip_prefix(b"{"));
    let inside = inside.unwrap_or_default().trim_ascii_start();
    inside.first().is_some_and(u8::is_ascii_alphabetic)
        && !begins_with_any(inside, &[b"true", b"false", b"null"])
}

fn read_line<'a>(
    file: &'a [u8],
    line: Span,
    limits: Limits,
    logs: &Logs<'_>,
    texts: &'a DecodedTexts,
) -> Result<records::Parts<'a>, Skip> {
    let no_exchange = || Skip::at(Reason::NoExchange, line);
    let text = line.slice(file);
    let is_record = match text.first() {
        _ if begins_label(text) => false,
        Some(b'{') => true,
        Some(b'"') => text.starts_with(b"\"{"),
        // After a label in brackets, there is more.
        Some(b'[') => !scan::value(text, 0)
            .is_ok_and(|label| label.end < text.len() && !label.slice(text).contains(&b'{')),
        _ => false,
    };
    // Loggers write other lines, too: a banner, a stack trace.
    let record = if is_record {
        line
    } else {
        record_after_text(file, line, logs).ok_or_else(no_exchange)?
    };
    let mut parts = parts_of_record(file, record, limits, logs, texts)
        .map_err(|error| Skip::broken(error, line))?;
    if is_record {
        return Ok(parts);
    }
    let mut rest = Span::new(record.end, line.end);
    while let Some(next) = record_after_text(file, rest, logs) {
        match parts_of_record(file, next, limits, logs, texts) {
            Ok(others) => parts.extend(others),
            Err(error) => parts.push(Err(Skip::broken(error, next))),
        }
        rest.start = next.end;
    }
    if !records::has_call(&parts) {
        return Err(no_exchange());
    }
    // Neither has the end of a list, nor how long the call took.
    let may_be_call = |byte: &u8| b"{/".contains(byte);
    if rest.slice(file).iter().any(may_be_call) {
        parts.push(Err(Skip::at(Reason::NoExchange, rest)));
    }
    Ok(parts)
}

/// Reads the record in a part of a line.
fn parts_of_record<'a>(
    file: &'a [u8],
    record: Span,
    limits: Limits,
    logs: &Logs<'_>,
    texts: &'a DecodedTexts,
) -> Result<records::Parts<'a>, SyntaxError> {
    let bytes = record.slice(file);
    let place = RecordPlace {
        file,
        start: record.start,
    };
    match find_error(bytes, limits.depth) {
        None => Ok(records::parts_of_valid(bytes, place, logs, texts)),
        Some(error) if error.kind == SyntaxErrorKind::InvalidUtf8 => {
            mended(bytes, limits, place, logs, texts, error)
        }
        Some(error) => Err(error),
    }
}

/// Finds what may be the record of a call after other text: the name of a container, a time, or the zeros that a crash leaves.
fn record_after_text(file: &[u8], line: Span, logs: &Logs<'_>) -> Option<Span> {
    let bytes = line.slice(file);
    let start = memchr::memchr(b'{', bytes)?;
    let end = scan::value(bytes, start).map_or(bytes.len(), |value| value.end);
    let record = Span::new(line.start + start, line.start + end);
    let text = record.slice(file);
    (records::could_be(text, logs) || records::may_hold_calls(text)).then_some(record)
}

/// Whether a line has an object that may be the record of a call after other text.
pub(crate) fn has_record_after_text(line: &[u8]) -> bool {
    let whole = Span::new(0, line.len());
    let record = record_after_text(line, whole, &Logs::default());
    let is_text = || std::str::from_utf8(line).is_ok();
    record.is_some_and(|record| {
        let before = line.get(..record.start).unwrap_or_default();
        // A crash leaves zeros alone; archives have them among other bytes. A bracket that is open begins a list.
        let zeros = memchr::memchr_iter(0, before).count();
        let is_list = before.trim_ascii_start().starts_with(b"[") && !before.contains(&b']');
        let is_log = [0, before.len()].contains(&zeros) && !is_list && is_text();
        let is_whole = || is_value(record.slice(line), MAX_DOCUMENT_DEPTH);
        !before.is_empty() && is_log && is_whole()
    })
}

/// Reads a line that is not UTF-8: servers log what clients send. Each invalid byte is replaced by a character without meaning
/// in URLs, keys and numbers, so that all offsets stay the same. A body with such a byte is reported by itself. `error` is the
/// first one.
fn mended<'a>(
    bytes: &[u8],
    limits: Limits,
    place: RecordPlace<'a>,
    logs: &Logs<'_>,
    texts: &'a DecodedTexts,
    error: SyntaxError,
) -> Result<records::Parts<'a>, SyntaxError> {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('\u{7f}', chunk.invalid().len()));
    }
    let tree = Document::parse_json(&text, limits.depth).map_err(|other| match other.kind {
        // A cut says more.
        SyntaxErrorKind::UnexpectedEnd => other,
        _ => error,
    })?;
    let parts = records::parts(tree.root(), place, logs, texts);
    let is_readable =
        parts.iter().any(Result::is_ok) || logs.compiled().has_request_line(tree.root());
    if is_readable { Ok(parts) } else { Err(error) }
}
