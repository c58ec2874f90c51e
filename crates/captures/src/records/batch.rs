//! The calls in the body of a batch, in whatever format the batch was captured: a list in JSON (OData JSON Format 4.01, section 19;
//! Salesforce's composite resource; the whole body in Meta's Graph API), or HTTP messages in the parts of a body (OData 4.01, part 1,
//! section 11.7; Google's batches).

use std::collections::HashMap;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::messages::{DecodedText, read_message, status_in};
use crate::pieces::{self, split_request};
use crate::shapes::{LocatedMessage, Logs};
use sundown_exchange::{
    Body, Call, Content, Exchange, Message, RecordPlace, Skip, StatusCode, Target,
};
use sundown_text_json::json::{Node, ValueKind};
use sundown_text_json::text::Span;

/// The members of JSON with the calls, and with their responses.
const LISTS: [[&str; 2]; 2] = [
    ["requests", "responses"],
    ["compositeRequest", "compositeResponse"],
];

/// The members of a call and of its response that both have.
const IDS: [&str; 2] = ["id", "referenceId"];

/// What was read of the body of a batch.
#[derive(Debug, Default)]
pub struct Batch<'a> {
    pub calls: Vec<Exchange<'a>>,
    /// Where the body is, if it may have calls in a form that is not known.
    pub unread: Option<Span>,
}

/// Reads the calls in the body of an exchange whose URL says that it is a batch. Positions are those in the file. `unpack` undoes the
/// compression of bodies; the error is a body that it refuses.
pub fn calls_of_batch<'a>(
    batch: &Exchange<'a>,
    unpack: impl Fn(&Body<'a>) -> Result<Content<'a>, Skip>,
) -> Result<Batch<'a>, Skip> {
    let Some(body) = batch.request.raw_body().filter(|_| is_batch(&batch.call)) else {
        return Ok(Batch::default());
    };
    let unread = Batch {
        calls: Vec::new(),
        unread: Some(batch.outer(body.span)),
    };
    let (sent, answered) = (batch.request.body(), batch.response.body());
    let content = |body: Option<&Body<'a>>| body.map(&unpack).transpose();
    let (requests, responses) = (content(sent)?, content(answered)?);
    let requests = sent.zip(requests.as_ref());
    let responses = answered.zip(responses.as_ref());
    let text = |(body, content)| DecodedText::of_body(body, content);
    let Some(requests) = requests.and_then(text) else {
        return Ok(unread);
    };
    let responses = responses.and_then(text);
    let file = sent.map_or(&[][..], Body::file);
    let read = if requests.text.trim_start().starts_with("--") {
        in_parts
    } else {
        in_json
    };
    let mut calls = read(&requests, responses.as_ref(), file);
    // It is in the record of all of them.
    let origin = batch.origin.to_owned();
    for call in &mut calls {
        resolve(call, batch);
        call.origin.clone_from(&origin);
    }
    Ok(Batch {
        unread: unread.unread.filter(|_| calls.is_empty()),
        calls,
    })
}

/// Whether a segment of the path is that of batches: other endpoints have members called `requests`, too.
fn is_batch(call: &Call<'_>) -> bool {
    static NAMES: LazyLock<[Finder<'static>; 2]> =
        LazyLock::new(|| ["batch", "composite"].map(Finder::new));
    let may_be = |url| NAMES.iter().any(|name| name.find(url).is_some());
    call.source().is_none_or(|source| may_be(source.url))
        && call.target().segments.iter().any(|segment| {
            let name = segment.strip_prefix('$').unwrap_or(segment);
            ["batch", "composite"].contains(&name)
        })
}

/// Adds to a call what it leaves to the batch: the host, the beginning of its path, and when and where it was made. A path is
/// relative to that of the service, which is before `$batch`; Microsoft Graph writes such paths with a slash.
fn resolve<'a>(call: &mut Exchange<'a>, batch: &Exchange<'a>) {
    let outer = batch.call.target();
    call.call.change_target(|target| {
        let count = outer.segments.len().saturating_sub(1);
        let parents = outer.segments.get(..count).unwrap_or_default();
        let of_service = outer.segments.last().is_some_and(|last| last == "$batch");
        let is_relative =
            !target.is_from_root || of_service && target.segments.first() != parents.first();
        if is_relative && target.host.is_none() {
            let own = std::mem::take(&mut target.segments);
            target.segments = parents.iter().cloned().chain(own).collect();
            target.is_from_root = outer.is_from_root;
        }
        target.complete_host(|| outer.host.clone());
    });
    call.index = batch.index;
    call.map.clone_from(&batch.map);
    call.started = batch.started.clone();
    call.record.clone_from(&batch.record);
    call.logged = batch.logged.clone();
}

