//! Insomnia's exports: v4 and earlier, a list of resources in JSON or YAML, and v5, a tree in YAML. Insomnia's source defines both
//! (`packages/insomnia/src/common/import-v5-parser.ts` and `importers/insomnia-4`).
//!
//! Neither contains responses.

use super::client_reader::ClientReader;
use crate::documents;
use crate::file_head::{FileHead, contains, lines_of};
use sundown_exchange::RecordSink;
use sundown_text_json::Limits;
use sundown_text_json::json::Node;
use sundown_text_json::text::Block;

/// The end of the type of a v5 file, before its version.
const V5: &[u8] = b".insomnia.rest/5";

/// Recognises a v4 export.
pub(crate) fn sniff_v4(head: &FileHead<'_>) -> bool {
    head.has("resources", b'[') && head.has("_type", b'"') && head.contains(b"\"__export_format\"")
        || is_v4_yaml(head.bytes)
}

fn is_v4_yaml(bytes: &[u8]) -> bool {
    let marks = [&b"_type: export"[..], b"__export_format:"];
    // The lists and objects of an export may also be written in lines.
    marks.iter().all(|mark| {
        first_lines(bytes)
            .any(|line| line.starts_with(mark) || line.starts_with(b"{") && contains(line, mark))
    })
}

/// Recognises a v5 file by the type on its first line.
pub(crate) fn sniff_v5(head: &FileHead<'_>) -> bool {
    first_lines(head.bytes)
        .find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"))
        .is_some_and(|line| line.starts_with(b"type:") && contains(line, V5))
}

fn first_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    lines_of(bytes)
        .take(16)
        .map(|line| line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line))
}

/// Reads a v4 export.
pub(crate) fn read_v4(file: Block<'_>, limits: Limits, sink: &mut dyn RecordSink) {
    let held = if is_v4_yaml(file.bytes) {
        documents::yaml(file, limits, sink)
    } else {
        documents::json(file, limits, sink)
    };
    ClientReader::read(held, sink, |reading, root| {
        let of_type = |name| {
            let resources = root.children_of("resources");
            resources.filter(move |one| one.text_of("_type") == Some(name))
        };
        for resource in of_type("environment") {
            reading.define(resource.get("data"), "");
        }
        for resource in of_type("request_group") {
            reading.define(resource.get("environment"), "");
        }
        for resource in of_type("request") {
            reading.request(resource, None);
        }
    });
}

/// Reads a v5 file.
pub(crate) fn read_v5(file: Block<'_>, limits: Limits, sink: &mut dyn RecordSink) {
    ClientReader::read(
        documents::yaml(file, limits, sink),
        sink,
        |reading, root| {
            if let Some(base) = root.get("environments") {
                reading.define(base.get("data"), "");
                for environment in base.children_of("subEnvironments") {
                    reading.define(environment.get("data"), "");
                }
            }
            if let Some(collection) = root.get("collection") {
                folder(reading, collection);
            }
        },
    );
}

fn folder(reading: &mut ClientReader<'_, '_>, folder: Node<'_>) {
    for item in folder.children() {
        reading.define(item.get("environment"), "");
        // No deeper than the document nests.
        match item.get("children") {
            Some(children) => self::folder(reading, children),
            None => reading.request(item, None),
        }
    }
}
