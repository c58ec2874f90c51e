//! Counts the calls and uses that one worker sees.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::iter;
use std::sync::{Arc, Mutex, PoisonError};

use chrono::{DateTime, SecondsFormat, Utc};

use super::caller::{CallerAttribute, CallerFile, CallerOptions, CallerValues, IdentifiedCaller};
use super::capped::add_count;
use super::identity::{IdentityFact, ScanIdentity};
use super::record_values::RecordValues;
use super::scan::{RuleFacts, UsageScan};
use super::tally::{ElementId, ReadTally, SeenPeriod, UseCount};
use sundown_exchange::{Exchange, HeaderField, HeaderValue, OperationPattern, Side, Skip};
use sundown_lint::findings::{Certainty, ExchangePart, Finding, digest};
use sundown_lint::rules::{Element, ElementPart, RuleSet, SetRule};
use sundown_lint::{CheckedCall, PartReading, PlanElement, Readings, Values, list_elements};

/// The calls and elements that a scan counts.
#[derive(Debug)]
pub struct UsageOptions {
    /// The rules; `None` for all.
    pub rules: Option<HashSet<String>>,
    /// The API of the rules; `None` for all.
    pub api: Option<String>,
    /// The first time that counts.
    pub since: Option<DateTime<Utc>>,
    /// The time before which calls count.
    pub until: Option<DateTime<Utc>>,
    /// How callers are identified.
    pub callers: CallerOptions,
    /// Whether the values that no rule knows are kept.
    pub values: Values,
}

/// Counts the calls and uses that one worker sees.
pub struct UsageCounter<'o> {
    options: &'o UsageOptions,
    set: &'o RuleSet,
    /// The selected rules by their ids.
    rules: HashMap<Arc<str>, &'o SetRule>,
    file: CallerFile,
    record_values: RecordValues,
    /// The callers that were seen lately, by their values: most calls are of few.
    callers: HashMap<Vec<Option<String>>, IdentifiedCaller>,
    /// The calls of each plan of the linter.
    plans: HashMap<usize, PlanTally>,
    /// The uses of the call that is being checked.
    pending: HashMap<ElementId, PendingUse>,
    /// The pieces of that call that could not be checked.
    pending_failures: u64,
    /// Whether the last call was left out by the options.
    left_out_last: bool,
    /// The calls that may be of an operation and do not match it, by the operation.
    missed: HashMap<String, u64>,
    scan: UsageScan,
}

/// Uses of one element in the call that is being checked.
struct PendingUse {
    piece: CountedPiece,
    count: UseCount,
    /// The values that no rule knows, if they are kept.
    values: BTreeSet<String>,
}

/// The calls of one plan, by the piece that can hold an element; the call itself is always one.
struct PlanTally {
    /// The APIs of its rules.
    apis: BTreeSet<String>,
    /// The selected elements.
    elements: Vec<(ElementId, CountedPiece)>,
    pieces: HashMap<CountedPiece, ReadTally>,
}

/// The piece of a call that can hold an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum CountedPiece {
    /// The call itself, or its path.
    Call,
    Query,
    Headers(Side),
    Body(Side),
}

impl CountedPiece {
    fn of(element: &Element, part: ExchangePart) -> Self {
        match (&element.part, part.side()) {
            (ElementPart::Header(_), Some(side)) => Self::Headers(side),
            (ElementPart::Field(_), Some(side)) => Self::Body(side),
            (ElementPart::Parameter(_), _) => Self::Query,
            _ => Self::Call,
        }
    }

    /// Returns how this piece of a call was read.
    fn reading(self, call: &CheckedCall<'_, '_>) -> PartReading {
        let Readings {
            query,
            headers,
            bodies,
        } = call.readings;
        match self {
            Self::Call => PartReading::Read,
            Self::Query => query,
            Self::Headers(side) => match side.of(headers) {
                PartReading::Read if !has_all_headers(call.exchange.message(side).headers()) => {
                    PartReading::Absent
                }
                reading => reading,
            },
            // It is not known whose body it is: the other side may have had another.
            Self::Body(_) if is_of_both_sides(call.exchange) => PartReading::Absent,
            Self::Body(side) => side.of(bodies),
        }
    }
}

