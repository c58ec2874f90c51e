//! The findings that the user asks for, by the ids of their rules.

use crate::findings::{Check, Finding};
use crate::rules::{Rule, RuleSet};
use crate::step_match::matches_steps;

/// Selects findings by the ids of their rules, requirements and checks, in which `*` is any text.
#[derive(Debug, Clone, Default)]
pub struct RuleFilter {
    /// Selects only these; all, if it is empty.
    pub only: Vec<String>,
    /// Leaves these out.
    pub without: Vec<String>,
}

impl RuleFilter {
    /// The first of its ids that findings cannot have.
    pub fn find_unknown(&self, set: &RuleSet) -> Option<&str> {
        let mut ids = self.only.iter().chain(&self.without).map(String::as_str);
        ids.find(|own| {
            let mut known = known_ids(set);
            // The id may also be that of a check and a rule, or of one version.
            let rule = own.split_once('/').map_or(*own, |(_, rule)| rule);
            !set.selects(rule) && !known.any(|id| matches(rule, id) || matches(own, id))
        })
    }

    /// Returns whether it selects a finding.
    pub(super) fn selects(&self, finding: &Finding) -> bool {
        (self.only.is_empty() || is_about(&self.only, finding)) && !is_about(&self.without, finding)
    }
}

/// The ids of all rules, requirements and checks.
pub fn known_ids(set: &RuleSet) -> impl Iterator<Item = &str> {
    set.ids().chain(Check::ALL.map(Check::id))
}

fn is_about(patterns: &[String], finding: &Finding) -> bool {
    let Rule { id, other_ids, .. } = &*finding.rule;
    let code = finding.code();
    let check = finding.check().map(Check::id);
    let ids = other_ids.iter().map(|id| &**id).chain(check);
    let mut ids = ids.chain([id.as_str(), &*code]);
    ids.any(|id| patterns.iter().any(|pattern| matches(pattern, id)))
}

/// Returns whether a pattern is this id, in which `*` is any text.
fn matches(pattern: &str, id: &str) -> bool {
    matches_steps(
        pattern.as_bytes(),
        id.as_bytes(),
        |own| *own == b'*',
        PartialEq::eq,
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_is_any_text() {
        for (pattern, is_match) in [
            ("policy-terms", true),
            ("policy", false),
            ("policy-*", true),
            ("*-terms", true),
            ("*", true),
            ("p*y*terms", true),
            ("policy-terms*", true),
            ("policy-*-terms", false),
            ("*-other", false),
        ] {
            assert_eq!(matches(pattern, "policy-terms"), is_match, "{pattern}");
        }
    }
}
