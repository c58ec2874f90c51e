//! Collects single uses.

use super::super::LocatedFinding;
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use sundown_exchange::{CodeOrigin, StatusCode};
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::findings::{Certainty, Evidence, ExchangePart, UseOutcome};
use sundown_lint::rules::Rule;
use sundown_text_json::text::Location;

/// How many uses are listed by default.
pub const MAX_USES: usize = 1_000;

/// The uses of one rule. Memory grows with the number of listed uses, and by one bit for each exchange of a file.
#[derive(Debug)]
pub struct UseList {
    /// The id of the rule.
    pub(super) rule: String,
    /// The last day of its element.
    pub(super) removal: Option<NaiveDate>,
    /// How many uses are listed at most; `None` lists all.
    most: Option<usize>,
    /// The uses that are listed: the first ones.
    listed: BTreeMap<UseKey, ListedUse>,
    /// How many uses are not listed.
    pub(super) left_out: usize,
    /// How many times the element was found.
    pub(super) uses: usize,
    /// How many exchanges have the element.
    pub(super) exchanges: usize,
    /// The start of the earliest and of the latest exchange.
    pub(super) times: Option<(DateTime<Utc>, DateTime<Utc>)>,
    /// How many exchanges have each outcome and status.
    pub(super) outcomes: BTreeMap<(UseOutcome, Option<StatusCode>), usize>,
    /// How many findings are about API descriptions, which have no exchanges.
    pub(super) in_descriptions: usize,
    /// The exchange that was added last, and its outcomes.
    current: Option<(Arc<str>, Option<usize>)>,
    current_outcomes: BTreeSet<(UseOutcome, Option<StatusCode>)>,
    known: KnownExchanges,
}

/// By what uses differ. Those of an exchange that only differ in array indices are one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct UseKey {
    /// Whether it has no time: then, it follows all others.
    is_undated: bool,
    pub(super) started: Option<DateTime<Utc>>,
    pub(super) file: Arc<str>,
    pub(super) exchange: Option<usize>,
    pub(super) part: ExchangePart,
    pub(super) operation: Arc<str>,
    starred: Option<Arc<str>>,
}

/// A use, with the number of equal ones in its exchange.
#[derive(Debug)]
pub(super) struct ListedUse {
    pub(super) location: Location,
    pub(super) pointer: Option<String>,
    pub(super) status: Option<StatusCode>,
    pub(super) outcome: UseOutcome,
    pub(super) certainty: Certainty,
    /// The code that made the call.
    pub(super) origin: Option<Arc<CodeOrigin>>,
    pub(super) mark: UseMark,
    pub(super) count: usize,
}

/// Why a use does not count.
#[derive(Debug)]
pub(super) enum UseMark {
    Counted,
    /// With the reason.
    Allowed(String),
    Baselined,
}

/// The exchanges of the current file that are known to have the element: uses of an exchange may not be adjacent.
#[derive(Debug, Default)]
struct KnownExchanges {
    file: Option<Arc<str>>,
    /// One bit for each exchange.
    indices: Vec<u64>,
    has_bare_body: bool,
}

impl UseList {
    /// Starts an empty list of the uses of a rule.
    pub fn new(rule: &Rule, most: Option<usize>) -> Self {
        Self {
            rule: rule.id.clone(),
            removal: rule.removal,
            most,
            listed: BTreeMap::new(),
            left_out: 0,
            uses: 0,
            exchanges: 0,
            times: None,
            outcomes: BTreeMap::new(),
            in_descriptions: 0,
            current: None,
            current_outcomes: BTreeSet::new(),
            known: KnownExchanges::default(),
        }
    }

