//! The inspection of a description.

use std::collections::HashSet;

use super::calls::{DescribedCall, match_operations};
use super::inspector::Inspector;
use super::options::{Inspected, InspectionOptions, InspectionSink};
use super::search::DescriptionSearch;
use crate::rules::RuleSet;
use sundown_openapi::Description;

/// Whether some rule names an operation of the description.
pub fn is_covered(description: &Description, table: &RuleSet) -> bool {
    are_covered(&match_operations(description, table), description)
}

fn are_covered(calls: &[DescribedCall], description: &Description) -> bool {
    // A part that was left out could contain an operation of the rules.
    description.is_cut() || calls.iter().any(|call| !call.matched.is_empty())
}

/// Checks a description against a rule table and passes each finding to `sink`.
///
/// Once `sink` has no room for findings in a file, further findings there are only counted: their operations are not
/// looked up.
pub fn inspect(
    description: &Description,
    table: &RuleSet,
    options: InspectionOptions<'_>,
    sink: &mut InspectionSink<'_>,
) -> Inspected {
    let calls = match_operations(description, table);
    let is_covered = are_covered(&calls, description);
    if !is_covered && description.markers().is_empty() {
        return Inspected {
            is_covered,
            is_cut: false,
        };
    }
    let results = DescriptionSearch::new(description, table, &calls).run();
    let mut inspector = Inspector {
        description,
        table,
        options,
        calls: &calls,
        sink,
        full: HashSet::new(),
    };
    let known = inspector.report_definitions(&results);
    inspector.report_examples(&results);
    // The absence of an element or a rule can only be reported if everything was searched.
    if !results.is_cut && !description.is_cut() {
        inspector.report_unmatched(&results);
        inspector.report_unknown(&known);
    }
    Inspected {
        is_covered,
        is_cut: results.is_cut,
    }
}
