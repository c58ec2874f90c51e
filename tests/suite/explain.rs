//! `sundown explain` finds a rule by what a person knows of it, and shows an example and each location once.

use std::collections::HashSet;
use std::path::Path;

use crate::builtin::LIBRARY;
use insta::assert_snapshot;
use serde_json::{Value, json};
use sundown_lint::rules::{Lifecycle, Rule, RuleTable};
use sundown_report::Report;
use sundown_run::RulePage;

use crate::support::{Desk, check_with, day};

fn builtin() -> RuleTable {
    RuleTable::new(
        LIBRARY
            .deprecations
            .iter()
            .map(|table| table.load().unwrap())
            .collect(),
    )
    .unwrap()
}

fn explained(topic: &str) -> String {
    let ran = Desk::new().run(&["explain", topic, "--as-of", "2026-11-20"]);
    assert_eq!(ran.code, 0, "{topic}: {}", ran.stderr);
    ran.stdout
}

/// The ids of rules that find something in a body on both sides of an operation, also inside of other findings.
fn found(table: &RuleTable, operation: &str, body: &Value) -> HashSet<String> {
    let (method, path) = operation.split_once(' ').unwrap();
    let url = path.replace(['{', '}'], "");
    let record = json!({"method": method, "url": url, "request": {"body": body}, "response": {"body": body}});
    let Report { findings, .. } = check_with(
        Path::new("-"),
        record.to_string().as_bytes(),
        table,
        Lifecycle::on(day()),
        None,
        true,
    );
    let ids = findings.iter().flat_map(|located| {
        let inside = located
            .finding
            .related
            .iter()
            .map(|related| related.rule.clone());
        inside.chain([located.finding.rule.id.clone()])
    });
    ids.collect()
}

#[test]
fn examples_of_builtin_rules_parse_and_only_the_first_has_the_use() {
    let table = builtin();
    for rule in table.rules() {
        let example = rule.example();
        if rule.element.field_name().is_none() {
            assert_eq!(example.before, rule.announced.as_ref().unwrap().to_string());
            continue;
        }
        let read = |text: &str| -> Value {
            serde_json::from_str(text)
                .unwrap_or_else(|error| panic!("{}: {text}: {error}", rule.id))
        };
        let operations = example_operations(rule);
        let finds = |text: &str| {
            operations
                .iter()
                .any(|operation| found(&table, operation, &read(text)).contains(&rule.id))
        };
        assert!(finds(&example.before), "{}: {}", rule.id, example.before);
        assert!(!finds(&example.after), "{}: {}", rule.id, example.after);
        let is_member = |name: &&str| {
            name.chars().all(|c| c.is_alphanumeric() || c == '.')
                && name.starts_with(char::is_lowercase)
        };
        if let Some(name) = rule.replacement.as_deref().filter(is_member) {
            let last = name.rsplit('.').next().unwrap();
            assert!(
                example.after.contains(&format!("\"{last}\": ")),
                "{}: {}",
                rule.id,
                example.after
            );
        }
    }
}

/// The announced operation, or all of a rule that was announced for none.
fn example_operations(rule: &Rule) -> Vec<String> {
    match &rule.announced {
        Some(operation) => vec![operation.to_string()],
        None => rule
            .places
            .iter()
            .map(|place| place.operation.to_string())
            .collect(),
    }
}

#[test]
fn the_announced_operation_comes_first_and_each_place_is_shown_once() {
    let table = builtin();
    for (index, rule) in table.rules().iter().enumerate() {
        let page = RulePage::new(&table, index, |_| String::new()).unwrap();
        if let Some(announced) = &rule.announced {
            assert!(page.locations[0].is_announced, "{}", rule.id);
            assert_eq!(
                page.locations[0].operations,
                [announced.to_string()],
                "{}",
                rule.id
            );
        }
        assert!(
            page.locations
                .iter()
                .skip(1)
                .all(|group| !group.is_announced),
            "{}",
            rule.id
        );
        let mut seen = HashSet::new();
        for group in &page.locations {
            for operation in &group.operations {
                assert!(seen.insert(operation.clone()), "{}: {operation}", rule.id);
                let mut sides = HashSet::new();
                for place in &group.places {
                    for selector in &place.selectors {
                        for side in ["request", "response"]
                            .iter()
                            .filter(|side| place.sides.contains(**side))
                        {
                            assert!(sides.insert((selector, side)), "{}: {selector}", rule.id);
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn a_rule_is_found_by_its_operation_its_path_and_its_name() {
    let page = explained("createannouncement-is-negated");
    assert_eq!(explained("isNegated"), page);
    let whole = explained("getusercount-endpoint");
    for topic in [
        "POST /api/index/v1/getusercount",
        "/api/index/v1/getusercount",
        "getusercount",
    ] {
        assert_eq!(explained(topic), whole, "{topic}");
    }
    let several = explained("createannouncement");
    assert_snapshot!(several);
    let by_operation = explained("POST /rest/api/v1/createannouncement");
    assert_eq!(
        by_operation.lines().skip(1).collect::<Vec<_>>(),
        several.lines().skip(1).collect::<Vec<_>>()
    );
    // A called path belongs to its template.
    let policy = explained("GET /rest/api/v1/governance/data/policies/7");
    assert!(policy.contains("  policy-enabled "), "{policy}");
    let fields = explained("trackingToken");
    assert!(
        fields.contains("getanswer-tracking-token")
            && fields.contains("getcollection-tracking-token"),
        "{fields}"
    );
}

#[test]
fn all_operations_are_listed_on_request() {
    let ran = Desk::new().run(&["explain", "isNegated", "--all"]);
    assert_eq!(
        ran.stdout.matches("POST /rest/api/v1/verify").count(),
        1,
        "{}",
        ran.stdout
    );
    assert!(!ran.stdout.contains(" more\n"), "{}", ran.stdout);
}

#[test]
fn an_unknown_topic_names_the_nearest_id_operation_or_element() {
    let desk = Desk::new();
    for (topic, nearest) in [
        ("getanswer-token", "getanswer-tracking-token"),
        ("isNegatd", "isNegated"),
        ("getusercont", "getusercount"),
        ("getusercount-endpiont", "getusercount-endpoint"),
    ] {
        let ran = desk.run(&["explain", topic]);
        assert_eq!(ran.code, 2);
        assert!(
            ran.stderr.contains(&format!("the nearest is `{nearest}`")),
            "{}",
            ran.stderr
        );
    }
}

#[test]
fn rules_that_a_description_locates_are_found_by_their_operation() {
    let description = r##"{"openapi":"3.0.3","info":{"title":"T","version":"1"},"paths":{"/orders/{id}":{"get":{"responses":{"200":{"description":"x","content":{"application/json":{"schema":{"$ref":"#/components/schemas/Order"}}}}}}}},"components":{"schemas":{
        "Order":{"type":"object","properties":{"total":{"deprecated":true,"x-sunset":"2027-01-15"}}}}}}"##;
    let desk = Desk::new().with("api.json", description);
    let page = |topic: &str| {
        desk.run(&[
            "explain",
            topic,
            "--no-builtin-rules",
            "--rules",
            "api.json",
        ])
        .stdout
    };
    assert!(
        page("total").contains("the field `total`"),
        "{}",
        page("total")
    );
    assert_eq!(page("orders"), page("total"));
}
