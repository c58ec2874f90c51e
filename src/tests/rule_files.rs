//! Rules files of users: every mistake in one report, and every key doing what it says.

use std::path::Path;

use insta::assert_snapshot;
use sundown_lint::rules::{Lifecycle, RuleFile, RuleTable};
use sundown_report::Report;

use super::support::{check_with, day};

/// Rule, side and pointer of each finding of a table in lines of traffic.
fn found(rules: &str, traffic: &str) -> Vec<String> {
    let file =
        RuleFile::parse("test", rules).unwrap_or_else(|error| panic!("{:?}", error.mistakes));
    let table = RuleTable::new(vec![file]).unwrap();
    let report = check_with(
        Path::new("-"),
        traffic.as_bytes(),
        &table,
        Lifecycle::on(day()),
        None,
        false,
    );
    lines(&report)
}

fn lines(report: &Report) -> Vec<String> {
    let line = |placed: &sundown_report::LocatedFinding| {
        let finding = &placed.finding;
        let pointer = finding
            .found
            .pointer
            .as_ref()
            .map_or("", |pointer| &pointer.exact);
        format!(
            "{} {} {pointer}",
            finding.rule.id,
            finding.found.part.name()
        )
        .trim_end()
        .to_owned()
    };
    report.findings.iter().map(line).collect()
}

#[test]
fn exceptions_apply_under_at_and_also() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "id"
operation = "POST /a"
field = "id"
except = ["$.live.id", "$..items[0].id"]
also = [{ operation = "POST /b" }]
"#;
    let body = r#"{"id":1,"live":{"id":{"id":2}},"items":[{"id":3},{"id":4}]}"#;
    let traffic = ["/a", "/b"]
        .map(|url| format!("{{\"method\":\"POST\",\"url\":\"{url}\",\"body\":{body}}}\n"))
        .concat();
    let once = [
        "id request /id",
        "id request /live/id/id",
        "id request /items/1/id",
    ];
    assert_eq!(found(rules, &traffic), [once, once].concat());
}

#[test]
fn free_form_maps_are_entered_only_by_name() {
    let rules = r#"
api = "Shop"
opaque = ["$..meta"]
[[rule]]
id = "anywhere"
operation = "POST /a"
field = "old"
[[rule]]
id = "inside"
operation = "POST /a"
field = "new"
at = ["$..meta.new"]
"#;
    let traffic =
        r#"{"method":"POST","url":"/a","body":{"meta":{"old":1,"x":{"old":2},"new":3},"old":4}}"#;
    assert_eq!(
        found(rules, traffic),
        ["inside request /meta/new", "anywhere request /old"]
    );
}

#[test]
fn the_most_specific_selector_wins_and_ties_go_by_id() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "a-vague"
operation = "POST /a"
field = "x"
[[rule]]
id = "c-exact"
operation = "POST /a"
field = "x"
at = ["$.o.x"]
[[rule]]
id = "b-exact"
operation = "POST /a"
field = "x"
at = ["$.o.x"]
"#;
    let traffic = r#"{"method":"POST","url":"/a","body":{"o":{"x":1},"x":2}}"#;
    assert_eq!(
        found(rules, traffic),
        ["b-exact request /o/x", "a-vague request /x"]
    );
}

#[test]
fn an_element_inside_a_deprecated_field_belongs_to_it_unless_it_is_worse() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "outer"
operation = "POST /a"
field = "outer"
removal = 2027-06-01
[[rule]]
id = "mild"
operation = "POST /a"
field = "mild"
[[rule]]
id = "worse"
operation = "POST /a"
field = "worse"
removal = 2026-01-01
"#;
    let traffic = r#"{"method":"POST","url":"/a","body":{"outer":{"mild":1,"worse":{"mild":2,"worse":3}},"mild":4}}"#;
    let expected = [
        "outer request /outer",
        "worse request /outer/worse",
        "mild request /mild",
    ];
    assert_eq!(found(rules, traffic), expected);
}

