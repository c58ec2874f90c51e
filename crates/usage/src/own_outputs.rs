//! What this program wrote itself: reports, their rows, and counts. They repeat what rules are about, and are no traffic.

use std::sync::LazyLock;

use regex::bytes::RegexSet;

/// How outputs begin. A log that has one further below, or ends with one, is a log.
const HEADS: [&str; 14] = [
    r#"^\{"type":"(finding|skipped|summary)","(rule|file|kind|schema_version)":"#,
    r#"^\{"sundown_partial":\d"#,
    r#"^\{\n  "schema_version": \d+,\n  "tool": \{\n    "name": "sundown""#,
    r#"^\{"\$schema":"[^"]*","version":"2\.1\.0","runs":\[\{"tool":\{"driver":\{"name":"sundown""#,
    r#"^\{"message":"[^\n]*"source":\{"name":"sundown"\}"#,
    r#"^<\?xml[^>]*>\n<testsuites name="sundown" "#,
    r"^<\?xml[^>]*>\n<!-- sundown ",
    r#"^<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n<meta name="generator" content="sundown">"#,
    r"^## sundown: ",
    r"^# Usage of deprecated elements\n",
    r"^rule,api,kind,name,operation,side,removal,verdict,reason,",
    r"^\d+ elements?: [^\n]*\n(.*\n)?\n  element +verdict ",
    r"^::(error|warning|notice) title=sundown%3A ",
    r#"^\[\n  \{\n    "description": "[^\n]*\n    "check_name": "[^\n]*\n    "fingerprint": ""#,
];

/// How a report for people begins and ends.
const PEOPLE: [&str; 2] = [
    r"^(error|warning|note)\[[a-z][^\]\s]*\]: ",
    r"\n\d+ errors?, \d+ warnings?, \d+ notes? in \d+ files? \([^\n]*\n([^\n]*\n){0,4}$",
];

/// The lines of a report for editors.
const LINES: &str = r"^([^\n]+:\d+:\d+: (error|warning|note)\[[a-z][^\]\s]*\]: [^\n]*\n)+$";

/// How many bytes at the beginning and at the end of a text are looked at.
const MARKED: usize = 4096;

/// Whether a text is an output of this program.
pub fn is_own_output(text: &[u8]) -> bool {
    static MARKS: LazyLock<[RegexSet; 3]> = LazyLock::new(|| {
        [&HEADS[..], &PEOPLE, &[LINES]].map(|marks| RegexSet::new(marks).unwrap_or_default())
    });
    let [heads, people, lines] = &*MARKS;
    let head = text.chunks(MARKED).next().unwrap_or_default();
    let is_for_people = || {
        let tail = text.rchunks(MARKED).next().unwrap_or_default();
        people.matches(head).matched(0) && people.matches(tail).matched(1)
    };
    heads.is_match(head) || is_for_people() || lines.is_match(text)
}
