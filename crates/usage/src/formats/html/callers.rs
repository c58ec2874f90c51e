//! A section for each caller, to be sent to its team by a link.

use super::page::{UsagePage, UsesOfCaller, write_place, write_replacement};
use crate::caller::CallerName;
use crate::caller_uses::CallerUse;
use crate::capped::sum_counts;
use crate::report::ElementRow;
use crate::tally::{SeenPeriod, UseCount};
use crate::verdict::counted;
use sundown_report::html::{HtmlBuffer, MAX_LAID_OUT};
use sundown_report::{Cell, ColumnKind, Table};

/// What the page says if callers were not counted.
const NOT_ASKED: &str = "<p>Callers were not counted. Say how to identify them: <code>--by user-agent</code>, \
    <code>--by header:NAME</code>, <code>--by member:POINTER</code>, <code>--by file</code>, <code>--by initiator</code> or \
    <code>--by cassette</code>.</p>\n";

impl UsagePage<'_, '_> {
    /// Writes the list of callers, and their sections.
    pub(super) fn write_callers(&self, out: &mut HtmlBuffer) {
        out.markup("<section id=\"callers\"");
        let rows: usize = self
            .callers
            .values()
            .map(|uses| uses.len().min(self.most_uses))
            .sum();
        out.markup(if rows > MAX_LAID_OUT {
            " class=\"long\">\n"
        } else {
            ">\n"
        });
        out.markup("<h2>Callers</h2>\n");
        if !self.has_callers() {
            out.markup(NOT_ASKED);
        } else if self.callers.is_empty() {
            out.markup("<p>No caller uses a deprecated element.</p>\n");
        } else {
            self.write_list(out);
        }
        for (name, uses) in &self.callers {
            self.write_caller(name, uses, out);
        }
        out.markup("</section>\n");
    }

    fn write_list(&self, out: &mut HtmlBuffer) {
        let table = Table::new([
            (ColumnKind::Title, "Caller"),
            (ColumnKind::Number, "Elements"),
            (ColumnKind::Number, "Uses"),
            (ColumnKind::Date, "Last use"),
            (ColumnKind::Text, "Next removal"),
        ]);
        let table = table.keyed(["caller", "elements", "uses", "last", "day"]);
        let rows = self.callers.iter().map(|(name, uses)| {
            let counts = uses.iter().map(|(_, found)| found.count());
            let calls = sum_counts(counts.clone().map(|count| count.calls));
            let last = counts.filter_map(|count| count.period.last).max();
            let next = uses.iter().filter_map(|(row, _)| row.facts.removal).min();
            [
                Cell::Markup(self.caller_link(name)),
                (uses.len() as u64).into(),
                calls.into(),
                self.time(last),
                next.map(|day| day.to_string()).into(),
            ]
        });
        table.write_html("callers sort", rows, out);
    }

    fn write_caller(&self, name: &CallerName, uses: &UsesOfCaller<'_, '_>, out: &mut HtmlBuffer) {
        let mut uses: Vec<_> = uses.iter().collect();
        // What ends first comes first.
        uses.sort_by_key(|(row, found)| {
            let calls = std::cmp::Reverse(found.count().calls);
            (row.facts.removal.is_none(), row.facts.removal, calls)
        });
        out.markup("<section class=\"caller\" id=\"")
            .text(self.caller_anchor(name))
            .markup("\">\n<h3>")
            .append(&self.caller_link(name))
            .markup("</h3>\n");
        let table = Table::new([
            (ColumnKind::Title, "Element"),
            (ColumnKind::Text, "Side"),
            (ColumnKind::Number, "Uses"),
            (ColumnKind::Date, "First"),
            (ColumnKind::Date, "Last"),
            (ColumnKind::Date, "Last day"),
            (ColumnKind::Text, "Instead"),
        ]);
        let (listed, rest) = uses.split_at(self.most_uses.min(uses.len()));
        let rows = listed
            .iter()
            .map(|(row, found)| self.use_cells(row, found.count()));
        table.write_html("uses", rows, out);
        self.write_rest(rest, out);
        out.markup("</section>\n");
    }

    fn use_cells(&self, row: &ElementRow<'_>, count: UseCount) -> [Cell; 7] {
        let SeenPeriod { first, last } = count.period;
        let mut element = self.element_link(row);
        write_place(row, &mut element);
        let mut instead = HtmlBuffer::default();
        if let Some(replacement) = &row.facts.replacement {
            write_replacement(replacement, &mut instead);
        }
        [
            Cell::Markup(element),
            row.side().into(),
            count.calls.into(),
            self.time(first),
            self.time(last),
            row.facts.removal.map(|day| day.to_string()).into(),
            Cell::Markup(instead),
        ]
    }

    /// Writes the uses beyond those that the table lists: the number of each element in the table of elements, and its uses.
    /// A million of them are a few megabytes of text; as rows, no browser would open them.
    fn write_rest(&self, rest: &[&(&ElementRow<'_>, CallerUse<'_>)], out: &mut HtmlBuffer) {
        if rest.is_empty() {
            return;
        }
        out.markup("<details class=\"rest\">\n<summary>")
            .text(&counted(rest.len() as u64, "more element"))
            .markup("</summary>\n<p>The number of each element in the table of elements, and its uses:</p>\n<p>");
        for (row, found) in rest {
            let number = self.links.get(row.id).map_or(0, |link| link.number);
            out.number(number as u64)
                .markup(":")
                .number(found.count().calls)
                .markup("\n");
        }
        out.markup("</p>\n</details>\n");
    }
}
