//! Marks the deprecated members of the bodies of an operation in a JSON Schema, as editors read it.
//!
//! The states of the automaton become definitions, and its steps become `properties`, `additionalProperties` and `items`: a schema
//! describes the same walk as a check. `deprecated` is of draft 2019-09; `deprecationMessage` is what the language services of VS Code
//! for JSON and YAML show.

use std::collections::{BTreeMap, HashMap};

use serde_json::{Map, Value, json};
use thiserror::Error;

use super::plan::{Plan, SidePlan};
use super::rule_choice::{RuleCandidate, RuleChoice, RuleUse, choose};
use crate::findings::{Certainty, replacement_advice};
use crate::rules::{Rule, RuleSet, ValueTest, in_backticks};
use sundown_exchange::{Call, OperationPattern, Side};
use sundown_selector::automaton::{PatternId, StateId, Walk};

/// The size that a schema may have: each definition counts the names in rules, and each mark.
const MAX_SIZE: usize = 200_000;

/// A key that is none of the names in rules.
pub(crate) const OTHER: &[u8] = b"\0other";

/// Why there is no schema for the bodies of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum NoBodySchema {
    /// No rule is about a member of these bodies.
    #[error(
        "no rule is about a member of these bodies, or only rules that a schema cannot express"
    )]
    NoRule,
    /// The schema would be too large for an editor.
    #[error("the schema would have too many definitions of too many names")]
    TooLarge,
}

/// The JSON Schema (draft-07) of the bodies of an operation on one side. It accepts every value, and marks what rules are about.
pub fn body_schema(
    set: &RuleSet,
    operation: &OperationPattern,
    side: Side,
) -> Result<Value, NoBodySchema> {
    let matched = set.resolve_call(&Call::new(
        operation.method.clone(),
        operation.sample_target(),
        None,
    ));
    let mut plan = Plan::new(set, &matched);
    let plan = plan.side_mut(side);
    let mut walk = plan.walk.take().ok_or(NoBodySchema::NoRule)?;
    let names: Vec<String> = walk.names().map(str::to_owned).collect();
    let mut schema = Definitions {
        numbers: HashMap::new(),
        waiting: Vec::new(),
        size: 0,
        has_marks: false,
    };
    let start = walk.start();
    let root = schema.reference(start);
    let mut definitions = BTreeMap::new();
    while let Some((state, number)) = schema.waiting.pop() {
        schema.size += names.len() + 1;
        if schema.size > MAX_SIZE {
            return Err(NoBodySchema::TooLarge);
        }
        let definition = schema.define(state, &names, &mut walk, plan);
        definitions.insert(name_of(number), Value::Object(definition));
    }
    if !schema.has_marks {
        return Err(NoBodySchema::NoRule);
    }
    Ok(json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": format!("{operation}, {}", side.name()),
        "allOf": [root],
        "definitions": definitions,
    }))
}

/// The states that have a definition, or get one.
struct Definitions {
    numbers: HashMap<StateId, usize>,
    waiting: Vec<(StateId, usize)>,
    size: usize,
    has_marks: bool,
}

impl Definitions {
    fn reference(&mut self, state: StateId) -> Value {
        let state = state.without_accepts();
        let next = self.numbers.len();
        let number = *self.numbers.entry(state).or_insert_with(|| {
            self.waiting.push((state, next));
            next
        });
        json!({ "$ref": format!("#/definitions/{}", name_of(number)) })
    }

