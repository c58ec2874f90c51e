//! Does one piece of work after the other: sniff, read, lint, gather.

use std::sync::atomic::Ordering;

use super::CheckOptions;
use super::body_operation::{BodyOperation, operation_from_file_name};
use super::description_check::{InspectedFile, check_description};
use crate::findings::Finding;
use crate::formats::{
    Buffer, Closeness, EntryReader, Format, Gauge, InputFile, LineReader, Logs, Part, PathOrigin,
    Record, RecordSink, Sniffed, Work, has_exchange, is_access_log, is_yaml_description, read,
    read_flows, read_outputs, sniff, sniff_head, suggest_format,
};
use crate::json::{Walker, earliest, valid_prefix};
use crate::lint::{Coverage, FindingSink, Linter};
use crate::report::{BlockCollector, BlockReport};
use crate::text::{Block, Location};
use crate::traffic::{
    Body, Call, Exchange, InvalidRecord, LocatedExchange, Reason, Side, Skip, Target,
};

/// What came of one piece of work.
pub(super) struct Done {
    /// Index of the file.
    pub(super) file: usize,
    /// What the file was compressed with.
    pub(super) compression: Option<&'static str>,
    /// How many bytes were read.
    pub(super) bytes: usize,
    pub(super) outcome: Outcome,
}

/// What was found in it, or why nothing was.
pub(super) enum Outcome {
    Gathered(Box<BlockReport>),
    Described(Vec<InspectedFile>),
    TooLarge { bytes: usize, end: Location, numbered: usize, detail: Option<String> },
    Skip(Reason, usize, Option<String>),
}

/// One of several that work side by side.
pub(super) struct Worker<'o, 't> {
    options: &'o CheckOptions<'t>,
    linter: Linter<'t>,
    gauge: &'o Gauge,
    gatherer: BlockCollector,
    lines: LineReader,
    entries: EntryReader,
}

impl<'o, 't> Worker<'o, 't> {
    pub(super) fn new(options: &'o CheckOptions<'t>, gauge: &'o Gauge) -> Self {
        let linter =
            Linter::new(options.table, options.lifecycle).with_max_depth(options.limits.depth);
        let linter = linter.with_grades(options.grades.clone()).with_values(options.values);
        let linter = linter.with_validation_of_all(options.validate_all);
        Self {
            options,
            linter,
            gauge,
            gatherer: BlockCollector::new(options.fold),
            lines: LineReader::default(),
            entries: EntryReader::default(),
        }
    }

    /// Does a piece of work on `found`, and gives its memory back.
    pub(super) fn work(&mut self, work: Work, found: &InputFile) -> (Done, Buffer) {
        let Work { file, part, compression, .. } = work;
        let done = |bytes, outcome| Done { file, compression, bytes, outcome };
        match part {
            Part::Whole(buffer) => {
                let outcome = self.whole(found, buffer.block());
                (done(buffer.block().bytes.len(), outcome), buffer)
            }
            Part::Lines(buffer, format) => {
                let block = buffer.block();
                let limits = self.options.limits;
                let mut lines = std::mem::take(&mut self.lines);
                let logs = self.options.logs_of(found);
                let mut sink = FileSink { worker: self, found };
                let counts = lines.read_block(block, format, limits, &logs, &mut sink);
                self.lines = lines;
                let outcome = self.gathered(block, block.end_of(counts.ends), counts.records);
                (done(block.bytes.len(), outcome), buffer)
            }
            Part::Pieces(buffer, pieces) => {
                let block = buffer.block();
                let limits = self.options.limits;
                let mut entries = std::mem::take(&mut self.entries);
                let mut sink = FileSink { worker: self, found };
                let numbered = entries.read_block(block, &pieces, limits, &mut sink);
                self.entries = entries;
                let outcome = self.gathered(block, block.end(), numbered);
                (done(block.bytes.len(), outcome), buffer)
            }
            Part::Flows(buffer) => {
                let block = buffer.block();
                let limits = self.options.limits;
                let numbered = read_flows(block, limits, &mut FileSink { worker: self, found });
                let outcome = self.gathered_bytes(block, numbered);
                (done(block.bytes.len(), outcome), buffer)
            }
            Part::Packets(buffer, outputs) => {
                let limits = self.options.limits;
                let numbered =
                    read_outputs(&outputs, limits, &mut FileSink { worker: self, found });
                // Exchanges are put together from all over the file.
                let outcome = self.gathered_bytes(Block::whole(&[]), numbered);
                (done(buffer.block().bytes.len(), outcome), buffer)
            }
            Part::TooLarge { bytes, end, numbered } => {
                let detail = Some(self.options.limits.too_large());
                (done(bytes, Outcome::TooLarge { bytes, end, numbered, detail }), Buffer::default())
            }
            Part::Not(reason, bytes, detail) => {
                (done(bytes, not_read(found, reason, bytes, detail)), Buffer::default())
            }
        }
    }

