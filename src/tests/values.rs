//! Rules about one value of a query parameter, a header field or a field: uses, look-alikes, and all spellings.

use std::fmt::Write as _;

use proptest::prelude::*;
use regex::{Captures, Regex};
use sundown_lint::rules::{RuleFile, RuleTable};

use super::support::check_bytes;

/// Rules about a value of each part of a call.
fn table(value: &str) -> RuleTable {
    let value = json_string(value, false);
    let rule = |part: &str| {
        format!("[[rule]]\nid = '{part}'\noperation = 'POST /a'\n{part} = 'v'\nvalue = {value}\n")
    };
    let rules: String = ["parameter", "header", "field"].map(rule).concat();
    let file = RuleFile::parse("test", &format!("api = 'Shop'\n{rules}"));
    RuleTable::new(vec![file.unwrap()]).unwrap()
}

/// The rule and the line of each finding in a log.
fn found(table: &RuleTable, lines: &[String]) -> Vec<String> {
    let report = check_bytes(lines.join("\n").as_bytes(), None, table);
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
        prop_assert_eq!(found(&table(&wanted), &lines), expected);
    }
}

#[test]
fn a_value_elsewhere_or_a_similar_one_is_no_use() {
    let call = |url: &str, request: &str| {
        format!(r#"{{"method":"POST","url":"{url}","request":{{{request}}}}}"#)
    };
    let look_alikes = [
        call("/a?v=2024-01-0", ""),
        call("/a?v=2024-01-011", ""),
        call("/a?v=x2024-01-01", ""),
        call("/a?v=2024-01-01,2024-01-02", ""),
        call("/a?w=2024-01-01&2024-01-01=v", ""),
        call("/a?V=2024-01-01", ""),
        call("/b?v=2024-01-01", ""),
        call("/a/2024-01-01", ""),
        call("/a#?v=2024-01-01", ""),
        call(
            "/a",
            r#""headers":{"w":"2024-01-01","v":"on 2024-01-01, 2024-01-02","v2":"2024-01-01"}"#,
        ),
        call("/a", r#""headers":{"2024-01-01":"v"}"#),
        call(
            "/a",
            r#""body":{"w":"2024-01-01","2024-01-01":"v","text":"v: 2024-01-01"}"#,
        ),
        call("/a", r#""body":{"v":"on 2024-01-01"}"#),
        r#"{"method":"POST","url":"/a","response":{"headers":{"w":"2024-01-01"}}}"#.to_owned(),
    ];
    assert_eq!(found(&table("2024-01-01"), &look_alikes), [""; 0]);
    assert_eq!(
        found(
            &table("2024-01-01"),
            &[call("/a?v=2024-01-01", r#""headers":{"V":" 2024-01-01 "}"#)]
        ),
        ["parameter in line 1", "header in line 1"]
    );
    let list = |text: &str| call("/a", &format!(r#""headers":{{"V":"{text}"}}"#));
    assert_eq!(
        found(
            &table("2024-01-01"),
            &[list("x, 2024-01-01"), list("2024-01-01,2024-01-01")]
        ),
        ["header in line 1", "header in line 2"]
    );
    assert_eq!(
        found(&table("a, b"), &[list("a, b"), list("b, a")]),
        ["header in line 1"]
    );
}

#[test]
fn each_value_of_a_parameter_is_compared_and_reported_once() {
    let rules = "api = 'Shop'
[[rule]]
id = 'old'
operation = 'GET /a'
parameter = 'api-version'
value = '2023-01-01'
[[rule]]
id = 'older'
operation = 'GET /a'
parameter = 'api-version'
value = '2022-01-01'
[[rule]]
id = 'any'
operation = 'GET /a'
parameter = 'api-version'
";
    let table = RuleTable::new(vec![RuleFile::parse("test", rules).unwrap()]).unwrap();
    let found = |url: &str| {
        let found = found(&table, &[format!(r#"{{"method":"GET","url":"{url}"}}"#)]);
        found
            .iter()
            .map(|line| line.replace(" in line 1", ""))
            .collect::<Vec<_>>()
    };
    assert_eq!(found("/a?api-version=2024-01-01"), ["any"]);
    assert_eq!(found("/a?api-version"), ["any"]);
    assert_eq!(
        found("/a?api-version=2022-01-01&api-version=2022-01-01"),
        ["older"]
    );
    // Each occurrence is a key, about which one rule is reported.
    assert_eq!(
        found("/a?api-version=2022-01-01&api-version=2024-01-01"),
        ["older", "any"]
    );
    let all = "/a?api-version=2022-01-01&x&api-version=2023-01-01";
    assert_eq!(found(all), ["older", "old"]);
}
