//! Conditions of a rule on other members of the same body, and the `when` tables that state them.

use super::ValueTest;
use super::keys::{selector, value_tests};
use crate::selector::Selector;
use crate::selector::automaton::SegmentTest;
use crate::toml_file::{Mistake, TableReader};

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

    /// Reads a `when` table.
    pub(super) fn read(mut fields: TableReader<'_, '_>) -> Option<Self> {
        let (field, at) = (fields.string("field"), fields.string("at"));
        let span = fields.span.clone();
        let member = match (field, at) {
            (Some(field), None) => Some(ConditionMember::Sibling(field.value.to_owned())),
            (None, Some(at)) => {
                let names = selector(&at, &mut fields).map(|selector| names(&selector));
                if let Some(None) = names {
                    let message = "`at` in `when` is a path of names from the root, like `$.model`";
                    fields.add_mistake(
                        Mistake::new(at.span, message)
                            .with_help("for a member of the same object, use `field`"),
                    );
                }
                names.flatten().map(ConditionMember::Path)
            }
            (None, None) if fields.has("field") || fields.has("at") => None,
            _ => {
                let message =
                    "`when` names one member: a `field` of the same object, or a path `at`";
                fields.add_mistake(
                    Mistake::missing(span.clone(), message)
                        .with_help("when = { field = \"kind\", value = \"Ingress\" }"),
                );
                None
            }
        };
        let tests = value_tests(&mut fields);
        if tests.is_empty()
            && !["value", "values", "starts_with", "before"].iter().any(|key| fields.has(key))
        {
            fields.add_mistake(
                Mistake::missing(span, "`when` needs the value of the member")
                    .with_help("add `value`, `values`, `starts_with` or `before`"),
            );
        }
        fields.finish();
        Some(Self { member: member?, tests }).filter(|condition| !condition.tests.is_empty())
    }
}

/// The names of a selector that has nothing else.
fn names(selector: &Selector) -> Option<Vec<String>> {
    let name =
        |segment: &crate::selector::automaton::SelectorSegment| match segment.tests.as_slice() {
            [SegmentTest::Name(name)] if !segment.descendant => Some(name.to_string()),
            _ => None,
        };
    selector.segments().iter().map(name).collect()
}
