//! Test cassettes: what recorders write, whole, cut off, broken, and what only looks like it.

use std::io::Read as _;
use std::path::Path;

use base64::Engine as _;
use proptest::prelude::*;

use super::support::{builtin, options, repository};
use sundown_captures::{Format, Gauge, Sniffed, sniff};
use sundown_lint::rules::RuleSet;
use sundown_report::Report;
use sundown_run::{CheckOptions, check};
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, DocumentFormat};
use sundown_text_json::text::Block;

const BODY: &str = r#"{"messages": [{"citations": ["it''s\n"]}]}"#;

/// An interaction of each recorder, with one use in the request and one in the response.
fn vcr(body: &str) -> String {
    format!(
        "- request:\n    method: post\n    uri: http://h/rest/api/v1/chat\n    body:\n      encoding: UTF-8\n      string: '{body}'\n    headers:\n      Content-Type:\n      - application/json\n  response:\n    status:\n      code: 200\n      message: OK\n    headers: {{}}\n    body:\n      encoding: UTF-8\n      string: '{body}'\n    http_version:\n  recorded_at: Sat, 21 Nov 2026 15:57:28 GMT\n"
    )
}

fn vcrpy(body: &str) -> String {
    let escaped = body
        .replace("''", "'")
        .replace('\\', "\\\\")
        .replace('"', "\\\"");
    let folded = escaped.replace(" [{", "\n        [{");
    format!(
        "- request:\n    body: '{body}'\n    headers:\n      Accept:\n      - '*/*'\n    method: POST\n    uri: http://h/rest/api/v1/chat\n  response:\n    body:\n      string: \"{folded}\"\n    headers:\n      Content-Type:\n      - application/json\n    status:\n      code: 200\n      message: OK\n"
    )
}

fn go_vcr(body: &str) -> String {
    let plain = body.replace("''", "'");
    format!(
        "    - id: 0\n      request:\n        proto: HTTP/1.1\n        content_length: 40\n        body: |\n            {plain}\n        form: {{}}\n        headers:\n            Content-Type:\n                - application/json\n        url: http://h/rest/api/v1/chat\n        method: POST\n      response:\n        proto: HTTP/1.1\n        body: |-\n            {plain}\n        headers: {{}}\n        status: 200 OK\n        code: 200\n        duration: 1.2ms\n"
    )
}

/// A format, a cassette in it, and how an interaction of it is written.
type Cassette = (Format, String, fn(&str) -> String);

/// A cassette of each recorder with this number of interactions.
fn cassettes(count: usize) -> [Cassette; 3] {
    let list = |one: fn(&str) -> String| (0..count).map(|_| one(BODY)).collect::<String>();
    [
        (
            Format::Vcr,
            format!(
                "---\nhttp_interactions:\n{}recorded_with: VCR 6.0.0\n",
                list(vcr)
            ),
            vcr,
        ),
        (
            Format::Vcrpy,
            format!("interactions:\n{}version: 1\n", list(vcrpy)),
            vcrpy,
        ),
        (
            Format::GoVcr,
            format!("---\nversion: 2\ninteractions:\n{}", list(go_vcr)),
            go_vcr,
        ),
    ]
}

fn checked(bytes: &[u8], format: Option<Format>, set: &RuleSet) -> Report {
    let options = CheckOptions {
        format,
        fold: false,
        ..options(Path::new("-"), set)
    };
    check(&options, &mut &*bytes, &Gauge::default())
}

/// Record, side and pointer of all findings.
fn uses(report: &Report) -> Vec<(usize, String, String)> {
    let one = |placed: &sundown_report::LocatedFinding| {
        let found = &placed.finding.found;
        let index = found.exchange.as_ref().map_or(0, |exchange| exchange.index);
        let pointer = found
            .pointer
            .as_ref()
            .map_or(String::new(), |pointer| pointer.exact.to_string());
        (index, found.part.name().to_owned(), pointer)
    };
    report.findings.iter().map(one).collect()
}

/// The reasons for not checking pieces of the file.
fn reasons(report: &Report) -> Vec<&'static str> {
    let names = report.skipped.iter().map(|skipped| skipped.reason.name());
    names.filter(|name| *name != "nothing-to-check").collect()
}

