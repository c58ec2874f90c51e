//! Members of query parameters whose value is JSON: `where={"state":1}` has the member `where[state]`.

use std::borrow::Cow;
use std::collections::HashMap;

use sundown_exchange::QueryParameter;
use sundown_text_json::json::{Document, Node, ValueKind};

/// The depth to which the value of a parameter may nest: more than real ones have.
const MAX_DEPTH: usize = 64;

/// The parameters of a call that are JSON, each parsed when a rule asks for a member.
#[derive(Default)]
pub(super) struct ParameterMembers<'p>(HashMap<usize, Option<Document<'p>>>);

impl<'p> ParameterMembers<'p> {
    /// The values of the element `name` in the parameter with this index: of the parameter itself, or of its member; `None` if it
    /// is not there. A member that is an object has no values.
    pub(super) fn values(
        &mut self,
        index: usize,
        parameter: &'p QueryParameter<'_>,
        name: &str,
    ) -> Option<Vec<Cow<'p, str>>> {
        if parameter.name == name {
            return Some(
                parameter
                    .value
                    .as_deref()
                    .map(Cow::Borrowed)
                    .into_iter()
                    .collect(),
            );
        }
        let path = name.strip_prefix(&*parameter.name)?;
        let mut steps = path.strip_prefix('[')?.strip_suffix(']')?.split("][");
        let value = parameter.value.as_deref()?;
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

/// The members of this name, or all elements of an array without a name.
fn children<'d>(node: Node<'d>, step: &str) -> Vec<Node<'d>> {
    match (node.kind(), step) {
        (ValueKind::Array, "") => node.children().collect(),
        (ValueKind::Object, _) => node.get(step).into_iter().collect(),
        _ => Vec::new(),
    }
}
