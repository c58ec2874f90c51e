//! Every field finding's span is its key, quotes and escapes and all, in random bodies, plain and inside HAR strings.

use std::fmt::Write as _;
use std::path::Path;

use proptest::prelude::*;

use super::support::{check_with, day};
use sundown_lint::rules::{Lifecycle, RuleFile, RuleSet, Sides};
use sundown_report::Report;
use sundown_run::BodyOperation;
use sundown_text_json::json::string;
use sundown_text_json::text::Span;

/// A JSON value that remembers how its keys are to be written, duplicates and all.
#[derive(Debug, Clone)]
enum Json {
    Scalar(String),
    Array(Vec<Json>),
    Object(Vec<(Key, Json)>),
}

/// A name, and which of its characters are written as `\u` escapes (one bit each).
#[derive(Debug, Clone)]
struct Key {
    name: &'static str,
    escaped: u8,
}

impl Key {
    fn written(&self) -> String {
        let mut text = String::from("\"");
        for (at, character) in self.name.chars().enumerate() {
            if self.escaped >> (at % 8) & 1 == 1 {
                let _ = write!(text, "\\u{:04x}", u32::from(character));
            } else {
                text.push(character);
            }
        }
        text + "\""
    }
}

/// An expected finding: the key's span and pointer, and the number of uses inside its value.
#[derive(Debug, PartialEq, Eq)]
struct Expected {
    span: Span,
    pointer: String,
    inside: usize,
}

/// Writes a value and notes the uses of `old` on the way: the slow, plain evaluator.
struct Writer {
    text: String,
    uses: Vec<Expected>,
    /// True if an enclosing key is already a use.
    inside: bool,
}

impl Writer {
    fn value(&mut self, value: &Json, pointer: &str) {
        match value {
            Json::Scalar(text) => self.text.push_str(text),
            Json::Array(items) => {
                self.text.push('[');
                for (index, item) in items.iter().enumerate() {
                    self.text.push_str(if index > 0 { ", " } else { "" });
                    self.value(item, &format!("{pointer}/{index}"));
                }
                self.text.push(']');
            }
            Json::Object(members) => {
                self.text.push_str("{\n");
                for (index, (key, value)) in members.iter().enumerate() {
                    self.text.push_str(if index > 0 { ",\n" } else { "" });
                    self.member(key, value, &format!("{pointer}/{}", key.name));
                }
                self.text.push('}');
            }
        }
    }

    fn member(&mut self, key: &Key, value: &Json, pointer: &str) {
        let start = self.text.len();
        self.text.push_str(&key.written());
        let span = Span::new(start, self.text.len());
        self.text.push_str(" :");
        if key.name == "old" && self.inside {
            self.uses.last_mut().unwrap().inside += 1;
            self.value(value, pointer);
        } else if key.name == "old" {
            self.uses.push(Expected {
                span,
                pointer: pointer.to_owned(),
                inside: 0,
            });
            self.inside = true;
            self.value(value, pointer);
            self.inside = false;
        } else {
            self.value(value, pointer);
        }
    }
}

fn written(value: &Json) -> (String, Vec<Expected>) {
    let mut writer = Writer {
        text: String::new(),
        uses: Vec::new(),
        inside: false,
    };
    writer.value(value, "");
    (writer.text, writer.uses)
}

fn json() -> impl Strategy<Value = Json> {
    let scalar = prop_oneof![
        any::<i32>().prop_map(|number| number.to_string()),
        any::<String>().prop_map(|text| serde_json::to_string(&text).unwrap()),
        prop::sample::select(vec![
            r#""old""#,
            r#""\"old\":""#,
            r#""\ud83d\ude00\\""#,
            "null",
            "1e9"
        ])
        .prop_map(str::to_owned),
    ];
    scalar
        .prop_map(Json::Scalar)
        .prop_recursive(5, 40, 5, |inner| {
            let key = (
                prop::sample::select(vec!["old", "new", "é😀", "Old", "olds", ""]),
                any::<u8>(),
            );
            let key = key.prop_map(|(name, escaped)| Key {
                name,
                escaped: if name.is_ascii() { escaped } else { 0 },
            });
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Json::Array),
                prop::collection::vec((key, inner), 0..5).prop_map(Json::Object),
            ]
        })
}

