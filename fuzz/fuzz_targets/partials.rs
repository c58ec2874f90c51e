//! Partial results from strangers are refused, or merged and reported. The lines are also read with a header and a checksum that
//! fit them, so that damage is not all that is found.

#![no_main]

use chrono::NaiveDate;
use libfuzzer_sys::fuzz_target;
use serde_json::{Value, json};
use sundown::report::{PartialKind, PartialReader, PartialWriter};
use sundown::usage::{UsageFormat, UsageReport, UsageReportOptions, UsageScan, VerdictOptions};

fuzz_target!(|bytes: &[u8]| {
    read(bytes);
    let lines = bytes.split(|byte| *byte == b'\n');
    let parts: Vec<Value> = lines.filter_map(|line| serde_json::from_slice(line).ok()).collect();
    read(&seal(&parts));
});

/// Makes a partial of these lines.
fn seal(parts: &[Value]) -> Vec<u8> {
    let mut out = Vec::new();
    let identity = json!({"rules": "", "by": ["user-agent"]});
    let mut writer = PartialWriter::start(&mut out, PartialKind::Usage, &identity).expect("memory");
    parts.iter().for_each(|part| writer.line(part).expect("memory"));
    writer.finish().expect("memory");
    out
}

fn read(mut bytes: &[u8]) {
    while let Ok(Some(mut reader)) = PartialReader::open(&mut bytes) {
        let Ok(scan) = UsageScan::read_partial(&mut reader) else { break };
        let mut twice = scan.clone();
        twice.merge(scan.clone());
        report(&twice);
        assert_eq!(read_again(&scan), scan);
    }
}

fn read_again(scan: &UsageScan) -> UsageScan {
    let mut written = Vec::new();
    scan.write_partial(&mut written).expect("memory");
    let mut written = written.as_slice();
    let mut reader = PartialReader::open(&mut written).expect("a header").expect("a partial");
    UsageScan::read_partial(&mut reader).expect("what was written")
}

fn report(scan: &UsageScan) {
    let as_of = NaiveDate::from_ymd_opt(2026, 11, 20).expect("a day");
    let verdicts = VerdictOptions { as_of, quiet_days: 1, min_uses: 0, min_share: 0.0 };
    let attributes = scan.identity.attributes().unwrap_or_default();
    let options = UsageReportOptions { verdicts, attributes, called_only: false };
    let report = UsageReport::new(scan, &options);
    for format in
        [UsageFormat::Human, UsageFormat::Json, UsageFormat::Csv, UsageFormat::Markdown]
    {
        format.write(&report, &mut Vec::new()).expect("memory");
    }
}
