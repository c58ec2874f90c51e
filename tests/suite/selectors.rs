//! The path automaton against `jsonpath-rust`: the same nodes, on random documents and selectors.

use std::collections::BTreeSet;
use std::sync::Arc;

use jsonpath_rust::JsonPath;
use proptest::prelude::*;
use serde_json::Value;
use sundown::automaton::{Automaton, Role, StateId, Walk};
use sundown::rule::Selector;

const NAMES: [&str; 4] = ["a", "b", "c d", "é"];

fn document() -> impl Strategy<Value = Value> {
    let leaf =
        prop_oneof![any::<bool>().prop_map(Value::from), Just(Value::Null), Just(Value::from("a"))];
    leaf.prop_recursive(6, 60, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(prop::sample::select(&NAMES[..]), inner, 0..4).prop_map(
                |members| members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()
            ),
        ]
    })
}

fn selector() -> impl Strategy<Value = String> {
    let name = || prop::sample::select(&NAMES[..]).prop_map(|name| format!("'{name}'"));
    let test = prop_oneof![4 => name(), 1 => Just("*".to_owned()), 1 => (0usize..3).prop_map(|index| index.to_string())];
    let segment =
        (any::<bool>(), prop::collection::vec(test, 1..3)).prop_map(|(descendant, tests)| {
            format!("{}[{}]", if descendant { ".." } else { "" }, tests.join(","))
        });
    prop::collection::vec(segment, 1..5).prop_map(|segments| format!("${}", segments.concat()))
}

/// The paths of all accepted nodes, written as `jsonpath-rust` writes them.
fn accepted(
    walk: &mut Walk,
    state: StateId,
    node: &Value,
    path: &str,
    found: &mut BTreeSet<String>,
) {
    if !walk.accepts(state).is_empty() {
        found.insert(path.to_owned());
    }
    match node {
        Value::Array(items) => {
            for (index, item) in items.iter().enumerate() {
                let next = walk.step_index(state, index);
                accepted(walk, next, item, &format!("{path}[{index}]"), found);
            }
        }
        Value::Object(members) => {
            for (name, value) in members {
                let next = walk.step_key(state, name.as_bytes());
                accepted(walk, next, value, &format!("{path}['{name}']"), found);
            }
        }
        _ => {}
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_automaton_selects_what_jsonpath_rust_selects(
        document in document(),
        texts in prop::collection::vec(selector(), 1..4),
    ) {
        let role = Role::Use { owner: 0, scope: 0 };
        let patterns = texts.iter().map(|text| Selector::parse(text).unwrap().pattern(role)).collect();
        let mut walk = Walk::new(Arc::new(Automaton::new(patterns)));
        let mut ours = BTreeSet::new();
        let start = walk.start();
        accepted(&mut walk, start, &document, "$", &mut ours);
        let mut theirs = BTreeSet::new();
        for text in &texts {
            theirs.extend(document.query_only_path(text).unwrap());
        }
        prop_assert_eq!(ours, theirs, "{:?}", texts);
    }
}
