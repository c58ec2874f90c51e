//! Conditions of a rule on other members of the same body.

use super::ValueTest;

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
    /// The names of the members that it needs.
    pub fn names(&self) -> &[String] {
        match &self.member {
            ConditionMember::Sibling(name) => std::slice::from_ref(name),
            ConditionMember::Path(names) => names,
        }
    }
}
