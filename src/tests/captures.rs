//! The recorded captures: every planted use at its exact place, and nothing else.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::support::{builtin, check_path, repository, separate_findings, text};
use sundown_lint::findings::Finding;
use sundown_report::LocatedFinding;
use sundown_text_json::json::string;
use sundown_text_json::text::Span;

#[derive(Deserialize)]
struct Expected {
    findings: Vec<ExpectedFinding>,
}

#[derive(Deserialize)]
struct ExpectedFinding {
    entry: usize,
    rule: String,
    operation: String,
    side: String,
    pointer: Option<String>,
    marker: Option<String>,
    embedded: Option<String>,
    #[serde(default)]
    related: Vec<ExpectedRelated>,
}

#[derive(Deserialize)]
struct ExpectedRelated {
    rule: String,
    pointer: String,
}

const CAPTURES: [&str; 13] = [
    "mitmproxy.har",
    "chromium.har",
    "chromium-omit.har",
    "pino-http.ndjson",
    "cassettes/betamax.json",
    "cassettes/go-vcr.yaml",
    "cassettes/polly.har",
    "cassettes/vcr.yml",
    "cassettes/vcr-exact.yml",
    "cassettes/vcr-json.json",
    "cassettes/vcrpy.yaml",
    "cassettes/vcrpy-text.yaml",
    "cassettes/vcrpy-json.json",
];

/// Recordings of the same calls.
const ALIKE: [&str; 7] = [
    "betamax.json",
    "go-vcr.yaml",
    "vcr.yml",
    "vcr-exact.yml",
    "vcr-json.json",
    "vcrpy-text.yaml",
    "vcrpy-json.json",
];

/// A finding as one line: exchange, rule, operation, side, pointer, and what is inside.
fn line(finding: &Finding) -> String {
    let pointer = finding
        .found
        .pointer
        .as_ref()
        .map_or("-", |pointer| &pointer.exact);
    let related: Vec<_> = (finding.related.iter())
        .map(|r| {
            format!(
                "{} {}",
                r.rule.id,
                r.pointer.as_ref().map_or("-", |at| &at.exact)
            )
        })
        .collect();
    let entry = finding
        .found
        .exchange
        .as_ref()
        .map(|exchange| exchange.index);
    let (rule, operation, side) = (
        &finding.rule.id,
        &finding.found.operation,
        finding.found.part.name(),
    );
    format!("{entry:?} {rule} {operation} {side} {pointer} {related:?}")
}

fn expected_line(finding: &ExpectedFinding) -> String {
    let pointer = finding.pointer.as_deref().unwrap_or("-");
    let related: Vec<_> = finding
        .related
        .iter()
        .map(|r| format!("{} {}", r.rule, r.pointer))
        .collect();
    let (rule, operation, side) = (&finding.rule, &finding.operation, &finding.side);
    format!(
        "{:?} {rule} {operation} {side} {pointer} {related:?}",
        Some(finding.entry)
    )
}

fn counted(lines: impl Iterator<Item = String>) -> BTreeMap<String, usize> {
    lines.fold(BTreeMap::new(), |mut counts, line| {
        *counts.entry(line).or_default() += 1;
        counts
    })
}

fn expected(name: &str) -> Vec<ExpectedFinding> {
    let stem = name.rsplit_once('.').unwrap().0;
    let file = format!("testdata/captures/{stem}.expected.json");
    serde_json::from_str::<Expected>(&text(&file))
        .unwrap_or_else(|error| panic!("{file}: {error}"))
        .findings
}

#[test]
fn every_planted_use_is_found_and_nothing_else() {
    for name in CAPTURES {
        let report = check_path(
            &repository(&format!("testdata/captures/{name}")),
            &builtin(),
        );
        let expected = expected(name);
        assert!(!expected.is_empty());
        let findings = separate_findings(&report, &builtin());
        let found = counted(findings.iter().map(|placed| line(&placed.finding)));
        assert_eq!(found, counted(expected.iter().map(expected_line)), "{name}");
    }
}

#[test]
fn the_same_calls_give_the_same_findings_for_every_recorder() {
    let found = |name: &str| {
        let report = check_path(
            &repository(&format!("testdata/captures/cassettes/{name}")),
            &builtin(),
        );
        assert!(report.skipped.is_empty(), "{name}: {:?}", report.skipped);
        let findings = separate_findings(&report, &builtin());
        counted(findings.iter().map(|placed| line(&placed.finding)))
    };
    let polly = found("polly.har");
    assert!(!polly.is_empty());
    for name in ALIKE {
        assert_eq!(found(name), polly, "{name}");
    }
}

