//! The conditions of rules on other members of a walked value.

use std::sync::Arc;

use super::matcher::{ValueAt, WalkedValue};
use crate::rules::{ConditionAnswers, Rule};
use sundown_text_json::json::{Document, Node, scan};

/// The length in bytes beyond which a value is not loaded: a loaded value takes several times the memory of its text.
const MAX_LOADED_BYTES: usize = 64 * 1024 * 1024;

/// Decides about the conditions of rules in one walked value. It is loaded when the first of them is asked for.
#[derive(Default)]
pub(super) struct MemberConditions<'t> {
    value: Option<WalkedValue<'t>>,
    loaded: Option<LoadedValue<'t>>,
}

/// A loaded value, with what is known of its objects.
struct LoadedValue<'t> {
    /// `None` if the value is not complete, or very long.
    document: Option<Document<'t>>,
    known: ConditionAnswers,
}

impl<'t> MemberConditions<'t> {
    /// The conditions in a value.
    pub(super) fn of(value: WalkedValue<'t>) -> Self {
        Self {
            value: Some(value),
            loaded: None,
        }
    }

    /// Whether the conditions of a rule hold for the member with the value `at`. In a value that is not complete, none
    /// does.
    pub(super) fn hold(&mut self, rule: &Arc<Rule>, at: ValueAt<'_>) -> bool {
        if rule.when.is_empty() {
            return true;
        }
        let Some(value) = self.value else {
            return false;
        };
        let LoadedValue { document, known } =
            self.loaded.get_or_insert_with(|| LoadedValue::of(value));
        let Some(document) = document else {
            return false;
        };
        let Some(object) = scan::skip_whitespace(at.text.as_bytes(), at.start)
            .checked_sub(value.start)
            .and_then(|at| document.value_at(at))
            .and_then(Node::parent)
        else {
            return false;
        };
        rule.when
            .iter()
            .all(|condition| known.hold(condition, object, Some(document.root())))
    }

    /// Whether a condition was asked for that is undecided, because the value is too long.
    pub(super) fn is_undecided(&self) -> bool {
        self.loaded.is_some() && self.value.is_some_and(is_too_long)
    }
}

impl<'t> LoadedValue<'t> {
    fn of(value: WalkedValue<'t>) -> Self {
        let text = value
            .text
            .get(value.start..)
            .filter(|_| !is_too_long(value));
        let document =
            text.and_then(|text| Document::parse_first_value(text, value.limits.depth).ok());
        Self {
            document,
            known: ConditionAnswers::default(),
        }
    }
}

fn is_too_long(value: WalkedValue<'_>) -> bool {
    value.text.len() - value.start > MAX_LOADED_BYTES
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::RuleFile;
    use sundown_text_json::Limits;

    /// The number of members with a condition, those of them that meet it, and how often the condition was evaluated.
    fn count(text: &str) -> (usize, usize, usize) {
        let rules = "api = 'A'\n[[rule]]\nid = 'a'\noperation = 'POST /a'\nfield = 'old'\nwhen = { field = 'kind', value = 'x' }\n";
        let rule = RuleFile::parse("a", rules).unwrap().rules.remove(0);
        let rule = Arc::new(rule);
        let value = WalkedValue {
            text,
            start: 0,
            limits: Limits::default(),
        };
        let mut conditions = MemberConditions::of(value);
        let starts: Vec<_> = text
            .match_indices("\"old\":")
            .map(|(at, key)| at + key.len())
            .collect();
        let mut hold = |&start: &usize| conditions.hold(&rule, ValueAt { text, start });
        let met = starts.iter().filter(|start| hold(start)).count();
        (
            starts.len(),
            met,
            conditions.loaded.map_or(0, |loaded| loaded.known.count()),
        )
    }

    #[test]
    fn a_condition_is_evaluated_once_for_each_object() {
        let wide = format!("{{{}\"kind\":\"x\"}}", "\"old\":1,".repeat(1_000));
        assert_eq!(count(&wide), (1_000, 1_000, 1));
        let deep = format!("{}1{}", "{\"old\":1,\"a\":".repeat(200), "}".repeat(200));
        assert_eq!(count(&deep), (200, 0, 200));
        assert_eq!(
            count("{\"old\":1,\"kind\":\"x\"").1,
            0,
            "the value is not complete"
        );
    }
}
