//! A worker: recognises, reads and checks one piece of work after another, and collects the findings.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell};
use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex};

use super::body_operation::describe_ambiguous_name;
use super::check_options::{CheckOptions, ending_of};
use super::description_check::{InspectedFile, check_description};
use super::named_bodies::read_named_body;
use super::source_files::{IgnoreFiles, is_list, is_source};
use sundown_captures::{
    Buffer, Chunk, Closeness, Format, FormatFamily, InputFile, Logs, PathOrigin, ReadOptions,
    Sniffed, Work, body_of_file, calls_of_batch, classify_refusal, is_text, propose_log_table,
    read, suggest_format,
};
use sundown_exchange::{
    Body, Call, CallPiece, Exchange, InvalidRecord, Lazy, OperationPattern, Reason, Record,
    RecordSink, Side, Skip,
};
use sundown_lint::findings::Finding;
use sundown_lint::rules::Rule;
use sundown_lint::{
    CheckedCall, Coverage, InnerElements, LintSink, Linter, Mention, PlainText, TextUnit, Wanted,
};
use sundown_report::{BlockCollector, BlockReport, Collector, Repeats};
use sundown_text_json::Limits;
use sundown_text_json::json::{MAX_DOCUMENT_DEPTH, Walker, earliest, is_value, scan, valid_prefix};
use sundown_text_json::text::{Block, Location, OffsetMap, Span};
use sundown_usage::{UsageCounter, UsageOptions, UsageScan, is_own_output};

/// The result of one piece of work.
pub(super) struct Done {
    /// The index of the file.
    pub file: usize,
    /// The name of the compression of the file.
    pub compression: Option<&'static str>,
    /// The format in which it was read; `None` if it was not read, or is evident.
    pub format: Option<Format>,
    /// The number of bytes that were read.
    pub bytes: usize,
    pub outcome: Outcome,
}

/// The findings, or why there are none.
pub(super) enum Outcome {
    Collected(Box<BlockReport>),
    Described(Vec<InspectedFile>),
    /// A part of the file, where it ends, and how many records it has.
    SkippedPart(Skip, Location, usize),
    Skipped(Skip),
}

/// How many bytes of files that a capture names are read for each of its own, beside one record: a line may name a file of any size.
const BYTES_NAMED_PER_BYTE: usize = 1000;

/// One of several workers that run in parallel.
pub(super) struct Worker<'o, 't> {
    options: &'o CheckOptions<'t>,
    linter: Linter<'o>,
    collector: BlockCollector,
    /// Counts calls and uses, instead of collecting findings.
    usage: Option<UsageCounter<'o>>,
    /// How many more bytes may be read of files that a part of a capture names.
    named_file_budget: Cell<usize>,
    ignores: IgnoreFiles,
    /// The pieces of the calls that it has checked, if they are wanted.
    pub pieces: Option<Vec<CallPiece>>,
}

impl<'o, 't> Worker<'o, 't> {
    /// Counts calls and uses, instead of collecting findings.
    pub(super) fn counting(self, usage: &'o UsageOptions) -> Self {
        Self {
            linter: self.linter.with_calls(),
            usage: Some(UsageCounter::new(usage, self.options.set)),
            ..self
        }
    }

    /// Reports every use by itself, whatever the options say, and keeps the pieces of all calls.
    pub(super) fn for_every_use(self) -> Self {
        Self {
            linter: self.linter.with_inner_elements(InnerElements::Separate),
            collector: BlockCollector::new(Repeats::Kept, self.options.settings.limits.findings),
            pieces: Some(Vec::new()),
            ..self
        }
    }

    /// Adds the callers that it has counted to the scan of all workers, if they take much memory.
    pub(super) fn flush_callers(&mut self, counted: &Mutex<UsageScan>) {
        if let Some(usage) = &mut self.usage {
            usage.flush_callers(counted);
        }
    }

    /// Adds the operations of which it has checked a call, and the numbers of calls that packs have rules for that the run does not use.
    pub(super) fn add_calls(&self, collector: &mut Collector<'_>) {
        let operations = self.options.set.operations();
        let called = self.linter.called_operations().into_iter();
        collector.called.extend(
            called.filter_map(|(index, file)| {
                Some((file, operations.get(index)?.pattern.to_string()))
            }),
        );
        for (&pack, &count) in self.linter.unused_calls() {
            if let Some(pack) = self.options.unused.name(pack) {
                let calls = &mut collector.report.pack_calls;
                *calls.entry(pack.to_owned()).or_default() += count;
            }
        }
    }

