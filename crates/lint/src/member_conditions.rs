//! The conditions of rules on other members of a walked value.

use std::sync::Arc;

use super::matcher::ValueAt;
use super::value_tree::ValueTree;
use crate::rules::{ConditionAnswers, Rule};
use sundown_text_json::json::{Node, SyntaxErrorKind, scan};

/// Decides about the conditions of rules in one walked value.
pub(super) struct MemberConditions<'t> {
    tree: &'t ValueTree<'t>,
    known: ConditionAnswers,
    /// Whether a condition was asked for.
    is_asked: bool,
}

impl<'t> MemberConditions<'t> {
    /// The conditions in a value.
    pub(super) fn of(tree: &'t ValueTree<'t>) -> Self {
        Self {
            tree,
            known: ConditionAnswers::default(),
            is_asked: false,
        }
    }

    /// Whether the conditions of a rule hold for the member with the value `at`. In a value without a tree, none does.
    pub(super) fn hold(&mut self, rule: &Arc<Rule>, at: ValueAt<'_>) -> bool {
        if rule.when.is_empty() {
            return true;
        }
        self.is_asked = true;
        let start = scan::skip_whitespace(at.text.as_bytes(), at.start);
        let value = self.tree.node_at(start);
        let Some(object) = value.and_then(Node::parent) else {
            return false;
        };
        let root = Some(object.document().root());
        let mut conditions = rule.when.iter();
        conditions.all(|condition| self.known.hold(condition, object, root))
    }

    /// Whether a condition was asked for that is undecided, because the value is too long.
    pub(super) fn is_undecided(&self) -> bool {
        let error = self.tree.document().err();
        self.is_asked && error.is_some_and(|error| error.kind == SyntaxErrorKind::TooLarge)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matcher::WalkedValue;
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
        let tree = ValueTree::of(value);
        let mut conditions = MemberConditions::of(&tree);
        let starts: Vec<_> = text
            .match_indices("\"old\":")
            .map(|(at, key)| at + key.len())
            .collect();
        let mut hold = |&start: &usize| conditions.hold(&rule, ValueAt { text, start });
        let met = starts.iter().filter(|start| hold(start)).count();
        (starts.len(), met, conditions.known.count())
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
