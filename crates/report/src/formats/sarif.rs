//! SARIF 2.1.0, as GitHub code scanning reads it: findings are results, and everything else is a notification. Section numbers are those
//! of the OASIS standard.

use std::borrow::Cow;
use std::collections::HashMap;
use std::io::{self, Write};

use super::json;
use crate::diagnostic::{Diagnostic, SentenceRole, worst_first};
use crate::format::TOOL_NAME;
use crate::{
    LocatedFinding, OutputFormat, RenderOptions, Report, SkipGroup, Suggestion, printable, uri,
};
use sundown_exchange::{CodeLocation, SkipKind};
use sundown_lint::findings::{Check, Finding, FindingKind};
use sundown_lint::rules::Rule;
use sundown_text_json::object;
use sundown_text_json::text::{JsonValue, Location, Span, escape_unsafe, safe_json};

/// Writes one JSON document, on one line.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "sarif",
    about: "SARIF 2.1.0, for code scanning",
    skips: "everything, as notifications",
    has_remarks: true,
    mark: r#"^\{"\$schema":"[^"]*","version":"2\.1\.0","runs":\[\{"tool":\{"driver":\{"name":"sundown""#,
    write,
};

/// How many results GitHub accepts in a file.
const MAX_RESULTS: usize = 25_000;

/// How many bytes the results and their rules may take together. GitHub's limit applies to the compressed file; this one
/// applies to the uncompressed file, so that any results stay within it.
const RESULT_BYTES: usize = 9_000_000;

/// How many bytes the notifications may take together.
const NOTIFICATION_BYTES: usize = 900_000;

/// The longest pointer that is written in full, in bytes.
const MAX_POINTER_BYTES: usize = 1_000;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let mut results = BoundedList::new(MAX_RESULTS, RESULT_BYTES);
    for problem in worst_first(report) {
        if let Some(located) = problem.finding() {
            results.add(
                problem.code.clone(),
                1,
                || descriptor(&located.finding),
                |index| result(&problem, located, index),
            )?;
        }
    }
    let mut notifications = BoundedList::new(usize::MAX, NOTIFICATION_BYTES);
    if results.left_out > 0 {
        let count = results.left_out;
        let text = format!(
            "{count} results are left out: a file has at most {MAX_RESULTS} results and 10 MB. The json report has all of them."
        );
        let why = "Not checked: more results than a file may have";
        notifications.notify("results-left-out", why, "warning", &text, count, None)?;
    }
    for (kind, level) in [(SkipKind::Failed, "warning"), (SkipKind::Unrelated, "note")] {
        for group in report.skips_of(kind) {
            let (id, text) = (group.reason.name(), group.sentence());
            let why = format!("Not checked: {}", group.reason.text());
            notifications.notify(id, &why, level, &text, group.count, Some(group))?;
        }
    }
    for remark in &report.remarks {
        let (kind, text) = (remark.kind, remark.sentence());
        notifications.notify(kind.name(), kind.text(), "note", &text, 1, None)?;
    }
    notifications.finish()?;
    safe_json::compact(out, &log(report, results, notifications))?;
    writeln!(out)
}

/// The log (3.13), with its only run (3.14).
fn log<'l>(
    report: &'l Report,
    results: BoundedList<'l>,
    notifications: BoundedList<'l>,
) -> JsonValue<'l> {
    let driver = object! {
        "name": TOOL_NAME,
        "semanticVersion": env!("CARGO_PKG_VERSION"),
        "rules": JsonValue::list(results.descriptors),
        "notifications": JsonValue::list(notifications.descriptors),
    };
    let invocation = object! {
        "executionSuccessful": report.complete && report.unread.is_empty(),
        "toolExecutionNotifications": JsonValue::list(notifications.list),
    };
    let run = object! {
        "tool": object! { "driver": driver },
        "invocations": JsonValue::list([invocation]),
        "columnKind": "unicodeCodePoints",
        "results": JsonValue::list(results.list),
        "properties": object! {
            "as_of": report.as_of,
            "summary": json::summary(report),
            "results_left_out": results.left_out,
        },
    };
    object! { "$schema": SCHEMA, "version": "2.1.0", "runs": JsonValue::list([run]) }
}

