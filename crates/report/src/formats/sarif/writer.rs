//! Writes a log in SARIF.

use super::log::{
    ArtifactLocation, DescriptorReference, Driver, Invocation, LogicalLocation, Notification,
    NotificationDescriptor, NotificationProperties, PhysicalLocation, Region, ResultProperties,
    RuleDescriptor, RuleProperties, RunProperties, SarifLocation, SarifLog, SarifMessage,
    SarifResult, SarifRun, SarifTool,
};
use crate::OutputFormat;
use crate::format::TOOL_NAME;
use crate::formats::json;
use crate::log_text::describe_related;
use crate::rank::{RankedFinding, worst_first};
use crate::{LocatedFinding, RenderOptions, Report, SkipGroup, printable, uri};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use sundown_exchange::{CodePlace, SkipKind};
use sundown_lint::findings::{Check, Finding, FindingKind, RunRemark};
use sundown_lint::rules::{Requirement, Rule, Severity};
use sundown_text_json::text::{Location, Span, safe_json};

/// Writes one JSON document, on one line.
pub(crate) const FORMAT: OutputFormat = OutputFormat {
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
    let mut results = Results::default();
    for ranked in worst_first(report) {
        results.add(&ranked)?;
    }
    let mut notifications = Notifications::default();
    notifications.add_results_left_out(results.left_out);
    for kind in [SkipKind::Failed, SkipKind::Unrelated] {
        for group in report.skips_of(kind) {
            notifications.add_skips(group)?;
        }
    }
    for remark in &report.remarks {
        notifications.add_remark(remark)?;
    }
    notifications.finish();
    safe_json::compact(
        out,
        &SarifLog {
            schema: SCHEMA,
            version: "2.1.0",
            runs: [sarif_run(report, results, notifications)],
        },
    )?;
    writeln!(out)
}

fn sarif_run<'r>(
    report: &'r Report,
    results: Results<'r>,
    notifications: Notifications,
) -> SarifRun<'r> {
    let driver = Driver {
        name: TOOL_NAME,
        semantic_version: env!("CARGO_PKG_VERSION"),
        rules: results.rules,
        notifications: notifications.descriptors,
    };
    SarifRun {
        tool: SarifTool { driver },
        invocations: [Invocation {
            execution_successful: report.complete && report.unread.is_empty(),
            tool_execution_notifications: notifications.list,
        }],
        column_kind: "unicodeCodePoints",
        results: results.list,
        properties: RunProperties {
            as_of: report.as_of.to_string(),
            summary: json::summary(report),
            results_left_out: results.left_out,
        },
    }
}

/// The results that fit into the limits, with their rules.
#[derive(Default)]
pub(super) struct Results<'r> {
    list: Vec<SarifResult<'r>>,
    rules: Vec<RuleDescriptor<'r>>,
    /// The index of each rule in `rules`.
    indices: HashMap<Cow<'r, str>, usize>,
    bytes: usize,
    left_out: usize,
}

impl<'r> Results<'r> {
    fn add(&mut self, ranked: &RankedFinding<'r>) -> io::Result<()> {
        // Once a result does not fit, all later ones are left out: no result may displace a worse one.
        if self.left_out > 0 || self.list.len() == MAX_RESULTS {
            self.left_out += 1;
            return Ok(());
        }
        let code = ranked.located.finding.code();
        let known = self.indices.get(&code).copied();
        let result = result(ranked, known.unwrap_or(self.rules.len()));
        let descriptor = known.is_none().then(|| descriptor(&ranked.located.finding));
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
        self.list.push(result);
        Ok(())
    }
}

fn descriptor(finding: &Finding) -> RuleDescriptor<'_> {
    match &finding.kind {
        FindingKind::Use | FindingKind::Declared(_) => {}
        FindingKind::Announced(_) => return announced_descriptor(finding),
        FindingKind::Violated(own) => return requirement_descriptor(finding, &own.requirement),
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
        help: SarifMessage::new(&format!("{}.", finding.general_advice())),
        properties: RuleProperties {
            tags: ["deprecation"],
            removal: rule.removal.map(|removal| removal.to_string()),
        },
    }
}

/// The descriptor of all announced deprecations, each of which has an element and a date of its own.
fn announced_descriptor(finding: &Finding) -> RuleDescriptor<'_> {
    let page = Check::AnnouncedInTraffic.page();
    RuleDescriptor {
        id: finding.code(),
        short_description: SarifMessage::new("A response announces a deprecation."),
        full_description: SarifMessage::new(&format!("Reported: {}.", page.what)),
        help_uri: None,
        help: SarifMessage::new(&format!("To do: {}.", page.remedy)),
        properties: RuleProperties {
            tags: ["deprecation"],
            removal: None,
        },
    }
}

