//! The section about what changed since an earlier scan.

use crate::comparison::{ElementChange, ScanComparison, UseChange};
use crate::formats::sentences::describe_comparison;
use crate::tally::UseCount;
use sundown_report::html::HtmlBuffer;
use sundown_report::printable;

/// Writes a row for each element, and one for each of its callers with a change.
pub(super) fn write_changes(comparison: &ScanComparison<'_>, out: &mut HtmlBuffer) {
    out.markup("<section id=\"changes\">\n<h2>Changes</h2>\n<p>");
    out.text(&describe_comparison(comparison)).markup("</p>\n");
    if !comparison.elements.is_empty() {
        out.markup("<table>\n<thead><tr><th scope=\"col\">Rule</th><th scope=\"col\">Element</th>")
            .markup("<th scope=\"col\">Caller</th><th scope=\"col\">Change</th>")
            .markup("<th scope=\"col\">Calls before</th><th scope=\"col\">Calls now</th></tr></thead>\n<tbody>\n");
        for element in &comparison.elements {
            let before = element.before.uses;
            let now = element.now.uses;
            write_row(element, "", element.change, before, now, out);
            for caller in element.changed_callers() {
                let name = caller.name.to_string();
                write_row(
                    element,
                    &name,
                    caller.change,
                    caller.before,
                    caller.now,
                    out,
                );
            }
        }
        out.markup("</tbody>\n</table>\n");
    }
    out.markup("</section>\n");
}

fn write_row(
    element: &ElementChange<'_>,
    caller: &str,
    change: UseChange,
    before: UseCount,
    now: UseCount,
    out: &mut HtmlBuffer,
) {
    out.markup("<tr><td>")
        .code(&printable(&element.id.rule))
        .markup("</td><td>");
    out.text(element.id.part.name())
        .markup(" ")
        .code(&printable(&element.id.operation));
    out.markup("</td><td>")
        .text(&printable(caller))
        .markup("</td><td>")
        .text(change.name());
    out.markup("</td><td>")
        .count(before.calls)
        .markup("</td><td>")
        .count(now.calls)
        .markup("</td></tr>\n");
}