/// Plain text (3.11.3), in which placeholders (3.11.5) and links (3.11.6) are escaped.
fn message(text: &str) -> JsonValue<'static> {
    let mut message = String::new();
    for character in escape_unsafe(text).chars() {
        match character {
            '{' => message.push_str("{{"),
            '}' => message.push_str("}}"),
            '[' | ']' | '\\' => message.extend(['\\', character]),
            plain => message.push(plain),
        }
    }
    object! { "text": message }
}

/// The values that fit into the limits, with descriptors of what they are about.
struct BoundedList<'r> {
    list: Vec<JsonValue<'r>>,
    descriptors: Vec<JsonValue<'r>>,
    /// The index of each descriptor, by its id.
    indices: HashMap<Cow<'r, str>, usize>,
    bytes: usize,
    most: usize,
    most_bytes: usize,
    /// How many pieces the values are about that are not in the list.
    left_out: usize,
}

impl<'r> BoundedList<'r> {
    fn new(most: usize, most_bytes: usize) -> Self {
        Self {
            list: Vec::new(),
            descriptors: Vec::new(),
            indices: HashMap::new(),
            bytes: 0,
            most,
            most_bytes,
            left_out: 0,
        }
    }

    /// Adds a value about `count` pieces, and its descriptor if that is new; `value` gets the index of that.
    fn add(
        &mut self,
        id: Cow<'r, str>,
        count: usize,
        descriptor: impl FnOnce() -> JsonValue<'r>,
        value: impl FnOnce(usize) -> JsonValue<'r>,
    ) -> io::Result<()> {
        // Once a value does not fit, all later ones are left out: none may displace a worse one.
        if self.left_out > 0 || self.list.len() == self.most {
            self.left_out += count;
            return Ok(());
        }
        let known = self.indices.get(&id).copied();
        let value = value(known.unwrap_or(self.descriptors.len()));
        let descriptor = known.is_none().then(descriptor);
        let bytes = self.bytes + safe_json::size(&value)? + safe_json::size(&descriptor)? + 2;
        if bytes > self.most_bytes {
            self.left_out += count;
            return Ok(());
        }
        self.bytes = bytes;
        if let Some(descriptor) = descriptor {
            self.indices.insert(id, self.descriptors.len());
            self.descriptors.push(descriptor);
        }
        self.list.push(value);
        Ok(())
    }

    /// Adds a message of the run besides its results (3.58), about `count` pieces. Its descriptor (3.49) says why there are such.
    fn notify(
        &mut self,
        id: &'static str,
        why: &str,
        level: &'static str,
        text: &str,
        count: usize,
        group: Option<&SkipGroup>,
    ) -> io::Result<()> {
        let place = group.map(|group| {
            let region = group.location.map(|at| region(at, None, None));
            location(uri::of_file(&group.file), region)
        });
        self.add(
            id.into(),
            count,
            || object! { "id": id, "shortDescription": message(&format!("{why}.")) },
            |index| {
                object! {
                    // A reference to the descriptor (3.52).
                    "descriptor": object! { "id": id, "index": index },
                    "level": level,
                    "message": message(text),
                    "locations": JsonValue::list_if_any(place),
                    "properties": object! { "count": count, "bytes": group.map_or(0, |group| group.bytes) },
                }
            },
        )
    }

    /// Reports how many pieces were left out.
    fn finish(&mut self) -> io::Result<()> {
        let count = std::mem::take(&mut self.left_out);
        if count == 0 {
            return Ok(());
        }
        self.most_bytes = usize::MAX;
        let text = format!("{count} more pieces were not checked; the json report lists them.");
        let why = "Not checked: more pieces than a file may list";
        self.notify("notifications-left-out", why, "warning", &text, count, None)
    }
}

