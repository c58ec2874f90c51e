//! HTTP/2 without encryption in packet captures: recorded by other programs, generated, lossy, broken and hostile.

use std::collections::VecDeque;

use proptest::prelude::*;
use serde_json::Value;

use super::packets::{Link, Segment, Talk, Version, gzip, pcap};
use super::support::{builtin, check_path, repository, text};
use super::wire::{checked, checked_in, lines, reasons};
use sundown_captures::Format;
use sundown_lint::rules::RuleSet;
use sundown_report::{LocatedFinding, Report};
use sundown_text_json::Limits;
use sundown_text_json::json::string;
use sundown_text_json::text::Span;

const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

const DATA: u8 = 0;

const HEADERS: u8 = 1;

const PRIORITY: u8 = 2;

const RESET: u8 = 3;

const SETTINGS: u8 = 4;

const PROMISE: u8 = 5;

const PING: u8 = 6;

const GO_AWAY: u8 = 7;

const WINDOW_UPDATE: u8 = 8;

const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;

const END_HEADERS: u8 = 4;

const PADDED: u8 = 8;

const WITH_PRIORITY: u8 = 32;

const USE: &str = "{\"messages\": [{\"citations\": []}]}";

const CHAT: &str = "/rest/api/v1/chat";

fn frame(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// The number of calls by curl at the beginning of the recorded ones.
const BY_CURL: u64 = 18;

/// The expected findings in those calls, without their numbers.
fn expected() -> Vec<String> {
    let file: Value =
        serde_json::from_str(&text("testdata/captures/mitmproxy.expected.json")).unwrap();
    let findings = file["findings"].as_array().unwrap();
    let line = |finding: &Value| {
        let of = |key: &str| finding[key].as_str().unwrap_or("-");
        format!(
            "{} {} {} {}",
            of("rule"),
            of("operation"),
            of("side"),
            of("pointer")
        )
    };
    let by_curl = findings
        .iter()
        .filter(|finding| finding["entry"].as_u64().unwrap() < BY_CURL);
    let mut lines: Vec<_> = by_curl.map(line).collect();
    lines.sort();
    lines
}

#[test]
fn recorded_connections_have_the_findings_of_their_calls() {
    let set = builtin();
    for name in ["http2", "http2-upgrade"] {
        let path = repository(&format!("testdata/captures/wire/{name}.pcap"));
        let file = std::fs::read(&path).unwrap();
        let report = check_path(&path, &set);
        assert_eq!(unnumbered(&report), expected(), "{name}");
        assert_eq!(
            (reasons(&report), report.summary.records),
            (vec!["no-body"], 18),
            "{name}"
        );
        for placed in &report.findings {
            let found = &placed.finding.found;
            let raw = found.span.slice(&file);
            assert!(!raw.is_empty() && found.span.end < file.len(), "{name}");
            let rule = &placed.finding.rule;
            if found.pointer.is_some() && !found.shown.encoded && raw.len() < 40 {
                let key = string::unescape(std::str::from_utf8(raw).unwrap());
                assert_eq!(
                    string::decode(&key, Span::new(0, key.len())),
                    rule.element.name().unwrap()
                );
            }
        }
        for at in (0..file.len()).step_by(97) {
            let mut damaged = file.clone();
            damaged[at] ^= 0x55;
            let report = checked(&damaged, Some(Format::Pcap), &set);
            assert!(report.findings.len() <= expected().len() + 2, "{name} {at}");
            assert!(
                !checked(&file[..at], Some(Format::Pcap), &set)
                    .skipped
                    .is_empty()
            );
        }
    }
}

/// A call with uses that no other operation knows.
#[derive(Debug, Clone)]
struct Call {
    path: &'static str,
    request: &'static str,
    response: Vec<u8>,
    coding: Option<&'static str>,
}

fn calls() -> Vec<Call> {
    let search = "{\"results\": [{\"snippets\": [{\"snippet\": \"x\"}]}]}";
    let call = |path, request, response: &[u8], coding| Call {
        path,
        request,
        response: response.to_vec(),
        coding,
    };
    vec![
        call(CHAT, USE, USE.as_bytes(), None),
        call(
            "/rest/api/v1/getanswer",
            "{\"trackingToken\": 1}",
            b"{\"answerResult\": {\"trackingToken\": \"x\"}}",
            None,
        ),
        call(
            "/rest/api/v1/search",
            "{\"query\": \"x\"}",
            &gzip(search.as_bytes()),
            Some("gzip"),
        ),
        call(
            "/api/index/v1/indexemployee",
            "{\"employee\": {\"location\": \"x\"}}",
            b"",
            None,
        ),
    ]
}

/// The findings in the same calls over HTTP/1.1, without their numbers.
fn oracle(set: &RuleSet, calls: &[Call]) -> Vec<String> {
    let mut file = Vec::new();
    for call in calls {
        let length = call.request.len();
        let head = "Content-Type: application/json\r\nContent-Length:";
        file.extend(format!("POST {} HTTP/1.1\r\n{head} {length}\r\n\r\n", call.path).as_bytes());
        file.extend(call.request.as_bytes());
        let coding = call
            .coding
            .map(|name| format!("Content-Encoding: {name}\r\n"));
        let coding = coding.unwrap_or_default();
        let length = call.response.len();
        file.extend(format!("HTTP/1.1 200 OK\r\n{coding}{head} {length}\r\n\r\n").as_bytes());
        file.extend(&call.response);
    }
    let report = checked(&file, Some(Format::RawHttp), set);
    assert_eq!(report.skipped.len(), 0);
    unnumbered(&report)
}

fn unnumbered(report: &Report) -> Vec<String> {
    let line = |line: String| line.split_once(' ').unwrap().1.to_owned();
    let mut lines: Vec<_> = lines(report).into_iter().map(line).collect();
    lines.sort();
    lines
}

/// The random choices of one direction: how messages are divided into frames.
#[derive(Debug, Clone)]
struct Choices {
    numbers: Vec<u8>,
    at: usize,
}

impl Choices {
    fn next(&mut self, below: usize) -> usize {
        self.at += 1;
        usize::from(self.numbers[self.at % self.numbers.len()]) % below
    }
}

/// The Huffman codes of some texts, as Python's `hpack` writes them.
const HUFFMAN: [(&str, &str); 12] = [
    ("application/json", "1d75d0620d263d4c7441ea"),
    ("shop.example", "44e7ad72f91d35d05f"),
    ("made-up", "a472156b6b"),
    ("gzip", "9bd9ab"),
    ("/rest/api/v1/chat", "62c2a12c0eb331dc2c1271a7"),
    ("/rest/api/v1/getanswer", "62c2a12c0eb331dc2c4c548ea4782d9f"),
    ("/rest/api/v1/search", "62c2a12c0eb331dc2c20a3b093ff"),
    (
        "/api/index/v1/indexemployee",
        "6075998355217cb1dc2c1aa90be4b4d741fd14bf",
    ),
    ("content-type", "21ea496a4ac9f5597f"),
    ("grpc-status", "9acac8b21234da8f"),
    ("</a>", "fff8c0ffef"),
    ("server", "416cee5b3f"),
];

/// Some entries of the static table (RFC 7541, appendix A).
const STATIC: [(u8, &str, &str); 9] = [
    (1, ":authority", ""),
    (3, ":method", "POST"),
    (4, ":path", "/"),
    (6, ":scheme", "http"),
    (8, ":status", "200"),
    (26, "content-encoding", ""),
    (31, "content-type", ""),
    (45, "link", ""),
    (54, "server", ""),
];

/// Writes header blocks (RFC 7541), in any of the notations that a field may have.
struct BlockWriter {
    entries: VecDeque<(String, String)>,
    most: usize,
}

impl BlockWriter {
    fn resize(&mut self, most: usize, block: &mut Vec<u8>) {
        block.extend(integer(most, 5, 0x20));
        self.most = most;
        self.evict();
    }

    fn evict(&mut self) {
        let size = |entries: &VecDeque<(String, String)>| -> usize {
            entries
                .iter()
                .map(|(name, value)| name.len() + value.len() + 32)
                .sum()
        };
        while size(&self.entries) > self.most {
            self.entries.pop_back();
        }
    }

    /// The index of a field, and that of its name.
    fn find(&self, name: &str, value: &str) -> (Option<usize>, Option<usize>) {
        let known = STATIC
            .iter()
            .map(|&(index, name, value)| (usize::from(index), name, value));
        let own = self.entries.iter().enumerate();
        let own = own.map(|(at, (name, value))| (62 + at, name.as_str(), value.as_str()));
        let all: Vec<_> = known
            .chain(own)
            .filter(|(_, known, _)| *known == name)
            .collect();
        let whole = all.iter().find(|(_, _, known)| *known == value);
        (
            whole.map(|(index, ..)| *index),
            all.first().map(|(index, ..)| *index),
        )
    }

    fn field(&mut self, name: &str, value: &str, choices: &mut Choices, block: &mut Vec<u8>) {
        let (whole, index) = self.find(name, value);
        if let Some(whole) = whole.filter(|_| choices.next(4) > 0) {
            return block.extend(integer(whole, 7, 0x80));
        }
        let index = index.filter(|_| choices.next(4) > 0);
        let is_kept = choices.next(2) == 0;
        let (prefix, mark) =
            [(6, 0x40), (4, 0x10), (4, 0)][if is_kept { 0 } else { 1 + choices.next(2) }];
        block.extend(integer(index.unwrap_or(0), prefix, mark));
        if index.is_none() {
            block.extend(coded_string(name, choices));
        }
        block.extend(coded_string(value, choices));
        if is_kept {
            self.entries.push_front((name.to_owned(), value.to_owned()));
            self.evict();
        }
    }
}

/// A string, with or without the Huffman code.
fn coded_string(text: &str, choices: &mut Choices) -> Vec<u8> {
    let code = HUFFMAN
        .iter()
        .find(|(known, _)| *known == text)
        .filter(|_| choices.next(2) == 0);
    let Some((_, code)) = code else {
        return string(text);
    };
    let byte = |at: usize| u8::from_str_radix(&code[at..at + 2], 16).unwrap();
    let bytes: Vec<_> = (0..code.len()).step_by(2).map(byte).collect();
    [integer(bytes.len(), 7, 0x80), bytes].concat()
}

/// An integer of HPACK (RFC 7541, section 5.1) after a mark.
fn integer(mut number: usize, prefix: u32, mark: u8) -> Vec<u8> {
    let most = 2usize.pow(prefix) - 1;
    if number < most {
        return vec![mark | u8::try_from(number).unwrap()];
    }
    let mut bytes = vec![mark | u8::try_from(most).unwrap()];
    number -= most;
    while number >= 128 {
        bytes.push(u8::try_from(number % 128).unwrap() | 128);
        number /= 128;
    }
    bytes.push(u8::try_from(number).unwrap());
    bytes
}

/// One direction of a connection, which writes frames.
struct Writer {
    encoder: BlockWriter,
    choices: Choices,
    bytes: Vec<u8>,
}

impl Writer {
    fn new(first: &[u8], choices: Choices) -> Self {
        let settings = frame(SETTINGS, 0, 0, &[0, 3, 0, 0, 0, 100]);
        let encoder = BlockWriter {
            entries: VecDeque::new(),
            most: 4096,
        };
        Self {
            encoder,
            choices,
            bytes: [first, &settings].concat(),
        }
    }

    fn block(&mut self, fields: &[(&str, &str)]) -> Vec<u8> {
        let mut block = Vec::new();
        let Self {
            encoder, choices, ..
        } = self;
        if choices.next(5) == 0 {
            encoder.resize(choices.next(4) * 1000, &mut block);
        }
        for (name, value) in fields {
            encoder.field(name, value, choices, &mut block);
        }
        block
    }

    /// Pads a payload, or not.
    fn padded(&mut self, payload: &[u8]) -> (u8, Vec<u8>) {
        match self.choices.next(3) {
            0 => {
                let padding = self.choices.next(40);
                let length = u8::try_from(padding).unwrap();
                (PADDED, [&[length], payload, &vec![0; padding]].concat())
            }
            _ => (0, payload.to_vec()),
        }
    }

    /// Writes a header section in any number of frames.
    fn headers(&mut self, stream: u32, fields: &[(&str, &str)], flags: u8) {
        let block = self.block(fields);
        let pieces = 1 + self.choices.next(4);
        let length = block.len().div_ceil(pieces).max(1);
        let mut pieces = block.chunks(length).peekable();
        let first = pieces.next().unwrap_or_default();
        let priority = self.choices.next(2) == 0;
        let first = if priority {
            [&[0, 0, 0, 0, 7], first].concat()
        } else {
            first.to_vec()
        };
        let (padded, payload) = self.padded(&first);
        let flags = flags | padded | if priority { WITH_PRIORITY } else { 0 };
        let last = if pieces.peek().is_none() {
            END_HEADERS
        } else {
            0
        };
        self.bytes
            .extend(frame(HEADERS, flags | last, stream, &payload));
        while let Some(piece) = pieces.next() {
            let last = if pieces.peek().is_none() {
                END_HEADERS
            } else {
                0
            };
            self.bytes.extend(frame(CONTINUATION, last, stream, piece));
        }
    }

    fn data(&mut self, stream: u32, data: &[u8], flags: u8) {
        let (padded, payload) = self.padded(data);
        self.bytes
            .extend(frame(DATA, flags | padded, stream, &payload));
    }

    /// Writes a frame that belongs to no message.
    fn other(&mut self) {
        let other = match self.choices.next(9) {
            0 => frame(PING, 0, 0, &[1; 8]),
            1 => frame(WINDOW_UPDATE, 0, 0, &[0, 1, 0, 0]),
            2 => frame(PRIORITY, 0, 999, &[0, 0, 0, 0, 7]),
            3 => frame(0xEE, 0xFF, 7, b"extension"),
            4 => frame(SETTINGS, 1, 0, &[]),
            _ => return,
        };
        self.bytes.extend(other);
    }
}

/// A step of a message: its frames are written in their order, among those of other streams.
enum Step {
    Interim,
    Head { ends: bool },
    Data(Vec<u8>, bool),
    Trailers,
}

fn steps(body: &[u8], is_response: bool, choices: &mut Choices) -> Vec<Step> {
    let mut steps = Vec::new();
    if is_response && choices.next(3) == 0 {
        steps.push(Step::Interim);
    }
    let has_trailers = choices.next(3) == 0;
    steps.push(Step::Head {
        ends: body.is_empty() && !has_trailers,
    });
    let length = (body.len() / (1 + choices.next(4))).max(1);
    let count = body.len().div_ceil(length);
    for (number, piece) in body.chunks(length).enumerate() {
        let is_last = number + 1 == count && !has_trailers;
        if choices.next(4) == 0 {
            steps.push(Step::Data(Vec::new(), false));
        }
        steps.push(Step::Data(piece.to_vec(), is_last));
    }
    if has_trailers {
        steps.push(Step::Trailers);
    }
    steps
}

/// Writes the messages of one direction, interleaved. The streams of requests begin in the order of their numbers.
fn write(writer: &mut Writer, calls: &[Call], is_response: bool) {
    let mut open: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(number, call)| {
            let body = if is_response {
                &call.response[..]
            } else {
                call.request.as_bytes()
            };
            let steps = steps(body, is_response, &mut writer.choices);
            (
                2 * u32::try_from(number).unwrap() + 1,
                call,
                steps.into_iter().peekable(),
            )
        })
        .collect();
    let mut begun = 0;
    while !open.is_empty() {
        writer.other();
        let any = writer.choices.next(open.len());
        // A stream begins after those with lower numbers.
        let is_next = |stream: u32| is_response || stream <= begun + 2;
        let index = if is_next(open[any].0) { any } else { 0 };
        let (stream, call, steps) = &mut open[index];
        begun = begun.max(if begun == 0 { 1 } else { *stream });
        match steps.next() {
            Some(Step::Interim) => {
                writer.headers(*stream, &[(":status", "103"), ("link", "</a>")], 0);
            }
            Some(Step::Head { ends }) => {
                let mut fields = if is_response {
                    vec![(":status", "200"), ("server", "made-up")]
                } else {
                    let host = (":authority", "shop.example");
                    vec![
                        (":method", "POST"),
                        (":scheme", "http"),
                        (":path", call.path),
                        host,
                    ]
                };
                fields.push(("content-type", "application/json"));
                if let Some(coding) = call.coding.filter(|_| is_response) {
                    fields.push(("content-encoding", coding));
                }
                writer.headers(*stream, &fields, if ends { END_STREAM } else { 0 });
            }
            Some(Step::Data(data, ends)) => {
                writer.data(*stream, &data, if ends { END_STREAM } else { 0 });
            }
            Some(Step::Trailers) => {
                writer.headers(*stream, &[("grpc-status", "0")], END_STREAM);
            }
            None => {
                drop(open.remove(index));
            }
        }
    }
}

