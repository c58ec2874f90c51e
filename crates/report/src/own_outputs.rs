//! What this program wrote itself: reports, their rows, and counts. They repeat what rules are about, and are no traffic.

use std::sync::LazyLock;

use crate::format::{MARKED_BYTES, OutputFormat};
use regex::bytes::RegexSet;

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
    static MARKS: LazyLock<Option<RegexSet>> = LazyLock::new(|| {
        let reports = OutputFormat::ALL.iter().map(|format| format.mark);
        RegexSet::new(reports.chain(OTHER_MARKS)).ok()
    });
    let marked = usize::try_from(MARKED_BYTES).unwrap_or(usize::MAX);
    let head = text.get(..marked).unwrap_or(text);
    let tail = text.get(text.len().saturating_sub(marked)..);
    let is_marked = |part: &[u8]| MARKS.as_ref().is_some_and(|marks| marks.is_match(part));
    is_marked(head) || tail.is_some_and(is_marked)
}