#[test]
fn parameters_headers_and_values_are_found() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "page"
operation = "GET /a"
parameter = "page"
[[rule]]
id = "x-old"
operation = "GET /a"
header = "X-Old"
sides = ["response"]
[[rule]]
id = "kind-old"
operation = "GET /a"
field = "kind"
value = "OLD"
"#;
    let traffic = r#"{"method":"GET","url":"/a?page=2","request":{"headers":{"X-Old":"1"}},"response":{"headers":{"x-old":"1"},"body":[{"kind":"OLD"},{"kind":"NEW"},{"kind":["NEW","OL\u0044"]},{"kind":{"OLD":1}}]}}"#;
    let expected = [
        "page request",
        "x-old response",
        "kind-old response /0/kind",
        "kind-old response /2/kind",
    ];
    assert_eq!(found(rules, traffic), expected);
}

#[test]
fn patterns_over_operations_report_the_template_where_one_matches() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "everywhere"
field = "x"
also = [{ operation = "* /v1/**" }]
[[rule]]
id = "orders"
operation = "GET /v1/orders/{id}"
field = "y"
"#;
    let file = RuleFile::parse("test", rules).unwrap();
    let table = RuleTable::new(vec![file]).unwrap();
    let traffic = ["GET /v1/orders/7", "PUT /v1/carts/secret-id"].map(|call| {
        let (method, url) = call.split_once(' ').unwrap();
        format!(
            "{{\"method\":\"{method}\",\"url\":\"{url}\",\"response\":{{\"body\":{{\"x\":1}}}}}}\n"
        )
    });
    let traffic = traffic.concat();
    let report = check_with(
        Path::new("-"),
        traffic.as_bytes(),
        &table,
        Lifecycle::on(day()),
        None,
        true,
    );
    let operations: Vec<_> = report
        .findings
        .iter()
        .map(|placed| placed.finding.found.operation.to_string())
        .collect();
    assert_eq!(operations, ["GET /v1/orders/{id}", "* /v1/**"]);
}

#[test]
fn filters_slices_and_indices_from_the_end_select_keys() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "by-kind"
operation = "POST /a"
field = "x"
at = ["$.items[?@.kind == 'old'].x", "$.items[?@.kind == 'older']['x']"]
[[rule]]
id = "by-place"
operation = "POST /a"
field = "y"
at = ["$.items[-1].y", "$.list[1:].y"]
"#;
    let body = r#"{"items":[{"x":1,"kind":"old","y":1},{"kind":"new","x":2},{"x":3,"kind":"older","y":2}],"list":[{"y":1},{"y":2},["y"]],"y":3}"#;
    let expected = [
        "by-kind request /items/0/x",
        "by-kind request /items/2/x",
        "by-place request /items/2/y",
        "by-place request /list/1/y",
    ];
    let traffic = format!(r#"{{"method":"POST","url":"/a","body":{body}}}"#);
    assert_eq!(found(rules, &traffic), expected);
    let in_string = serde_json::to_string(body).unwrap();
    let traffic = format!(r#"{{"method":"POST","url":"/a","body":{in_string}}}"#);
    assert_eq!(
        found(rules, &traffic),
        expected,
        "in a string inside the record"
    );
}

#[test]
fn exceptions_with_filters_exclude_matches_of_simple_selectors() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "id"
operation = "POST /a"
field = "id"
except = ["$.items[?@.live].id", "$.last[-1].*"]
[[rule]]
id = "other"
operation = "POST /a"
field = "name"
"#;
    let traffic = r#"{"method":"POST","url":"/a","body":{"id":1,"items":[{"id":{"id":2},"live":1},{"id":3}],"last":[{"id":4},{"id":5,"name":6}]}}"#;
    let expected = [
        "id request /id",
        "id request /items/0/id/id",
        "id request /items/1/id",
        "id request /last/0/id",
        "other request /last/1/name",
    ];
    assert_eq!(found(rules, traffic), expected);
}

