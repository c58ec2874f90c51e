//! The table of the elements, with filters.

use super::page::{MAX_ROWS, UsagePage, write_place, write_replacement};
use crate::report::ElementRow;
use crate::verdict::{UsageVerdict, counted, percent};
use sundown_report::html::{HtmlBuffer, MAX_LAID_OUT, Sparkline};
use sundown_report::printable;

/// The meaning of each verdict, as in the documentation.
const MEANINGS: [(UsageVerdict, &str); 5] = [
    (UsageVerdict::InUse, "At least one call uses it."),
    (
        UsageVerdict::StillSent,
        "At least one response has it. Whether anyone reads it, traffic does not show.",
    ),
    (
        UsageVerdict::CannotTell,
        "The traffic does not show whether it is used. The reason is in the table.",
    ),
    (
        UsageVerdict::NotSeen,
        "No readable call uses it, on enough days.",
    ),
    (
        UsageVerdict::NotSent,
        "No readable response has it, on enough days.",
    ),
];

/// The form with the filters. The script shows it; without a script it would have no effect.
const FILTERS: &str = "<form class=\"filter\" data-rows=\"#elements tbody tr\" data-noun=\"elements\" hidden>\n\
    <label class=\"wide\">Search <input type=\"search\" data-test=\"has\" autocomplete=\"off\"></label>\n\
    <label>Verdict <select data-key=\"verdict\" data-test=\"is\"><option value=\"\">all</option><option>in use</option>\
    <option>still sent</option><option>cannot tell</option><option>not seen</option><option>not sent</option></select></label>\n\
    <label>Side <select data-key=\"side\" data-test=\"is\"><option value=\"\">all</option><option>operation</option>\
    <option>request</option><option>response</option></select></label>\n\
    <label>Uses, at least <input type=\"number\" min=\"0\" data-key=\"uses\" data-test=\"min\"></label>\n\
    <label>Share, at least <input type=\"number\" min=\"0\" max=\"100\" step=\"any\" data-key=\"share\" data-test=\"min\"></label>\n\
    <label>Used since <input type=\"date\" data-key=\"last\" data-test=\"since\"></label>\n\
    <label>Days left, at most <input type=\"number\" data-key=\"left\" data-test=\"max\"></label>\n\
    <button type=\"reset\">Clear</button>\n<output></output>\n</form>\n";

/// The heads of the columns before and after that of the callers.
const HEADS: [&str; 2] = [
    "<thead><tr><th scope=\"col\" data-key=\"element\">Element</th>\
     <th scope=\"col\" data-key=\"verdict\" data-order=\"in use,still sent,cannot tell,not seen,not sent\">Verdict</th>\
     <th scope=\"col\" data-key=\"side\">Side</th><th scope=\"col\" data-key=\"uses\" data-sort=\"number\">Uses</th>\
     <th scope=\"col\" data-key=\"share\" data-sort=\"number\">Share</th><th scope=\"col\">Over time</th>",
    "<th scope=\"col\" data-key=\"last\" data-sort=\"date\">Last use</th>\
     <th scope=\"col\" data-key=\"day\">Last day</th><th scope=\"col\" data-key=\"left\" data-sort=\"days\">Days left</th>\
     <th scope=\"col\">Reason</th></tr></thead>\n",
];

const CALLERS_HEAD: &str =
    "<th scope=\"col\" data-key=\"callers\" data-sort=\"number\">Callers</th>";

impl UsagePage<'_, '_> {
    /// Writes the section with the table.
    pub(super) fn write_elements(&self, out: &mut HtmlBuffer) {
        out.markup("<section id=\"elements\">\n<h2>Elements</h2>\n");
        if self.rows.is_empty() {
            out.markup("<p>No deprecated element was selected.</p>\n</section>\n");
            return;
        }
        write_meanings(out);
        out.markup(FILTERS);
        let has_callers = self.has_callers();
        out.markup("<table class=\"elements sort");
        out.markup(if has_callers { " with-callers" } else { "" });
        out.markup(if self.rows.len() > MAX_LAID_OUT {
            " long\">\n"
        } else {
            "\">\n"
        });
        let [before, after] = HEADS;
        let callers = if has_callers { CALLERS_HEAD } else { "" };
        out.markup(before)
            .markup(callers)
            .markup(after)
            .markup("<tbody>\n");
        for row in &self.rows {
            self.write_row(row, out);
        }
        out.markup("</tbody>\n</table>\n</section>\n");
    }

