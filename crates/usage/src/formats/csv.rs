//! The report as comma-separated values (RFC 4180): a row for each element, and one for each of its callers.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use crate::caller::{CallerAttribute, CallerName, CallerValue};
use crate::comparison::{ElementChange, UseChange};
use crate::report::{ElementRow, UsageReport};
use crate::scan::{ElementTally, RuleFacts};
use crate::tally::ElementId;
use crate::tally::UseCount;
use sundown_lint::rules::Element;
use sundown_text_json::text::csv::cell;
use sundown_text_json::text::timestamp;

/// The columns before those of the attributes of callers.
const COLUMNS: [&str; 12] = [
    "rule",
    "api",
    "kind",
    "name",
    "operation",
    "side",
    "removal",
    "verdict",
    "reason",
    "calls",
    "readable",
    "row",
];

/// The columns after those of the attributes of callers.
const COUNT_COLUMNS: [&str; 6] = [
    "calls_with_use",
    "uses",
    "first_use",
    "last_use",
    "unreadable",
    "undated",
];

/// The columns of a comparison with an earlier scan.
const CHANGE_COLUMNS: [&str; 2] = ["change", "calls_with_use_before"];

/// Writes the report. The column `row` says whether a row is about an element or about one of its callers, which has a column for
/// each attribute.
pub(super) fn write(report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
    let attributes: Vec<_> = report
        .options
        .attributes
        .iter()
        .map(CallerAttribute::name)
        .map(|name| cell(&name))
        .collect();
    let change: &[&str] = if report.comparison.is_some() {
        &CHANGE_COLUMNS
    } else {
        &[]
    };
    let heads: Vec<_> = COLUMNS
        .into_iter()
        .chain(attributes.iter().map(String::as_str))
        .chain(COUNT_COLUMNS)
        .chain(change.iter().copied())
        .collect();
    write!(out, "{}\r\n", heads.join(","))?;
    let elements = report
        .comparison
        .iter()
        .flat_map(|comparison| &comparison.elements);
    let mut changes: BTreeMap<&ElementId, &ElementChange<'_>> =
        elements.map(|element| (element.id, element)).collect();
    for row in &report.rows {
        CsvElement::of_row(row, changes.remove(row.id)).write(report, out)?;
    }
    // An element that was used before need not be one of the report.
    for change in changes.into_values() {
        CsvElement::of_change(report, change).write(report, out)?;
    }
    Ok(())
}

/// An element in the report, or one of the earlier scan only.
struct CsvElement<'r, 's> {
    id: &'r ElementId,
    facts: Option<&'r RuleFacts>,
    /// The verdict and the counts in the report.
    row: Option<&'r ElementRow<'s>>,
    change: Option<&'r ElementChange<'s>>,
}

/// How the number of calls with a use changed, and how many there were; `None` if that is not known, or it was and is 0.
type CsvChange = Option<(UseChange, u64)>;

impl<'r, 's> CsvElement<'r, 's> {
    fn of_row(row: &'r ElementRow<'s>, change: Option<&'r ElementChange<'s>>) -> Self {
        Self {
            id: row.id,
            facts: Some(row.facts),
            row: Some(row),
            change,
        }
    }

    fn of_change(report: &'r UsageReport<'s>, change: &'r ElementChange<'s>) -> Self {
        let before = report
            .comparison
            .as_ref()
            .map(|comparison| comparison.before);
        let mut scans = [Some(report.scan), before].into_iter().flatten();
        let facts = scans.find_map(|scan| scan.rules.get(&change.id.rule));
        Self {
            id: change.id,
            facts,
            row: None,
            change: Some(change),
        }
    }

    fn write(&self, report: &UsageReport<'_>, out: &mut dyn Write) -> io::Result<()> {
        let is_compared = report.comparison.is_some();
        let now = self.change.map(|element| element.now.uses);
        let uses = self
            .row
            .map(|row| row.tally.uses.count)
            .or(now)
            .unwrap_or_default();
        let change = self
            .change
            .map(|element| (element.change, element.before.uses.calls));
        let none = vec![String::new(); report.options.attributes.len()];
        self.write_row("element", &none, uses, is_compared.then_some(change), out)?;
        let changes: HashMap<&CallerName, CsvChange> = self
            .change
            .iter()
            .flat_map(|element| &element.callers)
            .map(|caller| (caller.name, Some((caller.change, caller.before.calls))))
            .collect();
        for caller in self.row.iter().flat_map(|row| row.callers()) {
            self.write_row(
                "caller",
                &caller_cells(caller.name()),
                caller.count(),
                is_compared.then_some(changes.get(caller.name()).copied().flatten()),
                out,
            )?;
        }
        for caller in self
            .change
            .into_iter()
            .flat_map(ElementChange::lost_callers)
        {
            self.write_row(
                "caller",
                &caller_cells(caller.name),
                caller.now,
                Some(Some((caller.change, caller.before.calls))),
                out,
            )?;
        }
        Ok(())
    }

    fn write_row(
        &self,
        kind: &str,
        values: &[String],
        uses: UseCount,
        change: Option<CsvChange>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let element = self.facts.map(|facts| &facts.element);
        let judgement = self.row.map(|row| &row.judgement);
        let tally = self.row.map(|row| row.tally);
        let before = [
            self.id.rule.to_string(),
            text(self.facts.map(|facts| &facts.api)),
            text(element.map(Element::kind)),
            text(element.and_then(Element::name)),
            self.id.operation.to_string(),
            self.id.part.name().to_owned(),
            text(self.facts.and_then(|facts| facts.removal)),
            text(judgement.map(|judgement| judgement.verdict.name())),
            text(judgement.map(|judgement| &judgement.reason)),
            text(tally.map(|tally| tally.reads.calls())),
            text(tally.map(ElementTally::readable)),
            kind.to_owned(),
        ];
        let after = [
            uses.calls.to_string(),
            uses.occurrences.to_string(),
            text(uses.period.first.map(timestamp)),
            text(uses.period.last.map(timestamp)),
            text(tally.map(ElementTally::unreadable)),
            text(tally.map(|tally| tally.reads.undated)),
        ];
        let change = change.map(|change| {
            let name = change.map_or("", |(change, _)| change.name());
            [name.to_owned(), text(change.map(|(_, before)| before))]
        });
        let cells: Vec<_> = before
            .iter()
            .chain(values)
            .chain(&after)
            .chain(change.iter().flatten())
            .map(|text| cell(text))
            .collect();
        write!(out, "{}\r\n", cells.join(","))
    }
}

/// The text of a cell, empty if there is nothing.
fn text(value: Option<impl ToString>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
}

/// The value of each attribute, empty where the caller has none.
fn caller_cells(name: &CallerName) -> Vec<String> {
    name.values()
        .iter()
        .map(|value| match value {
            CallerValue::Unidentified => String::new(),
            CallerValue::Shown(_) | CallerValue::Hashed(_) => value.to_string(),
        })
        .collect()
}