fn rule_set() -> RuleSet {
    let text = "api = 'Test'\n[[rule]]\nid = 'old'\noperation = 'POST /v1/x'\nfield = 'old'\n";
    RuleSet::new(vec![RuleFile::parse("test", text).unwrap()]).unwrap()
}

fn check_text(text: &str, named: bool) -> Report {
    let operation = sundown_exchange::OperationPattern::parse("POST /v1/x").unwrap();
    let side = Sides::Only(sundown_exchange::Side::Request);
    let named = named.then_some(BodyOperation {
        operation,
        sides: side,
    });
    check_with(
        Path::new("-"),
        text.as_bytes(),
        &rule_set(),
        Lifecycle::on(day()),
        named,
        false,
    )
}

fn found(report: &Report) -> Vec<Expected> {
    let expected = |placed: &sundown_report::LocatedFinding| Expected {
        span: placed.finding.found.span,
        pointer: placed
            .finding
            .found
            .pointer
            .as_ref()
            .unwrap()
            .exact
            .to_string(),
        inside: placed.finding.related.len(),
    };
    report.findings.iter().map(expected).collect()
}

/// The text as a JSON string, each character written in one of the ways that JSON allows.
fn as_string(text: &str, choices: &[u8]) -> String {
    let mut literal = String::from("\"");
    for (character, choice) in text.chars().zip(choices.iter().cycle()) {
        let short = serde_json::to_string(&character.to_string()).unwrap();
        match choice % 8 {
            0 => {
                let mut units = [0; 2];
                for unit in character.encode_utf16(&mut units) {
                    let _ = write!(literal, "\\u{unit:04X}");
                }
            }
            1 if character == '/' => literal.push_str("\\/"),
            _ => literal.push_str(&short[1..short.len() - 1]),
        }
    }
    literal + "\""
}

/// A query parameter as a URL writes it.
fn pair() -> impl Strategy<Value = String> {
    let names = vec!["old", "ol%64", "%6Fld", "new", "older", "ol", "o+d", ""];
    let values = vec!["", "=", "=1", "=old", "=%26old=1", "=a=b", "=old+"];
    (prop::sample::select(names), prop::sample::select(values))
        .prop_map(|(name, value)| format!("{name}{value}"))
}

/// Whether a query parameter is the deprecated one.
fn is_old(pair: &str) -> bool {
    let name = pair.split('=').next().unwrap_or_default();
    sundown_text_json::text::percent_decode(name) == "old"
}

/// The findings about the parameter `old`, which is deprecated.
fn check_calls(text: &str) -> Report {
    let rules = "api = 'Test'\n[[rule]]\nid = 'old'\noperation = 'GET /v1/x'\nparameter = 'old'\n";
    let set = RuleSet::new(vec![RuleFile::parse("test", rules).unwrap()]).unwrap();
    let lifecycle = Lifecycle::on(day());
    check_with(
        Path::new("-"),
        text.as_bytes(),
        &set,
        lifecycle,
        None,
        false,
    )
}