    fn write_row(&self, row: &ElementRow<'_>, out: &mut HtmlBuffer) {
        let uses = &row.tally.uses.count;
        out.markup("<tr id=\"")
            .text(self.anchor(row))
            .markup("\"><th scope=\"row\"><a href=\"#");
        out.text(self.anchor(row))
            .markup("\">")
            .code(&printable(&row.id.rule))
            .markup("</a> ");
        self.write_number(row, out);
        write_place(row, out);
        out.markup("</th><td>").markup(badge(row.judgement.verdict));
        out.markup("</td><td>")
            .markup(row.side())
            .markup("</td><td>")
            .count(uses.calls);
        out.markup("</td><td>");
        if uses.calls > 0 {
            out.text(&format!(
                "{:.1} %",
                percent(uses.calls, row.tally.readable())
            ));
        }
        out.markup("</td><td>");
        self.write_sparkline(row, out);
        if self.has_callers() {
            out.markup("</td><td>").count(row.callers().len() as u64);
        }
        out.markup("</td><td>");
        self.write_time(uses.period.last, out);
        self.write_removal(row, out);
        out.markup("</td><td>").text(&row.judgement.reason);
        self.write_callers_of(row, out);
        if let Some(replacement) = &row.facts.replacement {
            out.markup("<br>Instead: ");
            write_replacement(replacement, out);
        }
        // The line ends inside the tag: browsers need seconds to sort rows with text between them.
        out.markup("</td></tr\n>");
    }

    /// Writes the number of an element if sections of callers refer to it.
    fn write_number(&self, row: &ElementRow<'_>, out: &mut HtmlBuffer) {
        if let Some(link) = self.links.get(row.id).filter(|_| self.has_numbers) {
            out.markup("<span class=\"no\">")
                .number(link.number as u64)
                .markup("</span> ");
        }
    }

    fn write_removal(&self, row: &ElementRow<'_>, out: &mut HtmlBuffer) {
        let Some(removal) = row.facts.removal else {
            out.markup("</td><td></td><td>");
            return;
        };
        let left = (removal - self.report.options.verdicts.as_of).num_days();
        out.markup("</td><td>").text(&removal.to_string());
        out.markup(if left < 0 {
            "</td><td class=\"past\">"
        } else {
            "</td><td>"
        });
        out.text(&left.to_string());
    }

    /// Writes the uses over time; all elements have the same period.
    fn write_sparkline(&self, row: &ElementRow<'_>, out: &mut HtmlBuffer) {
        let period = self.report.scan.calls.period;
        let (Some(first), Some(last)) = (period.first, period.last) else {
            return;
        };
        let history = &row.tally.uses.history;
        if history.is_empty() {
            return;
        }
        let unit = self.report.unit();
        let mut line = Sparkline::new(unit.of(first), unit.of(last), unit.name());
        for (number, count) in history.counts(unit) {
            line.add(number, count);
        }
        line.write(&line.describe(), out);
    }

    /// Writes the callers with the most uses, with links to their sections.
    fn write_callers_of(&self, row: &ElementRow<'_>, out: &mut HtmlBuffer) {
        let callers = row.callers();
        if callers.is_empty() {
            return;
        }
        let most = (MAX_ROWS / self.rows.len().max(1)).clamp(1, 20);
        out.markup("<br>By ");
        for (index, caller) in callers.iter().take(most).enumerate() {
            out.markup(if index > 0 {
                ", <a href=\"#"
            } else {
                "<a href=\"#"
            });
            out.text(self.caller_anchor(caller.name())).markup("\">");
            out.text(&printable(&caller.name().to_string()))
                .markup("</a> ")
                .count(caller.count().calls);
        }
        let more = callers.len().saturating_sub(most);
        if more > 0 {
            out.text(&format!(" and {}", counted(more as u64, "more caller")));
        }
        let unknown = row.calls_of_other_callers();
        if unknown > 0 {
            let calls = counted(unknown, "call");
            out.text(&format!(" and {calls} by callers beyond the limit"));
        }
    }
}

/// A verdict in its colour.
fn badge(verdict: UsageVerdict) -> &'static str {
    match verdict {
        UsageVerdict::InUse => "<span class=\"badge bad\">in use</span>",
        UsageVerdict::StillSent => "<span class=\"badge warn\">still sent</span>",
        UsageVerdict::CannotTell => "<span class=\"badge\">cannot tell</span>",
        UsageVerdict::NotSeen => "<span class=\"badge good\">not seen</span>",
        UsageVerdict::NotSent => "<span class=\"badge good\">not sent</span>",
    }
}

fn write_meanings(out: &mut HtmlBuffer) {
    out.markup("<details>\n<summary>What the verdicts mean</summary>\n<dl>\n");
    for (verdict, meaning) in MEANINGS {
        out.markup("<dt>")
            .markup(badge(verdict))
            .markup("</dt><dd>")
            .markup(meaning)
            .markup("</dd>\n");
    }
    out.markup("</dl>\n</details>\n");
}
