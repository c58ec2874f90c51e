//! Requests in OpenCollection's YAML, as Bruno writes them since version 3: <https://docs.usebruno.com/opencollection-yaml/overview>.
//!
//! A file has one request with its examples, or as a bundle a list of requests and folders.

use super::client_reader::ClientReader;
use crate::documents;
use crate::file_head::{contains, lines_of, top_level_key};
use sundown_exchange::RecordSink;
use sundown_text_json::Limits;
use sundown_text_json::json::Node;
use sundown_text_json::text::Block;

/// Recognises the keys of a request, or of a bundle.
pub(super) fn sniff(file: &[u8]) -> bool {
    begins_with_key(file)
        && has_line(file, "info:")
        && (has_line(file, "http:") && has_line(file, "  url:")
            || has_line(file, "opencollection:") && has_line(file, "items:"))
}

/// Whether a line begins with this text.
fn has_line(file: &[u8], start: &str) -> bool {
    file.starts_with(start.as_bytes()) || contains(file, format!("\n{start}").as_bytes())
}

/// Whether the first line with content has a key of its own or begins a document: source code may have a whole file in a string.
fn begins_with_key(file: &[u8]) -> bool {
    let first = lines_of(file)
        .find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"))
        .unwrap_or_default();
    first.starts_with(b"---")
        || top_level_key(first).is_some_and(|(key, _)| key.iter().all(u8::is_ascii_alphanumeric))
}

/// Reads a file.
pub(super) fn read(file: Block<'_>, limits: Limits, sink: &mut dyn RecordSink) {
    ClientReader::read(documents::yaml(file, limits, sink), sink, |reader, root| {
        let environments = root.get("config").into_iter();
        for environment in environments.flat_map(|config| config.children_of("environments")) {
            reader.define_list(environment.get("variables"));
        }
        item(reader, root);
    });
}

/// Reads a request, or the items of a folder.
fn item(reader: &mut ClientReader<'_, '_>, item: Node<'_>) {
    for holder in ["request", "runtime"] {
        reader.define_list(item.get(holder).and_then(|holder| holder.get("variables")));
    }
    // No deeper than the document nests.
    for inner in item.children_of("items") {
        self::item(reader, inner);
    }
    if let Some(request) = item.get("http") {
        reader.request(request, None);
    } else if item.get("items").is_none() {
        reader.nothing(item);
    }
    for example in item.children_of("examples") {
        if let Some(request) = example.get("request") {
            reader.request(request, example.get("response"));
        }
    }
}
