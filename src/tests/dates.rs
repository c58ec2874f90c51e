//! The grades around both removal dates of the built-in tables.

use std::path::Path;

use super::support::{builtin, check_with, date};
use sundown_lint::rules::{Lifecycle, Severity};

/// One use of an element removed on 2026-10-15, and one of an element removed on 2027-01-15.
const TRAFFIC: &[u8] = br#"{"method":"POST","url":"/rest/api/v1/chat","request":{"body":{"messages":[{"citations":[]}]}}}
{"method":"POST","url":"/rest/api/v1/getcollection","response":{"body":{"trackingToken":"t"}}}
"#;

/// Severity, days left and message of both.
fn graded(lifecycle: Lifecycle) -> Vec<(Severity, i64, String)> {
    let report = check_with(Path::new("-"), TRAFFIC, &builtin(), lifecycle, None, true);
    assert_eq!(report.findings.len(), 2);
    let graded = |placed: &sundown_report::LocatedFinding| {
        let finding = &placed.finding;
        (
            finding.severity,
            finding.days_left.unwrap(),
            finding.message(),
        )
    };
    report.findings.iter().map(graded).collect()
}

#[test]
fn both_dates_of_the_list_are_graded_to_the_day() {
    use Severity::{Error, Warning};
    for (today, first, second) in [
        (
            "2026-10-15",
            (Error, 0, "today is its last day"),
            (Warning, 92, "92 days left"),
        ),
        (
            "2026-10-16",
            (Error, -1, "its last day was"),
            (Warning, 91, "91 days left"),
        ),
        (
            "2026-12-15",
            (Error, -61, "its last day was 2026-10-15, 61 days ago"),
            (Warning, 31, "31 days left"),
        ),
        (
            "2026-12-16",
            (Error, -62, "its last day was 2026-10-15, 62 days ago"),
            (Error, 30, "30 days left"),
        ),
        (
            "2027-01-15",
            (Error, -92, "its last day was 2026-10-15, 92 days ago"),
            (Error, 0, "today is its last day"),
        ),
        (
            "2027-01-16",
            (Error, -93, "its last day was 2026-10-15, 93 days ago"),
            (Error, -1, "its last day was"),
        ),
    ] {
        let found = graded(Lifecycle::on(date(today)));
        for ((severity, days, message), wanted) in found.iter().zip([first, second]) {
            assert_eq!((*severity, *days), (wanted.0, wanted.1), "{today}");
            assert!(message.contains(wanted.2), "{today}: {message}");
        }
    }
}

#[test]
fn thresholds_and_the_response_cap_are_the_users() {
    let lifecycle = Lifecycle::on(date("2026-10-15"));
    let severities = |lifecycle| {
        graded(lifecycle)
            .iter()
            .map(|graded| graded.0)
            .collect::<Vec<_>>()
    };
    let wider = Lifecycle {
        error_within: 92,
        ..lifecycle
    };
    assert_eq!(severities(wider), [Severity::Error, Severity::Error]);
    let calmer = Lifecycle {
        warn_within: Some(60),
        ..lifecycle
    };
    assert_eq!(severities(calmer), [Severity::Error, Severity::Note]);
    let capped = Lifecycle {
        response_cap: Some(Severity::Note),
        ..wider
    };
    assert_eq!(severities(capped), [Severity::Error, Severity::Note]);
}
