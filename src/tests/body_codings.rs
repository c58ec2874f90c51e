//! Bodies in the encodings of servers and recorders: a use in one is found, or the body is reported as not checked, in
//! every format.

use std::collections::BTreeSet;
use std::io::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD as BASE64, URL_SAFE_NO_PAD};
use serde_json::json;

use super::recordings::{
    FORMATS_WITHOUT_BODIES, Sent, har_request, har_response, raw_http, recordings,
};
use super::support::{check_bytes, options};
use sundown_captures::{Format, Gauge};
use sundown_exchange::{Reason, Side};
use sundown_lint::rules::Sides;
use sundown_lint::rules::{RuleFile, RuleSet};
use sundown_report::Report;
use sundown_run::{BodyOperation, CheckOptions, check};

const RULES: &str = r#"
api = "Shop"
[[rule]]
id = "price"
operation = "POST /orders"
field = "price"
at = ["$.items[*].price", "$.payload.price"]
"#;

fn rule_set() -> RuleSet {
    RuleSet::new(vec![RuleFile::parse("test", RULES).unwrap()]).unwrap()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn zlib(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

fn deflate(bytes: &[u8]) -> Vec<u8> {
    let mut writer = flate2::write::DeflateEncoder::new(Vec::new(), flate2::Compression::fast());
    writer.write_all(bytes).unwrap();
    writer.finish().unwrap()
}

/// One block without compression (RFC 7932, section 9.2), after one byte of metadata, which is no text.
fn brotli(bytes: &[u8]) -> Vec<u8> {
    let head = (u32::try_from(bytes.len()).unwrap() - 1) << 3 | 1 << 19;
    [&[0x2C, 0, 0xFF], &head.to_le_bytes()[..3], bytes, &[3]].concat()
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .flat_map(|byte| [byte >> 4, byte & 15])
        .map(hex_digit)
        .collect()
}

fn hex_digit(value: u8) -> char {
    char::from_digit(value.into(), 16).unwrap()
}

/// The chunks of a body as Polly.js keeps them.
fn chunks(bytes: &[u8], encode: impl Fn(&[u8]) -> String) -> String {
    serde_json::to_string(&bytes.chunks(10).map(encode).collect::<Vec<_>>()).unwrap()
}

fn utf16(bytes: &[u8], has_mark: bool, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let mark = has_mark.then_some(0xFEFF);
    let text = std::str::from_utf8(bytes).unwrap();
    mark.into_iter()
        .chain(text.encode_utf16())
        .flat_map(to_bytes)
        .collect()
}

type Encoder = fn(&Sent) -> Sent;

/// The encodings of servers.
const CODINGS: [(&str, Encoder); 12] = [
    ("gzip", |sent| Sent {
        coding: Some("gzip"),
        ..sent.with_bytes(gzip(&sent.bytes))
    }),
    ("gzip without a header", |sent| {
        sent.with_bytes(gzip(&sent.bytes))
    }),
    ("gzip twice", |sent| {
        sent.with_bytes(gzip(&gzip(&sent.bytes)))
    }),
    ("zstd", |sent| {
        sent.with_bytes(zstd::encode_all(&*sent.bytes, 1).unwrap())
    }),
    ("zlib", |sent| Sent {
        coding: Some("deflate"),
        ..sent.with_bytes(zlib(&sent.bytes))
    }),
    ("zlib without a header", |sent| {
        sent.with_bytes(zlib(&sent.bytes))
    }),
    ("deflate", |sent| Sent {
        coding: Some("deflate"),
        ..sent.with_bytes(deflate(&sent.bytes))
    }),
    ("brotli", |sent| Sent {
        coding: Some("br"),
        ..sent.with_bytes(brotli(&sent.bytes))
    }),
    ("gzip and brotli", |sent| Sent {
        coding: Some("gzip, br"),
        ..sent.with_bytes(brotli(&gzip(&sent.bytes)))
    }),
    ("a header that outlived the coding", |sent| Sent {
        coding: Some("br"),
        ..sent.clone()
    }),
    ("UTF-16LE", |sent| {
        sent.with_bytes(utf16(&sent.bytes, true, u16::to_le_bytes))
    }),
    ("UTF-16BE without a mark", |sent| {
        sent.with_bytes(utf16(&sent.bytes, false, u16::to_be_bytes))
    }),
];

/// The encodings of recorders, around those of servers.
const NOTATIONS: [(&str, Encoder); 9] = [
    ("as it is", Sent::clone),
    ("base64", |sent| sent.with_bytes(BASE64.encode(&sent.bytes))),
    ("a list of base64", |sent| {
        sent.with_bytes(chunks(&sent.bytes, |chunk| BASE64.encode(chunk)))
    }),
    ("base64 in lines", |sent| {
        let digits = BASE64.encode(&sent.bytes).into_bytes();
        sent.with_bytes(digits.chunks(76).collect::<Vec<_>>().join(&b"\r\n"[..]))
    }),
    ("URL-safe base64", |sent| {
        sent.with_bytes(URL_SAFE_NO_PAD.encode(&sent.bytes))
    }),
    ("a list of numbers", |sent| {
        sent.with_bytes(format!("{:?}", sent.bytes))
    }),
    ("a Buffer of Node.js", |sent| {
        sent.with_bytes(json!({"type": "Buffer", "data": sent.bytes}).to_string())
    }),
    ("an object with its encoding", |sent| {
        let packed = BASE64.encode(&sent.bytes);
        sent.with_bytes(json!({"encoding": "base64", "encoded": packed}).to_string())
    }),
    ("a string in a string", |sent| match sent.text() {
        Some(text) => sent.with_bytes(json!(json!(text).to_string()).to_string()),
        None => sent.clone(),
    }),
];

/// The notations that are recognised, and not read.
const UNREAD_NOTATIONS: [(&str, Encoder); 5] = [
    ("hexadecimal digits", |sent| {
        sent.with_bytes(hex(&sent.bytes))
    }),
    ("a list of hexadecimal digits", |sent| {
        sent.with_bytes(chunks(&sent.bytes, hex))
    }),
    ("bytes of Python", |sent| {
        let escaped = sent.bytes.iter().map(|byte| match byte {
            b'\'' | b'\\' => format!("\\{}", char::from(*byte)),
            b' '..=b'~' => char::from(*byte).to_string(),
            _ => format!("\\x{byte:02x}"),
        });
        sent.with_bytes(format!("b'{}'", escaped.collect::<String>()))
    }),
    ("Latin-1", |sent| {
        sent.with_bytes(
            sent.bytes
                .iter()
                .map(|&byte| char::from(byte))
                .collect::<String>(),
        )
    }),
    ("an object with a member for each byte", |sent| {
        let members = sent.bytes.iter().enumerate();
        let members = members.map(|(at, byte)| format!("\"{at}\":{byte}"));
        sent.with_bytes(format!("{{{}}}", members.collect::<Vec<_>>().join(",")))
    }),
];

fn failures(report: &Report) -> Vec<String> {
    let failed = report
        .skipped
        .iter()
        .filter(|skip| skip.reason.kind().name() == "failed");
    failed
        .map(|skip| format!("{}: {:?}", skip.reason.name(), skip.detail))
        .collect()
}

/// Checks a recording. `validates_all` leaves out the quick walk.
fn report_on(format: &str, recording: &[u8], rules: &RuleSet, validates_all: bool) -> Report {
    let format = Format::ALL
        .iter()
        .copied()
        .find(|known| known.spec().name == format)
        .unwrap();
    // A bare body belongs to no operation.
    let operation = rules.operations()[0].pattern.clone();
    let named = (format.spec().name == "body").then_some(BodyOperation {
        operation,
        sides: Sides::Only(Side::Request),
    });
    let options = options(std::path::Path::new("-"), rules);
    let format = Some(format);
    let mut options = CheckOptions {
        format,
        named,
        fold: false,
        ..options
    };
    options.settings.strict = validates_all;
    check(&options, &mut &*recording, &Gauge::default())
}

/// Returns the number of uses in a recording, and the failures.
fn check_recording(
    format: &str,
    recording: &[u8],
    rules: &RuleSet,
    validates_all: bool,
) -> (usize, Vec<String>) {
    let report = report_on(format, recording, rules, validates_all);
    (report.findings.len(), failures(&report))
}

const BODY: &str = r#"{"note":"é","items":[{"name":"a"},{"price":7}]}"#;

#[test]
fn every_format_that_has_bodies_is_tested() {
    let written = recordings(&Sent::json(BODY));
    let written: BTreeSet<_> = written.iter().map(|(format, _)| *format).collect();
    let without: BTreeSet<_> = FORMATS_WITHOUT_BODIES
        .iter()
        .map(|(format, _)| *format)
        .collect();
    let all: BTreeSet<_> = Format::ALL
        .iter()
        .map(|format| format.spec().name)
        .collect();
    assert!(written.is_disjoint(&without));
    assert_eq!(&written | &without, all);
}

#[test]
fn a_use_is_found_in_every_encoding_in_every_format() {
    let rules = rule_set();
    let (mut checked, mut faults) = (0, Vec::new());
    for (coding, encode) in CODINGS {
        for (notation, write) in NOTATIONS {
            // These bytes look like text in the other encoding.
            let is_utf16 = coding.starts_with("UTF-16");
            if is_utf16 && notation.starts_with("a list of") {
                continue;
            }
            // A list of numbers without the first bytes of JSON or of a magic number is that.
            let has_no_sign = ["brotli", "deflate"]
                .iter()
                .any(|name| coding.ends_with(name));
            if notation == "a list of numbers" && has_no_sign {
                continue;
            }
            // Only JSON is looked for in a string, and a list of bytes in it is one of numbers.
            if notation == "a string in a string" && !coding.starts_with("a header") {
                continue;
            }
            let sent = write(&encode(&Sent::json(BODY)));
            for (format, recording) in recordings(&sent) {
                for validates_all in [false, true] {
                    let result = check_recording(format, &recording, &rules, validates_all);
                    if result != (1, vec![]) {
                        let shown = String::from_utf8_lossy(&recording);
                        faults.push(format!(
                            "{coding}, {notation}, {format}: {result:?} in {shown}"
                        ));
                    }
                }
                checked += 1;
            }
        }
    }
    assert!(
        faults.is_empty(),
        "{} of {checked}:\n{}",
        faults.len(),
        faults.join("\n")
    );
    assert!(checked > 1_000, "{checked}");
}

#[test]
fn a_body_in_a_notation_that_is_not_read_is_reported_in_every_format() {
    let rules = rule_set();
    for (coding, encode) in CODINGS {
        for (notation, write) in UNREAD_NOTATIONS {
            // These bytes look like text in the other encoding.
            let is_utf16 = coding.starts_with("UTF-16");
            if is_utf16 && (notation == "Latin-1" || notation.starts_with("a list of")) {
                continue;
            }
            // Text is Latin-1, too, and an object without the first bytes of JSON or of a magic number is that.
            let is_text = coding == "as it is" || coding.starts_with("a header");
            let has_no_sign = ["brotli", "deflate"]
                .iter()
                .any(|name| coding.ends_with(name));
            let has_no_sign = has_no_sign || is_utf16;
            if notation == "Latin-1" && is_text || notation.starts_with("an object") && has_no_sign
            {
                continue;
            }
            let sent = write(&encode(&Sent::json(BODY)));
            for (format, recording) in recordings(&sent) {
                for validates_all in [false, true] {
                    let (found, failed) =
                        check_recording(format, &recording, &rules, validates_all);
                    let is_said = failed.len() == 1 && failed[0].starts_with("unread-notation: ");
                    assert!(
                        found == 0 && is_said,
                        "{coding}, {notation}, {format}: {failed:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn a_body_without_the_use_is_clean_in_every_encoding() {
    let rules = rule_set();
    let body = BODY.replace("price", "prize");
    for (coding, encode) in CODINGS {
        for (notation, write) in NOTATIONS {
            for (format, recording) in recordings(&write(&encode(&Sent::json(&body)))) {
                let (found, _) = check_recording(format, &recording, &rules, false);
                assert_eq!(found, 0, "{coding}, {notation}, {format}");
            }
        }
    }
}

#[test]
fn damaged_data_is_reported_with_its_coding() {
    let rules = rule_set();
    let body = format!(r#"{{"items":[{{"price":"{}"}}]}}"#, "abcdefgh".repeat(40));
    for (coding, encode) in CODINGS
        .iter()
        .filter(|(coding, _)| !coding.contains("header that"))
    {
        let mut sent = encode(&Sent::json(&body));
        sent.bytes.truncate((sent.bytes.len() / 2) | 1);
        for (notation, write) in NOTATIONS {
            for (format, recording) in recordings(&write(&sent)) {
                let (found, failed) = check_recording(format, &recording, &rules, false);
                let is_reported = found > 0 || !failed.is_empty();
                // Without magic number and header field, these are texts like any other.
                let is_plain = notation != "as it is"
                    && ["zlib", "deflate", "brotli", "gzip and brotli", "UTF-16"]
                        .iter()
                        .any(|name| coding.starts_with(name));
                assert!(is_reported || is_plain, "{coding}, {notation}, {format}");
            }
        }
    }
    let cut = Sent {
        coding: Some("gzip"),
        ..Sent::json(&body)
    };
    let mut bytes = gzip(&cut.bytes);
    bytes.truncate(60);
    let (_, failed) = check_recording("raw-http", &raw_http(&cut.with_bytes(bytes)), &rules, false);
    assert_eq!(
        failed,
        [r#"bad-encoding: Some("the gzip data is damaged")"#]
    );
}

#[test]
fn what_was_compressed_and_has_lost_bytes_is_reported() {
    let rules = rule_set();
    for (coding, encode) in [CODINGS[0], CODINGS[3], CODINGS[6]] {
        let sent = encode(&Sent::json(BODY));
        let lossy = sent.with_bytes(String::from_utf8_lossy(&sent.bytes).into_owned());
        for (format, recording) in recordings(&lossy) {
            let (found, failed) = check_recording(format, &recording, &rules, false);
            assert!(found == 0 && !failed.is_empty(), "{coding}, {format}");
        }
    }
}

#[test]
fn lists_of_strings_that_stand_for_nothing_else_are_json() {
    let rules = rule_set();
    for list in [
        json!(["deadbeef", "cafe"]),
        json!(["7b7d", "not hex"]),
        json!(["aGVsbG8gd29ybGQ=", "aGVsbG8="]),
        json!(["viewer", "admin"]),
        json!([]),
        json!([""]),
    ] {
        for coding in [None, Some("br"), Some("gzip"), Some("deflate")] {
            let sent = Sent {
                coding,
                ..Sent::json(&list.to_string())
            };
            for (format, recording) in recordings(&sent) {
                let result = check_recording(format, &recording, &rules, true);
                assert_eq!(result, (0, vec![]), "{list}, {coding:?}, {format}");
            }
        }
    }
}

#[test]
fn a_bomb_in_a_recording_is_reported() {
    let rules = rule_set();
    let bomb = gzip(&gzip(&vec![b' '; 64 << 20]));
    let sent = Sent {
        coding: Some("gzip"),
        ..Sent::json("")
    }
    .with_bytes(bomb);
    let file = har_response(
        &sent,
        &json!({"text": BASE64.encode(&sent.bytes), "encoding": "base64"}),
    );
    let report = check_bytes(file.as_bytes(), None, &rules);
    assert_eq!(
        failures(&report),
        [r#"expands-too-far: Some("the body is gzip data")"#]
    );
}

/// The rules for forms, whose fields are written in several ways.
const FORM_RULES: &str = r#"
api = "Shop"
[[rule]]
id = "price"
operation = "POST /orders"
field = "price"
at = ["$.items[*].price", "$.payload.price", "$.price"]
[[rule]]
id = "literal"
operation = "POST /orders"
field = "expand[]"
at = ["$['expand[]']"]
[[rule]]
id = "value"
operation = "POST /orders"
field = "kind"
value = "old"
"#;

const FORM: &str = "application/x-www-form-urlencoded";

/// The uses in a recording, each with the text at its position.
fn found_at(format: &str, recording: &[u8], rules: &RuleSet) -> Vec<(String, String)> {
    let report = report_on(format, recording, rules, false);
    assert_eq!(
        failures(&report),
        Vec::<String>::new(),
        "{}",
        String::from_utf8_lossy(recording)
    );
    let found = report.findings.iter().map(|located| {
        let found = &located.finding.found;
        let pointer = found
            .pointer
            .as_ref()
            .map(|pointer| pointer.exact.to_string());
        let text = &recording[found.span.start..found.span.end];
        (
            pointer.unwrap_or_default(),
            String::from_utf8_lossy(text).into_owned(),
        )
    });
    found.collect()
}

#[test]
fn a_use_in_a_form_is_found_at_its_exact_place() {
    let rules = RuleSet::new(vec![RuleFile::parse("test", FORM_RULES).unwrap()]).unwrap();
    for (form, pointer, text) in [
        ("id=1&price=2", "/price", "price"),
        ("items[0][price]=2", "/items/0/price", "price"),
        ("items%5B1%5D%5Bpric%65%5D=2", "/items/1/price", "pric%65"),
        (
            "items[][name]=a&items[][price]=2",
            "/items/0/price",
            "price",
        ),
        ("items.0.price=2", "/items/0/price", "price"),
        ("payload=1&payload[price]=2", "/payload/price", "price"),
        ("payload.price=2", "/payload/price", "price"),
        (
            "payload=%7B%22price%22%3A+7%7D",
            "/payload/price",
            "%22price%22",
        ),
        ("expand[]=a", "/expand[]", "expand[]"),
        ("a=1\n&kind=old&b=2", "/kind", "kind"),
    ] {
        let sent = Sent {
            media_type: FORM,
            ..Sent::json(form)
        };
        let part = form.replace('\n', "\\n");
        for (format, recording) in recordings(&sent) {
            let found = found_at(format, &recording, &rules);
            let is_exact = String::from_utf8_lossy(&recording).contains(&part);
            assert_eq!(found.len(), 1, "{form} in {format}: {found:?}");
            assert_eq!(found[0].0, pointer, "{form} in {format}");
            if is_exact {
                assert_eq!(found[0].1, text, "{form} in {format}");
            }
        }
    }
}

#[test]
fn a_use_in_a_form_of_several_parts_is_found_at_its_exact_place() {
    let rules = RuleSet::new(vec![RuleFile::parse("test", FORM_RULES).unwrap()]).unwrap();
    let form = "--x\r\nContent-Disposition: form-data; name=\"items[0][price]\"\r\n\r\n1\r\n--x\r\nContent-Disposition: form-data; name=\"payload\"\r\nContent-Type: application/json\r\n\r\n{\"price\": 7}\r\n--x--\r\n";
    for media_type in ["multipart/form-data", "multipart/form-data; boundary=x"] {
        let sent = Sent {
            media_type,
            ..Sent::json(form)
        };
        for (format, recording) in recordings(&sent) {
            let found = found_at(format, &recording, &rules);
            let pointers: Vec<_> = found.iter().map(|(pointer, _)| pointer.as_str()).collect();
            assert_eq!(pointers, ["/items/0/price", "/payload/price"], "{format}");
        }
        let raw = found_at("raw-http", &raw_http(&sent), &rules);
        assert_eq!(
            (raw[0].1.as_str(), raw[1].1.as_str()),
            ("price", "\"price\"")
        );
    }
    let cut = Sent {
        media_type: "multipart/form-data",
        ..Sent::json(&form[..120])
    };
    for (format, recording) in recordings(&cut) {
        let (found, failed) = check_recording(format, &recording, &rules, false);
        assert!(found > 0 || !failed.is_empty(), "{format}");
    }
}

#[test]
fn an_encoded_part_of_a_form_is_decoded_or_reported() {
    let rules = RuleSet::new(vec![RuleFile::parse("test", FORM_RULES).unwrap()]).unwrap();
    let form = |encoding: &str, value: &str| {
        format!(
            "--x\r\nContent-Disposition: form-data; name=\"payload\"\r\n{encoding}\r\n\r\n{value}\r\n--x\r\nContent-Disposition: form-data; name=\"id\"\r\n\r\n1\r\n--x--\r\n"
        )
    };
    let json = r#"{"price": 7}"#;
    let base64 = "eyJwcmlj\r\nZSI6IDd9";
    for (encoding, value, found, failed) in [
        ("Content-Transfer-Encoding: base64", base64, 1, 0),
        (
            "X-Part: 1\r\ncontent-transfer-encoding:BASE64 ",
            "eyJwcmljZSI6IDd9",
            1,
            0,
        ),
        ("Content-Transfer-Encoding: base64", json, 1, 0),
        ("Content-Transfer-Encoding: base64", "*", 0, 1),
        (
            "Content-Transfer-Encoding: Quoted-Printable",
            "{\"pr=69=\r\nce\": 7}",
            1,
            0,
        ),
        ("Content-Transfer-Encoding: x-uuencode", json, 0, 1),
        ("Content-Transfer-Encoding: 7bit", json, 1, 0),
        ("Content-Transfer-Encoding: 8bit", json, 1, 0),
        ("Content-Transfer-Encoding: binary", json, 1, 0),
        // Without the header field, it is a text.
        ("Content-Type: text/plain", base64, 0, 0),
        ("X-Content-Transfer-Encoding: base64", base64, 0, 0),
    ] {
        let form = form(encoding, value);
        let sent = Sent {
            media_type: "multipart/form-data",
            ..Sent::json(&form)
        };
        for (format, recording) in recordings(&sent) {
            let (uses, reasons) = check_recording(format, &recording, &rules, false);
            assert_eq!(
                (uses, reasons.len()),
                (found, failed),
                "{encoding} {format} {reasons:?}"
            );
            assert!(
                reasons
                    .iter()
                    .all(|reason| reason.starts_with("bad-encoding")),
                "{reasons:?}"
            );
        }
    }
    let quoted = form(
        "Content-Transfer-Encoding: quoted-printable",
        "{\"pr=69ce\": 7}",
    );
    let sent = Sent {
        media_type: "multipart/form-data",
        ..Sent::json(&quoted)
    };
    let raw = found_at("raw-http", &raw_http(&sent), &rules);
    assert_eq!(
        raw,
        [("/payload/price".to_owned(), "\"pr=69ce\"".to_owned())]
    );
}

#[test]
fn the_parameters_of_a_form_in_an_archive_are_its_fields() {
    let rules = RuleSet::new(vec![RuleFile::parse("test", FORM_RULES).unwrap()]).unwrap();
    let sent = Sent {
        media_type: FORM,
        ..Sent::json("")
    };
    for (name, value, pointer, text) in [
        ("items[0][price]", "1", "/items/0/price", "price"),
        ("items%5B0%5D%5Bprice%5D", "1", "/items/0/price", "price"),
        ("kind", "old", "/kind", "kind"),
        (
            "payload",
            r#"{"price":1}"#,
            "/payload/price",
            "\\\"price\\\"",
        ),
    ] {
        let data = json!({"mimeType": FORM, "params": [{"name": "id", "value": "7"}, {"name": name, "value": value}]});
        let found = found_at("har", har_request(&sent, &data).as_bytes(), &rules);
        assert_eq!(found, [(pointer.to_owned(), text.to_owned())], "{name}");
    }
}

#[test]
fn what_only_looks_like_a_form_is_none() {
    let rules = RuleSet::new(vec![RuleFile::parse("test", FORM_RULES).unwrap()]).unwrap();
    // What is neither JSON nor a form by its type may mention a member.
    for (media_type, body, expected, may_mention) in [
        // curl's default for JSON.
        (FORM, r#"{"price":1}"#, 1, false),
        (FORM, "<price>kind=old&price=1</price>", 0, true),
        ("text/plain", "price=1", 0, true),
        ("text/html", "<a href='?a=1&price=1'>", 0, false),
        ("application/json", r#"{"a":"price=1&kind=old"}"#, 0, false),
        (FORM, "name=price&prices=1&items[0]=price", 0, false),
        (FORM, "kind=new", 0, false),
    ] {
        let sent = Sent {
            media_type,
            ..Sent::json(body)
        };
        for (format, recording) in recordings(&sent) {
            let (found, failed) = check_recording(format, &recording, &rules, false);
            let case = format!("{body} as {media_type} in {format}");
            assert_eq!(found, expected, "{case}");
            let mentions = |text: &String| text.starts_with("unread-notation");
            assert!(
                failed.is_empty() || may_mention && failed.iter().all(mentions),
                "{case}: {failed:?}"
            );
        }
    }
}

#[test]
fn a_json_patch_that_writes_members_is_reported() {
    let rules = rule_set();
    for (patch, is_reported) in [
        (
            r#"[{"op":"replace","path":"/items/0/price","value":1}]"#,
            true,
        ),
        (r#"[{"path":"/items/-","op":"add","value":{"a":1}}]"#, true),
        (r#"[{"op":"remove","path":"/items/0/price"}]"#, false),
        (
            r#"[{"op":"test","path":"/items/0/price","value":1}]"#,
            false,
        ),
    ] {
        for media_type in ["application/json-patch+json", "application/json"] {
            let sent = Sent {
                media_type,
                ..Sent::json(patch)
            };
            for (format, recording) in recordings(&sent) {
                for validates_all in [false, true] {
                    let (found, failed) =
                        check_recording(format, &recording, &rules, validates_all);
                    let is_said = failed
                        .iter()
                        .any(|skip| skip.starts_with("unread-notation: "));
                    assert!(
                        found == 0 && is_said == is_reported,
                        "{patch} in {format}: {failed:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn several_values_in_one_body_are_all_checked() {
    let rules = rule_set();
    for body in [
        format!("\u{1e}{{}}\n\u{1e}{BODY}\n"),
        format!("{{}}{BODY}{{}}"),
        format!("[1]{BODY}"),
        format!("{{}}\n\u{feff}{BODY}\n"),
        format!("\u{feff}{{}}\r\n\u{feff}{BODY}\r\n"),
    ] {
        for (format, recording) in recordings(&Sent::json(&body)) {
            for validates_all in [false, true] {
                let result = check_recording(format, &recording, &rules, validates_all);
                assert_eq!(result, (1, vec![]), "{body:?} in {format}");
            }
        }
    }
}

#[test]
fn graphql_over_http_is_described_by_its_members() {
    let rules = RULES.replace("$.payload.price", "$.variables.price");
    let rules = RuleSet::new(vec![RuleFile::parse("test", &rules).unwrap()]).unwrap();
    let body = r#"{"query":"{ items { price } }","variables":{"price":1},"operationName":null}"#;
    for (format, recording) in recordings(&Sent::json(body)) {
        let found = found_at(format, &recording, &rules);
        assert_eq!(found.len(), 1, "{format}: {found:?}");
        assert_eq!(found[0].0, "/variables/price");
        assert!(found_at(format, &recording, &self::rule_set()).is_empty());
    }
}

#[test]
fn lists_of_bytes_are_found_with_and_without_the_quick_walk() {
    let rules = rule_set();
    let packed = BASE64.encode(gzip(BODY.as_bytes()));
    let (first, rest) = packed.split_at(4);
    for list in [
        json!([first, rest]).to_string(),
        json!(["", packed]).to_string(),
        serde_json::to_string_pretty(&json!([packed])).unwrap(),
    ] {
        for (format, recording) in recordings(&Sent::json(&list)) {
            for validates_all in [false, true] {
                let result = check_recording(format, &recording, &rules, validates_all);
                assert_eq!(result, (1, vec![]), "{list} in {format}");
            }
        }
    }
}

#[test]
fn tokens_and_outlived_fields_are_not_decoded() {
    let rules = RuleSet::new(vec![RuleFile::parse("test", FORM_RULES).unwrap()]).unwrap();
    let token = BASE64.encode(r#"{"price":1}"#);
    for body in [json!(token).to_string(), json!([token]).to_string()] {
        for (format, recording) in recordings(&Sent::json(&body)) {
            let result = check_recording(format, &recording, &rules, true);
            assert_eq!(result, (0, vec![]), "{body} in {format}");
        }
    }
    for coding in ["br", "deflate", "own"] {
        let pdf = Sent {
            media_type: "application/pdf",
            coding: Some(coding),
            ..Sent::json("")
        };
        let pdf = pdf.with_bytes(b"%PDF-1.7 \xff\xfe\x80".to_vec());
        let result = check_recording("raw-http", &raw_http(&pdf), &rules, true);
        assert_eq!(result, (0, vec![]), "{coding}");
        let odd = Sent {
            coding: Some(coding),
            ..Sent::json("")
        };
        let odd = odd.with_bytes(b"{\"price\":1,\"x\":\"\xff\"}".to_vec());
        let (found, failed) = check_recording("raw-http", &raw_http(&odd), &rules, true);
        assert!(
            found == 1 || failed == [r"invalid-utf8: None"],
            "{coding}: {found} {failed:?}"
        );
    }
    let lossy = "data: {\"price\":1}\n\ndata: {\"x\":\"\u{fffd}\"}\n\n";
    let stream = Sent {
        media_type: "text/event-stream",
        coding: Some("br"),
        ..Sent::json(lossy)
    };
    for (format, recording) in recordings(&stream) {
        assert_eq!(
            check_recording(format, &recording, &rules, true).0,
            1,
            "{format}"
        );
    }
}

#[test]
fn endless_forms_are_refused() {
    let rules = rule_set();
    let sent = Sent {
        media_type: FORM,
        ..Sent::json(&"a&".repeat(30_000))
    };
    let (_, failed) = check_recording("raw-http", &raw_http(&sent), &rules, false);
    assert_eq!(
        failed,
        [r#"beyond-limit: Some("a form with more than 20000 fields")"#]
    );
}

#[test]
fn a_part_of_a_form_without_a_name_is_counted() {
    let rules = rule_set();
    let form = "--x\r\nContent-Disposition: form-data\r\n\r\n1\r\n--x\r\nContent-Disposition: form-data; name=\"items[0][price]\"\r\n\r\n1\r\n--x--\r\n";
    let sent = Sent {
        media_type: "multipart/form-data",
        ..Sent::json(form)
    };
    for (format, recording) in recordings(&sent) {
        let report = report_on(format, &recording, &rules, false);
        let is_counted = report
            .skipped
            .iter()
            .any(|skip| skip.reason == Reason::NotJson);
        assert_eq!((report.findings.len(), is_counted), (1, true), "{format}");
    }
}
