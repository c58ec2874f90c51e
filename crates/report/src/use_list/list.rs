//! Collects single uses.

use super::super::LocatedFinding;
use chrono::{DateTime, NaiveDate, Utc};
use std::collections::{BTreeMap, BTreeSet, BinaryHeap, HashMap};
use std::sync::Arc;
use sundown_exchange::{CodeOrigin, StatusCode};
use sundown_lint::findings::suppression::SuppressionStatus;
use sundown_lint::findings::{Certainty, Evidence, ExchangePart, ExchangeRef, UseOutcome};
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
    /// The uses that are listed. While the list is collected, the last of them is on top.
    listed: BinaryHeap<ListedUse>,
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
    current: CurrentExchange,
    known: KnownExchanges,
}

/// A use, with the number of equal ones in its exchange.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ListedUse {
    /// Without a time, it follows all others.
    pub(super) order: (bool, Option<DateTime<Utc>>),
    pub(super) file: Arc<str>,
    pub(super) location: Location,
    pub(super) part: ExchangePart,
    pub(super) operation: Arc<str>,
    pub(super) pointer: Option<String>,
    pub(super) exchange: Option<usize>,
    pub(super) status: Option<StatusCode>,
    pub(super) outcome: UseOutcome,
    pub(super) certainty: Certainty,
    /// The code that made the call.
    pub(super) origin: Option<Arc<CodeOrigin>>,
    pub(super) mark: UseMark,
    pub(super) count: usize,
}

/// The part, the operation and the pointer with starred indices, by which uses of an exchange are one.
pub(super) type UseKey = (ExchangePart, Arc<str>, Option<Arc<str>>);

/// Why a use does not count.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UseMark {
    Counted,
    /// With the reason.
    Allowed(String),
    Baselined,
}

/// The exchange whose uses are being added. Uses of an exchange usually follow each other.
#[derive(Debug, Default)]
struct CurrentExchange {
    id: Option<(Arc<str>, Option<usize>)>,
    uses: Vec<ListedUse>,
    /// The indices of `uses`.
    folded: HashMap<UseKey, usize>,
    outcomes: BTreeSet<(UseOutcome, Option<StatusCode>)>,
    left_out: usize,
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
            listed: BinaryHeap::new(),
            left_out: 0,
            uses: 0,
            exchanges: 0,
            times: None,
            outcomes: BTreeMap::new(),
            in_descriptions: 0,
            current: CurrentExchange::default(),
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
        let exchange = finding.found.exchange.as_ref();
        let id = (
            Arc::clone(&located.file),
            exchange.map(|exchange| exchange.index),
        );
        if self.current.id.as_ref() != Some(&id) {
            self.flush();
            self.exchanges += usize::from(self.known.insert(&id));
            self.current.id = Some(id);
        }
        self.uses += finding.sightings.count;
        if let Some(started) = exchange.and_then(|exchange| exchange.started) {
            let (first, last) = self.times.unwrap_or((started, started));
            self.times = Some((first.min(started), last.max(started)));
        }
        self.current.add(located, self.most);
    }

    /// Completes the list.
    #[must_use]
    pub fn finish(mut self) -> Self {
        self.flush();
        self
    }

    /// Moves the uses of the current exchange to the list.
    fn flush(&mut self) {
        let current = std::mem::take(&mut self.current);
        self.left_out += current.left_out;
        for outcome in current.outcomes {
            *self.outcomes.entry(outcome).or_default() += 1;
        }
        for listed in current.uses {
            self.listed.push(listed);
            if self.most.is_some_and(|most| self.listed.len() > most) {
                self.left_out += self.listed.pop().map_or(0, |last| last.count);
            }
        }
    }

    /// The listed uses in the order of time, then of their places.
    pub(super) fn sorted(&self) -> Vec<&ListedUse> {
        let mut sorted: Vec<_> = self.listed.iter().collect();
        sorted.sort();
        sorted
    }
}

impl CurrentExchange {
    fn add(&mut self, located: &LocatedFinding, most: Option<usize>) {
        let listed = ListedUse::of(located);
        self.outcomes.insert((listed.outcome, listed.status));
        let starred = located
            .finding
            .found
            .pointer
            .as_ref()
            .map(|at| Arc::clone(&at.starred));
        let key = (listed.part, Arc::clone(&listed.operation), starred);
        // Those that follow in an exchange are later in the list, too.
        let is_full = most.is_some_and(|most| self.uses.len() >= most);
        match self
            .folded
            .get(&key)
            .and_then(|&index| self.uses.get_mut(index))
        {
            Some(known) => known.count += listed.count,
            None if is_full => self.left_out += listed.count,
            None => {
                self.folded.insert(key, self.uses.len());
                self.uses.push(listed);
            }
        }
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

impl ListedUse {
    fn of(located: &LocatedFinding) -> Self {
        let finding = &located.finding;
        let found = &finding.found;
        let exchange = found.exchange.as_ref();
        let started = exchange.and_then(|exchange| exchange.started);
        let headline = finding.use_evidence().and_then(Evidence::headline);
        Self {
            order: (started.is_none(), started),
            file: Arc::clone(&located.file),
            location: located.location,
            part: found.part,
            operation: Arc::clone(&found.operation),
            pointer: found.exact_pointer().map(str::to_owned),
            exchange: exchange.map(|exchange| exchange.index),
            status: exchange.and_then(|&ExchangeRef { status, .. }| status),
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