fn requirement_descriptor<'f>(finding: &'f Finding, own: &'f Requirement) -> RuleDescriptor<'f> {
    let section = own
        .section
        .as_ref()
        .map(|section| format!(" Section {section}."));
    RuleDescriptor {
        id: finding.code(),
        short_description: SarifMessage::new(&format!("{}.", own.message)),
        full_description: SarifMessage::new(&format!(
            "{}.{}",
            own.message,
            section.unwrap_or_default()
        )),
        help_uri: uri::link(own.rule.docs.as_deref()),
        help: SarifMessage::new(&format!("{}.", own.remedy)),
        properties: RuleProperties {
            tags: ["requirement"],
            removal: None,
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

fn result<'r>(ranked: &RankedFinding<'r>, rule_index: usize) -> SarifResult<'r> {
    let located = ranked.located;
    let finding = &located.finding;
    let found = &finding.found;
    let at = located
        .pointer()
        .map(|pointer| format!(" It is at {pointer}."));
    // A declaration in a description is not a use: it has no consequence.
    let consequence = match finding.check() {
        None => format!("; {}", finding.consequence()),
        Some(_) => String::new(),
    };
    let message = finding.message();
    let at = at.unwrap_or_default();
    let announced = finding
        .announcement_text()
        .map(|text| format!(" It is {text}."))
        .unwrap_or_default();
    let ended = located
        .status
        .expiry_note()
        .map(|ended| format!(" Note: {ended}."))
        .unwrap_or_default();
    let advice = finding.advice_and_note();
    let message = format!("{message}; {advice}{consequence}.{at}{announced}{ended}");
    let fingerprints = [
        // The name under which GitHub looks for one, and the form that its own tools give it: hash and occurrence.
        (
            "primaryLocationLineHash",
            format!("{}:{}", ranked.fingerprint, ranked.occurrence),
        ),
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
        locations: [SarifLocation {
            logical_locations: located.recorded_test().map(test).into_iter().collect(),
            ..location(&located.file, Some(region(located)))
        }],
        related_locations: related(located)
            .into_iter()
            .chain(origins(located))
            .collect(),
        partial_fingerprints: BTreeMap::from(fingerprints),
        occurrence_count: finding.sightings.count,
        properties: ResultProperties {
            operation: &found.operation,
            announced_for: finding.announced_for().map(ToString::to_string),
            side: found.part.name(),
            pointer: found.exact_pointer().map(bounded_pointer),
            replacement: finding.rule.replacement.as_deref(),
            replacement_present: finding.has_replacement,
            removal: finding.rule.removal.map(|removal| removal.to_string()),
            days_left: finding.days_left,
            exchange: found.exchange.as_ref().map(|exchange| exchange.index),
            decompressed_from: located.compression,
            evidence: json::evidence(located),
            allowance: json::allowance(located),
        },
    }
}

/// A pointer; truncated if it is so long that it would displace many results.
fn bounded_pointer(pointer: &str) -> String {
    if pointer.len() <= MAX_POINTER_BYTES {
        pointer.to_owned()
    } else {
        printable(pointer).into_owned()
    }
}

fn region(located: &LocatedFinding) -> Region {
    Region {
        end_line: Some(located.end.line),
        end_column: Some(located.end.column),
        ..start_region(
            located.location,
            located.finding.found.span,
            located.compression,
        )
    }
}

/// A region without an end line and column. Byte offsets refer to the file on disk, so a compressed file has none.
fn start_region(at: Location, span: Span, compression: Option<&'static str>) -> Region {
    let plain = compression.is_none();
    Region {
        start_line: at.line,
        start_column: Some(at.column),
        byte_offset: plain.then_some(span.start),
        byte_length: plain.then_some(span.len()),
        ..Region::default()
    }
}

fn related(located: &LocatedFinding) -> Vec<SarifLocation> {
    let related = located
        .finding
        .related
        .iter()
        .zip(&located.related)
        .enumerate();
    related
        .map(|(index, (related, (at, _)))| {
            let region = start_region(*at, related.span, located.compression);
            let message = describe_related(&located.finding, related);
            SarifLocation {
                id: Some(index + 1),
                message: Some(SarifMessage::new(&message)),
                ..location(&located.file, Some(region))
            }
        })
        .collect()
}

/// Where in code the uses were made: the place in the source code if it is known, then the script, then the callers.
fn origins(located: &LocatedFinding) -> Vec<SarifLocation> {
    let places = located
        .finding
        .origins
        .by_count()
        .into_iter()
        .flat_map(|counted| {
            counted
                .origin
                .frames
                .iter()
                .enumerate()
                .flat_map(|(index, frame)| {
                    let script = frame.source.is_some() && index == 0;
                    let script = script
                        .then(|| code_location(&frame.place, "the script that was built from it"));
                    let text = if index == 0 {
                        "called from here"
                    } else {
                        "which is called from here"
                    };
                    std::iter::once(code_location(frame.main_place(), text)).chain(script)
                })
        });
    let first = located.finding.related.len() + 1;
    places
        .enumerate()
        .map(|(index, place)| SarifLocation {
            id: Some(first + index),
            ..place
        })
        .collect()
}

fn code_location(place: &CodePlace, message: &str) -> SarifLocation {
    // Columns of the run count code points (`columnKind`), those of browsers UTF-16 code units.
    let region = place.line.map(|line| Region {
        start_line: line as usize,
        ..Region::default()
    });
    SarifLocation {
        logical_locations: place
            .function
            .as_deref()
            .map(|name| LogicalLocation {
                name: printable(name).into_owned(),
                kind: "function",
            })
            .into_iter()
            .collect(),
        message: Some(SarifMessage::new(message)),
        ..physical_location(uri::of_code(&place.file), region)
    }
}

/// A recorded test. SARIF has no name for its kind, and allows others.
fn test(name: &str) -> LogicalLocation {
    LogicalLocation {
        name: printable(name).into_owned(),
        kind: "test",
    }
}

fn location(file: &str, region: Option<Region>) -> SarifLocation {
    physical_location(uri::of_file(file), region)
}

fn physical_location(uri: String, region: Option<Region>) -> SarifLocation {
    SarifLocation {
        physical_location: Some(PhysicalLocation {
            artifact_location: ArtifactLocation { uri },
            region,
        }),
        ..SarifLocation::default()
    }
}

/// The messages of the run besides its results, up to a limit.
#[derive(Default)]
struct Notifications {
    list: Vec<Notification>,
    descriptors: Vec<NotificationDescriptor>,
    bytes: usize,
    left_out: usize,
}

impl Notifications {
    fn add_skips(&mut self, skipped: &SkipGroup) -> io::Result<()> {
        let region = skipped.location.map(|at| Region {
            start_line: at.line,
            start_column: Some(at.column),
            ..Region::default()
        });
        let notification = Notification {
            descriptor: self.reference(
                skipped.reason.name(),
                &format!("Not checked: {}", skipped.reason.text()),
            ),
            level: match skipped.reason.kind() {
                SkipKind::Failed => "warning",
                SkipKind::Unrelated => "note",
            },
            message: SarifMessage::new(&skipped.sentence()),
            locations: vec![location(&skipped.file, region)],
            properties: NotificationProperties {
                count: skipped.count,
                bytes: skipped.bytes,
            },
        };
        self.push(notification, skipped.count)
    }

    /// Adds a remark on rules, an allowance or the baseline.
    fn add_remark(&mut self, remark: &RunRemark) -> io::Result<()> {
        let notification = Notification {
            descriptor: self.reference(remark.kind.name(), remark.kind.text()),
            level: "note",
            message: SarifMessage::new(&remark.sentence()),
            locations: Vec::new(),
            properties: NotificationProperties { count: 1, bytes: 0 },
        };
        self.push(notification, 1)
    }

    /// Adds a notification about `count` pieces, if it fits.
    fn push(&mut self, notification: Notification, count: usize) -> io::Result<()> {
        let bytes = self.bytes + safe_json::size(&notification)? + 1;
        if self.left_out > 0 || bytes > NOTIFICATION_BYTES {
            self.left_out += count;
            return Ok(());
        }
        self.bytes = bytes;
        self.list.push(notification);
        Ok(())
    }

    /// A reference to the descriptor of this name, which is added if it is new.
    fn reference(&mut self, id: &'static str, text: &str) -> DescriptorReference {
        let known = self
            .descriptors
            .iter()
            .position(|descriptor| descriptor.id == id);
        let index = known.unwrap_or_else(|| {
            self.descriptors.push(NotificationDescriptor {
                id,
                short_description: SarifMessage::new(&format!("{text}.")),
            });
            self.descriptors.len() - 1
        });
        DescriptorReference { id, index }
    }

    fn add_results_left_out(&mut self, count: usize) {
        let text = format!(
            "{count} results are left out: a file has at most {MAX_RESULTS} results and 10 MB. The json report has all of them."
        );
        self.add_warning(
            "results-left-out",
            "more results than a file may have",
            count,
            &text,
        );
    }

    /// Reports how many notifications were left out.
    fn finish(&mut self) {
        let count = self.left_out;
        let text = format!("{count} more pieces were not checked; the json report lists them.");
        self.add_warning(
            "notifications-left-out",
            "more pieces than a file may list",
            count,
            &text,
        );
    }

    /// Adds a warning about `count` pieces; none if the count is zero.
    fn add_warning(&mut self, id: &'static str, why: &str, count: usize, text: &str) {
        if count > 0 {
            let notification = Notification {
                descriptor: self.reference(id, &format!("Not checked: {why}")),
                level: "warning",
                message: SarifMessage::new(text),
                locations: Vec::new(),
                properties: NotificationProperties { count, bytes: 0 },
            };
            self.list.push(notification);
        }
    }
}
