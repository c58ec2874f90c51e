//! Decides what of a rule a declaration may meet: its element, by the marker, and its conditions, in bodies that a schema describes.

use super::search::DescriptionSearch;
use crate::rules::{ConditionMember, Element, MemberCondition, Rule};
use sundown_openapi::{Direction, Marker, SchemaId};

/// Whether the member is in the object that has the deprecated one; otherwise, its path begins at the body.
pub(super) fn is_sibling(member: &ConditionMember) -> bool {
    matches!(member, ConditionMember::Sibling(_))
}

impl DescriptionSearch<'_> {
    /// Whether all conditions of a rule on such members of an object with the schema `start` may hold: the `enum` or `const` of a
    /// member may rule that out.
    pub(super) fn conditions_may_hold(
        &mut self,
        rule: usize,
        is_such: fn(&ConditionMember) -> bool,
        start: SchemaId,
        direction: Direction,
    ) -> bool {
        self.set.rule_at(rule).is_some_and(|rule| {
            let mut conditions = rule.when.iter().filter(|one| is_such(&one.member));
            conditions.all(|condition| self.may_be_met(condition, start, direction))
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
            let mut values = self.description.enum_values(schema).into_iter();
            self.work += values.len();
            values.len() == 0 || values.any(|value| condition.is_met_by(value))
        })
    }
}

/// Whether a schema's marker and a rule are about the same: the whole element, or the same value of it.
pub(super) fn is_about(marker: &Marker, rule: &Rule) -> bool {
    let Some(text) = marker.value.as_deref() else {
        return is_whole(&rule.element);
    };
    let (value, cookie) = (&rule.element.value, rule.element.cookie());
    value.as_ref().is_some_and(|value| value.holds(text))
        || cookie.is_some_and(|(_, own)| own == Some(text))
}

/// Whether all values of an element are deprecated.
pub(super) fn is_whole(element: &Element) -> bool {
    element.value.is_none() || matches!(element.cookie(), Some((_, None)))
}
