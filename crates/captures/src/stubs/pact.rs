//! Contracts of Pact, versions 1 to 4 of its specification: <https://github.com/pact-foundation/pact-specification>.
//!
//! The requests and responses of a contract are examples, which matching rules next to them relax. They are read as
//! messages that are sent.

use std::sync::Arc;

use super::pattern::query_parameters;
use crate::Limits;
use crate::body_content::BodyContent;
use crate::body_form;
use crate::file_head::FileHead;
use crate::items::{self, Shape};
use crate::records::Parts;
use crate::spec::{
    FormatFamily, FormatReader, FormatSpec, Keeps, MarkSign, Recognition, distinctive,
};
use sundown_exchange::HeaderFields;
use sundown_exchange::RecordPlace;
use sundown_exchange::bare_media_type;
use sundown_exchange::{
    Call, Exchange, Message, Method, Reason, RecordSink, RecordedOrigin, Skip, Target,
};
use sundown_text_json::json::{Node, scan, string};
use sundown_text_json::text::Block;

/// Pact contracts (versions 1 to 4).
pub(crate) const PACT: FormatSpec = FormatSpec {
    name: "pact",
    title: "Pact contracts (versions 1 to 4)",
    family: FormatFamily::Stubs,
    recognised: "objects `consumer` and `provider`, and a list `interactions` or `messages`, at the top",
    recognition: Recognition::Sniff(sniff),
    reader: FormatReader::Records(read),
    keeps: Keeps::Exchanges,
    reads: "each interaction over HTTP, with its example bodies, in JSON, as text or in base64, and the consumer",
    limits: "Bodies are checked as the examples that they are, whatever else the matching rules allow. Messages belong to no operation; they are reported as not checked.",
    is_binary: false,
    endings: &["json"],
    marks: &[
        distinctive(MarkSign::Object("consumer"), "object `consumer` at the top"),
        distinctive(MarkSign::Object("provider"), "object `provider` at the top"),
        distinctive(
            MarkSign::List("interactions"),
            "list `interactions` at the top",
        ),
    ],
    sample: "captures/contracts/pact/client-service-v4.json",
};

/// The lists of a contract. Since version 3, a contract may have messages only.
const LISTS: [&str; 2] = ["interactions", "messages"];

/// Recognises a contract by its consumer and provider, which may be last and cut off.
fn sniff(head: &FileHead<'_>) -> bool {
    head.has("consumer", b'{')
        && LISTS.iter().any(|list| head.has(list, b'['))
        && (head.has("provider", b'{') || scan::value(head.bytes, head.start).is_err())
}

fn read<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    let start = file.text_start();
    let head = FileHead::new(file.bytes, scan::skip_whitespace(file.bytes, start));
    let list = LISTS
        .into_iter()
        .find(|list| head.has(list, b'['))
        .unwrap_or("interactions");
    let form = head
        .at(list, b'[')
        .map_or(PactBodyForm::Unknown, |open| form(file.bytes, open));
    let origin = consumer(&head).map_or_else(RecordedOrigin::default, RecordedOrigin::of_consumer);
    let shape = Shape {
        path: &[list],
        is_item: &|node: Node<'_>| {
            node.get("description").is_some()
                && (node.get("request").is_some() || node.get("contents").is_some())
        },
    };
    items::read(
        file,
        shape,
        limits,
        &|interaction, place| record(interaction, form, &origin, place),
        sink,
    );
}

/// The name of the consumer, which a contract that is cut off may lack.
fn consumer(head: &FileHead<'_>) -> Option<Arc<str>> {
    let open = head.at("consumer", b'{')?;
    let name = scan::value(head.bytes, items::member(head.bytes, open, "name")?).ok()?;
    let is_text = head.bytes.get(name.start) == Some(&b'"');
    is_text.then(|| string::decode_bytes(head.bytes, name).into())
}

/// Finds the form of bodies in a contract, by the first complete interaction of its list.
fn form(bytes: &[u8], open: usize) -> PactBodyForm {
    match scan::elements(bytes, open).next() {
        Some(Ok(first)) if items::member(bytes, first.start, "type").is_some() => {
            PactBodyForm::Described
        }
        Some(Ok(_)) => PactBodyForm::Plain,
        _ => PactBodyForm::Unknown,
    }
}

fn record<'a>(
    interaction: Node<'_>,
    form: PactBodyForm,
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
        let skip = Skip::at(Reason::Message, place.span(interaction.span()));
        let by_plugin = by_plugin.then(|| "its content is made by a plugin".to_owned());
        return vec![Err(Skip {
            detail: by_plugin,
            ..skip
        })];
    }
    let exchange = exchange(interaction, form, place).map(|exchange| {
        Ok(Exchange {
            origin: origin.clone(),
            ..exchange
        })
    });
    exchange.into_iter().collect()
}

fn exchange<'a>(
    interaction: Node<'_>,
    form: PactBodyForm,
    place: RecordPlace<'a>,
) -> Option<Exchange<'a>> {
    let request = interaction.get("request")?;
    let path = request.get("path").filter(|path| path.text().is_some())?;
    let mut target = Target::parse(path.text()?).into_owned();
    target
        .parameters
        .extend(request.get("query").into_iter().flat_map(query_parameters));
    let answer = interaction.get("response");
    Some(Exchange {
        index: 0,
        call: Call::new(
            request.text_of("method").and_then(Method::parse),
            target,
            Some(place.span(path.span())),
        ),
        request: message(request, form, place),
        response: answer
            .map(|answer| message(answer, form, place))
            .unwrap_or_default(),
        ..Exchange::default()
    })
}

/// The form of a body in a contract.
#[derive(Clone, Copy)]
enum PactBodyForm {
    /// As JSON, or as a text.
    Plain,
    /// Since version 4: an object that describes its form.
    Described,
    /// The contract is cut off before that is known: each body is judged by its shape.
    Unknown,
}

fn message<'a>(message: Node<'_>, form: PactBodyForm, place: RecordPlace<'a>) -> Message<'a> {
    let mut fields = message
        .get("headers")
        .map(|all| HeaderFields::of(all, place))
        .unwrap_or_default();
    let Some(body) = message.get("body") else {
        return BodyContent::Nothing.into_message(fields);
    };
    let (content, encoded) = match form {
        PactBodyForm::Unknown if !looks_described(body) => (Some(body), None),
        PactBodyForm::Plain => (Some(body), None),
        PactBodyForm::Described | PactBodyForm::Unknown => {
            let media_type = body.text_of("contentType");
            fields.media_type = fields
                .media_type
                .or_else(|| media_type.and_then(bare_media_type));
            (body.get("content"), body.get("encoded"))
        }
    };
    let is_base64 = encoded.is_some_and(|encoded| {
        encoded.as_bool() == Some(true)
            || encoded
                .text()
                .is_some_and(|text| text.eq_ignore_ascii_case("base64"))
    });
    let content = match content {
        None => BodyContent::Nothing,
        Some(text) if is_base64 => BodyContent::of_base64(text, place),
        Some(value) => body_form::body(value, place).into(),
    };
    content.into_message(fields)
}

/// Returns whether a body is an object that describes its form.
fn looks_described(body: Node<'_>) -> bool {
    let known = ["content", "contentType", "contentTypeHint", "encoded"];
    body.children().len() > 0
        && body
            .children()
            .all(|member| member.key().is_some_and(|key| known.contains(&key)))
}
