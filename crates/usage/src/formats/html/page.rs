//! The page of usage.

use super::super::sentences::{
    describe_calls, describe_exclusions, describe_input, describe_verdicts,
};
use super::super::tables::inventory_table;
use crate::caller::{CallerAttribute, CallerName, CallerValue};
use crate::caller_uses::CallerUse;
use crate::report::{ElementRow, GateAnswer, UsageReport};
use crate::tally::ElementId;
use crate::verdict::{UsageVerdict, counted, group};
use chrono::{DateTime, Utc};
use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use sundown_lint::findings::digest;
use sundown_report::html::{HtmlBuffer, HtmlPage};
use sundown_report::{Cell, printable};

/// The uses of a caller.
pub(super) type UsesOfCaller<'r, 's> = Vec<(&'r ElementRow<'s>, CallerUse<'s>)>;

/// The content of the page.
pub(super) struct UsagePage<'r, 's> {
    pub(super) report: &'r UsageReport<'s>,
    /// The elements in the order of the page: first what is used and ends first.
    pub(super) rows: Vec<&'r ElementRow<'s>>,
    /// The place of each element in the page.
    pub(super) links: HashMap<&'r ElementId, ElementLink>,
    pub(super) callers: BTreeMap<&'r CallerName, UsesOfCaller<'r, 's>>,
    caller_anchors: HashMap<&'r CallerName, String>,
    /// The most rows that the section of a caller has.
    pub(super) most_uses: usize,
    /// Whether the section of a caller refers to elements by their numbers.
    pub(super) has_numbers: bool,
}

/// The place of an element in the page.
pub(super) struct ElementLink {
    /// Its number in the table, one-based.
    pub(super) number: usize,
    /// The id of its row: the same in every report.
    anchor: String,
}

/// The number of links to callers in the table of elements, and of rows in the sections of the callers. More would take a browser
/// longer than the table of 5,000 elements itself.
pub(super) const MAX_ROWS: usize = 2_000;

/// The sections of the page.
pub(super) const SECTIONS: [(&str, &str); 4] = [
    ("elements", "Elements"),
    ("calendar", "Removal dates"),
    ("callers", "Callers"),
    ("input", "What was read"),
];

/// Writes the report.
pub(crate) fn write(report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let mut remarks = vec![
        format!("{}.", describe_verdicts(report)),
        format!(
            "{}, as of {}.",
            describe_calls(report),
            report.options.verdicts.as_of
        ),
    ];
    if !report.options.attributes.is_empty() {
        let names = report.options.attributes.iter().map(CallerAttribute::name);
        remarks.push(format!(
            "Callers are identified by {}.",
            names.collect::<Vec<_>>().join(", ")
        ));
    }
    let frame = HtmlPage {
        title: "Usage of deprecated elements",
        answer: &answer(report),
        remarks: &remarks,
        sections: &SECTIONS,
    };
    let page = UsagePage::new(report);
    let text = frame.write(|out| {
        write_inventory(report, out);
        page.write_elements(out);
        page.write_removals(out);
        page.write_callers(out);
        write_input(report, out);
    });
    out.write_all(text.as_bytes())
}

/// Answers the question whether the elements may be removed.
fn answer(report: &UsageReport<'_>) -> String {
    let used = report
        .rows
        .iter()
        .filter(|row| row.judgement.verdict.is_use())
        .count();
    let all = counted(report.rows.len() as u64, "element");
    match (report.gate(), used) {
        _ if report.rows.is_empty() => "No deprecated element was selected.".to_owned(),
        (GateAnswer::Unused, _) => {
            "None of the elements is used in the traffic that was read: as far as it shows, all may be removed.".to_owned()
        }
        (_, 0) => {
            let open = group(report.count(UsageVerdict::CannotTell) as u64);
            format!("No use was found, but the traffic does not show whether {open} of {all} are used.")
        }
        (_, 1) => format!("1 of {all} is still used."),
        (_, used) => format!("{} of {all} are still used.", group(used as u64)),
    }
}

/// Writes the values that were called, if they were counted.
fn write_inventory(report: &UsageReport<'_>, out: &mut HtmlBuffer) {
    if report.inventory.is_empty() {
        return;
    }
    out.markup("<section id=\"values\">\n<h2>Values</h2>\n");
    let (table, rows) = inventory_table(report);
    table.write_html("values", rows, out);
    out.markup("</section>\n");
}

/// Writes what was read, what was left out, and what could not be checked, with the remedies.
fn write_input(report: &UsageReport<'_>, out: &mut HtmlBuffer) {
    out.markup("<section id=\"input\">\n<h2>What was read</h2>\n<ul>\n");
    for sentence in describe_exclusions(report) {
        out.markup("<li>").prose(&sentence).markup("</li>\n");
    }
    for (text, help) in describe_input(&report.input) {
        out.markup("<li>").text(&text);
        if let Some(help) = help {
            out.markup("<p class=\"quiet\">")
                .prose(&help)
                .markup("</p>");
        }
        out.markup("</li>\n");
    }
    out.markup("</ul>\n</section>\n");
}

impl<'r, 's> UsagePage<'r, 's> {
    fn new(report: &'r UsageReport<'s>) -> Self {
        let mut rows: Vec<_> = report.rows.iter().collect();
        rows.sort_by_key(|row| {
            let verdict = row.judgement.verdict;
            let removal = row.facts.removal;
            (
                row.tally.is_never_called(),
                verdict,
                removal.is_none(),
                removal,
                Reverse(row.tally.uses.count.calls),
            )
        });
        let links = rows.iter().enumerate().map(|(index, row)| {
            let anchor = digest(&[&row.id.rule, &row.id.operation, row.side()]);
            (
                row.id,
                ElementLink {
                    number: index + 1,
                    anchor: anchor_of("e-", &anchor),
                },
            )
        });
        let links = links.collect();
        let callers = report.by_caller();
        let caller_anchors = callers
            .keys()
            .map(|name| (*name, caller_anchor(name)))
            .collect();
        let most_uses = (MAX_ROWS / callers.len().max(1)).max(10);
        let has_numbers = callers.values().any(|uses| uses.len() > most_uses);
        Self {
            report,
            rows,
            links,
            callers,
            caller_anchors,
            most_uses,
            has_numbers,
        }
    }

    /// The id of an element's row.
    pub(super) fn anchor(&self, row: &ElementRow<'_>) -> &str {
        self.links.get(row.id).map_or("", |link| &link.anchor)
    }

    /// The id of a caller's section.
    pub(super) fn caller_anchor(&self, name: &CallerName) -> &str {
        self.caller_anchors.get(name).map_or("", String::as_str)
    }

    /// When a use was, if it is known.
    pub(super) fn time(&self, time: Option<DateTime<Utc>>) -> Cell {
        time.map(|time| self.report.unit().describe(time)).into()
    }

    /// The name of a caller, with a link to its section.
    pub(super) fn caller_link(&self, name: &CallerName) -> HtmlBuffer {
        let mut link = HtmlBuffer::default();
        link.markup("<a href=\"#")
            .text(self.caller_anchor(name))
            .markup("\">");
        link.text(&printable(&name.to_string())).markup("</a>");
        link
    }

    /// The rule of an element, with a link to its row.
    pub(super) fn element_link(&self, row: &ElementRow<'_>) -> HtmlBuffer {
        let mut link = HtmlBuffer::default();
        link.markup("<a href=\"#")
            .text(self.anchor(row))
            .markup("\">");
        link.code(&printable(&row.id.rule)).markup("</a> ");
        link
    }

    /// Returns whether callers were asked for.
    pub(super) fn has_callers(&self) -> bool {
        !self.report.options.attributes.is_empty()
    }
}

/// The id of a caller's section: the same in every report, as long as its name is the same.
fn caller_anchor(name: &CallerName) -> String {
    let values: Vec<_> = name
        .values()
        .iter()
        .map(|value| match value {
            CallerValue::Unidentified => String::new(),
            CallerValue::Shown(text) => format!("={text}"),
            CallerValue::Hashed(_) => value.to_string(),
        })
        .collect();
    let values: Vec<_> = values.iter().map(String::as_str).collect();
    anchor_of("c-", &digest(&values))
}

/// An id in the page. Half of a digest is enough to tell those of one page apart.
fn anchor_of(kind: &str, digest: &str) -> String {
    format!("{kind}{}", digest.get(..16).unwrap_or(digest))
}

/// Writes where an element is: the operation, and the element unless it is the operation itself.
pub(super) fn write_place(row: &ElementRow<'_>, out: &mut HtmlBuffer) {
    out.markup("<span class=\"op\">")
        .text(&printable(&row.id.operation));
    if let Some(phrase) = row
        .facts
        .element
        .phrase(|name| format!("`{}`", printable(name)))
    {
        out.markup(" ").prose(&phrase);
    }
    out.markup("</span>");
}

/// Writes what to use instead: a name, or a sentence.
pub(super) fn write_replacement(replacement: &str, out: &mut HtmlBuffer) {
    let text = printable(replacement);
    if text.contains([' ', '`']) {
        out.prose(&text)
    } else {
        out.code(&text)
    };
}
