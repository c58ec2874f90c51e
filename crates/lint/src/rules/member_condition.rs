//! Conditions of a rule on other members of the same body.

use std::collections::HashMap;

use super::ValueTest;
use sundown_text_json::json::Node;

/// A condition on another member of the body: it has one of some values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MemberCondition {
    pub member: ConditionMember,
    /// What its value is: one of these tests holds.
    pub tests: Vec<ValueTest>,
}

/// The member that a condition is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ConditionMember {
    /// The member with this name in the object that has the deprecated field.
    Sibling(String),
    /// The member at the end of these names, from the root of the body.
    Path(Vec<String>),
}

/// The number of answers that are kept: enough for the objects around a member, and few enough for memory.
const MAX_ANSWERS: usize = 100_000;

/// The answers of conditions in one document. Each is found once as long as the walk is in its object.
#[derive(Debug, Default)]
pub struct ConditionAnswers {
    /// The answers by the index of the value at which the condition begins, and its address.
    known: HashMap<(usize, usize), bool>,
}

impl ConditionAnswers {
    /// The number of answers that are kept.
    #[cfg(test)]
    pub fn count(&self) -> usize {
        self.known.len()
    }

    /// Whether a condition holds for a member of `object` in a body with this root. Without a root, the object is in a
    /// part of a body, where no condition on a path from the root holds.
    pub fn hold(
        &mut self,
        condition: &MemberCondition,
        object: Node<'_>,
        root: Option<Node<'_>>,
    ) -> bool {
        let start = match condition.member {
            ConditionMember::Sibling(_) => object,
            ConditionMember::Path(_) => match root {
                Some(root) => root,
                None => return false,
            },
        };
        // Then those of the objects around the walk are found again.
        if self.known.len() >= MAX_ANSWERS {
            self.known.clear();
        }
        let key = (start.index().index(), std::ptr::from_ref(condition).addr());
        *self
            .known
            .entry(key)
            .or_insert_with(|| condition.holds(start))
    }
}

impl MemberCondition {
    /// Whether it holds in the value at which its names begin.
    fn holds(&self, start: Node<'_>) -> bool {
        let mut names = self.names().iter().map(String::as_str);
        let value = names.try_fold(start, |object, name| {
            // Of members with the same name, the last one counts, as for other readers of JSON.
            object
                .children()
                .filter(|member| member.is_called(name))
                .last()
        });
        value.is_some_and(|value| self.is_met_by(value))
    }

    /// Whether it holds if its member has this value.
    pub(crate) fn is_met_by(&self, value: Node<'_>) -> bool {
        let has = |text: &str| self.tests.iter().any(|test| test.holds(text));
        match value.text() {
            Some(text) => has(text),
            None => value
                .children()
                .any(|item| item.key().is_none() && item.text().is_some_and(has)),
        }
    }

    /// The names of the members that it needs.
    pub fn names(&self) -> &[String] {
        match &self.member {
            ConditionMember::Sibling(name) => std::slice::from_ref(name),
            ConditionMember::Path(names) => names,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_text_json::json::{Document, DocumentFormat};

    #[test]
    fn answers_are_bounded_and_a_path_is_followed_once() {
        let objects = vec!["{}"; MAX_ANSWERS + 10].join(",");
        let text = format!("{{\"k\":\"x\",\"list\":[{objects}]}}");
        let document = Document::parse(&text, DocumentFormat::Json).unwrap();
        let root = document.root();
        let tests = vec![ValueTest::Exact("x".to_owned())];
        let member = ConditionMember::Path(vec!["k".to_owned()]);
        let path = MemberCondition {
            member,
            tests: tests.clone(),
        };
        let member = ConditionMember::Sibling("k".to_owned());
        let sibling = MemberCondition { member, tests };
        let list = root.get("list").unwrap();
        let mut answers = ConditionAnswers::default();
        assert!(
            list.children()
                .all(|object| answers.hold(&path, object, Some(root)))
        );
        assert_eq!(answers.count(), 1);
        assert!(!answers.hold(&path, list, None));
        assert!(
            !list
                .children()
                .any(|object| answers.hold(&sibling, object, Some(root)))
        );
        assert!(answers.count() <= MAX_ANSWERS);
    }
}
