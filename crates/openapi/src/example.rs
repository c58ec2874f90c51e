//! Finds the examples of an element.

use crate::{DescribedOperation, Description, FileId, Library, NodeId, SchemaId};
use sundown_text_json::json::{Node, ValueKind};

impl Description {
    /// The examples of a schema.
    pub fn schema_examples(&self, schema: SchemaId) -> Vec<NodeId> {
        let node = self.schemas().get(schema).map(|schema| schema.node);
        let value = node.and_then(|node| Some((node.file, self.value(node)?)));
        let Some((file, value)) = value else {
            return Vec::new();
        };
        let mut examples = Vec::new();
        for member in value.children() {
            match member.key() {
                Some("example" | "x-example" | "default") => {
                    examples.push(NodeId::of(file, member));
                }
                Some("examples") => {
                    examples.extend(member.children().map(|value| NodeId::of(file, value)));
                }
                _ => {}
            }
        }
        examples
    }

    /// The code samples of an operation: strings.
    pub fn code_samples(&self, operation: &DescribedOperation) -> Vec<NodeId> {
        let value = self.value(operation.node).into_iter();
        let samples = value.flat_map(|value| {
            let keys = ["x-codeSamples", "x-code-samples"].into_iter();
            keys.flat_map(move |key| value.children_of(key))
        });
        let sources = samples.filter_map(|sample| sample.get("source"));
        sources
            .filter(|source| source.kind() == ValueKind::String)
            .map(|source| NodeId::of(operation.node.file, source))
            .collect()
    }
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
    let node = library.follow(entry).1?;
    let holder = library.file(node.file)?;
    let object = holder.document.node(node.value);
    let value = object.get("value").or_else(|| object.get("dataValue"))?;
    Some(NodeId::of(node.file, value))
}
