//! What this program wrote itself: reports, their rows, and counts. They repeat what rules are about, and are no traffic.

use std::sync::LazyLock;

use regex::bytes::RegexSet;
use sundown_report::{MARKED_BYTES, OutputFormat};

/// The beginnings of rows of a report, which are read one by one, and of what `sundown usage` writes.
const OTHER_MARKS: [&str; 5] = [
    r#"^\{"type":"(finding|skipped|summary)","(rule|file|kind|schema_version)":"#,
    r#"^\{"sundown_partial":\d"#,
    r"^rule,api,kind,name,operation,side,removal,verdict,reason,",
    r"^# Usage of deprecated elements\n",
    r"^\d+ elements?: [^\n]*\n(.*\n)?\n  element +verdict ",
];

/// Whether a text is an output of this program, by its beginning and its end.
pub fn is_own_output(text: &[u8]) -> bool {
    static MARKS: LazyLock<RegexSet> = LazyLock::new(|| {
        let reports = OutputFormat::ALL.iter().map(|format| format.mark());
        RegexSet::new(reports.chain(OTHER_MARKS)).unwrap_or_default()
    });
    let ends = [
        text.chunks(MARKED_BYTES).next(),
        text.rchunks(MARKED_BYTES).next(),
    ];
    let mut ends = ends.into_iter().flatten();
    ends.any(|end| MARKS.is_match(end))
}
