//! Rules' selectors against the compliance test suite of JSONPath (`testdata/jsonpath-compliance`): what they take of it
//! they answer as it says, and what they refuse is listed here.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use super::selectors::{by_automaton, by_queries};
use super::support::text;
use sundown_selector::Selector;

#[derive(Deserialize)]
struct Suite {
    tests: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    name: String,
    selector: String,
    #[serde(default)]
    document: Value,
    #[serde(default)]
    invalid_selector: bool,
    /// The one right answer.
    result_paths: Option<BTreeSet<String>>,
    /// Or all that are right.
    #[serde(default)]
    results_paths: Vec<BTreeSet<String>>,
}

/// Valid JSONPath that rules refuse, with the beginning of the reason.
const REFUSED: [(&str, &str); 11] = [
    ("basic, root", ROOT),
    ("filter, absolute existence, with segments", FROM_ROOT),
    ("filter, equals, special nothing", FROM_ROOT),
    ("filter, nested", "a filter inside a filter"),
    ("functions, length, arg is a function expression", FROM_ROOT),
    ("functions, match, arg is a function expression", PATTERN),
    ("functions, match, non-string second arg", NO_PATTERN),
    ("functions, match, regex from the document", PATTERN),
    ("functions, search, arg is a function expression", PATTERN),
    ("functions, search, non-string second arg", NO_PATTERN),
    ("functions, search, regex from the document", PATTERN),
];

/// A use has a key, and the root has none.
const ROOT: &str = "the root by itself";

/// It would be searched again for every node, in time quadratic in the size of the body.
const FROM_ROOT: &str = "a filter that searches several nodes from the root";

/// A body could hold any pattern, however costly.
const PATTERN: &str = "a regular expression that the rule does not spell out";

/// An invalid pattern matches nothing, and a rule that matches nothing is a mistake.
const NO_PATTERN: &str = "a regular expression with a mistake in it";

fn cases() -> Vec<Case> {
    let suite: Suite =
        serde_json::from_str(&text("testdata/jsonpath-compliance/cts.json")).unwrap();
    assert_eq!(suite.tests.len(), 687);
    suite.tests
}

#[test]
fn invalid_selectors_are_refused() {
    let mut cases = cases();
    cases.retain(|case| case.invalid_selector);
    assert_eq!(cases.len(), 245);
    let accepted: Vec<_> = cases
        .iter()
        .filter(|case| Selector::parse(&case.selector).is_ok())
        .map(|case| (&case.name, &case.selector))
        .collect();
    assert!(accepted.is_empty(), "{accepted:#?}");
}

#[test]
fn accepted_selectors_select_the_expected_nodes() {
    let (mut answered, mut by_both, mut wrong) = (0, 0, Vec::new());
    let cases = cases();
    for case in cases.iter().filter(|case| !case.invalid_selector) {
        let Ok(selector) = Selector::parse(&case.selector) else {
            continue;
        };
        answered += 1;
        let right = case
            .result_paths
            .iter()
            .chain(&case.results_paths)
            .collect::<Vec<_>>();
        assert!(!right.is_empty(), "{}", case.name);
        let mut answers = vec![by_queries(&[&selector], &case.document)];
        if selector.conditions().is_empty() {
            by_both += 1;
            answers.push(by_automaton(&[&selector], &case.document));
        }
        if !answers.iter().all(|answer| right.contains(&answer)) {
            wrong.push((&case.name, &case.selector, answers).clone());
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    assert_eq!((answered, by_both), (431, 100), "of 442 valid ones");
}

#[test]
fn refused_valid_selectors_are_listed() {
    let mut listed = BTreeMap::from(REFUSED);
    for case in cases().into_iter().filter(|case| !case.invalid_selector) {
        let listed = listed.remove(case.name.as_str());
        match (Selector::parse(&case.selector), listed) {
            (Ok(_), None) => {}
            (Err(error), Some(why)) if error.message.starts_with(why) => {}
            (result, listed) => panic!("{}: {result:?}, listed as {listed:?}", case.name),
        }
    }
    assert!(listed.is_empty(), "no longer refused, or gone: {listed:?}");
}