/// A rule (3.49). All announced deprecations are one, each of which has an element and a date of its own.
fn descriptor(finding: &Finding) -> JsonValue<'_> {
    let rule = &*finding.rule;
    let (short, full, docs, help) = match &finding.kind {
        FindingKind::Use | FindingKind::Declared(_) => {
            let short = description(rule);
            let note = rule.note.as_ref().map(|note| format!(" {note}"));
            let full = format!("{short}{}", note.unwrap_or_default());
            (short, full, &rule.docs, finding.general_advice())
        }
        FindingKind::Announced(_) => {
            let page = Check::AnnouncedInTraffic.page();
            let short = "A response announces a deprecation.".to_owned();
            let full = format!("Reported: {}.", page.what);
            (short, full, &None, format!("To do: {}", page.remedy))
        }
        FindingKind::Violated(own) => {
            let own = &own.requirement;
            let section = own.section.as_ref();
            let section = section.map(|section| format!(" Section {section}."));
            let full = format!("{}.{}", own.message, section.unwrap_or_default());
            (
                format!("{}.", own.message),
                full,
                &rule.docs,
                own.remedy.clone(),
            )
        }
    };
    let is_dated = matches!(finding.kind, FindingKind::Use | FindingKind::Declared(_));
    object! {
        "id": finding.code(),
        "shortDescription": message(&short),
        "fullDescription": message(&full),
        "helpUri": uri::link(docs.as_deref()),
        "help": message(&format!("{help}.")),
        "properties": object! {
            "tags": JsonValue::list([if finding.is_violation() { "requirement" } else { "deprecation" }]),
            "removal": rule.removal.filter(|_| is_dated),
        },
    }
}

fn description(rule: &Rule) -> String {
    let part = rule.element.part.kind();
    let element = match (rule.element.name(), &rule.element.value) {
        (None, _) => "The endpoint".to_owned(),
        (Some(name), None) => format!("The {part} `{name}` of"),
        (Some(name), Some(value)) => {
            let phrase = value.phrase(&format!("the {part} `{name}`"));
            let (first, rest) = phrase.split_at(1);
            format!("{}{rest} of", first.to_ascii_uppercase())
        }
    };
    match &rule.announced {
        Some(operation) => format!("{element} {operation} is deprecated."),
        None => format!("{element} several operations is deprecated."),
    }
}

/// A finding (3.27).
fn result<'r>(
    problem: &Diagnostic<'r>,
    located: &'r LocatedFinding,
    rule_index: usize,
) -> JsonValue<'r> {
    let finding = &located.finding;
    let found = &finding.found;
    let own = &problem.fingerprint;
    // SARIF has no name for the kind of a recorded test, and allows others.
    let test = located.recorded_test().map(|name| logical(name, "test"));
    let bytes = bytes_on_disk(located, found.span);
    let place = region(located.location, Some(located.end), bytes);
    let place = location(uri::of_file(&located.file), Some(place));
    let related = related(problem, located)
        .into_iter()
        .chain(origins(located));
    let numbered = related
        .zip(1_usize..)
        .map(|(place, id)| object! { "id": id }.join(place));
    object! {
        "ruleId": problem.code.clone(),
        "ruleIndex": rule_index,
        "level": finding.severity.name(),
        "message": message(&format!("{}.", problem.text(sentence))),
        "locations": JsonValue::list([place.join(object! { "logicalLocations": JsonValue::list_if_any(test) })]),
        "relatedLocations": JsonValue::list_if_any(numbered.collect::<Vec<_>>()),
        "partialFingerprints": object! {
            // The name under which GitHub looks for one, and the form that its own tools give it: hash and occurrence.
            "primaryLocationLineHash": format!("{own}:{}", problem.occurrence),
            "sundown/v1": own.clone(),
        },
        "occurrenceCount": finding.sightings.count,
        "fixes": JsonValue::list_if_any(located.suggestion.iter().map(|own| fix(located, own))),
        "properties": object! {
            "operation": &*found.operation,
            "announced_for": finding.announced_for().map(ToString::to_string),
            "side": found.part.name(),
            "pointer": found.exact_pointer().map(bounded_pointer),
            "replacement": finding.rule.replacement.as_deref(),
            "replacement_present": JsonValue::unless_default(finding.has_replacement()),
            "removal": finding.rule.removal,
            "days_left": finding.days_left,
            "exchange": found.exchange.as_ref().map(|exchange| exchange.index),
            "decompressed_from": located.compression,
            "evidence": json::evidence(located),
            "allowance": json::allowance(located),
        },
    }
}

