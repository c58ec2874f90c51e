//! Cassettes in JSON, as vcrpy, VCR and betamax write them.

use super::recorder::{CassetteReader, Recorder};
use crate::file_head::FileHead;
use crate::items::{self, Shape, member};
use sundown_text_json::json::{Node, scan, string};
use sundown_text_json::text::Block;

/// Identifies the recorder by the list's key and the first interaction's key for the URL.
pub(super) fn recorder(look: &FileHead<'_>) -> Option<Recorder> {
    if let Some(open) = look.at("http_interactions", b'[') {
        return first_request(look.bytes, open)
            .is_none_or(|keys| keys.contains(&"uri".into()))
            .then_some(Recorder::Vcr);
    }
    let keys = first_request(look.bytes, look.at("interactions", b'[')?)?;
    [Recorder::Vcrpy, Recorder::GoVcr]
        .into_iter()
        .find(|recorder| keys.iter().any(|key| key == recorder.url()))
}

/// The keys of the first interaction's request.
fn first_request(bytes: &[u8], open: usize) -> Option<Vec<String>> {
    let first = scan::skip_whitespace(bytes, open + 1);
    let request = member(bytes, first, "request")?;
    let keys = scan::keys(bytes, request);
    let keys = keys.map(|(key, _)| string::decode_bytes(bytes, key).into_owned());
    Some(keys.collect())
}

pub(super) fn read<'a>(cassette: &mut CassetteReader<'_, 'a>, file: Block<'a>) {
    let recorder = cassette.recorder;
    let shape = Shape {
        path: &[recorder.list()],
        is_item: &|node: Node<'_>| {
            node.get("request")
                .is_some_and(|request| request.get(recorder.url()).is_some())
        },
    };
    let limits = cassette.limits;
    items::read(
        file,
        shape,
        limits,
        &|item, place| recorder.record(item, place, limits),
        cassette.sink,
    );
}