    /// Returns the calls and uses that it has counted.
    pub(super) fn into_usage(self) -> Option<UsageScan> {
        self.usage.map(UsageCounter::finish)
    }

    pub(super) fn new(options: &'o CheckOptions<'t>) -> Self {
        let linter = Linter::new(options.set, options.settings.lifecycle)
            .within(options.settings.limits)
            .with_grades(options.grades.clone())
            .with_values(options.values)
            .with_inner_elements(options.inner)
            .with_validation_of_all(options.settings.strict)
            .with_unused_rules(&options.unused);
        Self {
            options,
            linter,
            collector: BlockCollector::new(options.repeats(), options.settings.limits.findings),
            named_file_budget: Cell::default(),
            ignores: IgnoreFiles::default(),
            usage: None,
            pieces: None,
        }
    }

    /// Does a piece of work on `found`, and returns its memory.
    pub(super) fn work(&mut self, work: Work, found: &InputFile) -> (Done, Buffer) {
        let Work {
            order: (file, _),
            chunk,
            compression,
            ..
        } = work;
        let mut format = chunk.format();
        self.begin_part(chunk.size());
        let (bytes, outcome, buffer) = match chunk {
            Chunk::Whole(buffer) => {
                let (recognised, outcome) = self.whole(found, buffer.block());
                format = recognised;
                (buffer.block().bytes.len(), outcome, buffer)
            }
            Chunk::Records(buffer, format, records) => {
                let block = buffer.block();
                let logs = self.options.logs_of(found);
                let options = self.read_options(&logs);
                let numbered =
                    records.read(block, &options, &mut self.sink(found, format, block.bytes));
                let outcome = self.collected(format, records.positions_in(block), numbered);
                (block.bytes.len(), outcome, buffer)
            }
            Chunk::TooLarge {
                bytes,
                end,
                numbered,
            } => {
                let skip = Skip::file(Reason::TooLarge, bytes)
                    .because(self.options.settings.limits.too_large());
                let outcome = Outcome::SkippedPart(skip, end, numbered);
                (bytes, outcome, Buffer::default())
            }
            Chunk::Lines(buffer) => {
                let block = buffer.block();
                self.search_lines(found, self.wanted_of(FileRole::of(found)), block);
                (0, self.located(block), buffer)
            }
            Chunk::Not(reason, bytes, detail) => (
                bytes,
                Outcome::Skipped(not_read(found, reason, bytes, detail)),
                Buffer::default(),
            ),
        };
        let done = Done {
            file,
            compression,
            format,
            bytes,
            outcome,
        };
        (done, buffer)
    }

    /// Checks a text as the content of `found`, the only file.
    pub(super) fn check_text(&mut self, found: &InputFile, text: &[u8]) -> Done {
        self.begin_part(text.len());
        let (format, outcome) = self.whole(found, Block::whole(text));
        Done {
            file: 0,
            compression: None,
            format,
            bytes: text.len(),
            outcome,
        }
    }

    /// Sets how much may be unpacked, and read of other files, for a part of this size.
    fn begin_part(&mut self, bytes: usize) {
        self.linter.begin_part(bytes);
        let room = bytes.saturating_mul(BYTES_NAMED_PER_BYTE);
        self.named_file_budget
            .set(room.saturating_add(self.options.settings.limits.record));
    }

