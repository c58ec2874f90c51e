//! One entry of an HTTP Archive (HAR 1.1 to 1.3) as its many producers really write it. Only what is needed is asked of it;
//! everything else may be missing, null or of the wrong type.

use super::fields;
use crate::document::{Kind, NodeRef, raw};
use crate::exchange::{
    Body, Call, Encoding, Exchange, Glimpse, Message, Method, Reason, Seen, Unread,
};

/// The exchange that an entry is, if it has a request with a URL.
pub(super) fn exchange<'a>(entry: NodeRef<'_>, place: fields::Place<'a>) -> Option<Exchange<'a>> {
    let request = entry.get("request")?;
    let url = request.get("url").filter(|url| url.kind() == Kind::String)?;
    let method =
        request.get("method").and_then(NodeRef::as_str).and_then(|method| Method::parse(&method));
    let response = entry.get("response");
    let mut target = fields::target(url, place)?;
    if target.host.is_none() {
        target.host = request.get("headers").and_then(fields::host);
    }
    if let Some(query) = request.get("queryString").filter(|_| target.parameters.is_empty()) {
        target.parameters = fields::parameters(query);
    }
    Some(Exchange {
        index: 0,
        call: Call { method, target, url_span: Some(url.span().shifted(place.start)) },
        started: entry.get("startedDateTime").and_then(fields::started),
        request: message(request, "postData", place),
        response: response.map(|response| message(response, "content", place)).unwrap_or_default(),
    })
}

/// The first look at the exchange that an entry is, whose header fields may have been left out; `None` where it takes
/// those, or more.
pub(super) fn glimpse<'a>(entry: NodeRef<'_>, place: fields::Place<'a>) -> Option<Glimpse<'a>> {
    let request = entry.get("request")?;
    let url = request.get("url").filter(|url| url.kind() == Kind::String)?;
    let method = request.get("method").and_then(NodeRef::as_str);
    let response = entry.get("response");
    let has_parts = |list: NodeRef<'_>| list.span().len() > 2;
    Some(Glimpse {
        bodiless: None,
        method: method.and_then(|method| Method::parse(&method)),
        url: raw::content(url.span().shifted(place.start).slice(place.file)),
        has_query_apart: request.get("queryString").is_some_and(has_parts),
        request: seen(request, "postData", place)?,
        response: response
            .map_or(Some(Seen::default()), |response| seen(response, "content", place))?,
        may_announce: fields::may_announce(response.and_then(|it| it.get("headers")), place),
    })
}

fn seen<'a>(message: NodeRef<'_>, holder: &str, place: fields::Place<'a>) -> Option<Seen<'a>> {
    let data = message.get(holder);
    // Without header fields it may be thought to be cut, and is then looked at more closely.
    let body = data.and_then(|data| body(data, &fields::Headers::default(), place));
    let is_sure = body.is_some()
        || data.is_none_or(|data| data.get("params").is_none() && size(data, "size") <= 0)
            && size(message, "bodySize") == 0;
    is_sure.then_some(Seen { body, is_unread: false })
}

/// A message, whose body stands in `postData` or `content`.
fn message<'a>(message: NodeRef<'_>, holder: &str, place: fields::Place<'a>) -> Message<'a> {
    let headers =
        message.get("headers").map(|list| fields::headers(list, place)).unwrap_or_default();
    let data = message.get(holder);
    let body = data.and_then(|data| body(data, &headers, place));
    let form = data
        .and_then(|data| data.get("params"))
        .filter(|parameters| parameters.children().next().is_some());
    let promised = data.map_or(0, |data| size(data, "size")) > 0
        || size(message, "bodySize") > 0
        || headers.promise_body && size(message, "bodySize") < 0;
    let unread = match form {
        _ if body.is_some() => None,
        // A form that was kept as its parameters only.
        Some(form) => Some((Reason::NotJson, form)),
        None => promised.then_some((Reason::BodyMissing, message)),
    };
    let unread =
        unread.map(|(reason, node)| Unread { reason, span: node.span().shifted(place.start) });
    Message { headers: headers.names, signals: headers.signals, body, unread }
}

/// The body as text, as base64, or, as some scripts write it, as JSON in place of text; an empty text is none.
fn body<'a>(
    data: NodeRef<'_>,
    headers: &fields::Headers<'_>,
    place: fields::Place<'a>,
) -> Option<Body<'a>> {
    let text = if data.kind() == Kind::Object {
        data.get("text").or_else(|| json_as_form(data))?
    } else {
        data
    };
    let empty = text.kind() == Kind::String && text.span().len() <= 2;
    if empty || !matches!(text.kind(), Kind::String | Kind::Object | Kind::Array) {
        return None;
    }
    let base64 = data
        .get("encoding")
        .and_then(NodeRef::as_str)
        .is_some_and(|name| name.eq_ignore_ascii_case("base64"));
    let mut body = fields::body(text, place);
    if base64 && body.encoding == Encoding::JsonString {
        body.encoding = Encoding::Base64JsonString;
    }
    let named = data
        .get("mimeType")
        .and_then(NodeRef::as_str)
        .and_then(|name| fields::bare_media_type(&name));
    body.media_type =
        named.filter(|name| name != "x-unknown").or_else(|| headers.media_type.clone());
    // Of a body that was compressed on the way, some write the size that it had there.
    body.declared_size = usize::try_from(size(data, "size")).ok().filter(|_| !headers.encoded);
    Some(body)
}

/// What curl sends without being told a media type goes for a form, and JSON for the name of its one parameter.
fn json_as_form(data: NodeRef<'_>) -> Option<NodeRef<'_>> {
    let mut parameters = data.get("params")?.children();
    let (only, None) = (parameters.next()?, parameters.next()) else { return None };
    let is_empty = only.get("value").and_then(NodeRef::as_str).is_none_or(|value| value.is_empty());
    only.get("name")
        .filter(|name| is_empty && name.as_str().is_some_and(|name| name.starts_with(['{', '['])))
}

/// A size that is not known is written as -1, as null, or not at all.
fn size(node: NodeRef<'_>, name: &str) -> i64 {
    node.get(name).and_then(NodeRef::as_i64).unwrap_or(0)
}
