//! Inspection of API descriptions: from a description and a rule table to findings, each at a definition.
//!
//! Every operation of the description is matched against the table like a call. The rules of each side compile to one
//! automaton, which runs over the graph of schemas. A node that it accepts is an element that is still declared; it is
//! reported once, at its definition, with all operations that reach it.

mod affected;
mod automaton;
mod calls;
mod conditions;
mod examples;
mod inspector;
mod location;
mod markers;
mod parameters;
mod replacement;
mod search;
mod unknown;
mod unmatched;

use crate::findings::{Check, CheckGrades, Finding};
use crate::openapi::{Description, FileId};
use crate::rules::{Lifecycle, RuleTable};

/// The user's relation to the API, which decides which checks are reported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UserRole {
    /// Not given: all checks are reported.
    #[default]
    Either,
    /// Serves the API and can change its description.
    Owner,
    /// Calls the API.
    Consumer,
}

impl UserRole {
    /// Returns whether a check is reported to this user.
    pub fn wants(self, check: Check) -> bool {
        let concerns_consumers =
            matches!(check, Check::Exposed | Check::UnknownToTable | Check::Examples);
        self != Self::Consumer || concerns_consumers
    }
}

/// How the findings of a description are selected and graded.
#[derive(Debug, Clone, Copy)]
pub struct InspectionOptions<'o> {
    /// The day and the thresholds by which removal dates are graded.
    pub lifecycle: Lifecycle,
    /// The user's relation to the API.
    pub role: UserRole,
    /// The configured severities of the checks.
    pub grades: &'o CheckGrades,
}

/// The result of inspecting a description, beside its findings.
#[derive(Debug, Clone, Copy)]
pub struct Inspected {
    /// Whether some rule names an operation of the description.
    pub is_covered: bool,
    /// Whether the search stopped at its limit.
    pub is_cut: bool,
}

/// Takes a finding and the file that it is in. Returns whether the report has room for another finding in that file.
pub type InspectionSink<'s> = dyn FnMut(FileId, Finding) -> bool + 's;

/// Returns whether some rule names an operation of the description.
pub fn is_covered(description: &Description, table: &RuleTable) -> bool {
    are_covered(&calls::match_operations(description, table), description)
}

fn are_covered(calls: &[calls::DescribedCall], description: &Description) -> bool {
    // A part that was left out could contain an operation of the rules.
    description.is_cut() || calls.iter().any(|call| !call.matched.is_empty())
}

/// Checks a description against a rule table and passes each finding to `sink`.
///
/// Once `sink` has no room for findings in a file, further findings there are only counted: their operations are not
/// looked up.
pub fn inspect(
    description: &Description,
    table: &RuleTable,
    options: InspectionOptions<'_>,
    sink: &mut InspectionSink<'_>,
) -> Inspected {
    let calls = calls::match_operations(description, table);
    let is_covered = are_covered(&calls, description);
    if !is_covered && description.markers().is_empty() {
        return Inspected { is_covered, is_cut: false };
    }
    let results = search::DescriptionSearch::new(description, table, &calls).run();
    let mut inspector = inspector::Inspector::new(description, table, options, &calls, sink);
    let known = inspector.report_definitions(&results);
    inspector.report_examples(&results);
    // The absence of an element or a rule can only be reported if everything was searched.
    if !results.is_cut && !description.is_cut() {
        inspector.report_unmatched(&results);
        inspector.report_unknown(&known);
    }
    Inspected { is_covered, is_cut: results.is_cut }
}
