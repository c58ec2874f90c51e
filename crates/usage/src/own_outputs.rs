//! What this program wrote itself: reports, their rows, and counts. They repeat what rules are about, and are no traffic.

use std::sync::LazyLock;

use regex::bytes::RegexSet;
use sundown_report::{MARKED_BYTES, OutputFormat};

/// How other outputs begin than reports: rows, which are read one by one, those of formats whose mark is elsewhere, and what
/// `sundown usage` and `sundown baseline` write.
const HEADS: [&str; 8] = [
    r#"\{"type":"(finding|skipped|summary)","(rule|file|kind|schema_version)":"#,
    r#"\{"message":"[^\n]*"source":\{"name":"sundown"\}"#,
    r#"\[\n  \{\n    "description": "[^\n]*\n    "check_name": "[^\n]*\n    "fingerprint": ""#,
    r#"\{"sundown_partial":\d"#,
    r#"(\[\n)?\{"file":"[^\n]*","rule":"[^\n]*","(operation|check)":""#,
    r"rule,api,kind,name,operation,side,removal,verdict,reason,",
    r"# Usage of deprecated elements\n",
    r"\d+ elements?: [^\n]*\n(.*\n)?\n  element +verdict ",
];

/// How a report for people begins and ends.
const PEOPLE: [&str; 2] = [
    r"^(error|warning|note)\[[a-z][^\]\s]*\]: ",
    r"\n\d+ errors?, \d+ warnings?, \d+ notes? in \d+ files? \([^\n]*\n([^\n]*\n){0,4}$",
];

/// The lines of a report for editors.
const LINES: &str = r"^([^\n]+:\d+:\d+: (error|warning|note)\[[a-z][^\]\s]*\]: [^\n]*\n)+$";

/// Whether a text is an output of this program: by its beginning, or by all of it. A log that has one further below, or ends with
/// one, is a log.
pub fn is_own_output(text: &[u8]) -> bool {
    static MARKS: LazyLock<[RegexSet; 3]> = LazyLock::new(|| {
        let formats = OutputFormat::ALL.iter();
        // The lines of this one may be those of other tools.
        let formats = formats.filter(|format| format.name != "concise");
        let heads = formats.map(|format| format.mark).chain(HEADS);
        let heads: Vec<_> = heads.map(|mark| format!(r"\A(?:{mark})")).collect();
        [
            RegexSet::new(heads).unwrap_or_default(),
            RegexSet::new(PEOPLE).unwrap_or_default(),
            RegexSet::new([LINES]).unwrap_or_default(),
        ]
    });
    let [heads, people, lines] = &*MARKS;
    let head = text.chunks(MARKED_BYTES).next().unwrap_or_default();
    let is_for_people = || {
        let tail = text.rchunks(MARKED_BYTES).next().unwrap_or_default();
        people.matches(head).matched(0) && people.matches(tail).matched(1)
    };
    heads.is_match(head) || is_for_people() || lines.is_match(text)
}