#[test]
fn every_finding_is_located_at_its_own_key() {
    for name in CAPTURES {
        let path = repository(&format!("testdata/captures/{name}"));
        let bytes = std::fs::read(&path).unwrap();
        let report = check_path(&path, &builtin());
        let mut expected = expected(name);
        for placed in &separate_findings(&report, &builtin()) {
            let wanted = line(&placed.finding);
            let at = expected
                .iter()
                .position(|finding| expected_line(finding) == wanted)
                .unwrap();
            let expected = expected.remove(at);
            match (expected.pointer.is_some(), expected.embedded.as_deref()) {
                (false, _) => assert_is_url(name, placed, &bytes),
                (true, Some("base64")) => assert_holds_body(name, placed, &bytes),
                (true, _) => {
                    assert_is_key_of(name, placed, &bytes, expected.marker.as_deref().unwrap());
                }
            }
            assert_eq!(
                (placed.location.line, placed.location.column),
                counted_place(&bytes, placed.finding.found.span.start)
            );
        }
        assert!(expected.is_empty());
    }
}

fn is_yaml(name: &str) -> bool {
    [".yml", ".yaml"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// Asserts that a finding about an endpoint is at the string that holds the URL.
fn assert_is_url(name: &str, placed: &LocatedFinding, bytes: &[u8]) {
    let url = std::str::from_utf8(placed.finding.found.span.slice(bytes)).unwrap();
    let last = placed.finding.found.operation.rsplit('/').next().unwrap();
    let plain = url.replace("%62", "b").replace("%61", "a");
    let is_quoted = url.starts_with('"') && url.ends_with('"');
    assert!(
        is_quoted || is_yaml(name) && url.starts_with("http"),
        "{name}: {url}"
    );
    assert!(plain.contains(last), "{name}: {url}");
}

/// Inside base64, the place is the string that holds the body.
fn assert_holds_body(name: &str, placed: &LocatedFinding, bytes: &[u8]) {
    let literal = placed.finding.found.span.slice(bytes);
    let quoted = literal
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""));
    // In YAML, they are on lines of their own, or in other quotes.
    let digits = if is_yaml(name) {
        literal
    } else {
        quoted.unwrap()
    };
    let more: &[u8] = if is_yaml(name) { b"+/= \n'" } else { b"+/=" };
    assert!(
        digits
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || more.contains(byte)),
        "{name}"
    );
    assert!(placed.finding.found.shown.encoded);
}

/// The span is the key, escapes and all, and its value holds the planted marker before any other.
fn assert_is_key_of(name: &str, placed: &LocatedFinding, bytes: &[u8], marker: &str) {
    let finding = &placed.finding;
    let raw = std::str::from_utf8(finding.found.span.slice(bytes)).unwrap();
    // Inside YAML quotes, a line may break inside a key, after a backslash.
    let joined = raw.split("\\\n").map(str::trim_start).collect::<String>();
    let raw = if is_yaml(name) { joined.as_str() } else { raw };
    let embedded = raw.starts_with('\\');
    let key = if embedded {
        string::unescape(raw).into_owned()
    } else {
        raw.to_owned()
    };
    let field = string::decode(&key, Span::new(0, key.len())).into_owned();
    assert_eq!(
        Some(field.as_str()),
        finding.rule.element.name(),
        "{name}: {raw}"
    );
    let rest = &bytes[finding.found.span.end..];
    let next = memchr::memmem::find(rest, b"planted-").unwrap();
    assert!(
        rest[next..].starts_with(marker.as_bytes()),
        "{name}: {raw} is not the key of {marker}"
    );
}

/// Line and column, counted the slow way.
fn counted_place(bytes: &[u8], offset: usize) -> (usize, usize) {
    let before = String::from_utf8_lossy(&bytes[..offset]);
    let line = before.matches('\n').count() + 1;
    (
        line,
        before.rsplit('\n').next().unwrap().chars().count() + 1,
    )
}

#[test]
fn what_the_captures_leave_out_is_reported() {
    let report = check_path(
        &repository("testdata/captures/chromium-omit.har"),
        &builtin(),
    );
    let reasons: Vec<_> = report
        .skipped
        .iter()
        .map(|skipped| skipped.reason.name())
        .collect();
    assert_eq!(reasons, ["body-missing"], "{:?}", report.skipped);
    assert!(report.summary.failed > 0);
}
