//! Counts the calls and uses that one worker sees.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use chrono::{DateTime, SecondsFormat, Utc};

use super::caller::{CallerAttribute, CallerFile, CallerOptions, CallerValues, IdentifiedCaller};
use super::element_id::ElementId;
use super::identity::ScanIdentity;
use super::scan::{ExcludedCalls, RuleFacts, UsageScan};
use super::tally::{CallUses, PieceReading, ReadTally, UseTally};
use crate::findings::{Certainty, ExchangePart, Finding, digest};
use crate::lint::{BodyReading, CheckedCall, PlanElement, list_elements};
use crate::rules::{Element, ElementPart, Rule, RuleTable, ValueTest};
use crate::traffic::{HeaderField, HeaderValue, Side};

/// The calls and elements that a scan counts.
#[derive(Debug, Clone)]
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
}

/// Counts the calls and uses that one worker sees.
pub struct UsageCounter<'o> {
    options: &'o UsageOptions,
    table: &'o RuleTable,
    /// The indices of the rules, by their addresses.
    indices: HashMap<usize, usize>,
    /// The indices of the rules about versions, by their ids: a finding has a rule about one version.
    versioned: HashMap<&'o str, usize>,
    file: CallerFile,
    /// The callers that were seen lately, by their values: most calls are of few.
    callers: HashMap<Vec<Option<String>>, IdentifiedCaller>,
    /// The calls of each plan of the linter.
    plans: HashMap<usize, PlanTally>,
    uses: HashMap<(usize, Arc<str>, ExchangePart), ElementUses>,
    /// The uses of the call that is being checked, with their number.
    pending: HashMap<(usize, Arc<str>, ExchangePart), PendingUse>,
    scan: UsageScan,
}

/// The uses of one element.
struct ElementUses {
    tally: UseTally,
    /// The element, and its number among those of callers; `None` if it is not selected.
    element: Option<(ElementId, u32)>,
}

/// Uses of one element in the call that is being checked.
struct PendingUse {
    kind: CallPiece,
    uses: CallUses,
}

/// The calls of one plan, by the piece that can hold an element.
struct PlanTally {
    elements: Arc<[PlanElement]>,
    pieces: HashMap<CallPiece, ReadTally>,
    /// Whether the options select one of the elements.
    is_selected: bool,
}

/// The piece of a call that can hold an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum CallPiece {
    /// The call itself, or its URL.
    Call,
    Headers(Side),
    Body(Side),
}

impl CallPiece {
    fn of(element: &Element, part: ExchangePart) -> Self {
        match (&element.part, part.side()) {
            (ElementPart::Header(_), Some(side)) => Self::Headers(side),
            (ElementPart::Field(_), Some(side)) => Self::Body(side),
            _ => Self::Call,
        }
    }

    /// Returns how this piece of a call was read.
    fn reading(self, call: &CheckedCall<'_>) -> PieceReading {
        let [request, response] = call.bodies;
        match self {
            Self::Call => PieceReading::Read,
            Self::Headers(side) if !has_all_headers(&call.exchange.message(side).headers) => {
                PieceReading::Absent
            }
            Self::Headers(_) => PieceReading::Read,
            Self::Body(Side::Request) => request.into(),
            Self::Body(Side::Response) => response.into(),
        }
    }
}

