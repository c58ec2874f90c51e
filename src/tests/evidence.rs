//! Findings say what the capture proves: how the service answered uses of an element before and after its last day.

use std::path::Path;

use insta::assert_snapshot;

use super::support::{check_with, day, written};
use sundown_lint::rules::{Lifecycle, RuleFile, RuleSet};
use sundown_report::Report;

const RULES: &str = r#"
[[rule]]
id = "call"
operation = "POST /a"
removal = 2026-11-10
[[rule]]
id = "field"
operation = "POST /b"
field = "x"
removal = 2026-11-10
[[rule]]
id = "undated"
operation = "POST /c"
field = "x"
"#;

const STATED: &str = "[after_removal]\noperation = 410\nrequest = 400\nresponse = 'omitted'\n";

const STATED_OTHERWISE: &str = "[after_removal]\nrequest = 'ignored'\nresponse = 'null'\n";

fn rule_set(facts: &str) -> RuleSet {
    let rules = format!("api = 'Shop'\n{facts}{RULES}");
    RuleSet::new(vec![RuleFile::parse("test", &rules).unwrap()]).unwrap()
}

/// A record of a call, with the field on both sides.
fn call(path: &str, time: &str, status: &str) -> String {
    let time = if time.is_empty() {
        String::new()
    } else {
        format!(r#""time":"{time}","#)
    };
    let status = if status.is_empty() {
        String::new()
    } else {
        format!(r#""status":{status},"#)
    };
    format!(
        "{{{time}\"method\":\"POST\",\"url\":\"{path}\",{status}\"request\":{{\"body\":{{\"x\":1}}}},\"response\":{{\"body\":{{\"x\":2}}}}}}\n"
    )
}

fn report(traffic: &str, facts: &str, fold: bool) -> Report {
    let today = Lifecycle::on(day());
    check_with(
        Path::new("-"),
        traffic.as_bytes(),
        &rule_set(facts),
        today,
        None,
        fold,
    )
}

fn consequences(traffic: &str, facts: &str, fold: bool) -> Vec<String> {
    let report = report(traffic, facts, fold);
    let line = |finding: &sundown_lint::findings::Finding| {
        format!(
            "{} {}: {}",
            finding.rule.id,
            finding.found.part.name(),
            finding.consequence()
        )
    };
    report
        .findings
        .iter()
        .map(|located| line(&located.finding))
        .collect()
}

#[test]
fn what_is_proved_follows_from_time_status_side_and_facts() {
    let mut lines = Vec::new();
    for (facts, title) in [
        ("", "nothing stated"),
        (STATED, "stated"),
        (STATED_OTHERWISE, "stated otherwise"),
    ] {
        for (when, time) in [
            ("before", "2026-11-01T12:00:00Z"),
            ("on", "2026-11-10T23:59:59Z"),
            ("the day after", "2026-11-11T00:00:00Z"),
            ("after", "2026-11-15T12:00:00Z"),
            ("unknown", ""),
        ] {
            lines.push(format!("== {title}, {when}"));
            for status in ["200", "304", "308", "400", "401", "404", "410", "503", ""] {
                let traffic = call("/a", time, status) + &call("/b", time, status);
                for line in consequences(&traffic, facts, false) {
                    lines.push(format!(
                        "{:4}{line}",
                        if status.is_empty() { "?" } else { status }
                    ));
                }
            }
        }
    }
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn folded_findings_state_the_range_and_every_outcome() {
    let traffic = [
        call("/b", "2026-11-01T12:00:00Z", "200"),
        call("/b", "2026-11-12T12:00:00Z", "200"),
        call("/b", "2026-11-14T12:00:00Z", "201"),
        call("/b", "2026-11-13T12:00:00Z", "503"),
        call("/b", "2026-11-15T12:00:00Z", "410"),
        call("/b", "2026-11-16T12:00:00Z", "410"),
        call("/a", "2026-11-15T12:00:00Z", "200"),
        call("/a", "2026-11-15T13:00:00Z", "200"),
    ];
    let expected = consequences(&traffic.concat(), "", true);
    assert_snapshot!(expected.join("\n"));
    // The order of the records changes nothing but the place of the findings.
    let mut turned = traffic;
    turned.reverse();
    let mut found = consequences(&turned.concat(), "", true);
    found.sort();
    let mut expected = expected;
    expected.sort();
    assert_eq!(found, expected);
}

#[test]
fn machine_output_has_the_evidence() {
    let traffic = call("/b", "2026-11-12T12:00:00Z", "200")
        + &call("/b", "2026-11-15T12:00:00Z", "410")
        + &call("/a", "2026-11-01T12:00:00Z", "")
        + &call("/c", "", "200");
    let report = report(&traffic, "", true);
    let json: serde_json::Value = serde_json::from_str(&written(&report, "json")).unwrap();
    let evidence = json["findings"].as_array().unwrap().iter().map(|finding| {
        format!(
            "{} {}: {}",
            finding["rule"], finding["side"], finding["evidence"]
        )
    });
    assert_snapshot!(evidence.collect::<Vec<_>>().join("\n"));
    assert_eq!(json["summary"]["served_late"], 1);
}
