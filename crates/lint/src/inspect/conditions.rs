//! Decides whether the conditions of a rule may hold in bodies that a schema describes.

use super::search::DescriptionSearch;
use crate::rules::{ConditionMember, MemberCondition};
use sundown_openapi::{Direction, SchemaId};

/// Where the members of conditions are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ConditionStart {
    /// In the object of the deprecated member.
    Sibling,
    /// In the body.
    Body,
}

impl DescriptionSearch<'_> {
    /// Whether all conditions of a rule that start at an object with the schema `start` may hold: the `enum` or `const` of a
    /// member may rule that out.
    pub(super) fn conditions_may_hold(
        &mut self,
        rule: usize,
        at: ConditionStart,
        start: SchemaId,
        direction: Direction,
    ) -> bool {
        let Some(rule) = self.table.rule_at(rule) else {
            return false;
        };
        rule.when.iter().all(|condition| {
            let starts_at = match condition.member {
                ConditionMember::Sibling(_) => ConditionStart::Sibling,
                ConditionMember::Path(_) => ConditionStart::Body,
            };
            starts_at != at || self.may_be_met(condition, start, direction)
        })
    }

    /// Whether a condition on a member of objects with the schema `start` may hold. A member that is not declared may
    /// have any value.
    fn may_be_met(
        &mut self,
        condition: &MemberCondition,
        start: SchemaId,
        direction: Direction,
    ) -> bool {
        let mut schemas = self.description.always_applied([start]);
        for name in condition.names() {
            let members = self.description.member(&schemas, name, direction);
            self.work += schemas.len();
            schemas = self
                .description
                .always_applied(members.iter().map(|edge| edge.to));
        }
        self.work += schemas.len();
        schemas.iter().all(|&schema| {
            let constant = self.description.keyword(schema, "const");
            let values = self.description.enum_values(schema);
            self.work += values.len();
            let mut listed = values.into_iter().chain(constant);
            let first = listed.next();
            first.is_none_or(|first| {
                condition.is_met_by(first) || listed.any(|value| condition.is_met_by(value))
            })
        })
    }
}
