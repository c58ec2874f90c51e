//! A finding as a line of a partial result writes it: without its rule, which the rule table has, and without its status, which
//! allowances and the baseline decide.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use super::rule_ref::{RuleRef, RuleRefs};
use crate::{FileKind, LocatedFinding};
use sundown_exchange::StatusCode;
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::findings::{
    Announced, Declared, Evidence, Finding, FindingKind, MAX_RELATED, Observation, Occurrence,
    Origins, Related, RequirementViolation, Sightings, UseKind,
};
use sundown_lint::rules::Severity;
use sundown_text_json::text::Location;
use sundown_text_json::text::magic::compression_named;

/// A finding without its rule and its status.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FindingLine {
    file: Arc<str>,
    /// The name relative to the project's root, if it is another.
    #[serde(skip_serializing_if = "Option::is_none")]
    rooted: Option<Arc<str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    compression: Option<String>,
    #[serde(default, skip_serializing_if = "is_default")]
    kind: FileKind,
    at: (Location, Location),
    rule: RuleRef,
    severity: Severity,
    #[serde(skip_serializing_if = "Option::is_none")]
    days_left: Option<i64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    begins: Option<NaiveDate>,
    found: Occurrence,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    related: Vec<RelatedLine>,
    #[serde(default, skip_serializing_if = "is_default")]
    has_more_related: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    is_related_full: bool,
    seen: Sightings,
    #[serde(default, skip_serializing_if = "is_default")]
    has_replacement: bool,
    #[serde(default, skip_serializing_if = "is_default")]
    evidence: Evidence,
    #[serde(default, skip_serializing_if = "is_default")]
    origins: Origins,
    #[serde(default, skip_serializing_if = "is_default")]
    about: KindLine,
}

/// What a finding is about.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum KindLine {
    #[default]
    Use,
    Declared(Box<Declared>),
    Announced(Box<Announced>),
    Violated(ViolationLine),
}

/// An element inside a finding, with its location.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct RelatedLine {
    element: Related,
    at: (Location, Location),
}

/// A violated requirement, without the requirement.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct ViolationLine {
    header: String,
    observed: BTreeSet<Observation>,
    refusals: BTreeMap<StatusCode, usize>,
}

/// The error about a line that does not fit others, or the rules.
const INCONSISTENT: &str = "it has a value that no run has";

impl FindingLine {
    pub(super) fn of(located: LocatedFinding, refs: &RuleRefs) -> Self {
        let rule = refs.of(&located.finding);
        let LocatedFinding {
            finding,
            status: _,
            file,
            rooted,
            compression,
            kind,
            ..
        } = located;
        let related = finding.related.into_iter().zip(located.related);
        Self {
            rooted: Some(rooted).filter(|rooted| *rooted != file),
            file,
            compression: compression.map(str::to_owned),
            kind,
            at: (located.location, located.end),
            rule,
            severity: finding.severity,
            days_left: finding.days_left,
            begins: finding.begins,
            found: finding.found,
            related: related
                .map(|(element, at)| RelatedLine { element, at })
                .collect(),
            has_more_related: finding.has_more_related,
            is_related_full: finding.is_related_full,
            seen: finding.sightings,
            has_replacement: finding.has_replacement,
            evidence: finding.evidence,
            origins: finding.origins,
            about: match finding.kind {
                FindingKind::Use => KindLine::Use,
                FindingKind::Declared(declared) => KindLine::Declared(declared),
                FindingKind::Announced(announced) => KindLine::Announced(announced),
                FindingKind::Violated(violated) => KindLine::Violated(ViolationLine {
                    header: violated.header,
                    observed: violated.observed,
                    refusals: violated.refusals,
                }),
            },
        }
    }

    /// The finding, with its rule from the table.
    pub(super) fn locate(
        self,
        table: &sundown_lint::rules::RuleTable,
    ) -> Result<LocatedFinding, &'static str> {
        let (rule, requirement) = self.rule.find(table).ok_or(INCONSISTENT)?;
        let kind = match (self.about, requirement) {
            (KindLine::Use, None) => FindingKind::Use,
            (KindLine::Declared(declared), None) => FindingKind::Declared(declared),
            (KindLine::Announced(announced), None) => FindingKind::Announced(announced),
            (
                KindLine::Violated(ViolationLine {
                    header,
                    observed,
                    refusals,
                }),
                Some(requirement),
            ) => FindingKind::Violated(Box::new(RequirementViolation {
                requirement,
                header,
                observed,
                refusals,
            })),
            _ => return Err(INCONSISTENT),
        };
        let compression = match self.compression {
            Some(name) => Some(compression_named(&name).ok_or(INCONSISTENT)?),
            None => None,
        };
        // Dates are no further apart than that.
        let is_date = |days: i64| i32::try_from(days).is_ok();
        if self.related.len() > MAX_RELATED || !self.days_left.is_none_or(is_date) {
            return Err(INCONSISTENT);
        }
        let (related, places) = self
            .related
            .into_iter()
            .map(|line| (line.element, line.at))
            .unzip();
        let finding = Finding {
            rule,
            severity: self.severity,
            days_left: self.days_left,
            begins: self.begins,
            found: self.found,
            related,
            has_more_related: self.has_more_related,
            is_related_full: self.is_related_full,
            // Only folded findings are written.
            use_kind: UseKind::Own,
            sightings: self.seen,
            has_replacement: self.has_replacement,
            evidence: self.evidence,
            origins: self.origins,
            kind,
        };
        Ok(LocatedFinding {
            finding,
            status: SuppressionStatus::Open,
            rooted: self.rooted.unwrap_or_else(|| Arc::clone(&self.file)),
            file: self.file,
            compression,
            kind: self.kind,
            location: self.at.0,
            end: self.at.1,
            related: places,
        })
    }
}

fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