    fn sink<'r>(
        &'r mut self,
        found: &'r InputFile,
        format: Format,
        text: &'r [u8],
    ) -> FileSink<'r, 'o, 't> {
        let family = format.spec().family;
        if let Some(usage) = &mut self.usage {
            usage.set_file(&found.name.shown, family == FormatFamily::Cassettes);
        }
        FileSink {
            worker: self,
            found,
            text,
            is_log: [FormatFamily::Json, FormatFamily::Logs].contains(&family),
            role: OnceCell::new(),
            searched: Span::default(),
            is_covered: false,
        }
    }

    fn read_options<'l>(&self, logs: &'l Logs<'l>) -> ReadOptions<'l> {
        ReadOptions {
            is_declared: self.options.format.is_some(),
            limits: self.options.settings.limits,
            logs,
        }
    }

    /// The results of a block, which has so many numbered records.
    fn collected(&mut self, format: Format, block: Block<'_>, numbered: usize) -> Outcome {
        let collector = self.take_collector();
        let report = if format.is_binary() {
            collector.locate_bytes(block, numbered)
        } else {
            collector.locate(block, block.end(), numbered)
        };
        Outcome::Collected(Box::new(report))
    }

    fn take_collector(&mut self) -> BlockCollector {
        let room = self.options.settings.limits.findings;
        std::mem::replace(
            &mut self.collector,
            BlockCollector::new(self.options.repeats(), room),
        )
    }

    /// Reads a whole file, and returns its format if it has one.
    fn whole(&mut self, found: &InputFile, file: Block<'_>) -> (Option<Format>, Outcome) {
        match self.options.with_hints(found, |hints| hints.choose(file)) {
            Sniffed::Format(format) => (Some(format), self.whole_as(format, found, file)),
            Sniffed::Empty => {
                let reason = self.options.reason_for_empty(found);
                let skip = Skip::file(reason, file.bytes.len());
                (None, Outcome::Skipped(skip))
            }
            Sniffed::Not(reason, detail) => {
                let (reason, detail) = classify_refusal(found, file.bytes, reason, detail);
                let role = FileRole::of(found);
                if role == FileRole::Source
                    && reason == Reason::NotAFormat
                    && self.is_searching()
                    && !is_rules_file(found, file.bytes)
                {
                    let skip = Skip::file(reason, file.bytes.len());
                    return (None, self.searched_source(found, skip, file));
                }
                let is_unknown = found.origin.is_expected() && reason == Reason::NotAFormat;
                let suggest = || is_unknown.then(|| suggest_format(file, Closeness::Any));
                let detail = detail.or_else(|| suggest().flatten());
                let skip = not_read(found, reason, file.bytes.len(), detail);
                (None, self.searched_file(found, role, skip, file))
            }
        }
    }

    /// Searches a file of data that is in no format, line by line.
    fn searched_file(
        &mut self,
        found: &InputFile,
        role: FileRole,
        skip: Skip,
        file: Block<'_>,
    ) -> Outcome {
        let wanted = self.wanted_of(role);
        let is_searched = role.may_hold_calls() && skip.reason.is_text() && is_text(file.bytes);
        if !is_searched {
            return Outcome::Skipped(skip);
        }
        if !self.search_lines(found, wanted, file) {
            return if wanted == Wanted::Calls {
                self.searched_source(found, skip, file)
            } else {
                Outcome::Skipped(skip)
            };
        }
        self.collector.add_skip(skip);
        self.located(file)
    }

    /// What is searched in a file that may hold calls: values in the configuration of a program are mentions in what people write.
    fn wanted_of(&self, role: FileRole) -> Wanted {
        if role == FileRole::Settings && self.is_searching() {
            Wanted::Calls
        } else {
            Wanted::CallsAndValues
        }
    }

    /// Notes each line of a text in no format that mentions what the rules are about. Returns whether there is one.
    fn search_lines(&mut self, found: &InputFile, wanted: Wanted, text: Block<'_>) -> bool {
        let logs = self.options.logs_of(found);
        let mut last = None;
        let plain = PlainText::of(text.bytes);
        for mention in self.linter.find_mentions(&plain, TextUnit::Lines, wanted) {
            let line = mention.around;
            if last.is_none() && is_own_output(text.bytes) {
                break;
            }
            if last.replace(line) == Some(line) {
                continue;
            }
            let reason = reason_for_mention(&logs, line.slice(text.bytes));
            let to_line_end = Span::new(0, line.end);
            let skip = mentioning(Skip::file(reason, 0), reason, to_line_end, &mention);
            self.collector.add_skip(Skip { bytes: 0, ..skip });
        }
        last.is_some()
    }

    fn located(&mut self, file: Block<'_>) -> Outcome {
        let report = self.take_collector().locate(file, file.end(), 0);
        Outcome::Collected(Box::new(report))
    }

    /// Whether texts that people write are searched: only findings are wanted of them, all of which may be edited by hand alone.
    fn is_searching(&self) -> bool {
        self.usage.is_none() && self.pieces.is_none() && self.linter.finds_mentions()
    }

    /// Searches a file that people write for values of rules.
    fn searched_source(&mut self, found: &InputFile, skip: Skip, file: Block<'_>) -> Outcome {
        self.collector.summary().searched = 1;
        self.add_mentions(found, file.bytes, None);
        self.collector.add_skip(skip);
        self.located(file)
    }

    /// Adds the values that a text names. Whether the file is one of the project is asked only if it names one. Of a manifest, the
    /// versions of objects have been read.
    fn add_mentions(&mut self, found: &InputFile, text: &[u8], format: Option<Format>) {
        let path = found.named_path();
        if text.len() > MAX_SEARCHED || is_list(path) {
            return;
        }
        let mut mentions = self.linter.mentions(text);
        if format.is_some_and(|format| format.spec().family == FormatFamily::Manifests) {
            mentions.retain(|mention| !mention.rule.element.is_endpoint());
        }
        if mentions.is_empty()
            || !is_source(path)
            || is_own_output(text)
            || self.ignores.leave_out(self.options, found)
        {
            return;
        }
        // A call in the line, as in an example of a page, says more than a mention.
        let line_of = |finding: &Finding| Span::line_around(text, finding.found.span.start).start;
        let used: HashSet<_> = self.collector.findings().iter().map(line_of).collect();
        for mention in mentions {
            if !used.contains(&line_of(&mention)) {
                self.collector.add_finding(mention);
            }
        }
    }

    fn whole_as(&mut self, format: Format, found: &InputFile, file: Block<'_>) -> Outcome {
        if format == Format::OpenApi {
            let described = check_description(self.options, &found.name.shown, file);
            return Outcome::Described(described);
        }
        let logs = self.options.logs_of(found);
        let options = self.read_options(&logs);
        read(
            file,
            format,
            &options,
            &mut self.sink(found, format, file.bytes),
        );
        // A document that is no body of a call may be the configuration of a program, like a manifest, and a page may have examples of
        // calls.
        let is_document =
            self.collector.has_only_unknown_bodies() && FileRole::of(found) != FileRole::Data;
        let is_written = is_document
            || format == Format::Curl
            || format.spec().family == FormatFamily::Manifests;
        if is_written && self.is_searching() {
            self.add_mentions(found, file.bytes, Some(format));
        }
        self.collected(format, file, 0)
    }
}