#[test]
fn filters_select_free_form_maps_but_do_not_enter_them() {
    let rules = r#"
api = "Shop"
opaque = ["$..meta", "$.parts[?@.free]"]
[[rule]]
id = "anywhere"
operation = "POST /a"
field = "old"
[[rule]]
id = "filtered"
operation = "POST /a"
field = "new"
at = ["$..[?@.new].new"]
[[rule]]
id = "named"
operation = "POST /a"
field = "x"
at = ["$.meta[?@.y].x"]
"#;
    let traffic = r#"{"method":"POST","url":"/a","body":{"meta":{"old":1,"new":1,"m":{"new":2,"x":1,"y":2}},"parts":[{"free":1,"old":1,"deep":{"new":3}},{"old":2,"new":4}]}}"#;
    let expected = [
        "named request /meta/m/x",
        "anywhere request /parts/1/old",
        "filtered request /parts/1/new",
    ];
    assert_eq!(found(rules, traffic), expected);
}

#[test]
fn the_most_specific_of_simple_selectors_and_filters_wins() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "a-anywhere"
operation = "POST /a"
field = "x"
[[rule]]
id = "b-filter"
operation = "POST /a"
field = "x"
at = ["$.list[?@.k].x"]
[[rule]]
id = "c-wildcard"
operation = "POST /a"
field = "x"
at = ["$.list[*].x"]
[[rule]]
id = "d-exact"
operation = "POST /a"
field = "x"
at = ["$.exact[?@.x].x", "$.exact.o.x"]
"#;
    let traffic = r#"{"method":"POST","url":"/a","body":{"x":1,"list":[{"x":2,"k":1},{"x":3}],"exact":{"o":{"x":4}}}}"#;
    let expected = [
        "a-anywhere request /x",
        "b-filter request /list/0/x",
        "c-wildcard request /list/1/x",
        "d-exact request /exact/o/x",
    ];
    assert_eq!(found(rules, traffic), expected);
}

#[test]
fn matches_of_filters_inside_a_deprecated_field_belong_to_it() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "outer"
operation = "POST /a"
field = "o"
[[rule]]
id = "inner"
operation = "POST /a"
field = "x"
at = ["$..[?@.x > 1].x"]
"#;
    let table = RuleTable::new(vec![RuleFile::parse("test", rules).unwrap()]).unwrap();
    let traffic = br#"{"method":"POST","url":"/a","body":{"o":[{"x":1},{"x":2}],"p":{"x":3}}}"#;
    let report = check_with(
        Path::new("-"),
        traffic,
        &table,
        Lifecycle::on(day()),
        None,
        false,
    );
    assert_eq!(lines(&report), ["outer request /o", "inner request /p/x"]);
    let related = &report.findings[0].finding.related;
    assert_eq!(related.len(), 1);
    assert_eq!(related[0].pointer.as_ref().unwrap().exact, "/o/1/x");
}

#[test]
fn duplicate_members_are_each_checked() {
    let rules = r#"
api = "Shop"
[[rule]]
id = "x"
operation = "POST /a"
field = "x"
at = ["$[?@.k == 1].x", "$[?@.k == 3]['x']"]
"#;
    let traffic = r#"{"method":"POST","url":"/a","body":{"o":{"x":1,"k":1},"o":{"x":2,"k":2},"o":{"k":2,"x":3,"k":3,"x":4}}}"#;
    assert_eq!(
        found(rules, traffic),
        ["x request /o/x"; 3],
        "inside a filter the last `k` counts"
    );
}

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
        let bytes = traffic.as_bytes();
        let report = check_with(
            Path::new("-"),
            bytes,
            &table,
            Lifecycle::on(day()),
            None,
            false,
        );
        let reasons: Vec<_> = report
            .skipped
            .iter()
            .map(|skipped| skipped.reason.name())
            .collect();
        (lines(&report), reasons)
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