/// Returns whether a capture has one body, which may be that of either side.
fn is_of_both_sides(exchange: &Exchange<'_>) -> bool {
    let [request, response] = Side::BOTH.map(|side| Some(exchange.message(side).raw_body()?.span));
    request.is_some() && request == response
}

/// Returns whether a capture has the header fields of a message. One that has them has some in each message. A line of a log has
/// only those that its format names, and their values are not compared.
fn has_all_headers(headers: &[HeaderField<'_>]) -> bool {
    !headers.is_empty()
        && headers
            .iter()
            .all(|field| !matches!(field.value, HeaderValue::Unknown))
}

impl UsageOptions {
    /// Returns whether the elements of a rule are counted.
    fn selects(&self, set: &RuleSet, rule: &SetRule) -> bool {
        self.rules
            .as_ref()
            .is_none_or(|ids| ids.iter().any(|id| rule.is_called(id)))
            && self
                .api
                .as_deref()
                .is_none_or(|api| set.file(rule.file).api.eq_ignore_ascii_case(api))
    }

    /// Returns a scan of nothing: all selected elements without a call.
    pub fn empty_scan(&self, set: &RuleSet) -> UsageScan {
        let elements = list_elements(set);
        let mut scan = UsageScan {
            identity: self.identity(set, &elements),
            ..UsageScan::default()
        };
        for element in &elements {
            if let Some((id, facts)) = self.describe(set, element) {
                scan.rules.entry(Arc::clone(&id.rule)).or_insert(facts);
                scan.elements.entry(id).or_default();
            }
        }
        scan
    }

    /// The identity of scans with these rules and self.
    fn identity(&self, set: &RuleSet, elements: &[PlanElement]) -> ScanIdentity {
        let callers = &self.callers;
        let mut attributes = callers.attributes.iter();
        let is_hidden = attributes.any(|attribute| !attribute.is_shown());
        let shown = is_hidden && callers.values == CallerValues::Shown;
        let key = callers.key.id().filter(|_| !callers.attributes.is_empty());
        let patterns = callers.excluded.iter().map(|glob| glob.glob().to_string());
        ScanIdentity::default()
            .with(IdentityFact::Rules, [digest_of(set, elements)])
            .with(
                IdentityFact::SelectedRules,
                sorted(self.rules.iter().flatten().cloned()),
            )
            .with(
                IdentityFact::SelectedApi,
                self.api.as_deref().map(str::to_lowercase),
            )
            .with(IdentityFact::Since, self.since.map(exact_time))
            .with(IdentityFact::Until, self.until.map(exact_time))
            .with(
                IdentityFact::CallersBy,
                callers.attributes.iter().map(CallerAttribute::name),
            )
            .with(IdentityFact::ShownCallers, shown.then_some("on"))
            .with(IdentityFact::ExcludedCallers, sorted(patterns))
            .with(IdentityFact::CallerKey, key)
            .with(
                IdentityFact::ShownValues,
                (self.values == Values::Shown).then_some("on"),
            )
    }

    /// Returns the identity of a selected element, and what reports say about its rule.
    fn describe(&self, set: &RuleSet, element: &PlanElement) -> Option<(ElementId, RuleFacts)> {
        let rule = set
            .rules()
            .get(element.rule)
            .filter(|rule| self.selects(set, rule))?;
        let facts = RuleFacts::new(rule, set.file(rule.file));
        Some((
            ElementId {
                rule: rule.id.as_str().into(),
                operation: Arc::clone(&element.operation),
                part: element.part,
            },
            facts,
        ))
    }
}

/// The texts in order, each once.
fn sorted(texts: impl Iterator<Item = String>) -> Vec<String> {
    texts.collect::<BTreeSet<_>>().into_iter().collect()
}

fn exact_time(time: DateTime<Utc>) -> String {
    time.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}

/// A digest of the rules, and of the elements that descriptions make of them.
fn digest_of(set: &RuleSet, elements: &[PlanElement]) -> String {
    let rules = set.digest();
    let mut texts = vec![rules.as_str()];
    for PlanElement {
        rule,
        operation,
        part,
    } in elements
    {
        let rule = set.rules().get(*rule).map_or("", |rule| &rule.id);
        texts.extend([rule, operation, part.name()]);
    }
    digest(&texts)
}

impl<'o> UsageCounter<'o> {
    /// Starts to count.
    pub fn new(options: &'o UsageOptions, set: &'o RuleSet) -> Self {
        let rules = set.rules().iter();
        let rules = rules.filter(|rule| options.selects(set, rule));
        Self {
            options,
            set,
            rules: rules.map(|rule| (rule.id.as_str().into(), rule)).collect(),
            file: CallerFile::default(),
            record_values: RecordValues::default(),
            callers: HashMap::new(),
            plans: HashMap::new(),
            pending: HashMap::new(),
            pending_failures: 0,
            left_out_last: false,
            missed: HashMap::new(),
            scan: UsageScan::default(),
        }
    }

    /// Sets the file whose calls follow, before each of its parts.
    pub fn set_file(&mut self, name: &Arc<str>, is_cassette: bool) {
        self.record_values.clear();
        self.file = CallerFile {
            name: Arc::clone(name),
            is_cassette,
        };
    }

    /// Adds a use. It counts when its call does.
    pub fn add_use(&mut self, finding: &Finding) {
        if finding.check().is_some() {
            return;
        }
        let Finding { rule, found, .. } = finding;
        // That about all versions, for a rule about one of them.
        let others = rule.other_ids.iter().map(|id| &**id);
        let mut ids = iter::once(rule.id.as_str()).chain(others);
        let Some((id, known)) = ids.find_map(|id| self.rules.get_key_value(id)) else {
            return;
        };
        let element = ElementId {
            rule: Arc::clone(id),
            operation: Arc::clone(&found.operation),
            part: found.part,
        };
        let pending = self.pending.entry(element).or_insert_with(|| PendingUse {
            piece: CountedPiece::of(&rule.element, found.part),
            count: UseCount {
                calls: 1,
                possible: 1,
                ..UseCount::default()
            },
            values: BTreeSet::new(),
        });
        if self.options.values == Values::Shown && known.element.is_about_other_values() {
            let value = rule.element.exact_value().unwrap_or_default();
            let value = value.chars().take(MAX_VALUE).collect();
            pending.values.insert(value);
        }
        pending.count.occurrences += 1;
        if found.certainty == Certainty::Certain {
            pending.count.possible = 0;
        }
    }

    /// Adds a piece of a call that was not checked. It counts when its call does.
    pub fn add_skip(&mut self, skip: &Skip) {
        if skip.reason.may_hide_calls() {
            self.pending_failures += skip.count as u64;
        }
    }

    /// Adds a piece of the last call that was not checked, which hides nothing if that call does not count.
    pub fn add_skip_of_last(&mut self, skip: &Skip) {
        if self.left_out_last && skip.reason.may_hide_calls() {
            add_count(&mut self.scan.excluded.failures_in_calls, skip.count as u64);
        }
    }

    /// Counts a call with the uses that were added before, unless the options leave it out.
    pub fn add_call(&mut self, call: &CheckedCall<'_, '_>) {
        let (options, set) = (self.options, self.set);
        let plan = self.plans.entry(call.plan).or_insert_with(|| {
            let described = call.elements.iter();
            let described = described.filter_map(|element| options.describe(set, element));
            let rules = call.elements.iter();
            let rules = rules.filter_map(|element| set.rules().get(element.rule));
            let apis = rules.map(|rule| set.file(rule.file).api.clone());
            PlanTally::new(described, apis.collect(), &mut self.scan)
        });
        let is_selected = !plan.elements.is_empty();
        let period = CallPeriod::of(call.exchange, options);
        self.left_out_last = !is_selected || period == CallPeriod::Outside;
        let failures = std::mem::take(&mut self.pending_failures);
        // A call without a time may be one of the period, with a use in what could not be checked.
        if !is_selected || period != CallPeriod::Unknown {
            add_count(&mut self.scan.excluded.failures_in_calls, failures);
        }
        match period {
            CallPeriod::Within if is_selected => self.count_call(call),
            CallPeriod::Within => self.count_other_call(call),
            _ if !is_selected => {}
            CallPeriod::Outside => self.scan.excluded.outside_period += 1,
            CallPeriod::Unknown => {
                self.scan.excluded.undated += 1;
                self.leave_out_uses(call);
            }
        }
        self.pending.clear();
    }

    /// Adds a call that may be of these operations and does not match them, unless the options leave it out.
    pub fn add_missed_call(&mut self, operations: &[OperationPattern], exchange: &Exchange<'_>) {
        let (caller, _) = self.identify_caller(exchange);
        let is_excluded = caller.is_some_and(|caller| caller.is_excluded);
        if is_excluded || CallPeriod::of(exchange, self.options) == CallPeriod::Outside {
            return;
        }
        for operation in operations {
            *self.missed.entry(operation.to_string()).or_default() += 1;
        }
    }

    /// Counts a call of the period.
    fn count_call(&mut self, call: &CheckedCall<'_, '_>) {
        let (caller, is_unusable) = self.identify_caller(call.exchange);
        if caller.as_ref().is_some_and(|caller| caller.is_excluded) {
            return self.scan.excluded.by_caller += 1;
        }
        self.scan.excluded.unusable_callers += u64::from(is_unusable);
        let time = *call.exchange.started.get();
        self.add_readings(call);
        let UsageScan {
            elements, callers, ..
        } = &mut self.scan;
        for (id, mut pending) in self.pending.drain() {
            pending.count.period = SeenPeriod::of(time);
            if let Some(IdentifiedCaller { id: by, name, .. }) = &caller {
                let number = callers.number(&id);
                callers.add(*by, name, number, pending.count);
            }
            let uses = &mut elements.entry(id).or_default().uses;
            uses.add(pending.count, pending.piece.reading(call), time);
            for value in &pending.values {
                uses.add_value(value, 1);
            }
            uses.expected += u64::from(call.exchange.origin.consumer().is_some());
        }
    }

    /// Counts a call of the period of which no element is selected: it shows that the traffic of its API was read.
    fn count_other_call(&mut self, call: &CheckedCall<'_, '_>) {
        // Few runs need to know who made it.
        let may_be_excluded = !self.options.callers.excluded.is_empty();
        let caller = may_be_excluded.then(|| self.identify_caller(call.exchange).0);
        if !caller.flatten().is_some_and(|caller| caller.is_excluded) {
            self.add_readings(call);
        }
    }

    /// Adds how the pieces of a call were read.
    fn add_readings(&mut self, call: &CheckedCall<'_, '_>) {
        let time = *call.exchange.started.get();
        let plan = self.plans.get_mut(&call.plan).into_iter();
        for (piece, tally) in plan.flat_map(|plan| &mut plan.pieces) {
            tally.add(piece.reading(call), time);
        }
    }

    /// Moves the callers to the scan of all workers, if they take much memory.
    pub fn flush_callers(&mut self, scan: &Mutex<UsageScan>) {
        if self.scan.callers.are_many() {
            let mut scan = scan.lock().unwrap_or_else(PoisonError::into_inner);
            self.scan.callers.hand_over(&mut scan.callers);
        }
    }

    /// Notes the uses in a call that is left out because it has no time.
    fn leave_out_uses(&mut self, call: &CheckedCall<'_, '_>) {
        if self.pending.is_empty() {
            return;
        }
        let (caller, _) = self.identify_caller(call.exchange);
        if caller.is_some_and(|caller| caller.is_excluded) {
            return;
        }
        for (id, _) in self.pending.drain() {
            let uses = &mut self.scan.elements.entry(id).or_default().uses;
            add_count(&mut uses.left_out, 1);
        }
    }

    /// Identifies the caller, if callers are wanted or a contract names it. Also returns whether one of its values identifies no one.
    fn identify_caller(&mut self, exchange: &Exchange<'_>) -> (Option<IdentifiedCaller>, bool) {
        let options = &self.options.callers;
        let (values, is_unusable) =
            options.find_values(exchange, &self.file, &mut self.record_values);
        if options.attributes.is_empty() && values == [None] {
            return (None, false);
        }
        if self.callers.len() >= MAX_REMEMBERED {
            self.callers.clear();
        }
        let caller = self.callers.entry(values);
        let caller = caller.or_insert_with_key(|values| options.identify(values));
        (Some(caller.clone()), is_unusable)
    }

    /// Returns the counts.
    pub fn finish(mut self) -> UsageScan {
        for plan in self.plans.into_values() {
            let reads = |piece: &CountedPiece| plan.pieces.get(piece).cloned().unwrap_or_default();
            if !plan.elements.is_empty() {
                self.scan.calls.merge(reads(&CountedPiece::Call));
            }
            for api in &plan.apis {
                let calls = self.scan.apis.entry(api.clone()).or_default();
                calls.merge(reads(&CountedPiece::Call));
            }
            for (id, piece) in plan.elements {
                let tally = self.scan.elements.entry(id).or_default();
                tally.reads.merge(reads(&piece));
            }
        }
        if self.missed.is_empty() {
            return self.scan;
        }
        for element in list_elements(self.set) {
            if let Some(&missed) = self.missed.get(&*element.operation)
                && let Some((id, _)) = self.options.describe(self.set, &element)
            {
                self.scan.elements.entry(id).or_default().reads.missed += missed;
            }
        }
        self.scan
    }
}

/// The characters of a value that are kept: ids have fewer.
const MAX_VALUE: usize = 200;

/// The number of callers that are remembered: enough for most logs, and few enough for memory.
const MAX_REMEMBERED: usize = 4_096;

/// Whether a call is in the period that counts.
#[derive(Debug, PartialEq, Eq)]
enum CallPeriod {
    Within,
    Outside,
    /// The call has no time.
    Unknown,
}

impl CallPeriod {
    fn of(exchange: &Exchange<'_>, options: &UsageOptions) -> Self {
        let UsageOptions { since, until, .. } = options;
        match *exchange.started.get() {
            _ if since.is_none() && until.is_none() => Self::Within,
            None => Self::Unknown,
            Some(time) if since.is_some_and(|since| time < since) => Self::Outside,
            Some(time) if until.is_some_and(|until| time >= until) => Self::Outside,
            Some(_) => Self::Within,
        }
    }
}

impl PlanTally {
    /// Starts to count the calls of a plan with these elements, and adds their rules to the scan.
    fn new(
        elements: impl Iterator<Item = (ElementId, RuleFacts)>,
        apis: BTreeSet<String>,
        scan: &mut UsageScan,
    ) -> Self {
        let elements = elements.map(|(id, facts)| {
            let piece = CountedPiece::of(&facts.element, id.part);
            scan.rules.entry(Arc::clone(&id.rule)).or_insert(facts);
            (id, piece)
        });
        let elements: Vec<_> = elements.collect();
        let pieces = elements.iter().map(|(_, piece)| *piece);
        let pieces = pieces.chain([CountedPiece::Call]);
        Self {
            pieces: pieces.map(|piece| (piece, ReadTally::default())).collect(),
            elements,
            apis,
        }
    }
}
