//! Brings findings together that have one title: what a group shares is written once.

use std::collections::{HashMap, HashSet};
use std::hash::Hash;

use crate::LocatedFinding;
use crate::log_text::plural;
use sundown_lint::findings::Finding;

/// The number of findings that are all shown in full.
const SHORT: usize = 20;

/// Whether a report is so long that it has a table of the elements, and shows only one finding of each in full.
pub(super) fn is_long(findings: &[&LocatedFinding]) -> bool {
    findings.len() > SHORT
}

/// Groups findings whose severity, rule and headline are the same.
pub(super) fn group_findings<'r>(findings: &[&'r LocatedFinding]) -> Vec<Vec<&'r LocatedFinding>> {
    group_by(findings, |finding| {
        (finding.severity, finding.code(), finding.headline())
    })
}

/// Groups findings that have the same key, in the order of the first of each group.
pub(super) fn group_by<'r, K: Hash + Eq>(
    findings: &[&'r LocatedFinding],
    key: impl Fn(&'r Finding) -> K,
) -> Vec<Vec<&'r LocatedFinding>> {
    let mut groups: Vec<Vec<_>> = Vec::new();
    let mut known = HashMap::new();
    for &located in findings {
        let index = *known.entry(key(&located.finding)).or_insert(groups.len());
        match groups.get_mut(index) {
            Some(group) => group.push(located),
            None => groups.push(vec![located]),
        }
    }
    groups
}

/// The first line of a report that is shortened.
pub(super) fn describe_groups(findings: &[&LocatedFinding]) -> String {
    let elements = findings.iter().map(|located| {
        let rule = &located.finding.rule;
        (&rule.id, &rule.element)
    });
    let elements = plural(elements.collect::<HashSet<_>>().len(), "element");
    let count = findings.len();
    format!("{count} findings about {elements}; --all shows each of them in full")
}
