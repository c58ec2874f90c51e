//! Rules in partial results: their number in the rule table, or what reports say about a rule that was made during the run.

use std::collections::HashMap;
use std::sync::Arc;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use sundown_exchange::OperationPattern;
use sundown_lint::findings::{Finding, FindingKind};
use sundown_lint::rules::{AfterRemoval, Element, Requirement, RequirementTable, Rule, RuleTable};

/// The rule of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum RuleRef {
    /// The rule of this number in the table.
    Table(usize),
    /// The requirement of this number.
    Requirement(usize),
    /// A rule that is not in the table: about one version, an announcement, or a mark in a description.
    Made(Box<MadeRule>),
}

/// What reports, allowances and the baseline use of a rule.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct MadeRule {
    id: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    other_ids: Vec<Arc<str>>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_of_one_version: bool,
    element: Element,
    #[serde(skip_serializing_if = "Option::is_none")]
    announced: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    replacement: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    introduced: Option<NaiveDate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removal: Option<NaiveDate>,
    #[serde(skip_serializing_if = "Option::is_none")]
    docs: Option<String>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    is_possible: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    has_unreadable_end: bool,
    #[serde(default)]
    after_removal: AfterRemoval,
}

/// Finds the numbers of rules.
pub(super) struct RuleRefs {
    rules: HashMap<*const Rule, usize>,
    requirements: HashMap<*const Requirement, usize>,
}

impl RuleRefs {
    pub(super) fn new(table: &RuleTable) -> Self {
        let requirements = table
            .requirements()
            .into_iter()
            .flat_map(RequirementTable::all);
        Self {
            rules: table.rules().iter().map(Arc::as_ptr).zip(0..).collect(),
            requirements: requirements.map(Arc::as_ptr).zip(0..).collect(),
        }
    }

    /// The rule of a finding.
    pub(super) fn of(&self, finding: &Finding) -> RuleRef {
        let number = match &finding.kind {
            FindingKind::Violated(own) => self.requirements.get(&Arc::as_ptr(&own.requirement)),
            _ => None,
        };
        match (number, self.rules.get(&Arc::as_ptr(&finding.rule))) {
            (Some(&number), _) => RuleRef::Requirement(number),
            (None, Some(&number)) => RuleRef::Table(number),
            (None, None) => RuleRef::Made(Box::new(MadeRule::of(&finding.rule))),
        }
    }
}

impl RuleRef {
    /// The rule, and the requirement if it is one; `None` if the table does not have it.
    pub(super) fn find(self, table: &RuleTable) -> Option<(Arc<Rule>, Option<Arc<Requirement>>)> {
        Some(match self {
            Self::Table(number) => (Arc::clone(table.rules().get(number)?), None),
            Self::Requirement(number) => {
                let requirement = table.requirements()?.get(number)?;
                (Arc::clone(&requirement.rule), Some(Arc::clone(requirement)))
            }
            Self::Made(made) => (Arc::new(made.read()?), None),
        })
    }
}

impl MadeRule {
    fn of(rule: &Rule) -> Self {
        Self {
            id: rule.id.clone(),
            other_ids: rule.other_ids.clone(),
            is_of_one_version: rule.is_of_one_version,
            element: rule.element.clone(),
            announced: rule.announced.as_ref().map(ToString::to_string),
            replacement: rule.replacement.clone(),
            note: rule.note.clone(),
            introduced: rule.introduced,
            removal: rule.removal,
            docs: rule.docs.clone(),
            is_possible: rule.is_possible,
            has_unreadable_end: rule.has_unreadable_end,
            after_removal: rule.after_removal,
        }
    }

    fn read(self) -> Option<Rule> {
        let announced = match self.announced {
            Some(text) => Some(OperationPattern::parse(&text).ok()?),
            None => None,
        };
        Some(Rule {
            other_ids: self.other_ids,
            is_of_one_version: self.is_of_one_version,
            announced,
            replacement: self.replacement,
            note: self.note,
            introduced: self.introduced,
            removal: self.removal,
            docs: self.docs,
            is_possible: self.is_possible,
            has_unreadable_end: self.has_unreadable_end,
            after_removal: self.after_removal,
            ..Rule::new(self.id, self.element)
        })
    }
}
