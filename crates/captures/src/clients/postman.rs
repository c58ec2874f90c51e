//! Postman collections, v1 (a list of requests), v2.0 and v2.1: <https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html>.
//!
//! The JSON report of a run (Newman) has the calls that were made beside the collection. Folders nest. A request may be just its URL, and a URL a text or its parts. A saved response is an exchange of its
//! own, with the request that it answered.

use super::client_reader::ClientReader;
use crate::file_head::FileHead;
use crate::{documents, pieces};
use sundown_exchange::{Exchange, Message, RecordSink};
use sundown_text_json::Limits;
use sundown_text_json::json::{Node, ValueKind, scan};
use sundown_text_json::text::Block;

/// The members with the body of a request in version 1.
const BODIES_OF_V1: [&str; 2] = ["\"dataMode\"", "\"rawModeData\""];

/// Recognises a collection, also in the wrapper of Postman's own API. The member that identifies it may be last, and
/// cut off.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    let is_collection = head.has("info", b'{') && head.has("item", b'[');
    (is_collection || head.has("collection", b'{') && head.contains("\"item\""))
        && (head.contains("postman.com/") || head.contains("\"_postman_id\""))
        || head.has("requests", b'[') && BODIES_OF_V1.iter().any(|name| head.contains(name))
        || is_beginning(head)
}

/// Recognises the beginning of a collection: a list of requests or folders.
fn is_beginning(head: &FileHead<'_>) -> bool {
    let Some(open) = head.at("item", b'[') else {
        return false;
    };
    let first = scan::skip_whitespace(head.bytes, open + 1);
    ["request", "item"]
        .iter()
        .any(|key| head.member(first, key).is_some())
        && scan::value(head.bytes, head.start).is_err()
}

pub(crate) fn read(file: Block<'_>, limits: Limits, sink: &mut dyn RecordSink) {
    let held = documents::json(file, limits, sink);
    ClientReader::read(held, sink, |reader, root| {
        let collection = root.get("collection").unwrap_or(root);
        for variables in ["variable", "variables"] {
            reader.define_list(collection.get(variables));
        }
        // The report of a run has the collection beside what was sent and received.
        let run = root.get("run");
        if let Some(executions) = run.and_then(|run| run.get("executions")) {
            for execution in executions.children() {
                self::execution(reader, execution);
            }
            return;
        }
        items(reader, collection);
        // Version 1 has folders apart.
        for request in collection.children_of("requests") {
            item(reader, request, request);
        }
    });
}

/// Reads the requests of a folder, and the folders in it. The nesting limit of documents bounds the recursion.
fn items(reader: &mut ClientReader<'_, '_>, folder: Node<'_>) {
    for inner in folder.children_of("item") {
        match inner.get("request") {
            Some(request) => item(reader, inner, request),
            None if inner.get("item").is_some() => items(reader, inner),
            None => reader.nothing(inner),
        }
    }
}

fn item(reader: &mut ClientReader<'_, '_>, item: Node<'_>, request: Node<'_>) {
    let Some((call, sent)) = reader.call(request) else {
        return reader.nothing(item);
    };
    let exchange = Exchange {
        call: call.clone(),
        request: sent,
        ..Exchange::default()
    };
    reader.emit(exchange, request);
    let lists = ["response", "responses"].into_iter();
    for answer in lists.flat_map(|name| item.children_of(name)) {
        let answered = answer.get("originalRequest").or_else(|| {
            answer
                .get("request")
                .filter(|request| request.kind() == ValueKind::Object)
        });
        let (call, request) = answered
            .and_then(|request| reader.call(request))
            .unwrap_or_else(|| (call.clone(), Message::default()));
        let response = reader.message(answer);
        let exchange = Exchange {
            call,
            request,
            response,
            ..Exchange::default()
        };
        reader.emit(exchange, answer);
    }
}

/// Reads a call that was made in a run.
fn execution(reader: &mut ClientReader<'_, '_>, execution: Node<'_>) {
    let request = execution.get("request");
    let Some((call, request)) = request.and_then(|request| reader.call(request)) else {
        return reader.nothing(execution);
    };
    let answer = execution.get("response");
    let status = answer.and_then(|answer| pieces::status_of(answer.get("code")?));
    let response = answer.map(|answer| reader.message(answer));
    let exchange = Exchange {
        call,
        status: status.into(),
        request,
        response: response.unwrap_or_default(),
        ..Exchange::default()
    };
    reader.emit(exchange, execution);
}
