//! What every check of an exchange needs.

use super::options::{InnerElements, Values};
use super::rule_choice::{MatchedRule, RuleChoice, VersionRules};
use crate::findings::{Certainty, ExchangeRef};
use crate::rules::{Lifecycle, Rule, RuleSet};
use std::sync::Arc;
use sundown_exchange::{Exchange, Side, UnpackingBudget};
use sundown_text_json::text::Span;

/// The data that all checks of one exchange share.
#[derive(Clone, Copy)]
pub(super) struct Context<'c, 'a> {
    pub set: &'c RuleSet,
    pub lifecycle: &'c Lifecycle,
    pub exchange: &'c Exchange<'a>,
    pub values: Values,
    pub inner: InnerElements,
    /// Which of several rules that hold for a key count.
    pub choice: RuleChoice,
    pub versions: &'c VersionRules,
    pub unpacking: &'c UnpackingBudget,
}

impl Context<'_, '_> {
    /// Findings about the call of a bare body, which has no URL, are reported at its beginning.
    pub(super) fn bare_start(&self) -> Span {
        Side::BOTH
            .into_iter()
            .filter_map(|side| self.exchange.message(side).raw_body())
            .map(|body| Span::new(body.span.start, body.span.start))
            .next()
            .unwrap_or_default()
    }

    /// The rule of a finding: of a rule about versions, the one about this version if findings may name it.
    pub(super) fn matched_rule(&self, matched: &MatchedRule) -> Arc<Rule> {
        let MatchedRule { rule_use, version } = matched;
        match version {
            Some(version) => self.versions.get(self.set, &rule_use.rule, version),
            None => Arc::clone(&rule_use.rule),
        }
    }

    /// The certainty of a use whose element has this one: the call itself may be one of another operation.
    pub(super) fn certainty(&self, own: Certainty) -> Certainty {
        if self.exchange.call.is_possible {
            Certainty::Possible
        } else {
            own
        }
    }

    /// Whether no rule knows a value, so that one in another letter case may be meant.
    pub(super) fn is_unknown<'m>(mut matched: impl Iterator<Item = &'m MatchedRule>) -> bool {
        matched.all(|matched| matched.rule_use.rule.element.is_about_other_values())
    }

    pub(super) fn exchange_ref(&self) -> Option<ExchangeRef> {
        // A body that was named from outside is no exchange.
        self.exchange.call.url_span?;
        Some(ExchangeRef {
            index: self.exchange.index,
            is_possible: self.exchange.call.is_possible,
            started: *self.exchange.started.get(),
            status: *self.exchange.status.get(),
            origin: self.exchange.origin.find(),
        })
    }
}
