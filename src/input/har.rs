//! HTTP Archives (HAR 1.1 to 1.3) as their many producers really write them.
//!
//! Entries are cut out one by one and parsed alone, so that a broken or cut entry hides no other. Only what is needed
//! is asked of an entry; everything else may be missing, null or of the wrong type.

use super::{Record, envelope};
use crate::document::scan::{self, Break};
use crate::document::{
    Kind, NodeRef, SyntaxError, SyntaxErrorKind, Tree, Walker, string, valid_prefix,
};
use crate::exchange::{Body, Call, Encoding, Exchange, Message, Method, Reason, Skip, Target};
use crate::source::{Source, Span};

/// Reads every entry of every `log.entries`.
pub(super) fn read<'a>(source: &'a Source, emit: &mut dyn FnMut(Record<'a>)) {
    let mut reader = Reader { bytes: &source.bytes, index: 0, emit };
    let open = scan::skip_whitespace(&source.bytes, source.text_start());
    let end = reader.object(open, Level::Archive);
    reader.behind(end);
}

/// How far into the archive an object stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Archive,
    Log,
}

struct Reader<'a, 'e> {
    bytes: &'a [u8],
    index: usize,
    emit: &'e mut dyn FnMut(Record<'a>),
}

impl Reader<'_, '_> {
    /// Reads the object at `open` and gives the offset behind it; `None` where that cannot be told.
    fn object(&mut self, open: usize, level: Level) -> Option<usize> {
        let mut behind = open + 1;
        for member in scan::members(self.bytes, open) {
            let (key, value, end) = match member {
                Ok(member) => (member.key, member.value.start, Some(member.value.end)),
                // The value that does not end may be the one that holds the entries: its whole part counts.
                Err(at) => match scan::unfinished_member(self.bytes, behind) {
                    Some((key, value)) => (key, value, None),
                    None => {
                        self.broken(at);
                        return None;
                    }
                },
            };
            let name = string::decode_bytes(self.bytes, key);
            let opens = self.bytes.get(value).copied();
            match (level, &*name, opens) {
                (Level::Archive, "log", Some(b'{')) => {
                    self.object(value, Level::Log);
                }
                (Level::Log, "entries", Some(b'[')) => self.entries(value),
                _ => self.other(Span::new(value, end.unwrap_or(self.bytes.len()))),
            }
            behind = end?;
        }
        scan::value(self.bytes, open).ok().map(|span| span.end)
    }

    fn entries(&mut self, open: usize) {
        for element in scan::elements(self.bytes, open) {
            match element {
                Ok(entry) => {
                    self.entry(entry);
                    self.index += 1;
                }
                Err(at) => self.broken(at),
            }
        }
    }

    fn entry(&mut self, entry: Span) {
        let (text, cut) = valid_prefix(entry.slice(self.bytes));
        let tree = match (Tree::parse(text), cut) {
            (Ok(tree), None) => tree,
            (_, Some(error)) | (Err(error), None) => {
                return (self.emit)(Record::Skip(Skip::broken(error, entry)));
            }
        };
        let place = envelope::Place { file: self.bytes, start: entry.start };
        match exchange(tree.root(), place) {
            Some(exchange) => {
                (self.emit)(Record::Exchange(Exchange { index: self.index, ..exchange }));
            }
            None => (self.emit)(Record::Skip(Skip::at(Reason::NoExchange, entry))),
        }
        if let Some(messages) =
            tree.root().get("_webSocketMessages").filter(|list| list.children().next().is_some())
        {
            (self.emit)(Record::Skip(Skip::at(
                Reason::WebSocket,
                messages.span().shifted(entry.start),
            )));
        }
    }

    /// What stands beside the entries holds no exchange, but must be JSON all the same.
    fn other(&mut self, value: Span) {
        let (text, cut) = valid_prefix(value.slice(self.bytes));
        let error = check(text).err().or(cut);
        if let Some(error) = error {
            (self.emit)(Record::Skip(Skip::broken(error, value)));
        }
    }

    /// The archive is one value, with nothing behind it.
    fn behind(&mut self, end: Option<usize>) {
        let Some(end) = end else { return };
        let rest = scan::skip_whitespace(self.bytes, end);
        if rest < self.bytes.len() {
            let error =
                SyntaxError { offset: 0, kind: SyntaxErrorKind::Expected("the end of the file") };
            (self.emit)(Record::Skip(Skip::broken(error, Span::new(rest, self.bytes.len()))));
        }
    }

    fn broken(&mut self, at: Break) {
        let (start, kind) = match at {
            Break::Truncated(start) => (start, SyntaxErrorKind::UnexpectedEnd),
            Break::Malformed(start) => {
                (start, SyntaxErrorKind::Expected("`,` or the end of the list"))
            }
        };
        let rest = Span::new(start.min(self.bytes.len()), self.bytes.len());
        (self.emit)(Record::Skip(Skip::broken(SyntaxError { offset: 0, kind }, rest)));
    }
}

