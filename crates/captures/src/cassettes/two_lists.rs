//! Cassettes of vcrpy in YAML whose serializer keeps requests and responses in two lists, as that of LangChain's tests does.

use super::recorder::Recorder;
use crate::Limits;
use crate::file_head::FileHead;
use crate::parsed_document::ParsedDocument;
use crate::yaml;
use sundown_exchange::{Exchange, Reason, Record, RecordSink, Skip};
use sundown_text_json::text::Block;

/// Returns whether a file begins with a list of requests that have a `uri`.
pub(super) fn has_two_lists(head: &FileHead<'_>) -> bool {
    let text = head.bytes.get(head.start..).unwrap_or_default();
    let Some(list) = text
        .strip_prefix(b"---\n")
        .unwrap_or(text)
        .strip_prefix(b"requests:\n- ")
    else {
        return false;
    };
    let first = list
        .get(..memchr::memmem::find(list, b"\n- ").unwrap_or(list.len()))
        .unwrap_or_default();
    [&b"uri:"[..], b"method:"].iter().all(|key| {
        first
            .split(|&byte| byte == b'\n')
            .any(|line| line.trim_ascii_start().starts_with(key))
    })
}

/// Reads each request with the response of the same number.
pub(super) fn read<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    let Some(ParsedDocument {
        document, place, ..
    }) = yaml::read(file, limits, sink)
    else {
        return;
    };
    let root = document.root();
    let list = |name| root.children_of(name);
    let mut responses = list("responses");
    for (index, request) in list("requests").enumerate() {
        let exchange = Recorder::Vcrpy.exchange_of(request, responses.next(), place, limits);
        sink.record(match exchange {
            Some(exchange) => Record::Exchange(Exchange { index, ..exchange }),
            None => Record::Skip(Skip::at(Reason::NoExchange, place.span(request.span()))),
        });
    }
}