/// A file with nothing to read. It is a failure if the user named the file.
fn not_read(found: &InputFile, reason: Reason, bytes: usize, detail: Option<String>) -> Skip {
    let unexpected = found.origin.is_expected() && reason == Reason::NotAFormat;
    let reason = if unexpected {
        Reason::UnknownFormat
    } else {
        reason
    };
    Skip {
        detail,
        ..Skip::file(reason, bytes)
    }
}

/// A piece that was not checked, with what it mentions.
fn mentioning(skip: Skip, reason: Reason, piece: Span, mention: &Mention) -> Skip {
    let start = piece.start + mention.start;
    let details = [Some(format!("it mentions {}", mention.what)), skip.detail];
    Skip {
        reason,
        span: Some(Span::new(start, piece.end.max(start))),
        detail: Some(details.into_iter().flatten().collect::<Vec<_>>().join("; ")),
        ..skip
    }
}

/// The reason for a line or a record that mentions what the rules are about.
fn reason_for_mention(logs: &Logs<'_>, text: &[u8]) -> Reason {
    if logs.ignores(text) {
        Reason::Ignored
    } else {
        Reason::UnreadCall
    }
}

/// What was not read of an exchange, in its file.
fn outer_skip(skip: Skip, map: Option<&Lazy<'_, Arc<OffsetMap>>>) -> Skip {
    match map {
        Some(map) => skip.through(map.get()),
        None => skip,
    }
}

/// Whether a body at a span is code of a web page by its media type: the names in it are no members, unless it is one value that it
/// hands to a function.
fn has_code(exchange: &Exchange<'_>, span: Span) -> bool {
    let bodies = Side::BOTH.map(|side| exchange.message(side).body());
    let mut bodies = bodies.into_iter().flatten();
    let body = bodies.find(|body| {
        let body = exchange.outer(body.span);
        body.start <= span.start && span.end <= body.end
    });
    let is_of_page = |body: &&Body<'_>| {
        let media_type = body.media_type.as_deref().unwrap_or_default();
        let mut kinds = ["javascript", "html", "css"].iter();
        kinds.any(|kind| media_type.contains(kind))
    };
    let code = body.filter(is_of_page);
    code.is_some_and(|body| !body.decode().is_some_and(|code| passes_value(&code)))
}