/// Whether the text is one well-formed value.
fn check(text: &str) -> Result<(), SyntaxError> {
    let mut walker = Walker::new(text);
    while walker.next_event()?.is_some() {}
    walker.finish()
}

fn exchange<'a>(entry: NodeRef<'_>, place: envelope::Place<'a>) -> Option<Exchange<'a>> {
    let request = entry.get("request")?;
    let url = request.get("url").filter(|url| url.kind() == Kind::String)?;
    let method =
        request.get("method").and_then(NodeRef::as_str).and_then(|method| Method::parse(&method));
    let response = entry.get("response");
    Some(Exchange {
        index: 0,
        call: Call {
            method,
            target: Target::parse(&url.as_str()?),
            url_span: Some(url.span().shifted(place.start)),
        },
        started: entry.get("startedDateTime").and_then(envelope::started),
        request: sent(request, place),
        response: response.map(|response| received(response, place)).unwrap_or_default(),
    })
}

/// A request's body stands in `postData.text`; some producers add `encoding` as for responses.
fn sent<'a>(request: NodeRef<'_>, place: envelope::Place<'a>) -> Message<'a> {
    let (headers, header_type) = headers(request, place);
    let data = request.get("postData").filter(|data| data.kind() == Kind::Object);
    let body = data.and_then(|data| content(data, header_type, place));
    let lost = body.is_none() && size(request, "bodySize") > 0 && !has_parameters(data);
    Message { headers, body, missing_body: lost.then(|| request.span().shifted(place.start)) }
}

/// A form, which some producers keep only as its parameters.
fn has_parameters(data: Option<NodeRef<'_>>) -> bool {
    data.and_then(|data| data.get("params"))
        .is_some_and(|parameters| parameters.children().next().is_some())
}

/// A response's body stands in `content.text`.
fn received<'a>(response: NodeRef<'_>, place: envelope::Place<'a>) -> Message<'a> {
    let (headers, header_type) = headers(response, place);
    let data = response.get("content").filter(|data| data.kind() == Kind::Object);
    let body = data.and_then(|data| content(data, header_type, place));
    let promised = data.map_or(0, |data| size(data, "size"));
    let lost = body.is_none() && (promised > 0 || size(response, "bodySize") > 0);
    Message { headers, body, missing_body: lost.then(|| response.span().shifted(place.start)) }
}

/// The body in `postData` or `content`; an empty text is none.
fn content<'a>(
    data: NodeRef<'_>,
    header_type: Option<String>,
    place: envelope::Place<'a>,
) -> Option<Body<'a>> {
    let text =
        data.get("text").filter(|text| text.kind() == Kind::String && text.span().len() > 2)?;
    let base64 = data
        .get("encoding")
        .and_then(NodeRef::as_str)
        .is_some_and(|name| name.eq_ignore_ascii_case("base64"));
    let encoding = if base64 { Encoding::Base64JsonString } else { Encoding::JsonString };
    let named = data
        .get("mimeType")
        .and_then(NodeRef::as_str)
        .and_then(|name| envelope::bare_media_type(&name));
    let mut body = Body::new(place.file, text.span().shifted(place.start), encoding);
    body.media_type = named.filter(|name| name != "x-unknown").or(header_type);
    // `size` is of bytes that differ from the text's for many good reasons; only a larger one can mean a cut.
    body.truncated =
        usize::try_from(size(data, "size")).is_ok_and(|size| size > text.span().len() - 2);
    Some(body)
}

fn headers(
    message: NodeRef<'_>,
    place: envelope::Place<'_>,
) -> (Vec<crate::exchange::HeaderName>, Option<String>) {
    message.get("headers").map(|list| envelope::headers(list, place.start)).unwrap_or_default()
}

