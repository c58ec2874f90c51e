//! The findings that the user asks for, by the ids of their rules.

use crate::findings::{Check, Finding};
use crate::rules::RuleTable;

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
    pub fn find_unknown(&self, table: &RuleTable) -> Option<&str> {
        let ids = self.only.iter().chain(&self.without);
        let mut ids = ids.map(String::as_str);
        ids.find(|own| {
            let mut known = known_ids(table);
            // The id may also be that of a check and a rule, or of one version.
            let rule = own.split_once('/').map_or(*own, |(_, rule)| rule);
            !table.selects(rule) && !known.any(|id| matches(rule, id) || matches(own, id))
        })
    }

    /// Returns whether it selects a finding.
    pub(super) fn selects(&self, finding: &Finding) -> bool {
        (self.only.is_empty() || is_about(&self.only, finding)) && !is_about(&self.without, finding)
    }
}

/// The ids of all rules, requirements and checks.
pub fn known_ids(table: &RuleTable) -> impl Iterator<Item = &str> {
    table.ids().chain(Check::ALL.map(Check::id))
}

fn is_about(patterns: &[String], finding: &Finding) -> bool {
    let rule = &finding.rule;
    let code = finding.code();
    patterns.iter().any(|pattern| {
        let mut others = rule.other_ids.iter();
        let check = finding.check().map(Check::id);
        matches(pattern, &rule.id)
            || matches(pattern, &code)
            || check.is_some_and(|id| matches(pattern, id))
            || others.any(|id| matches(pattern, id))
    })
}

fn matches(pattern: &str, id: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = id.strip_prefix(parts.next().unwrap_or_default()) else {
        return false;
    };
    let Some(last) = parts.next_back() else {
        return rest.is_empty();
    };
    for part in parts {
        let Some((_, after)) = rest.split_once(part) else {
            return false;
        };
        rest = after;
    }
    rest.ends_with(last)
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