    fn gathered(&mut self, block: Block<'_>, end: Location, numbered: usize) -> Outcome {
        let gatherer =
            std::mem::replace(&mut self.gatherer, BlockCollector::new(self.options.fold));
        self.gauge.findings.fetch_add(gatherer.len(), Ordering::Relaxed);
        Outcome::Gathered(Box::new(gatherer.locate(block, end, numbered)))
    }

    /// The same of a file without lines.
    fn gathered_bytes(&mut self, block: Block<'_>, numbered: usize) -> Outcome {
        let gatherer =
            std::mem::replace(&mut self.gatherer, BlockCollector::new(self.options.fold));
        self.gauge.findings.fetch_add(gatherer.len(), Ordering::Relaxed);
        Outcome::Gathered(Box::new(gatherer.locate_bytes(block, numbered)))
    }

    fn whole(&mut self, found: &InputFile, file: Block<'_>) -> Outcome {
        match self.options.format_of(found, file, sniff) {
            Sniffed::Format(Format::OpenApi) => {
                let described = check_description(self.options, &found.name.shown, file);
                let findings = described.iter().map(|file| file.gathered.len()).sum();
                self.gauge.findings.fetch_add(findings, Ordering::Relaxed);
                Outcome::Described(described)
            }
            Sniffed::Format(format) => {
                let (limits, logs) = (self.options.limits, self.options.logs_of(found));
                let mut sink = FileSink { worker: self, found };
                if format == Format::Ndjson && sink.worker.options.format.is_some() {
                    // Who says that these are lines does not mean a body of several values.
                    LineReader::default().read_block(file, format, limits, &logs, &mut sink);
                } else {
                    read(file, format, limits, &logs, &mut sink);
                }
                if format.is_binary() {
                    self.gathered_bytes(file, 0)
                } else {
                    self.gathered(file, file.end(), 0)
                }
            }
            Sniffed::Empty => {
                let reason = self.options.empty(found);
                Outcome::Skip(reason, file.bytes.len(), None)
            }
            Sniffed::Not(reason, detail) => {
                let is_unknown = found.origin.is_expected() && reason == Reason::NotAFormat;
                let near = || suggest_format(file, Closeness::Any).filter(|_| is_unknown);
                not_read(found, reason, file.bytes.len(), detail.or_else(near))
            }
        }
    }

    fn record(&mut self, found: &InputFile, record: Record<'_>) {
        match record {
            Record::Exchange(exchange) => self.exchange(&exchange),
            Record::Body(body) => self.body(found, body),
            Record::Skip(skip) => self.gatherer.add_skip(skip),
        }
    }

    fn exchange(&mut self, exchange: &Exchange<'_>) {
        let coverage = self.linter.check(exchange, &mut BlockSink(&mut self.gatherer));
        self.count(coverage);
    }