    /// Adds a finding if it is a use of the rule. Findings come in the order of files.
    pub fn add(&mut self, located: &LocatedFinding) {
        let finding = &located.finding;
        if !finding.rule.is_called(&self.rule) {
            return;
        }
        if finding.check().is_some() {
            self.in_descriptions += usize::from(finding.declared().is_some());
            return;
        }
        let key = UseKey::of(located);
        let listed = ListedUse::of(located);
        let exchange = (Arc::clone(&key.file), key.exchange);
        if self.current.as_ref() != Some(&exchange) {
            self.exchanges += usize::from(self.known.insert(&exchange));
            self.current = Some(exchange);
            self.current_outcomes.clear();
        }
        let outcome = (listed.outcome, listed.status);
        if self.current_outcomes.insert(outcome) {
            *self.outcomes.entry(outcome).or_default() += 1;
        }
        self.uses += listed.count;
        if let Some(started) = key.started {
            let (first, last) = self.times.unwrap_or((started, started));
            self.times = Some((first.min(started), last.max(started)));
        }
        self.list(key, listed);
    }

    /// Lists a use, if it is among the first. One that is left out has enough others before it, and never comes back.
    fn list(&mut self, key: UseKey, listed: ListedUse) {
        if let Some(known) = self.listed.get_mut(&key) {
            known.count += listed.count;
            return;
        }
        self.listed.insert(key, listed);
        if self.most.is_some_and(|most| self.listed.len() > most) {
            self.left_out += self.listed.pop_last().map_or(0, |(_, last)| last.count);
        }
    }

    /// The listed uses in the order of time, then of their places.
    pub(super) fn sorted(&self) -> Vec<(&UseKey, &ListedUse)> {
        let mut sorted: Vec<_> = self.listed.iter().collect();
        sorted.sort_by_key(|(key, listed)| {
            (
                key.is_undated,
                key.started,
                &key.file,
                listed.location,
                *key,
            )
        });
        sorted
    }
}

impl KnownExchanges {
    /// Remembers an exchange; returns whether it is new. Bare bodies of a file are one exchange.
    fn insert(&mut self, (file, index): &(Arc<str>, Option<usize>)) -> bool {
        if self.file.as_ref() != Some(file) {
            *self = Self {
                file: Some(Arc::clone(file)),
                ..Self::default()
            };
        }
        let Some(index) = index else {
            return !std::mem::replace(&mut self.has_bare_body, true);
        };
        let word = index / 64;
        let bit = 1u64 << (index % 64);
        if self.indices.len() <= word {
            self.indices.resize(word + 1, 0);
        }
        let Some(word) = self.indices.get_mut(word) else {
            return true;
        };
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }
}

impl UseKey {
    fn of(located: &LocatedFinding) -> Self {
        let found = &located.finding.found;
        let exchange = found.exchange.as_ref();
        let started = exchange.and_then(|exchange| exchange.started);
        let pointer = found.pointer.as_ref();
        Self {
            is_undated: started.is_none(),
            started,
            file: Arc::clone(&located.file),
            exchange: exchange.map(|exchange| exchange.index),
            part: found.part,
            operation: Arc::clone(&found.operation),
            starred: pointer.map(|pointer| Arc::clone(&pointer.starred)),
        }
    }
}

impl ListedUse {
    fn of(located: &LocatedFinding) -> Self {
        let finding = &located.finding;
        let found = &finding.found;
        let exchange = found.exchange.as_ref();
        let headline = finding.use_evidence().and_then(Evidence::headline);
        Self {
            location: located.location,
            pointer: found.exact_pointer().map(str::to_owned),
            status: exchange.and_then(|exchange| exchange.status),
            outcome: headline.map_or(UseOutcome::Unknown, |tally| tally.outcome),
            certainty: found.certainty,
            origin: exchange.and_then(|exchange| exchange.origin.clone()),
            mark: match &located.status {
                SuppressionStatus::Allowed(allowance) => UseMark::Allowed(allowance.reason.clone()),
                SuppressionStatus::Baselined => UseMark::Baselined,
                _ => UseMark::Counted,
            },
            count: finding.sightings.count,
        }
    }
}
