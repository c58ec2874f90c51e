//! Findings say what the capture proves: how the service answered uses of an element before and after its last day.

use std::path::Path;

use insta::assert_snapshot;

use super::support::{check_with, day, written};
use sundown_lint::rules::{Lifecycle, RuleFile, RuleTable};
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

fn table(facts: &str) -> RuleTable {
    let rules = format!("api = 'Shop'\n{facts}{RULES}");
    RuleTable::new(vec![RuleFile::parse("test", &rules).unwrap()]).unwrap()
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
        &table(facts),
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
fn without_a_last_day_nothing_is_proved() {
    let found = consequences(&call("/c", "2026-11-15T12:00:00Z", "410"), "", false);
    assert_eq!(
        found,
        [
            "undated request: once removed, it may be refused or ignored",
            "undated response: once removed, it may be missing: do not rely on it",
        ]
    );
}

#[test]
fn a_refused_operation_without_a_known_day_may_have_been_removed() {
    let rules = r"
api = 'Shop'
[[rule]]
id = 'undated'
operation = 'POST /c'
[[rule]]
id = 'dated'
operation = 'POST /d'
removal = 2026-11-10
";
    let found = |traffic: &[String], facts: &str| {
        let rules = rules.replace("api = 'Shop'\n", &format!("api = 'Shop'\n{facts}"));
        let table = RuleTable::new(vec![RuleFile::parse("test", &rules).unwrap()]).unwrap();
        let traffic = traffic.concat();
        let today = Lifecycle::on(day());
        let report = check_with(
            Path::new("-"),
            traffic.as_bytes(),
            &table,
            today,
            None,
            true,
        );
        report.findings[0].finding.consequence()
    };
    let (early, late) = ("2026-11-15T12:00:00Z", "2026-11-16T12:00:00Z");
    let removed = "refused (410) on 2026-11-16: it may have been removed already";
    assert_eq!(found(&[call("/c", late, "410")], ""), removed);
    assert_eq!(
        found(&[call("/c", early, "200"), call("/c", late, "410")], ""),
        removed
    );
    let works = "once removed, calls may fail";
    assert_eq!(
        found(&[call("/c", early, "410"), call("/c", late, "200")], ""),
        works
    );
    let undated = "refused (410): it may have been removed already";
    assert_eq!(found(&[call("/d", "", "410")], ""), undated);
    let stated = "refused (410), as the rule table says";
    assert_eq!(
        found(
            &[call("/d", "", "410")],
            "[after_removal]\noperation = 410\n"
        ),
        stated
    );
}

#[test]
fn calls_without_a_known_status_are_named() {
    let traffic = [
        call("/a", "2026-11-15T12:00:00Z", "200"),
        call("/a", "2026-11-16T12:00:00Z", ""),
        call("/a", "2026-11-17T12:00:00Z", ""),
    ];
    assert_eq!(
        consequences(&traffic.concat(), "", true),
        [
            "call operation: still accepted (200) on 2026-11-15, 5 days after its last day; \
             later called twice without a known status"
        ]
    );
}

#[test]
fn a_missing_resource_is_not_a_refused_operation() {
    let rules =
        "api = 'Shop'\n[[rule]]\nid = 'a'\noperation = 'GET /a/{id}'\nremoval = 2026-11-10\n";
    let table = RuleTable::new(vec![RuleFile::parse("test", rules).unwrap()]).unwrap();
    let traffic =
        r#"{"time":"2026-11-15T12:00:00Z","method":"GET","url":"/a/7","status":404,"response":{}}"#;
    let today = Lifecycle::on(day());
    let report = check_with(
        Path::new("-"),
        traffic.as_bytes(),
        &table,
        today,
        None,
        false,
    );
    assert_eq!(
        report.findings[0].finding.consequence(),
        "answered with 404 on 2026-11-15, 5 days after its last day: this does not show whether it still works"
    );
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

#[test]
fn the_summary_counts_elements_that_are_still_served() {
    let served = call("/b", "2026-11-15T12:00:00Z", "200");
    let refused = call("/a", "2026-11-15T12:00:00Z", "410");
    let in_time = call("/b", "2026-11-10T12:00:00Z", "200") + &refused;
    let both = served.clone() + &call("/a", "2026-11-15T12:00:00Z", "204");
    let total = |traffic: &str| {
        written(&report(traffic, "", true), "human")
            .lines()
            .find(|line| line.contains("still served"))
            .map(str::to_owned)
    };
    let one = "1 element was still served after its last day";
    assert_eq!(total(&(served + &refused)).as_deref(), Some(one));
    // A field of a response that is sent after its last day is served, whatever the status.
    assert_eq!(total(&in_time), None);
    let two = "2 elements were still served after their last day";
    assert_eq!(total(&both).as_deref(), Some(two));
}

#[test]
fn a_success_proves_nothing_where_removed_elements_are_ignored_or_null() {
    let late = call("/b", "2026-11-15T12:00:00Z", "200");
    let report_with = |facts: &str| report(&late, facts, true).summary.served_late;
    assert_eq!(report_with(STATED), 1);
    assert_eq!(report_with(STATED_OTHERWISE), 0);
    // The status of a removed operation has no such reason.
    let calls = call("/a", "2026-11-15T12:00:00Z", "200");
    assert_eq!(
        report(&calls, STATED_OTHERWISE, true).summary.served_late,
        1
    );
    let folded = late.clone() + &call("/b", "2026-11-16T12:00:00Z", "201");
    assert_eq!(
        consequences(&folded, STATED_OTHERWISE, true),
        [
            "field request: sent in 2 requests that were accepted (2xx) between 2026-11-15 and 2026-11-16, \
             most recently 6 days after its last day; the rule table says that the service ignores it",
            "field response: sent twice between 2026-11-15 and 2026-11-16, most recently 6 days after its last \
             day; the rule table says that its value is null",
        ]
    );
}

#[test]
fn a_finding_says_that_the_replacement_is_already_present() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "near"
operation = "POST /b"
field = "isOld"
replacement = "kind"
[[rule]]
id = "moved"
operation = "POST /b"
field = "token"
at = ["$.token"]
replacement = "answer.token"
[[rule]]
id = "type"
operation = "POST /b"
field = "info"
replacement = "OrderInfo"
[[rule]]
id = "several"
operation = "POST /b"
field = "mode"
replacement = "orderMode or payMode"
[[rule]]
id = "stop"
operation = "POST /b"
field = "ended"
replacement = "newName."
[[rule]]
id = "stops"
operation = "POST /b"
field = "both"
replacement = "oneName or otherName."
"#;
    let table = RuleTable::new(vec![RuleFile::parse("test", rules).unwrap()]).unwrap();
    let advice = |request: &str, response: &str| {
        let traffic = format!(
            r#"{{"method":"POST","url":"/b","request":{{"body":{request}}},"response":{{"body":{response}}}}}"#
        );
        let today = Lifecycle::on(day());
        let report = check_with(
            Path::new("-"),
            traffic.as_bytes(),
            &table,
            today,
            None,
            true,
        );
        let findings = report
            .findings
            .iter()
            .map(|located| located.finding.advice());
        findings.collect::<Vec<_>>()
    };
    assert_eq!(
        advice(
            r#"{"isOld":true,"kind":"x"}"#,
            r#"{"answer":{"token":"x"},"token":"x"}"#
        ),
        [
            "`kind` is already present: drop `isOld`",
            "read `answer.token`, which is already present"
        ]
    );
    assert_eq!(
        advice(
            r#"{"isOld":true,"kind":null}"#,
            r#"{"answer":{"x":"token"},"token":"x"}"#
        ),
        ["use `kind`", "use `answer.token`"]
    );
    // It is said of a folded finding only if it is true of every use.
    let both = r#"[{"isOld":true,"kind":"x"},{"kind":"x","isOld":true}]"#;
    assert_eq!(
        advice(both, "{}"),
        ["`kind` is already present: drop `isOld`"]
    );
    let one = r#"[{"isOld":true,"kind":"x"},{"isOld":true}]"#;
    assert_eq!(advice(one, "{}"), ["use `kind`"]);
    assert_eq!(
        advice(r#"{"info":1,"mode":2}"#, "{}"),
        ["use the type `OrderInfo`", "use `orderMode` or `payMode`"]
    );
    // A full stop is not part of a name.
    assert_eq!(
        advice(r#"{"ended":1,"both":2}"#, "{}"),
        ["use `newName`", "use `oneName` or `otherName`"]
    );
}