fn format_of(text: &str) -> Sniffed {
    sniff(Block::whole(text.as_bytes()))
}

#[test]
fn each_recorder_is_recognised_by_its_keys() {
    for (format, text, _) in cassettes(2) {
        assert_eq!(format_of(&text), Sniffed::Format(format));
        assert_eq!(
            format_of(&format!("\u{feff}# ours\n{text}")),
            Sniffed::Format(format)
        );
        let beginning = &text[..text.len() / 2];
        assert_eq!(format_of(beginning), Sniffed::Format(format), "cut off");
        assert_eq!(
            format_of(&text.replace('\n', "\r\n")),
            Sniffed::Format(format)
        );
    }
}

#[test]
fn a_complete_cassette_is_never_truncated_whatever_its_style_and_order() {
    let set = builtin();
    let request = "body: '{\"citations\": []}'\n    headers:\n      ? !!python/object/apply:multidict._multidict.istr\n      - Content-Type\n      : - application/json\n    method: POST\n    uri: http://h/rest/api/v1/chat";
    let response = "response:\n    body: {string: '{}'}\n    headers: {}\n    status: {code: 200, message: OK}";
    let item = format!("interactions:\n- request:\n    {request}\n  {response}\n");
    let in_r = vcr("{\"citations\": []}") + "  recorded_with: vcr/1.6.0, webmockr/1.0.0\n";
    let other = "command: 'st run'\nrecorded_with: 'Schemathesis 4.0.0'\nseed: 1\nmeta:\n  a: b\nhttp_interactions:\n- id: 'a1'\n  request:\n    uri: 'http://h/rest/api/v1/chat'\n    method: 'POST'\n    body:\n      string: '{\"citations\": []}'\n  response: null\n";
    for (text, cut, count) in [
        (
            format!("version: 1\n{item}"),
            "{code: 200, message: OK}\n",
            1,
        ),
        (format!("http_interactions:\n{in_r}"), "  recorded_at", 2),
        (other.to_owned(), "null\n", 1),
    ] {
        let report = checked(text.as_bytes(), None, &set);
        assert_eq!(
            (uses(&report).len(), reasons(&report)),
            (count, vec![]),
            "{text}"
        );
        let end = text.rfind(cut).unwrap();
        let report = checked(&text.as_bytes()[..end], None, &set);
        assert_eq!(reasons(&report), ["truncated"], "{text}");
    }
}

#[test]
fn what_only_looks_like_a_cassette_is_not_read_as_one() {
    for text in [
        "interactions: we had many\n- request: none\n",
        "interactions:\n- request:\n    path: /x\n- uri: x\n",
        "interactions:\n- name: x\n  uri: /x\n",
        "version: 3\nservices:\n  a:\n    request:\n      uri: x\n",
        "name: x\ninteractions:\n- request:\n    uri: /x\n",
        "interactions: []\n",
        "- request:\n    uri: /x\n",
        "http_interactions are recorded\n",
    ] {
        assert!(matches!(format_of(text), Sniffed::Not(..)), "{text}");
    }
    for text in [
        r#"{"interactions": [{"request": {"method": "GET", "path": "/x"}}], "consumer": {}}"#,
        r#"{"interactions": [1, 2]}"#,
        r#"{"http_interactions": {"a": 1}}"#,
    ] {
        assert_eq!(format_of(text), Sniffed::Format(Format::Json), "{text}");
    }
}

#[test]
fn a_truncated_cassette_gives_its_complete_interactions_and_is_reported() {
    let set = builtin();
    for (format, text, _) in cassettes(2) {
        let whole = uses(&checked(text.as_bytes(), Some(format), &set));
        for cut in 1..text.len() {
            let report = checked(&text.as_bytes()[..cut], Some(format), &set);
            let found = uses(&report);
            assert_eq!(found, whole[..found.len()], "{format:?} {cut}");
            let reported = reasons(&report);
            assert!(reported.len() <= 1, "{format:?} {cut}: {reported:?}");
            let missing = reported.is_empty() && found != whole;
            // Nothing shows that a recorder would have gone on; the first version of go-vcr writes no duration.
            let rest = text[cut..].trim_start();
            let last = text[..cut].lines().last().unwrap().trim_start();
            let is_between = rest.starts_with("- ")
                || rest.starts_with("duration:")
                || last.starts_with("duration:");
            assert!(
                !missing || is_between,
                "{format:?} {cut}: {:?}",
                &text[..cut]
            );
            if found.len() == 2 && !reported.is_empty() {
                assert_eq!(reported, ["truncated"], "{format:?} {cut}");
            }
        }
    }
}

