//! The table of the elements, with filters.

use super::page::{MAX_ROWS, UsagePage, write_place, write_replacement};
use crate::report::ElementRow;
use crate::verdict::{UsageVerdict, counted, percent};
use sundown_report::html::{HtmlBuffer, MAX_LAID_OUT, Sparkline};
use sundown_report::{Cell, ColumnKind, Row, Table};

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

/// The verdicts in their order.
const VERDICTS: &str = "in use,still sent,cannot tell,not seen,not sent";

/// The columns, each with its key.
const COLUMNS: [(ColumnKind, &str, &str); 11] = [
    (ColumnKind::Title, "Element", "element"),
    (ColumnKind::Choice(VERDICTS), "Verdict", "verdict"),
    (ColumnKind::Text, "Side", "side"),
    (ColumnKind::Number, "Uses", "uses"),
    (ColumnKind::Number, "Share", "share"),
    (ColumnKind::Text, "Over time", ""),
    (ColumnKind::Number, "Callers", "callers"),
    (ColumnKind::Date, "Last use", "last"),
    (ColumnKind::Text, "Last day", "day"),
    (ColumnKind::Days, "Days left", "left"),
    (ColumnKind::Text, "Reason", ""),
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
        let mut classes = "elements sort".to_owned();
        if has_callers {
            classes.push_str(" with-callers");
        }
        if self.rows.len() > MAX_LAID_OUT {
            classes.push_str(" long");
        }
        let columns = COLUMNS.into_iter();
        let columns = columns.filter(|(_, _, key)| has_callers || *key != "callers");
        let table = Table::new(columns.clone().map(|(kind, head, _)| (kind, head)));
        let table = table.keyed(columns.map(|(_, _, key)| key));
        table.write_html(&classes, self.rows.iter().map(|row| self.row(row)), out);
        out.markup("</section>\n");
    }

    fn row(&self, row: &ElementRow<'_>) -> Row {
        let uses = &row.tally.uses.count;
        let mut element = self.element_link(row);
        self.write_number(row, &mut element);
        write_place(row, &mut element);
        let share = percent(uses.calls, row.tally.readable());
        let mut reason = HtmlBuffer::default();
        reason.text(&row.judgement.explanation());
        self.write_callers_of(row, &mut reason);
        if let Some(replacement) = &row.facts.replacement {
            reason.markup("<br>Instead: ");
            write_replacement(replacement, &mut reason);
        }
        let removal = row.facts.removal;
        let left = removal.map(|day| (day - self.report.options.verdicts.as_of).num_days());
        let cells = [
            Some(Cell::Markup(element)),
            Some(Cell::Markup(badge(row.judgement.verdict))),
            Some(row.side().into()),
            Some(uses.calls.into()),
            Some((uses.calls > 0).then(|| format!("{share:.1} %")).into()),
            Some(Cell::Markup(self.sparkline(row))),
            self.has_callers()
                .then(|| (row.callers().len() as u64).into()),
            Some(self.time(uses.period.last)),
            Some(removal.map(|day| day.to_string()).into()),
            Some(left.map(|left| left.to_string()).into()),
            Some(Cell::Markup(reason)),
        ];
        Row {
            anchor: self.anchor(row).to_owned(),
            cells: cells.into_iter().flatten().collect(),
        }
    }

    /// Writes the number of an element if sections of callers refer to it.
    fn write_number(&self, row: &ElementRow<'_>, out: &mut HtmlBuffer) {
        if let Some(link) = self.links.get(row.id).filter(|_| self.has_numbers) {
            out.markup("<span class=\"no\">")
                .number(link.number as u64)
                .markup("</span> ");
        }
    }

    /// The uses over time; all elements have the same period.
    fn sparkline(&self, row: &ElementRow<'_>) -> HtmlBuffer {
        let mut out = HtmlBuffer::default();
        let period = self.report.scan.calls.period;
        let history = &row.tally.uses.history;
        if let (Some(first), Some(last), false) = (period.first, period.last, history.is_empty()) {
            let unit = self.report.unit();
            let mut line = Sparkline::new(unit.of(first), unit.of(last), unit.name());
            for (number, count) in history.counts(unit) {
                line.add(number, count);
            }
            line.write(&unit.describe(first), &unit.describe(last), &mut out);
        }
        out
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
            out.markup(if index > 0 { ", " } else { "" })
                .append(&self.caller_link(caller.name()))
                .markup(" ")
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
fn badge(verdict: UsageVerdict) -> HtmlBuffer {
    let mut out = HtmlBuffer::default();
    out.markup(match verdict {
        UsageVerdict::InUse => "<span class=\"badge bad\">",
        UsageVerdict::StillSent => "<span class=\"badge warn\">",
        UsageVerdict::CannotTell => "<span class=\"badge\">",
        UsageVerdict::NotSeen | UsageVerdict::NotSent => "<span class=\"badge good\">",
    });
    out.text(verdict.text()).markup("</span>");
    out
}

fn write_meanings(out: &mut HtmlBuffer) {
    out.markup("<details>\n<summary>What the verdicts mean</summary>\n<dl>\n");
    for (verdict, meaning) in MEANINGS {
        out.markup("<dt>")
            .append(&badge(verdict))
            .markup("</dt><dd>")
            .markup(meaning)
            .markup("</dd>\n");
    }
    out.markup("</dl>\n</details>\n");
}
