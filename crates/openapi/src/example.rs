//! Finds the examples of an element.

use super::library::Library;
use super::operation::{DescribedExample, ExampleKeyword};
use super::{FileId, NodeId};
use sundown_text_json::json::{Node, ValueKind};

/// The examples in a schema object.
pub(super) fn of_schema(file: FileId, schema: Node<'_>) -> Vec<DescribedExample> {
    let mut examples = Vec::new();
    for member in schema.children() {
        let keyword = match member.key() {
            Some("example" | "x-example") => ExampleKeyword::Example,
            Some("default") => ExampleKeyword::Default,
            Some("examples") => {
                let values = member.children();
                examples.extend(values.map(|value| example(file, value, ExampleKeyword::Examples)));
                continue;
            }
            _ => continue,
        };
        examples.push(example(file, member, keyword));
    }
    examples
}

/// The examples of a media type, a parameter or a header; references are followed.
pub(super) fn of_media(
    library: &mut Library<'_>,
    file: FileId,
    holder: Node<'_>,
) -> Vec<DescribedExample> {
    let mut examples = Vec::new();
    for member in holder.children() {
        match member.key() {
            Some("example" | "x-example") => {
                examples.push(example(file, member, ExampleKeyword::Example));
            }
            Some("default") => examples.push(example(file, member, ExampleKeyword::Default)),
            Some("examples" | "x-examples") => {
                for entry in member.children() {
                    examples.extend(entry_of(library, file, entry));
                }
            }
            _ => {}
        }
    }
    examples
}

/// The value of an example object or of a reference to one. An `externalValue` is not read.
fn entry_of(library: &mut Library<'_>, file: FileId, entry: Node<'_>) -> Option<DescribedExample> {
    let node = library
        .follow(NodeId {
            file,
            value: entry.index(),
        })
        .end?;
    let holder = library.file(node.file)?;
    let object = holder.document.node(node.value);
    let value = ["value", "dataValue"]
        .into_iter()
        .find_map(|key| object.get(key))?;
    Some(example(node.file, value, ExampleKeyword::Examples))
}

/// The examples of a Swagger 2.0 response for a media type.
pub(super) fn of_response(
    file: FileId,
    response: Node<'_>,
    media_type: &str,
) -> Vec<DescribedExample> {
    response
        .get("examples")
        .and_then(|examples| examples.get(media_type))
        .map(|value| example(file, value, ExampleKeyword::Examples))
        .into_iter()
        .collect()
}

/// The code samples of an operation.
pub(super) fn code_samples(file: FileId, operation: Node<'_>) -> Vec<DescribedExample> {
    let samples = ["x-codeSamples", "x-code-samples"]
        .into_iter()
        .filter_map(|key| operation.get(key))
        .flat_map(Node::children);
    let texts = samples
        .filter_map(|sample| match sample.kind() {
            ValueKind::Object => sample.get("source"),
            _ => None,
        })
        .filter(|source| source.kind() == ValueKind::String);
    texts
        .map(|source| example(file, source, ExampleKeyword::CodeSample))
        .collect()
}

fn example(file: FileId, value: Node<'_>, keyword: ExampleKeyword) -> DescribedExample {
    DescribedExample {
        file,
        value: value.index(),
        keyword,
    }
}