/// A size that is not known is written as -1, as null, or not at all.
fn size(node: NodeRef<'_>, name: &str) -> i64 {
    node.get(name).and_then(NodeRef::as_i64).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A line for each record: `POST v1/chat >request <response`, or the reason of a skip.
    fn read(text: &str) -> Vec<String> {
        let source = Source::new("test.har", text);
        let mut lines = Vec::new();
        super::read(&source, &mut |record| {
            lines.push(match record {
                Record::Exchange(exchange) => describe(&exchange),
                Record::Body(_) => "body".to_owned(),
                Record::Skip(skip) => {
                    format!("{} at {}", skip.reason.name(), skip.span.unwrap().start)
                }
            });
        });
        lines
    }

    fn describe(exchange: &Exchange<'_>) -> String {
        let body = |message: &Message<'_>| match (&message.body, message.missing_body) {
            (Some(body), _) => String::from_utf8(body.decode().unwrap().into_owned()).unwrap(),
            (None, Some(_)) => "missing".to_owned(),
            (None, None) => "none".to_owned(),
        };
        let method = exchange.call.method.as_ref().map_or("?", |method| method.as_str());
        let path = exchange.call.target.segments.join("/");
        format!(
            "{} {method} {path} >{} <{}",
            exchange.index,
            body(&exchange.request),
            body(&exchange.response)
        )
    }

    fn har(entries: &str) -> String {
        format!(r#"{{"log":{{"version":"1.2","creator":{{"name":"x"}},"entries":[{entries}]}}}}"#)
    }

    const CALL: &str = r#""method":"POST","url":"https://h/v1/chat""#;

    #[test]
    fn bodies_are_found_as_text_and_as_base64() {
        let entry = format!(
            r#"{{"request":{{{CALL},"postData":{{"text":"{{\"a\":1}}"}}}},"response":{{"content":{{"encoding":"base64","text":"eyJiIjoyfQ"}}}}}}"#
        );
        assert_eq!(read(&har(&entry)), [r#"0 POST v1/chat >{"a":1} <{"b":2}"#]);
        let sent =
            format!(r#"{{"request":{{{CALL},"postData":{{"encoding":"base64","text":"e30="}}}}}}"#);
        assert_eq!(read(&har(&sent)), ["0 POST v1/chat >{} <none"]);
    }

    #[test]
    fn what_producers_leave_out_or_write_otherwise_is_borne() {
        let odd = format!(
            "\u{feff} {{\"log\":{{\"creator\":\"a string\",\"entries\":[{{\"request\":{{{CALL},\"headers\":[[\"A\",\"b\"]],\"postData\":{{\"params\":[{{\"name\":\"x\"}}]}},\"bodySize\":9}},\"response\":{{\"status\":0,\"content\":{{}}}},\"_webSocketMessages\":[]}}],\"pages\":null}}}}"
        );
        assert_eq!(read(&odd), ["0 POST v1/chat >none <none"]);
        let entry = format!(r#"{{"request":{{{CALL},"postData":null}},"response":null}}"#);
        assert_eq!(read(&har(&entry)), ["0 POST v1/chat >none <none"]);
        assert_eq!(read(&har("{}, 7")).len(), 2, "entries that are no exchange are told");
    }

    #[test]
    fn a_body_that_was_left_out_is_told() {
        let entry = format!(
            r#"{{"request":{{{CALL},"bodySize":7,"postData":{{"text":""}}}},"response":{{"content":{{"size":12,"mimeType":"application/json"}}}}}}"#
        );
        assert_eq!(read(&har(&entry)), ["0 POST v1/chat >missing <missing"]);
    }

    #[test]
    fn web_socket_messages_are_told() {
        let entry = format!(r#"{{"request":{{{CALL}}},"_webSocketMessages":[{{"data":"x"}}]}}"#);
        let lines = read(&har(&entry));
        assert!(lines[1].starts_with("websocket at "), "{lines:?}");
    }

    #[test]
    fn a_broken_entry_hides_no_other() {
        let good = format!(r#"{{"request":{{{CALL}}}}}"#);
        let lines = read(&har(&format!("{good},{{\"request\":nope}},{good}")));
        assert_eq!(lines.len(), 3);
        assert!(lines[1].starts_with("invalid-json at "));
        assert!(lines[2].starts_with("2 POST"));
    }

    #[test]
    fn a_har_cut_anywhere_gives_its_whole_entries_and_one_truncation() {
        let good = format!(r#"{{"request":{{{CALL}}}}}"#);
        let whole = har(&format!("{good},{good}"));
        let second_ends = whole.rfind(&good).unwrap() + good.len();
        let first_ends = whole.find(&good).unwrap() + good.len();
        for cut in whole.find("entries").unwrap() + 10..whole.len() {
            let lines = read(&whole[..cut]);
            let entries = lines.iter().filter(|line| line.contains("POST")).count();
            let expected = usize::from(cut >= first_ends) + usize::from(cut >= second_ends);
            assert_eq!(entries, expected, "cut at {cut}: {lines:?}");
            let cuts = lines.iter().filter(|line| line.starts_with("truncated")).count();
            assert_eq!((cuts, lines.len()), (1, expected + 1), "cut at {cut}: {lines:?}");
        }
    }

    #[test]
    fn rubbish_beside_the_entries_is_told() {
        let entry = format!(r#"{{"request":{{{CALL}}}}}"#);
        let lines = read(&format!(r#"{{"log":{{"version":1.2.3,"entries":[{entry}]}}}} trailing"#));
        assert!(lines[0].starts_with("invalid-json at 21"), "{lines:?}");
        assert!(lines[1].contains("POST"));
        assert!(lines[2].starts_with("invalid-json at "), "{lines:?}");
    }
}
