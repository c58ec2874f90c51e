//! Records in documents of YAML: the test cases and mocks of Keploy, the contracts of Spring Cloud Contract, and others with a `request` and a
//! `response`. They are read as JSON, in the shapes of records in JSON.

use std::sync::Arc;

use crate::chunks::ReadOptions;
use crate::documents;
use crate::file_head::{FileHead, contains};
use crate::messages::{DecodedText, DecodedTexts};
use crate::records;
use crate::shapes::Logs;
use sundown_exchange::{Exchange, MaxExpansion, Reason, RecordSink, Side, Skip};
use sundown_text_json::json::{Document, DocumentFormat, Node, ValueKind, valid_prefix};
use sundown_text_json::text::{Block, Span};

/// Recognises a file by the records of its documents.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    contains(head.bytes, b"method:")
        && documents::yaml_documents(head.bytes, head.start)
            .iter()
            .any(|document| has_record(document.slice(head.bytes)))
}

/// Whether a document, or the first element of its list, is a record by its keys, or a call; or one is in a list that a key of it names.
fn has_record(document: &[u8]) -> bool {
    // The end of the known part may be in a line.
    let whole = memchr::memrchr(b'\n', document).map_or(document.len(), |feed| feed + 1);
    let (text, _) = valid_prefix(document.get(..whole).unwrap_or_default());
    let Some(document) = documents::whole_yaml(text) else {
        return false;
    };
    let root = document.root();
    let first = root.element(0).unwrap_or(root);
    let kind = |name| first.get(name).map(Node::kind);
    let object = Some(ValueKind::Object);
    // A call that failed has no response.
    let is_answered = matches!(kind("response"), Some(ValueKind::Object | ValueKind::Null));
    let is_call = |node| records::is_surely_call(node, &Logs::default());
    kind("request") == object && is_answered
        || first.text_of("kind") == Some("Http") && kind("spec") == object
        || is_call(first)
        || (root.children().filter_map(|list| list.element(0)))
            .any(|one| is_call(one) || one.children().any(is_call))
}

/// Reads the records of a file.
pub(super) fn read(file: Block<'_>, options: &ReadOptions<'_>, sink: &mut dyn RecordSink) {
    let mut index = 0;
    for span in documents::yaml_documents(file.bytes, file.text_start()) {
        read_document(file.bytes, span, options, &mut |part| {
            records::emit_part(part, index, sink);
            index += 1;
        });
    }
}

/// Reads the records of one document.
fn read_document(
    file: &[u8],
    span: Span,
    options: &ReadOptions<'_>,
    emit: &mut dyn FnMut(Result<Exchange<'_>, Skip>),
) {
    let limits = options.limits;
    let (text, fault) = valid_prefix(span.slice(file));
    if fault.is_some_and(|fault| !fault.leaves_prefix_whole() || span.end != file.len()) {
        return emit(Err(Skip::at(Reason::InvalidUtf8, span)));
    }
    let parsed = match Document::parse_within(text, DocumentFormat::Yaml, limits) {
        Ok(parsed) => parsed,
        Err(error) => {
            let reason = if span.end == file.len() {
                documents::reason_at_end(text, &error, limits)
            } else {
                documents::reason(&error)
            };
            return emit(Err(documents::skip_of(reason, &error, span)));
        }
    };
    let most = MaxExpansion::of(span.len(), limits);
    let Some(json) = parsed.root().to_json_text(span.start, most.bytes()) else {
        return emit(Err(Skip::at(Reason::ExpandsTooFar, span)));
    };
    let texts = DecodedTexts::default();
    let source = DecodedText {
        text: std::str::from_utf8(&json.bytes).unwrap_or_default(),
        whole: span,
        map: Arc::new(json.map).into(),
    };
    let mut parts = records::parts_in_text(&source, options.logs, &texts);
    // The tools that write such files end each line.
    if span.end == file.len() && !text.ends_with('\n') {
        let end = span.start + text.len();
        for exchange in parts.iter_mut().flatten() {
            // What is cut is reported once.
            exchange.extent = None;
            for side in Side::BOTH {
                let body = exchange.message(side).raw_body();
                if body.is_some_and(|body| exchange.outer(body.span).end >= end) {
                    exchange.message_mut(side).set_body(None);
                }
            }
        }
        parts.push(Err(Skip::at(
            Reason::Truncated,
            Span::new(file.len(), file.len()),
        )));
    }
    parts.into_iter().for_each(emit);
}
