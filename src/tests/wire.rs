//! The wire: raw messages, packets, mitmproxy's flows, Charles's sessions; whole, cut, out of order, broken and hostile.

use std::collections::BTreeMap;
use std::path::Path;

use proptest::prelude::*;
use serde_json::Value;

use super::packets::{
    ACK, LINKS, Link, RST, SYN, Segment, Talk, Version, big_pcap, gzip, pcap, pcap_of, pcapng,
};
use super::recordings::httprr;
use super::support::{
    Files, builtin, check_path, options, processor_time, repository, separate_findings, text,
};
use sundown_captures::{Format, Sniffed, sniff, sniff_head};
use sundown_exchange::Reason;
use sundown_lint::rules::{RuleSet, Severity};
use sundown_report::Report;
use sundown_run::{CheckOptions, Gate, Status, check};
use sundown_text_json::Limits;
use sundown_text_json::json::string;
use sundown_text_json::text::{Block, Span};

const RECORDED: [(&str, Format); 6] = [
    ("mitmproxy.flows", Format::Mitmproxy),
    ("wire/loopback.pcap", Format::Pcap),
    ("wire/loopback.pcapng", Format::Pcap),
    ("wire/nginx-any.pcap", Format::Pcap),
    ("wire/socat.http", Format::RawHttp),
    ("wire/charles.chlsj", Format::Charles),
];

/// The exchange without a response, which only a proxy sees: no server was there to receive it.
const UNANSWERED: u64 = 18;

/// Checks bytes as a file, with every use a finding of its own.
pub(crate) fn checked(bytes: &[u8], format: Option<Format>, set: &RuleSet) -> Report {
    checked_in(bytes, format, set, Limits::default())
}

pub(crate) fn checked_in(
    bytes: &[u8],
    format: Option<Format>,
    set: &RuleSet,
    limits: Limits,
) -> Report {
    let path = Path::new("-");
    let mut options = CheckOptions {
        format,
        fold: false,
        ..options(path, set)
    };
    options.settings.limits = limits;
    check(&options, &mut &*bytes, &sundown_captures::Gauge::default())
}

/// Findings as lines: exchange, rule, operation, side, pointer.
pub(crate) fn lines(report: &Report) -> Vec<String> {
    let line = |placed: &sundown_report::LocatedFinding| {
        let found = &placed.finding.found;
        let index = found.exchange.as_ref().map_or(0, |exchange| exchange.index);
        let pointer = found.pointer.as_ref().map_or("-", |pointer| &pointer.exact);
        let rule = &placed.finding.rule.id;
        format!(
            "{index} {rule} {} {} {pointer}",
            found.operation,
            found.part.name()
        )
    };
    let findings = separate_findings(report, &builtin());
    let mut lines: Vec<_> = findings.iter().map(line).collect();
    lines.sort();
    lines
}

/// The reasons for not checking pieces of the file.
pub(crate) fn reasons(report: &Report) -> Vec<&'static str> {
    let names = report.skipped.iter().map(|skipped| skipped.reason.name());
    names.filter(|name| *name != "nothing-to-check").collect()
}

/// The expected findings in the proxy's HAR of the same calls.
fn expected(has_unanswered: bool) -> Vec<String> {
    let file: Value =
        serde_json::from_str(&text("testdata/captures/mitmproxy.expected.json")).unwrap();
    let line = |finding: &Value| {
        let entry = finding["entry"].as_u64().unwrap();
        let index = entry - u64::from(!has_unanswered && entry > UNANSWERED);
        let of = |key: &str| finding[key].as_str().unwrap_or("-");
        format!(
            "{index} {} {} {} {}",
            of("rule"),
            of("operation"),
            of("side"),
            of("pointer")
        )
    };
    let is_there = |finding: &&Value| has_unanswered || finding["entry"] != UNANSWERED;
    let findings = file["findings"].as_array().unwrap();
    let mut lines: Vec<_> = findings.iter().filter(is_there).map(line).collect();
    lines.sort();
    lines
}

#[test]
fn the_same_calls_give_the_same_findings_as_in_the_archive() {
    let set = builtin();
    for (name, format) in RECORDED {
        let path = repository(&format!("testdata/captures/{name}"));
        let file = std::fs::read(&path).unwrap();
        assert_eq!(
            sniff(Block::whole(&file)),
            Sniffed::Format(format),
            "{name}"
        );
        assert_eq!(
            sniff_head(Block::whole(&file[..2048])),
            Some(Sniffed::Format(format))
        );
        let report = check_path(&path, &set);
        let has_unanswered = matches!(format, Format::Mitmproxy | Format::Charles);
        assert_eq!(lines(&report), expected(has_unanswered), "{name}");
        // The one exchange without bodies.
        assert_eq!(reasons(&report), ["no-body"], "{name}");
    }
}

#[test]
fn every_finding_is_at_its_key_or_at_the_value_that_contains_it() {
    let set = builtin();
    for (name, format) in RECORDED {
        let path = repository(&format!("testdata/captures/{name}"));
        let file = std::fs::read(&path).unwrap();
        let (mut keys, mut held) = (0, 0);
        for placed in &check_path(&path, &set).findings {
            let found = &placed.finding.found;
            let raw = found.span.slice(&file);
            let line = memchr::memchr_iter(b'\n', &file[..found.span.start]).count() + 1;
            if format.is_binary() {
                assert_eq!(
                    (placed.location.line, placed.location.column),
                    (1, found.span.start + 1)
                );
            } else {
                assert_eq!(placed.location.line, line, "{name}");
            }
            if found.pointer.is_none() {
                let path = String::from_utf8(raw.to_vec()).unwrap();
                assert!(path.contains("/api/"), "{name}: {path}");
            } else if found.shown.encoded {
                let is_packed = raw.starts_with(&[0x1F, 0x8B]);
                let is_chunked = memchr::memmem::find(raw, &[0x1F, 0x8B]).is_some();
                assert!(
                    is_packed
                        || is_chunked
                        || raw
                            .iter()
                            .all(|byte| byte.is_ascii_alphanumeric() || b"+/=\"".contains(byte)),
                    "{name}: {raw:?}"
                );
                held += 1;
            } else {
                let key = std::str::from_utf8(raw).unwrap();
                let key = if key.starts_with('\\') {
                    string::unescape(key)
                } else {
                    key.into()
                };
                let field = string::decode(&key, Span::new(0, key.len()));
                assert_eq!(Some(&*field), placed.finding.rule.element.name(), "{name}");
                keys += 1;
            }
        }
        assert!(keys > 30 && held > 0, "{name}: {keys} {held}");
    }
}

