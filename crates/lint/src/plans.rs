//! The plans of a run, each compiled when the first call needs it, and found again by what was called: all calls alike in what of
//! their written paths can decide which rules are about them have the same plan.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use chrono::NaiveDate;
use foldhash::fast::FixedState;

use super::plan::Plan;
use super::rule_choice::RuleChoice;
use crate::rules::{
    AddressCheck, MatchedOperations, NearMiss, RuleSet, is_variable, is_version, leading_variables,
};
use sundown_exchange::{
    Call, CallSource, Exchange, Host, Method, OperationPattern, PatternSegment, SegmentTemplate,
    Target,
};
use sundown_text_json::json::string;
use sundown_text_json::text::Span;

/// Compiles plans and finds them again.
#[derive(Debug)]
pub(super) struct PlanCache<'t> {
    set: &'t RuleSet,
    /// The day on which versions are checked.
    as_of: NaiveDate,
    plans: Vec<Plan>,
    /// The plans of calls that were checked.
    called: BTreeSet<usize>,
    /// The plans by the operations that a call matches.
    by_operations: HashMap<MatchedOperations, usize>,
    /// What decides the plan of a call, once one is met.
    words: Option<CallKeys>,
    /// The plans by method and path, with the host where it matters: the same few calls make up most traffic. `None` for a call
    /// without a host, on which its plan depends.
    by_call: HashMap<Vec<u8>, Option<CallPlan>, FixedState>,
    /// Whether the rules distinguish hosts.
    distinguishes_hosts: bool,
    /// Whether the rules distinguish queries.
    distinguishes_queries: bool,
    /// The header fields that decide an operation of the set, by their names after `#`.
    named_fields: Vec<String>,
    /// Rules that the run does not use.
    unused: Option<&'t dyn UnusedRules>,
    /// The lists of operations that calls may be of without matching them, and the number of each.
    missed: Vec<Arc<[usize]>>,
    missed_lists: HashMap<Arc<[usize]>, usize>,
    /// Memory for a key of the map.
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
    /// No rule covers the call, but it almost matches an operation with rules; and the number of the list of those that it may be of.
    NearMiss(NearMiss, usize),
    Plan(PlanRef),
}

/// A reference to the plan of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlanRef {
    pub index: usize,
    /// Whether the path of the call has a value that a rule is about.
    pub uses_segment: bool,
    /// Another operation that the call almost matches, and the number of the list of those that it may be of.
    pub near: Option<(NearMiss, usize)>,
}

impl CallPlan {
    /// The index of the plan, if rules are about the call.
    pub(super) fn index(self) -> Option<usize> {
        match self {
            Self::Plan(plan) => Some(plan.index),
            _ => None,
        }
    }

    /// The operation that the call almost matches, and the number of the list of those that it may be of.
    pub(super) fn near(self) -> Option<(NearMiss, usize)> {
        match self {
            Self::NearMiss(near, list) => Some((near, list)),
            Self::Plan(plan) => plan.near,
            _ => None,
        }
    }
}

/// The number of calls that are remembered: those of a hostile log are all different.
const MAX_CALLS: usize = 4_096;

/// The length in bytes of the longest call that is remembered.
const MAX_CALL_LENGTH: usize = 1_024;

impl<'t> PlanCache<'t> {
    /// Plans for checks on the day `as_of`.
    pub(super) fn new(set: &'t RuleSet, as_of: NaiveDate) -> Self {
        let patterns = set.operations().iter().map(|operation| &operation.pattern);
        let fields = patterns.clone().flat_map(OperationPattern::named_fields);
        let names: BTreeSet<_> = fields.map(|(name, _)| name.to_owned()).collect();
        let mut last = patterns.filter_map(|pattern| pattern.segments.last());
        Self {
            set,
            as_of,
            plans: Vec::new(),
            called: BTreeSet::new(),
            by_operations: HashMap::new(),
            words: None,
            by_call: HashMap::default(),
            distinguishes_hosts: set.depends_on_hosts(),
            distinguishes_queries: last.any(|last| matches!(last, PatternSegment::Parameter(..))),
            named_fields: names.into_iter().collect(),
            unused: None,
            missed: Vec::new(),
            missed_lists: HashMap::new(),
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
            found.extend(&matched.meant);
        }
        found
    }