/// Reads the calls in a list, each with the response of the same id.
fn in_json<'a>(
    sent: &DecodedText<'_>,
    answered: Option<&DecodedText<'_>>,
    file: &'a [u8],
) -> Vec<Exchange<'a>> {
    // Of other bodies, no tree is made.
    let may_be = |[name, _]: &[&str; 2]| sent.text.contains(&format!("\"{name}\""));
    let is_list = sent.text.trim_start().starts_with('[');
    if !is_list && !LISTS.iter().any(may_be) {
        return Vec::new();
    }
    let Some(requests) = sent.parse() else {
        return Vec::new();
    };
    let answered = answered.and_then(|text| Some((text, text.parse()?)));
    let root = requests.root();
    let lists = LISTS.iter().find(|[name, _]| root.get(name).is_some());
    let (calls, answers) = match lists {
        Some([calls, answers]) => (root.get(calls), *answers),
        None => (is_list.then_some(root), ""),
    };
    let mut responses = HashMap::new();
    for response in answered
        .iter()
        .flat_map(|(_, all)| all.root().children_of(answers))
    {
        if let Some(id) = id(response) {
            responses.entry(id.to_owned()).or_insert(response);
        }
    }
    let logs = Logs::default();
    let read = |request: Node<'_>| {
        let located = logs.compiled().find(request).locate(request, &logs)?;
        let call = located.build(sent.place())?;
        let mut call = sent.move_out(&call, file);
        let response = id(request).and_then(|id| responses.get(id));
        if let (Some((text, _)), Some(response)) = (&answered, response) {
            let (status, message) = response_in_json(*response, text.place());
            call.status = status.into();
            call.response = text.message(&message, file);
        }
        Some(call)
    };
    let calls = calls.into_iter().flat_map(Node::children);
    calls.filter_map(read).collect()
}

/// Reads the calls in the parts of a body, each with the response of the same `Content-ID`. Responses without one are in the order
/// of the requests, unless a set of changes failed as a whole.
fn in_parts<'a>(
    sent: &DecodedText<'_>,
    answered: Option<&DecodedText<'_>>,
    file: &'a [u8],
) -> Vec<Exchange<'a>> {
    let requests = messages(sent.text);
    let answered = answered.map(|text| (text, messages(text.text)));
    let mut by_id = HashMap::new();
    let mut in_order = Vec::new();
    for part in answered.iter().flat_map(|(_, parts)| parts) {
        match &part.id {
            Some(id) => _ = by_id.entry(id.as_str()).or_insert(part.message),
            None => in_order.push(part.message),
        }
    }
    let is_in_order = in_order.len() == requests.len();
    let mut calls = Vec::new();
    for (number, part) in requests.iter().enumerate() {
        let text = sent.text.as_bytes();
        let (line, message) = read_message(text, part.message);
        let Some((method, url)) = split_request(text, line) else {
            continue;
        };
        let written = String::from_utf8_lossy(url.slice(text));
        let call = Exchange {
            call: Call::new(
                Some(method),
                Target::parse(&written).into_owned(),
                Some(url),
            ),
            request: message,
            ..Exchange::default()
        };
        let mut call = sent.move_out(&call, file);
        let of_id = part.id.as_ref().and_then(|id| by_id.get(id.as_str()));
        let response = of_id.or_else(|| in_order.get(number).filter(|_| is_in_order));
        if let (Some((text, _)), Some(response)) = (&answered, response) {
            let (line, message) = read_message(text.text.as_bytes(), *response);
            call.status = status_in(line.slice(text.text.as_bytes())).into();
            call.response = text.message(&message, file);
        }
        calls.push(call);
    }
    calls
}

fn id(node: Node<'_>) -> Option<&str> {
    IDS.iter().find_map(|name| node.get(name)?.text())
}

/// Reads a response in a list.
fn response_in_json<'a>(
    response: Node<'_>,
    place: RecordPlace<'a>,
) -> (Option<StatusCode>, Message<'a>) {
    let get = |names: [&str; 2]| names.into_iter().find_map(|name| response.get(name));
    let body = response.get("body");
    let message = LocatedMessage {
        headers: get(["headers", "httpHeaders"]),
        body: body.filter(|body| body.kind() != ValueKind::Null),
        ..LocatedMessage::default()
    };
    let status = get(["status", "httpStatusCode"]).and_then(pieces::status_of);
    (status, message.build(place))
}

/// An HTTP message in a part of a body.
struct MessagePart {
    /// The `Content-ID` of the part, without what an answer adds to it.
    id: Option<String>,
    message: Span,
}

