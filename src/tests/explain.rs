//! `sundown explain` finds a rule by what a person knows of it, and shows an example and each location once.

use std::collections::HashSet;
use std::path::Path;

use serde_json::{Value, json};

use super::support::{check_with, day};
use crate::builtin::LIBRARY;
use sundown_lint::rules::{Lifecycle, Rule, RuleSet};
use sundown_report::Report;
use sundown_run::RulePage;

fn builtin() -> RuleSet {
    RuleSet::new(
        LIBRARY
            .deprecations
            .iter()
            .map(|table| table.load().unwrap())
            .collect(),
    )
    .unwrap()
}

/// The ids of rules that find something in a body on both sides of an operation, also inside of other findings.
fn found(set: &RuleSet, operation: &str, body: &Value) -> HashSet<String> {
    let (method, path) = operation.split_once(' ').unwrap();
    let url = path.replace(['{', '}'], "");
    let record = json!({"method": method, "url": url, "request": {"body": body}, "response": {"body": body}});
    let Report { findings, .. } = check_with(
        Path::new("-"),
        record.to_string().as_bytes(),
        set,
        Lifecycle::on(day()),
        None,
        true,
    );
    let ids = findings.iter().flat_map(|located| {
        let inside = located
            .finding
            .related
            .iter()
            .map(|related| related.rule.id.clone());
        inside.chain([located.finding.rule.id.clone()])
    });
    ids.collect()
}

#[test]
fn examples_of_builtin_rules_parse_and_only_the_first_has_the_use() {
    let set = builtin();
    for rule in set.rules() {
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
                .any(|operation| found(&set, operation, &read(text)).contains(&rule.id))
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
    let set = builtin();
    for rule in set.rules() {
        let page = RulePage::new(&set, rule, |_| String::new());
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
