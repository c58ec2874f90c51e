//! Both engines for selectors against `jsonpath-rust`: the same nodes, on random documents and selectors.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;

use jsonpath_rust::JsonPath;
use proptest::prelude::*;
use serde_json::Value;

use super::support::{check_with, day};
use sundown_files::toml_file::Mistake;
use sundown_lint::rules::{Lifecycle, RuleFile, RuleSet};
use sundown_selector::Queries;
use sundown_selector::Selector;
use sundown_selector::automaton::{Automaton, PatternRole, StateId, Walk};
use sundown_text_json::json::Document;
use sundown_text_json::json::pointer::PathStep;

const NAMES: [&str; 4] = ["a", "b", "c d", "é"];

fn document() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        any::<bool>().prop_map(Value::from),
        Just(Value::Null),
        (0..3).prop_map(Value::from),
        prop::sample::select(&["a", "ab"][..]).prop_map(Value::from),
    ];
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

/// Selectors of names, wildcards and indices from the front.
fn simple() -> impl Strategy<Value = String> {
    let test = prop_oneof![4 => name(), 1 => Just("*".to_owned()), 1 => (0usize..3).prop_map(|index| index.to_string())];
    segments(test.boxed(), 1..5).prop_map(|segments| format!("${segments}"))
}

/// Selectors of everything that rules may use.
fn any_selector() -> impl Strategy<Value = String> {
    segments(any_test(), 1..5).prop_map(|segments| format!("${segments}"))
}

/// Selectors that end at the member `a`.
fn of_a() -> impl Strategy<Value = String> {
    (segments(any_test(), 0..3), any::<bool>()).prop_map(|(segments, anywhere)| {
        format!("${segments}{}['a']", if anywhere { ".." } else { "" })
    })
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(&NAMES[..]).prop_map(|name| format!("'{name}'"))
}

fn segments(
    test: BoxedStrategy<String>,
    count: std::ops::Range<usize>,
) -> impl Strategy<Value = String> {
    let segment =
        (any::<bool>(), prop::collection::vec(test, 1..3)).prop_map(|(descendant, tests)| {
            format!(
                "{}[{}]",
                if descendant { ".." } else { "" },
                tests.join(",")
            )
        });
    prop::collection::vec(segment, count).prop_map(|segments| segments.concat())
}

fn any_test() -> BoxedStrategy<String> {
    let bound = || {
        prop::option::of(-4i64..5)
            .prop_map(|bound| bound.map_or(String::new(), |bound| bound.to_string()))
    };
    let slice =
        (bound(), bound(), bound()).prop_map(|(start, end, step)| format!("{start}:{end}:{step}"));
    prop_oneof![
        4 => name(),
        1 => Just("*".to_owned()),
        1 => (-3i64..3).prop_map(|index| index.to_string()),
        1 => slice,
        3 => filter().prop_map(|filter| format!("?{filter}")),
    ]
    .boxed()
}

fn filter() -> impl Strategy<Value = String> {
    let one = || {
        let steps = prop::collection::vec(
            prop_oneof![3 => name(), 1 => (-2i64..2).prop_map(|index| index.to_string())],
            0..3,
        );
        (prop::sample::select(&["@", "@", "$"][..]), steps).prop_map(|(root, steps)| {
            steps
                .iter()
                .fold(root.to_owned(), |query, step| format!("{query}[{step}]"))
        })
    };
    let several = || {
        segments(
            prop_oneof![2 => name(), 1 => Just("*".to_owned())].boxed(),
            0..3,
        )
        .prop_map(|segments| format!("@{segments}"))
        .prop_filter("rules refuse it", |query| query.matches("..").count() < 2)
    };
    let value = || {
        prop_oneof![
            2 => one(),
            2 => prop::sample::select(&["0", "1", "2", "1.0", "'a'", "'ab'", "true", "null"][..]).prop_map(str::to_owned),
            1 => one().prop_map(|query| format!("length({query})")),
            1 => several().prop_map(|query| format!("value({query})")),
        ]
    };
    let operator = prop::sample::select(&["==", "!=", "<", "<=", ">", ">="][..]);
    let atom = prop_oneof![
        3 => (value(), operator, value()).prop_map(|(left, operator, right)| format!("{left} {operator} {right}")),
        // For no nodes `jsonpath-rust` gives nothing instead of 0; both agree on more than one.
        1 => several().prop_map(|query| format!("count({query}) > 1")),
        2 => (any::<bool>(), prop_oneof![one(), several()])
            .prop_map(|(not, query)| format!("{}{query}", if not { "!" } else { "" })),
        1 => (any::<bool>(), one()).prop_map(|(search, query)| {
            format!("{}({query}, 'a.?')", if search { "search" } else { "match" })
        }),
    ];
    atom.prop_recursive(2, 6, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 2..3).prop_map(|all| all.join(" && ")),
            prop::collection::vec(inner.clone(), 2..3).prop_map(|any| any.join(" || ")),
            (any::<bool>(), inner)
                .prop_map(|(not, inner)| format!("{}({inner})", if not { "!" } else { "" })),
        ]
    })
}

const USE: PatternRole = PatternRole::Use { owner: 0, scope: 0 };

/// The normalized paths (RFC 9535, section 2.7) of what the automaton selects.
pub(crate) fn by_automaton(selectors: &[&Selector], document: &Value) -> BTreeSet<String> {
    let patterns = selectors
        .iter()
        .map(|selector| selector.pattern(USE))
        .collect();
    let mut walk = Walk::new(Arc::new(Automaton::new(patterns)));
    let start = walk.start();
    let mut found = BTreeSet::new();
    accepted(&mut walk, start, document, "$", &mut found);
    found
}

