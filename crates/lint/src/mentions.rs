//! Grades the values that a text names which people write, such as source code: whether a call has them is not known.

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::findings::{
    Certainty, Check, CheckGrades, Declared, ExcerptParts, ExchangePart, Finding, FindingKind,
    Occurrence, replacement_advice,
};
use crate::rules::{Element, Grade, Lifecycle, Rule, RuleSet, SetRule, Severity, in_backticks};
use sundown_exchange::Side;
use sundown_text_json::text::{Span, join};

/// The number of values from which on a file is a list of them.
const MIN_LIST: usize = 20;

/// The most days left for which a mention is a warning, unless the user sets another number.
const WARN_WITHIN: i64 = 90;

/// By what the values are graded that a text names.
pub(super) struct MentionGrader<'g> {
    pub text: &'g [u8],
    pub set: &'g RuleSet,
    pub lifecycle: &'g Lifecycle,
    pub grades: &'g CheckGrades,
}

impl MentionGrader<'_> {
    /// The findings about values, each with the rules about it.
    pub(super) fn grade(&self, values: Vec<(Span, Vec<SetRule>)>) -> Vec<Finding> {
        let named = values.into_iter();
        let findings: Vec<_> = named
            .filter_map(|(span, rules)| self.mention(span, &rules))
            .collect();
        let ids: BTreeSet<_> = findings.iter().map(|finding| &finding.rule.id).collect();
        match findings.first() {
            Some(first) if ids.len() >= MIN_LIST => {
                let days = findings.iter().filter_map(|finding| finding.rule.removal);
                self.list(first, ids.len(), days.max())
                    .into_iter()
                    .collect()
            }
            _ => findings,
        }
    }

    /// The finding about a value, graded by the last of the days that the owners of it state. A value without such a day is none.
    fn mention(&self, span: Span, rules: &[SetRule]) -> Option<Finding> {
        let rules = rules.iter().filter(|rule| ends(rule));
        let last = rules.clone();
        // What is advised about a value in a request fits text better than what is said of a response that has it.
        let rule = last.max_by_key(|rule| {
            let mut places = rule.places.iter();
            let is_sent = places.any(|place| place.sides.contains(Side::Request));
            (rule.removal, is_sent, Reverse(rule.number))
        })?;
        let owners = rules.map(|rule| {
            let api = &self.set.file(rule.file).api;
            (rule.removal, api, replacement_advice(rule))
        });
        let owners: BTreeSet<_> = owners.collect();
        // The text does not say whose API it calls: a lone owner is named, too, and each has a day and a replacement of its own.
        let is_alone = owners.len() == 1;
        let facts = owners.into_iter().map(|(day, api, advice)| match day {
            Some(day) if !is_alone => format!("{api}: {day}, {advice}"),
            _ => api.to_owned(),
        });
        let detail = Some(join(facts, "; "));
        let value = String::from_utf8_lossy(span.slice(self.text));
        self.finding(rule, span, Some(in_backticks(&value)), detail)
    }

    /// The finding about a list of values.
    fn list(
        &self,
        first: &Finding,
        count: usize,
        removal: Option<chrono::NaiveDate>,
    ) -> Option<Finding> {
        let element = Element {
            value: None,
            ..first.rule.element.clone()
        };
        let rule = Rule {
            removal,
            grade: Grade::Always(Severity::Note),
            ..Rule::new(Check::Mentioned.id().to_owned(), element)
        };
        let detail = format!("{count} values that end are listed");
        self.finding(&Arc::new(rule), first.found.span, None, Some(detail))
    }

    fn finding(
        &self,
        rule: &Arc<Rule>,
        span: Span,
        subject: Option<String>,
        detail: Option<String>,
    ) -> Option<Finding> {
        let check = Check::Mentioned;
        let severity = match (self.grades.of(check, &rule.id), rule.grade) {
            (Grade::Off, _) => return None,
            (Grade::Always(severity), _) | (_, Grade::Always(severity)) => severity,
            _ => {
                let warn_within = self.lifecycle.warn_within.or(Some(WARN_WITHIN));
                let lifecycle = Lifecycle {
                    warn_within,
                    ..*self.lifecycle
                };
                lifecycle.severity(rule.removal, None)
            }
        };
        let found = Occurrence {
            operation: Arc::from(""),
            part: ExchangePart::Operation,
            pointer: None,
            span,
            shown: ExcerptParts::default(),
            exchange: None,
            certainty: Certainty::Possible,
        };
        let declared = Declared {
            check,
            operations: Vec::new(),
            detail,
            subject,
        };
        Some(Finding {
            severity: severity.min(Severity::Warning),
            kind: FindingKind::Declared(Box::new(declared)),
            ..Finding::new(rule, self.lifecycle, found)
        })
    }
}

/// Whether a rule states when its element ends, and no other element has the name. Values of other rules are not searched in texts that
/// people write.
pub(super) fn ends(rule: &Rule) -> bool {
    !rule.is_possible && (rule.removal.is_some() || rule.versions.removed_in.is_some())
}
