//! The page of findings.

use super::findings::RuleFindings;
use crate::diagnostic::worst_first;
use crate::html::{CalendarDay, CalendarEntry, HtmlBuffer, HtmlPage, write_calendar};
use crate::log_text::{INTERRUPTED, plural, served_late, size, unchecked};
use crate::suppressed::{not_counted, unchanged};
use crate::{OutputFormat, RenderOptions, Report, printable};
use std::collections::BTreeMap;
use std::io::{self, Write};
use sundown_lint::rules::Severity;

/// Writes one page that loads nothing.
pub(crate) const FORMAT: OutputFormat = OutputFormat {
    name: "html",
    about: "a web page in one file, with filters",
    skips: "everything",
    has_remarks: true,
    mark: r"<footer><p>Written by sundown \d[^<]*</p></footer>\n</body>\n</html>\n$",
    write,
};

/// The number of findings in a page. A browser opens a page with so many in a second.
pub(super) const MAX_FINDINGS: usize = 10_000;

/// The sections of the page.
pub(super) const SECTIONS: [(&str, &str); 3] = [
    ("findings", "Findings"),
    ("calendar", "Removal dates"),
    ("input", "What was not checked"),
];

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let counts = Severity::ALL.map(|severity| plural(report.summary.of(severity), severity.name()));
    let frame = HtmlPage {
        title: "Uses of deprecated elements",
        answer: &counts.join(", "),
        remarks: &remarks(report),
        sections: &SECTIONS,
    };
    let shown: Vec<_> = worst_first(report).take(MAX_FINDINGS).collect();
    let rules = RuleFindings::group(&shown);
    let text = frame.write(|out| {
        super::findings::write(&rules, report.findings.len() - shown.len(), out);
        write_removals(report, &rules, out);
        super::skips::write(report, out);
    });
    out.write_all(text.as_bytes())
}

/// The sentences below the counts, as in other reports.
fn remarks(report: &Report) -> Vec<String> {
    let summary = &report.summary;
    let uncovered = match summary.no_rule {
        0 => String::new(),
        none => format!(", {none} of operations without a rule"),
    };
    let mut remarks = vec![format!(
        "As of {}, in {} ({}{uncovered}, {}).",
        report.as_of,
        plural(summary.files, "file"),
        plural(summary.records, "record"),
        size(summary.bytes)
    )];
    remarks.extend(served_late(report).map(|sentence| format!("{sentence}.")));
    let not_counted = not_counted(report);
    if !not_counted.is_empty() {
        remarks.push(format!("Not counted: {}.", not_counted.join(", ")));
    }
    remarks.extend(unchanged(report));
    remarks.extend(unchecked(report).map(|sentence| format!("{sentence}.")));
    if !report.complete {
        remarks.push(INTERRUPTED.to_owned());
    }
    remarks
}

fn write_removals(report: &Report, rules: &[RuleFindings<'_>], out: &mut HtmlBuffer) {
    out.markup("<section id=\"calendar\">\n<h2>Removal dates</h2>\n");
    if rules.is_empty() {
        out.markup("<p>Nothing that was found has a removal date.</p>\n</section>\n");
        return;
    }
    out.markup("<p>What breaks on which day.</p>\n");
    let mut days: BTreeMap<_, CalendarDay> = BTreeMap::new();
    for rule in rules.iter().filter(|rule| !rule.is_requirement()) {
        let day = days.entry(rule.removal()).or_default();
        day.left = rule
            .days_left()
            .map(|days| days.to_string())
            .unwrap_or_default();
        day.entries.push(CalendarEntry {
            anchor: rule.anchor(),
            name: printable(&rule.code()).into_owned(),
            detail: rule.counts(),
        });
    }
    write_calendar(&days, report.as_of, out);
    out.markup("</section>\n");
}
