//! WireMock stub mappings: <https://wiremock.org/docs/stubbing/> and its JSON Schema of a stub mapping.
//!
//! A mapping says which request it answers, and how. Its request is a pattern; where a pattern is a body that must be equal
//! to, or contain, some JSON, that is what a client sends.

use super::formats::Look;
use super::pieces::{self, Held, Place};
use super::{Intake, Limits, Record};
use crate::document::{Kind, Value};
use crate::exchange::{Call, Exchange, Message, Method, Reason, Skip};
use crate::source::Block;

/// The keys under which a request says what is called, from the most exact.
const URLS: [&str; 5] = ["url", "urlPath", "urlPathTemplate", "urlPattern", "urlPathPattern"];

/// A mapping, or a file of them; what else has a `request` and a `response` says its URL otherwise.
pub(super) fn is(look: &Look<'_>) -> bool {
    if look.has("mappings", b'[') {
        return memchr::memmem::find(look.bytes, b"\"request\"").is_some();
    }
    let named =
        |key: &str| memchr::memmem::find(look.bytes, format!("\"{key}\"").as_bytes()).is_some();
    let answers =
        ["jsonBody", "bodyFileName", "base64Body", "fixedDelayMilliseconds", "proxyBaseUrl"];
    look.has("request", b'{')
        && look.has("response", b'{')
        && (URLS.iter().skip(1).any(|key| named(key)) || answers.iter().any(|key| named(key)))
}

pub(super) fn read<'a>(file: Block<'a>, limits: Limits, intake: &mut dyn Intake<'a>) {
    let Some(Held { document, place }) = pieces::json(file, limits, intake) else { return };
    let root = document.root();
    let mappings: Vec<Value<'_>> = match root.get("mappings") {
        Some(list) => list.children().collect(),
        None => vec![root],
    };
    for (index, mapping) in mappings.into_iter().enumerate() {
        intake.record(match exchange(mapping, place) {
            Some(exchange) => Record::Exchange(Exchange { index, ..exchange }),
            None => Record::Skip(Skip::at(Reason::NoExchange, place.span(mapping.span()))),
        });
    }
}

fn exchange<'a>(mapping: Value<'_>, place: Place<'a>) -> Option<Exchange<'a>> {
    let request = mapping.get("request")?;
    let url = URLS.iter().find_map(|key| request.get(key).filter(|url| url.text().is_some()))?;
    // `ANY` is WireMock's word for every method.
    let method = request.get("method").and_then(Value::text);
    let method = method.filter(|method| *method != "ANY").and_then(Method::parse);
    let target = pieces::target(url.text()?);
    let sent = request.get("bodyPatterns").into_iter().flat_map(Value::children);
    let sent = sent.into_iter().find_map(|pattern| pattern.get("equalToJson"));
    Some(Exchange {
        index: 0,
        call: Call { method, target, url_span: Some(place.span(url.span())) },
        started: None,
        request: Message {
            headers: request.get("headers").map(|all| place.header_names(all)).unwrap_or_default(),
            signals: Vec::new(),
            body: sent.and_then(|body| place.body(body)),
            unread: None,
        },
        response: mapping.get("response").map(|answer| response(answer, place)).unwrap_or_default(),
    })
}

fn response<'a>(response: Value<'_>, place: Place<'a>) -> Message<'a> {
    let headers = response.get("headers");
    let body = if let Some(json) = response.get("jsonBody") {
        place.body(json)
    } else if let Some(text) = response.get("body").filter(|body| body.kind() == Kind::String) {
        place.body(text)
    } else {
        response.get("base64Body").and_then(|body| place.base64(body))
    };
    let media_type = headers.and_then(pieces::media_type);
    Message {
        headers: headers.map(|all| place.header_names(all)).unwrap_or_default(),
        signals: headers.map(|all| place.signals(all)).unwrap_or_default(),
        body: body.map(|mut body| {
            body.media_type = media_type;
            body
        }),
        unread: None,
    }
}