fn sentence(role: SentenceRole, text: &str) -> String {
    match role {
        SentenceRole::Title => text.to_owned(),
        // A declaration in a description is not a use: it has no consequence. Code has locations of its own.
        SentenceRole::Reference | SentenceRole::Repeats | SentenceRole::Origin => String::new(),
        SentenceRole::Pointer => format!(". It is at {text}"),
        SentenceRole::Announcement => format!(". It is {text}"),
        SentenceRole::Expiry => format!(". Note: {text}"),
        _ => format!("; {text}"),
    }
}

/// A pointer; truncated if it is so long that it would displace many results.
fn bounded_pointer(pointer: &str) -> Cow<'_, str> {
    if pointer.len() <= MAX_POINTER_BYTES {
        pointer.into()
    } else {
        printable(pointer)
    }
}

/// A location (3.28) in a file.
fn location(uri: String, region: Option<JsonValue<'_>>) -> JsonValue<'_> {
    let file = object! { "artifactLocation": object! { "uri": uri }, "region": region };
    object! { "physicalLocation": file }
}

/// A part of a program (3.33).
fn logical(name: &str, kind: &'static str) -> JsonValue<'static> {
    object! { "name": printable(name).into_owned(), "kind": kind }
}

/// A region (3.30): one-based lines and columns; bytes count from zero.
fn region(start: Location, end: Option<Location>, bytes: Option<Span>) -> JsonValue<'static> {
    object! {
        "startLine": start.line,
        "startColumn": start.column,
        "endLine": end.map(|end| end.line),
        "endColumn": end.map(|end| end.column),
        "byteOffset": bytes.map(|bytes| bytes.start),
        "byteLength": bytes.map(Span::len),
    }
}

/// Byte offsets refer to the file on disk, so a compressed file has none.
fn bytes_on_disk(located: &LocatedFinding, span: Span) -> Option<Span> {
    located.compression.is_none().then_some(span)
}

/// A change that a person may accept (3.55).
fn fix<'v>(located: &LocatedFinding, suggestion: &Suggestion) -> JsonValue<'v> {
    let (start, end) = suggestion.lines;
    let bytes = bytes_on_disk(located, suggestion.span);
    let replacement = object! {
        "deletedRegion": region(start, Some(end), bytes),
        "insertedContent": object! { "text": suggestion.text.clone() },
    };
    let change = object! {
        "artifactLocation": object! { "uri": uri::of_file(&located.file) },
        "replacements": JsonValue::list([replacement]),
    };
    object! {
        "description": message(&format!("{}.", suggestion.phrase)),
        "artifactChanges": JsonValue::list([change]),
    }
}

fn related(problem: &Diagnostic<'_>, located: &LocatedFinding) -> Vec<JsonValue<'static>> {
    let related = problem.related().zip(&located.related);
    related
        .map(|((span, text), (at, _))| {
            let region = region(*at, None, bytes_on_disk(located, span));
            location(uri::of_file(&located.file), Some(region))
                .join(object! { "message": message(&text) })
        })
        .collect()
}

/// Where in code the uses were made: the place of the call, then its callers.
fn origins(located: &LocatedFinding) -> Vec<JsonValue<'static>> {
    let mut places = Vec::new();
    for (origin, _) in located.finding.origins.by_count() {
        for (index, place) in origin.frames.iter().enumerate() {
            let text = if index == 0 {
                "called from here"
            } else {
                "which is called from here"
            };
            places.push(code_location(place, text));
        }
    }
    places
}

fn code_location(place: &CodeLocation, text: &str) -> JsonValue<'static> {
    // Columns of the run count code points (`columnKind`), those of browsers UTF-16 code units, which differ only after characters
    // beyond the basic plane.
    let region = place
        .line
        .map(|line| object! { "startLine": line, "startColumn": place.column });
    let function = place.function.as_deref();
    let function = function.map(|name| logical(name, "function"));
    location(uri::of_code(&place.file), region).join(object! {
        "logicalLocations": JsonValue::list_if_any(function),
        "message": message(text),
    })
}
