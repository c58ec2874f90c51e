//! The calendar of removal dates: what breaks on which day.

use std::collections::BTreeMap;

use chrono::NaiveDate;

use super::HtmlBuffer;

/// A day on which elements end.
#[derive(Debug, Default)]
pub struct CalendarDay {
    /// The days that are left, as a phrase.
    pub left: String,
    /// What is still used.
    pub entries: Vec<CalendarEntry>,
    /// Who uses it.
    pub callers: Vec<CalendarEntry>,
    /// A sentence about what else ends on this day; empty if nothing does.
    pub rest: String,
}

/// Something that is still used, or someone who uses it.
#[derive(Debug)]
pub struct CalendarEntry {
    /// The id of the place in the page that has more about it.
    pub anchor: String,
    /// Its name.
    pub name: String,
    /// Where and how much it is used, as a phrase.
    pub detail: String,
}

/// The callers that are listed for a day.
const MAX_CALLERS: usize = 10;

/// Writes the calendar, the earliest day first. The elements without a date come last.
pub fn write_calendar(
    days: &BTreeMap<Option<NaiveDate>, CalendarDay>,
    as_of: NaiveDate,
    out: &mut HtmlBuffer,
) {
    out.markup("<table class=\"calendar\">\n<thead><tr><th scope=\"col\">Last day</th><th scope=\"col\">Days left</th>")
        .markup("<th scope=\"col\">Still used</th></tr></thead>\n<tbody>\n");
    let dated = days
        .iter()
        .filter_map(|(date, day)| date.map(|date| (date, day)));
    for (date, day) in dated {
        let date_text = date.to_string();
        out.markup(if date < as_of {
            "<tr class=\"past\">"
        } else {
            "<tr>"
        });
        out.markup("<th scope=\"row\"><time datetime=\"")
            .text(&date_text)
            .markup("\">");
        out.text(&date_text).markup("</time></th>");
        write_day(day, out);
    }
    if let Some(day) = days.get(&None) {
        out.markup("<tr><th scope=\"row\">no date</th>");
        write_day(day, out);
    }
    out.markup("</tbody>\n</table>\n");
}

fn write_day(day: &CalendarDay, out: &mut HtmlBuffer) {
    out.markup("<td>").text(&day.left).markup("</td><td>");
    if !day.entries.is_empty() {
        out.markup("<ul>\n");
        for entry in &day.entries {
            out.markup("<li><a href=\"#")
                .text(&entry.anchor)
                .markup("\">")
                .code(&entry.name);
            out.markup("</a> ").text(&entry.detail).markup("</li>\n");
        }
        out.markup("</ul>");
    }
    write_callers(&day.callers, out);
    if !day.rest.is_empty() {
        out.markup("<p class=\"quiet\">")
            .text(&day.rest)
            .markup("</p>");
    }
    out.markup("</td></tr>\n");
}

fn write_callers(callers: &[CalendarEntry], out: &mut HtmlBuffer) {
    if callers.is_empty() {
        return;
    }
    out.markup("<p>Callers: ");
    for (index, caller) in callers.iter().take(MAX_CALLERS).enumerate() {
        out.markup(if index > 0 {
            ", <a href=\"#"
        } else {
            "<a href=\"#"
        });
        out.text(&caller.anchor)
            .markup("\">")
            .text(&caller.name)
            .markup("</a>")
            .text(&caller.detail);
    }
    let more = callers.len().saturating_sub(MAX_CALLERS);
    if more > 0 {
        out.markup(" and ").count(more as u64).markup(" more");
    }
    out.markup("</p>");
}
