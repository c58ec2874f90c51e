//! A section for each caller, to be sent to its team by a link.

use super::page::{UsagePage, UsesOfCaller, write_place, write_replacement};
use crate::caller::CallerName;
use crate::caller_uses::CallerUse;
use crate::capped::sum_counts;
use crate::report::ElementRow;
use crate::tally::{SeenPeriod, UseCount};
use crate::verdict::counted;
use sundown_report::html::{HtmlBuffer, MAX_LAID_OUT};
use sundown_report::printable;

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
        out.markup(
            "<table class=\"callers sort\">\n<thead><tr><th scope=\"col\" data-key=\"caller\">Caller</th>\
             <th scope=\"col\" data-key=\"elements\" data-sort=\"number\">Elements</th>\
             <th scope=\"col\" data-key=\"uses\" data-sort=\"number\">Uses</th>\
             <th scope=\"col\" data-key=\"last\" data-sort=\"date\">Last use</th>\
             <th scope=\"col\" data-key=\"day\">Next removal</th></tr></thead>\n<tbody>\n",
        );
        for (name, uses) in &self.callers {
            let calls = sum_counts(uses.iter().map(|(_, found)| found.count().calls));
            let last = uses
                .iter()
                .filter_map(|(_, found)| found.count().period.last)
                .max();
            out.markup("<tr><th scope=\"row\"><a href=\"#")
                .text(self.caller_anchor(name))
                .markup("\">");
            out.text(&printable(&name.to_string()))
                .markup("</a></th><td>")
                .count(uses.len() as u64);
            out.markup("</td><td>").count(calls).markup("</td><td>");
            self.write_time(last, out);
            out.markup("</td><td>");
            let next = uses.iter().filter_map(|(row, _)| row.facts.removal).min();
            out.text(&next.map(|day| day.to_string()).unwrap_or_default())
                .markup("</td></tr\n>");
        }
        out.markup("</tbody>\n</table>\n");
    }

    fn write_caller(&self, name: &CallerName, uses: &UsesOfCaller<'_, '_>, out: &mut HtmlBuffer) {
        let mut uses: Vec<_> = uses.iter().collect();
        // What ends first comes first.
        uses.sort_by_key(|(row, found)| {
            let calls = std::cmp::Reverse(found.count().calls);
            (row.facts.removal.is_none(), row.facts.removal, calls)
        });
        let anchor = self.caller_anchor(name);
        out.markup("<section class=\"caller\" id=\"")
            .text(anchor)
            .markup("\">\n<h3><a href=\"#");
        out.text(anchor)
            .markup("\">")
            .text(&printable(&name.to_string()))
            .markup("</a></h3>\n");
        out.markup(
            "<table class=\"uses\">\n<thead><tr><th scope=\"col\">Element</th><th scope=\"col\">Side</th>\
             <th scope=\"col\">Uses</th><th scope=\"col\">First</th><th scope=\"col\">Last</th>\
             <th scope=\"col\">Last day</th><th scope=\"col\">Instead</th></tr></thead>\n<tbody>\n",
        );
        let (listed, rest) = uses.split_at(self.most_uses.min(uses.len()));
        for (row, found) in listed {
            self.write_use(row, found.count(), out);
        }
        out.markup("</tbody>\n</table>\n");
        self.write_rest(rest, out);
        out.markup("</section>\n");
    }

    fn write_use(&self, row: &ElementRow<'_>, count: UseCount, out: &mut HtmlBuffer) {
        let SeenPeriod { first, last } = count.period;
        out.markup("<tr><th scope=\"row\"><a href=\"#")
            .text(self.anchor(row))
            .markup("\">");
        out.code(&printable(&row.id.rule)).markup("</a> ");
        write_place(row, out);
        out.markup("</th><td>")
            .markup(row.side())
            .markup("</td><td>")
            .count(count.calls);
        out.markup("</td><td>");
        self.write_time(first, out);
        out.markup("</td><td>");
        self.write_time(last, out);
        let removal = row
            .facts
            .removal
            .map(|day| day.to_string())
            .unwrap_or_default();
        out.markup("</td><td>").text(&removal).markup("</td><td>");
        if let Some(replacement) = &row.facts.replacement {
            write_replacement(replacement, out);
        }
        out.markup("</td></tr\n>");
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
