//! Exchanges written as one JSON object: in the shapes of common loggers and proxies, which `shapes` knows, and as plain
//! `{method, url, request: {headers, body}, response: {status, headers, body}}`.

use std::sync::{Arc, LazyLock};

use memchr::memmem::Finder;

use super::log_table::{has_body_beside, may_have_method, propose_table};
use crate::access_log::LineFit;
use crate::file_head::contains;
use crate::line_spans::LineSpans;
use crate::messages::{DecodedText, DecodedTexts, is_in_base64, is_record_in_text};
use crate::pieces::{self, REQUEST_END, is_container};
use crate::request_patterns::{is_regex, targets_of_regex, with_paths};
use crate::shapes::{Found, Listed, LocatedRecord, LogShape, Logs, Outer, may_state_call};
use sundown_exchange::{
    Body, CallRecord, Encoding, Exchange, Lazy, Reason, Record, RecordPlace, RecordSink, Skip,
};
use sundown_text_json::Limits;
use sundown_text_json::json::{
    Document, MAX_DOCUMENT_DEPTH, Node, ValueKind, find_error, is_value, scan,
};
use sundown_text_json::text::{OffsetMap, Span};

/// The parts of a record in order: exchanges, and what is reported of parts that are not exchanges.
pub(crate) type Parts<'a> = Vec<Result<Exchange<'a>, Skip>>;

/// Hands on a part of the record of this number.
pub(crate) fn emit_part(part: Result<Exchange<'_>, Skip>, index: usize, sink: &mut dyn RecordSink) {
    let part = part.map(|exchange| Exchange { index, ..exchange });
    sink.record(part.map_or_else(Record::Skip, Record::Exchange));
}

/// Whether a part is a call, an event about one that another event counts, half of one, or a text in another encoding that states one.
fn is_call(part: &Result<Exchange<'_>, Skip>) -> bool {
    match part {
        Ok(_) => true,
        Err(skip) => matches!(
            skip.reason,
            Reason::EarlierStage | Reason::LoneResponse | Reason::BadEncoding
        ),
    }
}

/// Whether one of the parts of a record is a call.
pub(crate) fn has_call(parts: &Parts<'_>) -> bool {
    parts.iter().any(is_call)
}

/// The number of records that may be inside of each other, in lists and as wrapped objects.
const MAX_WRAPPERS: usize = 8;

/// The number of records that may be inside of one that was base64: each may expand when it is unpacked, so that is done once.
const MAX_UNPACKED: usize = 4;

/// Reads the exchanges in one record: itself, or the elements of a list. Lists within lists have those that are surely calls.
/// What `logs` say about a record comes before known shapes. Calls in strings borrow from `texts`.
pub(crate) fn parts<'a>(
    record: Node<'_>,
    place: RecordPlace<'a>,
    logs: &Logs<'_>,
    texts: &'a DecodedTexts,
) -> Parts<'a> {
    RecordReader::new(place, logs, texts).parts(record)
}

/// Reads records of a file by their outer levels.
#[derive(Clone, Copy)]
pub(crate) struct OuterReader<'a, 'r> {
    file: &'a [u8],
    logs: &'r Logs<'r>,
    /// The maximum nesting depth of the outermost record.
    depth: usize,
    /// The number of records around the next one.
    wrappers: usize,
    /// Whether one of them has an unknown name. Inside of it, calls are known by what they are, and not by names.
    is_unknown: bool,
}

impl<'a, 'r> OuterReader<'a, 'r> {
    pub(crate) fn new(file: &'a [u8], logs: &'r Logs<'r>, depth: usize) -> Self {
        Self {
            file,
            logs,
            depth,
            wrappers: 0,
            is_unknown: false,
        }
    }

    /// Reads the record at `span` by its outer levels as the index of its text shows them.
    pub(crate) fn scan(self, span: Span) -> Option<Result<Exchange<'a>, Skip>> {
        let outer = self.logs.outer(span.slice(self.file))?;
        self.part(&outer, span)
    }

    /// Reads the record at `span` by its outer levels, without validating what they leave out; `None` if more of it is to be read.
    pub(crate) fn part(self, outer: &Outer<'_>, span: Span) -> Option<Result<Exchange<'a>, Skip>> {
        let Self {
            file, logs, depth, ..
        } = self;
        let start = span.start;
        let place = RecordPlace { file, start };
        let record = outer.document.root();
        if record.kind() != ValueKind::Object {
            return None;
        }
        let found = logs.compiled().found(outer);
        let located = found.locate(record, logs);
        if record.document().needs_whole_tree() {
            return None;
        }
        let text = span.slice(file);
        let skip = |reason| is_value(text, depth).then(|| Err(Skip::at(reason, span)));
        match located {
            Some(located) if located.is_earlier_stage() => skip(Reason::EarlierStage),
            Some(located)
                if !found.has_duplicates()
                    && located.unread.is_none()
                    && !located.url.as_str().is_some_and(is_regex)
                    && (located.others(may_hold_calls_inside).next()).is_none()
                    && found.lists(record, logs).is_empty() =>
            {
                let exchange = Exchange {
                    record: Some(CallRecord::new(file, span)),
                    unvalidated: Some(depth),
                    ..located.build(place)?
                };
                // Of a body in an object that describes it, more may be needed.
                (!record.document().needs_whole_tree()).then_some(Ok(exchange))
            }
            None if found.may_have_lists(logs) => None,
            None if !may_be_known(&found, record, logs) && !may_hold_calls(text) => {
                skip(Reason::NoExchange)
            }
            None => self.call_inside(&found, record, place).map(Ok),
            _ => None,
        }
    }

    /// Reads the call in an object of a record that has no other one: in the first that may have what a program wrote, or else in the
    /// only one.
    fn call_inside(
        self,
        found: &Found<'_, '_>,
        record: Node<'_>,
        place: RecordPlace<'a>,
    ) -> Option<Exchange<'a>> {
        let named = found.wrapped(self.logs).into_iter().next();
        let named = named.filter(|_| !self.is_unknown);
        let inner = named.or_else(|| lone_record(found, record, self.logs));
        let inner = inner.filter(|inner| inner.kind() == ValueKind::Object)?;
        let reader = Self {
            wrappers: self.wrappers + 1,
            is_unknown: named.is_none(),
            ..self
        };
        if reader.wrappers == MAX_WRAPPERS {
            return None;
        }
        let inside = place.span_of(inner);
        let outer = self.logs.outer(inside.slice(self.file))?;
        let exchange = reader.part(&outer, inside)?.ok()?;
        let is_itself = exchange.extent == Some(inside);
        if named.is_none() && is_itself && !is_surely_call(outer.document.root(), self.logs) {
            return None;
        }
        Some(Exchange {
            record: Some(CallRecord::new(self.file, place.span_of(record))),
            // Its bodies are a level deeper in the record.
            unvalidated: exchange.unvalidated.map(|depth| depth.saturating_sub(1)),
            ..exchange
        })
    }
}