/// An endpoint, and an element of each kind that can be on a side, before, on, after and without a last day.
const ELEMENTS: &str = r#"
[[rule]]
id = "call"
operation = "POST /a"
removal = DATE
[[rule]]
id = "field"
operation = "POST /b"
field = "x"
removal = DATE
[[rule]]
id = "parameter"
operation = "POST /b"
parameter = "p"
removal = DATE
"#;

#[test]
fn findings_say_what_the_table_states_about_the_time_after_the_last_day_and_nothing_else() {
    let traffic = br#"{"method":"POST","url":"/a"}
{"method":"POST","url":"/b?p=1","request":{"body":{"x":1}},"response":{"body":{"x":2}}}
"#;
    let mut lines = Vec::new();
    for facts in [
        "",
        "operation = 410\nrequest = 400\nresponse = 'omitted'",
        "request = 'ignored'\nresponse = 'null'",
    ] {
        lines.push(format!("== {}", facts.replace('\n', ", ")));
        for (when, date) in [
            ("past", "2026-11-19"),
            ("last day", "2026-11-20"),
            ("none", ""),
        ] {
            let dated = ELEMENTS.replace("DATE", date).replace("removal = \n", "");
            let rules = format!("api = 'Shop'\n[after_removal]\n{facts}\n{dated}");
            let table = RuleTable::new(vec![RuleFile::parse("test", &rules).unwrap()]).unwrap();
            let today = Lifecycle::on(day());
            let report = check_with(Path::new("-"), traffic, &table, today, None, false);
            for located in &report.findings {
                let finding = &located.finding;
                let (rule, side) = (&finding.rule.id, finding.found.part.name());
                lines.push(format!("{when}: {rule} {side}: {}", finding.consequence()));
            }
        }
    }
    assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_capture_that_shows_a_use_after_the_last_day_is_believed_more_than_the_table() {
    let rules = format!(
        "api = 'Shop'\n[after_removal]\noperation = 410\nresponse = 'omitted'\n{}",
        ELEMENTS.replace("DATE", "2026-11-10")
    );
    let table = RuleTable::new(vec![RuleFile::parse("test", &rules).unwrap()]).unwrap();
    let consequences = |time: &str| {
        let call = |url: &str, bodies: &str| {
            format!("{{\"time\":\"{time}\",\"method\":\"POST\",\"url\":\"{url}\"{bodies}}}\n")
        };
        let bodies = r#","request":{"body":{"x":1}},"response":{"body":{"x":2}}"#;
        let traffic = call("/a", "") + &call("/b", bodies);
        let today = Lifecycle::on(day());
        let report = check_with(
            Path::new("-"),
            traffic.as_bytes(),
            &table,
            today,
            None,
            false,
        );
        let consequences = report
            .findings
            .iter()
            .map(|located| located.finding.consequence());
        consequences.collect::<Vec<_>>()
    };
    assert_eq!(
        consequences("2026-11-10T23:59:59Z"),
        [
            "called on 2026-11-10; according to the rule table, the service answers 410 after 2026-11-10",
            "sent on 2026-11-10; it may be refused or ignored after 2026-11-10",
            "sent on 2026-11-10; according to the rule table, it is missing from responses after 2026-11-10",
        ]
    );
    assert_eq!(
        consequences("2026-11-11T00:00:00Z"),
        [
            "called on 2026-11-11, the day after its last day; the rule table says that the service answers 410",
            "sent on 2026-11-11, the day after its last day",
            "still sent on 2026-11-11, the day after its last day, although the rule table says that it is missing from responses",
        ]
    );
    assert_eq!(
        consequences("2026-11-15T12:00:00Z")[0],
        "called on 2026-11-15, 5 days after its last day; the rule table says that the service answers 410"
    );
}