    fn count(&mut self, coverage: Coverage) {
        let summary = self.gatherer.summary();
        summary.records += 1;
        summary.no_rule += usize::from(coverage == Coverage::NoRule);
    }

    /// A body of which the file does not say whose it is.
    fn body(&mut self, found: &InputFile, mut body: Body<'_>) {
        let options = self.options;
        let named = options.said(found).cloned().or_else(|| options.named_after(found));
        let Some(named) = named else {
            return self.gatherer.add_skip(nameless(&body, found.origin, options.limits.depth));
        };
        // Whoever gives a body an operation says that it is JSON.
        body.media_type = Some("application/json".to_owned());
        let mut exchange = Exchange {
            call: Call {
                method: named.operation.method.clone(),
                target: Target::parse(named.operation.path()),
                url_span: None,
            },
            ..Exchange::default()
        };
        for side in Side::BOTH.into_iter().filter(|side| named.sides.contains(*side)) {
            exchange.message_mut(side).body = Some(body.clone());
        }
        self.exchange(&exchange);
    }
}

impl CheckOptions<'_> {
    /// What a large file is by its beginning, if that can be told: bodies, and documents of which more must be seen, are
    /// read whole.
    pub(super) fn decide(&self, found: &InputFile, head: Block<'_>) -> Option<Sniffed> {
        let undecided = || Sniffed::Format(Format::Json);
        let told = self.format_of(found, head, |head| sniff_head(head).unwrap_or_else(undecided));
        match told {
            Sniffed::Format(format) if !format.is_read_in_blocks() => None,
            // Lines none of which is an exchange are a body of several values.
            Sniffed::Format(Format::Ndjson)
                if self.format.is_none()
                    && !has_exchange(head, self.limits, &self.logs_of(found)) =>
            {
                None
            }
            told => Some(told),
        }
    }

    /// What to read a file as: as the user says, or as it looks. With a named operation, whatever is no archive is a
    /// body; and a file that the user named together with one, or that a configuration says to be one, or that is called
    /// after one, is a body even if it looks like nothing. So is a log one that the configuration names.
    fn format_of(
        &self,
        found: &InputFile,
        file: Block<'_>,
        sniff: impl Fn(Block<'_>) -> Sniffed,
    ) -> Sniffed {
        if let Some(format) = self.format.filter(|_| !file.bytes.is_empty()) {
            return Sniffed::Format(format);
        }
        let ending = found.path.as_ref().and_then(|path| path.extension()?.to_str());
        let may_be_yaml = ending.is_some_and(|ending| ["yaml", "yml"].contains(&ending));
        if is_yaml_description(file, found.origin.is_expected() || may_be_yaml) {
            return Sniffed::Format(Format::OpenApi);
        }
        let is_said = self.said(found).is_some();
        // With an operation for all files, those that it is not meant for look like nothing.
        let is_meant = is_said && (self.named.is_none() || found.origin.is_expected());
        match sniff(file) {
            Sniffed::Format(Format::Json | Format::Ndjson) if is_said => {
                Sniffed::Format(Format::Body)
            }
            Sniffed::Not(Reason::NotAFormat, _)
                if is_meant || self.named_after(found).is_some() =>
            {
                Sniffed::Format(Format::Body)
            }
            // One record may look like a stub.
            Sniffed::Format(Format::WireMock) if self.logs_of(found).name_the_file() => {
                Sniffed::Format(Format::Json)
            }
            Sniffed::Not(Reason::NotAFormat, _) | Sniffed::Format(Format::Json)
                if self.is_log_of_its_own(found, file) =>
            {
                Sniffed::Format(Format::AccessLog)
            }
            Sniffed::Not(Reason::NotAFormat, _) if self.logs_of(found).name_the_file() => {
                Sniffed::Format(Format::Ndjson)
            }
            other => other,
        }
    }

    /// Whether lines of a file, which nobody else knows, are such as the configuration says that logs have.
    fn is_log_of_its_own(&self, found: &InputFile, file: Block<'_>) -> bool {
        let logs = self.logs_of(found);
        logs.have_formats() && is_access_log(file, &logs)
    }

    /// What the user says that the bare bodies in a file are: all of them, or those of the first list of files that has it.
    fn said(&self, found: &InputFile) -> Option<&BodyOperation> {
        let payload = || self.payloads.iter().find(|payload| payload.files.matches(&found.name));
        self.named.as_ref().or_else(|| payload().map(|payload| &payload.named))
    }

    fn logs_of(&self, found: &InputFile) -> Logs<'_> {
        Logs::of(&self.logs, &found.name)
    }

    fn named_after(&self, found: &InputFile) -> Option<BodyOperation> {
        operation_from_file_name(found.path.as_deref()?, self.table)
    }

    /// An empty file that someone expects something in, or that calls itself a capture or a body, should not be empty.
    /// Of those that are offered, only what cannot be anything else: repositories hold empty JSON files for many a reason.
    fn empty(&self, found: &InputFile) -> Reason {
        let ending =
            found.path.as_ref().and_then(|path| path.extension()?.to_str()).unwrap_or_default();
        let calls_itself = ["ndjson", "jsonl", "har"].contains(&ending);
        let should_hold_something = match found.origin {
            PathOrigin::Named => true,
            PathOrigin::Offered => {
                calls_itself || self.said(found).is_some() || self.named_after(found).is_some()
            }
            PathOrigin::Walked => calls_itself || ending == "json",
        };
        if should_hold_something { Reason::Empty } else { Reason::NotAFormat }
    }
}