/// The only object or list of a record without a call, if nothing beside it may be one or a part of one.
fn lone_record<'t>(found: &Found<'t, '_>, record: Node<'t>, logs: &Logs<'_>) -> Option<Node<'t>> {
    let mut containers = record.children().filter(|child| is_container(*child));
    let inner = containers.next()?;
    let may_be_around = may_hold_calls(record.raw_bytes()) || may_have_method(record);
    let is_alone = may_be_around
        && containers.next().is_none()
        && !record.children().any(|child| may_be_beside(&child))
        && found.lone_response(logs).is_none()
        && !has_body_beside(record, inner);
    is_alone.then_some(inner)
}

/// Reads the record in a text that was made of a part of a file.
pub(crate) fn parts_in_text<'a>(
    source: &DecodedText<'a>,
    logs: &Logs<'_>,
    texts: &'a DecodedTexts,
) -> Parts<'a> {
    RecordReader::new(source.place(), logs, texts).parts_of_decoded(source)
}

/// Notes where the parts of a text are in the file of which the text was made with this map. The caller sets their record, which is in
/// the file. A map is made once for all that share it.
pub(crate) fn parts_in_file<'a>(parts: Parts<'a>, map: &Lazy<'a, Arc<OffsetMap>>) -> Parts<'a> {
    let shared = match *parts {
        [_] => map.clone(),
        _ => Lazy::from(Arc::clone(map.get())),
    };
    let mut last: Option<[Arc<OffsetMap>; 2]> = None;
    let in_file = |part: Result<Exchange<'a>, Skip>| {
        let exchange = part.map_err(|skip| skip.through(map.get()))?;
        let map = match exchange.map.as_ref().map(Lazy::get) {
            None => shared.clone(),
            Some(inner) => {
                let known = last.take().filter(|[known, _]| Arc::ptr_eq(known, inner));
                let through = || [Arc::clone(inner), Arc::new(inner.through(map.get()))];
                let [_, joined] = last.insert(known.unwrap_or_else(through));
                Lazy::from(Arc::clone(joined))
            }
        };
        Ok(Exchange {
            map: Some(map),
            record: None,
            unvalidated: None,
            ..exchange
        })
    };
    parts.into_iter().map(in_file).collect()
}

/// Reads the call of a record whose pieces are located, in each of its readings; `None` if the method or the URL is none.
fn parts_of_call<'a>(
    found: &Found<'_, '_>,
    located: &LocatedRecord<'_>,
    place: RecordPlace<'a>,
) -> Option<Parts<'a>> {
    if located.is_earlier_stage() {
        let span = place.span_of(located.record);
        return Some(vec![Err(Skip::at(Reason::EarlierStage, span))]);
    }
    let readings = located.readings(found, place);
    let calls = readings.iter().filter_map(|reading| reading.build(place));
    let mut parts: Parts<'a> = calls.map(Ok).collect();
    if let Some(url) = located.url.as_str().filter(|url| is_regex(url)) {
        let calls = parts.iter().flatten();
        parts = calls
            .flat_map(|call| with_paths(call, targets_of_regex(url)))
            .collect();
    }
    // What one reading leaves out is in another one.
    if let [_, _, ..] = &*readings {
        (parts.iter_mut().flatten()).for_each(|exchange| exchange.extent = None);
    }
    if readings.len() == LocatedRecord::MAX_READINGS {
        let skip = Skip {
            bytes: 0,
            ..Skip::at(Reason::InvalidJson, place.span_of(located.record))
        };
        parts.push(Err(skip.because("too many duplicate members")));
    }
    if let Some(unread) = located.unread.filter(|_| !parts.is_empty()) {
        parts.push(Err(Skip::at(Reason::UnreadPiece, place.span_of(unread))));
    }
    (!parts.is_empty()).then_some(parts)
}

/// Reads an interaction in a cassette of a recorder; its response from another value if that is given.
pub(crate) fn parts_of_interaction<'a>(
    interaction: Node<'_>,
    answer: Option<Node<'_>>,
    recorder: &LogShape,
    place: RecordPlace<'a>,
    limits: Limits,
) -> Parts<'a> {
    let logs = Logs::default();
    let found = logs.compiled().find(interaction);
    let answer = answer.map(|answer| logs.compiled().find(answer));
    let answer = answer.as_ref().unwrap_or(&found);
    let located = found.locate_recorded(answer, interaction, recorder, limits);
    let parts = located.and_then(|located| parts_of_call(&found, &located, place));
    parts.unwrap_or_else(|| vec![Err(no_exchange(interaction, place))])
}

/// Adds the record to its exchanges.
fn of_record<'a>(mut parts: Parts<'a>, call: &Listed<'_>, place: RecordPlace<'a>) -> Parts<'a> {
    let span = |node: &Node<'_>| place.span_of(*node);
    for exchange in parts.iter_mut().flatten() {
        let wrapped = exchange.record.as_ref().and_then(CallRecord::wrapped);
        let record = CallRecord::new(place.file, span(&call.node)).wrapping(wrapped);
        exchange.record = Some(record.within(call.around.iter().map(span).collect()));
    }
    parts
}

fn no_exchange(node: Node<'_>, place: RecordPlace<'_>) -> Skip {
    Skip::at(Reason::NoExchange, place.span_of(node))
}

/// Reads records at a place, with so many `wrappers` around others inside.
#[derive(Clone, Copy)]
struct RecordReader<'r, 'a> {
    place: RecordPlace<'a>,
    logs: &'r Logs<'r>,
    texts: &'a DecodedTexts,
    wrappers: usize,
}

impl<'r, 'a> RecordReader<'r, 'a> {
    fn new(place: RecordPlace<'a>, logs: &'r Logs<'r>, texts: &'a DecodedTexts) -> Self {
        Self {
            place,
            logs,
            texts,
            wrappers: MAX_WRAPPERS,
        }
    }

    fn parts(self, record: Node<'_>) -> Parts<'a> {
        let records = pieces::elements(record).into_iter();
        let parts = records.flat_map(|record| self.parts_of_one(record));
        self.or_no_exchange(parts.collect(), record)
    }

    fn or_no_exchange(self, parts: Parts<'a>, record: Node<'_>) -> Parts<'a> {
        if parts.is_empty() {
            return vec![Err(no_exchange(record, self.place))];
        }
        parts
    }

