//! Rules about one value of a query parameter, a header field or a field, in all spellings.

use std::fmt::Write as _;

use proptest::prelude::*;
use regex::{Captures, Regex};
use sundown_lint::rules::{RuleFile, RuleSet};

use super::support::check_bytes;

/// Rules about a value of each part of a call.
fn rule_set(value: &str) -> RuleSet {
    let value = json_string(value, false);
    let rule = |part: &str| {
        format!("[[rule]]\nid = '{part}'\noperation = 'POST /a'\n{part} = 'v'\nvalue = {value}\n")
    };
    let rules: String = ["parameter", "header", "field"].map(rule).concat();
    let file = RuleFile::parse("test", &format!("api = 'Shop'\n{rules}"));
    RuleSet::new(vec![file.unwrap()]).unwrap()
}

/// The rule and the line of each finding in a log.
fn found(set: &RuleSet, lines: &[String]) -> Vec<String> {
    let report = check_bytes(lines.join("\n").as_bytes(), None, set);
    let place = |located: &sundown_report::LocatedFinding| {
        format!(
            "{} in line {}",
            located.finding.rule.id, located.location.line
        )
    };
    report.findings.iter().map(place).collect()
}

/// All bytes, or only those that have to be, with percent-encoding.
fn percent_encoded(text: &str, all: bool, space: &str) -> String {
    text.bytes().fold(String::new(), |mut encoded, byte| {
        match byte {
            b' ' => encoded.push_str(space),
            byte if byte.is_ascii_alphanumeric() && !all => encoded.push(byte.into()),
            byte => write!(encoded, "%{byte:02x}").unwrap(),
        }
        encoded
    })
}

/// A JSON string with all characters as escapes, or only those that need one.
fn json_string(text: &str, all: bool) -> String {
    if !all {
        return serde_json::Value::from(text).to_string();
    }
    let escapes = text
        .encode_utf16()
        .fold(String::new(), |mut escapes, unit| {
            write!(escapes, "\\u{unit:04x}").unwrap();
            escapes
        });
    format!("\"{escapes}\"")
}

/// A call for each part that can have the value, with the rule that is about it.
fn calls(value: &str, all: bool) -> Vec<(&'static str, String)> {
    let space = if all { "%20" } else { "+" };
    let encoded = percent_encoded(value, all, space);
    let json = json_string(value, all);
    let call = |url: &str, request: &str| {
        format!(r#"{{"method":"POST","url":"{url}","request":{{{request}}}}}"#)
    };
    let form = r#""headers":{"content-type":"application/x-www-form-urlencoded"}"#;
    vec![
        ("parameter", call(&format!("/a?w=1&v={encoded}#x"), "")),
        ("parameter", call(&format!("/a?v=&v={encoded}"), "")),
        (
            "header",
            call("/a", &format!(r#""headers":{{"V":{json}}}"#)),
        ),
        (
            "header",
            call("/a", &format!(r#""headers":{{"v":["", {json}]}}"#)),
        ),
        ("field", call("/a", &format!(r#""body":{{"v":{json}}}"#))),
        (
            "field",
            call("/a", &format!(r#""body":{{"x":[{{"v":[{json}]}}]}}"#)),
        ),
        (
            "field",
            call("/a", &format!(r#"{form},"body":"v={encoded}&w=1""#)),
        ),
    ]
}

proptest! {
    #[test]
    fn a_value_is_found_exactly_where_it_is_equal(
        wanted in r#"[a-cA0-9ä.:/+%&=#"\\-]([ab .,ä]{0,3}[a-b1-3%;])?"#,
        other in r#"[a-cA0-9ä.:/+%&=#"\\-]([ab .,ä]{0,3}[a-b1-3%;])?"#,
        change in 0..5,
        all in any::<bool>(),
    ) {
        let sent = match change {
            0 => other,
            1 => format!("{wanted}{other}"),
            2 => wanted.to_uppercase(),
            _ => wanted.clone(),
        };
        let calls = calls(&sent, all);
        // A comma in quotes separates no members.
        let quoted = Regex::new(r#""(?:[^"\\]|\\.)*(?:"|\\?$)"#).unwrap();
        let masked = quoted.replace_all(&sent, |found: &Captures<'_>| found[0].replace(',', "\0"));
        let is_member = masked.split(',').any(|member| member.replace('\0', ",").trim() == wanted);
        let expected: Vec<_> = (calls.iter().enumerate())
            .filter(|(_, (rule, _))| sent == wanted || *rule == "header" && is_member)
            .map(|(index, (rule, _))| format!("{rule} in line {}", index + 1))
            .collect();
        let lines: Vec<_> = calls.into_iter().map(|(_, line)| line).collect();
        prop_assert_eq!(found(&rule_set(&wanted), &lines), expected);
    }
}
