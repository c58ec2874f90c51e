//! Partial results from strangers are refused, or merged and reported. The lines are also read with a header and a checksum that
//! fit them, so that damage is not all that is found.

#![no_main]

use chrono::NaiveDate;
use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value, json};
use sha2::{Digest, Sha256};
use sundown_usage::{UncalledElements, UsageFormat, UsageReport, UsageReportOptions, UsageScan, VerdictOptions};

/// The header of a scan with callers.
const HEADER: &str =
    r#"{"sundown_partial":3,"program":"0.0.0","identity":{"callers-by":["user-agent"]}}"#;

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let lines = bytes.split(|byte| *byte == b'\n');
    let parts = lines.filter_map(|line| serde_json::from_slice(line).ok());
    read(seal(parts).as_bytes());
});

/// Makes a partial of these lines.
fn seal(parts: impl Iterator<Item = Map<String, Value>>) -> String {
    let lines = parts.flatten().map(|(name, part)| json!({ name: part }).to_string());
    let lines: Vec<_> = std::iter::once(HEADER.to_owned()).chain(lines).collect();
    let text = lines.join("\n") + "\n";
    let hash = Sha256::digest(&text);
    let hash = hash.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    format!("{text}{{\"end\":{{\"lines\":{},\"sha256\":\"{hash}\"}}}}\n", lines.len())
}

fn read(mut bytes: &[u8]) {
    while let Ok(Some(scan)) = UsageScan::read_partial(&mut bytes) {
        use_scan(scan);
    }
}

fn use_scan(scan: UsageScan) {
    let text = written(|out| scan.write_partial(out));
    let again = UsageScan::read_partial(&mut text.as_slice()).expect("what was written").expect("a partial");
    assert_eq!(written(|out| again.write_partial(out)), text);
    let mut twice = scan.clone();
    twice.merge(scan).expect("the same identity");
    report_usage(&twice);
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
    let options = UsageReportOptions { verdicts, attributes, uncalled: UncalledElements::Listed, caller: None };
    let report = UsageReport::new(scan, &options);
    for format in [UsageFormat::Human, UsageFormat::Json, UsageFormat::Csv, UsageFormat::Markdown] {
        format.write(&report, Some(80), &mut Vec::new()).expect("memory");
    }
}
