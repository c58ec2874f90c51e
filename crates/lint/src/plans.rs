//! The plans of a run, each compiled when the first call needs it, and found again by what was called.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use chrono::NaiveDate;

use super::plan::Plan;
use super::unused_rules::UnusedRules;
use crate::rules::{
    AddressCheck, MatchedOperations, NearMiss, NearMissIndex, RuleTable, is_version,
};
use sundown_exchange::{Call, CallSource, Exchange, Host, Method, PatternSegment, Target};
use sundown_text_json::json::string;
use sundown_text_json::text::Span;

/// Compiles plans and finds them again.
#[derive(Debug)]
pub(super) struct PlanCache<'t> {
    table: &'t RuleTable,
    /// The day on which versions are checked.
    as_of: NaiveDate,
    plans: Vec<Plan>,
    /// The plans of calls that were checked.
    called: BTreeSet<usize>,
    /// The plans by the operations that a call matches.
    by_operations: HashMap<MatchedOperations, usize>,
    /// The plans by parsed call: the same few calls make up most traffic.
    by_call: HashMap<Vec<u8>, CallPlan>,
    /// The plans by method and URL as a capture writes them, and by the host before them where they depend on it.
    by_written_call: HashMap<Vec<u8>, WrittenCall>,
    /// Whether the table distinguishes hosts.
    distinguishes_hosts: bool,
    /// Whether the table distinguishes queries.
    distinguishes_queries: bool,
    /// The header fields that decide an operation of the table, by their names after `#`.
    named_fields: Vec<String>,
    /// Whether calls at other addresses are to be looked for.
    restricts_addresses: bool,
    /// Rules that the run does not use.
    unused: Option<&'t dyn UnusedRules>,
    /// The operations that calls may almost match, once a call matches none.
    near_misses: Option<NearMissIndex>,
    /// Memory for a key of either map.
    key: Vec<u8>,
}

/// The plan for a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum CallPlan {
    /// No rule covers the call.
    NoRule,
    /// No rule covers the call, but rules that the run does not use would: the index of their set.
    UnusedRules(usize),
    /// No rule covers the call, but on another host or without the segments before its path, it would be one of the operation
    /// with this index.
    OtherAddress(usize),
    /// No rule covers the call, but it almost matches an operation with rules.
    NearMiss(NearMiss),
    Plan(PlanRef),
}

/// A reference to the plan of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlanRef {
    pub index: usize,
    /// Whether the path of the call has a value that a rule is about.
    pub uses_segment: bool,
}

/// The plan for a call that has not been parsed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WrittenCall {
    /// The plan.
    Known(CallPlan),
    /// The plan depends on the host, which the URL does not have.
    DependsOnHost,
}

/// Where the host of a call is known from.
enum HostSource<'h> {
    /// From its URL, if that has one.
    Url,
    /// From something else, if it has one.
    Elsewhere(Option<Host<'h>>),
}

/// The number of calls that are remembered: paths with identifiers in them are all different.
const MAX_CALLS: usize = 4_096;

/// The length in bytes of the longest call that is remembered.
const MAX_CALL_LENGTH: usize = 1_024;

impl<'t> PlanCache<'t> {
    /// Plans for checks on the day `as_of`.
    pub(super) fn new(table: &'t RuleTable, as_of: NaiveDate) -> Self {
        Self {
            table,
            as_of,
            plans: Vec::new(),
            called: BTreeSet::new(),
            by_operations: HashMap::new(),
            by_call: HashMap::new(),
            by_written_call: HashMap::new(),
            distinguishes_hosts: table.depends_on_hosts(),
            distinguishes_queries: table.depends_on_queries(),
            named_fields: table.named_fields(),
            restricts_addresses: table.restricts_addresses(),
            unused: None,
            near_misses: None,
            key: Vec::new(),
        }
    }

    /// Sets the rules that the run does not use.
    pub(super) fn set_unused(&mut self, unused: &'t dyn UnusedRules) {
        self.unused = Some(unused);
    }

    pub(super) fn get(&self, index: usize) -> Option<&Plan> {
        self.plans.get(index)
    }

    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut Plan> {
        self.plans.get_mut(index)
    }

    /// Notes that a call with this plan was checked.
    pub(super) fn note_called(&mut self, index: usize) {
        self.called.insert(index);
    }

    /// The operations of the calls that were checked, each with the rules files that apply to the call.
    pub(super) fn called_operations(&self) -> BTreeSet<(usize, usize)> {
        let mut found = BTreeSet::new();
        let plans = self.by_operations.iter();
        for (matched, _) in plans.filter(|(_, index)| self.called.contains(index)) {
            for &number in matched.templates.iter().chain(&matched.patterns) {
                let operation = self.table.operations().get(number);
                let files = operation
                    .into_iter()
                    .flat_map(|one| one.files.iter().copied());
                let meant = files.filter(|&file| matched.is_meant(number, file));
                found.extend(meant.map(|file| (number, file)));
            }
        }
        found
    }

