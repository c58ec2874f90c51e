//! The files of API clients: the same calls give the same findings, whatever keeps them; variables, quoting, and what is
//! broken.

use std::collections::BTreeSet;
use std::path::Path;

use proptest::prelude::*;

use super::equivalence::{Calls, ROWS, Row};
use super::support::{Files, builtin, check_path, separate_findings, text};
use sundown_captures::{Format, FormatFamily};
use sundown_lint::findings::Finding;
use sundown_report::Report;

/// Rule, operation, side, pointer and planted value of a use.
type Known = (String, String, String, String, String);

/// The uses in those exchanges of the mitmproxy capture that `wanted` selects.
fn recorded(wanted: impl Fn(&serde_json::Value) -> bool) -> BTreeSet<Known> {
    let expected = text("testdata/captures/mitmproxy.expected.json");
    let expected: serde_json::Value = serde_json::from_str(&expected).unwrap();
    let part = |finding: &serde_json::Value, key: &str| {
        finding
            .get(key)
            .and_then(|value| value.as_str())
            .unwrap_or_default()
            .to_owned()
    };
    let findings = expected["findings"]
        .as_array()
        .unwrap()
        .iter()
        .filter(|finding| wanted(finding));
    findings
        .map(|f| {
            (
                part(f, "rule"),
                part(f, "operation"),
                part(f, "side"),
                part(f, "pointer"),
                part(f, "marker"),
            )
        })
        .collect()
}

fn is_sent(finding: &serde_json::Value) -> bool {
    finding["side"] != "response"
}

/// Whether curl made the call: it made the first ones.
fn is_of_curl(finding: &serde_json::Value) -> bool {
    finding["entry"].as_u64().unwrap() < 19
}

fn check(file: &Path) -> (Report, Vec<u8>) {
    let bytes = std::fs::read(file).unwrap();
    (check_path(file, &builtin()), bytes)
}

/// The uses in a file, each with the planted value after its key; asserts that the key is at its location.
fn found(file: &Path) -> BTreeSet<Known> {
    let (report, bytes) = check(file);
    let findings = separate_findings(&report, &builtin());
    findings
        .iter()
        .map(|placed| known(file, &placed.finding, &bytes))
        .collect()
}

fn known(file: &Path, finding: &Finding, bytes: &[u8]) -> Known {
    let pointer = finding
        .found
        .pointer
        .as_ref()
        .map(|pointer| pointer.exact.to_string());
    let span = finding.found.span;
    let mut marker = String::new();
    if pointer.is_some() {
        let raw = String::from_utf8_lossy(&bytes[span.start..span.end]).into_owned();
        let bare = raw
            .replace(['\\', '"'], "")
            .replace("u0061", "a")
            .replace("u0069", "i");
        assert_eq!(
            Some(bare.as_str()),
            finding.rule.element.name(),
            "{}: {raw}",
            file.display()
        );
        let rest = &bytes[span.end..];
        let at = memchr::memmem::find(rest, b"planted-").unwrap();
        let digits = rest[at + 8..]
            .iter()
            .take_while(|byte| byte.is_ascii_digit())
            .count();
        marker = String::from_utf8_lossy(&rest[at..at + 8 + digits]).into_owned();
    }
    let (rule, operation) = (finding.rule.id.clone(), finding.found.operation.to_string());
    (
        rule,
        operation,
        finding.found.part.name().to_owned(),
        pointer.unwrap_or_default(),
        marker,
    )
}

/// The recorded files of all clients, one row for each file or folder.
fn rows() -> impl Iterator<Item = &'static Row> {
    let is_client =
        |row: &&Row| Format::from_name(row.format).unwrap().spec().family == FormatFamily::Clients;
    ROWS.iter().filter(is_client)
}

#[test]
fn every_client_gives_the_findings_of_the_capture_that_its_files_can_hold() {
    assert!(recorded(|_| true).len() > 50);
    assert!(recorded(is_sent).len() > 20);
    assert!(recorded(|finding| is_sent(finding) && is_of_curl(finding)).len() > 8);
    for row in rows() {
        let keeps_responses = row.loses.is_empty();
        let wanted = recorded(|finding| {
            (keeps_responses || is_sent(finding))
                && (row.calls == Calls::All || is_of_curl(finding))
        });
        let found: BTreeSet<Known> = row.files().iter().flat_map(|file| found(file)).collect();
        assert_eq!(found, wanted, "{}", row.path);
    }
}

