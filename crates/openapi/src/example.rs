//! Finds the examples of an element.

use super::library::Library;
use super::{FileId, NodeId};
use sundown_text_json::json::{Node, ValueKind};

/// The examples in a schema object.
pub(super) fn of_schema(file: FileId, schema: Node<'_>) -> Vec<NodeId> {
    let mut examples = Vec::new();
    for member in schema.children() {
        match member.key() {
            Some("example" | "x-example" | "default") => examples.push(NodeId::of(file, member)),
            Some("examples") => {
                examples.extend(member.children().map(|value| NodeId::of(file, value)));
            }
            _ => {}
        }
    }
    examples
}

/// The examples of a media type, a parameter or a header; references are followed.
pub(super) fn of_media(library: &mut Library<'_>, file: FileId, holder: Node<'_>) -> Vec<NodeId> {
    let mut examples = Vec::new();
    for member in holder.children() {
        match member.key() {
            Some("example" | "x-example" | "default") => examples.push(NodeId::of(file, member)),
            Some("examples" | "x-examples") => {
                for entry in member.children() {
                    examples.extend(value_of(library, NodeId::of(file, entry)));
                }
            }
            _ => {}
        }
    }
    examples
}

/// The value of an example object or of a reference to one. An `externalValue` is not read.
fn value_of(library: &mut Library<'_>, entry: NodeId) -> Option<NodeId> {
    let node = library.follow(entry).end?;
    let holder = library.file(node.file)?;
    let object = holder.document.node(node.value);
    let value = object.get("value").or_else(|| object.get("dataValue"))?;
    Some(NodeId::of(node.file, value))
}

/// The code samples of an operation: strings.
pub(super) fn code_samples(file: FileId, operation: Node<'_>) -> Vec<NodeId> {
    let samples = ["x-codeSamples", "x-code-samples"]
        .into_iter()
        .flat_map(|key| operation.children_of(key));
    let sources = samples
        .filter(|sample| sample.kind() == ValueKind::Object)
        .filter_map(|sample| sample.get("source"));
    sources
        .filter(|source| source.kind() == ValueKind::String)
        .map(|source| NodeId::of(file, source))
        .collect()
}
