//! HTTP Archives (HAR 1.1 to 1.3) as their many producers write them.
//!
//! Entries are cut out one by one ([`ListCutter`]) and parsed alone, so that a broken or cut entry affects no other. Only the
//! necessary members of an entry are read; all others may be missing, null or of the wrong type.

use std::sync::LazyLock;

use crate::chunks::{Chunker, ListChunker, ListCutter, ListRecords, ReadOptions, RecordList};
use crate::file_head::FileHead;
use crate::messages::DecodedTexts;
use crate::records::{self, OuterReader};
use crate::shapes::Logs;
use memchr::memmem::Finder;
use sundown_exchange::{Exchange, Reason, RecordPlace, RecordSink, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, Node, SyntaxError, key_context, scan, string};
use sundown_text_json::text::Span;

/// Recognises a HAR by its `log`, wherever it is: every producer writes one of these keys. Stops at the first.
pub(super) fn sniff(head: &FileHead<'_>) -> bool {
    head.begins_with(b'{')
        && scan::keys(head.bytes, head.start).any(|(key, value)| {
            let mut inside = scan::keys(head.bytes, value);
            head.bytes.get(value) == Some(&b'{')
                && string::decode_bytes(head.bytes, key) == "log"
                && inside.any(|(key, _)| {
                    ["entries", "pages", "creator"]
                        .contains(&&*string::decode_bytes(head.bytes, key))
                })
        })
}

/// The entries of an archive.
const ENTRIES: RecordList<'_> = RecordList {
    path: &["log", "entries"],
    is_record: is_entry,
    empty: [
        "a HAR without a list `log.entries`",
        "a HAR without an entry",
    ],
};

/// Begins an archive.
pub(super) fn begin(limits: Limits) -> Box<dyn Chunker> {
    Box::new(ListChunker {
        cutter: ListCutter::new(ENTRIES, limits),
        records: |pieces| {
            Box::new(ListRecords {
                pieces,
                list: ENTRIES,
                read: read_entry,
            })
        },
    })
}

fn is_entry(entry: Node<'_>, _: RecordPlace<'_>, logs: &Logs<'_>) -> bool {
    let found = logs.compiled().find(entry);
    entry.get("request").is_some() && found.locate(entry, logs).is_some()
}

/// Whether a part that is not opened may contain other entries: after a lost bracket, they look like parts of
/// this one.
fn may_hold_entries(part: &[u8]) -> bool {
    // The key that every entry has, and nothing else in it should have.
    static REQUEST: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new(b"\"request\""));
    !key_context::is_enclosed(part)
        || REQUEST
            .find_iter(part)
            .any(|at| key_context::is_key(part, at + 1, at + REQUEST.needle().len() - 1))
        || key_context::may_hide_names(part)
}