/// Both directions of a connection with these calls.
fn connection(calls: &[Call], numbers: &[u8]) -> [Vec<u8>; 2] {
    let choices = |at| Choices {
        numbers: numbers.to_vec(),
        at,
    };
    let mut client = Writer::new(PREFACE, choices(0));
    write(&mut client, calls, false);
    let mut server = Writer::new(b"", choices(7));
    write(&mut server, calls, true);
    [client.bytes, server.bytes]
}

/// A capture in which the client says everything first.
fn capture([client, server]: &[Vec<u8>; 2], lengths: &[usize]) -> Vec<Segment> {
    Talk::new(50_123, [7, 9])
        .says(true, client, lengths)
        .says(false, server, lengths)
        .ends()
}

fn check(directions: &[Vec<u8>; 2]) -> Report {
    checked(
        &pcap(&capture(directions, &[1400]), Link::Ethernet, Version::Four),
        None,
        &builtin(),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn frames_and_segments_of_any_size_and_order_give_the_same_exchanges(
        chosen in prop::collection::vec(0usize..4, 1..8),
        numbers in prop::collection::vec(any::<u8>(), 20..60),
        lengths in prop::collection::vec(1usize..400, 1..6),
        keys in prop::collection::vec(any::<u64>(), 900),
        first in (any::<u32>(), (u32::MAX - 600)..=u32::MAX),
    ) {
        let set = builtin();
        let all = calls();
        let chosen: Vec<_> = chosen.iter().map(|&index| all[index].clone()).collect();
        let [client, server] = connection(&chosen, &numbers);
        let segments = Talk::new(50_123, [first.0, first.1])
            .says(true, &client, &lengths)
            .says(false, &server, &lengths)
            .ends();
        let mut shuffled: Vec<_> = segments.iter().zip(keys.iter().cycle()).collect();
        shuffled.sort_by_key(|(_, key)| **key);
        let shuffled: Vec<_> = shuffled.into_iter().map(|(segment, _)| segment.clone()).collect();
        let expected = oracle(&set, &chosen);
        for segments in [segments, shuffled] {
            let file = pcap(&segments, Link::Ethernet, Version::Four);
            let report = checked(&file, None, &set);
            prop_assert_eq!(reasons(&report), Vec::<&str>::new(), "{:?}", report.skipped);
            prop_assert_eq!(unnumbered(&report), expected.clone());
            let blocks = Limits { block: 700, ..Limits::default() };
            let parts = checked_in(&file, None, &set, blocks);
            prop_assert_eq!(unnumbered(&parts), expected.clone());
        }
    }

    #[test]
    fn random_frames_end_in_findings_or_reasons(
        numbers in prop::collection::vec(any::<u8>(), 20..60),
        at in any::<prop::sample::Index>(),
        noise in prop::collection::vec(any::<u8>(), 1..40),
        in_client in any::<bool>(),
    ) {
        let mut directions = connection(&calls(), &numbers);
        let bytes = &mut directions[usize::from(!in_client)];
        let at = at.index(bytes.len());
        bytes.splice(at..(at + noise.len()).min(bytes.len()), noise);
        let report = check(&directions);
        prop_assert!(report.summary.records <= 5 && report.findings.len() <= 12);
    }
}

#[test]
fn lost_packets_stop_one_direction_and_are_reported() {
    let set = builtin();
    let directions = connection(&calls(), &[1, 2, 3, 4, 5]);
    let all = capture(&directions, &[60]);
    let whole = oracle(&set, &calls());
    for lost in 2..all.len() - 2 {
        let mut rest = all.clone();
        let lost = rest.remove(lost);
        let report = checked(&pcap(&rest, Link::Raw, Version::Four), None, &set);
        let found = unnumbered(&report);
        assert!(found.iter().all(|line| whole.contains(line)), "{found:?}");
        assert!(
            reasons(&report).contains(&"lost-packets"),
            "{:?}",
            report.skipped
        );
        // Without responses, all requests are there.
        let requests = found
            .iter()
            .filter(|line| line.contains(" request "))
            .count();
        assert!(lost.from_client || requests == 3, "{found:?}");
    }
}

#[test]
fn the_midst_of_a_connection_is_a_failure() {
    let set = builtin();
    let directions = connection(&calls(), &[1, 2, 3, 4, 5]);
    let all = capture(&directions, &[1400]);
    for from in 3..all.len() - 2 {
        let report = checked(&pcap(&all[from..], Link::Raw, Version::Four), None, &set);
        let reported = reasons(&report);
        assert_eq!(report.findings.len(), 0);
        assert!(reported == ["lost-packets"], "{from}: {:?}", report.skipped);
    }
    // Frames may begin anywhere in a packet, but this is what tools see who are started late.
    let server = [
        frame(SETTINGS, 1, 0, &[]),
        frame(WINDOW_UPDATE, 0, 0, &[0, 0, 1, 0]),
    ]
    .concat();
    let late = Talk::new(1, [3, 4]).says(false, &server, &[1400]).goes_on();
    let report = checked(&pcap(&late[2..], Link::Raw, Version::Four), None, &set);
    assert_eq!(reasons(&report), ["lost-packets"]);
    let detail = report.skipped[0].detail.as_ref().unwrap();
    assert!(detail.contains("midst of an HTTP/2 connection"), "{detail}");
}

#[test]
fn every_cut_gives_complete_exchanges_and_a_reason() {
    let set = builtin();
    let directions = connection(&calls(), &[9, 2, 5, 4, 5, 0, 1]);
    let segments = Talk::new(50_124, [7, 9])
        .says(true, &directions[0], &[90])
        .says(false, &directions[1], &[90])
        .goes_on();
    let file = pcap(&segments, Link::Ethernet, Version::Four);
    let whole = unnumbered(&checked(&file, None, &set));
    assert_eq!(whole, oracle(&set, &calls()));
    for cut in 25..file.len() {
        let report = checked(&file[..cut], Some(Format::Pcap), &set);
        let found = unnumbered(&report);
        assert!(
            found.iter().all(|line| whole.contains(line)),
            "{cut}: {found:?}"
        );
        let known = ["truncated", "empty", "no-body"];
        let reported = reasons(&report);
        assert!(
            reported.iter().all(|reason| known.contains(reason)),
            "{cut}: {reported:?}"
        );
        let is_between = |segment: &usize| *segment == cut;
        let ends = (0..=segments.len())
            .map(|count| pcap(&segments[..count], Link::Ethernet, Version::Four).len());
        let is_reported = reported.contains(&"truncated") || reported.contains(&"empty");
        assert!(
            is_reported || ends.collect::<Vec<_>>().iter().any(is_between),
            "{cut}"
        );
    }
}

// ---- single frames ----

/// A block of literal fields, without Huffman codes or indexing.
fn literal(fields: &[(&str, &str)]) -> Vec<u8> {
    fields
        .iter()
        .flat_map(|(name, value)| [&[0], &*string(name), &*string(value)].concat())
        .collect()
}

/// A string of HPACK (RFC 7541, section 5.2).
fn string(text: &str) -> Vec<u8> {
    [&integer(text.len(), 7, 0), text.as_bytes()].concat()
}

const ASK: [(&str, &str); 4] = [
    (":method", "POST"),
    (":path", CHAT),
    (":authority", "x"),
    ("content-type", "application/json"),
];

fn ask(stream: u32) -> Vec<u8> {
    let head = frame(HEADERS, END_HEADERS, stream, &literal(&ASK));
    [head, frame(DATA, END_STREAM, stream, USE.as_bytes())].concat()
}

fn reply(stream: u32) -> Vec<u8> {
    let fields = [(":status", "200"), ("content-type", "application/json")];
    let head = frame(HEADERS, END_HEADERS, stream, &literal(&fields));
    [head, frame(DATA, END_STREAM, stream, USE.as_bytes())].concat()
}

/// Checks a connection with these frames after the settings: the number of findings, the reasons, and their details.
fn outcome(client: &[u8], server: &[u8]) -> (usize, Vec<&'static str>, String) {
    outcome_in(client, server, Limits::default())
}

fn outcome_in(client: &[u8], server: &[u8], limits: Limits) -> (usize, Vec<&'static str>, String) {
    let settings = frame(SETTINGS, 0, 0, &[]);
    let directions = [
        [PREFACE, &settings, client].concat(),
        [&settings, server].concat(),
    ];
    let segments = capture(&directions, &[1400]);
    let file = pcap(&segments, Link::Ethernet, Version::Four);
    let report = checked_in(&file, None, &builtin(), limits);
    let details = report
        .skipped
        .iter()
        .filter_map(|skipped| skipped.detail.clone());
    (
        report.findings.len(),
        reasons(&report),
        details.collect::<Vec<_>>().join("; "),
    )
}

/// The number of bytes that were not read because a direction is broken.
fn unread_bytes(client: &[u8], server: &[u8]) -> usize {
    let settings = frame(SETTINGS, 0, 0, &[]);
    let directions = [
        [PREFACE, &settings, client].concat(),
        [&settings, server].concat(),
    ];
    let report = check(&directions);
    let broken = report
        .skipped
        .iter()
        .filter(|group| group.reason.name() == "broken-capture");
    broken.map(|group| group.bytes).sum()
}

#[test]
fn each_frame_does_what_the_rfc_says() {
    let both = |client: &[u8], server: &[u8]| {
        let (found, reported, _) = outcome(client, server);
        (found, reported)
    };
    assert_eq!(both(&ask(1), &reply(1)), (2, vec![]));
    // Aborted by the server before and within the response, and by the client.
    let head = frame(HEADERS, END_HEADERS, 1, &literal(&[(":status", "200")]));
    let reset = frame(RESET, 0, 1, &[0, 0, 0, 8]);
    assert_eq!(both(&ask(1), &reset), (1, vec![]));
    assert_eq!(
        both(&ask(1), &[&head[..], &reset].concat()),
        (1, vec!["truncated"])
    );
    assert_eq!(
        both(&[ask(1), reset.clone()].concat(), &reply(1)),
        (2, vec![])
    );
    assert_eq!(both(&[ask(1), reset].concat(), b""), (1, vec![]));
    let go_away = frame(GO_AWAY, 0, 0, &[0; 8]);
    assert_eq!(
        both(&ask(1), &[reply(1), go_away.clone()].concat()),
        (2, vec![])
    );
    assert_eq!(
        both(&[ask(1), ask(3)].concat(), &[reply(1), go_away].concat()),
        (3, vec![])
    );
    // A promised request has no body. Its response is on a stream of its own.
    let promise = [&[0, 0, 0, 2][..], &literal(&ASK)].concat();
    let promise = frame(PROMISE, END_HEADERS, 1, &promise);
    assert_eq!(
        both(&ask(1), &[promise, reply(2), reply(1)].concat()),
        (3, vec![])
    );
    // Late frames of closed streams belong to no exchange.
    let late = frame(DATA, END_STREAM, 1, USE.as_bytes());
    assert_eq!(
        both(
            &[ask(1), ask(3)].concat(),
            &[reply(1), late, reply(3)].concat()
        ),
        (4, vec![])
    );
    assert_eq!(both(b"", &reply(1)), (0, vec!["no-exchange"]));
}

#[test]
fn the_status_is_that_of_the_head() {
    let fields = [(":status", "410"), ("content-type", "application/json")];
    let head = frame(HEADERS, END_HEADERS, 1, &literal(&fields));
    let body = br#"{"status": 200, "code": 404, "messages": [{"citations": []}]}"#;
    let server = [head, frame(DATA, END_STREAM, 1, body)].concat();
    let settings = frame(SETTINGS, 0, 0, &[]);
    let report = check(&[
        [PREFACE, &settings, &ask(1)[..]].concat(),
        [&settings[..], &server].concat(),
    ]);
    let status = |placed: &LocatedFinding| placed.finding.found.exchange.as_ref()?.status;
    let codes: Vec<_> = report
        .findings
        .iter()
        .map(|of| status(of).unwrap().code())
        .collect();
    assert_eq!(codes, [410, 410]);
}

#[test]
fn bodies_that_are_not_json_are_named() {
    let fields = [
        (":method", "POST"),
        (":path", CHAT),
        ("content-type", "application/grpc"),
    ];
    let head = frame(HEADERS, END_HEADERS, 1, &literal(&fields));
    let message = frame(DATA, END_STREAM, 1, b"\0\0\0\0\x05\x0a\x03abc");
    let (found, reported, details) = outcome(&[head, message].concat(), &reply(1));
    assert_eq!((found, reported), (1, vec!["not-json"]));
    assert!(details.contains("gRPC"), "{details}");
}

#[test]
fn connections_through_proxies_are_read_by_their_content() {
    let set = builtin();
    let [client, server] = connection(&calls(), &[3, 1, 4, 1, 5]);
    let connect = Talk::new(3128, [1, 2])
        .says(
            true,
            b"CONNECT shop:80 HTTP/1.1\r\nHost: shop:80\r\n\r\n",
            &[99],
        )
        .says(false, b"HTTP/1.1 200 Connection established\r\n\r\n", &[99]);
    let bare = Talk::new(9, [1, 2]);
    for proxy in [connect, bare] {
        let read = |client: &[u8], server: &[u8]| {
            let talk = proxy
                .clone()
                .says(true, client, &[500])
                .says(false, server, &[500]);
            checked(&pcap(&talk.ends(), Link::Raw, Version::Four), None, &set)
        };
        let report = read(&client, &server);
        assert_eq!(
            (unnumbered(&report), reasons(&report)),
            (oracle(&set, &calls()), vec![])
        );
        let ask = format!(
            "POST {CHAT} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{USE}",
            USE.len()
        );
        let report = read(ask.as_bytes(), b"HTTP/1.1 204 No Content\r\n\r\n");
        assert_eq!((report.findings.len(), reasons(&report)), (1, vec![]));
        let tls = [&[0x16, 3, 1, 2, 0, 1, 0, 1, 0xFC, 3, 3][..], &[7; 500]].concat();
        assert_eq!(reasons(&read(&tls, &tls)), ["encrypted"]);
        assert_eq!(
            reasons(&read(b"EHLO there, are you in?\r\n", b"250 ok")),
            ["not-http"]
        );
    }
}

#[test]
fn a_connection_through_a_socks_proxy_is_reported_with_all_its_bytes() {
    let ask = format!(
        "POST {CHAT} HTTP/1.1\r\nContent-Length: {}\r\n\r\n{USE}",
        USE.len()
    );
    let said: [(bool, &[u8]); 6] = [
        (true, b"\x05\x01\0"),
        (false, b"\x05\0"),
        (true, b"\x05\x01\0\x03\x04shop\0\x50"),
        (false, b"\x05\0\0\x01\0\0\0\0\0\0"),
        (true, ask.as_bytes()),
        (false, b"HTTP/1.1 204 No Content\r\n\r\n"),
    ];
    let talk = said
        .iter()
        .fold(Talk::new(1080, [1, 2]), |talk, (is_client, bytes)| {
            talk.says(*is_client, bytes, &[500])
        });
    let report = checked(
        &pcap(&talk.ends(), Link::Raw, Version::Four),
        None,
        &builtin(),
    );
    assert_eq!(
        (report.findings.len(), reasons(&report)),
        (0, vec!["unread-packets"])
    );
    let bytes: usize = said.iter().map(|(_, bytes)| bytes.len()).sum();
    assert_eq!(report.skipped[0].bytes, bytes);
}

#[test]
fn tunnels_in_a_stream_are_reported() {
    let connect = [(":method", "CONNECT"), (":authority", "x:443")];
    let socket = [
        (":method", "CONNECT"),
        (":protocol", "websocket"),
        (":path", "/live"),
    ];
    for (fields, reason) in [(&connect[..], "not-http"), (&socket, "websocket")] {
        let head = frame(HEADERS, END_HEADERS, 1, &literal(fields));
        let bytes = frame(DATA, 0, 1, b"\x81\x05hello");
        let (found, reported, _) = outcome(&[&head[..], &bytes, &ask(3)].concat(), &reply(3));
        assert_eq!((found, reported), (2, vec![reason]));
    }
}

#[test]
fn what_violates_the_rfc_stops_its_direction() {
    let head = frame(HEADERS, END_HEADERS, 3, &literal(&ASK));
    let open = frame(HEADERS, 0, 3, &literal(&ASK));
    let cases = [
        (
            frame(SETTINGS, 0, 7, &[]),
            "no frame where one should begin",
        ),
        (frame(PING, 0, 0, b"abc"), "no frame where one should begin"),
        (
            frame(DATA, END_STREAM, 3, b"{}"),
            "comes before its header fields",
        ),
        (
            [open, frame(PING, 0, 0, &[0; 8])].concat(),
            "interrupted by another frame",
        ),
        (
            frame(CONTINUATION, END_HEADERS, 3, b""),
            "interrupted by another frame",
        ),
        (
            frame(HEADERS, END_HEADERS | PADDED, 3, &[200, 1, 2]),
            "shorter than its padding",
        ),
        (
            frame(HEADERS, END_HEADERS, 3, &[0xFF, 0x80]),
            "ends within a field",
        ),
        (frame(HEADERS, END_HEADERS, 3, &[0xBE]), "not in the table"),
        (
            frame(HEADERS, END_HEADERS, 3, &[0x3F, 0xFF, 0xFF, 0x7F]),
            "larger than 1 MiB",
        ),
        (
            frame(PROMISE, END_HEADERS, 1, &[0, 0, 0, 2]),
            "a stream is promised",
        ),
    ];
    for (wrong, detail) in cases {
        let client = [ask(1), wrong.clone(), ask(5)].concat();
        let (found, reported, details) = outcome(&client, &[reply(1), reply(5)].concat());
        assert_eq!(
            (found, reported),
            (2, vec!["no-exchange", "broken-capture"]),
            "{details}"
        );
        assert!(details.contains(detail), "{details}");
        // Of an open header block, the content counts, without the head of its frame.
        let unread = unread_bytes(&client, &[reply(1), reply(5)].concat());
        let expected = wrong.len() + ask(5).len();
        assert!(
            unread == expected || unread == expected - 9,
            "{detail}: {unread} {expected}"
        );
    }
    let settings = frame(SETTINGS, 0, 0, &[]);
    let directions = [
        [&b"GARBAGE* HTTP/2.0\r\n\r\nSM\r\n\r\n"[..], &head].concat(),
        settings,
    ];
    assert!(!reasons(&check(&directions)).is_empty());
}

#[test]
fn a_request_without_a_path_is_reported() {
    let head = frame(
        HEADERS,
        END_HEADERS | END_STREAM,
        1,
        &literal(&[(":method", "GET")]),
    );
    let (found, reported, details) = outcome(&[head, ask(3)].concat(), &reply(3));
    assert_eq!((found, reported), (2, vec!["broken-capture"]));
    assert!(details.contains("method and path"), "{details}");
}

// ---- limits ----

#[test]
fn a_flood_of_continuations_stops_its_direction() {
    let piece = [b'x'; 16_000];
    let mut client = [ask(1), frame(HEADERS, 0, 3, &literal(&ASK))].concat();
    client.extend((0..20).flat_map(|_| frame(CONTINUATION, 0, 3, &piece)));
    let (found, reported, details) = outcome(&client, &reply(1));
    assert_eq!((found, reported), (2, vec!["broken-capture"]));
    assert!(
        details.contains("a header block of more than 256 KiB"),
        "{details}"
    );
}

/// A block whose fields refer to one large field, over and over.
fn references(count: usize) -> Vec<u8> {
    let field = [&[0x40][..], &string("x-large"), &string(&"y".repeat(3_900))].concat();
    [literal(&ASK), field, vec![0xBE; count]].concat()
}

#[test]
fn header_fields_that_expand_too_far_are_given_up_with_their_message() {
    let large = frame(HEADERS, END_HEADERS | END_STREAM, 1, &references(100));
    let (found, reported, details) = outcome(&[large, ask(3)].concat(), &reply(3));
    assert_eq!((found, reported), (2, vec!["broken-capture"]));
    assert!(
        details.contains("header fields have more than 256 KiB"),
        "{details}"
    );
    // The table is that after the large message: another may refer to it.
    let next = [literal(&ASK), vec![0xBE]].concat();
    let client = [
        frame(HEADERS, END_HEADERS | END_STREAM, 1, &references(100)),
        frame(HEADERS, END_HEADERS, 3, &next),
        frame(DATA, END_STREAM, 3, USE.as_bytes()),
    ];
    assert_eq!(outcome(&client.concat(), &reply(3)).0, 2);
}

#[test]
fn header_blocks_that_expand_too_far_together_stop_their_direction() {
    let first = frame(HEADERS, END_HEADERS | END_STREAM, 1, &references(1_000));
    let (_, reported, _) = outcome(&first, b"");
    assert_eq!(reported, ["broken-capture"]);
    let again = [literal(&ASK), vec![0xBE; 1_000]].concat();
    let again = (1..10).flat_map(|id| frame(HEADERS, END_HEADERS | END_STREAM, 2 * id + 1, &again));
    let (_, reported, details) = outcome(&[first, again.collect()].concat(), b"");
    assert_eq!(reported, ["expands-too-far", "broken-capture"]);
    assert!(
        details.contains("the header blocks of a connection"),
        "{details}"
    );
}

#[test]
fn open_streams_are_limited() {
    let open = |number: u32| frame(HEADERS, END_HEADERS, 2 * number + 1, &literal(&ASK));
    let opened: Vec<u8> = (0..4_100).flat_map(open).collect();
    let (_, reported, details) = outcome(&opened, b"");
    assert_eq!(reported, ["truncated", "broken-capture"]);
    assert!(details.contains("more than 4096 open streams"), "{details}");
    // Those that were aborted make room.
    let reset = |number: u32| frame(RESET, 0, 2 * number + 1, &[0, 0, 0, 8]);
    let aborted: Vec<u8> = (0..10_000)
        .flat_map(|number| [ask(2 * number + 1), reset(number)].concat())
        .collect();
    assert_eq!(outcome(&aborted, b"").1, Vec::<&str>::new());
}

#[test]
fn a_body_beyond_the_limit_is_too_large_and_the_next_is_read() {
    let limits = Limits {
        record: 16 * 1024,
        ..Limits::default()
    };
    let head = frame(HEADERS, END_HEADERS, 1, &literal(&[(":status", "200")]));
    let body: Vec<u8> = (0..9)
        .flat_map(|_| frame(DATA, 0, 1, &[b' '; 200]))
        .collect();
    let server = [head, body, reply(3)].concat();
    let (found, reported, _) = outcome_in(&[ask(1), ask(3)].concat(), &server, limits);
    assert_eq!((found, reported), (3, vec!["too-large"]));
}
