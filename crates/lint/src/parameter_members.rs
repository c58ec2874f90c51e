//! Members of query parameters: `where[lines][0][state]=1`, and `where={"state":1}` with JSON as the value.

use std::borrow::Cow;
use std::collections::HashMap;

use super::rule_choice::PartRules;

use sundown_exchange::QueryParameter;
use sundown_text_json::json::{Document, Node, ValueKind};

/// The depth to which the value of a parameter may nest: more than real ones have.
const MAX_DEPTH: usize = 64;

/// The parameters of a call that are JSON, each parsed when a rule asks for a member.
#[derive(Default)]
pub(super) struct ParameterMembers<'p>(HashMap<usize, Option<Document<'p>>>);

impl<'p> ParameterMembers<'p> {
    /// The values of a named element in the parameter with this index: of the parameter itself, or of its member; `None` if it is
    /// not there. `name[*]` is a parameter with all of its members, as `name[member]` has its own. An object has no values, and those
    /// of a list are apart.
    pub(super) fn values(
        &mut self,
        index: usize,
        parameter: &'p QueryParameter<'_>,
        named: &PartRules<String>,
    ) -> Option<Vec<Cow<'p, str>>> {
        let name = &*named.name;
        let value = parameter.value.as_deref();
        let own = name.strip_suffix("[*]").unwrap_or(name);
        let has_members = name.contains('[');
        let is_index = |c: char| c.is_ascii_digit() || "[]".contains(c);
        let rest = rest_after(&parameter.name, own).filter(|rest| {
            rest.is_empty()
                || has_members && rest.starts_with('[')
                || named.rules.is_list && rest.starts_with('[') && rest.chars().all(is_index)
        });
        if let Some(rest) = rest {
            let value = value.filter(|_| rest.chars().all(is_index));
            let list = value.filter(|_| named.rules.is_list).unwrap_or_default();
            let pieces = list.split([',', ' ', '|']);
            let pieces = pieces.filter(|one| !one.is_empty() && Some(*one) != value);
            return Some(value.into_iter().chain(pieces).map(Cow::Borrowed).collect());
        }
        let path = name.strip_prefix(&*parameter.name)?;
        let mut steps = path.strip_prefix('[')?.strip_suffix(']')?.split("][");
        let value = value?;
        let document = self
            .0
            .entry(index)
            .or_insert_with(|| Document::parse_json(value.as_bytes(), MAX_DEPTH).ok());
        let mut nodes = vec![document.as_ref()?.root()];
        steps.all(|step| {
            nodes = nodes
                .iter()
                .flat_map(|node| children(*node, step))
                .collect();
            !nodes.is_empty()
        });
        let elements = nodes.iter().flat_map(|node| match node.kind() {
            ValueKind::Array => node.children().collect(),
            _ => vec![*node],
        });
        let texts: Vec<Cow<'p, str>> = elements
            .filter_map(|node| Some(Cow::Owned(node.text()?.to_owned())))
            .collect();
        (!nodes.is_empty()).then_some(texts)
    }
}

/// What a parameter's name has after `name`, whose `[]` means any index.
fn rest_after<'c>(called: &'c str, name: &str) -> Option<&'c str> {
    let mut parts = name.split("[]");
    let first = called.strip_prefix(parts.next()?)?;
    parts.try_fold(first, |rest, part| {
        let index = rest.strip_prefix('[')?;
        let after = index.trim_start_matches(|c: char| c.is_ascii_digit());
        after.strip_prefix(']')?.strip_prefix(part)
    })
}

/// The members of this name, or all elements of an array without a name.
fn children<'d>(node: Node<'d>, step: &str) -> Vec<Node<'d>> {
    match (node.kind(), step) {
        (ValueKind::Array, "") => node.children().collect(),
        (ValueKind::Object, _) => node.get(step).into_iter().collect(),
        _ => Vec::new(),
    }
}