// ---- raw messages ----

const ASK: &str = "POST /rest/api/v1/chat HTTP/1.1\r\nHost: shop.example\r\nContent-Type: application/json\r\nContent-Length: 33\r\n\r\n{\"messages\": [{\"citations\": []}]}";

const USE: &str = "{\"messages\": [{\"citations\": []}]}";

fn answer(head: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n{head}\r\n");
    [head.as_bytes(), body].concat()
}

fn counted_findings(file: &[u8]) -> (usize, Vec<&'static str>) {
    let report = checked(file, Some(Format::RawHttp), &builtin());
    (report.findings.len(), reasons(&report))
}

#[test]
fn bodies_are_read_in_every_transfer_encoding() {
    let length = |body: &[u8]| format!("Content-Length: {}\r\n", body.len());
    let chunked =
        b"9\r\n{\"message\r\n18;x=y\r\ns\": [{\"citations\": []}]}\r\n0\r\nTrailer: x\r\n\r\n";
    let zstd = zstd::encode_all(USE.as_bytes(), 3).unwrap();
    let mut deflate = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut deflate, USE.as_bytes()).unwrap();
    let deflate = deflate.finish().unwrap();
    let mut bare = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut bare, USE.as_bytes()).unwrap();
    let bare = bare.finish().unwrap();
    let gzip = gzip(USE.as_bytes());
    let in_chunks = [
        format!("{:X}\r\n", gzip.len()).as_bytes(),
        &gzip,
        b"\r\n0\r\n\r\n",
    ]
    .concat();
    let coded = |name: &str, body: &[u8]| format!("Content-Encoding: {name}\r\n{}", length(body));
    for answer in [
        answer(&length(USE.as_bytes()), USE.as_bytes()),
        answer("Transfer-Encoding: chunked\r\n", chunked),
        answer("", USE.as_bytes()),
        answer(&coded("gzip", &gzip), &gzip),
        answer(&coded("x-gzip", &gzip), &gzip),
        answer(&coded("zstd", &zstd), &zstd),
        answer(&coded("deflate", &deflate), &deflate),
        answer(&coded("deflate", &bare), &bare),
        answer(
            "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n",
            &in_chunks,
        ),
        answer("Transfer-Encoding: gzip, chunked\r\n", &in_chunks),
        [
            b"HTTP/1.1 100 Continue\r\n\r\n",
            &*answer("", USE.as_bytes()),
        ]
        .concat(),
        answer("", USE.as_bytes())
            .iter()
            .copied()
            .filter(|&byte| byte != b'\r')
            .collect(),
    ] {
        let file = [ASK.as_bytes(), &answer].concat();
        let shown = String::from_utf8_lossy(&answer).into_owned();
        assert_eq!(counted_findings(&file), (2, vec![]), "{shown}");
        // And with other exchanges before and after it.
        let several = [
            &*file,
            ASK.as_bytes(),
            b"HTTP/1.1 204 No Content\r\n\r\n",
            &file,
        ]
        .concat();
        let report = checked(&several, Some(Format::RawHttp), &builtin());
        assert_eq!(
            (report.findings.len(), reasons(&report).len()),
            (5, 0),
            "{shown}"
        );
    }
}

#[test]
fn responses_without_bodies_end_with_their_heads() {
    let head = "HEAD /rest/api/v1/search HTTP/1.1\r\nHost: x\r\n\r\n";
    let file = format!(
        "{head}{ASK}{ASK}HTTP/1.1 200 OK\r\nContent-Length: 99\r\n\r\nHTTP/1.1 304 Not Modified\r\nContent-Length: 99\r\n\r\nHTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 33\r\n\r\n{USE}"
    );
    let report = checked(file.as_bytes(), None, &builtin());
    let sides: Vec<_> = lines(&report);
    assert_eq!(sides.len(), 3, "{sides:?}");
    assert!(
        sides
            .iter()
            .any(|line| line.starts_with("2 ") && line.contains("response")),
        "{sides:?}"
    );
}

#[test]
fn what_is_not_an_exchange_is_reported() {
    let reported = |file: &str| counted_findings(file.as_bytes()).1;
    assert_eq!(
        reported("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"),
        ["no-operation"]
    );
    assert_eq!(
        reported(&format!("{ASK}\r\nrubbish\r\n{ASK}")),
        ["broken-capture"]
    );
    assert_eq!(
        counted_findings(format!("{ASK}\r\nrubbish\r\n{ASK}").as_bytes()).0,
        2
    );
    let socket = "GET /x HTTP/1.1\r\nUpgrade: websocket\r\n\r\nHTTP/1.1 101 Switching Protocols\r\n\r\n\u{1}\u{2}";
    assert_eq!(reported(socket), ["websocket"]);
    let bomb = gzip(&vec![b' '; 4 << 20]);
    let head = format!(
        "Content-Encoding: gzip\r\nContent-Length: {}\r\n",
        bomb.len()
    );
    let file = [ASK.as_bytes(), &answer(&head, &bomb)].concat();
    let limits = Limits {
        record: 1 << 20,
        ..Limits::default()
    };
    let report = checked_in(&file, Some(Format::RawHttp), &builtin(), limits);
    assert_eq!(
        (report.findings.len(), reasons(&report)),
        (1, vec!["too-large"])
    );
    let unknown = answer(
        "Content-Encoding: own\r\nContent-Length: 2\r\n",
        b"\xFF\xFE",
    );
    assert_eq!(
        counted_findings(&[ASK.as_bytes(), &unknown].concat()).1,
        ["bad-encoding"]
    );
}

