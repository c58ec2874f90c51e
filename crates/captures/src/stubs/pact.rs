//! Contracts of Pact, versions 1 to 4 of its specification: <https://github.com/pact-foundation/pact-specification>.
//!
//! The requests and responses of a contract are examples, which matching rules next to them relax. They are read as
//! messages that are sent, in the shape of `shapes/pact.toml`.

use std::sync::Arc;

use crate::chunks::RecordList;
use crate::file_head::FileHead;
use crate::records::Parts;
use crate::shapes::Logs;
use sundown_exchange::{Exchange, Lazy, Reason, RecordPlace, RecordSink, RecordedOrigin, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::{Node, scan, string};
use sundown_text_json::text::Block;

/// The lists of a contract. Since version 3, a contract may have messages only.
const LISTS: [&str; 2] = ["interactions", "messages"];

/// Recognises a contract by its consumer and provider, which may be last and cut off.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    head.has("consumer", b'{')
        && LISTS.iter().any(|list| head.has(list, b'['))
        && (head.has("provider", b'{') || scan::value(head.bytes, head.start).is_err())
}

pub(crate) fn read(file: Block<'_>, limits: Limits, sink: &mut dyn RecordSink) {
    let head = FileHead::of(file);
    let list = LISTS
        .into_iter()
        .find(|list| head.has(list, b'['))
        .unwrap_or("interactions");
    let origin = consumer(&head).map_or_else(RecordedOrigin::default, RecordedOrigin::of_consumer);
    let list = RecordList {
        path: &[list],
        is_record: |interaction, _, _| {
            interaction.get("description").is_some()
                && ["request", "contents"]
                    .iter()
                    .any(|name| interaction.get(name).is_some())
        },
        empty: ["a contract without a list of interactions", ""],
    };
    list.read(
        file,
        limits,
        &|interaction, place| record(interaction, &origin, place),
        sink,
    );
}

/// The name of the consumer, which a contract that is cut off may lack.
fn consumer(head: &FileHead<'_>) -> Option<Arc<str>> {
    let open = head.at("consumer", b'{')?;
    let name = scan::value(head.bytes, head.member(open, "name")?).ok()?;
    let is_text = head.bytes.get(name.start) == Some(&b'"');
    is_text.then(|| string::decode_bytes(head.bytes, name).into())
}

fn record<'a>(
    interaction: Node<'_>,
    origin: &RecordedOrigin<'a>,
    place: RecordPlace<'a>,
) -> Parts<'a> {
    let kind = interaction.text_of("type");
    let is_message = kind.is_some_and(|kind| kind.ends_with("/Messages"))
        || interaction.get("request").is_none() && interaction.get("contents").is_some();
    if is_message {
        let by_plugin = interaction
            .get("pluginConfiguration")
            .is_some_and(|plugins| plugins.children().len() > 0);
        let skip = Skip::at(Reason::Message, place.span_of(interaction));
        return vec![Err(if by_plugin {
            skip.because("its content is made by a plugin")
        } else {
            skip
        })];
    }
    let logs = Logs::default();
    let found = logs.compiled().find(interaction);
    let located = found.locate(interaction, &logs);
    let exchange = located.and_then(|located| located.build(place));
    let expected = exchange.map(|exchange| {
        Ok(Exchange {
            origin: origin.clone(),
            // What a consumer expects is no evidence of what the service does.
            status: Lazy::default(),
            ..exchange
        })
    });
    expected.into_iter().collect()
}
