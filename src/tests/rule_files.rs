//! The limits of filters in rules files.

use sundown_lint::rules::{RuleFile, RuleTable};
use sundown_report::LocatedFinding;

use super::support::check_bytes;

#[test]
fn what_filters_cannot_check_is_reported() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "filtered"
operation = "POST /a"
field = "x"
at = ["$[?@..k].x"]
[[rule]]
id = "simple"
operation = "POST /a"
field = "y"
"#;
    let table = RuleTable::new(vec![RuleFile::parse("test", rules).unwrap()]).unwrap();
    let check = |body: &str| {
        let body = serde_json::to_string(body).unwrap();
        let traffic = format!(r#"{{"method":"POST","url":"/a","body":{body}}}"#);
        let report = check_bytes(traffic.as_bytes(), None, &table);
        let line = |placed: &LocatedFinding| {
            let found = &placed.finding.found;
            let (rule, side) = (&placed.finding.rule.id, found.part.name());
            format!("{rule} {side} {}", found.pointer.as_ref().unwrap().exact)
        };
        let lines: Vec<_> = report.findings.iter().map(line).collect();
        let reasons: Vec<_> = report
            .skipped
            .iter()
            .map(|skipped| skipped.reason.name())
            .collect();
        (lines, reasons)
    };
    let nested = |levels: usize| {
        let (open, close) = ("[".repeat(levels - 3), "]".repeat(levels - 3));
        format!(r#"{{"o":{{"x":1,"y":2,"deep":{open}{{"k":1}}{close}}}}}"#)
    };
    let both = vec![
        "filtered request /o/x".to_owned(),
        "simple request /o/y".to_owned(),
    ];
    let simple = vec!["simple request /o/y".to_owned()];
    assert_eq!(check(&nested(500)), (both, vec![]));
    assert_eq!(
        check(&nested(501)),
        (simple.clone(), vec!["too-deep-for-filters"])
    );
    let cut = nested(9);
    assert_eq!(check(&cut[..cut.len() - 1]), (simple, vec!["truncated"]));
}
