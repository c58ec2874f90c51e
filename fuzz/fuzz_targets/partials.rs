//! Partial results from strangers are refused, or merged and reported. The lines are also read with a header and a checksum that
//! fit them, so that damage is not all that is found.

#![no_main]

use std::sync::LazyLock;

use chrono::NaiveDate;
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};
use sundown_report::{
    CheckScan, OutputFormat, PartialKind, PartialReader, PartialWriter, RenderOptions, RunIdentity,
};
use sundown_lint::rules::{Lifecycle, RuleTable};
use sundown_run::{CheckOptions, report_scan};
use sundown_usage::{UncalledElements, UsageFormat, UsageReport, UsageReportOptions, UsageScan, VerdictOptions};

/// The rules to which findings refer.
static RULES: LazyLock<RuleTable> = LazyLock::new(|| {
    sundown_fuzz::table(&["client-api", "indexing-api", "beyond-reference", "client-contract", "indexing-contract"])
});

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let lines = bytes.split(|byte| *byte == b'\n');
    let parts: Vec<Map<String, Value>> =
        lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    let by = serde_json::from_value(json!({"callers-by": ["user-agent"]})).expect("an identity");
    read(&seal(PartialKind::Usage, &by, &parts));
    read(&seal(PartialKind::Check, &RunIdentity::default(), &parts));
});

/// Makes a partial of these lines.
fn seal(kind: PartialKind, identity: &RunIdentity, parts: &[Map<String, Value>]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut writer = PartialWriter::start(&mut out, kind, identity).expect("memory");
    for (name, part) in parts.iter().flatten() {
        writer.line(name, part).expect("memory");
    }
    writer.finish().expect("memory");
    out
}

fn read(mut bytes: &[u8]) {
    while let Ok(Some(mut reader)) = PartialReader::open(&mut bytes) {
        let is_whole = match reader.kind() {
            PartialKind::Usage => UsageScan::read_partial(&mut reader).map(use_usage).is_ok(),
            PartialKind::Check => CheckScan::read_partial(&mut reader).map(use_check).is_ok(),
        };
        if !is_whole {
            break;
        }
    }
}

fn use_usage(scan: UsageScan) {
    let text = written(|out| scan.write_partial(out));
    let mut again = text.as_slice();
    let mut reader = PartialReader::open(&mut again).expect("a header").expect("a partial");
    let again = UsageScan::read_partial(&mut reader).expect("what was written");
    assert_eq!(written(|out| again.write_partial(out)), text);
    let mut twice = scan.clone();
    // Results with files are refused.
    if twice.merge(scan).is_ok() {
        report_usage(&twice);
    }
}

fn use_check(scan: CheckScan) {
    let text = written(|out| scan.write_partial(out));
    let mut again = text.as_slice();
    let mut reader = PartialReader::open(&mut again).expect("a header").expect("a partial");
    let again = CheckScan::read_partial(&mut reader).expect("what was written");
    assert_eq!(written(|out| again.write_partial(out)), text);
    let mut twice = scan.clone();
    // Results with files are refused.
    let _ = twice.merge(scan);
    let lifecycle = Lifecycle::on(day());
    let options = CheckOptions::new(Vec::new(), &RULES, lifecycle);
    let Ok(report) = report_scan(&options, twice) else { return };
    for format in OutputFormat::ALL {
        format.write(&report, RenderOptions::default(), &mut Vec::new()).expect("memory");
    }
}

fn written(write: impl Fn(&mut dyn std::io::Write) -> std::io::Result<()>) -> Vec<u8> {
    let mut out = Vec::new();
    write(&mut out).expect("memory");
    out
}

fn day() -> NaiveDate {
    NaiveDate::from_ymd_opt(2026, 11, 20).expect("a day")
}

fn report_usage(scan: &UsageScan) {
    let verdicts = VerdictOptions { as_of: day(), quiet_days: 1, min_uses: 0, min_share: 0.0 };
    let attributes = scan.attributes().unwrap_or_default();
    let options = UsageReportOptions { verdicts, attributes, uncalled: UncalledElements::Listed };
    let report = UsageReport::new(scan, &options);
    for format in
        [UsageFormat::Human, UsageFormat::Json, UsageFormat::Csv, UsageFormat::Markdown]
    {
        format.write(&report, Some(80), &mut Vec::new()).expect("memory");
    }
}