const IN_JSON: &str = r#"{"http_interactions": [
  {"request": {"body": {"encoding": "utf-8", "string": "{\"messages\": [{\"citations\": []}]}"}, "headers": {}, "method": "POST", "uri": "http://h/rest/api/v1/chat"},
   "response": {"body": {"encoding": "utf-8", "base64_string": "eyJtZXNzYWdlcyI6W3siY2l0YXRpb25zIjpbXX1dfQ"}, "status": {"code": 200}}, "recorded_at": "2026-11-21T15:57:28"},
  {"request": {"body": {"string": ""}, "method": "GET", "uri": "http://h/x"}, "response": {"body": {"string": "{}"}}}
], "recorded_with": "betamax/0.9.0"}"#;

#[test]
fn a_truncated_json_cassette_gives_its_complete_interactions_and_is_reported() {
    let set = builtin();
    let whole = uses(&checked(IN_JSON.as_bytes(), None, &set));
    assert_eq!(whole.len(), 2);
    for cut in 1..IN_JSON.len() {
        let report = checked(&IN_JSON.as_bytes()[..cut], Some(Format::Vcr), &set);
        let found = uses(&report);
        assert_eq!(found, whole[..found.len()], "{cut}");
        assert_eq!(
            reasons(&report),
            ["truncated"],
            "{cut}: {}",
            &IN_JSON[..cut]
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_broken_interaction_does_not_hide_the_others(
        kind in 0usize..3,
        at in any::<prop::sample::Index>(),
        byte in prop::sample::select(&b"\"'\n\\:-{}[]#&*!|> \xff\0"[..]),
    ) {
        let set = builtin();
        let (format, text, one) = cassettes(3)[kind].clone();
        let begins = text.find(&one(BODY)).unwrap() + one(BODY).len();
        let first_line = begins + text[begins..].find('\n').unwrap() + 1;
        // Neither its first line nor the last line feed, which separate interactions.
        let room = begins + one(BODY).len() - 1 - first_line;
        let mut bytes = text.clone().into_bytes();
        bytes[first_line + at.index(room)] = byte;
        let report = checked(&bytes, Some(format), &set);
        let found = uses(&report);
        let of = |index| found.iter().filter(|one| one.0 == index).count();
        prop_assert_eq!(of(0), 2, "{}", String::from_utf8_lossy(&bytes));
        let last = found.iter().map(|one| one.0).max().unwrap();
        prop_assert!(last >= 2 && of(last) == 2, "{}", String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn no_changed_byte_breaks_the_json_reader(
        at in any::<prop::sample::Index>(),
        byte in prop::sample::select(&b"\"\\:{}[],x\xff\0"[..]),
    ) {
        let mut bytes = IN_JSON.as_bytes().to_vec();
        bytes[at.index(IN_JSON.len())] = byte;
        let report = checked(&bytes, Some(Format::Vcr), &builtin());
        prop_assert!(uses(&report).len() <= 2);
    }
}

/// A cassette of vcrpy with one response, with its body in this spelling.
fn with_response(body: &str, headers: &str) -> String {
    format!(
        "interactions:\n- request:\n    body: null\n    headers: {{}}\n    method: POST\n    uri: http://h/rest/api/v1/chat\n  response:\n    body:\n      string: {body}\n    headers: {headers}\n    status: {{code: 200, message: OK}}\nversion: 1\n"
    )
}

fn in_base64(bytes: &[u8]) -> String {
    base64::engine::general_purpose::STANDARD.encode(bytes)
}

#[test]
fn a_body_larger_than_the_limit_is_not_unpacked() {
    let bomb = zstd::encode_all(std::io::repeat(b' ').take(3_000_000), 19).unwrap();
    let text = with_response(&format!("!!binary {}", in_base64(&bomb)), "{}");
    let set = builtin();
    let mut options = options(Path::new("-"), &set);
    options.settings.limits = Limits {
        record: 2 << 20,
        ..Limits::default()
    };
    let report = check(&options, &mut text.as_bytes(), &Gauge::default());
    assert!(
        reasons(&report).contains(&"too-large"),
        "{:?}",
        report.skipped
    );
}

/// A cassette of vcrpy whose serializer keeps JSON bodies as structure.
const STRUCTURED: &str = "interactions:
- request:
    headers:
      content-type:
      - application/json
    method: POST
    parsed_body:
      messages:
      - 'citations':
        - id: 0x1F
        text: 'it''s'
    uri: http://h/rest/api/v1/chat
  response:
    headers: {}
    parsed_body:
      messages:
      - &first
        citations: []
      - *first
    status:
      code: 200
      message: OK
";

#[test]
fn a_cassette_whose_serializer_moves_or_drops_the_last_line_is_complete() {
    let set = builtin();
    let two = format!("{STRUCTURED}{}", &STRUCTURED["interactions:\n".len()..]);
    let whole = uses(&checked(two.as_bytes(), None, &set));
    assert_eq!(whole.len(), 6);
    for text in [
        two.clone(),
        format!("version: 1\n{two}"),
        format!("{two}version: 1\n"),
    ] {
        assert_eq!(
            reasons(&checked(text.as_bytes(), None, &set)),
            [""; 0],
            "{text}"
        );
    }
    let (_, usual, _) = &cassettes(2)[1];
    let moved = format!(
        "version: 1\n{}",
        usual.strip_suffix("version: 1\n").unwrap()
    );
    let report = checked(moved.as_bytes(), None, &set);
    assert_eq!((uses(&report).len(), reasons(&report).len()), (4, 0));
    for text in [&two, &moved] {
        for cut in text.find("- request").unwrap() + 1..text.len() {
            let report = checked(&text.as_bytes()[..cut], Some(Format::Vcrpy), &set);
            let is_between = text[cut..].starts_with("- request");
            assert!(
                !reasons(&report).is_empty() || is_between,
                "{}",
                &text[..cut]
            );
        }
    }
}

#[test]
fn yaml_is_read_as_python_reads_it() {
    let folder = repository("testdata/yaml");
    let expected = std::fs::read_to_string(folder.join("expected.json")).unwrap();
    let expected: std::collections::BTreeMap<String, [String; 2]> =
        serde_json::from_str(&expected).unwrap();
    assert!(expected.len() > 50);
    let set = builtin();
    for (name, bodies) in expected {
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        let report = checked(text.as_bytes(), None, &set);
        assert_eq!(
            (uses(&report).len(), reasons(&report).len()),
            (2, 0),
            "{name}"
        );
        if !name.contains("binary") {
            let spans = report
                .findings
                .iter()
                .map(|placed| placed.finding.found.span);
            for key in
                spans.map(|span| text[span.start..span.end].replace(['\\', '\r', '\n', ' '], ""))
            {
                assert_eq!(key, "\"citations\"", "{name}");
            }
        }
        let text = text.trim_start_matches('\u{feff}');
        let document = Document::parse(text, DocumentFormat::Yaml).unwrap();
        let read = [
            "/interactions/0/request/body",
            "/interactions/0/response/body/string",
        ]
        .map(|pointer| document.at(pointer).unwrap().text().unwrap().to_owned());
        if !name.contains("binary") {
            // YAML 1.1 has more line breaks, which a library may write for those in a text.
            let plain = |text: &String| {
                let is_break = |c: char| c.is_whitespace() || "\u{85}\u{2028}".contains(c);
                text.chars().filter(|&c| !is_break(c)).collect::<String>()
            };
            assert_eq!(
                read.each_ref().map(plain),
                bodies.each_ref().map(plain),
                "{name}"
            );
        }
    }
}
