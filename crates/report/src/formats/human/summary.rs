//! The table of a human report that does not show every finding below its element: the number of uses, the days left, and the
//! operation of each element.

use std::collections::BTreeSet;
use std::hash::Hash;
use std::io::{self, Write};

use chrono::NaiveDate;

use super::groups::group_by;
use crate::{Cell, LocatedFinding, ScreenSize, Table, printable};
use sundown_exchange::Side;
use sundown_lint::findings::{ExchangePart, Finding, Sightings};

struct SummaryRow<'r> {
    /// The first of its findings.
    finding: &'r Finding,
    sightings: Sightings,
    places: BTreeSet<(&'r str, ExchangePart)>,
}

/// What the lines of the table are about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowScope {
    /// An element in one operation.
    Operation,
    /// An element, in all operations.
    Element,
}

/// The number of columns.
const COLUMNS: usize = 6;

/// Writes the table: one line for each rule and operation, or for each rule, worst first. Only a screen, which is the last to see it,
/// has the days on which elements were seen.
pub(super) fn write_summary(
    findings: &[&LocatedFinding],
    scope: RowScope,
    as_of: NaiveDate,
    screen: Option<ScreenSize>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let groups = group_by(findings, |finding| subject(finding, scope));
    let rows = groups.iter().filter_map(|group| SummaryRow::of(group));
    let mut rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return Ok(());
    }
    rows.sort_by(|a, b| {
        a.order()
            .cmp(&b.order())
            .then(b.sightings.count.cmp(&a.sightings.count))
    });
    writeln!(out, "Summary as of {as_of}:")?;
    let rows = rows.iter().map(|row| row.cells(screen.is_some()));
    let rows = rows.map(|cells| cells.map(Cell::from));
    // The days are known from the findings.
    let table = Table::plain(COLUMNS).optional(&[3]);
    for line in table.lines(rows, screen.map(|screen| screen.columns)) {
        writeln!(out, "{line}")?;
    }
    writeln!(out)
}

/// Whether a finding is counted with others of its rule: a use, or a violated requirement.
fn is_about_rule(finding: &Finding) -> bool {
    finding.check().is_none() || finding.is_violation()
}

/// The properties that the findings of one row share.
fn subject(finding: &Finding, scope: RowScope) -> impl Hash + Eq + '_ {
    let rule = &*finding.rule;
    let found = &finding.found;
    let is_whole = scope == RowScope::Element && is_about_rule(finding);
    let scoped = if is_whole {
        Err(finding.severity)
    } else {
        Ok((&found.operation, found.part, finding.distinction()))
    };
    (&rule.id, &rule.element, finding.check(), scoped)
}

impl<'r> SummaryRow<'r> {
    /// The row of a group; `None` if that is empty.
    fn of(group: &[&'r LocatedFinding]) -> Option<Self> {
        let (first, others) = group.split_first()?;
        let mut sightings = first.finding.sightings;
        for located in others {
            sightings.add(located.finding.sightings);
        }
        let places = group.iter().map(|located| {
            let found = &located.finding.found;
            (&*found.operation, found.part)
        });
        Some(Self {
            finding: &first.finding,
            sightings,
            places: places.collect(),
        })
    }

    /// The sort key: worst and most urgent first, then by operation and rule.
    fn order(&self) -> impl Ord + '_ {
        let finding = self.finding;
        (
            std::cmp::Reverse(finding.severity),
            finding.days_left.unwrap_or(i64::MAX),
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

    fn cells(&self, has_days: bool) -> [String; COLUMNS] {
        let finding = self.finding;
        let element = if finding.is_violation() {
            finding.rule.id.clone()
        } else if finding.is_about_unnamed_part() {
            "(part of the call)".to_owned()
        } else {
            finding.rule.element.label()
        };
        [
            finding.severity.name().to_owned(),
            if finding.is_violation() {
                String::new()
            } else {
                finding.time_left()
            },
            format!("{}×", self.sightings.count),
            if has_days { self.days() } else { String::new() },
            printable(&element).into_owned(),
            self.place(),
        ]
    }

    /// The operation and its side, or the first of several operations. For an announced deprecation or a requirement, the check
    /// comes first; for a description, the check and the first of the operations.
    fn place(&self) -> String {
        let finding = self.finding;
        let operations: BTreeSet<&str> = self
            .places
            .iter()
            .map(|(operation, _)| *operation)
            .collect();
        let side = finding.found.part.side().filter(|_| self.places.len() == 1);
        let place = format!(
            "{} {}",
            finding.found.operation,
            side.map_or("", Side::name)
        );
        let place = place.trim();
        if let Some(declared) = finding.declared() {
            return match place {
                "" => declared.check.id().to_owned(),
                _ => format!(
                    "{}: {place}{}",
                    declared.check.id(),
                    and_more(declared.operations.len())
                ),
            };
        }
        let place = format!("{place}{}", and_more(operations.len()));
        match finding.check() {
            Some(check) => format!("{}: {place}", check.id()),
            None => place,
        }
    }
}

/// How many there are besides the first, after a space.
fn and_more(all: usize) -> String {
    if all > 1 {
        format!(" and {} more", all - 1)
    } else {
        String::new()
    }
}
