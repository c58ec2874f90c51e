//! The main job: discover, recognise, read, lint, collect.

use std::fs::File;
use std::io::{self, Read};
use std::path::PathBuf;

use super::naming::{NamedOperation, by_file_name};
use crate::document::{Walker, earliest, valid_prefix};
use crate::exchange::{Body, Call, Exchange, Reason, Side, Skip, Target};
use crate::finding::Finding;
use crate::input::{
    Discovery, Format, Found, Globs, PassedOver, Recognised, Record, discover, read, recognise,
};
use crate::lint::{Coverage, Linter, Sink};
use crate::report::{Collector, Report};
use crate::rule::{Lifecycle, RuleTable};
use crate::source::{Source, magic};

/// Everything a run depends on.
#[derive(Debug)]
pub struct CheckOptions<'t> {
    /// Files and folders; `-` is standard input.
    pub paths: Vec<PathBuf>,
    /// Which files of folders to look at.
    pub globs: Globs,
    /// The rules.
    pub table: &'t RuleTable,
    /// Today and the thresholds.
    pub lifecycle: Lifecycle,
    /// What bare bodies are, where the user says so.
    pub named: Option<NamedOperation>,
    /// What all files are, where the user overrules recognition.
    pub format: Option<Format>,
    /// How deep bodies may nest.
    pub max_depth: usize,
    /// Whether repeats in one file become one finding.
    pub fold: bool,
}

/// A report, and what it cannot say.
#[derive(Debug)]
pub struct Outcome {
    /// What was found.
    pub report: Report,
    /// Whether a path that the user named could not be read.
    pub missing_path: bool,
}

/// Checks everything that the options name; `stdin` is read where they name it.
pub fn check(options: &CheckOptions<'_>, stdin: &mut dyn Read) -> Outcome {
    let discovery = discover(&options.paths, &options.globs);
    let mut run = Run {
        options,
        linter: Linter::new(options.table, options.lifecycle).with_max_depth(options.max_depth),
        collector: Collector::new(options.lifecycle.as_of, options.fold),
        missing_path: false,
    };
    for PassedOver { name, named, reason, detail } in &discovery.passed_over {
        run.missing_path |= *named && *reason == Reason::Unreadable;
        run.collector.skip_path(name, *reason, 0, detail.clone());
    }
    for found in &discovery.files {
        run.file(found, stdin);
    }
    run.empty_folders(&discovery);
    Outcome { report: run.collector.finish(), missing_path: run.missing_path }
}

struct Run<'o, 't> {
    options: &'o CheckOptions<'t>,
    linter: Linter<'t>,
    collector: Collector,
    missing_path: bool,
}

/// The first bytes of a file in which a zero byte means that it is no text.
const HEAD: usize = 8 * 1024;

impl Run<'_, '_> {
    fn file(&mut self, found: &Found, stdin: &mut dyn Read) {
        let bytes = match load(found, stdin) {
            Ok(Loaded::Text(bytes)) => bytes,
            Ok(Loaded::Binary(size)) => {
                self.count_file(size);
                return self.collector.skip_path(&found.name, Reason::NotAFormat, size, None);
            }
            Err(error) => {
                self.missing_path |= found.named;
                let detail = error.to_string().split(" (os error").next().map(str::to_lowercase);
                return self.collector.skip_path(&found.name, Reason::Unreadable, 0, detail);
            }
        };
        self.count_file(bytes.len());
        let source = Source { name: found.name.clone(), bytes };
        match self.format(&source, found) {
            Recognised::Format(format) => self.records(found, &source, format),
            Recognised::Empty => self.empty_file(found, source.bytes.len()),
            Recognised::Not(reason, detail) => {
                let named_unknown = found.named && reason == Reason::NotAFormat;
                let reason = if named_unknown { Reason::UnknownFormat } else { reason };
                self.collector.skip_path(&found.name, reason, source.bytes.len(), detail);
            }
        }
    }

    fn count_file(&mut self, size: usize) {
        self.collector.summary().files += 1;
        self.collector.summary().bytes += size;
    }

