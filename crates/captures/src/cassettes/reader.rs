//! Recognises and reads cassettes: those in JSON, those of two lists, and by way of `yaml`, all others.

use super::items;
use super::yaml::CassetteReader;
use crate::chunks::RecordList;
use crate::documents::{self, ParsedDocument};
use crate::file_head::FileHead;
use crate::records::parts_of_interaction;
use crate::shapes::{LogShape, Piece, RECORDERS};
use sundown_exchange::RecordSink;
use sundown_text_json::Limits;
use sundown_text_json::json::{Node, scan, string};
use sundown_text_json::text::Block;

/// The shape of cassettes with a list of requests and one of responses.
const TWO_LISTS: &str = "vcrpy-lists";

/// The shape of this name.
fn recorder(name: &str) -> Option<&'static LogShape> {
    RECORDERS.iter().find(|shape| shape.name == name)
}

impl LogShape {
    /// The key of the list of interactions.
    pub(super) fn list(&self) -> &str {
        let path = self.records.first().map_or("", String::as_str);
        path.trim_matches(['/', '*'])
    }

    /// The name of the URL.
    fn url(&self) -> &str {
        self.names(Piece::Url).first().map_or("", String::as_str)
    }

    /// Whether a value is an interaction of the recorder.
    pub(super) fn has_call(&self, value: Node<'_>) -> bool {
        self.url().split('.').try_fold(value, Node::get).is_some()
    }
}

/// Whether a file is a cassette of this recorder, by the key of its list and the keys of the first request.
pub(crate) fn is_of(head: &FileHead<'_>, name: &str) -> bool {
    let has_two_lists = name == "vcrpy" && is_of(head, TWO_LISTS);
    has_two_lists
        || recorder(name).is_some_and(|recorder| {
            if head.begins_with(b'{') {
                is_of_in_json(head, recorder)
            } else {
                items::find(head.bytes, head.start, recorder.list())
                    .is_some_and(|list| list.is_of(head.bytes, recorder))
            }
        })
}

fn is_of_in_json(head: &FileHead<'_>, recorder: &LogShape) -> bool {
    let Some(open) = head.at(recorder.list(), b'[') else {
        return false;
    };
    let first = scan::skip_whitespace(head.bytes, open + 1);
    let Some(request) = head.member(first, "request") else {
        // The list of VCR has a name that nothing else has.
        return recorder.list().starts_with("http");
    };
    let url = recorder.url().trim_start_matches("request.");
    let mut keys = scan::keys(head.bytes, request);
    keys.any(|(key, _)| string::decode_bytes(head.bytes, key) == url)
}

/// Reads a cassette interaction by interaction, so that a broken one hides no other and a large cassette takes little memory.
pub(crate) fn read(file: Block<'_>, name: &str, limits: Limits, sink: &mut dyn RecordSink) {
    let head = FileHead::of(file);
    let has_two_lists = is_of(&head, TWO_LISTS);
    let Some(recorder) = recorder(if has_two_lists { TWO_LISTS } else { name }) else {
        return;
    };
    if head.begins_with(b'{') {
        let list = RecordList {
            path: &[recorder.list()],
            is_record: |item, _, _| RECORDERS.iter().any(|recorder| recorder.has_call(item)),
            empty: ["a cassette without its list", ""],
        };
        let make =
            |item: Node<'_>, place| parts_of_interaction(item, None, recorder, place, limits);
        return list.read(file, limits, &make, sink);
    }
    let mut cassette = CassetteReader {
        recorder,
        file: file.bytes,
        start: file.text_start(),
        limits,
        sink,
        margin: 0,
        shared: None,
    };
    if has_two_lists {
        read_two_lists(&mut cassette, file);
    } else {
        cassette.read();
    }
}

/// Reads each request with the response of the same number, as the serializer of LangChain's tests keeps them.
fn read_two_lists<'a>(cassette: &mut CassetteReader<'_, 'a>, file: Block<'a>) {
    let limits = cassette.limits;
    let Some(ParsedDocument {
        document, place, ..
    }) = documents::yaml(file, limits, cassette.sink)
    else {
        return;
    };
    let root = document.root();
    let mut responses = root.children_of("responses");
    for (index, request) in root.children_of(cassette.recorder.list()).enumerate() {
        // A response that is missing is none.
        let answer = Some(responses.next().unwrap_or(root));
        cassette.interaction(index, request, answer, place.start);
    }
}