#[test]
fn no_recorded_request_is_lost_or_broken() {
    for row in rows() {
        let mut records = 0;
        for file in row.files() {
            let (report, _) = check(&file);
            assert_eq!(
                report.summary.failed,
                0,
                "{}: {:?}",
                file.display(),
                report.skipped
            );
            records += report.summary.records;
        }
        assert!(records >= 18, "{}: {records}", row.path);
    }
}

/// A few calls in each format, short enough to be cut anywhere.
fn samples() -> Vec<(&'static str, String)> {
    let body = "{\"citations\": [1]}";
    let escaped = body.replace('"', "\\\"");
    let url = "https://h/rest/api/v1/chat";
    let request = format!(
        "{{\"request\": {{\"method\": \"POST\", \"url\": \"{url}\", \"body\": {{\"mode\": \"raw\", \"raw\": \"{escaped}\"}}}}}}"
    );
    let resource = format!(
        "{{\"_type\": \"request\", \"method\": \"POST\", \"url\": \"{url}\", \"body\": {{\"text\": \"{escaped}\"}}}}"
    );
    vec![
        (
            "postman",
            format!("{{\"info\": {{\"_postman_id\": \"x\"}}, \"item\": [{request}, {request}]}}"),
        ),
        (
            "insomnia",
            format!(
                "{{\"_type\": \"export\", \"__export_format\": 4, \"resources\": [{resource}, {resource}]}}"
            ),
        ),
        (
            "insomnia-v5",
            format!(
                "type: collection.insomnia.rest/5.0\ncollection:\n  - url: {url}\n    method: POST\n    body:\n      text: |-\n        {body}\n  - url: {url}\n    method: POST\n    body:\n      text: '{body}'\n"
            ),
        ),
        (
            "bruno",
            format!(
                "info:\n  name: x\n  type: http\nhttp:\n  method: POST\n  url: {url}\n  body:\n    type: json\n    data: |-\n      {body}\nexamples:\n  - request:\n      url: {url}\n      method: POST\n      body:\n        type: json\n        data: '{body}'\n"
            ),
        ),
        (
            "bruno",
            format!(
                "meta {{\n  name: x\n}}\n\npost {{\n  url: {url}\n  body: json\n}}\n\nbody:json {{\n  {body}\n}}\n"
            ),
        ),
        (
            "http",
            format!("### a\nPOST {url}\nA: b\n\n{body}\n\n### b\nPOST {url}\n\n{body}\n"),
        ),
        (
            "hurl",
            format!("POST {url}\nA: b\n{body}\nHTTP 200\n\nPOST {url}\n```json\n{body}\n```\n"),
        ),
        (
            "curl",
            format!(
                "#!/bin/sh\ncurl -d '{body}' {url}\ncurl -H \"A: b\" -d \"{escaped}\" {url} # c\n"
            ),
        ),
    ]
}

fn run_sample(format: &str, content: &[u8]) -> (usize, usize, usize) {
    let set = builtin();
    let files = Files::new().with("sample", content);
    let path = files.path("sample");
    let mut options = super::support::options(&path, &set);
    options.format = sundown_captures::Format::from_name(format);
    options.fold = false;
    let report = sundown_run::check(
        &options,
        &mut std::io::empty(),
        &sundown_captures::Gauge::default(),
    );
    for placed in &report.findings {
        let span = placed.finding.found.span;
        assert!(
            content.get(span.start..span.end).is_some(),
            "{format}: {span:?}"
        );
    }
    (
        report.findings.len(),
        report.summary.records,
        report.summary.failed,
    )
}

#[test]
fn a_truncated_file_gives_the_findings_before_the_cut() {
    for (format, sample) in samples() {
        let (mut most, mut reported) = (0, 0);
        for cut in 1..=sample.len() {
            let (findings, records, failed) = run_sample(format, &sample.as_bytes()[..cut]);
            assert!(
                findings >= most,
                "{format}: {cut} loses what was found before: {}",
                &sample[..cut]
            );
            assert!(
                failed <= 1,
                "{format}: {cut} is reported {failed} times: {}",
                &sample[..cut]
            );
            assert!(records <= 3);
            (most, reported) = (findings, reported + failed);
        }
        assert!(most >= 1 && reported > 0, "{format}: {most} {reported}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn flipped_bytes_cause_no_panic_and_no_hang(which in 0usize..6, flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4)) {
        let (format, sample) = samples().swap_remove(which);
        let mut bytes = sample.into_bytes();
        for (at, byte) in flips {
            let at = at.index(bytes.len());
            bytes[at] = byte;
        }
        run_sample(format, &bytes);
    }
}
