//! Rules that a rules file locates by `schema`: what they find, and what is refused.

use std::cell::Cell;
use std::path::Path;

use sundown_lint::rules::{Lifecycle, RuleFile, RuleSet};

use super::support::{check_with, day};

/// A description that marks nothing.
const SHOP: &str = include_str!("../../testdata/schemas/orders.yaml");

const ORDER: &str = r#"{"legacyId":1,"buyer":{"name":"a","phone":"1"},"seller":{"name":"b"},"payer":{"name":"c"},"parent":{"parent":{"legacyId":2}},"legacy":{"legacyId":3},"properties":{"items":"x"},"state":"OLD"}"#;

#[test]
fn a_description_is_read_once_however_many_entries_name_it() {
    let entry = |name| {
        format!(
            "[[rule]]\nid = '{name}'\nschema = 'shop.yaml#/components/schemas/Order/properties/{name}'\n"
        )
    };
    let rules = format!(
        "api = 'Shop'\n{}{}{}",
        entry("buyer"),
        entry("seller"),
        entry("parent")
    );
    let reads = Cell::new(0);
    let read = |name: &str| {
        reads.set(reads.get() + 1);
        match name {
            "rules/shop.yaml" => Ok(SHOP.as_bytes().to_vec()),
            _ => Err(std::io::ErrorKind::NotFound.into()),
        }
    };
    let file = RuleFile::load("rules/shop.toml", &rules, &read).unwrap();
    // Itself, and the part that it refers to.
    assert_eq!(
        (file.rules.len(), file.described.len(), reads.get()),
        (3, 1, 2)
    );
    let set = RuleSet::new(vec![file]).unwrap();
    let line = format!(
        "{{\"method\":\"GET\",\"url\":\"/orders/7\",\"response\":{{\"body\":{ORDER}}},\"status\":200}}"
    );
    let outcome = check_with(
        Path::new("-"),
        line.as_bytes(),
        &set,
        Lifecycle::on(day()),
        None,
        false,
    );
    assert_eq!(outcome.findings.len(), 3);
    let error = RuleFile::parse("rules/shop.toml", &rules).unwrap_err();
    assert_eq!(error.mistakes.len(), 1, "{error}");
}