#[test]
fn a_start_line_begins_a_message_even_without_an_empty_line_before_it() {
    let read = |file: &str| {
        let report = checked(file.as_bytes(), Some(Format::RawHttp), &builtin());
        (
            report.findings.len(),
            report.summary.records,
            reasons(&report),
        )
    };
    let ask = "POST /rest/api/v1/listanswers HTTP/1.1\n";
    for front in [
        "GET /a HTTP/1.1\n",
        "GET /a HTTP/1.1\r\nHost: x\r\n",
        "GET  /a HTTP/1.0\nHost: x\n",
    ] {
        assert_eq!(
            read(&format!("{front}{ask}\n")),
            (1, 2, vec!["no-body"]),
            "{front}"
        );
        assert_eq!(
            read(&format!("{front}HTTP/1.1 200 OK\n{ask}\n")),
            (1, 2, vec!["no-body"]),
            "{front}"
        );
    }
    let body = "POST /a HTTP/1.1\nContent-Length: 9\n";
    assert_eq!(
        read(&format!("{body}{ask}\n")),
        (1, 1, vec!["no-body", "truncated"])
    );
    // A header field may hold such a line.
    let field = "GET /a HTTP/1.1\nX-First: POST /rest/api/v1/listanswers HTTP/1.1\n\n";
    assert_eq!(read(field), (0, 1, vec![]));
}

#[test]
fn endless_heads_are_read_in_linear_time() {
    let set = builtin();
    let lines = |line: &str| checked(line.repeat(60_000).as_bytes(), Some(Format::RawHttp), &set);
    let begun = processor_time();
    let report = lines("GET /x HTTP/1.1\n");
    assert_eq!(
        (report.summary.records, reasons(&report)),
        (59_999, vec!["truncated"])
    );
    for line in [
        "aGET /x HTTP/1.1\n",
        "GET /x HTTP/1.1 ",
        "HTTP/1.1 200 ",
        "GET /x HTTP/1.1\nx\0\n",
    ] {
        assert!(!reasons(&lines(line)).is_empty(), "{line}");
    }
    // By the square of it they take minutes.
    let used = processor_time().saturating_sub(begun);
    assert!(used.as_secs() < 60, "{used:?}");
}

#[test]
fn header_fields_are_read_up_to_a_documented_limit() {
    let file = |count: usize| {
        let fields = "X-Field: value\r\n".repeat(count);
        ASK.replace("Host: shop.example\r\n", &fields)
    };
    assert_eq!(counted_findings(file(4000).as_bytes()), (1, vec![]));
    let report = checked(file(4100).as_bytes(), Some(Format::RawHttp), &builtin());
    assert_eq!(reasons(&report), ["broken-capture"]);
    assert!(
        report.skipped[0]
            .detail
            .as_ref()
            .unwrap()
            .contains("more than 4096 header fields")
    );
}

#[test]
fn raw_messages_and_request_files_are_distinguished() {
    let format = |text: &str| sniff(Block::whole(text.as_bytes()));
    for text in [
        ASK,
        "HTTP/1.1 200 OK\r\n\r\n",
        "GET /a HTTP/1.0\n\n",
        "GET /a HTTP/1.0\n\nHTTP/1.1 200 OK\n\nok",
        "GET /a HTTP/1.1\nGET /b HTTP/1.1\n\n",
        "POST http://x/a HTTP/1.1\r\nHost: x\r\n\r\n",
    ] {
        assert_eq!(format(text), Sniffed::Format(Format::RawHttp), "{text}");
    }
    for text in [
        "GET https://x/a HTTP/1.1\nAccept: x\n",
        "### a\nGET /a HTTP/1.1\n",
        "GET /a HTTP/1.1\r\n\r\n###\r\nGET /b\r\n",
    ] {
        assert_eq!(format(text), Sniffed::Format(Format::HttpFile), "{text}");
    }
    for text in [
        "HTTP/1.1 is a protocol\n",
        "GET /users HTTP/1.1\n\nasks for all users.\n",
        "HTTP/1.1 200 OK\nis what you get.\n",
        "GET /users HTTP/1.1\nwhich says: all of them\n",
    ] {
        assert_eq!(
            format(text),
            Sniffed::Not(Reason::NotAFormat, None),
            "{text}"
        );
    }
}

// ---- packets ----