/// Whether code is one JSON value that a function gets (JSONP), or that a script must not read (`for(;;);{…}`).
fn passes_value(code: &[u8]) -> bool {
    let open = code.iter().position(|byte| b"{[".contains(byte));
    let value = open.and_then(|open| scan::value(code, open).ok());
    value.is_some_and(|value| {
        let mut rest = code.get(value.end..).unwrap_or_default().iter();
        rest.all(|byte| byte.is_ascii_whitespace() || b");".contains(byte))
            && is_value(value.slice(code), MAX_DOCUMENT_DEPTH)
    })
}

/// The endings of the names of data files, which tools write, rather than people.
const DATA_FILES: [&str; 9] = [
    "ndjson", "jsonl", "csv", "tsv", "xml", "sql", "log", "out", "txt",
];

/// The endings of the names of files that tools or people write.
const SETTINGS_FILES: [&str; 3] = ["json", "yaml", "yml"];

/// The size of a file that people write, at most: larger files in no format are not read as a whole.
const MAX_SEARCHED: usize = 1 << 20;

/// What a file that is in no format may be, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileRole {
    /// It may hold calls: one of data, without an ending, or with one that is unknown.
    Data,
    /// It may hold calls, or be the configuration of a program.
    Settings,
    /// People write it.
    Source,
    /// It only names things.
    List,
}

impl FileRole {
    pub(super) fn may_hold_calls(self) -> bool {
        matches!(self, Self::Data | Self::Settings)
    }

    pub(super) fn of(found: &InputFile) -> Self {
        let name = found.name.shown.rsplit(['/', '\\']).next();
        let name = without_rotation(name.unwrap_or_default());
        let ending = name.rsplit_once('.').map(|(_, ending)| ending);
        let is_one_of = |known: &[&str]| {
            ending.is_some_and(|own| known.iter().any(|known| own.eq_ignore_ascii_case(known)))
        };
        let path = Path::new(name);
        if is_one_of(&DATA_FILES) {
            Self::Data
        } else if is_list(path) {
            Self::List
        } else if is_one_of(&SETTINGS_FILES) {
            Self::Settings
        } else if !is_source(path) {
            Self::Data
        } else if ending.is_none() {
            Self::Settings
        } else {
            Self::Source
        }
    }
}

/// The name of a file without the endings that the rotation of logs adds: a number, a day, or a compression, which has been undone.
fn without_rotation(name: &str) -> &str {
    let mut rest = name;
    while let Some((before, ending)) = rest.rsplit_once('.') {
        let is_number = ending
            .bytes()
            .all(|byte| byte.is_ascii_digit() || byte == b'-');
        if before.is_empty() || !is_number && !["gz", "zst", "br"].contains(&ending) {
            break;
        }
        rest = before;
    }
    rest
}

/// Whether a text has rules, which name what they are about.
fn is_rules_file(found: &InputFile, text: &[u8]) -> bool {
    ending_of(found) == "toml" && memchr::memmem::find(text, b"[[rule]]").is_some()
}

/// Returns the reason for not checking a body of unknown operation. If the user named the file and the body is broken, that is
/// the reason.
fn skip_without_operation(body: &Body<'_>, origin: PathOrigin, limits: Limits) -> Skip {
    let bytes = body.decode().unwrap_or_default();
    if let Some(table) = propose_log_table(Block::whole(&bytes), limits) {
        return Skip::at(Reason::UnknownLayout, body.span).because(table);
    }
    if !origin.is_expected() {
        return Skip::at(Reason::NoOperation, body.span);
    }
    let (text, cut) = valid_prefix(&bytes);
    // A body may have several values; only the first is validated.
    let found = || Walker::new(text).up_to(limits.depth).skip_rest().err();
    match earliest(text, found(), cut) {
        Some(fault) => Skip::broken(fault, body.span),
        None => {
            let near = suggest_format(Block::whole(&bytes), Closeness::Most);
            Skip {
                detail: near,
                ..Skip::at(Reason::NoOperation, body.span)
            }
        }
    }
}