    /// The exchange, whose call has the header fields that decide its operation, the method that one of them puts in the place of its
    /// own, or beside it if that is of an operation, too, and the beginning of its path that a variable contains, if it can only be one
    /// operation.
    pub(super) fn complete<'e, 'a>(&mut self, exchange: &'e Exchange<'a>) -> Cow<'e, Exchange<'a>> {
        let mut completed = match self.named_fields.as_slice() {
            [] => Cow::Borrowed(exchange),
            names => Cow::Owned(exchange.with_named_fields(names)),
        };
        if let Some(method) = exchange.overriding_method() {
            let call = &mut completed.to_mut().call;
            let own = self.set.resolve(call.method.as_ref(), call.target());
            if own.is_empty() {
                call.method = Some(method);
            } else if !self.set.resolve(Some(&method), call.target()).is_empty() {
                // Not all servers heed the field.
                call.is_possible = true;
                call.other_method = Some(method);
            }
        }
        if let Some(path) = self.path_behind_variables(&completed.call) {
            let call = &mut completed.to_mut().call;
            call.is_possible = true;
            call.change_target(|target| target.segments = path);
        }
        completed
    }

    fn path_behind_variables<'a>(&mut self, call: &Call<'a>) -> Option<Vec<Cow<'a, str>>> {
        let begins = |source: &CallSource<'_>| {
            std::str::from_utf8(source.url.get(..1).unwrap_or_default()).is_ok_and(is_variable)
        };
        if !call.source().is_none_or(begins) || leading_variables(call.target()) == 0 {
            return None;
        }
        let (set, method, target) = (self.set, call.method.as_ref(), call.target());
        let matched = set.resolve_at(method, target, AddressCheck::Any);
        if !matched.is_empty() {
            return None;
        }
        let near = set.near_misses(method, target, AddressCheck::Any, &matched);
        near.first()?.path_behind_variables(set, target)
    }

    /// Finds the plan for a call.
    pub(super) fn find(&mut self, call: &Call<'_>) -> CallPlan {
        let plan = match call.source() {
            Some(source) if !self.distinguishes_queries && call.other_method.is_none() => {
                self.find_located(call, source)
            }
            _ => self.learn(call),
        };
        match plan {
            CallPlan::Plan(found) => CallPlan::Plan(self.with_segments(found, call)),
            other => other,
        }
    }

    /// Finds the plan for a call that has not been parsed, by what of it may matter.
    fn find_located(&mut self, call: &Call<'_>, source: &CallSource<'_>) -> CallPlan {
        let set = self.set;
        let words = self.words.get_or_insert_with(|| CallKeys::of(set));
        let mut key = std::mem::take(&mut self.key);
        key.clear();
        key.extend_from_slice(call.method.as_ref().map_or("", Method::as_str).as_bytes());
        key.push(b' ');
        let plan = if words.write(source.url, self.unused, &mut key) {
            self.find_by_key(&mut key, call, source)
        } else {
            self.learn(call)
        };
        self.key = key;
        plan
    }

    fn find_by_key(
        &mut self,
        key: &mut Vec<u8>,
        call: &Call<'_>,
        source: &CallSource<'_>,
    ) -> CallPlan {
        let known = self.by_call.get(key).copied();
        let found = known.unwrap_or_else(|| {
            let found = self.find_without_host(call, source);
            insert_bounded(&mut self.by_call, key, found);
            found
        });
        if let Some(plan) = found {
            return plan;
        }
        // No host contains a space.
        let host = (source.other_host)(source);
        let port = host.as_ref().and_then(Host::port);
        key.push(b' ');
        key.extend_from_slice(host.as_ref().map_or("", Host::name).as_bytes());
        if let Some(port) = port {
            key.push(b':');
            key.extend_from_slice(&port.to_le_bytes());
        }
        if let Some(Some(known)) = self.by_call.get(key) {
            return *known;
        }
        let plan = self.learn(call);
        insert_bounded(&mut self.by_call, key, Some(plan));
        plan
    }

    /// Finds the plan by a URL; `None` if that leaves the host open and it matters.
    fn find_without_host(&mut self, call: &Call<'_>, source: &CallSource<'_>) -> Option<CallPlan> {
        let literal = [b"\"", source.url, b"\""].concat();
        let url = string::decode_bytes(&literal, Span::new(0, literal.len()));
        let target = Target::parse(&url);
        if target.lacks_host() {
            self.find_on_any_host(&Call::new(call.method.clone(), target, call.url_span))
        } else {
            Some(self.learn(call))
        }
    }

    /// The index of the plan of a call that a text states, one of its operations, and whether the call matches it, rather than may be
    /// of it; `None` if no rule is about it.
    pub(super) fn find_called(
        &mut self,
        method: Option<&Method>,
        target: &Target<'_>,
    ) -> Option<(usize, usize, bool)> {
        let set = self.set;
        let found = set.resolve(method, target);
        let matched = found.all().next();
        let (operation, operations) = match matched {
            Some(operation) => (operation, found),
            None => {
                let plan = self.learn_unmatched(method, target)?;
                let operation = *self.missed(plan, method, target).first()?;
                (operation, MatchedOperations::of_one(set, operation))
            }
        };
        let plan = self.compile(operations)?;
        Some((plan, operation, matched.is_some()))
    }

    /// The plan, with whether the path of this call has a value that a rule is about.
    fn with_segments(&self, found: PlanRef, call: &Call<'_>) -> PlanRef {
        let Some(plan) = self
            .plans
            .get(found.index)
            .filter(|plan| !plan.segments.is_empty())
        else {
            return found;
        };
        let (set, target) = (self.set, call.target());
        let uses_segment = !plan
            .segments
            .choose(set, target, self.as_of, RuleChoice::MostSpecific)
            .is_empty()
            || plan.segments.find_other_case(set, target).is_some();
        PlanRef {
            uses_segment,
            ..found
        }
    }

    /// Finds the plan for a call of unknown host; `None` if it depends on the host.
    fn find_on_any_host(&mut self, call: &Call<'_>) -> Option<CallPlan> {
        let plan = if self.distinguishes_hosts {
            let (set, method, target) = (self.set, call.method.as_ref(), call.target());
            let matched = set.resolve_at(method, target, AddressCheck::Any);
            let near = || set.near_misses(method, target, AddressCheck::Any, &matched);
            let is_nowhere = matched.is_empty() && near().is_empty();
            is_nowhere.then_some(CallPlan::NoRule)
        } else {
            Some(self.learn(call))
        };
        plan.filter(|plan| {
            let mut unused = self.unused.iter();
            *plan != CallPlan::NoRule || !unused.any(|rules| rules.may_find(call.target()))
        })
    }

    fn learn(&mut self, call: &Call<'_>) -> CallPlan {
        let method = call.method.as_ref();
        let target = call.target();
        let resolved = self.set.resolve_call(call);
        let plan = if resolved.is_empty() {
            self.learn_unmatched(method, target)
        } else {
            let near = self.near(method, target, &resolved);
            match self.compile(resolved) {
                Some(index) => Some(CallPlan::Plan(PlanRef {
                    index,
                    uses_segment: false,
                    near,
                })),
                None => near.map(|(near, list)| CallPlan::NearMiss(near, list)),
            }
        };
        let unused = || self.unused?.find(method, target);
        plan.or_else(|| unused().map(CallPlan::UnusedRules))
            .unwrap_or(CallPlan::NoRule)
    }

    /// Finds what to report of a call that matches no operation.
    fn learn_unmatched(
        &mut self,
        method: Option<&Method>,
        target: &Target<'_>,
    ) -> Option<CallPlan> {
        let elsewhere = self.set.resolve_at(method, target, AddressCheck::Any);
        let known = (elsewhere.all()).find(|&index| names_resource(self.set, index));
        if let Some(known) = known {
            let plan = self.compile(elsewhere);
            return plan.map(|_| CallPlan::OtherAddress(known));
        }
        let (near, list) = self.near(method, target, &MatchedOperations::default())?;
        Some(CallPlan::NearMiss(near, list))
    }

    /// The first operation with rules that a call of these almost matches, and the number of the list of those that it may be of.
    fn near(
        &mut self,
        method: Option<&Method>,
        target: &Target<'_>,
        matched: &MatchedOperations,
    ) -> Option<(NearMiss, usize)> {
        let set = self.set;
        let near = set.near_misses(method, target, set.address_check, matched);
        let missed = near.iter().filter(|near| near.may_be_a_call());
        let missed: Arc<[usize]> = missed.map(|near| near.operation).collect();
        let near = near.into_iter().find(|near| {
            let operations = MatchedOperations::of_one(set, near.operation);
            self.compile(operations).is_some()
        })?;
        let number = *self
            .missed_lists
            .entry(Arc::clone(&missed))
            .or_insert_with(|| {
                self.missed.push(missed);
                self.missed.len() - 1
            });
        Some((near, number))
    }

    /// The operations that a call with this plan may be of without matching them.
    pub(super) fn missed(
        &mut self,
        plan: CallPlan,
        method: Option<&Method>,
        target: &Target<'_>,
    ) -> Vec<usize> {
        let set = self.set;
        match plan {
            CallPlan::OtherAddress(_) => {
                let elsewhere = set.resolve_at(method, target, AddressCheck::Any);
                let may_be = |&operation: &usize| {
                    names_resource(set, operation) && set.may_serve(operation, target)
                };
                elsewhere.all().filter(may_be).collect()
            }
            _ => {
                let near = plan.near().and_then(|(_, list)| self.missed.get(list));
                near.map(|list| list.to_vec()).unwrap_or_default()
            }
        }
    }

    /// The index of the plan for these operations; `None` if no rule is about them: a description has such operations.
    fn compile(&mut self, operations: MatchedOperations) -> Option<usize> {
        let plans = &mut self.plans;
        let index = *self
            .by_operations
            .entry(operations)
            .or_insert_with_key(|operations| {
                plans.push(Plan::new(self.set, operations));
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
fn names_resource(set: &RuleSet, operation: usize) -> bool {
    set.operations().get(operation).is_some_and(|operation| {
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

fn insert_bounded(
    calls: &mut HashMap<Vec<u8>, Option<CallPlan>, FixedState>,
    key: &[u8],
    plan: Option<CallPlan>,
) {
    if calls.len() >= MAX_CALLS {
        calls.clear();
    }
    if key.len() <= MAX_CALL_LENGTH {
        calls.insert(key.to_owned(), plan);
    }
}

/// The segments that paths of operations have.
#[derive(Debug)]
struct CallKeys {
    /// The literal ones, in lower case: a call that differs only in that is a near miss.
    literals: HashSet<Box<[u8]>, FixedState>,
    /// Those with variables and other text.
    templates: Vec<SegmentTemplate>,
}

/// The length in bytes of the longest segment that is looked up. Longer ones are kept.
const LONGEST: usize = 64;

impl CallKeys {
    fn of(set: &RuleSet) -> Self {
        let mut words = Self {
            literals: HashSet::default(),
            templates: Vec::new(),
        };
        for segment in set.path_segments() {
            match segment {
                PatternSegment::Literal(text) => {
                    let literal = text.to_ascii_lowercase().into_bytes();
                    words.literals.insert(literal.into());
                }
                PatternSegment::Partial(template) => words.templates.push(template.clone()),
                _ => {}
            }
        }
        words.templates.sort_unstable();
        words.templates.dedup();
        words
    }

    /// Appends the path of a URL to a key, with `*` in place of each segment that no operation and no unused rule has. Returns false
    /// if only parsing can say what the path is.
    fn write(&self, url: &[u8], unused: Option<&dyn UnusedRules>, key: &mut Vec<u8>) -> bool {
        let end = url.iter().position(|byte| matches!(byte, b'?' | b'#'));
        let path = url.get(..end.unwrap_or(url.len())).unwrap_or_default();
        let Some(root) = root_of(path) else {
            return false;
        };
        let (authority, mut rest) = path.split_at(root);
        key.extend_from_slice(authority);
        while let Some(after) = after_slash(rest) {
            let (segment, others) = after.split_at(length_of_segment(after));
            if segment == b"*" {
                return false;
            }
            key.push(b'/');
            if segment.is_empty() || self.may_matter(segment, unused) {
                key.extend_from_slice(segment);
            } else {
                key.push(b'*');
            }
            rest = others;
        }
        rest.is_empty()
    }

    fn may_matter(&self, segment: &[u8], unused: Option<&dyn UnusedRules>) -> bool {
        let mut lower = [0; LONGEST];
        let Some(lower) = lower.get_mut(..segment.len()) else {
            return true;
        };
        lower.copy_from_slice(segment);
        lower.make_ascii_lowercase();
        let text = std::str::from_utf8(segment).unwrap_or_default();
        !segment
            .iter()
            .all(|byte| CLASSES.get(usize::from(*byte)) == Some(&Class::Name))
            || self.literals.contains(&*lower)
            || is_version(text)
            || self.templates.iter().any(|template| template.matches(text))
            || unused.is_some_and(|rules| rules.knows(text))
    }
}

/// The length of a segment as it is written: of bytes that mean themselves, and of the escape that JSON may have for an ellipsis.
fn length_of_segment(text: &[u8]) -> usize {
    let mut rest = text;
    loop {
        let plain = rest.iter().take_while(|byte| is_plain(**byte)).count();
        rest = rest.get(plain..).unwrap_or_default();
        match rest.strip_prefix(ELLIPSIS) {
            Some(after) => rest = after,
            None => return text.len() - rest.len(),
        }
    }
}

/// An ellipsis as Python writes it.
const ELLIPSIS: &[u8] = b"\\u2026";

/// The offset of the slash with which a path begins, after the host if there is one; `None` if it begins in another way.
fn root_of(url: &[u8]) -> Option<usize> {
    if let Some(after) = after_slash(url) {
        return after_slash(after).is_none().then_some(0);
    }
    // Before the colon is the scheme, or something that only parsing can read.
    let colon = url.iter().position(|byte| !byte.is_ascii_alphanumeric())?;
    let after = url.get(colon..)?.strip_prefix(b":")?;
    let authority = after_slash(after_slash(after)?)?;
    let end = authority.iter().position(|byte| !is_plain(*byte))?;
    after_slash(authority.get(end..)?)?;
    Some(url.len() - authority.len() + end)
}

/// What follows a slash, which JSON may escape.
fn after_slash(text: &[u8]) -> Option<&[u8]> {
    text.strip_prefix(b"\\").unwrap_or(text).strip_prefix(b"/")
}

/// What a byte of a segment may be a part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// A name, which means itself wherever URLs are written.
    Name,
    /// Other text that means itself there.
    Plain,
    Other,
}

/// The class of each byte (RFC 3986, section 3.3). Brackets, stars and what is not ASCII are in what loggers write in place of text.
static CLASSES: [Class; 256] = {
    let plain = b".~!$&'()+,=:@[]*";
    let mut classes = [Class::Plain; 256];
    let mut byte = 0u8;
    while byte < 128 {
        classes[byte as usize] = if byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_') {
            Class::Name
        } else {
            Class::Other
        };
        byte += 1;
    }
    let mut at = 0;
    while at < plain.len() {
        classes[plain[at] as usize] = Class::Plain;
        at += 1;
    }
    classes
};

fn is_plain(byte: u8) -> bool {
    CLASSES.get(usize::from(byte)) != Some(&Class::Other)
}

/// Rules that a run does not use.
pub trait UnusedRules: fmt::Debug + Sync {
    /// The index of the first set with a rule about a call.
    fn find(&self, method: Option<&Method>, target: &Target<'_>) -> Option<usize>;

    /// Whether a rule may be about a call with such a path on some host.
    fn may_find(&self, target: &Target<'_>) -> bool;

    /// Whether a segment of a path may decide which set is found.
    fn knows(&self, segment: &str) -> bool;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::rules::RuleFile;

    const RULES: &str = "api = 'Test'
rule = [
    { id = 'a', operation = 'POST /v1/orders/{id}', field = 'x' },
    { id = 'b', operation = 'GET /v1/orders/export', field = 'x' },
    { id = 'c', operation = 'POST /v1/orders/run-{id}', field = 'x' },
    { id = 'd', operation = '* /v2/**', field = 'x' },
]
";
    const HOSTS: &str = "hosts = ['a.test', '*.b.test']
";

    /// Knows one path on one host.
    #[derive(Debug)]
    struct Unused;

    impl UnusedRules for Unused {
        fn find(&self, _: Option<&Method>, target: &Target<'_>) -> Option<usize> {
            let host = target.host.as_ref().map_or("", Host::name);
            (host == "c.test" && self.may_find(target)).then_some(7)
        }

        fn may_find(&self, target: &Target<'_>) -> bool {
            target
                .segments
                .first()
                .is_some_and(|first| first == "things")
        }

        fn knows(&self, segment: &str) -> bool {
            segment == "things"
        }
    }

    fn url() -> impl Strategy<Value = String> {
        let odd = &[
            "things",
            "..",
            "",
            "a%62",
            "a;b",
            "{id}",
            "a*",
            "*",
            "***",
            "[redacted]",
            "or\u{2026}",
            "ex\\u2026",
            "a b",
            "localhost",
        ][..];
        let usual = [
            &["v1", "v2", "V1", "v9", "x", "things"][..],
            &["orders", "Orders", "x"],
            &["export", "5", "run-5", "x-5"],
        ];
        let usual = usual.map(|pieces| prop::sample::select(pieces).boxed());
        let odd = prop::sample::select(odd).boxed();
        let path = prop_oneof![
            5 => usual.prop_map(Vec::from),
            1 => prop::collection::vec(prop_oneof![odd, Just("v1"), Just("orders")], 0..5),
        ];
        let begins = &[
            "",
            "/",
            "//",
            "https://a.test/",
            "https://x.b.test/",
            "http://c.test/",
            "a.test/",
            "https:\\/\\/a.test\\/",
        ][..];
        let ends = &["", "/", "?x=/v2/y", "#top"][..];
        let slash = prop::sample::select(&["/", "/", "\\/"][..]);
        (
            prop::sample::select(begins),
            path,
            slash,
            prop::sample::select(ends),
        )
            .prop_map(|(begin, path, slash, end)| format!("{begin}{}{end}", path.join(slash)))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        #[test]
        fn calls_with_the_same_key_have_the_same_plan(
            calls in prop::collection::vec((url(), prop::sample::select(&["", "a.test", "c.test"][..])), 1..40),
            has_hosts in any::<bool>(),
        ) {
            let hosts = if has_hosts { HOSTS } else { "" };
            let rules = RULES.replace("rule = [", &format!("{hosts}rule = ["));
            let set = RuleSet::new(vec![RuleFile::parse("test", &rules).unwrap()]).unwrap();
            let new = || {
                let mut plans = PlanCache::new(&set, NaiveDate::MIN);
                plans.set_unused(&Unused);
                plans
            };
            let mut plans = new();
            for (url, host) in &calls {
                let parse = |source: &CallSource<'_>| {
                    let url = string::unescape(std::str::from_utf8(source.url).unwrap());
                    let mut target = Target::parse(&url).into_owned();
                    target.complete_host(|| (source.other_host)(source).map(Host::into_owned));
                    target
                };
                let source = CallSource {
                    url: url.as_bytes(),
                    queries: Vec::new(),
                    host: None,
                    headers: None,
                    target: parse,
                    other_host: match *host {
                        "a.test" => |_| Host::parse("a.test", None),
                        "c.test" => |_| Host::parse("c.test", None),
                        _ => |_| None,
                    },
                };
                let method = Method::parse("POST");
                let parsed = Call::new(method.clone(), parse(&source), Some(Span::default()));
                let located = Call::located(method, source, Span::default());
                let [found, expected] = [(&mut plans, &located), (&mut new(), &parsed)].map(|(plans, call)| {
                    let plan = plans.find(call);
                    let elements = match plan {
                        CallPlan::Plan(plan) => plans.get(plan.index).map(|plan| plan.elements().to_vec()),
                        _ => None,
                    };
                    let missed = plans.missed(plan, call.method.as_ref(), call.target());
                    let plan = match plan {
                        CallPlan::NearMiss(near, _) => CallPlan::NearMiss(near, 0),
                        CallPlan::Plan(found) => {
                            let near = found.near.map(|(near, _)| (near, 0));
                            CallPlan::Plan(PlanRef { index: 0, near, ..found })
                        }
                        other => other,
                    };
                    (plan, missed, elements)
                });
                prop_assert_eq!(found, expected, "{} {}", url, host);
            }
        }
    }
}
