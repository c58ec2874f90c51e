//! Groups the findings of a long report by their elements: one of each group is shown in full, with the places of a few more.

use std::collections::{HashMap, HashSet};
use std::io::{self, Write};

use crate::log_text::plural;
use crate::{FindingDetail, LocatedFinding, printable};
use sundown_lint::findings::{ExchangePart, Finding};

/// The number of findings that are all shown in full.
const SHORT: usize = 20;

/// The number of further places that are listed with the finding of a group.
const MAX_PLACES: usize = 4;

/// Findings about one element.
pub(super) struct FindingGroup<'r> {
    /// The one that is shown in full.
    pub(super) first: &'r LocatedFinding,
    others: Vec<&'r LocatedFinding>,
}

/// Returns whether a report shows one of several findings about an element in full.
pub(super) fn are_grouped(findings: &[LocatedFinding], detail: FindingDetail) -> bool {
    findings.len() > SHORT && detail != FindingDetail::All
}

/// Returns whether a finding is grouped with others of its rule: a use, or a violated requirement.
pub(super) fn is_about_rule(finding: &Finding) -> bool {
    finding.check().is_none() || finding.is_violation()
}

/// Groups findings, in the order of the first of each group. Without a need for it, each is a group of its own.
pub(super) fn group_findings(
    findings: &[LocatedFinding],
    detail: FindingDetail,
) -> Vec<FindingGroup<'_>> {
    let is_short = !are_grouped(findings, detail);
    let mut groups: Vec<FindingGroup<'_>> = Vec::new();
    let mut known: HashMap<_, usize> = HashMap::new();
    for located in findings {
        let finding = &located.finding;
        let key = (&finding.rule.id, &finding.rule.element, finding.severity);
        let is_use = is_about_rule(finding) && !is_short;
        let index = known.get(&key).copied().filter(|_| is_use);
        match index.and_then(|index| groups.get_mut(index)) {
            Some(group) => group.others.push(located),
            None => {
                if is_use {
                    known.insert(key, groups.len());
                }
                groups.push(FindingGroup {
                    first: located,
                    others: Vec::new(),
                });
            }
        }
    }
    groups
}

/// Writes the first line of a report in which findings are grouped.
pub(super) fn write_head(
    findings: usize,
    groups: &[FindingGroup<'_>],
    out: &mut dyn Write,
) -> io::Result<()> {
    if groups.len() == findings {
        return Ok(());
    }
    // An element with findings of two severities has two groups.
    let element = |group: &FindingGroup<'_>| {
        let finding = &group.first.finding;
        (finding.rule.id.clone(), finding.rule.element.clone())
    };
    let elements = groups.iter().map(element).collect::<HashSet<_>>().len();
    let elements = plural(elements, "element");
    writeln!(
        out,
        "{findings} findings about {elements}; --all shows each of them in full\n"
    )
}

impl FindingGroup<'_> {
    /// Where the other findings are, a line for each, and how many are left out.
    pub(super) fn places(&self) -> impl Iterator<Item = String> {
        let more = self.others.len().saturating_sub(MAX_PLACES);
        let more = (more > 0).then(|| format!("and in {}", plural(more, "more place")));
        self.others
            .iter()
            .take(MAX_PLACES)
            .map(|located| place(located))
            .chain(more)
    }
}

/// Where a finding is: file, position, pointer, side and operation.
fn place(located: &LocatedFinding) -> String {
    let Finding { found, .. } = &located.finding;
    let operation = printable(&found.operation);
    let side = match found.part {
        ExchangePart::Operation => String::new(),
        ExchangePart::Message(side) => format!(" in the {} of {operation}", side.name()),
    };
    format!(
        "also {}{}{side}",
        located.place(),
        located.pointer_text(" at ")
    )
}