/// Finds the HTTP messages in the parts of a body. Those in a set of changes are in parts of a part, so each line that begins like
/// a delimiter ends a message: no line of JSON does.
fn messages(text: &str) -> Vec<MessagePart> {
    let delimiters = memchr::memmem::find_iter(text.as_bytes(), b"\n--").map(|at| at + 1);
    let mut messages = Vec::new();
    let mut start = 0;
    for end in delimiters.chain([text.len()]) {
        let part = text.get(start..end).unwrap_or_default();
        let blank = ["\r\n\r\n", "\n\n"]
            .into_iter()
            .filter_map(|blank| Some((part.find(blank)?, blank.len())))
            .min();
        if let Some((head, blank)) = blank {
            let fields = part.get(..head).unwrap_or_default().to_ascii_lowercase();
            if fields.contains("application/http") {
                let begin = head + blank;
                let id = fields
                    .lines()
                    .find_map(|line| line.strip_prefix("content-id:"));
                let id = id.map(|id| id.trim().trim_matches(['<', '>']));
                messages.push(MessagePart {
                    id: id.map(|id| id.trim_start_matches("response-").to_owned()),
                    message: Span::new(start + begin, start + begin.max(part.trim_end().len())),
                });
            }
        }
        start = end;
    }
    messages
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_exchange::{Encoding, HeaderFields};

    /// The calls in the body of a request with a URL, each with its position in the file, and the responses.
    fn calls(url: &str, media_type: &str, sent: &str, answered: &str) -> Vec<String> {
        let file = format!("{sent}{answered}");
        let body = |start: usize, length: usize| {
            let span = Span::new(start, start + length);
            let mut body = Body::new(file.as_bytes(), span, Encoding::Plain);
            body.media_type = Some(media_type.to_owned());
            Message::new(HeaderFields::default(), Some(body), None)
        };
        let batch = Exchange {
            call: Call::new(None, Target::parse(url).into_owned(), None),
            request: body(0, sent.len()),
            response: body(sent.len(), answered.len()),
            ..Exchange::default()
        };
        let text = |message: &Message<'_>| match message.body() {
            Some(body) => file[body.span.start..body.span.end].to_owned(),
            None => "none".to_owned(),
        };
        let describe = |call: &Exchange<'_>| {
            let method = call
                .call
                .method
                .as_ref()
                .map_or("?", |method| method.as_str());
            let status = call
                .status
                .get()
                .map_or(0, sundown_exchange::StatusCode::code);
            let path = call.call.target().segments.join("/");
            let [sent, received] = [&call.request, &call.response].map(text);
            format!("{method} {path} >{sent} {status} <{received}")
        };
        let limits = sundown_text_json::Limits::default();
        let calls = calls_of_batch(&batch, |body| Ok(body.content(limits).unwrap()))
            .unwrap()
            .calls;
        calls.iter().map(describe).collect()
    }

    #[test]
    fn calls_in_json_have_the_responses_of_their_ids() {
        let sent = r#"{"requests":[{"id":"1","method":"POST","url":"/v1/a","body":{"x":1}},{"id":"2","method":"GET","url":"b?c=1"},{"note":1}]}"#;
        let received =
            r#"{"responses":[{"id":"2","status":410},{"id":"1","status":201,"body":{"y":2}}]}"#;
        assert_eq!(
            calls("https://h/s/$batch", "application/json", sent, received),
            [
                r#"POST s/v1/a >{"x":1} 201 <{"y":2}"#,
                "GET s/b >none 410 <none"
            ]
        );
        assert!(calls("https://h/s/jobs", "application/json", sent, received).is_empty());
        let composite = r#"{"compositeRequest":[{"method":"POST","url":"/v1/a","referenceId":"r","body":{"x":1}}]}"#;
        let received =
            r#"{"compositeResponse":[{"referenceId":"r","httpStatusCode":404,"body":[]}]}"#;
        assert_eq!(
            calls(
                "/services/data/v60.0/composite/",
                "application/json",
                composite,
                received
            ),
            [r#"POST v1/a >{"x":1} 404 <[]"#]
        );
    }

    #[test]
    fn calls_in_parts_are_read_in_sets_of_changes_too() {
        let sent = "--b\r\nContent-Type: application/http\r\n\r\nGET orders?x=1 HTTP/1.1\r\n\r\n--b\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n--c\r\nContent-Type: application/http\r\nContent-ID: 1\r\n\r\nPOST /s/orders HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: 999\r\n\r\n{\"x\":1}\r\n--c--\r\n--b--\r\n";
        let received = "--r\nContent-Type: application/http\n\nHTTP/1.1 200 OK\n\n[]\n--r\nContent-Type: application/http\n\nHTTP/1.1 410 Gone\nContent-Type: application/json\n\n{}\n--r--";
        assert_eq!(
            calls("https://h/s/$batch", "multipart/mixed", sent, received),
            [
                "GET s/orders >none 200 <[]",
                "POST s/orders >{\"x\":1} 410 <{}"
            ]
        );
        let [first, second] = ["<1>", "response-1"].map(|id| format!("Content-ID: {id}\n"));
        let sent_by_id = format!("--b\n{first}Content-Type: application/http\n\nGET /a\n--b--");
        let received = format!(
            "--r\nContent-Type: application/http\n\nHTTP/1.1 500 x\n--r\n{second}Content-Type: application/http\n\nHTTP/1.1 410 Gone\n--r--"
        );
        assert_eq!(
            calls("/batch", "multipart/mixed", &sent_by_id, &received),
            ["GET a >none 410 <none"]
        );
        let failed = "--r\nContent-Type: application/http\n\nHTTP/1.1 400 Bad Request\n\n--r--";
        assert_eq!(
            calls("/batch", "multipart/mixed", sent, failed),
            [
                "GET orders >none 0 <none",
                "POST s/orders >{\"x\":1} 0 <none"
            ]
        );
    }
}
