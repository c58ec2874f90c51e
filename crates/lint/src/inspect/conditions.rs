//! Decides whether the conditions of a rule may hold in bodies that a schema describes.

use super::search::{DescriptionSearch, SideSearch};
use crate::rules::{ConditionMember, MemberCondition};
use sundown_openapi::SchemaId;

impl DescriptionSearch<'_> {
    /// Returns whether all conditions of a rule may hold for a member of the object at a node: the `enum` or `const` of a member
    /// may rule that out.
    pub(super) fn conditions_may_hold(
        &mut self,
        rule: usize,
        node: usize,
        search: &SideSearch<'_>,
    ) -> bool {
        let Some(rule) = self.table.rules().get(rule) else {
            return false;
        };
        rule.when.iter().all(|condition| {
            let mut around = search.schemas_around(node);
            let start = match condition.member {
                ConditionMember::Sibling(_) => around.next(),
                ConditionMember::Path(_) => around.last(),
            };
            start.is_none_or(|start| self.may_be_met(condition, start, search))
        })
    }

    /// Returns whether a condition on a member of objects with the schema `start` may hold. A member that is not declared may
    /// have any value.
    fn may_be_met(
        &mut self,
        condition: &MemberCondition,
        start: SchemaId,
        search: &SideSearch<'_>,
    ) -> bool {
        let mut schemas = self.description.always_applied([start]);
        for name in condition.names() {
            let members = self.description.member(&schemas, name, search.direction);
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
