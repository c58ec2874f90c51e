//! The report as comma-separated values (RFC 4180): a row for each element, and one for each of its callers.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};

use crate::caller::{CallerName, CallerValue};
use crate::comparison::{ElementChange, UseChange};
use crate::report::{ElementRow, UsageReport};
use crate::scan::{ElementTally, RuleFacts};
use crate::tally::ElementId;
use crate::tally::UseCount;
use sundown_lint::rules::Element;
use sundown_report::{Cell, ColumnKind, Table};
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
    let attributes = report.options.attributes.iter();
    let change: &[&str] = if report.comparison.is_some() {
        &CHANGE_COLUMNS
    } else {
        &[]
    };
    let heads = (COLUMNS.into_iter().map(Cow::Borrowed))
        .chain(attributes.map(|attribute| Cow::Owned(attribute.name())))
        .chain(COUNT_COLUMNS.into_iter().map(Cow::Borrowed))
        .chain(change.iter().copied().map(Cow::Borrowed));
    let columns = heads.map(|head| (ColumnKind::Text, head));
    let table = Table::new(columns);
    let elements = report
        .comparison
        .iter()
        .flat_map(|comparison| &comparison.elements);
    let mut changes: BTreeMap<&ElementId, &ElementChange<'_>> =
        elements.map(|element| (element.id, element)).collect();
    let mut elements: Vec<_> = (report.rows.iter())
        .map(|row| CsvElement::of_row(row, changes.remove(row.id)))
        .collect();
    // An element that was used before need not be one of the report.
    let lost = changes.into_values();
    elements.extend(lost.map(|change| CsvElement::of_change(report, change)));
    let rows = elements.iter().flat_map(|element| element.rows(report));
    table.write_csv(rows, out)
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

    /// The row of the element, then those of its callers.
    fn rows(&self, report: &UsageReport<'_>) -> Vec<Vec<Cell>> {
        let is_compared = report.comparison.is_some();
        let now = self.change.map(|element| element.now.uses);
        let uses = self.row.map(|row| row.tally.uses.count).or(now);
        let change = self
            .change
            .map(|element| (element.change, element.before.uses.calls));
        let none = report
            .options
            .attributes
            .iter()
            .map(|_| Cell::from(""))
            .collect();
        let change = is_compared.then_some(change);
        let mut rows = vec![self.cells("element", none, uses.unwrap_or_default(), change)];
        let changes: HashMap<&CallerName, CsvChange> = self
            .change
            .iter()
            .flat_map(|element| &element.callers)
            .map(|caller| (caller.name, Some((caller.change, caller.before.calls))))
            .collect();
        for caller in self.row.iter().flat_map(|row| row.callers()) {
            let values = caller_cells(caller.name());
            let change = is_compared.then_some(changes.get(caller.name()).copied().flatten());
            rows.push(self.cells("caller", values, caller.count(), change));
        }
        let lost = self.change.into_iter();
        for caller in lost.flat_map(ElementChange::lost_callers) {
            let values = caller_cells(caller.name);
            let change = Some((caller.change, caller.before.calls));
            rows.push(self.cells("caller", values, caller.now, Some(change)));
        }
        rows
    }

    fn cells(
        &self,
        kind: &str,
        values: Vec<Cell>,
        uses: UseCount,
        change: Option<CsvChange>,
    ) -> Vec<Cell> {
        let facts = self.facts;
        let element = facts.map(|facts| &facts.element);
        let judgement = self.row.map(|row| &row.judgement);
        let tally = self.row.map(|row| row.tally);
        let removal = facts.and_then(|facts| facts.removal);
        let mut cells: Vec<Cell> = vec![
            (&*self.id.rule).into(),
            facts.map(|facts| facts.api.as_str()).into(),
            element.map(Element::kind).into(),
            element.and_then(Element::name).into(),
            (&*self.id.operation).into(),
            self.id.part.name().into(),
            removal.map(|removal| removal.to_string()).into(),
            judgement.map(|judgement| judgement.verdict.name()).into(),
            judgement.map(|judgement| judgement.reason.as_str()).into(),
            tally.map(|tally| tally.reads.calls()).into(),
            tally.map(ElementTally::readable).into(),
            kind.into(),
        ];
        cells.extend(values);
        cells.extend([
            uses.calls.into(),
            uses.occurrences.into(),
            uses.period.first.map(timestamp).into(),
            uses.period.last.map(timestamp).into(),
            tally.map(ElementTally::unreadable).into(),
            tally.map(|tally| tally.reads.undated).into(),
        ]);
        if let Some(change) = change {
            cells.push(change.map(|(change, _)| change.name()).into());
            cells.push(change.map(|(_, before)| before).into());
        }
        cells
    }
}

/// The value of each attribute, empty where the caller has none.
fn caller_cells(name: &CallerName) -> Vec<Cell> {
    let values = name.values().iter().map(|value| match value {
        CallerValue::Unidentified => None,
        CallerValue::Shown(_) | CallerValue::Hashed(_) => Some(value.to_string()),
    });
    values.map(Cell::from).collect()
}
