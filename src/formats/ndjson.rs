//! One exchange a line: what loggers and proxies write, as JSON (NDJSON, JSON Lines) or as access logs have it.

use memchr::memchr_iter;

use super::access_log::{self, LineFit, LinePieces};
use super::shapes::{Shape, Shapes};
use super::unread::{LEVELS, Unread};
use super::{Format, Logs, Record, RecordSink, body, envelope, fields};
use crate::json::{NodeRef, Outlines, Spare, SyntaxError, SyntaxErrorKind, Tree, is_value};
use crate::text::{Block, Span};
use crate::traffic::{Exchange, Reason, Skip};

/// Reads a whole file. One in which no line is an exchange is a body of several values.
pub(super) fn read<'a>(
    file: Block<'a>,
    max_depth: usize,
    logs: &Logs<'_>,
    sink: &mut dyn RecordSink<'a>,
) {
    if !has_exchange(file, max_depth, logs) {
        return sink.record(Record::Body(body::whole(file)));
    }
    LineReader::default().read(file, Format::Ndjson, max_depth, logs, sink);
}

/// Whether some line of a text is an exchange, or the user says that each should be one.
pub(super) fn has_exchange(text: Block<'_>, max_depth: usize, logs: &Logs<'_>) -> bool {
    let is_exchange = |line: Span| {
        is_call(line.slice(text.bytes), logs)
            || matches!(read_line(text.bytes, line, max_depth, logs), Ok(parts) if parts.iter().any(Result::is_ok))
    };
    logs.name_its_lines() || lines(text).any(is_exchange)
}

/// Whether a good part of a text's lines are calls as access logs have them, by what `logs` say too. Of a file that the user
/// does not name, the beginning must be that of a log.
pub(super) fn is_access_log(text: Block<'_>, logs: &Logs<'_>) -> bool {
    let (mut calls, mut all, mut beginning) = (0usize, 0usize, access_log::Beginning::default());
    for line in lines(text) {
        let line = line.slice(text.bytes);
        all += 1;
        calls += usize::from(is_call(line, logs));
        beginning.line(line, |line| is_call(line, logs));
    }
    calls > 0 && calls * 4 >= all && (logs.name_the_file() || beginning.is_log())
}

fn is_call(line: &[u8], logs: &Logs<'_>) -> bool {
    may_be_access(line, logs)
        && matches!(access_log::read(line, logs), LineFit::Whole(pieces) if pieces.is_call(line))
}

/// Lines that begin like objects are none of access logs, unless the user says so.
fn may_be_access(line: &[u8], logs: &Logs<'_>) -> bool {
    line.first() != Some(&b'{') || logs.have_formats()
}

/// Reads line by line, and remembers what lines look like.
#[derive(Debug)]
pub struct LineReader {
    /// Without their bodies, which is mostly enough.
    without_bodies: Look,
    /// With header fields, which is mostly enough for an exchange.
    with_headers: Look,
    /// Whether bodies are read when they are checked: not in a log whose bodies are mostly something else.
    unread: Unread,
    /// Memory for an outline.
    spare: Spare,
}

/// What records look like, seen to a certain depth.
#[derive(Debug)]
struct Look {
    outlines: Outlines,
    shapes: Shapes,
}

impl Look {
    fn new(opens: fn(usize, &[u8]) -> bool) -> Self {
        Self { outlines: Outlines::new(opens), shapes: Shapes::default() }
    }
}

/// How many lines there are in a block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LineCounts {
    /// Those that hold anything: as many records are numbered.
    pub records: usize,
    /// Those that end in the block.
    pub ends: usize,
}

impl Default for LineReader {
    fn default() -> Self {
        Self {
            without_bodies: Look::new(is_around_bodies),
            with_headers: Look::new(is_without_bodies),
            unread: Unread::default(),
            spare: Spare::default(),
        }
    }
}

