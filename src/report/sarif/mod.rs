//! SARIF 2.1.0, the format of code scanning services.
//!
//! GitHub refuses a file of more than 25,000 results or 10 MB, and shows the first 5,000 results. So the worst come first,
//! a file stays below both limits, and a notification says how many results were left out.

mod log;

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use log::{
    ArtifactLocation, DescriptorReference, Driver, Invocation, Notification,
    NotificationDescriptor, NotificationProperties, PhysicalLocation, Region, ResultProperties,
    RuleDescriptor, RuleProperties, RunProperties, SarifLocation, SarifLog, SarifMessage,
    SarifResult, SarifRun, SarifTool,
};

use super::rank::{RankedFinding, worst_first};
use super::{LocatedFinding, Report, Reporter, SkipGroup, json, printable, safe_json, uri};
use crate::findings::suppression::SuppressionRemark;
use crate::findings::{Check, Finding};
use crate::rules::{Rule, Severity};
use crate::text::{Location, Span};
use crate::traffic::SkipKind;

/// Writes one JSON document, on one line.
#[derive(Debug, Clone, Copy, Default)]
pub struct Sarif;

/// How many results a file may have.
pub const MOST_RESULTS: usize = 25_000;

/// How many bytes the results and their rules may take together. The service's limit holds for the compressed file; this
/// one for the plain file, so that it is kept whatever the results are.
const RESULT_BYTES: usize = 9_000_000;

/// How many bytes the notifications may take together.
const NOTIFICATION_BYTES: usize = 900_000;

/// The longest pointer that is told whole, in bytes.
const LONGEST_POINTER: usize = 1_000;

const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

impl Reporter for Sarif {
    fn write(&self, report: &Report, out: &mut dyn Write) -> io::Result<()> {
        let mut results = Results::default();
        for ranked in worst_first(report) {
            results.take(&ranked)?;
        }
        let mut notifications = Notifications::default();
        notifications.results_left_out(results.left_out);
        for kind in [SkipKind::Failed, SkipKind::Unrelated] {
            for skipped in report.skipped.iter().filter(|skipped| skipped.reason.kind() == kind) {
                notifications.take(skipped)?;
            }
        }
        for remark in &report.remarks {
            notifications.remark(remark)?;
        }
        notifications.close();
        let driver = Driver {
            name: env!("CARGO_PKG_NAME"),
            semantic_version: env!("CARGO_PKG_VERSION"),
            rules: results.rules,
            notifications: notifications.descriptors,
        };
        let run = SarifRun {
            tool: SarifTool { driver },
            invocations: [Invocation {
                execution_successful: report.complete,
                tool_execution_notifications: notifications.taken,
            }],
            column_kind: "unicodeCodePoints",
            results: results.taken,
            properties: RunProperties {
                as_of: report.as_of.to_string(),
                summary: json::summary(report),
                results_left_out: results.left_out,
            },
        };
        safe_json::compact(out, &SarifLog { schema: SCHEMA, version: "2.1.0", runs: [run] })?;
        writeln!(out)
    }
}

/// As many results as find room, with their rules.
#[derive(Default)]
struct Results<'r> {
    taken: Vec<SarifResult<'r>>,
    rules: Vec<RuleDescriptor<'r>>,
    /// The number of each rule.
    indices: HashMap<Cow<'r, str>, usize>,
    bytes: usize,
    left_out: usize,
}

impl<'r> Results<'r> {
    fn take(&mut self, ranked: &RankedFinding<'r>) -> io::Result<()> {
        // After the first that finds no room none is taken, so that none is left out for one that is less bad.
        if self.left_out > 0 || self.taken.len() == MOST_RESULTS {
            self.left_out += 1;
            return Ok(());
        }
        let code = ranked.placed.finding.code();
        let known = self.indices.get(&code).copied();
        let result = result(ranked, known.unwrap_or(self.rules.len()));
        let descriptor = known.is_none().then(|| descriptor(&ranked.placed.finding));
        let bytes = self.bytes + safe_json::size(&result)? + safe_json::size(&descriptor)? + 2;
        if bytes > RESULT_BYTES {
            self.left_out += 1;
            return Ok(());
        }
        self.bytes = bytes;
        if let Some(descriptor) = descriptor {
            self.indices.insert(code, self.rules.len());
            self.rules.push(descriptor);
        }
        self.taken.push(result);
        Ok(())
    }
}

