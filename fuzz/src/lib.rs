//! Shared by the fuzz targets: a check of the bytes of one file, and the invariants of its report.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use chrono::NaiveDate;
use sundown_captures::{Format, FormatFamily, Gauge};
use sundown_exchange::{OperationPattern, Side};
use sundown_lint::Values;
use sundown_lint::rules::{RuleLibrary, RuleSet, Sides};
use sundown_report::{OutputFormat, OutputTarget, RenderOptions, Report};
use sundown_run::config::{Config, Settings};
use sundown_run::{BodyOperation, CheckOptions, OutputRights, check, load_rules, render};
use sundown_text_json::Limits;
use sundown_text_json::text::{ExpansionFactor, magic};

/// The tables that the program embeds, from their files.
pub static TABLE: LazyLock<RuleSet> =
    LazyLock::new(|| rule_set(&["client-api", "indexing-api", "beyond-reference"]));

/// The rules of these files.
pub fn rule_set(names: &[&str]) -> RuleSet {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rules");
    let rules = names
        .iter()
        .map(|name| folder.join(name).with_extension("toml"))
        .collect();
    let settings = Settings {
        rules,
        ..Settings::default()
    };
    let config = Config {
        settings,
        ..Config::default()
    };
    load_rules(
        Default::default(),
        RuleLibrary::default(),
        &config,
        &Default::default(),
    )
    .expect("the tables have no mistakes")
}

/// Small enough that limits are met.
const LIMITS: Limits = Limits {
    depth: 200,
    record: 32 * 1024,
    expansion: ExpansionFactor::new(NonZeroU32::MIN),
    block: 2 * 1024,
    findings: usize::MAX,
};

/// A run over standard input, in this format, or in the one that is recognised.
pub fn options(format: Option<Format>) -> CheckOptions<'static> {
    let day = NaiveDate::from_ymd_opt(2026, 11, 20).expect("a day");
    let settings = Settings {
        limits: LIMITS,
        ..Settings::of(vec![PathBuf::from("-")])
    };
    CheckOptions {
        named: (format == Some(Format::Body)).then(chat),
        format,
        values: Values::Shown,
        ..CheckOptions::new(settings, &TABLE, day)
    }
}

fn chat() -> BodyOperation {
    let operation = OperationPattern::parse("POST /rest/api/v1/chat").expect("an operation");
    BodyOperation {
        operation,
        sides: Sides::Only(Side::Request),
    }
}

/// Checks the bytes of a file.
pub fn report(options: &CheckOptions<'_>, mut bytes: &[u8]) -> Report {
    check(options, &mut bytes, &Gauge::default())
}

/// Checks the bytes as a file of each of these formats, and holds each report to what must hold of any.
pub fn read_as(formats: &[Format], bytes: &[u8]) {
    for format in formats {
        hold(&report(&options(Some(*format)), bytes), bytes);
    }
}

/// Checks the bytes as a file of each registered format of this family.
pub fn read_as_family(family: FormatFamily, bytes: &[u8]) {
    let formats = Format::ALL
        .iter()
        .copied()
        .filter(|format| format.spec().family == family);
    read_as(&formats.collect::<Vec<_>>(), bytes);
}

/// Asserts the invariants of the report on a file with these bytes: its locations are in the file, no byte is skipped twice, and it
/// can be rendered.
pub fn hold(report: &Report, bytes: &[u8]) {
    assert!(report.complete);
    // Places in a compressed file are those of what is inside.
    if magic::compression(bytes).is_none() {
        for placed in &report.findings {
            let span = placed.finding.found.span;
            assert!(
                span.start <= span.end && span.end <= bytes.len(),
                "{span:?}"
            );
        }
        let passed_over = report
            .skipped
            .iter()
            .any(|skipped| skipped.location.is_none());
        assert!(
            report.summary.bytes == bytes.len()
                || passed_over && report.summary.bytes < bytes.len()
        );
        let skipped: usize = report.skipped.iter().map(|skipped| skipped.bytes).sum();
        assert!(
            skipped <= bytes.len(),
            "{skipped} of {} bytes are skipped",
            bytes.len()
        );
    }
    // One format for each input: all of them would take longer than the reading.
    let format = OutputFormat::ALL[bytes.len() % OutputFormat::ALL.len()];
    let mut written = Vec::new();
    let (targets, options) = (
        [OutputTarget { format, file: None }],
        RenderOptions::default(),
    );
    render(
        report,
        &targets,
        options,
        &OutputRights::default(),
        &mut written,
    )
    .expect("memory can be written");
}

/// The parts of a report that two ways of reading must agree on.
pub fn outline(report: &Report) -> (Vec<String>, Vec<String>, usize) {
    let findings = report.findings.iter().map(|placed| {
        let (found, location) = (&placed.finding.found, placed.location);
        format!(
            "{} {:?} {:?} {location:?}",
            placed.finding.rule.id, found.span, found.pointer
        )
    });
    let skipped = report.skipped.iter().map(|skipped| format!("{skipped:?}"));
    (
        findings.collect(),
        skipped.collect(),
        report.summary.records,
    )
}