    fn define(
        &mut self,
        state: StateId,
        names: &[String],
        walk: &mut Walk,
        plan: &SidePlan,
    ) -> Map<String, Value> {
        let mut definition = Map::new();
        let other = walk.step_key(state, OTHER);
        let mut properties = Map::new();
        for name in names {
            let target = walk.step_key(state, name.as_bytes());
            let marks = marks(plan, walk.accepts(target));
            if target == other && marks.is_empty() {
                continue;
            }
            self.has_marks |= !marks.is_empty();
            self.size += marks.len();
            let mut parts = marks;
            if walk.is_live(target) {
                parts.push(self.reference(target));
            }
            let schema = if parts.is_empty() {
                Value::Bool(true)
            } else {
                json!({ "allOf": parts })
            };
            properties.insert(name.clone(), schema);
        }
        if !properties.is_empty() {
            definition.insert("properties".to_owned(), properties.into());
        }
        if walk.is_live(other) {
            definition.insert("additionalProperties".to_owned(), self.reference(other));
        }
        // Without indices in selectors, all elements are alike.
        if let Some(element) = walk
            .step_any_index(state)
            .filter(|&next| walk.is_live(next))
        {
            definition.insert("items".to_owned(), self.reference(element));
        }
        definition
    }
}

/// What the patterns that accept a key say about its value.
fn marks(plan: &SidePlan, accepts: &[PatternId]) -> Vec<Value> {
    let whole = plan.rules_of(accepts).flat_map(|(rules, certainty)| {
        let whole = rules.whole().iter().filter(|own| is_unconditional(own));
        whole.map(move |rule| RuleCandidate {
            rule,
            specificity: None,
            certainty,
            value: None,
        })
    });
    // Of several rules about a key, a check reports the best one.
    let whole = choose(whole, &[], RuleChoice::MostSpecific);
    let whole = whole
        .iter()
        .map(|chosen| mark(&chosen.matched.rule_use.rule, chosen.certainty));
    let mut marks: Vec<Value> = whole.collect();
    for (rules, certainty) in plan.rules_of(accepts) {
        let mut about_values: Vec<_> = rules
            .iter()
            .filter(|own| own.rule.element.value.is_some() && is_unconditional(own))
            .collect();
        about_values.sort_by(|one, other| one.rule.id.cmp(&other.rule.id));
        for own in about_values {
            let condition = match &own.rule.element.value {
                Some(ValueTest::Exact(text)) => json!({ "enum": spellings(text) }),
                Some(ValueTest::StartsWith(text)) => {
                    json!({ "type": "string", "pattern": beginning(text) })
                }
                // A schema compares no versions.
                _ => continue,
            };
            let marked = json!({ "if": condition, "then": mark(&own.rule, certainty) });
            // A value in a list is a use, too.
            marks.push(json!({ "items": marked }));
            marks.push(marked);
        }
    }
    marks
}

/// Whether a rule holds whatever else the body has. A schema does not say the others.
fn is_unconditional(own: &RuleUse) -> bool {
    own.rule.when.is_empty()
}

/// Says that an element is deprecated, what to use instead, and until when it works.
fn mark(rule: &Rule, certainty: Certainty) -> Value {
    let element = rule.element.phrase(in_backticks).unwrap_or_default();
    let is = match certainty {
        Certainty::Certain => "is",
        Certainty::Possible => "may be",
    };
    let mut message = format!("{element} {is} deprecated: {}", replacement_advice(rule));
    if let Some(note) = &rule.note {
        message = format!("{message}; {note}");
    }
    if let Some(day) = rule.removal {
        message = format!("{message}; last day {day}");
    }
    json!({ "deprecated": true, "deprecationMessage": message })
}

/// The JSON values that are meant by a value in a rule.
fn spellings(text: &str) -> Vec<Value> {
    let literal = serde_json::from_str(text).ok();
    let literal = literal
        .filter(|value: &Value| !value.is_string() && !value.is_object() && !value.is_array());
    [Value::from(text)].into_iter().chain(literal).collect()
}

/// A regular expression (ECMA-262) for texts that begin with this one.
fn beginning(text: &str) -> String {
    let mut pattern = String::from("^");
    for character in text.chars() {
        if r"\^$.*+?()[]{}|/".contains(character) {
            pattern.push('\\');
        }
        pattern.push(character);
    }
    pattern
}

fn name_of(number: usize) -> String {
    format!("s{number}")
}