    /// Reads one record: an exchange, a list of records, or a record in a string, as container engines wrap what programs write.
    fn parts_of_one(self, record: Node<'_>) -> Parts<'a> {
        let place = self.place;
        let alone = Listed::alone(record);
        match record.kind() {
            ValueKind::Object => {}
            ValueKind::String if is_record_in_text(record) => return self.parts_of_text(record),
            ValueKind::Array => return self.or_no_exchange(self.calls_inside(record), record),
            _ => {
                return self.or_no_exchange(self.calls_in_lines(record), record);
            }
        }
        let found = self.logs.compiled().find(record);
        let located = found.locate(record, self.logs);
        let call = located
            .as_ref()
            .and_then(|located| Some((parts_of_call(&found, located, place)?, located)));
        let mut listed = self.parts_of_lists(&found, record);
        if let Some((mut parts, located)) = call {
            if listed.is_empty() {
                listed = self.calls_beside(located, &mut parts);
            }
            // A part with a call that is read states that one.
            for other in listed.iter().flatten() {
                let url = other.outer(other.call.url_span.unwrap_or_default());
                let is_apart = |it: &Span| it.end <= url.start || url.end <= it.start;
                let exchanges = parts.iter_mut().flatten();
                exchanges.for_each(|exchange| exchange.beside.retain(is_apart));
            }
            // The calls that it lists were made for it. What is listed beside them is none.
            let is_other = |part: &Result<_, Skip>| matches!(part, Err(skip) if skip.reason == Reason::NoExchange);
            let listed = listed.into_iter().filter(|part| !is_other(part));
            return of_record(parts, &alone, place)
                .into_iter()
                .chain(listed)
                .collect();
        }
        if !listed.is_empty() {
            return listed;
        }
        let Some(inner) = self.inner() else {
            return vec![Err(self.too_deep(record))];
        };
        of_record(inner.parts_of_wrapped(&found, record), &alone, place)
    }

    /// Reads the lists in a record that its shapes say have records.
    fn parts_of_lists(self, found: &Found<'_, '_>, record: Node<'_>) -> Parts<'a> {
        let listed = found.lists(record, self.logs);
        let parts = |call: &Listed<'_>| match self.inner() {
            Some(inner) => of_record(inner.parts_of_one(call.node), call, self.place),
            None => vec![Err(self.too_deep(call.node))],
        };
        listed.iter().flat_map(parts).collect()
    }

    /// Reads the records inside of one; `None` if they are inside of too many.
    fn inner(self) -> Option<Self> {
        let wrappers = self.wrappers.checked_sub(1)?;
        Some(Self { wrappers, ..self })
    }

    fn too_deep(self, record: Node<'_>) -> Skip {
        let skip = Skip::at(Reason::TooDeep, self.place.span_of(record));
        skip.because("too many records inside of each other")
    }

    /// Reads what a program wrote into a string or an object of a record; if there is nothing, what may be a call is named.
    fn parts_of_wrapped(self, found: &Found<'_, '_>, record: Node<'_>) -> Parts<'a> {
        let mut broken = None;
        let named = found.wrapped(self.logs);
        let is_new = |text: &Node<'_>| named.iter().all(|known| known.index() != text.index());
        let others = record.children().filter(may_be_written).filter(is_new);
        for node in named.iter().copied().chain(others) {
            let parts = match node.kind() {
                ValueKind::Object => self.parts_of_one(node),
                _ if is_record_in_text(node) || is_in_base64(node) => self.parts_of_text(node),
                // As journald writes a line that is not plain.
                _ if is_call_in_bytes(node) => {
                    let span = self.place.span(node.label());
                    let skip = Skip::at(Reason::BadEncoding, span);
                    vec![Err(skip.because(
                        "a text as its bytes; for a journal, use `journalctl -o cat`",
                    ))]
                }
                _ => self.calls_in_lines(node),
            };
            if has_call(&parts) {
                return parts;
            }
            // What is said of the record inside is said of this one.
            broken = broken.or_else(|| find_reason(parts));
        }
        if let Some(skip) = broken {
            return vec![Err(skip)];
        }
        if let Some(body) = found.lone_response(self.logs) {
            let span = self.place.span(body.label());
            return vec![Err(Skip::at(Reason::LoneResponse, span))];
        }
        let inside = self.calls_inside(record);
        if has_call(&inside) {
            return inside;
        }
        // Users who map records leave out other lines on purpose.
        let table = propose_table(record).filter(|_| self.logs.has_no_call_table());
        let skip = no_exchange(record, self.place);
        vec![Err(match table {
            Some(table) => Skip {
                reason: Reason::UnknownLayout,
                ..skip.because(table)
            },
            None => skip,
        })]
    }

    /// Reads the lines of an access log in a string.
    fn calls_in_lines(self, text: Node<'_>) -> Parts<'a> {
        let source = may_be_access_line(text)
            .then(|| DecodedText::of(text, self.place, self.texts))
            .flatten();
        let Some(source) = source else {
            return Vec::new();
        };
        let bytes = source.text.as_bytes();
        let exchange = |line: Span| {
            let LineFit::Whole(pieces) = self.logs.read_line(line.slice(bytes)) else {
                return None;
            };
            Some(Ok(Exchange {
                record: Some(source.record(self.place.file)),
                extent: Some(line),
                map: Some(source.map.clone()),
                ..pieces.exchange(line, bytes, 0)?
            }))
        };
        LineSpans::within(bytes, Span::new(0, bytes.len()))
            .filter_map(exchange)
            .collect()
    }

    /// Reads the record in a string, which may be base64, and compressed if it is not inside of others.
    fn parts_of_text(self, text: Node<'_>) -> Parts<'a> {
        let is_encoded = !text.raw_bytes().starts_with(b"\"{") && self.wrappers > MAX_UNPACKED;
        let span = self.place.span_of(text);
        let body = Body::new(self.place.file, span, Encoding::Base64JsonString);
        let content = is_encoded
            .then(|| body.content(Limits::default()).ok())
            .flatten();
        let source = match content {
            Some(content) if content.is_unpacked && !self.texts.may_keep(content.bytes.len()) => {
                return vec![Err(Skip::at(Reason::ExpandsTooFar, span))];
            }
            Some(content) => DecodedText::of_content(&body, content, self.texts),
            None => DecodedText::of(text, self.place, self.texts),
        };
        let Some(source) = source else {
            return vec![Err(no_exchange(text, self.place))];
        };
        let mut reader = Self {
            place: source.place(),
            ..self
        };
        if is_encoded {
            reader.wrappers = MAX_UNPACKED;
        }
        let mut parts = reader.parts_of_decoded(&source);
        if is_encoded && !has_call(&parts) && states_calls(source.text.as_bytes()) {
            let skip = Skip::at(Reason::BadEncoding, span);
            return vec![Err(skip.because("a record in base64, in an unknown layout"))];
        }
        for exchange in parts.iter_mut().flatten() {
            exchange.record = Some(source.record(self.place.file));
        }
        parts
    }

    /// Reads the record that is all of a text, by its outer levels if these show enough.
    fn parts_of_decoded(self, source: &DecodedText<'a>) -> Parts<'a> {
        let (bytes, whole) = (self.place.file, source.whole);
        let all = Span::new(0, bytes.len());
        match OuterReader::new(bytes, self.logs, MAX_DOCUMENT_DEPTH).scan(all) {
            Some(Ok(exchange)) if exchange.is_valid(&[]) => {
                return parts_in_file(vec![Ok(exchange)], &source.map);
            }
            Some(Err(skip)) => return vec![Err(Skip::at(skip.reason, whole))],
            _ => {}
        }
        if let Some(error) = find_error(bytes, MAX_DOCUMENT_DEPTH) {
            // Container engines cut long lines.
            let is_cut = error.leaves_prefix_whole() && could_be(bytes, self.logs);
            let reason = if is_cut {
                Reason::Truncated
            } else {
                Reason::NoExchange
            };
            return vec![Err(Skip::at(reason, whole))];
        }
        let parts = self.parts(Document::of_valid(bytes, |_| true).root());
        if parts.iter().any(Result::is_ok) {
            return parts_in_file(parts, &source.map);
        }
        // What is inside has positions in the text, which are reported as that of the text.
        let at = Skip::at(Reason::NoExchange, whole);
        vec![Err(match find_reason(parts) {
            Some(Skip { reason, detail, .. }) => Skip {
                reason,
                detail,
                ..at
            },
            None => at,
        })]
    }

    /// Reads the calls in a record, wherever they are. There, a method and a URL may be anything, such as a route: a call also has
    /// a status or header fields. If a body may be beside the only one, there are none, so that a table is proposed.
    fn calls_inside(self, record: Node<'_>) -> Parts<'a> {
        if !may_hold_calls(record.raw_bytes()) && !may_have_method(record) {
            return Vec::new();
        }
        let is_call = |node: Node<'_>| is_surely_call(node, self.logs);
        let (calls, others) = find_calls(containers(record.children()), is_call);
        if matches!(*calls, [call] if has_body_beside(record, call)) {
            return Vec::new();
        }
        let parts = calls.into_iter().flat_map(|call| self.parts_of_one(call));
        let mut parts: Parts<'a> = parts.collect();
        // What is in a list with a call is a record, too.
        let (mut members, listed): (Vec<_>, Vec<_>) =
            others.into_iter().partition(|node| node.key().is_some());
        // A title names the calls of the record.
        members.retain(|node| may_hold_calls(node.raw_bytes()));
        self.add_beside(&mut parts, members);
        let listed = listed.into_iter();
        parts.extend(listed.map(|node| Err(no_exchange(node, self.place))));
        parts
    }

    /// Notes at the first call of a record which other values of it are not read and may state others.
    fn add_beside(self, parts: &mut Parts<'a>, others: Vec<Node<'_>>) {
        if let Some(exchange) = parts.iter_mut().flatten().next() {
            let spans = others.into_iter().map(|node| self.place.span_of(node));
            exchange.beside.extend(spans);
            exchange.beside.sort_unstable();
            exchange.beside.dedup();
        }
    }

    /// Reads the calls in members of a record that is one itself: those that a server made to answer it, or that were tried again. An
    /// object with the same method and path describes the same call, unless both have a body. `parts` are the call.
    fn calls_beside(self, located: &LocatedRecord<'_>, parts: &mut Parts<'a>) -> Parts<'a> {
        let mut others = located.others(may_hold_calls_inside).peekable();
        let Some(inner) = self.inner() else {
            let skip = |_: &Node<'_>| vec![Err(self.too_deep(located.record))];
            return others.peek().map_or_else(Vec::new, skip);
        };
        let (texts, others): (Vec<_>, _) = others.partition(|node| is_record_in_text(*node));
        let is_another = |node: Node<'_>| {
            let found = may_have_method(node).then(|| self.logs.compiled().find(node));
            let inside = found.and_then(|found| found.locate(node, self.logs));
            inside.is_some_and(|inside| {
                let is_made = inside.status.is_some() || inside.has_message();
                inside.method.is_some() && is_made && !inside.is_same_call(located)
            })
        };
        let (calls, mut unread) = find_calls(others, is_another);
        unread.retain(|node| may_state_calls(node.raw_bytes()));
        self.add_beside(parts, unread);
        let parts = calls.into_iter().flat_map(|call| inner.parts_of_one(call));
        let written = texts.into_iter().flat_map(|text| inner.parts_of_text(text));
        parts.chain(written.filter(is_call)).collect()
    }
}

/// The objects and lists among values.
fn containers<'n>(values: impl Iterator<Item = Node<'n>>) -> Vec<Node<'n>> {
    values.filter(|value| is_container(*value)).collect()
}

/// The calls among values and inside of these, in the order of the text, and the objects, lists and texts around them.
fn find_calls(
    values: Vec<Node<'_>>,
    is_call: impl Fn(Node<'_>) -> bool,
) -> (Vec<Node<'_>>, Vec<Node<'_>>) {
    const MAX_LEVELS: usize = 8;
    let mut calls = Vec::new();
    let mut level = values.clone();
    for _ in 1..MAX_LEVELS {
        let (found, others): (Vec<_>, Vec<_>) = level
            .into_iter()
            .partition(|node| node.kind() == ValueKind::Object && is_call(*node));
        calls.extend(found);
        let inner = others.into_iter().flat_map(Node::children);
        level = containers(inner);
    }
    calls.sort_unstable_by_key(|call| call.index());
    let mut others = Vec::new();
    for value in values {
        add_others(value, &calls, &mut others);
    }
    (calls, others)
}

/// Adds the objects, lists and texts in a value that neither are one of `calls`, which are in the order of the text, nor have one
/// inside.
fn add_others<'n>(value: Node<'n>, calls: &[Node<'_>], others: &mut Vec<Node<'n>>) {
    let span = value.span();
    let next = calls.partition_point(|call| call.span().start < span.start);
    match calls.get(next).map(|call| call.span()) {
        Some(call) if call == span => {}
        Some(call) if call.end <= span.end => {
            for inside in value.children() {
                add_others(inside, calls, others);
            }
        }
        _ if is_container(value) || value.kind() == ValueKind::String => others.push(value),
        _ => {}
    }
}

/// The first of the skips that says more than that there is no exchange.
fn find_reason(parts: Parts<'_>) -> Option<Skip> {
    let mut skips = parts.into_iter().filter_map(Result::err);
    skips.find(|skip| skip.reason != Reason::NoExchange)
}

/// Whether a member may have what a program wrote, whatever its name.
fn may_be_written(node: &Node<'_>) -> bool {
    is_record_in_text(*node) || may_be_access_line(*node) || is_call_in_bytes(*node)
}

/// Whether a member beside an object may have what a program wrote, or state calls.
fn may_be_beside(node: &Node<'_>) -> bool {
    may_be_written(node) || node.kind() == ValueKind::String && may_hold_calls(node.raw_bytes())
}

/// Whether a message may hold a call that journald writes as a list of bytes, because one of them cannot be printed.
fn is_call_in_bytes(message: Node<'_>) -> bool {
    let is_list = message.kind() == ValueKind::Array;
    let bytes = || serde_json::from_slice::<Vec<u8>>(message.raw_bytes()).unwrap_or_default();
    is_list && states_calls(&bytes())
}

/// Whether a text that was in another encoding has calls, perhaps in a string, or says that one was made.
fn states_calls(text: &[u8]) -> bool {
    let mut text = text.to_vec();
    text.retain(|&byte| byte != b'\\');
    may_state_calls(&text) || may_state_call(&text)
}

/// Whether a text may have calls, as objects or in lines.
fn may_state_calls(text: &[u8]) -> bool {
    may_hold_calls(text) || contains(text, REQUEST_END)
}

/// Whether a string may be the line of an access log, by what all common formats have.
fn may_be_access_line(text: Node<'_>) -> bool {
    text.kind() == ValueKind::String
        && !is_record_in_text(text)
        && contains(text.raw_bytes(), REQUEST_END)
}

/// Whether a record whose members are no exchange may be one by its values.
fn may_be_known(found: &Found<'_, '_>, record: Node<'_>, logs: &Logs<'_>) -> bool {
    let is_object = |node: &Node<'_>| node.kind() == ValueKind::Object;
    let mut wrapped = found.wrapped(logs).into_iter();
    wrapped.any(|node| is_object(&node) || may_be_written(&node) || is_in_base64(node))
        || record.children().any(|node| may_be_written(&node))
        || found.lone_response(logs).is_some()
        || may_have_method(record)
}

/// Finds the exchanges of a record that is valid JSON. A tree of large bodies would take many times their memory, so their
/// content is left out unless it is needed.
pub(crate) fn parts_of_valid<'a>(
    text: &[u8],
    place: RecordPlace<'a>,
    logs: &Logs<'_>,
    texts: &'a DecodedTexts,
) -> Parts<'a> {
    let outer = logs.outer_of_valid(text);
    let parts_of_outer = parts(outer.root(), place, logs, texts);
    if !outer.needs_whole_tree() {
        return parts_of_outer;
    }
    drop(outer);
    parts(
        Document::of_valid(text, |_| true).root(),
        place,
        logs,
        texts,
    )
}

/// The size in bytes of a document in which calls are searched: its tree takes many times that.
const MAX_SEARCHED: usize = 32 * 1024 * 1024;

/// Whether a document may have calls anywhere, by the methods of nearly all of them.
pub(crate) fn may_hold_calls(text: &[u8]) -> bool {
    static QUOTED: LazyLock<[Finder<'static>; 5]> = LazyLock::new(|| {
        ["\"POST\"", "\"GET\"", "\"PUT\"", "\"PATCH\"", "\"DELETE\""].map(Finder::new)
    });
    text.len() <= MAX_SEARCHED && QUOTED.iter().any(|method| method.find(text).is_some())
}

