//! The reports that are web pages: each embeds the JSON report, of which no text is markup in it.
//!
//! `scripts/validate-page.sh` opens them in a browser; these tests cover what can be seen in the text.

use serde_json::{Value, json};

use crate::reports;
use crate::support::Desk;
use crate::usage;

/// The element that has the report.
const START: &str = "<script type=\"application/json\" id=\"report\">";

/// The report that a page embeds, as text; any other text as it is.
pub(crate) fn embedded(page: &str) -> &str {
    let parts = page.split_once(START);
    parts.map_or(page, |(_, rest)| rest.split_once("</script>").unwrap().0)
}

/// A user agent, and names of keys, that would be markup.
const MARKUP: &str = "</script><script>alert(1)</script><!--<img src=x onerror=alert(1)>\"' onload=alert(1) \u{202e}\u{2028}\u{0}";

/// The usage of a hostile log.
fn hostile_usage(format: &str) -> String {
    let log = json!({
        "time": "2026-11-01T00:00:00Z", "method": "POST", "url": "/v1/orders",
        "request": {"headers": {"User-Agent": format!("a/{MARKUP}"), "X-Team": MARKUP}, "body": {"legacyId": 1}},
        "service": {"name": MARKUP},
    });
    let rules = r#"
        api = "<b>x</b>"
        [[rule]]
        id = "legacy-id"
        operation = "POST /v1/orders"
        field = "legacyId"
        replacement = "<img src=x>"
        [[rule]]
        id = "field"
        operation = "POST /v1/orders"
        field = "</td><script>alert(1)</script>"
    "#;
    let desk = Desk::new().with("rules.toml", rules).with(
        "<img src=x>.ndjson",
        format!("{log}\n{{\"method\": \"POST\", \"url\": \"/v1/orders\", \"body\": {{"),
    );
    let arguments = [
        ".",
        "--show-callers",
        "--by",
        "user-agent",
        "--by",
        "header:x-team",
        "--by",
        "file",
        "--by",
        "member:service.name",
        "--format",
        format,
    ];
    usage::usage(&desk, &arguments).stdout
}

fn usage_of_log(format: &str) -> String {
    let arguments = ["log.ndjson", "--by", "user-agent", "--format", format];
    usage::usage(&usage::desk(), &arguments).stdout
}

fn check(format: &str) -> String {
    reports::check(&["--format", format]).stdout
}

#[test]
fn a_page_embeds_the_json_report_and_is_the_same_around_it() {
    let around = |page: &str| page.replace(embedded(page), "");
    let expected = around(&check("html"));
    for run in [check, usage_of_log, hostile_usage] {
        let page = run("html");
        let report: Value = serde_json::from_str(embedded(&page)).unwrap();
        assert_eq!(report, serde_json::from_str::<Value>(&run("json")).unwrap());
        assert_eq!(around(&page), expected);
    }
}

#[test]
fn names_from_inputs_are_text() {
    let page = hostile_usage("html");
    let report = embedded(&page);
    assert!(
        !report.contains(['<', '\u{202e}', '\u{2028}', '\u{0}']),
        "{report}"
    );
    for text in [
        "\\u003c/script>\\u003cscript>alert(1)",
        "\\u003cimg src=x>.ndjson",
        "\\u202e",
        "\\u2028",
    ] {
        assert!(report.contains(text), "{text}: {report}");
    }
}