impl LineReader {
    /// A broken line hides no other. Where `logs` say where pieces stand, every line is parsed: the first look knows only
    /// the usual shapes. `format` is what the file has been recognised as.
    pub(super) fn read<'a>(
        &mut self,
        block: Block<'a>,
        format: Format,
        max_depth: usize,
        logs: &Logs<'_>,
        sink: &mut dyn RecordSink<'a>,
    ) -> LineCounts {
        let mut index = 0;
        let mut ends = 0;
        for (line, is_ended) in all_lines(block) {
            ends += usize::from(is_ended);
            let above = (!is_ended).then(|| line_above(block, line.start)).flatten();
            let Some(line) = trimmed(block.bytes, line) else { continue };
            let is_log = format == Format::AccessLog;
            let end = if is_ended { End::Ended } else { End::Open { is_log, above } };
            if read_call(block.bytes, line, end, index, logs, sink) {
                index += 1;
                continue;
            }
            let place = fields::Place { file: block.bytes, start: line.start };
            let is_plain = logs.know_no_records();
            if !is_plain || !self.quick(line, place, index, max_depth, sink) {
                parse(line, place, index, max_depth, logs, sink);
            }
            index += 1;
        }
        LineCounts { records: index, ends }
    }

    /// Looks at the outline of a line first, and says whether that was enough: nothing can match in it, or it is
    /// JSON, so that what was seen holds. Where it was not, nothing has been handed on.
    fn quick<'a>(
        &mut self,
        line: Span,
        place: fields::Place<'a>,
        index: usize,
        max_depth: usize,
        sink: &mut dyn RecordSink<'a>,
    ) -> bool {
        let text = line.slice(place.file);
        // Where every record is looked into, no look before that is of use.
        if !sink.sifts() && self.parsed(text, place, index, max_depth, sink) {
            return true;
        }
        let spare = std::mem::take(&mut self.spare);
        let look = &mut self.without_bodies;
        let Some((outline, number)) = look.outlines.skim(text, spare) else { return false };
        let told = match look.shapes.of_numbered(&outline, number) {
            Shape::Unclear => None,
            Shape::Exchange(located) if located.is_in_doubt() => None,
            shape => Some(self.tell(shape, line, place, index, max_depth, sink)),
        };
        self.spare = outline.into_spare();
        if let Some(told) = told {
            return told;
        }
        let spare = std::mem::take(&mut self.spare);
        let Some(outline) = Tree::skim(text, is_of_shape, spare) else { return false };
        let shape = self.without_bodies.shapes.of(&outline);
        let told = self.tell(shape, line, place, index, max_depth, sink);
        self.spare = outline.into_spare();
        told
    }

    /// Hands on a line that is JSON as a whole, and says whether it has. Lines that look alike need not be read for that: of
    /// most of them only what differs, and the bodies only when they are checked.
    fn parsed<'a>(
        &mut self,
        text: &'a [u8],
        place: fields::Place<'a>,
        index: usize,
        max_depth: usize,
        sink: &mut dyn RecordSink<'a>,
    ) -> bool {
        let spare = std::mem::take(&mut self.spare);
        let look = &mut self.with_headers;
        let Some((outline, number)) = look.outlines.skim(text, spare) else { return false };
        let shape = look.shapes.of_numbered(&outline, number);
        let exchange = built(&shape, &outline, place).map(|built| Exchange { index, ..built });
        let seen = (&outline, look.outlines.alike(number));
        let is_taken = exchange
            .as_ref()
            .is_some_and(|exchange| self.unread.take(exchange, seen, place, max_depth, sink));
        self.spare = outline.into_spare();
        if is_taken {
            return true;
        }
        if !is_value(text, max_depth) {
            return false;
        }
        look.outlines.note_json(number);
        let exchange = exchange.or_else(|| self.exchange_within(text, place));
        let Some(exchange) = exchange else { return false };
        sink.record(Record::Exchange(Exchange { index, ..exchange }));
        true
    }

    /// The exchange of a line that is JSON, where a part of it stands within what is called a body.
    fn exchange_within<'a>(
        &mut self,
        text: &'a [u8],
        place: fields::Place<'a>,
    ) -> Option<Exchange<'a>> {
        let whole = Tree::skim(text, is_outer, Spare::default())?;
        built(&self.with_headers.shapes.of(&whole), &whole, place)
    }

    fn tell<'a>(
        &mut self,
        shape: Shape<NodeRef<'_>>,
        line: Span,
        place: fields::Place<'a>,
        index: usize,
        max_depth: usize,
        sink: &mut dyn RecordSink<'a>,
    ) -> bool {
        let text = line.slice(place.file);
        let located = match shape {
            Shape::Exchange(located) if !located.is_in_doubt() => located,
            Shape::Other if is_value(text, max_depth) => {
                sink.record(Record::Skip(Skip::at(Reason::NoExchange, line)));
                return true;
            }
            Shape::Exchange(_) | Shape::Other | Shape::Unclear => return false,
        };
        if sink.sifts() {
            let Some(glimpse) = envelope::glimpse(&located, place) else { return false };
            if sink.is_clean(&glimpse) {
                return true;
            }
        }
        self.parsed(text, place, index, max_depth, sink)
    }
}