/// Exchanges of different operations, each with uses that no other operation knows.
fn exchanges() -> Vec<(Vec<u8>, Vec<u8>)> {
    let ask = |path: &str, body: &str| {
        format!("POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
    };
    let length = |body: &str| format!("Content-Length: {}\r\n", body.len());
    let chunked = b"9\r\n{\"message\r\n18\r\ns\": [{\"citations\": []}]}\r\n0\r\n\r\n";
    let search = "{\"results\": [{\"snippets\": [{\"snippet\": \"x\"}]}]}";
    let token = "{\"answerResult\": {\"trackingToken\": \"x\"}}";
    let packed = gzip(search.as_bytes());
    vec![
        (
            ask("/rest/api/v1/chat", USE),
            answer("Transfer-Encoding: chunked\r\n", chunked),
        ),
        (
            ask("/rest/api/v1/getanswer", "{\"trackingToken\": 1}"),
            answer(&length(token), token.as_bytes()),
        ),
        (
            ask("/rest/api/v1/search", "{\"query\": \"x\"}"),
            answer(
                &format!(
                    "Content-Encoding: gzip\r\nContent-Length: {}\r\n",
                    packed.len()
                ),
                &packed,
            ),
        ),
        (
            ask(
                "/api/index/v1/indexemployee",
                "{\"employee\": {\"location\": \"x\"}}",
            ),
            answer("Content-Length: 0\r\n", b""),
        ),
    ]
}

/// A connection in which each request waits for the response to the one before.
fn talk(port: u16, first: [u32; 2], lengths: &[usize]) -> Talk {
    exchanges()
        .iter()
        .fold(Talk::new(port, first), |talk, (ask, answer)| {
            talk.says(true, ask, lengths).says(false, answer, lengths)
        })
}

/// The findings in the same messages in one stream.
fn oracle(set: &RuleSet) -> Vec<String> {
    let file: Vec<u8> = exchanges()
        .into_iter()
        .flat_map(|(ask, answer)| [ask, answer].concat())
        .collect();
    let report = checked(&file, Some(Format::RawHttp), set);
    assert_eq!(report.skipped.len(), 0);
    let lines = lines(&report);
    assert_eq!(lines.len(), 6, "{lines:?}");
    lines
}

#[test]
fn every_link_type_and_capture_format_gives_the_same_report() {
    let set = builtin();
    let segments = talk(40000, [7, 9], &[50, 700]).ends();
    let mut files = vec![
        big_pcap(&segments),
        pcapng(&segments, false),
        pcapng(&segments, true),
    ];
    for link in LINKS {
        files.extend([Version::Four, Version::Six].map(|version| pcap(&segments, link, version)));
    }
    for file in files {
        let report = checked(&file, None, &set);
        assert_eq!((lines(&report), reasons(&report)), (oracle(&set), vec![]));
        let started: Vec<_> = report
            .findings
            .iter()
            .map(|placed| {
                placed
                    .finding
                    .found
                    .exchange
                    .as_ref()
                    .unwrap()
                    .started
                    .unwrap()
                    .timestamp()
            })
            .collect();
        assert!(
            started
                .iter()
                .all(|&time| (1_795_000_000..1_795_001_000).contains(&time)),
            "{started:?}"
        );
        for placed in &report.findings {
            let found = &placed.finding.found;
            if !found.shown.encoded
                && memchr::memmem::find(found.span.slice(&file), b"\0").is_none()
            {
                let name = placed.finding.rule.element.name().unwrap();
                assert_eq!(found.span.slice(&file), format!("\"{name}\"").as_bytes());
            }
        }
    }
}

#[test]
fn a_trace_of_go_gives_the_findings_of_its_messages() {
    let set = builtin();
    let mut calls = exchanges();
    let whole = httprr(&calls);
    assert_eq!(sniffed(&whole), Sniffed::Format(Format::Httprr));
    let report = checked(&whole, None, &set);
    assert_eq!((lines(&report), reasons(&report)), (oracle(&set), vec![]));
    // The version that the server spoke, a form that Go writes for proxies, and a response that ends with its record.
    for (ask, answer) in &mut calls {
        let text = String::from_utf8_lossy(ask).replacen("POST /", "POST https://x/", 1);
        *ask = text.into_bytes();
        answer.splice(..8, *b"HTTP/2.0");
    }
    let report = checked(&httprr(&calls), None, &set);
    assert_eq!((lines(&report), reasons(&report)), (oracle(&set), vec![]));
    for cut in FIRST_CUT..whole.len() {
        let report = checked(&whole[..cut], None, &set);
        let is_between = report.skipped.is_empty();
        let end = whole[..cut].to_vec();
        let is_end = (0..=exchanges().len()).any(|count| httprr(&exchanges()[..count]) == end);
        assert_eq!(is_between, is_end && cut > FIRST_CUT, "{cut}");
    }
    let wrong = [&whole[..], b"no lengths\n"].concat();
    let report = checked(&wrong, None, &set);
    assert_eq!(
        (lines(&report), reasons(&report)),
        (oracle(&set), vec!["broken-capture"])
    );
}

/// The length of the first line of a trace.
const FIRST_CUT: usize = 16;

fn sniffed(file: &[u8]) -> Sniffed {
    sniff(Block::whole(file))
}

#[test]
fn pipelined_requests_are_answered_in_their_order() {
    let set = builtin();
    let mut talk = Talk::new(40001, [1, 2]);
    for (ask, _) in exchanges() {
        talk = talk.says(true, &ask, &[30]);
    }
    for (_, answer) in exchanges() {
        talk = talk.says(false, &answer, &[30]);
    }
    let report = checked(&pcap(&talk.ends(), Link::Raw, Version::Four), None, &set);
    assert_eq!((lines(&report), reasons(&report)), (oracle(&set), vec![]));
}

#[test]
fn a_capture_that_begins_or_ends_within_a_connection_gives_its_complete_exchanges() {
    let set = builtin();
    let all = talk(40002, [1, 2], &[100]).goes_on();
    let whole: Vec<_> = lines(&checked(&pcap(&all, Link::Raw, Version::Four), None, &set));
    assert_eq!(whole, oracle(&set));
    let without_number = |lines: &[String]| -> Vec<String> {
        lines
            .iter()
            .map(|line| line.split_once(' ').unwrap().1.to_owned())
            .collect()
    };
    for from in 0..all.len() {
        let report = checked(&pcap(&all[from..], Link::Raw, Version::Four), None, &set);
        let found = without_number(&lines(&report));
        assert!(
            found
                .iter()
                .all(|line| without_number(&whole).contains(line)),
            "{from}: {found:?}"
        );
        let known = [
            "lost-packets",
            "no-exchange",
            "truncated",
            "empty",
            "not-http",
        ];
        assert!(
            reasons(&report).iter().all(|reason| known.contains(reason)),
            "{from}: {:?}",
            report.skipped
        );
        if from == 2 {
            assert_eq!(
                (found, reasons(&report)),
                (without_number(&whole), vec![]),
                "only the handshake is missing"
            );
        }
    }
    for to in 0..all.len() {
        let report = checked(&pcap(&all[..to], Link::Raw, Version::Four), None, &set);
        let found = lines(&report);
        assert!(
            found.iter().all(|line| whole.contains(line)),
            "{to}: {found:?}"
        );
        assert!(
            reasons(&report)
                .iter()
                .all(|reason| ["truncated", "empty"].contains(reason)),
            "{to}"
        );
    }
}

#[test]
fn lost_packets_are_reported_and_responses_match_their_requests() {
    let set = builtin();
    let all = talk(40003, [1, 2], &[60]).ends();
    let without_number = |lines: &[String]| -> Vec<String> {
        lines
            .iter()
            .map(|line| line.split_once(' ').unwrap().1.to_owned())
            .collect()
    };
    let whole = without_number(&oracle(&set));
    for lost in 2..all.len() - 7 {
        for count in 1..6 {
            let rest: Vec<_> = all
                .iter()
                .enumerate()
                .filter(|(number, _)| !(lost..lost + count).contains(number))
                .map(|(_, segment)| segment.clone())
                .collect();
            let report = checked(&pcap(&rest, Link::Ethernet, Version::Four), None, &set);
            let found = without_number(&lines(&report));
            assert!(
                found.iter().all(|line| whole.contains(line)),
                "{lost} {count}: {found:?}"
            );
            assert!(
                found.len() < whole.len() || reasons(&report).contains(&"lost-packets"),
                "{lost} {count}"
            );
            assert!(
                reasons(&report).contains(&"lost-packets"),
                "{lost} {count}: {:?}",
                report.skipped
            );
            // All but the exchanges that lost something, and those that cannot be distinguished from them.
            assert!(
                count > 1 || found.len() >= 3,
                "{lost}: {found:?} {:?}",
                report.skipped
            );
        }
    }
}

#[test]
fn a_gap_after_a_few_bytes_of_another_protocol_ends_their_search() {
    let set = builtin();
    let talk = Talk::new(1080, [1, 2])
        .says(true, b"\x05\x01\0", &[9])
        .says(true, b"lost", &[9])
        .says(true, b"0123456789", &[9]);
    let segments = talk.ends();
    for lost in 0..segments.len() {
        let mut rest = segments.clone();
        rest.remove(lost);
        let report = checked(&pcap(&rest, Link::Raw, Version::Four), None, &set);
        assert!(!report.skipped.is_empty(), "{lost}");
    }
}

#[test]
fn non_http_data_is_reported_once_per_connection() {
    let set = builtin();
    let one = |port: u16, client: &[u8], server: &[u8]| {
        Talk::new(port, [5, 6])
            .says(true, client, &[100])
            .says(false, server, &[100])
            .says(true, client, &[9])
            .ends()
    };
    let tls = [&[0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3][..], &[7; 500]].concat();
    let mut segments = one(1, &tls, &tls);
    segments.extend(one(2, &tls, &tls));
    segments.extend(
        Talk::new(3, [5, 6])
            .says(false, b"SSH-2.0-OpenSSH_9.2\r\n", &[50])
            .says(true, b"SSH-2.0-x\r\n", &[50])
            .ends(),
    );
    segments.extend(one(
        4,
        b"EHLO there\r\nMAIL FROM:<x@example.com>\r\n",
        b"250 ok\r\n",
    ));
    segments.extend(talk(5, [1, 2], &[90]).ends());
    let report = checked(&pcap(&segments, Link::Raw, Version::Four), None, &set);
    assert_eq!(lines(&report), oracle(&set));
    let reported: BTreeMap<_, _> = report
        .skipped
        .iter()
        .map(|skipped| {
            (
                skipped.detail.clone().unwrap(),
                (skipped.reason.name(), skipped.count),
            )
        })
        .collect();
    assert_eq!(
        reported.into_values().collect::<Vec<_>>(),
        [("not-http", 2), ("encrypted", 2)]
    );
    // A named capture with nothing else fails the run, and one in a folder does not.
    let only = pcap(&one(1, &tls, &tls), Link::Raw, Version::Four);
    assert_eq!(reasons(&checked(&only, None, &set)), ["encrypted"]);
    let quiet = Talk::new(1, [5, 6]).ends();
    for nothing in [
        pcap(&[], Link::Raw, Version::Four),
        pcap(&quiet, Link::Raw, Version::Four),
    ] {
        assert_eq!(reasons(&checked(&nothing, None, &set)), ["empty"]);
    }
    let files = Files::new().with("tls.pcap", &*only);
    let status = |path: &Path, strict: bool| {
        let fail_on = Some(Severity::Error);
        Gate { fail_on, strict }.status(&check_path(path, &set))
    };
    assert_eq!(status(&files.path("tls.pcap"), false), Status::Failed);
    let files = files.with(
        "good.ndjson",
        r#"{"method":"POST","url":"/rest/api/v1/chat"}"#,
    );
    assert_eq!(status(&files.path(""), true), Status::Clean);
}

#[test]
fn tunnels_and_upgrades_are_reported_after_their_exchange() {
    let set = builtin();
    let socket = Talk::new(1, [1, 2])
        .says(
            true,
            b"GET /live HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n",
            &[999],
        )
        .says(
            false,
            b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n",
            &[999],
        )
        .says(false, b"\x81\x05hello", &[999])
        .ends();
    let report = checked(&pcap(&socket, Link::Raw, Version::Four), None, &set);
    assert_eq!(reasons(&report), ["websocket"]);
    let tunnel = Talk::new(1, [1, 2])
        .says(
            true,
            b"CONNECT x:443 HTTP/1.1\r\nHost: x:443\r\n\r\n",
            &[999],
        )
        .says(
            false,
            b"HTTP/1.1 200 Connection established\r\n\r\n",
            &[999],
        )
        .says(true, &[0x16, 3, 1, 0, 1, 1], &[999])
        .ends();
    let report = checked(&pcap(&tunnel, Link::Raw, Version::Four), None, &set);
    assert_eq!(reasons(&report), ["encrypted"]);
}

#[test]
fn fragments_and_other_packets_are_reported() {
    let set = builtin();
    let segments = talk(40004, [1, 2], &[400]).ends();
    let mut packets: Vec<_> = segments
        .iter()
        .map(|segment| segment.ip(Version::Four))
        .collect();
    let mut fragment = packets[3].clone();
    fragment[6] = 0x20;
    packets.push(fragment);
    let mut datagram = packets[3].clone();
    datagram[9] = 17;
    packets.push(datagram);
    let report = checked(&pcap_of(&packets, 101), None, &set);
    assert_eq!(
        (lines(&report), reasons(&report)),
        (oracle(&set), vec!["not-http", "lost-packets"])
    );
    for link in [147, 252] {
        let report = checked(&pcap_of(&packets, link), None, &set);
        let [skipped] = &report.skipped[..] else {
            panic!("{:?}", report.skipped);
        };
        assert_eq!(skipped.reason.name(), "unread-packets");
        assert_eq!(
            skipped.detail.clone().unwrap(),
            format!("packets of link type {link}")
        );
    }
}

/// Wraps IPv4 packets in IP packets of this protocol, after these bytes.
fn tunnelled(segments: &[Segment], protocol: u8, header: &[u8], frame: &[u8]) -> Vec<Vec<u8>> {
    let wrap = |segment: &Segment| {
        let inner = segment.ip(Version::Four);
        let mut packet = inner[..20].to_vec();
        packet[9] = protocol;
        packet[2..4].copy_from_slice(&[0x7F, 0xFF]);
        packet.extend([header, frame, &inner].concat());
        packet
    };
    segments.iter().map(wrap).collect()
}

#[test]
fn packets_in_tunnels_are_read_or_named() {
    let set = builtin();
    let segments = talk(40005, [1, 2], &[400]).ends();
    let ethernet = [&[2; 12][..], &[8, 0]].concat();
    let udp = |port: u16, header: &[u8]| {
        let [high, low] = port.to_be_bytes();
        [&[0xC3, 0x50, high, low, 0, 0, 0, 0][..], header].concat()
    };
    let pppoe = [0x11, 0, 0, 1, 0, 99, 0, 0x21];
    let read: [(u8, Vec<u8>, &[u8]); 14] = [
        (4, vec![], &[]),
        (17, udp(4789, &[8, 0, 0, 0, 0, 0, 5, 0]), &ethernet),
        (17, udp(8472, &[0x88, 0, 1, 1, 0, 0, 5, 0]), &ethernet),
        (
            17,
            udp(6081, &[1, 0, 0x65, 0x58, 0, 0, 5, 0, 9, 9, 9, 0]),
            &ethernet,
        ),
        (17, udp(6081, &[0, 0, 8, 0, 0, 0, 5, 0]), &[]),
        (47, vec![0, 0, 8, 0], &[]),
        (
            47,
            vec![0xB0, 0, 8, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3],
            &[],
        ),
        (47, vec![0x20, 0, 0x65, 0x58, 1, 1, 1, 1], &ethernet),
        (47, vec![0, 0, 0x88, 0xBE], &ethernet),
        (
            47,
            vec![0x10, 0, 0x88, 0xBE, 0, 0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 1],
            &ethernet,
        ),
        (47, vec![0, 0, 0x88, 0x47, 0, 1, 0, 9, 0, 1, 1, 9], &[]),
        (47, vec![0, 0, 0x88, 0x64], &pppoe),
        (97, vec![0x30, 0], &ethernet),
        (137, vec![0, 1, 1, 9], &[]),
    ];
    for (protocol, header, frame) in read {
        let file = pcap_of(&tunnelled(&segments, protocol, &header, frame), 101);
        let report = checked(&file, None, &set);
        assert_eq!(
            (lines(&report), reasons(&report)),
            (oracle(&set), vec![]),
            "{protocol} {header:x?}"
        );
    }
    for (protocol, header, reason, detail) in [
        (47, vec![0x20, 1, 0x88, 0x0B], "unread-packets", "GRE"),
        (115, vec![], "unread-packets", "L2TP"),
        (
            17,
            udp(2152, &[0x30, 0xFF, 0, 9]),
            "unread-packets",
            "GTP-U",
        ),
        (50, vec![0, 0, 0, 1], "encrypted", "IPsec"),
        (
            17,
            udp(53, &[8, 0, 0, 0, 0, 0, 5, 0]),
            "not-http",
            "without TCP",
        ),
        (
            17,
            udp(4789, &[1, 2, 1, 0, 0, 1, 0, 1]),
            "not-http",
            "without TCP",
        ),
    ] {
        let file = pcap_of(&tunnelled(&segments, protocol, &header, &ethernet), 101);
        let report = checked(&file, None, &set);
        let skipped = report.skipped.first().unwrap();
        assert_eq!(skipped.reason.name(), reason, "{header:x?}");
        assert!(
            skipped.detail.as_ref().unwrap().contains(detail),
            "{header:x?}"
        );
    }
}

#[test]
fn a_header_of_the_proxy_protocol_belongs_to_no_message() {
    let set = builtin();
    let line = b"PROXY TCP4 192.0.2.7 10.0.0.2 4000 80\r\n";
    let mut binary = b"\r\n\r\n\0\r\nQUIT\n\x21\x11\0\x10".to_vec();
    binary.extend([7; 16]);
    for header in [&line[..], &binary] {
        for length in [1, 11, 13, 999] {
            let talk = |segments: Talk| {
                exchanges().iter().fold(segments, |talk, (ask, answer)| {
                    talk.says(true, ask, &[length]).says(false, answer, &[400])
                })
            };
            let whole = talk(Talk::new(40006, [1, 2]).says(true, header, &[length])).ends();
            for segments in [&whole[..], &whole[2..]] {
                let report = checked(&pcap(segments, Link::Raw, Version::Four), None, &set);
                assert_eq!(
                    (lines(&report), reasons(&report)),
                    (oracle(&set), vec![]),
                    "{length}"
                );
            }
        }
    }
    let other = Talk::new(1, [1, 2]).says(true, b"PROXY TCP4 but no end of a line", &[9]);
    let report = checked(&pcap(&other.ends(), Link::Raw, Version::Four), None, &set);
    assert_eq!(reasons(&report), ["truncated"]);
}

#[test]
fn a_connection_may_end_without_fin_and_its_ports_be_reused() {
    let set = builtin();
    let mut segments = talk(40005, [1, 2], &[400]).goes_on();
    segments.push(Segment {
        flags: RST,
        data: Vec::new(),
        ..segments.last().unwrap().clone()
    });
    segments.extend(talk(40005, [0xFFFF_FFF0, 77], &[400]).goes_on());
    // The last packets come once more.
    let again: Vec<_> = segments[segments.len() - 6..].to_vec();
    segments.extend(again);
    let report = checked(&pcap(&segments, Link::Raw, Version::Four), None, &set);
    assert_eq!((report.findings.len(), reasons(&report)), (12, vec![]));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn segments_in_any_order_give_the_stream(
        first in (any::<u32>(), (u32::MAX - 600)..=u32::MAX),
        lengths in prop::collection::vec(1usize..300, 1..6),
        keys in prop::collection::vec(any::<u64>(), 400),
        repeats in prop::collection::vec((any::<prop::sample::Index>(), 0usize..40), 0..30),
    ) {
        let set = builtin();
        let mut segments = talk(40006, [first.0, first.1], &lengths).ends();
        // Some come again, with more in front that has been sent before.
        for (index, more) in repeats {
            let again = index.get(&segments).clone();
            let before = segments.iter().find(|other| {
                other.from_client == again.from_client
                    && other.acknowledged == again.acknowledged
                    && other.flags == ACK
                    && other.sequence.wrapping_add(u32::try_from(other.data.len()).unwrap()) == again.sequence
            });
            let Some(before) = before.filter(|_| again.flags == ACK) else { segments.push(again); continue };
            let tail = &before.data[before.data.len() - more.min(before.data.len())..];
            let sequence = again.sequence.wrapping_sub(u32::try_from(tail.len()).unwrap());
            let overlapping = Segment { sequence, data: [tail, &again.data].concat(), ..again };
            segments.push(overlapping);
        }
        let mut shuffled: Vec<_> = segments.iter().zip(keys.iter().cycle()).collect();
        shuffled.sort_by_key(|(_, key)| **key);
        let shuffled: Vec<_> = shuffled.into_iter().map(|(segment, _)| segment.clone()).collect();
        let report = checked(&pcap(&shuffled, Link::Ethernet, Version::Four), None, &set);
        prop_assert_eq!(reasons(&report), Vec::<&str>::new(), "{:?}", report.skipped);
        prop_assert_eq!(lines(&report), oracle(&set));
    }

    #[test]
    fn random_bytes_end_in_findings_or_reasons(
        begin in prop::sample::select(vec![0usize, 24, 28, 60, 200]),
        noise in prop::collection::vec(any::<u8>(), 0..400),
        is_ng in any::<bool>(),
    ) {
        let set = builtin();
        let segments = talk(40007, [1, 2], &[200]).ends();
        let mut file = if is_ng { pcapng(&segments, false) } else { pcap(&segments, Link::Raw, Version::Four) };
        file.truncate(begin);
        file.extend(noise);
        for format in [Format::Pcap, Format::Mitmproxy, Format::RawHttp, Format::Charles] {
            let report = checked(&file, Some(format), &set);
            prop_assert!(file.is_empty() || !report.skipped.is_empty() || report.summary.records > 0);
        }
    }

    #[test]
    fn one_wrong_byte_never_ends_the_program(
        which in 0usize..RECORDED.len(),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let (name, format) = RECORDED[which];
        let mut file = std::fs::read(repository(&format!("testdata/captures/{name}"))).unwrap();
        *at.get_mut(&mut file) = byte;
        let limits = Limits { block: 4096, ..Limits::default() };
        let set = builtin();
        let report = checked_in(&file, Some(format), &set, limits);
        prop_assert!(report.findings.len() < 200);
    }
}

#[test]
fn large_captures_give_the_same_report_in_blocks() {
    let set = builtin();
    let limits = Limits {
        block: 700,
        ..Limits::default()
    };
    for (name, format) in RECORDED {
        let file = std::fs::read(repository(&format!("testdata/captures/{name}"))).unwrap();
        let whole = checked(&file, None, &set);
        let parts = checked_in(&file, None, &set, limits);
        assert_eq!(lines(&parts), lines(&whole), "{name}");
        let places = |report: &Report| -> Vec<_> {
            report
                .findings
                .iter()
                .map(|placed| (placed.location, placed.end, placed.finding.found.span))
                .collect()
        };
        assert_eq!(places(&parts), places(&whole), "{name} {format:?}");
        assert_eq!(
            format!("{:?}", parts.skipped),
            format!("{:?}", whole.skipped),
            "{name}"
        );
        assert_eq!(parts.summary.bytes, file.len());
        let files = Files::new().with("x", gzip(&file));
        let packed = check_path(&files.path("x"), &set);
        assert_eq!(lines(&packed), lines(&whole), "{name} compressed");
    }
}

#[test]
fn wrong_lengths_end_the_capture_with_a_reason() {
    let set = builtin();
    let segments = talk(40008, [1, 2], &[200]).ends();
    for wrong in [0u32, 4, 8, 13, 0x7FFF_FFFF, 0xFFFF_FFFF] {
        let mut file = pcapng(&segments, false);
        let at = file.len() - 200;
        let block = (0..at)
            .rev()
            .find(|&at| file[at..].starts_with(&[6, 0, 0, 0]) && at % 4 == 0)
            .unwrap();
        file[block + 4..block + 8].copy_from_slice(&wrong.to_le_bytes());
        let reported = reasons(&checked(&file, None, &set));
        assert!(
            reported.contains(&"broken-capture"),
            "{wrong}: {reported:?}"
        );
    }
    let mut file = pcap(&segments, Link::Raw, Version::Four);
    let first = checked(&file, None, &set).findings.len();
    file.extend([0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0x7F, 1, 0, 0, 0]);
    let report = checked(&file, None, &set);
    assert_eq!(
        (report.findings.len(), reasons(&report)),
        (first, vec!["broken-capture"])
    );
    for (flows, reported) in [
        ("999999999999:7:version;", "truncated"),
        ("9999999999999:7:version;", "broken-capture"),
        ("12:7:version;21", "truncated"),
        (
            "39:7:version;2:21#7:request;999999999999:x}",
            "broken-capture",
        ),
        ("13:7:version;0:~?", "broken-capture"),
    ] {
        for limits in [
            Limits::default(),
            Limits {
                block: 4,
                record: 1024,
                ..Limits::default()
            },
        ] {
            let report = checked_in(flows.as_bytes(), Some(Format::Mitmproxy), &set, limits);
            let reported = if reported == "truncated" && limits.record == 1024 && flows.len() > 16 {
                "too-large"
            } else {
                reported
            };
            assert_eq!(reasons(&report), [reported], "{flows}");
        }
    }
}

#[test]
fn an_unreadable_block_loses_nothing_after_it() {
    let set = builtin();
    let file = pcapng(&talk(40013, [1, 2], &[200]).ends(), false);
    let whole = lines(&checked(&file, None, &set));
    let at = (0..file.len())
        .step_by(4)
        .find(|&at| file[at..].starts_with(&[6, 0, 0, 0]))
        .unwrap();
    let block = |words: &[u32]| words.iter().flat_map(|word| word.to_le_bytes()).collect();
    let blocks: [(Vec<u8>, &str); 2] = [
        (block(&[6, 16, 0, 16]), "not what it says"),
        (block(&[6, 32, 9, 0, 0, 0, 0, 32]), "undeclared interface"),
    ];
    for (block, detail) in blocks {
        let report = checked(&[&file[..at], &block, &file[at..]].concat(), None, &set);
        assert_eq!(
            (lines(&report), reasons(&report)),
            (whole.clone(), vec!["broken-capture"])
        );
        assert!(
            report.skipped[0].detail.as_ref().unwrap().contains(detail),
            "{detail}"
        );
    }
}

#[test]
fn thousands_of_half_open_connections_do_not_displace_the_others() {
    let set = builtin();
    let mut segments = Vec::new();
    let beginning = Talk::new(0, [3, 4])
        .says(true, &ASK.as_bytes()[..90], &[90])
        .goes_on();
    for port in 1..30_000 {
        let number = usize::from(port) % 3;
        segments.extend(beginning.iter().take(number + 1).map(|segment| Segment {
            port,
            ..segment.clone()
        }));
    }
    segments.extend(talk(40009, [1, 2], &[200]).ends());
    let report = checked(&pcap(&segments, Link::Raw, Version::Four), None, &set);
    assert_eq!(report.findings.len(), 6);
    assert_eq!(reasons(&report), ["truncated"]);
    assert_eq!(
        segments
            .iter()
            .filter(|segment| segment.flags == SYN)
            .count(),
        30_000
    );
}

// ---- cuts ----

#[test]
fn a_truncated_capture_gives_its_complete_exchanges_and_is_reported() {
    let set = builtin();
    let segments = talk(40010, [1, 2], &[80]).goes_on();
    let messages: Vec<u8> = exchanges()
        .into_iter()
        .flat_map(|(ask, answer)| [ask, answer].concat())
        .collect();
    let files = [
        (Format::Pcap, pcap(&segments, Link::Ethernet, Version::Four)),
        (Format::Pcap, pcapng(&segments, true)),
        (Format::RawHttp, messages),
        (Format::Mitmproxy, FLOWS.as_bytes().to_vec()),
        (Format::Charles, CHARLES.as_bytes().to_vec()),
    ];
    for (format, file) in files {
        let whole = lines(&checked(&file, Some(format), &set));
        assert!(whole.len() > 1, "{format:?}");
        for cut in 1..file.len() {
            let report = checked(&file[..cut], Some(format), &set);
            let found = lines(&report);
            assert!(
                found.iter().all(|line| whole.contains(line)),
                "{format:?} {cut}: {found:?}"
            );
            let reported = reasons(&report);
            assert!(
                reported.len() <= 1,
                "{format:?} {cut}: {:?}",
                report.skipped
            );
            let between = reported.is_empty() || reported == ["empty"];
            assert!(
                between || reported == ["truncated"],
                "{format:?} {cut}: {:?}",
                report.skipped
            );
            if between {
                assert!(
                    is_between(format, &file, cut),
                    "{format:?} {cut} is not reported"
                );
            }
            let count: usize = report.skipped.iter().map(|skipped| skipped.count).sum();
            assert!(count <= 1, "{format:?} {cut}: {:?}", report.skipped);
        }
    }
}

/// Whether a file of its format may end there.
fn is_between(format: Format, file: &[u8], cut: usize) -> bool {
    match format {
        Format::Pcap => true,
        Format::RawHttp => file[cut..].starts_with(b"POST ") || file[cut..].starts_with(b"HTTP/"),
        Format::Mitmproxy => file[..cut].ends_with(b"}") && file[cut..].starts_with(b"5"),
        // White space at the end.
        _ => file[cut..].trim_ascii().is_empty(),
    }
}

#[test]
fn every_byte_of_a_truncated_packet_is_reported() {
    let set = builtin();
    let file = pcap(
        &talk(40011, [1, 2], &[80]).goes_on(),
        Link::Raw,
        Version::Four,
    );
    let mut at = 24;
    while at < file.len() {
        let length = usize::from(file[at + 8]) + 256 * usize::from(file[at + 9]);
        for cut in at + 1..at + 16 + length {
            let reported = reasons(&checked(&file[..cut], Some(Format::Pcap), &set));
            assert_eq!(reported, ["truncated"], "{cut}");
        }
        at += 16 + length;
    }
}

// ---- mitmproxy and Charles ----

/// Two flows: one in the current version of the format, one as older versions wrote it.
const FLOWS: &str = include_str!("../../testdata/formats/wire/two.flows");

const CHARLES: &str = include_str!("../../testdata/formats/wire/two.chlsj");

#[test]
fn flows_of_other_kinds_are_reported() {
    let set = builtin();
    let flow = |inner: &str| format!("{}:{inner}}}", inner.len());
    let http = |websocket: &str| {
        let request = flow("7:headers;0:]7:content;0:~6:method;3:GET,4:path;4:/x/y,");
        flow(&format!(
            "4:type;4:http;7:request;{request}8:response;0:~9:websocket;{websocket}"
        ))
    };
    let file = format!(
        "{}{}{}{}",
        flow("4:type;3:tcp;8:messages;0:]"),
        http("0:~"),
        http("14:8:messages;0:]}"),
        flow("4:type;3:dns;"),
    );
    let report = checked(file.as_bytes(), Some(Format::Mitmproxy), &set);
    let reported: Vec<_> = report
        .skipped
        .iter()
        .map(|skipped| (skipped.reason.name(), skipped.count))
        .collect();
    assert_eq!(
        (reported, report.summary.records),
        (vec![("websocket", 1), ("not-http", 2)], 2)
    );
}

#[test]
fn a_flow_without_its_content_says_so() {
    let set = builtin();
    let flow = |inner: &str| format!("{}:{inner}}}", inner.len());
    let headers = "27:23:14:Content-Length,2:33,]]";
    let request = flow(&format!(
        "7:headers;{headers}7:content;0:~6:method;4:POST,4:path;17:/rest/api/v1/chat,"
    ));
    let file = flow(&format!("4:type;4:http;7:request;{request}8:response;0:~"));
    let report = checked(file.as_bytes(), Some(Format::Mitmproxy), &set);
    assert_eq!(reasons(&report), ["body-missing"], "{file}");
}