/// Whether a member of a call, or the record in its text, may have others.
pub(crate) fn may_hold_calls_inside(member: Node<'_>) -> bool {
    if member.kind() != ValueKind::String {
        return may_hold_calls(member.raw_bytes());
    }
    let is_it = |text: &str| may_hold_calls(text.as_bytes());
    member.raw_bytes().starts_with(b"\"{") && member.as_str().is_some_and(is_it)
}

/// Whether a value is a call, and no route: it also has a status or header fields.
pub(crate) fn is_surely_call(node: Node<'_>, logs: &Logs<'_>) -> bool {
    // The quick look knows methods by the quotes of JSON.
    if !node.document().is_yaml() && !may_have_method(node) {
        return false;
    }
    let located = logs.compiled().find(node).locate(node, logs);
    located.is_some_and(|located| {
        let is_answered = located.status.and_then(pieces::status_of).is_some();
        let has_fields = [&located.request, &located.response]
            .iter()
            .any(|message| message.headers.is_some());
        located.method.is_some() && (is_answered || has_fields)
    })
}

/// Whether a text could be an exchange or a list with exchanges, by the names of members, even if it is broken. Other
/// texts need not be parsed; and if such a text is broken, its parts do not belong to a body.
pub(crate) fn could_be(bytes: &[u8], logs: &Logs<'_>) -> bool {
    let is_record = |at| bytes.get(at) == Some(&b'{') && logs.compiled().begins_record(bytes, at);
    let open = scan::skip_whitespace(bytes, 0);
    if bytes.get(open) != Some(&b'[') {
        return is_record(open);
    }
    scan::elements(bytes, open).any(|element| match element {
        Ok(element) => is_record(element.start),
        Err(scan::Break::Truncated(at)) => is_record(at),
        Err(scan::Break::Malformed(_)) => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_exchange::{Message, QueryParameter};

    /// Keeps decoded texts as long as the tests run.
    fn texts() -> &'static DecodedTexts {
        Box::leak(Box::default())
    }

    /// Method, path, and the decoded bodies of the exchanges in a record.
    fn read(text: &str) -> Vec<(String, String, String, String)> {
        let tree = Document::parse_json(text, 99).unwrap();
        let place = RecordPlace {
            file: text.as_bytes(),
            start: 0,
        };
        let body = |message: &Message<'_>| {
            let bytes = message
                .body()
                .map(|body| body.decode().unwrap().into_owned());
            String::from_utf8(bytes.unwrap_or_default()).unwrap()
        };
        parts(tree.root(), place, &Logs::default(), texts())
            .iter()
            .flatten()
            .map(|exchange| {
                let method = exchange
                    .call
                    .method
                    .as_ref()
                    .map_or("?", |method| method.as_str());
                let path = exchange.call.target().segments.join("/");
                (
                    method.to_owned(),
                    path,
                    body(&exchange.request),
                    body(&exchange.response),
                )
            })
            .collect()
    }

    fn one(text: &str) -> (String, String, String, String) {
        let mut all = read(text);
        assert_eq!(all.len(), 1, "{text}");
        all.remove(0)
    }

    fn expected(request: &str, response: &str) -> (String, String, String, String) {
        (
            "POST".into(),
            "v1/chat".into(),
            request.into(),
            response.into(),
        )
    }

    #[test]
    fn plain_records() {
        let text = r#"{"response":{"status":200,"body":"{\"b\":2}"},"request":{"body":{"a":1}},"url":"https://h/v1/chat?x","method":"post"}"#;
        assert_eq!(one(text), expected(r#"{"a":1}"#, r#"{"b":2}"#));
        assert_eq!(
            one(r#"{"method":"POST","path":"/v1/chat","body":[1]}"#),
            expected("[1]", "")
        );
    }

    #[test]
    fn bodies_without_a_message_around_them() {
        let nested = r#"{"method":"POST","path":"/v1/chat","request":{"query":"x"},"response":{"status":"ok"}}"#;
        assert_eq!(
            one(nested),
            expected(r#"{"query":"x"}"#, r#"{"status":"ok"}"#)
        );
        let escaped =
            r#"{"method":"POST","path":"/v1/chat","request":"{\"a\":1}","response":"[]"}"#;
        assert_eq!(one(escaped), expected(r#"{"a":1}"#, "[]"));
        let messages =
            r#"{"request":{"method":"POST","url":"/v1/chat"},"response":{"status":200}}"#;
        assert_eq!(one(messages), expected("", ""));
    }

    #[test]
    fn pino_http_records() {
        let text = r#"{"level":30,"time":1763539964000,"req":{"id":1,"method":"POST","url":"/v1/chat","body":{"a":1}},"res":{"statusCode":200,"body":"[]"},"msg":"request completed"}"#;
        assert_eq!(one(text), expected(r#"{"a":1}"#, "[]"));
    }

    #[test]
    fn ecs_records_nested_dotted_and_mixed() {
        let nested = r#"{"@timestamp":"2026-11-19T08:12:44Z","http":{"request":{"method":"post","body":{"content":"{\"a\":1}","bytes":7}},"response":{"status_code":200,"body":{"content":"[]"}}},"url":{"original":"/v1/chat","domain":"h"}}"#;
        assert_eq!(one(nested), expected(r#"{"a":1}"#, "[]"));
        let dotted = r#"{"http.request.method":"POST","url.path":"/v1/chat","http.request.body.content":"{\"a\":1}"}"#;
        assert_eq!(one(dotted), expected(r#"{"a":1}"#, ""));
        let mixed = r#"{"http":{"request.method":"POST","response":{"body.content":"[]"}},"url":{"full":"https://h/v1/chat"}}"#;
        assert_eq!(one(mixed), expected("", "[]"));
    }

    #[test]
    fn open_telemetry_records_flat_listed_and_batched() {
        let flat = r#"{"attributes":{"http.request.method":"POST","url.full":"https://h/v1/chat","http.response.body":"[]"}}"#;
        assert_eq!(one(flat), expected("", "[]"));
        let old = r#"{"attributes":{"http.method":"POST","http.target":"/v1/chat"}}"#;
        assert_eq!(one(old), expected("", ""));
        let span = r#"{"startTimeUnixNano":"1763539964000000000","attributes":[{"key":"http.request.method","value":{"stringValue":"POST"}},{"key":"url.path","value":{"stringValue":"/v1/chat"}},{"key":"http.request.body","value":{"stringValue":"{\"a\":1}"}}]}"#;
        assert_eq!(one(span), expected(r#"{"a":1}"#, ""));
        let batch = format!(
            r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{span},{{"name":"other"}},{span}]}}]}}]}}"#
        );
        assert_eq!(read(&batch).len(), 2);
    }

    #[test]
    fn caddy_and_kong_records() {
        let caddy = r#"{"level":"info","ts":1763539964.52,"logger":"http.log.access_log","request":{"method":"POST","host":"h","uri":"/v1/chat?x=1","headers":{"Content-Type":["application/json"]}},"status":200,"resp_headers":{"Server":["Caddy"]},"resp_body":"[]"}"#;
        assert_eq!(one(caddy), expected("", "[]"));
        let kong = r#"{"request":{"method":"POST","uri":"/v1/chat","url":"http://h:8000/v1/chat","body":"{\"a\":1}"},"upstream_uri":"/","response":{"status":200,"body":"[]"},"started_at":1763539964123}"#;
        assert_eq!(one(kong), expected(r#"{"a":1}"#, "[]"));
    }

    #[test]
    fn records_without_a_call_are_none() {
        for text in [
            r#"{"url":"https://h/x","title":"a bookmark"}"#,
            r#"{"method":"POST"}"#,
            "[]",
            "7",
            r#"{"level":30,"msg":"started"}"#,
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn entries_of_archives_are_read_a_line_each() {
        let text = r#"{"request":{"method":"POST","url":"/v1/chat","postData":{"text":"{\"a\":1}"}},"response":{"status":200,"content":{"encoding":"base64","text":"W10="}}}"#;
        assert_eq!(one(text), expected(r#"{"a":1}"#, "[]"));
    }

    #[test]
    fn a_member_called_content_makes_no_entry() {
        let text =
            r#"{"method":"POST","url":"/v1/chat","response":{"status":200,"content":{"a":1}}}"#;
        assert_eq!(one(text), expected("", r#"{"a":1}"#));
    }

    #[test]
    fn deep_lists_are_no_exchanges_and_no_danger() {
        let text = "[".repeat(300_000) + &"]".repeat(300_000);
        let tree = Document::parse_json(&text, 1_000_000).unwrap();
        assert_eq!(
            parts(
                tree.root(),
                RecordPlace {
                    file: text.as_bytes(),
                    start: 0
                },
                &Logs::default(),
                texts()
            )
            .len(),
            1
        );
        assert!(!could_be(text.as_bytes(), &Logs::default()));
        assert!(could_be(
            br#"[null, {"note":1}, {"request_uri":"/x"}]"#,
            &Logs::default()
        ));
    }

    #[test]
    fn method_and_url_come_from_one_shape() {
        let text = r#"{"method":"handleRequest","url":"internal","req":{"method":"POST","url":"/v1/chat","body":[]}}"#;
        assert_eq!(one(text), expected("[]", ""));
        assert_eq!(
            one(r#"{"method":"-","url":"/v1/chat","status":200,"body":[]}"#).0,
            "?",
            "an unknown method"
        );
        assert!(
            read(r#"{"url":"https://h/x","status":"ok","messages":[]}"#).is_empty(),
            "a body with a URL in it"
        );
    }

    #[test]
    fn lists_and_queries_apart_are_read() {
        assert_eq!(
            read(r#"[{"method":"GET","url":"/a"},{"x":1},{"method":"GET","url":"/b"}]"#).len(),
            2
        );
        let query = |text: &str| {
            let tree = Document::parse_json(text, 99).unwrap();
            let parts = parts(
                tree.root(),
                RecordPlace {
                    file: text.as_bytes(),
                    start: 0,
                },
                &Logs::default(),
                texts(),
            );
            let parameters = &parts[0].as_ref().unwrap().call.target().parameters;
            let text = |parameter: &QueryParameter<'_>| {
                format!(
                    "{}={}",
                    parameter.name,
                    parameter.value.as_deref().unwrap_or("?")
                )
            };
            parameters.iter().map(text).collect::<Vec<_>>()
        };
        assert_eq!(
            query(r#"{"http.request.method":"GET","url":{"path":"/a","query":"page=2&x"}}"#),
            ["page=2", "x="]
        );
        assert_eq!(
            query(r#"{"request":{"method":"GET","uri":"/a","querystring":{"page":"2"}}}"#),
            ["page=2"]
        );
    }

    #[test]
    fn records_in_records_are_read_to_a_depth_and_once() {
        let call = r#"{"method":"POST","url":"/v1/chat","body":{"a":1}}"#;
        let wrapped = |levels: usize| {
            let open = "{\"message\":".repeat(levels);
            open + call + &"}".repeat(levels)
        };
        assert_eq!(one(&wrapped(3)), expected(r#"{"a":1}"#, ""));
        assert!(read(&wrapped(90)).is_empty(), "and no danger");
        let other = r#"{"message":"{\"level\":1}","jsonPayload":CALL}"#.replace("CALL", call);
        assert_eq!(read(&other).len(), 1, "the first text is no call");
        let answered = call.replace("\"body\"", "\"status\":200,\"body\"");
        let alone = |rest: &str| {
            r#"{"ts":1,"fields":{"call":CALL}REST}"#
                .replace("REST", rest)
                .replace("CALL", &answered)
        };
        assert_eq!(one(&alone("")).2, r#"{"a":1}"#);
        assert!(
            read(&alone(r#","sent":{"a":1}"#)).is_empty(),
            "this may be the body"
        );
        let route = r#"{"msg":"registered","route":{"method":"GET","url":"/v1/chat"}}"#;
        assert!(read(route).is_empty());
        let list =
            r#"{"requests":[{"requestFrom":"x","wasMatched":true,"method":"GET","path":"/a"}]}"#;
        assert_eq!(read(list).len(), 1, "two programs call their lists alike");
        let mixed =
            r#"{"events":[{"message":"START"},{"message":"{\"method\":\"GET\",\"url\":\"/a\"}"}]}"#;
        assert_eq!(read(mixed).len(), 1, "the first event is none");
        let depth = 20_000;
        let lists = "[".repeat(depth) + &"]".repeat(depth);
        let deep = format!(r#"{{"events":{lists},"hits":{{"hits":[{{"_source":{lists}}}]}}}}"#);
        let tree = Document::parse_json(&deep, 1_000_000).unwrap();
        let place = RecordPlace {
            file: deep.as_bytes(),
            start: 0,
        };
        let parts = parts(tree.root(), place, &Logs::default(), texts());
        assert!(!parts.iter().any(Result::is_ok), "and no danger");
    }

    #[test]
    fn a_name_that_is_nested_and_joined_has_both_bodies() {
        let text =
            r#"{"request":{"method":"POST","url":"/v1/chat","body":"{}"},"request.body":{"a":1}}"#;
        let bodies: Vec<_> = read(text).into_iter().map(|call| call.2).collect();
        assert_eq!(bodies, ["{}", r#"{"a":1}"#]);
    }

    #[test]
    fn a_member_beside_the_call_whose_name_says_its_side_is_the_body() {
        let labels = |label: &str| {
            let rest = r#""status":200,"labels":{"LABEL":"{\"a\":1}"}}"#.replace("LABEL", label);
            format!(r#"{{"method":"POST","url":"/v1/chat",{rest}"#)
        };
        assert_eq!(one(&labels("request_json")), expected(r#"{"a":1}"#, ""));
        assert_eq!(one(&labels("responseText")), expected("", r#"{"a":1}"#));
        assert_eq!(one(&labels("req_content")), expected(r#"{"a":1}"#, ""));
        assert_eq!(one(&labels("respJson")), expected("", r#"{"a":1}"#));
        assert_eq!(one(&labels("input")), expected("", ""), "of no side");
        assert_eq!(one(&labels("request_id")), expected("", ""));
    }

    /// The members of each half of a call that may be its body and are not read.
    fn unread(text: &str) -> [Option<String>; 2] {
        let tree = Document::parse_json(text, 99).unwrap();
        let place = RecordPlace {
            file: text.as_bytes(),
            start: 0,
        };
        let parts = parts(tree.root(), place, &Logs::default(), texts());
        let exchange = parts[0].as_ref().unwrap();
        [&exchange.request, &exchange.response]
            .map(|message| Some(message.unread()?.member?.into_string()))
    }

    #[test]
    fn all_members_that_may_be_bodies_are_named_for_each_side() {
        let call = |rest: &str| format!(r#"{{"method":"POST","url":"/v1/chat",{rest}}}"#);
        let named = |name: &str| Some(name.to_owned());
        for (rest, sent, received) in [
            (
                r#""input":{"a":1},"output":[1]"#,
                named("input"),
                named("output"),
            ),
            (
                r#""response_body":"[]","data":{"a":1}"#,
                named("data"),
                None,
            ),
            (
                r#""request_body":"[]","reply":{"a":1}"#,
                None,
                named("reply"),
            ),
            (r#""request_body":"[]","form":{"a":1}"#, None, None),
            (r#""response_body":"[]","data":"words""#, None, None),
        ] {
            assert_eq!(unread(&call(rest)), [sent, received], "{rest}");
        }
        let http = call(r#""http_request_body_printable":"[1]","http_response_body":"[2]""#);
        assert_eq!(one(&http), expected("[1]", "[2]"));
        let parsed = r#"{"controller":"x","method":"POST","path":"/v1/chat","params":[{"key":"a","value":[1]}]}"#;
        assert_eq!(
            unread(parsed),
            [named("params"), None],
            "names and values in a list"
        );
    }

    #[test]
    fn a_body_is_of_the_side_that_the_shape_says() {
        let text = r#"{"bytes_in":9,"code":200,"method":"POST","url":"/v1/chat","body":"[]","headers":{"A":["b"]}}"#;
        assert_eq!(one(text), expected("", "[]"));
        let empty = r#"{"request":{"method":"POST","url":"/v1/chat","body":"","request_body":"[]"},"response":{"body":"[1]"}}"#;
        assert_eq!(one(empty), expected("[]", "[1]"));
        let contract =
            r#"{"request":{"method":"POST","urlPath":"/v1/chat"},"response":{"status":200}}"#;
        assert_eq!(one(contract), expected("", ""), "the URL is none of a body");
    }

    #[test]
    fn whole_http_messages_in_strings_are_read() {
        let text = r#"{"request":"POST /v1/chat HTTP/1.1\r\nHost: h.test\r\n\r\n{\"a\":1}","response":"HTTP/1.1 410 Gone\r\n\r\n[]"}"#;
        assert_eq!(one(text), expected(r#"{"a":1}"#, "[]"));
        let base64 = r#"{"method":"POST","path":"/v1/chat","raw_request":"UE9TVCAvIEhUVFAvMS4xCgpbXQ==","raw_response":"SFRUUC8xLjEgMjAwIE9LCgp7fQ=="}"#;
        assert_eq!(one(base64), expected("[]", "{}"));
        let words = r#"{"method":"POST","url":"/v1/chat","request_body":"GET out"}"#;
        assert_eq!(one(words), expected("GET out", ""));
    }

    #[test]
    fn a_whole_message_ends_where_its_header_fields_say_unless_it_is_decoded() {
        let body = |fields: &str, body: &str| {
            let text = format!("POST /v1/chat HTTP/1.1\r\n{fields}\r\n\r\n{body}");
            one(&serde_json::json!({ "request": text }).to_string()).2
        };
        let chunks = "4\r\n{\"a\"\r\n3\r\n:1}\r\n0\r\n\r\n";
        assert_eq!(body("Transfer-Encoding: chunked", chunks), r#"{"a":1}"#);
        assert_eq!(
            body("Transfer-Encoding: chunked", r#"{"a":1}"#),
            r#"{"a":1}"#
        );
        assert_eq!(body("Content-Length: 2", "[]HTTP/1.1 200 OK"), "[]");
        assert_eq!(body("Content-Length: 2", r#"{"a":1}"#), r#"{"a":1}"#);
    }

    #[test]
    fn the_body_of_a_whole_message_without_a_length_is_the_rest_of_it() {
        for fields in [
            "Host: h.test",
            "Content-Length:",
            "Transfer-Encoding: chunked",
        ] {
            for rest in ["a=1", r#"{"a":1,"b":"#, "{\"a\":1}\n{\"a\":2}"] {
                let text = format!("POST /v1/chat HTTP/1.1\r\n{fields}\r\n\r\n{rest}");
                let record = serde_json::json!({ "request": text });
                assert_eq!(one(&record.to_string()).2, rest, "{fields}");
            }
        }
    }

    #[test]
    fn a_record_in_a_string_keeps_the_size_of_a_body_that_was_cut() {
        let entry = r#"{"request":{"method":"POST","url":"/v1/chat"},"response":{"content":{"text":"{\"a\":1}","size":99}}}"#;
        let message = "HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\n{\"a\":";
        let raw = serde_json::json!({"method": "POST", "url": "/v1/chat", "raw_response": message});
        for text in [serde_json::json!({ "log": entry }), raw] {
            let text = text.to_string();
            let place = RecordPlace {
                file: text.as_bytes(),
                start: 0,
            };
            let tree = Document::parse_json(&text, 99).unwrap();
            let parts = parts(tree.root(), place, &Logs::default(), texts());
            let body = parts[0].as_ref().unwrap().response.body().unwrap();
            assert!(body.may_be_cut(), "{text}");
        }
    }

    #[test]
    fn the_entry_of_a_route_table_is_no_call() {
        for text in [
            r#"[{"method":"GET","path":"/x","handler":"getX"}]"#,
            r#"{"method":"GET","path":"/x","controller":"x","action":"show"}"#,
            r#"{"name":"x","verb":"GET","path":"/x","middleware":["auth"],"description":"X"}"#,
        ] {
            assert!(read(text).is_empty(), "{text}");
        }
        for rest in [
            r#""status":200"#,
            r#""time":"2026-11-20T00:00:00Z""#,
            r#""body":{}"#,
            r#""duration_ms":12"#,
            r#""request_id":"a""#,
            r#""message":"done""#,
        ] {
            let text = format!(r#"{{"method":"GET","path":"/x","handler":"getX",{rest}}}"#);
            assert_eq!(read(&text).len(), 1, "{text}");
        }
        for text in [
            r#"{"method":"GET","url":"https://h.test/x","action":"open"}"#,
            r#"{"request":{"method":"GET","url":"/x"},"action":"x"}"#,
        ] {
            assert_eq!(read(text).len(), 1, "{text}");
        }
    }

    #[test]
    fn a_url_is_relative_to_that_in_the_place_of_the_host() {
        let text = r#"{"name":"AxiosError","config":{"method":"post","baseURL":"https://h.test/v1/","url":"/chat","data":"[]"}}"#;
        assert_eq!(one(text), expected("[]", ""));
    }

    #[test]
    fn what_a_program_wrote_is_found_under_any_name() {
        let call = r#"{"method":"POST","url":"/v1/chat","body":[]}"#;
        let text = serde_json::json!({"level": 1, "LogMessage": call}).to_string();
        assert_eq!(one(&text), expected("[]", ""));
        let object = format!(r#"{{"level":1,"settings":{call}}}"#);
        assert!(read(&object).is_empty(), "an object may describe anything");
    }

    #[test]
    fn calls_are_found_anywhere_in_a_document() {
        let count = |text: &str| {
            let place = RecordPlace {
                file: text.as_bytes(),
                start: 0,
            };
            let document = Document::parse_json(text, 99).unwrap();
            let parts = parts(document.root(), place, &Logs::default(), texts());
            parts.iter().flatten().count()
        };
        let call = r#"{"method":"GET","url":"/a","status":200}"#;
        let route = r#"{"method":"GET","path":"/a","handler":"x"}"#;
        for (text, calls) in [
            (
                "{\"data\":{\"pages\":[{\"calls\":[CALL,CALL]},{\"calls\":[]},CALL]}}",
                3,
            ),
            ("{\"by_id\":{\"a\":CALL,\"b\":{\"note\":1}}}", 1),
            ("{\"routes\":[ROUTE,ROUTE]}", 0),
            ("[[[[[[[[[[CALL]]]]]]]]]]", 0),
        ] {
            let text = text.replace("CALL", call).replace("ROUTE", route);
            assert_eq!(count(&text), calls, "{text}");
        }
    }

    #[test]
    fn a_size_without_content_is_a_body_left_out() {
        let text = r#"{"http":{"request":{"method":"POST","body":{"bytes":70}}},"url":{"path":"/v1/chat"}}"#;
        let tree = Document::parse_json(text, 99).unwrap();
        let parts = parts(
            tree.root(),
            RecordPlace {
                file: text.as_bytes(),
                start: 0,
            },
            &Logs::default(),
            texts(),
        );
        let exchange = parts[0].as_ref().unwrap();
        assert!(exchange.request.body().is_none() && exchange.request.unread().is_some());
    }
}
