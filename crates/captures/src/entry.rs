//! One entry of an HTTP Archive (HAR 1.1 to 1.3) as its many producers write it. Only the necessary members are read; all
//! others may be missing, null or of the wrong type.

use super::pieces;
use super::stored_form::StoredForm;
use sundown_exchange::{
    Body, Call, CallSource, Encoding, Exchange, FormField, FormKind, HeaderFields, Message, Method,
    Reason, RecordPlace, RecordedOrigin, Target, Unread, bare_media_type, host, pseudo_header,
    with_content,
};
use sundown_text_json::json::{Node, ValueKind, key_context};

/// The members of an entry, as far as it has them.
#[derive(Debug, Clone, Copy)]
pub(super) struct Members<'t> {
    url: Option<Node<'t>>,
    method: Option<Node<'t>>,
    query: Option<Node<'t>>,
    started: Option<Node<'t>>,
    web_sockets: Option<Node<'t>>,
    /// The object, or else a string with its text or with a URL.
    initiator: Option<Node<'t>>,
    request: MessageMembers<'t>,
    response: MessageMembers<'t>,
}

/// The members of a message.
#[derive(Debug, Clone, Copy)]
struct MessageMembers<'t> {
    message: Option<Node<'t>>,
    headers: Option<Node<'t>>,
    body_size: Option<Node<'t>>,
    /// `postData` or `content`.
    data: Option<Node<'t>>,
    text: Option<Node<'t>>,
    encoding: Option<Node<'t>>,
    media_type: Option<Node<'t>>,
    params: Option<Node<'t>>,
    size: Option<Node<'t>>,
    status: Option<Node<'t>>,
}

impl<'t> Members<'t> {
    /// Finds them by their names.
    pub(super) fn of(entry: Node<'t>) -> Self {
        let request = entry.get("request");
        let of_request = |name| request.and_then(|request| request.get(name));
        Self {
            url: of_request("url"),
            method: of_request("method"),
            query: of_request("queryString"),
            started: entry.get("startedDateTime"),
            web_sockets: entry.get("_webSocketMessages"),
            initiator: initiator(entry),
            request: MessageMembers::of(request, "postData"),
            response: MessageMembers::of(entry.get("response"), "content"),
        }
    }

    /// The method.
    pub(super) fn method(&self) -> Option<Node<'t>> {
        self.method
            .filter(|method| method.kind() == ValueKind::String)
    }

    /// Messages of a WebSocket, beside the exchange that opened it.
    pub(super) fn web_sockets(&self) -> Option<Node<'t>> {
        self.web_sockets
    }
}

impl<'t> MessageMembers<'t> {
    fn of(message: Option<Node<'t>>, holder: &str) -> Self {
        let of_message = |name| message.and_then(|message| message.get(name));
        let data = of_message(holder);
        let of_data = |name| data.and_then(|data| data.get(name));
        Self {
            message,
            headers: of_message("headers"),
            body_size: of_message("bodySize"),
            data,
            text: of_data("text"),
            encoding: of_data("encoding"),
            media_type: of_data("mimeType"),
            params: of_data("params"),
            size: of_data("size"),
            status: of_message("status"),
        }
    }
}

/// The member that says where in code the request was made.
fn initiator(entry: Node<'_>) -> Option<Node<'_>> {
    let initiator = entry.get("_initiator");
    initiator
        .filter(|node| node.kind() == ValueKind::Object)
        .or_else(|| {
            entry
                .get("_initiator_detail")
                .filter(|node| node.kind() == ValueKind::String)
        })
        .or(initiator)
}

/// Builds the exchange from its members, if it has a request with a URL.
pub(super) fn exchange<'a>(members: &Members<'_>, place: RecordPlace<'a>) -> Option<Exchange<'a>> {
    let value = |node: Option<Node<'_>>| node.map(|node| place.value(node));
    let origin = members.initiator.map(|node| origin(node, place));
    Some(Exchange {
        call: call(members, place)?,
        started: pieces::lazy(value(members.started), pieces::started),
        status: pieces::lazy(value(members.response.status), pieces::status),
        origin: origin.unwrap_or_default(),
        request: message(&members.request, place).unwrap_or_default(),
        response: message(&members.response, place).unwrap_or_default(),
        ..Exchange::default()
    })
}

fn call<'a>(members: &Members<'_>, place: RecordPlace<'a>) -> Option<Call<'a>> {
    let headers = members.request.headers;
    let pseudo = |name| pseudo_header(headers?, place, name);
    let method = match members.method.and_then(Node::as_str) {
        Some(method) => Method::parse(method),
        None => pseudo(":method").and_then(|(method, _)| Method::parse(&method)),
    };
    let Some(url) = members.url.filter(|url| url.kind() == ValueKind::String) else {
        let (path, span) = pseudo(":path")?;
        let mut target = Target::parse(&path).into_owned();
        target.complete_host(|| host(headers?));
        return Some(Call::new(method, target, Some(span)));
    };
    let literal = place.value(url);
    let source = CallSource {
        url: key_context::content(literal.raw()),
        // An empty list is none.
        queries: members
            .query
            .filter(|list| list.span().len() > 2)
            .map(|list| place.value(list))
            .into_iter()
            .collect(),
        host: None,
        headers: headers.map(|list| place.value(list)),
        target,
        other_host: pieces::other_host,
    };
    Some(Call::located(method, source, literal.span))
}

/// The URL of an entry. Its query is in the list of parameters, too.
fn target<'a>(source: &CallSource<'a>) -> Target<'a> {
    let mut target = pieces::target_of_url(source.url);
    if target.parameters.is_empty() {
        return pieces::complete(target, source);
    }
    target.complete_host(|| pieces::other_host(source));
    target
}

