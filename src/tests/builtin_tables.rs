//! The built-in tables against what they were made from: the published list, and the facts about places. None has a warning.

use std::collections::BTreeSet;

use serde_json::Value;

use super::support::{builtin, date, text};
use crate::builtin::LIBRARY;
use sundown_lint::rules::{Rule, RuleFile, RuleSet, SetRule, Sides};

/// Operation, field (empty for the endpoint), what to use instead and why, removal date.
type Row = (String, String, String, String);

/// The published list, one row for each field.
fn published() -> Vec<Row> {
    let mut rows: Vec<Row> = Vec::new();
    let list = text("testdata/deprecation-list.md");
    for line in list
        .lines()
        .filter(|line| line.starts_with("| ") && !line.starts_with("| Operation"))
    {
        let cells: Vec<_> = line
            .trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().replace('`', ""))
            .collect();
        let [operation, item, advice, removal] = cells.as_slice() else {
            panic!("{line}")
        };
        let operation = if operation == "same" {
            rows.last().unwrap().0.clone()
        } else {
            operation.clone()
        };
        let fields: Vec<&str> = match item.split_once(' ') {
            Some(("field" | "fields", names)) => names.split(", ").collect(),
            _ if item == "whole endpoint" => vec![""],
            _ => panic!("{line}"),
        };
        for field in fields {
            let mut push = |advice: &str| {
                rows.push((
                    operation.clone(),
                    field.to_owned(),
                    advice.to_owned(),
                    removal.clone(),
                ));
            };
            match advice.split_once(" (a second entry for the same field names ") {
                Some((first, second)) => {
                    push(first);
                    push(second.trim_end_matches(" as replacement)"));
                }
                None => push(
                    advice
                        .strip_prefix("none; ")
                        .unwrap_or(if advice == "none stated" { "" } else { advice }),
                ),
            }
        }
    }
    rows
}

fn row(rule: &Rule) -> Row {
    let advice: Vec<_> = [&rule.replacement, &rule.note]
        .into_iter()
        .flatten()
        .map(String::as_str)
        .collect();
    (
        rule.announced.as_ref().unwrap().to_string(),
        rule.element.name().unwrap_or_default().to_owned(),
        advice.join("; "),
        rule.removal.unwrap().to_string(),
    )
}

#[test]
fn the_tables_equal_the_published_list_row_by_row() {
    let set = builtin();
    let in_file = |name: &str| {
        let rules = set.rules().iter();
        rules
            .filter(|rule| set.file(rule.file).name == name)
            .map(|rule| row(rule))
            .collect::<Vec<_>>()
    };
    let (client, indexing) = (in_file("client-api"), in_file("indexing-api"));
    assert_eq!((client.len(), indexing.len()), (23, 5));
    let mut ours: Vec<_> = client.into_iter().chain(indexing).collect();
    let mut theirs = published();
    ours.sort();
    theirs.sort();
    assert_eq!(ours, theirs);
}

/// One place: operation, side, selector.
type Spot = (String, String, String);

fn facts() -> Value {
    serde_json::from_str(&text("testdata/facts/locations.json")).unwrap()
}

/// The locations of an element in the facts, and the further ones in the list.
fn spots_of_element(element: &Value, facts: &Value) -> BTreeSet<Spot> {
    let mut spots = BTreeSet::new();
    for location in element["locations"].as_array().unwrap() {
        let Some(path) = location["path"].as_str() else {
            continue;
        };
        let operations = match location["operations"].as_str() {
            Some(group) => &facts["operation_groups"][group.trim_start_matches('@')],
            None => &location["operations"],
        };
        for operation in operations.as_array().unwrap() {
            let side = location["side"].as_str().unwrap().to_owned();
            spots.insert((
                operation.as_str().unwrap().to_owned(),
                side,
                path.to_owned(),
            ));
        }
    }
    spots
}

/// The extra places in the announced operation: any depth, or only the root where a live element has the same name.
fn announced_selector(element: &Value) -> Option<(String, String)> {
    let operation = element["announced_operation"].as_str()?.to_owned();
    let field = element["field"].as_str()?;
    // Its name at other depths belongs to the other rule of that name.
    if element["schema"] == "SensitiveContentOptions" && field == "sensitiveInfoTypes" {
        return None;
    }
    let alone = element["lookalike_examples_in_announced_operation"]
        .as_array()
        .unwrap()
        .is_empty();
    Some((
        operation,
        format!("{}{field}", if alone { "$.." } else { "$." }),
    ))
}

fn spots_of_rule(rule: &Rule) -> BTreeSet<Spot> {
    let mut spots = BTreeSet::new();
    for place in rule.places.iter() {
        let sides = match place.sides {
            Sides::Only(side) => vec![side.name()],
            Sides::Both => vec!["request", "response"],
        };
        for selector in &place.selectors {
            for side in &sides {
                spots.insert((
                    place.operation.to_string(),
                    (*side).to_owned(),
                    selector.text().to_owned(),
                ));
            }
        }
    }
    spots
}

#[test]
fn every_rule_matches_exactly_the_locations_of_the_facts() {
    let facts = facts();
    let set = builtin();
    let mut unmatched: Vec<_> = set.rules().iter().collect();
    for element in facts["deprecated_elements"].as_array().unwrap() {
        let mut wanted = spots_of_element(element, &facts);
        for side in ["request", "response"] {
            wanted.extend(
                announced_selector(element).map(|(operation, at)| (operation, side.to_owned(), at)),
            );
        }
        let is_it = |rule: &&SetRule| {
            rule.element.name() == element["field"].as_str()
                && rule.announced.as_ref().map(ToString::to_string).as_deref()
                    == element["announced_operation"].as_str()
                && spots_of_rule(rule) == wanted
        };
        let Some(at) = unmatched.iter().position(is_it) else {
            panic!("no rule looks where {element:#} says")
        };
        let rule = unmatched.remove(at);
        assert_eq!(
            rule.introduced,
            Some(date(element["introduced"].as_str().unwrap())),
            "{}",
            rule.id
        );
        assert_eq!(
            rule.removal,
            Some(date(element["removal"].as_str().unwrap())),
            "{}",
            rule.id
        );
        assert_eq!(
            rule.element.is_endpoint(),
            element["field"].is_null(),
            "{}",
            rule.id
        );
    }
    let unmatched: Vec<_> = unmatched.iter().map(|rule| &rule.id).collect();
    assert!(unmatched.is_empty(), "not in the facts: {unmatched:?}");
}

#[test]
fn the_free_form_maps_equal_those_of_the_facts() {
    let facts = facts();
    let opaque: Vec<_> = facts["opaque"]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| path.as_str().unwrap())
        .collect();
    let set = builtin();
    for file in 0..3 {
        let ours: Vec<_> = set
            .opaque(file)
            .iter()
            .map(sundown_selector::Selector::text)
            .collect();
        assert_eq!(ours, opaque, "{}", set.file(file).name);
    }
}

#[test]
fn built_in_tables_and_packs_have_no_warnings() {
    let tables = LIBRARY.deprecations.iter().chain(LIBRARY.contracts);
    let tables = tables.map(|table| table.text);
    let packs = LIBRARY.packs.iter().flat_map(|pack| pack.tables);
    for text in tables.chain(packs.copied()) {
        let file = RuleFile::parse("table", text).unwrap();
        assert!(file.doubts.is_none(), "{:?}", file.doubts);
        RuleSet::new(vec![file]).unwrap();
    }
}