/// Messages of a WebSocket, beside the exchange that opened it.
fn web_sockets(entry: Node<'_>) -> Option<Node<'_>> {
    let list = entry.get("_webSocketMessages");
    list.filter(|list| list.children().next().is_some())
}

fn read_entry(
    file: &[u8],
    options: &ReadOptions<'_>,
    entry: Span,
    index: usize,
    sink: &mut dyn RecordSink,
) -> Result<usize, SyntaxError> {
    let depth = options.limits.depth;
    if locate(file, depth, entry, index, sink) {
        return Ok(1);
    }
    let tree = Document::parse_json(entry.slice(file), depth)?;
    let root = tree.root();
    let start = entry.start;
    let place = RecordPlace { file, start };
    let texts = DecodedTexts::default();
    for part in records::parts(root, place, &Logs::default(), &texts) {
        records::emit_part(part, index, sink);
    }
    if let Some(messages) = web_sockets(root) {
        sink.skip(Skip::at(Reason::WebSocket, place.span_of(messages)));
    }
    Ok(1)
}

/// Locates the pieces of an entry and hands it on. Returns whether that was enough; if not, nothing has been handed on.
fn locate(file: &[u8], depth: usize, entry: Span, index: usize, sink: &mut dyn RecordSink) -> bool {
    let logs = Logs::default();
    let Some(outer) = logs.outer(entry.slice(file)) else {
        return false;
    };
    let part = OuterReader::new(file, &logs, depth).part(&outer, entry);
    let exchange = part.and_then(Result::ok);
    exchange.is_some_and(|exchange| {
        let exchange = Exchange { index, ..exchange };
        is_one_entry(&outer.document, &exchange) && sink.exchange(&exchange).is_ok()
    })
}

fn is_one_entry(document: &Document<'_>, exchange: &Exchange<'_>) -> bool {
    web_sockets(document.root()).is_none()
        && (!document.left_out().any(may_hold_entries) || exchange.is_valid(&[]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::{Format, read as read_file};
    use sundown_exchange::{Message, Record};
    use sundown_text_json::text::Block;

    /// A line for each record: `POST v1/chat >request <response`, or the reason of a skip.
    fn read(text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        let logs = Logs::default();
        let options = ReadOptions::new(&logs);
        read_file(
            Block::whole(text.as_bytes()),
            Format::Har,
            &options,
            &mut |record: Record<'_>| {
                lines.push(match record {
                    Record::Exchange(exchange) => describe(&exchange),
                    Record::Body(_) => "body".to_owned(),
                    Record::Skip(skip) => {
                        let at = skip.span.map_or(0, |span| span.start);
                        format!("{} at {at}", skip.reason.name())
                    }
                });
            },
        );
        lines
    }

    fn describe(exchange: &Exchange<'_>) -> String {
        let body = |message: &Message<'_>| match (message.body(), &message.unread()) {
            (Some(body), unread) => {
                let text = String::from_utf8(body.decode().unwrap().into_owned()).unwrap();
                text + unread.as_ref().map_or("", |unread| unread.reason.name())
            }
            (None, Some(unread)) => unread.reason.name().to_owned(),
            (None, None) => "none".to_owned(),
        };
        let method = exchange
            .call
            .method
            .as_ref()
            .map_or("?", |method| method.as_str());
        let path = exchange.call.target().segments.join("/");
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
    fn missing_and_unusual_members_are_accepted() {
        let odd = format!(
            "\u{feff} {{\"log\":{{\"creator\":\"a string\",\"entries\":[{{\"request\":{{{CALL},\"headers\":[[\"A\",\"b\"]],\"postData\":{{\"params\":[{{\"name\":\"x\"}}]}},\"bodySize\":9}},\"response\":{{\"status\":0,\"content\":{{}}}},\"_webSocketMessages\":[]}}],\"pages\":null}}}}"
        );
        assert_eq!(read(&odd), [r#"0 POST v1/chat >{"x":""} <none"#]);
        let entry = format!(r#"{{"request":{{{CALL},"postData":null}},"response":null}}"#);
        assert_eq!(read(&har(&entry)), ["0 POST v1/chat >none <none"]);
        assert_eq!(
            read(&har("{}, 7")).len(),
            2,
            "entries that are no exchange are reported"
        );
    }

    #[test]
    fn a_body_that_was_left_out_is_reported() {
        let entry = format!(
            r#"{{"request":{{{CALL},"bodySize":7,"postData":{{"text":""}}}},"response":{{"content":{{"size":12,"mimeType":"application/json"}}}}}}"#
        );
        assert_eq!(
            read(&har(&entry)),
            ["0 POST v1/chat >body-missing <body-missing"]
        );
    }

    #[test]
    fn web_socket_messages_are_reported() {
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
    fn a_lost_bracket_or_a_comma_too_many_hides_no_other_entry() {
        let good = format!(r#"{{"request":{{{CALL}}}}}"#);
        let unclosed = good.strip_suffix('}').unwrap();
        for entries in [
            format!("{unclosed},{good},{good}"),
            format!("{good},,{good}"),
            format!("{good},{unclosed},{good}"),
        ] {
            let lines = read(&har(&entries));
            assert_eq!(
                lines.iter().filter(|line| line.contains("POST")).count(),
                2,
                "{lines:?}"
            );
            assert!(
                lines.iter().any(|line| line.starts_with("invalid-json")),
                "{lines:?}"
            );
        }
    }

    #[test]
    fn an_entry_cut_inside_a_string_hides_no_other() {
        let good = format!(r#"{{"request":{{{CALL},"httpVersion":"HTTP/1.1"}}}}"#);
        for cut in [
            good.find("HTTP").unwrap() + 2,
            good.find("Version").unwrap(),
        ] {
            let lines = read(&har(&format!("{good},{},{good},{good}", &good[..cut])));
            let read = lines.iter().filter(|line| line.contains("POST")).count();
            assert_eq!(read, 3, "{lines:?}");
        }
    }

    #[test]
    fn an_entry_is_read_once_whatever_is_broken_around_it() {
        let good = format!(r#"{{"request":{{{CALL}}}}}"#);
        let text =
            format!(r#"{{"log":{{"entries":[{good},,{good}],"comment":"x","entries":[{good}]}}}}"#);
        let lines = read(&text);
        assert_eq!(
            lines.iter().filter(|line| line.contains("POST")).count(),
            3,
            "{lines:?}"
        );
        assert_eq!(lines.len(), 4, "{lines:?}");
    }

    #[test]
    fn a_lost_bracket_in_a_cut_archive_hides_no_other_entry() {
        let good = format!(
            r#"{{"request":{{{CALL},"postData":{{"text":"[,{{\"a\":1}},{{\"b\":2}}]"}}}}}}"#
        );
        let unclosed = good.strip_suffix('}').unwrap();
        let whole = har(&format!("{good},{unclosed},{good},{good},{good}"));
        let lines = read(&whole[..whole.len() - 30]);
        assert_eq!(
            lines.iter().filter(|line| line.contains("POST")).count(),
            3,
            "{lines:?}"
        );
    }

    #[test]
    fn json_that_curl_sent_as_a_form_is_read() {
        let entry = format!(
            r#"{{"request":{{{CALL},"postData":{{"params":[{{"name":"{{\"a\":1}}","value":""}}]}}}}}}"#
        );
        assert_eq!(read(&har(&entry)), [r#"0 POST v1/chat >{"a":1} <none"#]);
    }

    #[test]
    fn parameters_that_cannot_be_read_are_reported_beside_the_others() {
        for (parameters, expected) in [
            (
                r#"{"name":"a","fileName":"b"},{"name":"c"}"#,
                r#"{"a":"","c":""}body-missing"#,
            ),
            (
                r#"{"name":"a","value":"{\"b\":"},{"name":"c"}"#,
                r#"{"a":"{\"b\":","c":""}invalid-json"#,
            ),
            (&vec![r#"{"name":"a"}"#; 20_001].join(","), "beyond-limit"),
        ] {
            let entry =
                format!(r#"{{"request":{{{CALL},"postData":{{"params":[{parameters}]}}}}}}"#);
            assert_eq!(
                read(&har(&entry)),
                [format!("0 POST v1/chat >{expected} <none")]
            );
        }
    }

    #[test]
    fn a_cut_after_a_number_is_reported() {
        let text = har("{}").replace("]}}", "],\"pages\":1");
        assert_eq!(read(&text).last().unwrap(), "truncated at 70");
    }

    #[test]
    fn an_archive_without_a_list_of_entries_is_reported() {
        for text in [
            r#"{"log":{"entries":{}}}"#,
            r#"{"log":{"entries":null}}"#,
            r#"{"log":{"creator":{}}}"#,
        ] {
            assert_eq!(read(text), ["invalid-json at 0"], "{text}");
        }
        assert_eq!(read(&har("")), ["empty at 0"]);
    }

    #[test]
    fn bodies_that_are_json_instead_of_text_are_read() {
        let entry = format!(
            r#"{{"request":{{{CALL},"postData":{{"text":{{"a":1}}}}}},"response":{{"content":{{"text":[2]}}}}}}"#
        );
        assert_eq!(read(&har(&entry)), [r#"0 POST v1/chat >{"a":1} <[2]"#]);
        let entry = format!(r#"{{"request":{{{CALL},"postData":"{{\"a\":1}}"}}}}"#);
        assert_eq!(read(&har(&entry)), [r#"0 POST v1/chat >{"a":1} <none"#]);
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
            let cuts = lines
                .iter()
                .filter(|line| line.starts_with("truncated"))
                .count();
            assert_eq!(
                (cuts, lines.len()),
                (1, expected + 1),
                "cut at {cut}: {lines:?}"
            );
        }
    }

    #[test]
    fn what_is_broken_after_the_end_of_the_list_is_reported_and_the_rest_is_not() {
        let entries = format!(r#"{{"request":{{"method":"POST",{{"request":{{{CALL}}}}}"#);
        for (rest, faults) in [
            (r#""more":[{"a":1}],"z":"]}"}}}"#, 2),
            (r#""more":[{"a" 1}],"z":1}}}"#, 3),
            (r#""more":["\q"],"z":1}}}"#, 3),
            (r#""more":nope}}}"#, 3),
            (r#""a" "b"}}}"#, 3),
        ] {
            let lines = read(&format!(r#"{{"log":{{"entries":[{entries}],{rest}"#));
            let broken = lines.iter().filter(|line| line.starts_with("invalid-json"));
            assert_eq!(broken.count(), faults, "{rest}: {lines:?}");
        }
    }

    #[test]
    fn rubbish_beside_the_entries_is_reported() {
        let entry = format!(r#"{{"request":{{{CALL}}}}}"#);
        let lines = read(&format!(
            r#"{{"log":{{"version":1.2.3,"entries":[{entry}]}}}} trailing"#
        ));
        assert!(lines[0].starts_with("invalid-json at 21"), "{lines:?}");
        assert!(lines[1].contains("POST"));
        assert!(lines[2].starts_with("invalid-json at "), "{lines:?}");
    }
}