/// Takes the records of a text.
struct FileSink<'r, 'o, 't> {
    worker: &'r mut Worker<'o, 't>,
    /// The file that the text is of.
    found: &'r InputFile,
    text: &'r [u8],
    /// Whether the records are of a log, in which any member may have a body.
    is_log: bool,
    /// What the file may be, once that has been asked.
    role: OnceCell<FileRole>,
    /// Where the last call without a known body is.
    searched: Span,
    /// Whether rules are about a call since the last skip, or may be.
    is_covered: bool,
}

impl RecordSink for FileSink<'_, '_, '_> {
    fn record(&mut self, record: Record<'_>) {
        match record {
            Record::Exchange(exchange) => {
                // Its reader has validated it.
                let _ = self.exchange(&exchange);
            }
            Record::Body(body) => self.body(body),
            // It is a part of one of the calls before it, and no rule is about these.
            Record::Skip(skip) if skip.reason == Reason::UnreadPiece && !self.is_covered => {}
            Record::Skip(skip) => {
                self.is_covered = false;
                self.skip(skip);
            }
        }
    }

    fn expects_body(&self) -> bool {
        let options = self.worker.options;
        let is_named = options.named_after(self.found).is_some();
        is_named || options.configured_operation(self.found).is_some()
    }

    /// Checks an exchange, and then the calls in its body, if it is a batch.
    fn exchange(&mut self, exchange: &Exchange<'_>) -> Result<(), InvalidRecord> {
        self.check(exchange)?;
        match calls_of_batch(exchange, |body| self.worker.linter.content(body)) {
            Ok(batch) => {
                if let Some(body) = batch.unread {
                    self.search_other_calls(body, Wanted::Calls);
                }
                batch.calls.iter().try_for_each(|call| self.check(call))
            }
            Err(skip) => {
                self.worker
                    .collector
                    .add_skip(outer_skip(skip, exchange.map.as_ref()));
                Ok(())
            }
        }
    }
}