proptest! {
    #[test]
    fn of_a_query_parameter(pairs in prop::collection::vec(pair(), 0..6), fragment in prop::sample::select(vec!["", "#old=1", "#a?old=1"])) {
        let url = format!("https://h/v1/x?{}{fragment}", pairs.join("&"));
        let files = [
            format!(r#"{{"method":"GET","url":"{url}"}}"#),
            format!(r#"{{"log":{{"entries":[{{"request":{{"method":"GET","url":"{url}"}}}}]}}}}"#),
            format!("GET {url} HTTP/1.1\nAccept: */*\n\n"),
            format!("192.0.2.1 - - [20/Nov/2026:13:53:49 +0000] \"GET {url} HTTP/1.1\" 200 5 \"-\" \"a\"\n"),
            format!("curl '{url}'\n"),
            format!(r#"{{"info":{{"schema":"https://schema.getpostman.com/json/collection/v2.1.0/collection.json"}},"item":[{{"request":{{"method":"GET","url":{{"raw":"{url}"}}}}}}]}}"#),
        ];
        let expected: Vec<&str> = pairs.iter().filter(|pair| is_old(pair)).take(1).map(|pair| &**pair).collect();
        for file in files {
            let report = check_calls(&file);
            let spans = report.findings.iter().map(|placed| placed.finding.found.span);
            let found: Vec<_> = spans.clone().map(|span| &file[span.start..span.end]).collect();
            prop_assert_eq!(&found, &expected, "{}", file);
            // It is the first of them, in the query.
            let before = spans.map(|span| &file[..span.start]).next();
            let others = before.and_then(|before| before.split_once("x?")).map(|(_, others)| others);
            prop_assert!(others.is_none_or(|others| !others.split('&').any(is_old)), "{}", file);
            for placed in &report.findings {
                let [start, end] = [placed.location.column, placed.end.column];
                prop_assert_eq!(end - start, expected[0].len());
            }
        }
    }

    #[test]
    fn of_a_query_parameter_in_a_url_with_escapes(pairs in prop::collection::vec(pair(), 0..6), choices in prop::collection::vec(any::<u8>(), 1..50)) {
        let url = as_string(&format!("https://h/v1/x?{}", pairs.join("&")), &choices);
        let file = format!(r#"{{"method":"GET","url":{url}}}"#);
        for placed in check_calls(&file).findings {
            let span = placed.finding.found.span;
            let found = &file[span.start..span.end];
            prop_assert!(found == url || is_old(found), "{}", found);
        }
    }

    #[test]
    fn in_a_plain_body(value in json()) {
        let (text, expected) = written(&value);
        let report = check_text(&text, true);
        prop_assert!(report.skipped.is_empty());
        prop_assert_eq!(found(&report), expected);
        for placed in &report.findings {
            let key = &text[placed.finding.found.span.start..placed.finding.found.span.end];
            prop_assert!(key.starts_with('"') && key.ends_with('"'));
            prop_assert_eq!(string::decode(key, Span::new(0, key.len())), "old");
        }
    }

    #[test]
    fn inside_a_har_string(value in json(), choices in prop::collection::vec(any::<u8>(), 1..50)) {
        let (body, expected) = written(&value);
        let before = r#"{"log":{"entries":[{"request":{"method":"POST","url":"https://h/v1/x","postData":{"text":"#;
        let har = format!("{before}{}}}}}}}]}}}}", as_string(&body, &choices));
        let report = check_text(&har, false);
        prop_assert!(report.skipped.is_empty(), "{:?}", report.skipped);
        prop_assert_eq!(report.findings.len(), expected.len());
        for (placed, expected) in report.findings.iter().zip(&expected) {
            let span = placed.finding.found.span;
            let content = before.len() + 1;
            prop_assert_eq!(string::unescape(&har[span.start..span.end]), &body[expected.span.start..expected.span.end]);
            prop_assert_eq!(string::unescape(&har[content..span.start]), &body[..expected.span.start]);
            prop_assert_eq!(&placed.finding.found.pointer.as_ref().unwrap().exact.to_string(), &expected.pointer);
        }
    }

    #[test]
    fn a_truncated_body_gives_the_findings_before_the_cut(value in json(), at in any::<prop::sample::Index>()) {
        let (text, expected) = written(&Json::Array(vec![value]));
        let cut = at.index(text.len() - 1) + 1;
        let bytes = &text.as_bytes()[..cut];
        let operation = sundown_exchange::OperationPattern::parse("POST /v1/x").unwrap();
        let named = Some(BodyOperation { operation, sides: Sides::Both });
        let report = check_with(Path::new("-"), bytes, &rule_set(), Lifecycle::on(day()), named, false);
        let mut spans: Vec<_> = report.findings.iter().map(|placed| placed.finding.found.span).collect();
        spans.dedup();
        // A key counts once its colon has been read.
        let wanted: Vec<_> = expected.iter().map(|use_| use_.span).filter(|span| span.end + 2 <= cut).collect();
        prop_assert_eq!(spans, wanted);
        let reasons: Vec<_> = report.skipped.iter().map(|skipped| (skipped.reason.name(), skipped.count)).collect();
        prop_assert_eq!(reasons, [("truncated", 1)], "once, though checked as both sides");
    }
}