/// Nothing to read. A file in which the user expects something should have been something.
fn not_read(found: &InputFile, reason: Reason, bytes: usize, detail: Option<String>) -> Outcome {
    let unexpected = found.origin.is_expected() && reason == Reason::NotAFormat;
    let reason = if unexpected { Reason::UnknownFormat } else { reason };
    Outcome::Skip(reason, bytes, detail)
}

/// A body of no known operation. One that the user named is told to be broken, if it is, before all else.
fn nameless(body: &Body<'_>, origin: PathOrigin, max_depth: usize) -> Skip {
    if !origin.is_expected() {
        return Skip::at(Reason::NoOperation, body.span);
    }
    let bytes = body.decode().unwrap_or_default();
    let (text, cut) = valid_prefix(&bytes);
    // Only the first value: several on lines of their own are a body too.
    let found = || Walker::new(text).with_max_depth(max_depth).skip_rest().err();
    match earliest(text, found(), cut) {
        Some(fault) => Skip::broken(fault, body.span),
        None => {
            let near = suggest_format(Block::whole(&bytes), Closeness::Most);
            Skip { detail: near, ..Skip::at(Reason::NoOperation, body.span) }
        }
    }
}

/// Takes the records of a file.
struct FileSink<'r, 'o, 't> {
    worker: &'r mut Worker<'o, 't>,
    found: &'r InputFile,
}

impl<'a> RecordSink<'a> for FileSink<'_, '_, '_> {
    fn record(&mut self, record: Record<'a>) {
        self.worker.record(self.found, record);
    }

    fn located(&mut self, exchange: &LocatedExchange<'_, 'a>) -> Result<(), InvalidRecord> {
        let Worker { linter, gatherer, .. } = &mut *self.worker;
        let coverage = linter.check_located(exchange, &mut BlockSink(gatherer))?;
        self.worker.count(coverage);
        Ok(())
    }
}

struct BlockSink<'g>(&'g mut BlockCollector);

impl FindingSink for BlockSink<'_> {
    fn finding(&mut self, finding: Finding) {
        self.0.add_finding(finding);
    }

    fn skip(&mut self, skip: Skip) {
        self.0.add_skip(skip);
    }
}