/// The normalized paths of what the queries over a loaded value select.
pub(crate) fn by_queries(selectors: &[&Selector], document: &Value) -> BTreeSet<String> {
    let patterns = selectors
        .iter()
        .map(|selector| (selector.pattern(USE), selector.conditions().to_vec()));
    let mut found = BTreeSet::new();
    let path = |steps: &[PathStep<'_>]| {
        steps.iter().fold("$".to_owned(), |path, step| match step {
            PathStep::Key(name) => path + &normalized(name),
            PathStep::Index(index) => format!("{path}[{index}]"),
        })
    };
    let text = document.to_string();
    let document = Document::parse_json(&text, Queries::MAX_DEPTH).unwrap();
    Queries::new(patterns)
        .select(&document, 0, &mut |selected| {
            found.insert(path(selected.steps));
        })
        .unwrap();
    found
}

/// A name as a step of a normalized path.
fn normalized(name: &str) -> String {
    let mut text = String::from("['");
    for character in name.chars() {
        match character {
            '\'' | '\\' => text.extend(['\\', character]),
            '\u{8}' => text.push_str("\\b"),
            '\t' => text.push_str("\\t"),
            '\n' => text.push_str("\\n"),
            '\u{C}' => text.push_str("\\f"),
            '\r' => text.push_str("\\r"),
            '\0'..='\u{1F}' => write!(text, "\\u{:04x}", u32::from(character)).unwrap(),
            _ => text.push(character),
        }
    }
    text + "']"
}

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
                accepted(
                    walk,
                    next,
                    value,
                    &format!("{path}{}", normalized(name)),
                    found,
                );
            }
        }
        _ => {}
    }
}

/// The nodes that `jsonpath-rust` selects.
fn by_reference(texts: &[String], document: &Value) -> BTreeSet<String> {
    texts
        .iter()
        .flat_map(|text| document.query_only_path(text).unwrap())
        .collect()
}

/// The pointers to all that one rule finds in a body, inside other finds too.
fn by_linter(at: &[String], except: &[String], body: &Value) -> BTreeSet<String> {
    let list = |selectors: &[String]| serde_json::to_string(selectors).unwrap();
    let rules = format!(
        "api = 'Test'\n[[rule]]\nid = 'a'\noperation = 'POST /x'\nfield = 'a'\nat = {}\nexcept = {}",
        list(at),
        list(except),
    );
    let file = match RuleFile::parse("test", &rules) {
        Ok(file) => file,
        // A selector of which nothing is left is refused; the others find the same without it.
        Err(error) => {
            let is_refusal = |mistake: &Mistake| mistake.message.ends_with("` selects");
            assert!(
                error.mistakes.iter().all(is_refusal),
                "{:?}",
                error.mistakes
            );
            if at.len() == 1 {
                return BTreeSet::new();
            }
            let of_one =
                |selector: &String| by_linter(std::slice::from_ref(selector), except, body);
            return at.iter().flat_map(of_one).collect();
        }
    };
    let set = RuleSet::new(vec![file]).unwrap();
    let traffic = format!(r#"{{"method":"POST","url":"/x","body":{body}}}"#);
    let report = check_with(
        Path::new("-"),
        traffic.as_bytes(),
        &set,
        Lifecycle::on(day()),
        None,
        false,
    );
    let mut found = BTreeSet::new();
    for finding in report.findings.iter().map(|placed| &placed.finding) {
        found.extend(
            finding
                .found
                .pointer
                .iter()
                .map(|pointer| pointer.exact.to_string()),
        );
        found.extend(
            finding
                .related
                .iter()
                .map(|related| related.pointer.as_ref().unwrap().exact.to_string()),
        );
    }
    found
}

/// `$['a'][0]` as `/a/0`.
fn pointers(paths: &BTreeSet<String>) -> BTreeSet<String> {
    paths
        .iter()
        .map(|path| {
            path[1..]
                .replace("['", "/")
                .replace("']", "")
                .replace('[', "/")
                .replace(']', "")
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn the_automaton_selects_what_jsonpath_rust_selects(
        document in document(),
        texts in prop::collection::vec(simple(), 1..4),
    ) {
        let selectors: Vec<_> = texts.iter().map(|text| Selector::parse(text).unwrap()).collect();
        let ours = by_automaton(&selectors.iter().collect::<Vec<_>>(), &document);
        prop_assert_eq!(ours, by_reference(&texts, &document), "{:?}", texts);
    }

    #[test]
    fn queries_select_what_jsonpath_rust_selects(
        document in document(),
        texts in prop::collection::vec(any_selector(), 1..4),
    ) {
        let selectors: Vec<_> = texts.iter().map(|text| Selector::parse(text).unwrap()).collect();
        let ours = by_queries(&selectors.iter().collect::<Vec<_>>(), &document);
        prop_assert_eq!(ours, by_reference(&texts, &document), "{:?}", texts);
    }

    #[test]
    fn a_rule_finds_what_its_selectors_select_less_its_exceptions(
        document in document(),
        at in prop::collection::vec(of_a(), 1..3),
        except in prop::collection::vec(prop_oneof![of_a(), any_selector()], 0..3),
    ) {
        let selected = by_reference(&at, &document);
        let taken_back = by_reference(&except, &document);
        let uses = selected.difference(&taken_back).cloned().collect();
        prop_assert_eq!(by_linter(&at, &except, &document), pointers(&uses), "{:?} {:?}", at, except);
    }
}
