//! Loads API descriptions and prints statistics: how many loaded, how many were refused and why, how many markers.
//!
//! ```sh
//! cargo run --release --example descriptions -- api.yaml folder-of-descriptions
//! cargo run --release --example descriptions -- --each folder    # a line for each file, too
//! cargo run --release --example descriptions -- --markers folder # a line for each marker: file, pointer, sources
//! ```
//!
//! It also checks the spans of each file: every property's key must be at its span.

#![allow(clippy::disallowed_methods, reason = "an example opens files of its own")]

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use sundown::json::ValueRef;
use sundown::openapi::{
    Description, DescriptionProblemKind, EdgeKind, MarkedElement, Marker, MarkerOptions,
    MarkerScope, OperationRole, ProblemCost,
};

/// Sums over all files.
#[derive(Default)]
struct Totals {
    loaded: usize,
    bytes: usize,
    slowest: (Duration, String),
    time: Duration,
    refused: BTreeMap<String, Vec<String>>,
    counts: BTreeMap<&'static str, usize>,
    problems: BTreeMap<&'static str, (usize, String)>,
    wrong_spans: usize,
    /// True if all markers are to be listed.
    is_markers: bool,
    markers: Vec<String>,
}

fn main() -> ExitCode {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    let mut flag = |name: &str| {
        let found = arguments.iter().position(|argument| argument == name);
        found.map(|at| arguments.remove(at)).is_some()
    };
    let (is_each, is_markers) = (flag("--each"), flag("--markers"));
    let mut totals = Totals { is_markers, ..Totals::default() };
    let mut out = io::stdout().lock();
    for argument in &arguments {
        for entry in walkdir::WalkDir::new(argument).sort_by_file_name() {
            let Ok(entry) = entry else { continue };
            if entry.file_type().is_file() && is_candidate(entry.path()) {
                let line = totals.file(entry.path());
                for marker in totals.markers.drain(..) {
                    if writeln!(out, "{marker}").is_err() {
                        return ExitCode::SUCCESS;
                    }
                }
                if is_each && writeln!(out, "{line}").is_err() {
                    return ExitCode::SUCCESS;
                }
            }
        }
    }
    match totals.write(&mut out) {
        Ok(()) if totals.wrong_spans == 0 => ExitCode::SUCCESS,
        _ => ExitCode::FAILURE,
    }
}

fn is_candidate(path: &Path) -> bool {
    let ending = path.extension().and_then(|ending| ending.to_str());
    matches!(ending, Some("json" | "yaml" | "yml"))
}

impl Totals {
    fn file(&mut self, path: &Path) -> String {
        let name = path.to_string_lossy().into_owned();
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) => return format!("{name}: {error}"),
        };
        self.bytes += bytes.len();
        let files = |name: &str| std::fs::read(name);
        let begin = Instant::now();
        let outcome = Description::from_bytes(&name, &bytes, &files, MarkerOptions::default());
        let time = begin.elapsed();
        self.time += time;
        if time > self.slowest.0 {
            self.slowest = (time, name.clone());
        }
        match outcome {
            Ok(description) => {
                self.loaded += 1;
                let counts = counts(&description);
                for (what, count) in &counts {
                    *self.counts.entry(what).or_default() += count;
                }
                self.problems(&name, &description);
                if self.is_markers {
                    self.markers = markers(&description);
                }
                self.wrong_spans += wrong_spans(&description);
                let counts: Vec<_> = counts.iter().map(|(what, n)| format!("{what} {n}")).collect();
                format!("{name}: {:?}, {time:.1?}: {}", description.version(), counts.join(", "))
            }
            Err(error) => {
                self.refused.entry(error.kind.to_string()).or_default().push(name.clone());
                error.to_string()
            }
        }
    }

    fn problems(&mut self, name: &str, description: &Description) {
        for (problem, at) in description.located_problems() {
            let example = || format!("{name}:{}:{}: {}", at.line, at.column, problem.kind);
            let kind = problem_name(&problem.kind);
            self.problems.entry(kind).or_insert_with(|| (0, example())).0 += 1;
        }
    }

    fn write(&self, out: &mut impl Write) -> io::Result<()> {
        let refused: usize = self.refused.values().map(Vec::len).sum();
        let megabytes = self.bytes / 1_000_000;
        writeln!(
            out,
            "loaded {}, refused {refused}; {megabytes} MB in {:.2?}",
            self.loaded, self.time
        )?;
        writeln!(out, "slowest: {:.1?} for {}", self.slowest.0, self.slowest.1)?;
        for (reason, files) in &self.refused {
            let first = files.first().map_or("", String::as_str);
            writeln!(out, "refused {}: {reason} (first: {first})", files.len())?;
        }
        for (what, count) in &self.counts {
            writeln!(out, "{count:>9} {what}")?;
        }
        for (kind, (count, first)) in &self.problems {
            writeln!(out, "{count:>9} {kind}, first: {first}")?;
        }
        writeln!(out, "{:>9} keys whose span is not theirs", self.wrong_spans)
    }
}