    /// The exchange, whose call has the header fields that decide its operation.
    pub(super) fn complete<'e, 'a>(&self, exchange: &'e Exchange<'a>) -> Cow<'e, Exchange<'a>> {
        match self.named_fields.as_slice() {
            [] => Cow::Borrowed(exchange),
            names => Cow::Owned(exchange.with_named_fields(names)),
        }
    }

    /// Finds the plan for a call. One that was only located is parsed if what is written does not decide.
    pub(super) fn find(&mut self, call: &Call<'_>) -> CallPlan {
        let source = call.source();
        source
            .and_then(|source| self.find_written(call.method.as_ref(), source))
            .unwrap_or_else(|| self.find_parsed(call))
    }

    /// Finds the plan for a call by its method, its URL and, if that matters, its host as they are written; `None` if they
    /// have to be parsed.
    fn find_written(
        &mut self,
        method: Option<&Method>,
        source: &CallSource<'_>,
    ) -> Option<CallPlan> {
        if self.distinguishes_queries {
            return None;
        }
        let mut found = self.find_at(method, source.url, HostSource::Url)?;
        if found == WrittenCall::DependsOnHost {
            let host = HostSource::Elsewhere((source.other_host)(source));
            found = self.find_at(method, source.url, host)?;
        }
        match found {
            WrittenCall::Known(plan) => Some(plan),
            WrittenCall::DependsOnHost => None,
        }
    }

    fn find_at(
        &mut self,
        method: Option<&Method>,
        url: &[u8],
        host: HostSource<'_>,
    ) -> Option<WrittenCall> {
        let (path, _) = split_path(url);
        self.key.clear();
        if let HostSource::Elsewhere(host) = &host {
            // No method begins like this, and no host contains a space.
            self.key.push(b'@');
            let port = host.as_ref().and_then(Host::port);
            self.key.push(u8::from(port.is_some()));
            self.key.extend(port.unwrap_or_default().to_le_bytes());
            self.key
                .extend_from_slice(host.as_ref().map_or("", Host::name).as_bytes());
            self.key.push(b' ');
        }
        self.key
            .extend_from_slice(method.map_or("", Method::as_str).as_bytes());
        self.key.push(b' ');
        self.key.extend_from_slice(path);
        if let Some(&known) = self.by_written_call.get(&self.key) {
            return Some(known);
        }
        if std::str::from_utf8(url).is_err() {
            return None;
        }
        let key = self.key.clone();
        let literal = [b"\"", url, b"\""].concat();
        let url = string::decode_bytes(&literal, Span::new(0, literal.len()));
        let mut target = Target::parse(&url);
        let mut is_host_known = !target.lacks_host();
        if let HostSource::Elsewhere(host) = host {
            target.complete_host(|| host);
            is_host_known = true;
        }
        let call = Call::new(method.cloned(), target, None);
        let plan = if is_host_known {
            WrittenCall::Known(self.find_parsed(&call))
        } else {
            self.find_on_any_host(&call)
        };
        insert_bounded(&mut self.by_written_call, key, plan);
        Some(plan)
    }

    /// Finds the plan for a call of unknown host.
    fn find_on_any_host(&mut self, call: &Call<'_>) -> WrittenCall {
        let plan = if self.distinguishes_hosts {
            self.is_nowhere(call).then_some(CallPlan::NoRule)
        } else {
            Some(self.find_parsed(call))
        };
        let may_be_unused = |rules: &dyn UnusedRules| rules.may_find(call.target());
        match plan {
            Some(CallPlan::NoRule) if self.unused.is_some_and(may_be_unused) => {
                WrittenCall::DependsOnHost
            }
            Some(plan) => WrittenCall::Known(plan),
            None => WrittenCall::DependsOnHost,
        }
    }

    /// Whether no operation matches a call on any host.
    fn is_nowhere(&mut self, call: &Call<'_>) -> bool {
        let table = self.table;
        let method = call.method.as_ref();
        table.resolve_anywhere(method, call.target()).is_empty()
            && self
                .near_misses()
                .find(table, method, call.target(), AddressCheck::Any)
                .is_empty()
    }

    fn find_parsed(&mut self, call: &Call<'_>) -> CallPlan {
        self.key.clear();
        let method = call.method.as_ref().map_or("", Method::as_str);
        let segments = call.target().segments.iter().map(|segment| &**segment);
        for part in [method].into_iter().chain(segments) {
            // Parts may contain any character; their lengths keep them apart.
            self.key.extend_from_slice(&part.len().to_le_bytes());
            self.key.extend_from_slice(part.as_bytes());
        }
        self.key.push(u8::from(call.target().is_from_root));
        for segment in call.target().segments_with_parameters.iter().flatten() {
            self.key.push(b';');
            self.key.extend_from_slice(&segment.len().to_le_bytes());
            self.key.extend_from_slice(segment.as_bytes());
        }
        let parameters = call.target().parameters.iter();
        for parameter in parameters.filter(|_| self.distinguishes_queries) {
            for text in [Some(&parameter.name), parameter.value.as_ref()] {
                let text = text.map_or("", |text| &**text);
                self.key.push(b'?');
                self.key.extend_from_slice(&text.len().to_le_bytes());
                self.key.extend_from_slice(text.as_bytes());
            }
        }
        if let Some(host) = call
            .target()
            .host
            .as_ref()
            .filter(|_| self.distinguishes_hosts || self.unused.is_some())
        {
            self.key.push(b'@');
            self.key.extend_from_slice(host.name().as_bytes());
            self.key.push(b':');
            self.key
                .extend(host.port().into_iter().flat_map(u16::to_le_bytes));
        }
        self.by_call
            .get(&self.key)
            .copied()
            .unwrap_or_else(|| self.learn(call))
    }

