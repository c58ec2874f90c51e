//! Reads the `when` tables of rules files, which state conditions on other members.

use super::keys::{selector, value_tests};
use super::{ConditionMember, Element, MemberCondition};
use sundown_files::toml_file::TableReader;
use sundown_selector::Selector;
use sundown_selector::automaton::SegmentTest;

/// Reads the conditions under `when`: one table, or a list of tables.
pub(super) fn when(element: Option<&Element>, fields: &TableReader<'_>) -> Vec<MemberCondition> {
    if let (Some(span), Some(element)) = (fields.span_of("when"), element)
        && element.field_name().is_none()
    {
        let message = "`when` is for a `field`: it is about other members of the same body";
        fields.complain(span, message);
    }
    let tables = fields.one_or_more_tables("when");
    let conditions = tables
        .into_iter()
        .filter_map(|table| condition(fields.inner(table)));
    conditions.collect()
}

/// Reads a `when` table.
fn condition(fields: TableReader<'_>) -> Option<MemberCondition> {
    let field = fields.string("field");
    let at = fields.string("at");
    let member = match (field, at) {
        (Some(field), None) => Some(ConditionMember::Sibling(field.value.to_owned())),
        (None, Some(at)) => {
            let names = selector(&at, &fields).map(|selector| names(&selector));
            if let Some(None) = names {
                let message = "`at` in `when` is a path of names from the root, like `$.model`";
                fields.refuse(
                    at.span,
                    message,
                    "for a member of the same object, use `field`",
                );
            }
            names.flatten().map(ConditionMember::Path)
        }
        (None, None) if fields.has("field") || fields.has("at") => None,
        _ => {
            fields.refuse_incomplete(
                "`when` names one member: a `field` of the same object, or a path `at`",
                "when = { field = \"kind\", value = \"Ingress\" }",
            );
            None
        }
    };
    let tests = value_tests(&fields);
    let keys = ["value", "values", "starts_with", "before"];
    if !keys.iter().any(|key| fields.has(key)) {
        fields.refuse_incomplete(
            "`when` needs the value of the member",
            "add `value`, `values`, `starts_with` or `before`",
        );
    }
    fields.finish();
    let member = member.filter(|_| !tests.is_empty())?;
    Some(MemberCondition { member, tests })
}

/// The names of a selector that has nothing else.
fn names(selector: &Selector) -> Option<Vec<String>> {
    let steps = selector.steps()?.into_iter();
    let names = steps.map(|step| match step {
        SegmentTest::Name(name) => Some(name.to_string()),
        _ => None,
    });
    names.collect()
}
