//! The table at the end of the human report: for each operation and element, the number of uses, the days left, and the
//! replacement.

use std::collections::HashMap;
use std::hash::Hash;
use std::io::{self, Write};

use chrono::NaiveDate;

use crate::findings::{Finding, Sightings};
use crate::report::{LocatedFinding, printable};
use crate::traffic::Side;

/// One line for each rule and operation, worst first.
pub(super) struct SummaryTable<'r> {
    rows: Vec<SummaryRow<'r>>,
}

struct SummaryRow<'r> {
    finding: &'r Finding,
    sightings: Sightings,
}

/// Whether the table says when elements were seen first and last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TimeColumn {
    Shown,
    Hidden,
}

/// The number of columns.
const COLUMNS: usize = 7;

impl<'r> SummaryTable<'r> {
    pub(super) fn of(findings: &'r [LocatedFinding]) -> Self {
        let mut rows: Vec<SummaryRow<'r>> = Vec::new();
        let mut known = HashMap::new();
        for located in findings {
            let finding = &located.finding;
            let number = *known.entry(subject(finding)).or_insert(rows.len());
            match rows.get_mut(number) {
                Some(row) => row.sightings.add(finding.sightings),
                None => rows.push(SummaryRow { finding, sightings: finding.sightings }),
            }
        }
        rows.sort_by(|a, b| {
            a.order().cmp(&b.order()).then(b.sightings.count.cmp(&a.sightings.count))
        });
        Self { rows }
    }

    pub(super) fn write(
        &self,
        as_of: NaiveDate,
        times: TimeColumn,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let cells: Vec<[String; COLUMNS]> = self.rows.iter().map(|row| row.cells(times)).collect();
        let width = |column: usize| {
            cells.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max()
        };
        let widths: Vec<usize> =
            (0..COLUMNS).map(|column| width(column).unwrap_or_default()).collect();
        writeln!(out, "Summary as of {as_of}:")?;
        for row in &cells {
            let mut line = String::new();
            for (cell, width) in row.iter().zip(&widths).filter(|(_, width)| **width > 0) {
                line.push_str("  ");
                line.push_str(cell);
                line.extend(std::iter::repeat_n(' ', width - cell.chars().count()));
            }
            writeln!(out, "{}", line.trim_end())?;
        }
        writeln!(out)
    }
}

/// The properties that the findings of one row share.
fn subject(finding: &Finding) -> impl Hash + Eq + '_ {
    let rule = &*finding.rule;
    let found = &finding.found;
    (&rule.id, &rule.element, &found.operation, found.part, finding.check(), finding.distinction())
}

impl SummaryRow<'_> {
    /// The sort key: worst and most urgent first, then by operation and rule.
    fn order(&self) -> impl Ord + '_ {
        let finding = self.finding;
        let days = finding.days_left.unwrap_or(i64::MAX);
        (
            std::cmp::Reverse(finding.severity),
            days,
            &finding.found.operation,
            &finding.rule.id,
            finding.found.part,
            finding.check(),
        )
    }

    /// The days on which it was seen first and last; empty if no time is known.
    fn days(&self) -> String {
        let days = self.sightings.first.zip(self.sightings.last);
        match days.map(|(first, last)| (first.date_naive(), last.date_naive())) {
            None => String::new(),
            Some((first, last)) if first == last => format!("seen on {first}"),
            Some((first, last)) => format!("seen from {first} to {last}"),
        }
    }

    fn cells(&self, times: TimeColumn) -> [String; COLUMNS] {
        let finding = self.finding;
        let element = match &finding.violated {
            Some(_) => finding.rule.id.clone(),
            None => finding.rule.element.label(),
        };
        [
            finding.severity.name().to_owned(),
            if finding.violated.is_some() { String::new() } else { finding.time_left() },
            format!("{}×", self.sightings.count),
            if times == TimeColumn::Shown { self.days() } else { String::new() },
            printable(&element).into_owned(),
            place(finding),
            finding.general_advice(),
        ]
    }
}

/// The operation and its side. For an announced deprecation or a requirement, the check comes first; for a description, the check and the
/// first of the operations.
fn place(finding: &Finding) -> String {
    let side = finding.found.part.side().map_or("", Side::name);
    let place = format!("{} {side}", finding.found.operation);
    let is_declared = finding.declared.is_some();
    if let Some(check) = finding.check().filter(|_| !is_declared) {
        return format!("{}: {}", check.id(), place.trim());
    }
    let Some(declared) = &finding.declared else { return place };
    let more = match declared.operations.len() {
        0 | 1 => String::new(),
        all => format!(" and {} more", all - 1),
    };
    match place.trim() {
        "" => declared.check.id().to_owned(),
        place => format!("{}: {place}{more}", declared.check.id()),
    }
}