    fn learn(&mut self, call: &Call<'_>) -> CallPlan {
        let method = call.method.as_ref();
        let target = call.target();
        let resolved = self.table.resolve(method, target);
        let plan = if resolved.is_empty() {
            self.learn_unmatched(method, target)
        } else {
            let table = self.table;
            let as_of = self.as_of;
            self.compile(resolved).map(|index| {
                let plan = self.plans.get(index);
                let uses_segment = plan.is_some_and(|plan| {
                    !plan.segments.is_empty()
                        && (!plan.segments.choose(table, target, as_of).is_empty()
                            || plan.segments.find_other_case(table, target).is_some())
                });
                CallPlan::Plan(PlanRef {
                    index,
                    uses_segment,
                })
            })
        };
        let unused = || self.unused?.find(method, target);
        let plan = plan.unwrap_or_else(|| match unused() {
            Some(set) => CallPlan::UnusedRules(set),
            None => CallPlan::NoRule,
        });
        insert_bounded(&mut self.by_call, self.key.clone(), plan);
        plan
    }

    /// Finds what to report of a call that matches no operation.
    fn learn_unmatched(
        &mut self,
        method: Option<&Method>,
        target: &Target<'_>,
    ) -> Option<CallPlan> {
        if self.restricts_addresses {
            let elsewhere = self.table.resolve_anywhere(method, target);
            let known = elsewhere
                .templates
                .iter()
                .chain(&elsewhere.patterns)
                .copied()
                .find(|&index| names_resource(self.table, index));
            if known.is_some() {
                return known
                    .filter(|_| self.compile(elsewhere).is_some())
                    .map(CallPlan::OtherAddress);
            }
        }
        let table = self.table;
        let near_misses = self.near_misses();
        let near = near_misses.find(table, method, target, table.address_check);
        let mut near = near.into_iter();
        near.find(|near| {
            let operations = MatchedOperations::of_one(table, near.operation);
            self.compile(operations).is_some()
        })
        .map(CallPlan::NearMiss)
    }

    fn near_misses(&mut self) -> &NearMissIndex {
        self.near_misses
            .get_or_insert_with(|| NearMissIndex::new(self.table))
    }

    /// The index of the plan for these operations; `None` if no rule is about them: a description has such operations.
    fn compile(&mut self, operations: MatchedOperations) -> Option<usize> {
        let plans = &mut self.plans;
        let index = *self
            .by_operations
            .entry(operations)
            .or_insert_with_key(|operations| {
                plans.push(Plan::new(self.table, operations));
                plans.len() - 1
            });
        self.plans
            .get(index)
            .filter(|plan| !plan.is_empty())
            .map(|_| index)
    }
}

/// Whether the path of an operation is evidence that a call is meant for it: `/**` or `/v1/{id}` match the paths of any
/// service.
fn names_resource(table: &RuleTable, operation: usize) -> bool {
    table.operations().get(operation).is_some_and(|operation| {
        let segments = &operation.pattern.segments;
        segments.is_empty()
            || segments.iter().any(|segment| match segment {
                PatternSegment::Literal(text) => !is_version(text),
                PatternSegment::Partial(_) | PatternSegment::Parameter(..) => true,
                PatternSegment::Variable
                | PatternSegment::AnyOne
                | PatternSegment::Rest
                | PatternSegment::Several => false,
            })
    })
}

fn insert_bounded<V>(calls: &mut HashMap<Vec<u8>, V>, key: Vec<u8>, plan: V) {
    if calls.len() >= MAX_CALLS {
        calls.clear();
    }
    if key.len() <= MAX_CALL_LENGTH {
        calls.insert(key, plan);
    }
}

/// Splits off the part of a written URL that decides the operation, and returns whether parameters may follow it. The part
/// is the whole URL where only parsing it can say.
pub(super) fn split_path(url: &[u8]) -> (&[u8], bool) {
    let end = url
        .iter()
        .position(|byte| matches!(byte, b'?' | b'#' | b'{' | b'\\'));
    // White space around a URL is not part of it, and some white space has more than one byte.
    let before = end
        .unwrap_or(url.len())
        .checked_sub(1)
        .and_then(|at| url.get(at));
    if [url.first(), url.last(), before]
        .into_iter()
        .any(|byte| byte.is_none_or(|byte| !byte.is_ascii_graphic()))
    {
        return (url, true);
    }
    match end.map(|end| (url.get(end), url.get(..end).unwrap_or_default())) {
        None => (url, false),
        Some((Some(b'?'), path)) => (path, true),
        Some((Some(b'#'), path)) => (path, false),
        Some(_) => (url, true),
    }
}
