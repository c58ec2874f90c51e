//! Deprecated elements inside others, and in the calls of deprecated operations, are part of the outer finding.

use serde_json::Value;

use crate::support::Desk;

const RULES: &str = r#"
api = "Shop"
[[rule]]
id = "orders"
operation = "POST /v1/orders"
removal = 2027-03-01
[[rule]]
id = "code"
operation = "POST /v1/orders"
field = "code"
removal = 2027-03-01
[[rule]]
id = "page"
operation = "POST /v1/orders"
parameter = "page"
[[rule]]
id = "mode"
operation = "POST /v1/orders"
header = "X-Mode"
removal = 2027-03-01
[[rule]]
id = "gone"
operation = "POST /v1/orders"
field = "gone"
removal = 2026-10-01
[[rule]]
id = "other"
operation = "GET /v1/orders"
field = "code"
"#;

const CALL: &str = r#"{"method":"POST","url":"/v1/orders?page=1","status":200,"request":{"headers":{"X-Mode":"m"},"body":{"code":1,"gone":2}},"response":{"body":{"items":[{},{"code":3}]}}}
"#;
const OTHER: &str = r#"{"method":"GET","url":"/v1/orders","status":200,"response":{"body":{"code":3}}}
"#;

/// The findings of a run, each as its rule and those of its related elements.
fn findings(traffic: &str, config: &str) -> Vec<(String, Vec<String>)> {
    findings_by(RULES, traffic, config)
}

/// The same by other rules.
fn findings_by(rules: &str, traffic: &str, config: &str) -> Vec<(String, Vec<String>)> {
    let desk = Desk::new()
        .with("rules.toml", rules)
        .with("sundown.toml", config);
    let desk = desk.with("app.ndjson", traffic);
    let arguments = [
        "check",
        "--rules",
        "rules.toml",
        "--no-builtin-rules",
        "--format",
        "json",
    ];
    let day = ["--as-of", "2026-11-20", "app.ndjson"];
    let ran = desk.run(&[&arguments[..], &day].concat());
    let report: Value = serde_json::from_str(&ran.stdout).expect(&ran.stderr);
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let related = |of: &Value| {
        format!(
            "{} {} {}",
            text(&of["rule"]),
            text(&of["side"]),
            text(&of["pointer"])
        )
    };
    let of = |finding: &Value| {
        let inside = finding["related"]
            .as_array()
            .map(|all| all.iter().map(related).collect());
        (text(&finding["rule"]), inside.unwrap_or_default())
    };
    report["findings"]
        .as_array()
        .unwrap()
        .iter()
        .map(of)
        .collect()
}

fn owned(findings: &[(&str, &[&str])]) -> Vec<(String, Vec<String>)> {
    let strings = |all: &[&str]| all.iter().map(|&one| one.to_owned()).collect();
    findings
        .iter()
        .map(|(rule, inside)| ((*rule).to_owned(), strings(inside)))
        .collect()
}

const INSIDE: [&str; 4] = [
    "page request -",
    "mode request -",
    "code request /code",
    "code response /items/1/code",
];

#[test]
fn elements_of_a_call_are_related_to_its_operation_unless_they_are_worse() {
    let expected = owned(&[("orders", &INSIDE), ("gone", &[])]);
    assert_eq!(findings(CALL, ""), expected);
    let alone = owned(&[("orders", &INSIDE), ("gone", &[]), ("other", &[])]);
    assert_eq!(
        findings(&[CALL, OTHER].concat(), ""),
        alone,
        "another operation"
    );
    assert_eq!(
        findings(&CALL.repeat(3), ""),
        expected,
        "repeats add nothing"
    );
}

#[test]
fn an_element_that_ends_before_its_operation_is_a_finding_of_its_own() {
    let earlier = RULES.replace(
        r#"field = "code"
removal = 2027-03-01"#,
        r#"field = "code"
removal = 2027-02-28"#,
    );
    let inside = ["page request -", "mode request -"];
    let expected = owned(&[
        ("orders", &inside),
        ("code", &[]),
        ("gone", &[]),
        ("code", &[]),
    ]);
    assert_eq!(findings_by(&earlier, CALL, ""), expected);
}

#[test]
fn repeats_leave_room_for_other_elements() {
    let rules =
        format!("{RULES}[[rule]]\nid = 'late'\noperation = 'POST /v1/orders'\nfield = 'late'\n");
    let items = vec![r#"{"code":1}"#; 300].join(",");
    let call = r#"{"method":"POST","url":"/v1/orders","response":{"body":{"items":["#;
    let repeats = format!("{call}{items}]}}}}}}\n");
    let late = format!("{call}{items}],\"late\":1}}}}}}\n");
    for traffic in [
        late.clone(),
        [&repeats[..], &late].concat(),
        [&late[..], &repeats].concat(),
    ] {
        let found = findings_by(&rules, &traffic, "");
        let [(_, inside)] = &found[..] else {
            panic!("{found:?}")
        };
        assert_eq!(inside.len(), 100);
        assert!(
            inside.contains(&"late response /late".to_owned()),
            "{inside:?}"
        );
    }
}

#[test]
fn elements_of_an_allowed_operation_are_findings_of_their_own() {
    let allowed = "[[allow]]\nrule = 'orders'\nuntil = 2026-12-01\nreason = 'agreed'\n";
    let found = findings(CALL, allowed);
    let mut rules: Vec<_> = found.iter().map(|(rule, _)| rule.as_str()).collect();
    rules.sort_unstable();
    assert_eq!(rules, ["code", "code", "gone", "mode", "page"]);
    assert!(
        found.iter().all(|(_, related)| related.is_empty()),
        "{found:?}"
    );
    let both = format!("{allowed}[[allow]]\nrule = 'code'\npointer = '/items/*/code'\n");
    let both = format!("{both}until = 2026-12-01\nreason = 'agreed'\n");
    assert_eq!(
        findings(CALL, &both).len(),
        4,
        "one of the two is allowed, too"
    );
}

#[test]
fn a_severity_of_its_own_makes_an_element_a_finding() {
    let config = "[severity]\ncode = 'error'\n";
    let inside = ["page request -", "mode request -"];
    let expected = owned(&[
        ("orders", &inside),
        ("code", &[]),
        ("gone", &[]),
        ("code", &[]),
    ]);
    assert_eq!(findings(CALL, config), expected);
}

#[test]
fn the_text_report_says_where_in_the_call_they_are() {
    let desk = Desk::new()
        .with("rules.toml", RULES)
        .with("app.ndjson", CALL);
    let arguments = [
        "check",
        "--rules",
        "rules.toml",
        "--no-builtin-rules",
        "app.ndjson",
    ];
    let ran = desk.run(&[&arguments[..], &["--as-of", "2026-11-20"]].concat());
    for line in [
        "in its request: page (1:",
        "in its response: code at /items/1/code (1:",
    ] {
        assert!(ran.stdout.contains(line), "{}", ran.stdout);
    }
}