impl FileSink<'_, '_, '_> {
    /// What the file may be, which takes a while to ask: most files have nothing that depends on it.
    fn role(&self) -> FileRole {
        *self.role.get_or_init(|| FileRole::of(self.found))
    }

    fn check(&mut self, exchange: &Exchange<'_>) -> Result<(), InvalidRecord> {
        let worker = &mut *self.worker;
        if let Some(pieces) = &mut worker.pieces {
            pieces.extend(exchange.pieces());
        }
        let mut completed = Cow::Borrowed(exchange);
        let mut in_other_file = Vec::new();
        for side in Side::BOTH {
            if let Some(named) = exchange.message(side).unread()
                && named.file.is_some()
                && worker.linter.plan_of(exchange).is_some()
                && let Some((file, text)) = read_named_body(
                    worker.options,
                    self.found,
                    &named,
                    &worker.named_file_budget,
                )
            {
                let (body, unread) = body_of_file(&named, text);
                completed.to_mut().message_mut(side).complete(body, unread);
                worker.collector.add_named_body(file);
                in_other_file.push(side);
            }
        }
        let exchange = &*completed;
        let mut sink = BlockSink {
            collector: &mut worker.collector,
            usage: worker.usage.as_mut(),
            map: exchange.map.as_ref(),
            in_other_file,
            is_elsewhere: false,
            unread: Vec::new(),
            missed: Vec::new(),
            used: Vec::new(),
        };
        let coverage = worker.linter.check(exchange, &mut sink);
        self.is_covered |= !matches!(coverage, Ok(Coverage::NoRule));
        let coverage = coverage?;
        let BlockSink {
            is_elsewhere,
            unread,
            missed,
            used,
            ..
        } = sink;
        if is_elsewhere {
            let host = exchange.call.target().host.as_ref();
            worker.collector.add_other_host(host);
        }
        self.add_missed(&missed, exchange);
        if coverage == Coverage::Checked
            && let Some(extent) = exchange.extent
            && let Some(mention) = self
                .worker
                .linter
                .find_other_body(exchange, self.text, &used)
        {
            let record = exchange.outer(extent);
            let skip = Skip::file(Reason::UnreadBody, 0);
            self.report_unread(mentioning(skip, Reason::UnreadBody, record, &mention));
        }
        for skip in unread {
            self.skip_of_call(skip, exchange);
        }
        for part in &exchange.beside {
            let own = self.worker.linter.plan_of(exchange);
            self.search_other_calls(exchange.outer(*part), Wanted::OtherCalls(own));
        }
        let summary = self.worker.collector.summary();
        summary.records += 1;
        summary.no_rule += usize::from(coverage == Coverage::NoRule);
        Ok(())
    }

    /// Counts a call that may be one of these operations.
    fn add_missed(&mut self, missed: &[OperationPattern], exchange: &Exchange<'_>) {
        if missed.is_empty() {
            return;
        }
        let own = exchange.outer(exchange.call.url_span.unwrap_or_default());
        let piece = self.piece_of_call(exchange, own);
        let is_ignored = self
            .worker
            .options
            .logs_of(self.found)
            .ignores(piece.slice(self.text));
        if let Some(usage) = self.worker.usage.as_mut().filter(|_| !is_ignored) {
            usage.add_missed_call(missed, exchange);
        }
    }

    /// Searches a part of a record, or the body of a batch, that may state other calls.
    fn search_other_calls(&mut self, part: Span, wanted: Wanted) {
        let text = part.slice(self.text);
        let linter = &mut self.worker.linter;
        let plain = PlainText::of(text);
        let found = linter
            .find_mentions(&plain, TextUnit::Record, wanted)
            .next();
        if let Some(mention) = found {
            let reason = reason_for_mention(&self.worker.options.logs_of(self.found), text);
            self.skip(mentioning(Skip::file(reason, 0), reason, part, &mention));
        }
    }

    /// Notes what of a call was not read. A name in it that the rules are about may be that of a member of a body; a call without
    /// bodies may have it elsewhere in its record or line.
    fn skip_of_call(&mut self, skip: Skip, exchange: &Exchange<'_>) {
        let own = skip.stretch();
        let piece = match skip.reason {
            Reason::NoBody => self.piece_of_call(exchange, own),
            _ => own,
        };
        // Several calls in one text are not distinguished: it is searched once.
        let is_new = std::mem::replace(&mut self.searched, piece) != piece;
        let has_record = self.is_log || exchange.extent.is_some();
        let linter = &mut self.worker.linter;
        let mention = (has_record && is_new && !has_code(exchange, piece))
            .then(|| linter.find_element(exchange, self.text, piece, skip.reason))
            .flatten();
        let reason = match skip.reason {
            Reason::NotJson => Reason::UnreadNotation,
            _ => Reason::UnreadBody,
        };
        let skip = match mention {
            Some(mention) => mentioning(skip, reason, piece, &mention),
            None => skip,
        };
        self.report_unread(skip);
    }

    /// Reports what was not read of the last call.
    fn report_unread(&mut self, skip: Skip) {
        if let Some(usage) = &mut self.worker.usage {
            usage.add_skip_of_last(&skip);
        }
        self.skip(skip);
    }

    /// The record or the line of a call, or else what of it is known.
    fn piece_of_call(&self, exchange: &Exchange<'_>, own: Span) -> Span {
        match exchange.extent {
            Some(extent) => exchange.outer(extent),
            None if self.is_log => Span::line_around(self.text, own.start),
            None => own,
        }
    }

    /// Checks a body whose operation the file does not name.
    fn body(&mut self, mut body: Body<'_>) {
        let (options, found) = (self.worker.options, self.found);
        let named = options
            .configured_operation(found)
            .cloned()
            .or_else(|| options.named_after(found));
        let Some(named) = named else {
            let skip = skip_without_operation(&body, found.origin, options.settings.limits);
            let detail = describe_ambiguous_name(found.named_path(), options.set)
                .filter(|_| skip.reason == Reason::NoOperation);
            let is_response = self.text.starts_with(b"HTTP/");
            let what = "a response without its request: name the operation, with --side response";
            let detail = detail
                .or(skip.detail)
                .or(is_response.then(|| what.to_owned()));
            return self.skip(Skip { detail, ..skip });
        };
        // A body with a named operation is JSON.
        body.media_type = Some("application/json".to_owned());
        let mut exchange = Exchange {
            call: Call::new(
                named.operation.method.clone(),
                named.operation.sample_target(),
                None,
            ),
            ..Exchange::default()
        };
        for side in Side::BOTH
            .into_iter()
            .filter(|side| named.sides.contains(*side))
        {
            exchange.message_mut(side).set_body(Some(body.clone()));
        }
        // Its reader has validated it.
        let _ = self.exchange(&exchange);
    }

    /// Notes a piece of a text that was not checked. If no reader is for it, it is searched for what the rules are about.
    fn skip(&mut self, mut skip: Skip) {
        if skip.reason == Reason::Template && !self.worker.options.set.has_resources() {
            skip = Skip {
                reason: Reason::NoExchange,
                detail: None,
                ..skip
            };
        }
        // A body of unknown operation may have any value, unless a program wrote it: a record of its log.
        let wanted = if skip.reason == Reason::NoOperation && self.role() != FileRole::Data {
            Wanted::Calls
        } else {
            Wanted::CallsAndValues
        };
        if self.role() != FileRole::List {
            skip = self.search(skip, wanted);
        }
        self.worker.collector.add_skip(skip);
    }

    fn search(&mut self, skip: Skip, wanted: Wanted) -> Skip {
        let piece = skip.stretch();
        let unread = piece.slice(self.text);
        let (options, found) = (self.worker.options, self.found);
        let logs = || options.logs_of(found);
        if !skip.reason.is_text() {
            let is_line = [Reason::LogFormatMismatch, Reason::UnknownLayout].contains(&skip.reason);
            return match skip.reason {
                _ if is_line && logs().ignores(unread) => Skip::at(Reason::Ignored, piece),
                _ if is_line && is_own_output(unread) => Skip::at(Reason::NoExchange, piece),
                _ => skip,
            };
        }
        let linter = &mut self.worker.linter;
        let plain = PlainText::of(unread);
        let mention = linter
            .find_mentions(&plain, TextUnit::Record, wanted)
            .next();
        match mention {
            Some(_) if is_own_output(unread) => skip,
            Some(mention) => mentioning(skip, reason_for_mention(&logs(), unread), piece, &mention),
            None => skip,
        }
    }
}

