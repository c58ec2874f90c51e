//! What this program wrote itself: reports, their rows, and counts. They repeat what rules are about, and are no traffic.

use std::sync::LazyLock;

use regex::bytes::{RegexSet, RegexSetBuilder};
use sundown_report::{MARKED_BYTES, OutputFormat};

/// How other outputs begin than reports: rows, which are read one by one, those of formats whose mark is elsewhere, and what
/// `sundown usage`, `sundown baseline` and `sundown rules export` write.
const HEADS: [&str; 10] = [
    r#"\{"type":"(finding|skipped|summary)","(rule|file|kind|schema_version)":"#,
    r#"\{"message":"[^\n]*"source":\{"name":"sundown"\}"#,
    r#"\[\n  \{\n    "description": "[^\n]*\n    "check_name": "[^\n]*\n    "fingerprint": ""#,
    r#"\{"sundown_partial":\d"#,
    r#"(\[\n)?\{"file":"[^\n]*","rule":"[^\n]*","(operation|check)":""#,
    r"rule,api,kind,name,operation,side,removal,verdict,reason,",
    r"id,operation,type,name,value,replacement,note,introduced,removal,docs\n",
    r#"\{\n  "endpoints": \[\n    \{\n      "method": "[^\n]*\n      "path": "[^\n]*\n      "deprecations": \["#,
    r"# Usage of deprecated elements\n",
    r"\d+ elements?: [^\n]*\n(.*\n)?\n  element +verdict ",
];

/// How a report for people begins.
const PEOPLE: &str = r"\A(error|warning|note)\[[a-z][^\]\s]*\]: ";

/// How a report for people ends.
const TOTALS: &str =
    r"\n\d+ errors?, \d+ warnings?, \d+ notes? in \d+ files? \([^\n]*\n([^\n]*\n){0,4}\z";

/// The lines of a report for editors. A record of a log in JSON, which may be long, is none of them.
const LINES: &str = r"\A([^\n{][^\n]*:\d+:\d+: (error|warning|note)\[[a-z][^\]\s]*\]: [^\n]*\n)+\z";

/// Whether a text is an output of this program: by its beginning, or by all of it. A log that has one further below, or ends with
/// one, is a log.
pub fn is_own_output(text: &[u8]) -> bool {
    static MARKS: LazyLock<[RegexSet; 4]> = LazyLock::new(|| {
        let formats = OutputFormat::ALL.iter();
        // The lines of this one may be those of other tools.
        let formats = formats.filter(|format| format.name != "concise");
        let heads = formats.map(|format| format.mark).chain(HEADS);
        let heads = heads.map(|mark| format!(r"\A(?:{mark})")).collect();
        let [people, totals, lines] = [PEOPLE, TOTALS, LINES].map(|mark| vec![mark.to_owned()]);
        [heads, people, totals, lines].map(|marks| {
            let set = RegexSetBuilder::new(marks).unicode(false).build();
            set.unwrap_or_default()
        })
    });
    let [heads, people, totals, lines] = &*MARKS;
    let head = text.chunks(MARKED_BYTES).next().unwrap_or_default();
    let tail = text.rchunks(MARKED_BYTES).next().unwrap_or_default();
    heads.is_match(head) || people.is_match(head) && totals.is_match(tail) || lines.is_match(text)
}
