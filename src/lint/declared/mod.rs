//! An API description as what is checked: from a description and a rule table to findings, each at a definition.
//!
//! Every operation of the description is matched against the table like a call, the rules of each side become one
//! automaton, and that is laid over the graph of schemas. What it accepts is an element that is still declared: found
//! once, at its definition, with all operations that reach it.

mod calls;
mod judge;
mod laid;
mod marks;
mod outside;
mod replacement;
mod sample;
mod search;
mod spot;
mod unmatched;

use crate::description::{Description, FileId};
use crate::finding::{Check, CheckGrades, Finding};
use crate::rule::{Lifecycle, RuleTable};

use super::Coverage;

/// What the user is to the API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Role {
    /// Not said: what concerns either is reported.
    #[default]
    Either,
    /// Who describes and serves it, and can change the description.
    Owner,
    /// Who calls it.
    Consumer,
}

impl Role {
    /// Whether a check concerns them.
    pub fn wants(self, check: Check) -> bool {
        let concerns_consumers =
            matches!(check, Check::Exposed | Check::UnknownToTable | Check::Examples);
        self != Self::Consumer || concerns_consumers
    }
}

/// What came of a description.
#[derive(Debug)]
pub struct Inspected {
    /// The findings, each with the file it is in.
    pub findings: Vec<(FileId, Finding)>,
    /// Whether some rule knows an operation of it.
    pub coverage: Coverage,
    /// Whether it has more than could be searched.
    pub is_cut: bool,
}

/// Checks a description against a rule table, by all checks that concern `role`, graded as `grades` say.
pub fn inspect(
    description: &Description,
    table: &RuleTable,
    lifecycle: Lifecycle,
    role: Role,
    grades: &CheckGrades,
) -> Inspected {
    let calls = calls::calls(description, table);
    let is_known = calls.iter().any(|call| !call.resolved.is_empty());
    let coverage = if is_known { Coverage::Checked } else { Coverage::NoRule };
    if !is_known && description.markers().is_empty() {
        return Inspected { findings: Vec::new(), coverage, is_cut: false };
    }
    let found = search::Search::new(description, table, &calls).run();
    let mut report = judge::Report::new(description, table, lifecycle, (role, grades), &calls);
    let marks = report.definitions(&found);
    report.samples(&found);
    report.unmatched(&found);
    report.unknown(&marks);
    Inspected { findings: report.findings, coverage, is_cut: found.is_cut }
}
