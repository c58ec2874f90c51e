//! Conditions of a rule on other members of the same body.

use super::ValueTest;
use crate::json::ValueRef;

/// A condition on another member of the body: it has one of some values.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct MemberCondition {
    /// The member.
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

impl MemberCondition {
    /// Returns whether it holds for a field of `object` in a body with this root.
    pub fn holds(&self, object: ValueRef<'_>, root: ValueRef<'_>) -> bool {
        let start = match self.member {
            ConditionMember::Sibling(_) => object,
            ConditionMember::Path(_) => root,
        };
        let mut names = self.names().iter().map(String::as_str);
        let value = names.try_fold(start, |object, name| {
            // Of members with the same name, the last one counts, as for other readers of JSON.
            object.children().rev().find(|member| member.key() == Some(name))
        });
        value.is_some_and(|value| self.is_met_by(value))
    }

    /// Returns whether it holds if its member has this value.
    pub fn is_met_by(&self, value: ValueRef<'_>) -> bool {
        let has = |text: &str| self.tests.iter().any(|test| test.holds(text));
        match value.text() {
            Some(text) => has(text),
            None => {
                value.children().any(|item| item.key().is_none() && item.text().is_some_and(has))
            }
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