    /// What to read the file as: as the user says, or as it looks. With a named operation, whatever is no archive is a
    /// body; and a file that the user named together with one, or that is called after one, is a body even if it looks
    /// like nothing.
    fn format(&self, source: &Source, found: &Found) -> Recognised {
        if let Some(format) = self.options.format.filter(|_| !source.bytes.is_empty()) {
            return Recognised::Format(format);
        }
        let operation = self.options.named.is_some();
        match recognise(source) {
            Recognised::Format(Format::Json | Format::Ndjson) if operation => {
                Recognised::Format(Format::Body)
            }
            Recognised::Not(Reason::NotAFormat, _)
                if operation && found.named || self.named_after(found).is_some() =>
            {
                Recognised::Format(Format::Body)
            }
            other => other,
        }
    }

    fn named_after(&self, found: &Found) -> Option<NamedOperation> {
        by_file_name(found.path.as_deref()?, self.options.table)
    }

    /// An empty file that someone named, or that calls itself a capture, should not be empty.
    fn empty_file(&mut self, found: &Found, size: usize) {
        let calls_itself = ["json", "ndjson", "jsonl", "har"];
        let ending =
            found.path.as_ref().and_then(|path| path.extension()?.to_str()).unwrap_or_default();
        let reason = if found.named || calls_itself.contains(&ending) {
            Reason::Empty
        } else {
            Reason::NotAFormat
        };
        self.collector.skip_path(&found.name, reason, size, None);
    }

    fn records(&mut self, found: &Found, source: &Source, format: Format) {
        read(source, format, self.options.max_depth, &mut |record| match record {
            Record::Exchange(exchange) => self.exchange(&exchange),
            Record::Body(body) => self.body(found, body),
            Record::Skip(skip) => self.collector.skip(skip),
        });
        self.collector.end_file(source);
    }

    fn exchange(&mut self, exchange: &Exchange<'_>) {
        let coverage = self.linter.check(exchange, &mut CollectorSink(&mut self.collector));
        let summary = self.collector.summary();
        summary.records += 1;
        summary.no_rule += usize::from(coverage == Coverage::NoRule);
    }

    /// A body of which the file does not say whose it is.
    fn body(&mut self, found: &Found, mut body: Body<'_>) {
        let named = self.options.named.clone().or_else(|| self.named_after(found));
        let Some(named) = named else {
            return self.collector.skip(nameless(&body, found.named, self.options.max_depth));
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

    /// A folder in which there was nothing to check is most likely the wrong one.
    fn empty_folders(&mut self, discovery: &Discovery) {
        let nothing = self.collector.summary().records == 0 && !discovery.folders.is_empty();
        let only_folders = discovery.files.iter().all(|found| !found.named);
        if nothing && only_folders && !self.collector.has_failures() {
            for folder in &discovery.folders {
                self.collector.skip_path(folder, Reason::NothingToCheck, 0, None);
            }
        }
    }
}

/// A body of no known operation. One that the user named is told to be broken, if it is, before all else.
fn nameless(body: &Body<'_>, named: bool, max_depth: usize) -> Skip {
    let bytes = body.decode().unwrap_or_default();
    let (text, cut) = valid_prefix(&bytes);
    // Only the first value: several on lines of their own are a body too.
    let found = || Walker::new(text).with_max_depth(max_depth).skip_rest().err();
    match named.then(|| earliest(text, found(), cut)).flatten() {
        Some(fault) => Skip::broken(fault, body.span),
        None => Skip::at(Reason::NoOperation, body.span),
    }
}

enum Loaded {
    Text(Vec<u8>),
    /// No text, by its head; its size in bytes.
    Binary(usize),
}

/// Reads a file whole; of one that was found in a folder and is plainly no text, only the head.
fn load(found: &Found, stdin: &mut dyn Read) -> io::Result<Loaded> {
    let mut bytes = Vec::new();
    let Some(path) = &found.path else {
        stdin.read_to_end(&mut bytes)?;
        return Ok(Loaded::Text(bytes));
    };
    let mut file = File::open(path)?;
    if !found.named {
        file.by_ref().take(HEAD as u64).read_to_end(&mut bytes)?;
        if bytes.contains(&0) && !magic::is_utf16(&bytes) && magic::compression(&bytes).is_none() {
            let size = usize::try_from(file.metadata()?.len()).unwrap_or(usize::MAX);
            return Ok(Loaded::Binary(size));
        }
    }
    file.read_to_end(&mut bytes)?;
    Ok(Loaded::Text(bytes))
}

struct CollectorSink<'c>(&'c mut Collector);

impl Sink for CollectorSink<'_> {
    fn finding(&mut self, finding: Finding) {
        self.0.finding(finding);
    }

    fn skip(&mut self, skip: Skip) {
        self.0.skip(skip);
    }
}