/// What is built from a record of this shape, if its outline is enough for that.
fn built<'a>(
    shape: &Shape<NodeRef<'_>>,
    outline: &Tree<'_>,
    place: fields::Place<'a>,
) -> Option<Exchange<'a>> {
    let Shape::Exchange(located) = shape else { return None };
    let exchange = envelope::build(located, place)?;
    let is_sure = !outline.was_asked_deeper() && !located.is_in_doubt();
    is_sure.then_some(exchange)
}

/// What ends a line.
#[derive(Debug, Clone, Copy)]
enum End {
    /// A line feed.
    Ended,
    /// Nothing: it is the last of its file.
    Open {
        /// Whether the file is an access log.
        is_log: bool,
        /// The line above it, with no more than blank ones between.
        above: Option<Span>,
    },
}

/// Whether the line is one of an access log; then it has been handed on.
fn read_call<'a>(
    file: &'a [u8],
    line: Span,
    end: End,
    index: usize,
    logs: &Logs<'_>,
    sink: &mut dyn RecordSink<'a>,
) -> bool {
    let text = line.slice(file);
    if !may_be_access(text, logs) {
        return false;
    }
    let fit = access_log::read(text, logs);
    if let End::Open { is_log, above } = end
        && is_cut(&fit, text, is_log, above.map(|above| above.slice(file)), logs)
    {
        sink.record(Record::Skip(Skip::at(Reason::Truncated, line)));
        return true;
    }
    let LineFit::Whole(pieces) = fit else {
        let is_unfit = is_unfit(&fit, text, logs);
        if is_unfit {
            sink.record(Record::Skip(Skip::at(Reason::OtherOrder, line)));
        }
        return is_unfit;
    };
    if !(sink.sifts() && is_clean(&pieces, line, file, sink)) {
        sink.record(match pieces.exchange(line, file) {
            Some(exchange) => Record::Exchange(Exchange { index, ..exchange }),
            None => Record::Skip(Skip::at(Reason::NoRequest, line)),
        });
    }
    true
}

/// Whether the last line of a file, which nothing ends, was cut off. The line above tells how long those of a log are, and
/// that this is one where the file is none.
fn is_cut(
    fit: &LineFit<'_>,
    text: &[u8],
    is_log: bool,
    above: Option<&[u8]>,
    logs: &Logs<'_>,
) -> bool {
    let of_log = above.filter(|above| {
        may_be_access(above, logs) && matches!(access_log::read(above, logs), LineFit::Whole(_))
    });
    match (fit, of_log) {
        (LineFit::Cut, _) => true,
        (LineFit::Begun, of_log) => is_log || of_log.is_some(),
        (LineFit::Whole(_), Some(of_log)) => access_log::is_shorter(text, of_log),
        _ => false,
    }
}

/// The last line before an offset that is not blank, without white space around it, if it is kept.
fn line_above(block: Block<'_>, offset: usize) -> Option<Span> {
    let start = kept_from(block.bytes.get(..offset)?)?;
    trimmed(block.bytes, Span::new(start.max(block.text_start()), offset.checked_sub(1)?))
}

/// How long a line may be, without its end, that is kept for the one behind it, with blank lines between: lines of logs are
/// far shorter, and there is room for two of them in memory.
const LONGEST_KEPT: usize = 64 * 1024;

/// Where in a run of whole lines the last one begins that is not blank, where it is kept: whether a line that nothing ends
/// was cut off is told by the one above it, so that both are read together, in blocks of any size.
pub(super) fn kept_from(lines: &[u8]) -> Option<usize> {
    let line = lines.strip_suffix(b"\n")?;
    // The line feed before the longest that is kept.
    let far = line.len().saturating_sub(LONGEST_KEPT + 1);
    let near = line.get(far..)?.trim_ascii_end();
    match memchr::memrchr(b'\n', near) {
        Some(at) => Some(far + at + 1),
        None => (line.len() <= LONGEST_KEPT).then_some(0),
    }
}

/// Whether a line of an access log is sure to give nothing to report.
fn is_clean<'a>(
    pieces: &LinePieces<'_>,
    line: Span,
    file: &'a [u8],
    sink: &mut dyn RecordSink<'a>,
) -> bool {
    pieces.glimpse(line, file).is_some_and(|glimpse| sink.is_clean(&glimpse))
}

/// Whether a line that is none of a known format should be one. Objects may be records of JSON, and where the user speaks of
/// all files, lines among others may be a banner.
fn is_unfit(fit: &LineFit<'_>, text: &[u8], logs: &Logs<'_>) -> bool {
    let is_json = matches!(text.first(), Some(b'{'));
    !is_json
        && (logs.name_its_lines()
            || matches!(fit, LineFit::Unfit) && access_log::has_call(text)
            || access_log::quotes_request(text))
}