/// Takes the results of one exchange.
struct BlockSink<'g, 'o, 'e> {
    collector: &'g mut BlockCollector,
    usage: Option<&'g mut UsageCounter<'o>>,
    /// Maps positions of the exchange to the file, unless they are positions in it.
    map: Option<&'g Lazy<'e, Arc<OffsetMap>>>,
    /// The sides whose bodies are in files that the record names.
    in_other_file: Vec<Side>,
    /// Whether the call is at another address than those of the rules.
    is_elsewhere: bool,
    /// What of the call was not read, and may be in its record.
    unread: Vec<Skip>,
    /// The operations that the call may be of without matching them.
    missed: Vec<OperationPattern>,
    /// The rules about what the call uses.
    used: Vec<Arc<Rule>>,
}

impl LintSink for BlockSink<'_, '_, '_> {
    fn finding(&mut self, mut finding: Finding) {
        self.used.push(Arc::clone(&finding.rule));
        let found = &mut finding.found;
        let side = found.part.side().filter(|_| found.pointer.is_some());
        found.shown.in_other_file = side.is_some_and(|side| self.in_other_file.contains(&side));
        if let Some(map) = self.map {
            let inside = finding.related.iter_mut().map(|inside| &mut inside.span);
            inside
                .chain([&mut finding.found.span])
                .for_each(|span| *span = map.get().outer(*span));
        }
        match &mut self.usage {
            Some(usage) => usage.add_use(&finding),
            None => self.collector.add_finding(finding),
        }
    }

    fn call(&mut self, call: &CheckedCall<'_, '_>) {
        if let Some(usage) = &mut self.usage {
            usage.add_call(call);
        }
    }

    fn missed_call(&mut self, operation: &OperationPattern) {
        self.missed.push(operation.clone());
    }

    fn skip(&mut self, skip: Skip) {
        let skip = outer_skip(skip, self.map);
        self.is_elsewhere |= skip.reason == Reason::OtherAddress;
        if matches!(skip.reason, Reason::NoBody | Reason::NotJson) {
            return self.unread.push(skip);
        }
        if let Some(usage) = &mut self.usage {
            usage.add_skip(&skip);
        }
        self.collector.add_skip(skip);
    }
}