fn descriptor(finding: &Finding) -> RuleDescriptor<'_> {
    if finding.announced.is_some() {
        return announced(finding);
    }
    let rule = &*finding.rule;
    let description = description(rule);
    RuleDescriptor {
        id: finding.code(),
        short_description: SarifMessage::new(&description),
        full_description: SarifMessage::new(&match &rule.note {
            Some(note) => format!("{description} {note}"),
            None => description,
        }),
        help_uri: uri::link(rule.docs.as_deref()),
        help: SarifMessage::new(&format!("{}.", finding.advice())),
        properties: RuleProperties {
            tags: ["deprecation"],
            removal: rule.removal.map(|removal| removal.to_string()),
        },
    }
}

/// What is announced has an element and a date each time; the rule stands for all of them.
fn announced(finding: &Finding) -> RuleDescriptor<'_> {
    let page = Check::AnnouncedInTraffic.page();
    RuleDescriptor {
        id: finding.code(),
        short_description: SarifMessage::new("A response announces a deprecation."),
        full_description: SarifMessage::new(&format!("Reported: {}.", page.what)),
        help_uri: None,
        help: SarifMessage::new(&format!("To do: {}.", page.remedy)),
        properties: RuleProperties { tags: ["deprecation"], removal: None },
    }
}

fn description(rule: &Rule) -> String {
    let element = match rule.element.name() {
        Some(name) => format!("{} `{name}` of", rule.element.kind()),
        None => "endpoint".to_owned(),
    };
    match &rule.announced {
        Some(operation) => format!("The {element} {operation} is deprecated."),
        None => format!("The {element} several operations is deprecated."),
    }
}

fn result<'r>(ranked: &RankedFinding<'r>, rule_index: usize) -> SarifResult<'r> {
    let placed = ranked.placed;
    let finding = &placed.finding;
    let found = &finding.found;
    let at = found
        .pointer
        .as_ref()
        .map(|pointer| format!(" It stands at {}.", printable(&pointer.exact)));
    // What a description declares is used by nobody yet.
    let consequence = match finding.check() {
        None => format!("; {}", finding.consequence()),
        Some(_) => String::new(),
    };
    let (message, at) = (finding.message(), at.unwrap_or_default());
    let ended = placed.status.expiry_note().map(|ended| format!(" Note: {ended}."));
    let ended = ended.unwrap_or_default();
    let message = format!("{message}; {}{consequence}.{at}{ended}", finding.advice());
    let fingerprints = [
        // The name under which GitHub looks for one, and the form that its own tools give it: hash and occurrence.
        ("primaryLocationLineHash", format!("{}:{}", ranked.fingerprint, ranked.occurrence)),
        ("sundown/v1", ranked.fingerprint.clone()),
    ];
    SarifResult {
        rule_id: finding.code(),
        rule_index,
        level: match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Note => "note",
        },
        message: SarifMessage::new(&message),
        locations: [location(&placed.file, Some(region(placed)))],
        related_locations: related(placed),
        partial_fingerprints: BTreeMap::from(fingerprints),
        occurrence_count: finding.sightings.count,
        properties: ResultProperties {
            operation: &found.operation,
            side: found.part.name(),
            pointer: found.pointer.as_ref().map(|pointer| shortened(&pointer.exact)),
            replacement: finding.rule.replacement.as_deref(),
            removal: finding.rule.removal.map(|removal| removal.to_string()),
            days_left: finding.days_left,
            exchange: found.exchange.as_ref().map(|exchange| exchange.index),
            decompressed_from: placed.compression,
            allowance: json::allowance(placed),
        },
    }
}

/// A pointer, whole unless it is so long that it would take the room of many results.
fn shortened(pointer: &str) -> String {
    if pointer.len() <= LONGEST_POINTER {
        pointer.to_owned()
    } else {
        printable(pointer).into_owned()
    }
}

fn region(placed: &LocatedFinding) -> Region {
    let mut region = begin(placed.location, placed.finding.found.span, placed.compression);
    region.end_line = Some(placed.end.line);
    region.end_column = Some(placed.end.column);
    region
}

/// A region of which only the beginning is known as a line and column. Bytes are those of the file on disk, which a
/// compressed file does not have for its text.
fn begin(at: Location, span: Span, compression: Option<&'static str>) -> Region {
    let plain = compression.is_none();
    Region {
        start_line: at.line,
        start_column: at.column,
        end_line: None,
        end_column: None,
        byte_offset: plain.then_some(span.start),
        byte_length: plain.then_some(span.len()),
    }
}