fn parse<'a>(
    line: Span,
    place: fields::Place<'a>,
    index: usize,
    max_depth: usize,
    logs: &Logs<'_>,
    sink: &mut dyn RecordSink<'a>,
) {
    let parts = match read_line(place.file, line, max_depth, logs) {
        Ok(parts) => parts,
        Err(skip) => return sink.record(Record::Skip(skip)),
    };
    for part in parts {
        sink.record(match part {
            Ok(exchange) => Record::Exchange(Exchange { index, ..exchange }),
            Err(other) => Record::Skip(Skip::at(Reason::NoExchange, other)),
        });
    }
}

/// The lines that hold anything, without white space around them.
fn lines(block: Block<'_>) -> impl Iterator<Item = Span> {
    all_lines(block).filter_map(move |(line, _)| trimmed(block.bytes, line))
}

/// All lines, without what ends them, and whether something does.
fn all_lines(block: Block<'_>) -> impl Iterator<Item = (Span, bool)> {
    let mut start = block.text_start();
    let len = block.bytes.len();
    memchr_iter(b'\n', block.bytes).chain([len]).map(move |end| {
        let line = Span::new(start.min(end), end);
        start = end + 1;
        (line, end < len)
    })
}

/// Without white space around it; `None` where there is nothing else.
#[inline]
fn trimmed(bytes: &[u8], line: Span) -> Option<Span> {
    let text = line.slice(bytes);
    let is_blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    if !is_blank(text.first()) && !is_blank(text.last()) {
        return Some(line);
    }
    let front = text.len() - text.trim_ascii_start().len();
    (front < text.len())
        .then(|| Span::new(line.start + front, line.start + text.trim_ascii_end().len()))
}

fn read_line<'a>(
    file: &'a [u8],
    line: Span,
    max_depth: usize,
    logs: &Logs<'_>,
) -> Result<envelope::Parts<'a>, Skip> {
    let bytes = line.slice(file);
    // Loggers write other lines too: a banner, a stack trace.
    if !matches!(bytes.first(), Some(b'{' | b'[')) {
        return Err(Skip::at(Reason::NoExchange, line));
    }
    let place = fields::Place { file, start: line.start };
    match Tree::parse_bytes(bytes, max_depth) {
        Ok(tree) => Ok(envelope::parts(tree.root(), place, logs)),
        Err(error) if error.kind == SyntaxErrorKind::InvalidUtf8 => {
            mended(bytes, max_depth, place, logs, error).map_err(|error| Skip::broken(error, line))
        }
        Err(error) => Err(Skip::broken(error, line)),
    }
}

/// The parts of a line that is no UTF-8: servers log what clients send as it comes. Each byte that is wrong is taken for
/// a character that no URL, no key and no number has a use for, so that all others keep their places; a body that holds
/// one is told to be no UTF-8 by itself. `error` says where the first one stands.
fn mended<'a>(
    bytes: &[u8],
    max_depth: usize,
    place: fields::Place<'a>,
    logs: &Logs<'_>,
    error: SyntaxError,
) -> Result<envelope::Parts<'a>, SyntaxError> {
    let mut text = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        text.extend(std::iter::repeat_n('\u{7f}', chunk.invalid().len()));
    }
    let tree = Tree::parse(&text, max_depth).map_err(|other| match other.kind {
        // Where it was cut off, that says more.
        SyntaxErrorKind::UnexpectedEnd => other,
        _ => error,
    })?;
    let parts = envelope::parts(tree.root(), place, logs);
    let is_told = parts.iter().any(Result::is_ok) || envelope::has_request_line(tree.root());
    if is_told { Ok(parts) } else { Err(error) }
}

/// Whether the content of a part of a record, so many levels down, is looked at before all of them are: of the record, of its
/// request, of the list of header fields, of each of them.
fn is_outer(levels: usize, _name: &[u8]) -> bool {
    levels < LEVELS
}

/// The same without bodies, as most logs call them.
fn is_without_bodies(levels: usize, name: &[u8]) -> bool {
    is_outer(levels, name) && name != b"body"
}

/// The same without bodies and what says nothing about the record's shape.
fn is_around_bodies(levels: usize, name: &[u8]) -> bool {
    is_of_shape(levels, name) && name != b"body"
}

/// The same without what says nothing about the record's shape.
fn is_of_shape(levels: usize, name: &[u8]) -> bool {
    levels < 3 && name != b"headers"
}