/// Returns whether a capture has the header fields of a message. One that has them has some in each message. A line of a log has
/// only those that its format names, and their values are not compared.
fn has_all_headers(headers: &[HeaderField<'_>]) -> bool {
    let is_known = |field: &HeaderField<'_>| !matches!(field.value, HeaderValue::Unknown);
    !headers.is_empty() && headers.iter().all(is_known)
}

impl From<BodyReading> for PieceReading {
    fn from(reading: BodyReading) -> Self {
        match reading {
            BodyReading::Read => Self::Read,
            BodyReading::Absent => Self::Absent,
            BodyReading::NotJson => Self::NotJson,
            BodyReading::Failed(reason) => Self::Failed(reason),
        }
    }
}

impl UsageOptions {
    /// Returns whether the elements of a rule are counted.
    fn selects(&self, table: &RuleTable, index: usize, rule: &Rule) -> bool {
        let is_api = |api: &str| table.api(table.file_of(index)).eq_ignore_ascii_case(api);
        self.rules.as_ref().is_none_or(|ids| ids.iter().any(|id| rule.is_called(id)))
            && self.api.as_deref().is_none_or(is_api)
    }

    /// Returns a scan of nothing: all selected elements without a call.
    pub fn empty_scan(&self, table: &RuleTable) -> UsageScan {
        let elements = list_elements(table);
        let identity = self.identity(table, &elements);
        let mut scan = UsageScan { identity, ..UsageScan::default() };
        for element in &elements {
            if let Some((id, facts)) = self.describe(table, element) {
                scan.rules.entry(Arc::clone(&id.rule)).or_insert(facts);
                scan.elements.entry(id).or_default();
            }
        }
        scan
    }

    /// The identity of scans with these rules and self.
    fn identity(&self, table: &RuleTable, elements: &[PlanElement]) -> ScanIdentity {
        let sorted = |mut texts: Vec<String>| {
            texts.sort_unstable();
            texts.dedup();
            texts
        };
        let time = |time: DateTime<Utc>| time.to_rfc3339_opts(SecondsFormat::AutoSi, true);
        let callers = &self.callers;
        let is_hidden = callers.attributes.iter().any(|attribute| !attribute.is_shown());
        let patterns = callers.excluded.iter().map(|glob| glob.glob().to_string());
        ScanIdentity {
            rules: digest_of(table, elements),
            selected: self.rules.as_ref().map(|rules| sorted(rules.iter().cloned().collect())),
            api: self.api.as_deref().map(str::to_lowercase),
            since: self.since.map(time),
            until: self.until.map(time),
            by: callers.attributes.iter().map(CallerAttribute::name).collect(),
            shown: is_hidden && callers.values == CallerValues::Shown,
            key: callers.key.id().filter(|_| !callers.attributes.is_empty()),
            excluded: sorted(patterns.collect()),
        }
    }

    /// Returns the identity of a selected element, and what reports say about its rule.
    fn describe(&self, table: &RuleTable, element: &PlanElement) -> Option<(ElementId, RuleFacts)> {
        let rule = table
            .rules()
            .get(element.rule)
            .filter(|rule| self.selects(table, element.rule, rule))?;
        let facts = RuleFacts::new(rule, table.api(table.file_of(element.rule)));
        let operation = Arc::clone(&element.operation);
        Some((ElementId { rule: rule.id.as_str().into(), operation, part: element.part }, facts))
    }
}

/// A digest of the rules, and of the elements that descriptions make of them.
fn digest_of(table: &RuleTable, elements: &[PlanElement]) -> String {
    let rules = table.digest();
    let mut texts = vec![rules.as_str()];
    for PlanElement { rule, operation, part } in elements {
        let rule = table.rules().get(*rule).map_or("", |rule| &rule.id);
        texts.extend([rule, operation, part.name()]);
    }
    digest(&texts)
}

impl<'o> UsageCounter<'o> {
    /// Starts to count.
    pub fn new(options: &'o UsageOptions, table: &'o RuleTable) -> Self {
        let rules = || table.rules().iter().enumerate();
        let is_versioned =
            |rule: &Rule| rule.element.value.as_ref().is_some_and(ValueTest::is_about_versions);
        let versioned = rules().filter(|(_, rule)| is_versioned(rule));
        Self {
            options,
            table,
            indices: rules().map(|(index, rule)| (address(rule), index)).collect(),
            versioned: versioned.map(|(index, rule)| (rule.id.as_str(), index)).collect(),
            file: CallerFile::default(),
            callers: HashMap::new(),
            plans: HashMap::new(),
            uses: HashMap::new(),
            pending: HashMap::new(),
            scan: UsageScan::default(),
        }
    }

    /// Sets the file whose calls follow.
    pub fn set_file(&mut self, name: &Arc<str>, is_cassette: bool) {
        self.file = CallerFile { name: Arc::clone(name), is_cassette };
    }

    /// Adds a use. It counts when its call does.
    pub fn add_use(&mut self, finding: &Finding) {
        let is_use = finding.check().is_none();
        let rule = &finding.rule;
        let versioned = || self.versioned.get(&**rule.other_ids.first()?);
        let index = self.indices.get(&address(rule)).or_else(versioned).filter(|_| is_use);
        let Some(&index) = index else { return };
        let found = &finding.found;
        let kind = CallPiece::of(&finding.rule.element, found.part);
        let key = (index, Arc::clone(&found.operation), found.part);
        let pending = self.pending.entry(key);
        let pending = pending.or_insert(PendingUse { kind, uses: CallUses::default() });
        pending.uses.occurrences += 1;
        pending.uses.is_certain |= found.certainty == Certainty::Certain;
    }

    /// Counts a call with the uses that were added before, unless the options leave it out.
    pub fn add_call(&mut self, call: &CheckedCall<'_>) {
        let (table, options) = (self.table, self.options);
        let plan = self.plans.entry(call.plan);
        let plan = plan.or_insert_with(|| PlanTally::new(call, table, options));
        if !plan.is_selected || !is_in_period(options, &mut self.scan.excluded, call) {
            return self.pending.clear();
        }
        let is_wanted = !options.callers.attributes.is_empty();
        let found = is_wanted.then(|| options.callers.find_values(call, &self.file));
        let is_unusable = found.as_ref().is_some_and(|(_, is_unusable)| *is_unusable);
        let callers = &mut self.callers;
        let caller = found.map(|(values, _)| identify(callers, &options.callers, values));
        if caller.as_ref().is_some_and(|caller| caller.is_excluded) {
            self.scan.excluded.by_caller += 1;
            return self.pending.clear();
        }
        self.scan.unusable_callers += u64::from(is_unusable);
        let time = call.exchange.started;
        for (kind, tally) in &mut plan.pieces {
            tally.add(kind.reading(call), time);
        }
        let caller = caller.as_ref().map(|IdentifiedCaller { id, name, .. }| (*id, name));
        for (key, PendingUse { kind, uses }) in self.pending.drain() {
            let known = self.uses.entry(key).or_insert_with_key(|(rule, operation, part)| {
                let (operation, part) = (Arc::clone(operation), *part);
                let element = PlanElement { rule: *rule, operation, part };
                let id = options.describe(table, &element).map(|(id, _)| id);
                let element = id.map(|id| (id.clone(), self.scan.callers.number(&id)));
                ElementUses { tally: UseTally::default(), element }
            });
            let count = known.tally.add(uses, kind.reading(call), time);
            if let (Some((_, number)), Some((id, name))) = (&known.element, caller) {
                self.scan.callers.add(id, name, *number, count);
            }
        }
    }

    /// Returns the counts.
    pub fn finish(mut self) -> UsageScan {
        for PlanTally { elements, pieces, is_selected } in self.plans.into_values() {
            for element in elements.iter() {
                let Some((id, facts)) = self.options.describe(self.table, element) else {
                    continue;
                };
                let Some(rule) = self.table.rules().get(element.rule) else { continue };
                let reads = pieces.get(&CallPiece::of(&rule.element, element.part)).cloned();
                self.scan.rules.entry(Arc::clone(&id.rule)).or_insert(facts);
                let tally = self.scan.elements.entry(id).or_default();
                tally.reads.merge(reads.unwrap_or_default());
            }
            let calls = pieces.get(&CallPiece::Call).filter(|_| is_selected).cloned();
            self.scan.calls.merge(calls.unwrap_or_default());
        }
        for ElementUses { tally, element } in self.uses.into_values() {
            if let Some((id, _)) = element {
                self.scan.elements.entry(id).or_default().uses.merge(tally);
            }
        }
        self.scan
    }
}

/// The number of callers that are remembered: enough for most logs, and few enough for memory.
const MOST_REMEMBERED: usize = 4_096;

/// Identifies the caller with these values, if it was not seen lately.
fn identify(
    known: &mut HashMap<Vec<Option<String>>, IdentifiedCaller>,
    options: &CallerOptions,
    values: Vec<Option<String>>,
) -> IdentifiedCaller {
    if let Some(caller) = known.get(&values) {
        return caller.clone();
    }
    let caller = options.identify(&values);
    if known.len() >= MOST_REMEMBERED {
        known.clear();
    }
    known.insert(values, caller.clone());
    caller
}

/// The address of a rule of the table, which findings share.
fn address(rule: &Arc<Rule>) -> usize {
    Arc::as_ptr(rule).addr()
}

/// Returns whether a call is in the period; if not, it is counted.
fn is_in_period(
    options: &UsageOptions,
    excluded: &mut ExcludedCalls,
    call: &CheckedCall<'_>,
) -> bool {
    let UsageOptions { since, until, .. } = options;
    match call.exchange.started {
        _ if since.is_none() && until.is_none() => return true,
        None => excluded.undated += 1,
        Some(time) => {
            let is_early = since.is_some_and(|since| time < since);
            let is_late = until.is_some_and(|until| time >= until);
            if !is_early && !is_late {
                return true;
            }
            excluded.outside_period += 1;
        }
    }
    false
}

impl PlanTally {
    fn new(call: &CheckedCall<'_>, table: &RuleTable, options: &UsageOptions) -> Self {
        let elements = Arc::clone(call.elements);
        let kinds = elements.iter().filter_map(|element| {
            Some(CallPiece::of(&table.rules().get(element.rule)?.element, element.part))
        });
        let kinds = kinds.chain([CallPiece::Call]);
        let pieces = kinds.map(|kind| (kind, ReadTally::default())).collect();
        let is_selected = elements.iter().any(|element| options.describe(table, element).is_some());
        Self { elements, pieces, is_selected }
    }
}
