//! Uses in examples: in example values, in strings that contain JSON, and in the JSON of code samples.

use std::borrow::Cow;

use super::automaton::SchemaAutomaton;
use super::location::KeyLocation;
use super::search::FoundElement;
use crate::rules::ConditionAnswers;
use sundown_exchange::{FormJson, FormKind};
use sundown_openapi::{Description, NodeId};
use sundown_selector::automaton::{StateId, Validity};
use sundown_text_json::Limits;
use sundown_text_json::json::pointer::{self, PathStep, PointerBuilder};
use sundown_text_json::json::{Document, DocumentFormat, Node, ValueKind, is_value, scan};

/// The longest code sample that is searched for JSON, in bytes.
const MAX_SAMPLE_BYTES: usize = 256 * 1024;
/// The most braces of a code sample at which a JSON object is tried.
const MAX_BRACKETS: usize = 256;

/// What an example shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExampleExtent {
    Body,
    /// A member or an element of a body, whatever is around it.
    Part,
    /// Code with the JSON of bodies.
    Code,
}

/// Finds the uses in one example whose root is in `state`, each with its rule.
pub(super) fn find_uses(
    description: &Description,
    node: NodeId,
    extent: ExampleExtent,
    state: StateId,
    automaton: &mut SchemaAutomaton<'_>,
) -> Vec<(usize, FoundElement)> {
    let Some(value) = description.value(node) else {
        return Vec::new();
    };
    let Some(text) = value.as_str() else {
        return walk(value, extent, state, automaton, |member, path| {
            let pointer = path.to(&step(member, 0));
            let location = KeyLocation::of_value(node.file, member, pointer);
            (NodeId::of(node.file, member), location)
        });
    };
    // A key inside a string is located at the whole string.
    let Some(location) = KeyLocation::of_text(description, node) else {
        return Vec::new();
    };
    let documents = match extent {
        ExampleExtent::Code => json_in_code(text),
        _ => json_of_text(text).into_iter().collect(),
    };
    let mut uses = Vec::new();
    for json in documents {
        if let Ok(document) = Document::parse(&*json, DocumentFormat::Json) {
            uses.extend(walk(document.root(), extent, state, automaton, |_, _| {
                (node, location.clone())
            }));
        }
    }
    uses
}

/// The step to a child. An index is a name like others, so that elements differ in both forms of their pointers.
fn step(child: Node<'_>, index: usize) -> PathStep<'_> {
    let name = child.key().map(Cow::Borrowed);
    PathStep::Key(name.unwrap_or_else(|| index.to_string().into()))
}

/// Runs the automaton over a value. `locate` gets each member that it accepts, and the path to the object around it, which is written
/// once for all members.
fn walk(
    root: Node<'_>,
    extent: ExampleExtent,
    state: StateId,
    automaton: &mut SchemaAutomaton<'_>,
    locate: impl Fn(Node<'_>, &PointerBuilder) -> (NodeId, KeyLocation),
) -> Vec<(usize, FoundElement)> {
    let mut uses = Vec::new();
    let mut validity = Validity::new(root.document().all().len());
    let mut known = ConditionAnswers::default();
    let mut path = PointerBuilder::default();
    for name in pointer::tokens(&root.pointer()) {
        path.push(&PathStep::Key(name));
    }
    let mut open = vec![(root, state, path.depth(), None)];
    while let Some((value, state, depth, index)) = open.pop() {
        if !automaton.walk.is_live(state) {
            continue;
        }
        path.truncate(depth);
        if let Some(index) = index {
            path.push(&step(value, index));
        }
        let state = automaton.enter(state, value, &mut validity);
        for (index, child) in value.children().enumerate() {
            let next = match child.key() {
                Some(key) => automaton.walk.step_key(state, key.as_bytes()),
                None => automaton.walk.step_index(state, index),
            };
            if child.key().is_some() {
                let body = (extent != ExampleExtent::Part).then_some(root);
                let found = automaton.exact_uses(next, |rule| {
                    rule.when.iter().all(|one| known.hold(one, value, body))
                });
                for one in found {
                    let wanted = one.rule.element.exact_value();
                    if wanted.is_none_or(|wanted| has_value(child, wanted)) {
                        let (node, location) = locate(child, &path);
                        let found = FoundElement::Example(node, location, one.certainty);
                        uses.push((one.number, found));
                    }
                }
            }
            open.push((child, next, path.depth(), Some(index)));
        }
    }
    uses
}

/// Whether a value, or an element of a list, is `wanted`.
fn has_value(value: Node<'_>, wanted: &str) -> bool {
    value.text() == Some(wanted)
        || value.kind() == ValueKind::Array
            && value.children().any(|item| item.text() == Some(wanted))
}

/// The text, if it may be a JSON object or array, or the object of a form.
fn json_of_text(text: &str) -> Option<Cow<'_, str>> {
    if text.trim_start().starts_with(['{', '[']) {
        return Some(text.into());
    }
    let form = FormKind::of(None, text.as_bytes())?.parse(text.as_bytes())?;
    Some(FormJson::of(&form.named).text.into())
}

/// The outermost JSON objects in a text of another language.
fn json_in_code(text: &str) -> Vec<Cow<'_, str>> {
    let mut found = Vec::new();
    if text.len() > MAX_SAMPLE_BYTES {
        return found;
    }
    let mut at = 0;
    for _ in 0..MAX_BRACKETS {
        let Some(open) = text
            .get(at..)
            .unwrap_or_default()
            .find('{')
            .map(|open| at + open)
        else {
            break;
        };
        match scan::value(text.as_bytes(), open) {
            Ok(span) if is_value(span.slice(text.as_bytes()), Limits::default().depth) => {
                found.extend(text.get(span.start..span.end).map(Cow::Borrowed));
                at = span.end;
            }
            _ => at = open + 1,
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::json_in_code;

    #[test]
    fn json_is_found_in_code() {
        let code = "curl -d '{\"a\": {\"b\": 1}}' {host} && echo {\"c\": [2]}";
        assert_eq!(json_in_code(code), ["{\"a\": {\"b\": 1}}", "{\"c\": [2]}"]);
        assert!(json_in_code("if (x) { return {y: 1} }").is_empty());
        assert!(json_in_code(&"{".repeat(100_000)).is_empty());
    }
}