fn related(placed: &LocatedFinding) -> Vec<SarifLocation> {
    let related = placed.finding.related.iter().zip(&placed.related).enumerate();
    related
        .map(|(index, (related, at))| {
            let region = begin(*at, related.span, placed.compression);
            let pointer = printable(&related.pointer.exact);
            let message = format!("inside it: {} at {pointer}", related.rule);
            let id = Some(index + 1);
            let message = Some(SarifMessage::new(&message));
            SarifLocation { id, message, ..location(&placed.file, Some(region)) }
        })
        .collect()
}

fn location(file: &str, region: Option<Region>) -> SarifLocation {
    let artifact_location = ArtifactLocation { uri: uri::of_file(file) };
    SarifLocation {
        id: None,
        physical_location: PhysicalLocation { artifact_location, region },
        message: None,
    }
}

/// What the run has to say beside its results, as far as there is room.
#[derive(Default)]
struct Notifications {
    taken: Vec<Notification>,
    descriptors: Vec<NotificationDescriptor>,
    bytes: usize,
    left_out: usize,
}

impl Notifications {
    fn take(&mut self, skipped: &SkipGroup) -> io::Result<()> {
        let region = skipped.location.map(|at| Region {
            byte_offset: None,
            byte_length: None,
            ..begin(at, Span::default(), None)
        });
        let notification = Notification {
            descriptor: self.describe(
                skipped.reason.name(),
                &format!("Not checked: {}", skipped.reason.text()),
            ),
            level: match skipped.reason.kind() {
                SkipKind::Failed => "warning",
                SkipKind::Unrelated => "note",
            },
            message: SarifMessage::new(&skipped.sentence()),
            locations: vec![location(&skipped.file, region)],
            properties: NotificationProperties { count: skipped.count, bytes: skipped.bytes },
        };
        self.push(notification, skipped.count)
    }

    /// What there is to say of allowances and of the baseline.
    fn remark(&mut self, remark: &SuppressionRemark) -> io::Result<()> {
        let notification = Notification {
            descriptor: self.describe(remark.kind.name(), remark.kind.text()),
            level: "note",
            message: SarifMessage::new(&remark.sentence()),
            locations: Vec::new(),
            properties: NotificationProperties { count: 1, bytes: 0 },
        };
        self.push(notification, 1)
    }

    /// Takes a notification of so many things, if there is room.
    fn push(&mut self, notification: Notification, count: usize) -> io::Result<()> {
        let bytes = self.bytes + safe_json::size(&notification)? + 1;
        if self.left_out > 0 || bytes > NOTIFICATION_BYTES {
            self.left_out += count;
            return Ok(());
        }
        self.bytes = bytes;
        self.taken.push(notification);
        Ok(())
    }

    /// The descriptor of this name, which is added if it is new.
    fn describe(&mut self, id: &'static str, text: &str) -> DescriptorReference {
        let known = self.descriptors.iter().position(|descriptor| descriptor.id == id);
        let index = known.unwrap_or_else(|| {
            let short_description = SarifMessage::new(&format!("{text}."));
            self.descriptors.push(NotificationDescriptor { id, short_description });
            self.descriptors.len() - 1
        });
        DescriptorReference { id, index }
    }

    fn results_left_out(&mut self, count: usize) {
        let text = format!(
            "{count} results are left out: a file has at most {MOST_RESULTS} results and 10 MB. All are in the report for machines (json)."
        );
        self.say("results-left-out", "more results than a file may have", count, &text);
    }

    /// Says how many notifications were left out.
    fn close(&mut self) {
        let count = self.left_out;
        let text = format!(
            "{count} more pieces were not checked; the report for machines (json) names them."
        );
        self.say("notifications-left-out", "more of it than a file may name", count, &text);
    }

    /// Something about `count` things; nothing if there are none.
    fn say(&mut self, id: &'static str, why: &str, count: usize, text: &str) {
        if count > 0 {
            let notification = Notification {
                descriptor: self.describe(id, &format!("Not checked: {why}")),
                level: "warning",
                message: SarifMessage::new(text),
                locations: Vec::new(),
                properties: NotificationProperties { count, bytes: 0 },
            };
            self.taken.push(notification);
        }
    }
}