fn markers(description: &Description) -> Vec<String> {
    let line = |marker: &Marker| {
        let file = description.file(marker.holder.file).map_or("", |file| &file.name);
        let pointer = description.value(marker.holder).map(ValueRef::pointer).unwrap_or_default();
        let sources: Vec<_> = marker.sources.iter().map(|(source, _)| source.key()).collect();
        format!("{file}\t{pointer}\t{:?}\t{}", marker.element, sources.join(" "))
    };
    description.markers().iter().map(line).collect()
}

fn counts(description: &Description) -> Vec<(&'static str, usize)> {
    let markers = description.markers();
    let marked = |element| markers.iter().filter(|marker| marker.element == element).count();
    let is_marked = |operation: &_| description.operation_markers(operation).next().is_some();
    let role = |role: fn(OperationRole) -> bool| {
        description.operations().iter().filter(|operation| role(operation.role)).count()
    };
    let mut properties = 0;
    let mut elsewhere = 0;
    for (_, markers) in description.deprecated_properties() {
        properties += usize::from(markers.iter().any(|marker| marker.scope == MarkerScope::Whole));
        elsewhere += usize::from(markers.iter().all(|marker| marker.scope != MarkerScope::Whole));
    }
    vec![
        ("operations", role(|role| role == OperationRole::Served)),
        ("webhooks", role(|role| role == OperationRole::Webhook)),
        ("callbacks", role(|role| matches!(role, OperationRole::Callback(_)))),
        ("parameters and headers", description.parameters().len()),
        ("schemas", description.schemas().ids().len()),
        ("edges", description.schemas().all_edges().len()),
        ("markers", markers.len()),
        ("markers with a removal date", markers.iter().filter(|m| m.removal.is_some()).count()),
        ("deprecated operations", description.operations().iter().filter(|o| is_marked(o)).count()),
        ("markers on parameters", marked(MarkedElement::Parameter)),
        ("markers on headers", marked(MarkedElement::Header)),
        ("markers on schemas", marked(MarkedElement::Schema)),
        ("deprecated properties", properties),
        ("properties with deprecated values alone", elsewhere),
    ]
}

fn problem_name(kind: &DescriptionProblemKind) -> &'static str {
    let is_costly = kind.cost() == ProblemCost::Unread;
    match kind {
        DescriptionProblemKind::Network(_) => "references to the network",
        DescriptionProblemKind::NoFile(..) => "references to missing files",
        DescriptionProblemKind::NoTarget(..) => "references to nothing",
        DescriptionProblemKind::Circle => "circles",
        DescriptionProblemKind::Collision(..) => "collisions",
        DescriptionProblemKind::NoDate => "dates that are none",
        DescriptionProblemKind::DatesDiffer(_) => "dates that differ",
        DescriptionProblemKind::Contradiction => "contradictions",
        DescriptionProblemKind::NotDeprecated => "messages without a deprecation",
        DescriptionProblemKind::Note(_) => "duplicate keys and the like",
        DescriptionProblemKind::UnknownPattern => "unknown patterns",
        _ if is_costly => "other things that were not looked at",
        _ => "others",
    }
}

/// The number of properties with a key that is not at its span.
fn wrong_spans(description: &Description) -> usize {
    let edges = description.schemas().all_edges().iter();
    let properties = edges.filter(|edge| edge.kind == EdgeKind::Property);
    let is_wrong = |edge: &_| {
        let Some((name, label)) = description.property(edge) else { return true };
        let Some(file) = description.file(label.file) else { return true };
        let written = label.span.slice(file.document.text().as_bytes());
        let is_plain = written == name.as_bytes();
        let quoted = written.strip_prefix(b"\"").and_then(|rest| rest.strip_suffix(b"\""));
        let single = written.strip_prefix(b"'").and_then(|rest| rest.strip_suffix(b"'"));
        let inside = quoted.or(single);
        let is_quoted = inside.is_some_and(|text| text == name.as_bytes() || text.contains(&b'\\'));
        !is_plain && !is_quoted
    };
    properties.filter(|edge| is_wrong(edge)).count()
}