fn origin<'a>(initiator: Node<'_>, place: RecordPlace<'a>) -> RecordedOrigin<'a> {
    RecordedOrigin::initiator(initiator.span().shifted(place.start).slice(place.file))
}

/// Builds a message, whose body is in `postData` or `content`; `None` if there is none.
fn message<'a>(part: &MessageMembers<'_>, place: RecordPlace<'a>) -> Option<Message<'a>> {
    let message = part.message?;
    let headers = part.headers.map(|list| place.value(list));
    let fields = pieces::lazy(headers, HeaderFields::read);
    if let Some(body) = body(part, place) {
        return Some(Message::new(fields, Some(body), None));
    }
    let has_fields =
        |list: Node<'_>| with_content(list, place, |list, _| list.children().len() > 0);
    if let Some(list) = part.params.filter(|list| has_fields(*list)) {
        let (body, unread) = form_body(list, place);
        return Some(Message::new(fields, body, unread));
    }
    let span = place.span(message.span());
    if size(part.size) > 0 || size(part.body_size) > 0 {
        let missing = Unread::at(Reason::BodyMissing, span);
        return Some(Message::new(fields, None, Some(missing)));
    }
    let message = Message::new(fields, None, None);
    // Of a body of unknown size, only its header fields say that there was one.
    Some(if size(part.body_size) < 0 {
        message.promised_at(span)
    } else {
        message
    })
}

/// The body as text, as base64, or, as some scripts write it, as JSON in place of text. An empty text is no body.
fn body<'a>(part: &MessageMembers<'_>, place: RecordPlace<'a>) -> Option<Body<'a>> {
    let data = part.data?;
    let text = if data.kind() == ValueKind::Object {
        part.text.or_else(|| json_as_form(part.params?))?
    } else {
        data
    };
    let empty = text.kind() == ValueKind::String && text.span().len() <= 2;
    if empty
        || !matches!(
            text.kind(),
            ValueKind::String | ValueKind::Object | ValueKind::Array
        )
    {
        return None;
    }
    let base64 = part
        .encoding
        .and_then(Node::as_str)
        .is_some_and(|name| name.eq_ignore_ascii_case("base64"));
    let mut body = pieces::body(text, place)?;
    body.is_delimited = body.encoding == Encoding::Plain;
    if base64 && body.encoding == Encoding::JsonString {
        body.encoding = Encoding::Base64JsonString;
    }
    let named = part.media_type.and_then(Node::as_str);
    let named = named.and_then(bare_media_type);
    body.media_type = named.filter(|name| name != "x-unknown");
    body.declared_size = usize::try_from(size(part.size)).ok();
    Some(body)
}

/// The body of a form of which only the parameters were kept, and the part of it that is not read. Some browsers leave them
/// percent-encoded.
fn form_body<'a>(
    parameters: Node<'_>,
    place: RecordPlace<'a>,
) -> (Option<Body<'a>>, Option<Unread>) {
    let span = parameters.span().shifted(place.start);
    with_content(parameters, place, |list, place| {
        let mut form = StoredForm::recorded(FormKind::UrlEncoded);
        // The next one is noticed, and no more are read.
        for field in list.children().take(FormField::MAX + 1) {
            form.add_object(field, "name", place);
        }
        form
    })
    .into_content(place.file, span)
    .into_parts()
}

/// curl declares everything as a form unless a media type is given. JSON then becomes the name of its one parameter.
fn json_as_form(parameters: Node<'_>) -> Option<Node<'_>> {
    let mut parameters = parameters.children();
    let (only, None) = (parameters.next()?, parameters.next()) else {
        return None;
    };
    let is_empty = only
        .get("value")
        .and_then(Node::as_str)
        .is_none_or(str::is_empty);
    only.get("name").filter(|name| {
        is_empty
            && name
                .as_str()
                .is_some_and(|name| name.starts_with(['{', '[']))
    })
}

/// An unknown size is written as -1, as null, or not at all.
fn size(node: Option<Node<'_>>) -> i64 {
    node.and_then(Node::as_i64).unwrap_or(0)
}
