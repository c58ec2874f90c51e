//! An API description as what is checked: from a description and a rule table to findings, each at a definition.
//!
//! Every operation of the description is matched against the table like a call, the rules of each side become one
//! automaton, and that is laid over the graph of schemas. What it accepts is an element that is still declared: found
//! once, at its definition, with all operations that reach it.

mod calls;
mod concerned;
mod judge;
mod laid;
mod marks;
mod outside;
mod replacement;
mod sample;
mod search;
mod spot;
mod unmatched;

use crate::findings::{Check, CheckGrades, Finding};
use crate::openapi::{Description, FileId};
use crate::rules::{Lifecycle, RuleTable};

use crate::lint::Coverage;

/// What the user is to the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UserRole {
    /// Not said: what concerns either is reported.
    #[default]
    Either,
    /// Who describes and serves it, and can change the description.
    Owner,
    /// Who calls it.
    Consumer,
}

impl UserRole {
    /// Whether a check concerns them.
    pub fn wants(self, check: Check) -> bool {
        let concerns_consumers =
            matches!(check, Check::Exposed | Check::UnknownToTable | Check::Examples);
        self != Self::Consumer || concerns_consumers
    }
}

/// What came of a description, beside its findings.
#[derive(Debug, Clone, Copy)]
pub struct Inspected {
    /// Whether some rule knows an operation of it.
    pub coverage: Coverage,
    /// Whether it has more than could be searched.
    pub is_cut: bool,
}

/// Takes a finding with the file that it is in, and says whether there is room for another one in that file.
pub type InspectionSink<'s> = dyn FnMut(FileId, Finding) -> bool + 's;

/// Checks a description against a rule table, by all checks that concern `role`, graded as `grades` say. Each finding is given
/// to `sink`; those for which that has no room are only counted, and their operations are not looked up.
pub fn inspect(
    description: &Description,
    table: &RuleTable,
    lifecycle: Lifecycle,
    (role, grades): (UserRole, &CheckGrades),
    sink: &mut InspectionSink<'_>,
) -> Inspected {
    let calls = calls::calls(description, table);
    // What was left out may be what a rule knows.
    let is_known = description.is_cut() || calls.iter().any(|call| !call.resolved.is_empty());
    let coverage = if is_known { Coverage::Checked } else { Coverage::NoRule };
    if !is_known && description.markers().is_empty() {
        return Inspected { coverage, is_cut: false };
    }
    let found = search::DescriptionSearch::new(description, table, &calls).run();
    let mut report =
        judge::Inspector::new(description, table, lifecycle, (role, grades), &calls, sink);
    let marks = report.definitions(&found);
    report.samples(&found);
    // Of what has not been looked at, nobody can say that something is not there, or that no rule knows it.
    if !found.is_cut && !description.is_cut() {
        report.unmatched(&found);
        report.unknown(&marks);
    }
    Inspected { coverage, is_cut: found.is_cut }
}
