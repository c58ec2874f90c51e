//! The calendar of removal dates: on each day, what is still used and by whom.

use std::collections::{BTreeMap, BTreeSet};

use chrono::NaiveDate;

use super::page::UsagePage;
use crate::caller::CallerName;
use crate::caller_uses::CallerUse;
use crate::report::ElementRow;
use crate::verdict::{UsageVerdict, counted};
use sundown_report::html::{CalendarDay, CalendarEntry, HtmlBuffer, write_calendar};
use sundown_report::printable;

impl UsagePage<'_, '_> {
    /// Writes the section with the calendar.
    pub(super) fn write_removals(&self, out: &mut HtmlBuffer) {
        let mut by_day: BTreeMap<Option<NaiveDate>, Vec<&ElementRow<'_>>> = BTreeMap::new();
        for row in &self.rows {
            by_day.entry(row.facts.removal).or_default().push(row);
        }
        let days = by_day
            .into_iter()
            .map(|(date, rows)| (date, self.day(date, &rows)))
            .collect();
        out.markup(
            "<section id=\"calendar\">\n<h2>Removal dates</h2>\n<p>What breaks on which day.</p>\n",
        );
        write_calendar(&days, self.report.options.verdicts.as_of, out);
        out.markup("</section>\n");
    }

    fn day(&self, date: Option<NaiveDate>, rows: &[&ElementRow<'_>]) -> CalendarDay {
        let used = rows.iter().filter(|row| row.judgement.verdict.is_use());
        let callers: BTreeSet<&CallerName> = (used.clone())
            .flat_map(|row| row.callers().iter().map(CallerUse::name))
            .collect();
        let left = date.map(|date| (date - self.report.options.verdicts.as_of).num_days());
        CalendarDay {
            left: left.map(|left| left.to_string()).unwrap_or_default(),
            entries: used.map(|row| self.entry(row)).collect(),
            callers: callers
                .iter()
                .map(|name| CalendarEntry {
                    anchor: self.caller_anchor(name).to_owned(),
                    name: printable(&name.to_string()).into_owned(),
                    detail: String::new(),
                })
                .collect(),
            rest: describe_rest(rows),
        }
    }

    fn entry(&self, row: &ElementRow<'_>) -> CalendarEntry {
        let calls = counted(row.tally.uses.count.calls, "call");
        let callers = row.callers().len() as u64;
        let by = if self.has_callers() {
            format!(" by {}", counted(callers, "caller"))
        } else {
            String::new()
        };
        let side = row.side();
        let operation = printable(&row.id.operation);
        CalendarEntry {
            anchor: self.anchor(row).to_owned(),
            name: printable(&row.id.rule).into_owned(),
            detail: match side {
                "operation" => format!("{operation}: {calls}{by}"),
                side => format!("{side} of {operation}: {calls}{by}"),
            },
        }
    }
}

/// Says how many elements are not known to be used.
fn describe_rest(rows: &[&ElementRow<'_>]) -> String {
    let texts = UsageVerdict::ALL
        .iter()
        .filter(|verdict| !verdict.is_use())
        .filter_map(|verdict| {
            let count = rows
                .iter()
                .filter(|row| row.judgement.verdict == *verdict)
                .count();
            (count > 0).then(|| format!("{}: {}", verdict.text(), counted(count as u64, "element")))
        });
    texts.collect::<Vec<_>>().join(", ")
}
