//! Sessions of Charles in JSON (`.chlsj`): a list of transactions.
//!
//! Charles publishes no schema. The shape is that of sessions that its users have published: a transaction has its call in
//! `method`, `scheme`, `host`, `path` and `query`; `request` and `response` have `header.headers`, a list of names and values,
//! and a `body` with its `text`, or base64 under `encoded`.

use chrono::{DateTime, Utc};

use crate::Limits;
use crate::body_form;
use crate::file_head::FileHead;
use crate::parsed_document::{self, ParsedDocument};
use crate::spec::{
    FormatFamily, FormatReader, FormatSpec, Keeps, MarkSign, Recognition, common, distinctive,
};
use sundown_exchange::RecordPlace;
use sundown_exchange::bare_media_type;
use sundown_exchange::{
    Body, Call, ContentCoding, Decoded, Exchange, HeaderFields, Message, Method, Reason, Record,
    RecordSink, Skip, StatusCode, Target, Unread, decode_base64,
};
use sundown_text_json::json::{Node, ValueKind, scan, string};
use sundown_text_json::text::Block;

/// Charles sessions in JSON (`.chlsj`).
pub(crate) const CHARLES: FormatSpec = FormatSpec {
    name: "charles",
    title: "Charles sessions in JSON (`.chlsj`)",
    family: FormatFamily::Wire,
    recognised: "a list whose first object has a `host`, and two of `durations`, `tunnel`, `keptAlive` and `totalSize`",
    recognition: Recognition::Sniff(sniff),
    reader: FormatReader::Records(read),
    keeps: Keeps::Exchanges,
    reads: "transactions with their header fields and bodies",
    limits: "Bodies that Charles did not keep are missing. A use in a base64 body is located at the whole string that holds the body.",
    is_binary: false,
    endings: &[],
    marks: &[
        distinctive(
            MarkSign::Text(&["\"keptAlive\"", "\"durations\""]),
            "`keptAlive`, or `durations`",
        ),
        common(MarkSign::Text(&["\"host\""]), "`host`"),
        common(MarkSign::Text(&["\"totalSize\""]), "`totalSize`"),
    ],
    sample: "captures/wire/charles.chlsj",
};

/// Keys that only Charles writes next to the call.
const OWN_KEYS: [&str; 4] = ["durations", "tunnel", "keptAlive", "totalSize"];

/// A list whose first transaction has a host, a scheme or a path, and keys of Charles's own.
fn sniff(head: &FileHead<'_>) -> bool {
    if head.bytes.get(head.start) != Some(&b'[') {
        return false;
    }
    let first = scan::skip_whitespace(head.bytes, head.start + 1);
    if head.bytes.get(first) != Some(&b'{') {
        return false;
    }
    let mut has_host = false;
    let mut own = 0;
    for (key, _) in scan::keys(head.bytes, first) {
        let key = string::decode_bytes(head.bytes, key);
        has_host |= key == "host";
        own += usize::from(OWN_KEYS.contains(&&*key));
    }
    has_host && own > 1
}

fn read<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    let Some(ParsedDocument {
        document, place, ..
    }) = parsed_document::json(file, limits, sink)
    else {
        return;
    };
    for (index, transaction) in document.root().children().enumerate() {
        // A transaction that is open at the end of the file is cut off, which has been reported.
        let end = transaction.span().end + file.text_start();
        if file
            .bytes
            .get(..end)
            .is_none_or(|whole| !whole.ends_with(b"}"))
        {
            continue;
        }
        sink.record(match exchange(transaction, place) {
            Some(exchange) => Record::Exchange(Exchange { index, ..exchange }),
            None => Record::Skip(Skip::at(Reason::NoExchange, place.span(transaction.span()))),
        });
    }
}

fn exchange<'a>(transaction: Node<'_>, place: RecordPlace<'a>) -> Option<Exchange<'a>> {
    let text = |name: &str| transaction.text_of(name);
    let path = transaction
        .get("path")
        .filter(|path| path.text().is_some())?;
    let host = text("host").unwrap_or_default();
    let scheme = text("scheme").unwrap_or("http");
    let query = text("query")
        .map(|query| format!("?{query}"))
        .unwrap_or_default();
    let url = format!("{scheme}://{host}{}{query}", path.text()?);
    let started = transaction
        .get("times")
        .and_then(|times| times.get("start"))
        .and_then(time);
    let message = |name: &str| {
        transaction
            .get(name)
            .map(|one| message(one, place))
            .unwrap_or_default()
    };
    Some(Exchange {
        index: 0,
        call: Call::new(
            text("method").and_then(Method::parse),
            Target::parse(&url).into_owned(),
            Some(place.span(path.span())),
        ),
        started: started.into(),
        status: transaction.get("response").and_then(status).into(),
        request: message("request"),
        response: message("response"),
        ..Exchange::default()
    })
}

fn status(response: Node<'_>) -> Option<StatusCode> {
    StatusCode::parse(response.text_of("status")?.as_bytes())
}

fn time(value: Node<'_>) -> Option<DateTime<Utc>> {
    DateTime::parse_from_rfc3339(value.text()?)
        .ok()
        .map(|time| time.to_utc())
}

fn message<'a>(message: Node<'_>, place: RecordPlace<'a>) -> Message<'a> {
    let list = message
        .get("header")
        .and_then(|header| header.get("headers"));
    let mut fields = list
        .map(|list| HeaderFields::of(list, place))
        .unwrap_or_default();
    let media_type = message.text_of("mimeType").and_then(bare_media_type);
    fields.media_type = media_type.or(fields.media_type);
    // The header field says how the body was sent, and this member how it is kept.
    let coding = message.get("contentEncoding").and_then(Node::as_str);
    fields.codings = coding.map(ContentCoding::parse_list).unwrap_or_default();
    match body(message, place) {
        Ok(body) => Message::new(fields, body, None),
        Err(unread) => Message::new(fields, None, Some(unread)),
    }
}

fn body<'a>(message: Node<'_>, place: RecordPlace<'a>) -> Result<Option<Body<'a>>, Unread> {
    let body = message
        .get("body")
        .filter(|body| body.kind() == ValueKind::Object);
    if let Some(text) = body
        .and_then(|body| body.get("text"))
        .filter(|text| text.kind() == ValueKind::String)
    {
        return Ok(body_form::body(text, place));
    }
    if let Some(packed) = body.and_then(|body| body.get("encoded")) {
        let bytes = packed
            .text()
            .and_then(decode_base64)
            .ok_or_else(|| Unread::at(Reason::BadEncoding, place.span(packed.span())))?;
        if bytes.is_empty() {
            return Ok(None);
        }
        return Ok(Some(body_form::decoded(
            packed,
            Decoded { bytes, map: None },
            place,
        )));
    }
    let size = message
        .get("sizes")
        .and_then(|sizes| sizes.get("body"))
        .map(Node::raw);
    match size {
        // Unknown sizes are -1 or absent.
        Some(size) if !size.starts_with(['0', '-', 'n']) => {
            Err(Unread::at(Reason::BodyMissing, place.span(message.span())))
        }
        _ => Ok(None),
    }
}
