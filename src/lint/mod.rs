//! From exchanges and a rule table to findings. Pure: no formats, no files, no clock, no terminal.

mod announced;
mod body;
mod endings;
mod field;
mod filter;
mod held;
mod hits;
pub(crate) mod plan;
mod queries;
mod quick;
mod reveal;
mod search;
mod values;
mod way;

use std::collections::HashMap;
use std::sync::Arc;

use crate::findings::{
    Certainty, CheckGrades, ExcerptParts, ExchangePart, ExchangeRef, Finding, Occurrence,
};
use crate::json::{DEFAULT_MAX_DEPTH, string};
use crate::rules::{Lifecycle, MatchedOperations, Rule, RuleTable};
use crate::text::Span;
use crate::traffic::{Call, Exchange, Glimpse, Method, Reason, Side, Skip, Target};

use announced::Announcements;
use body::{BodyCheck, Reading, is_whole};
use filter::Scratch;
use held::Held;
use plan::{Plan, RuleUse};

pub use reveal::Values;

/// Takes what the linter finds.
pub trait FindingSink {
    /// A use of a deprecated element.
    fn finding(&mut self, finding: Finding);
    /// Something that could not be checked.
    fn skip(&mut self, skip: Skip);
}

/// Checks exchanges against a rule table.
#[derive(Debug)]
pub struct Linter<'t> {
    table: &'t RuleTable,
    lifecycle: Lifecycle,
    max_depth: usize,
    values: Values,
    /// What to look for; made when first needed.
    plans: Vec<Plan>,
    /// The plans, by the operations that a call matches.
    by_operations: HashMap<MatchedOperations, usize>,
    /// The plans, by what was called: the same few calls make up most traffic.
    by_call: HashMap<Vec<u8>, Option<usize>>,
    /// The same by method and URL as a capture writes them.
    by_glimpse: HashMap<Vec<u8>, Glimpsed>,
    /// Whether it matters which host is called.
    tells_hosts: bool,
    /// What traffic announces itself.
    announcements: Announcements,
    /// Room for such a key.
    call: Vec<u8>,
    scratch: Scratch,
}

/// What the first look at a call tells.
#[derive(Debug, Clone, Copy)]
enum Glimpsed {
    /// No rule covers it.
    NoRule,
    /// What to look for.
    Plan(usize),
    /// It depends on its host, which the URL does not say.
    Unclear,
}

/// How many calls are remembered: paths with numbers in them are all different.
const MOST_CALLS: usize = 4_096;

/// How many bytes a call may have that is remembered.
const LONGEST_CALL: usize = 1_024;

/// Whether some rule knows the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// It was checked.
    Checked,
    /// No rule covers it.
    NoRule,
    /// The call was checked. Rules would have looked at bodies, of which there are none.
    NoBody,
}

impl<'t> Linter<'t> {
    /// A linter that grades by `lifecycle`.
    pub fn new(table: &'t RuleTable, lifecycle: Lifecycle) -> Self {
        Self {
            table,
            lifecycle,
            max_depth: DEFAULT_MAX_DEPTH,
            values: Values::Hidden,
            plans: Vec::new(),
            by_operations: HashMap::new(),
            by_call: HashMap::new(),
            by_glimpse: HashMap::new(),
            tells_hosts: table.tells_hosts(),
            announcements: Announcements::default(),
            call: Vec::new(),
            scratch: Scratch::default(),
        }
    }

    /// Sets how deep bodies may nest.
    #[must_use]
    pub fn with_max_depth(mut self, max_depth: usize) -> Self {
        self.max_depth = max_depth;
        self
    }

    /// Has values of deprecated keys shown, as far as they may be.
    #[must_use]
    pub fn with_values(mut self, values: Values) -> Self {
        self.values = values;
        self
    }

    /// Has what traffic announces graded so.
    #[must_use]
    pub fn with_grades(mut self, grades: CheckGrades) -> Self {
        self.announcements = Announcements::graded(grades);
        self
    }

    /// Whether nothing is to be reported of an exchange, by a look at its call and the raw bytes of its bodies
    /// alone; `None` where something may be.
    ///
    /// What bodies say beyond that, broken ones included, is not looked at.
    pub fn rules_out(&mut self, glimpse: &Glimpse<'_>) -> Option<Coverage> {
        if glimpse.may_announce && !self.announcements.is_off {
            return None;
        }
        let (path, may_have_parameters) = glimpse.path();
        let plan = match self.plan_of_glimpse(glimpse, path) {
            Glimpsed::NoRule => return Some(Coverage::NoRule),
            Glimpsed::Plan(index) => self.plans.get_mut(index)?,
            Glimpsed::Unclear => return None,
        };
        let has_parameters = may_have_parameters || glimpse.has_query_apart;
        if !plan.endpoints.is_empty() || !plan.parameters.is_empty() && has_parameters {
            return None;
        }
        let mut wanted = false;
        for side in Side::BOTH {
            let (seen, plan) = (glimpse.seen(side), plan.side_mut(side));
            wanted |= plan.walk.is_some();
            if !plan.headers.is_empty() || plan.walk.is_some() && seen.is_unread {
                return None;
            }
            if let Some(body) = &seen.body
                && !plan.rules_out(body, &mut self.scratch)
            {
                return None;
            }
        }
        if wanted && glimpse.has_no_body() {
            return glimpse.bodiless.map(|_| Coverage::NoBody);
        }
        Some(Coverage::Checked)
    }

    /// The plan for what has been glimpsed.
    fn plan_of_glimpse(&mut self, glimpse: &Glimpse<'_>, path: &[u8]) -> Glimpsed {
        let method = glimpse.method.as_ref().map_or("", Method::as_str);
        self.call.clear();
        self.call.extend_from_slice(method.as_bytes());
        // No method has a space in it.
        self.call.push(b' ');
        self.call.extend_from_slice(path);
        if let Some(&known) = self.by_glimpse.get(&self.call) {
            return known;
        }
        // What is no text is told by those who parse it; what it would call nobody knows.
        if std::str::from_utf8(glimpse.url).is_err() {
            return Glimpsed::Unclear;
        }
        let literal = [b"\"", glimpse.url, b"\""].concat();
        let url = string::decode_bytes(&literal, Span::new(0, literal.len()));
        let (method, target) = (glimpse.method.clone(), Target::parse(&url));
        let key = self.call.clone();
        let call = Call { method, target, url_span: None };
        let plan = self.glimpsed(call);
        if self.by_glimpse.len() >= MOST_CALLS {
            self.by_glimpse.clear();
        }
        if key.len() <= LONGEST_CALL {
            self.by_glimpse.insert(key, plan);
        }
        plan
    }

    fn glimpsed(&mut self, call: Call<'_>) -> Glimpsed {
        if self.tells_hosts && call.target.host.is_none() {
            // Of a call that may go anywhere, what no operation matches is matched by none on any host.
            let resolved = self.table.resolve(call.method.as_ref(), &call.target);
            return if resolved.is_empty() { Glimpsed::NoRule } else { Glimpsed::Unclear };
        }
        let plan = self.plan_of(&Exchange { call, ..Exchange::default() });
        plan.map_or(Glimpsed::NoRule, Glimpsed::Plan)
    }

    /// The number of what to look for in an exchange, if any rule knows its operation.
    fn plan_of(&mut self, exchange: &Exchange<'_>) -> Option<usize> {
        self.call.clear();
        let method = exchange.call.method.as_ref().map_or("", Method::as_str);
        let segments = exchange.call.target.segments.iter().map(|segment| &**segment);
        for part in [method].into_iter().chain(segments) {
            // Parts may hold any character; their lengths keep them apart.
            self.call.extend_from_slice(&part.len().to_le_bytes());
            self.call.extend_from_slice(part.as_bytes());
        }
        if let Some(host) = exchange.call.target.host.as_ref().filter(|_| self.tells_hosts) {
            self.call.push(b'@');
            self.call.extend_from_slice(host.name().as_bytes());
            self.call.push(b':');
            self.call.extend(host.port().into_iter().flat_map(u16::to_le_bytes));
        }
        let known = self.by_call.get(&self.call).copied();
        known.unwrap_or_else(|| self.learn_call(exchange))
    }

    fn learn_call(&mut self, exchange: &Exchange<'_>) -> Option<usize> {
        let resolved = self.table.resolve(exchange.call.method.as_ref(), &exchange.call.target);
        let index = (!resolved.is_empty()).then(|| {
            let plans = &mut self.plans;
            *self.by_operations.entry(resolved).or_insert_with_key(|resolved| {
                plans.push(Plan::new(self.table, resolved));
                plans.len() - 1
            })
        });
        // A description knows operations of which no rule says anything.
        let index =
            index.filter(|&index| self.plans.get(index).is_some_and(|plan| !plan.is_empty()));
        if self.by_call.len() >= MOST_CALLS {
            self.by_call.clear();
        }
        if self.call.len() <= LONGEST_CALL {
            self.by_call.insert(self.call.clone(), index);
        }
        index
    }

    /// Checks one exchange.
    pub fn check(&mut self, exchange: &Exchange<'_>, sink: &mut dyn FindingSink) -> Coverage {
        let plan = self.plan_of(exchange);
        let reading = Reading { max_depth: self.max_depth, is_unread: false };
        self.check_by(plan, exchange, reading, sink)
    }

    /// Checks an exchange at whose bodies nobody has looked but for where they end, those that [can be
    /// unread](crate::traffic::Body::can_be_unread), which stand `levels` deep at most. `None` where one of them is not JSON,
    /// or no string if it is one, where one may nest too deep, `levels` being the worst case, or where anything could not be
    /// checked: then nothing has been told.
    pub fn check_unread(
        &mut self,
        exchange: &Exchange<'_>,
        levels: usize,
        sink: &mut dyn FindingSink,
    ) -> Option<Coverage> {
        let max_depth = self.max_depth.saturating_sub(levels);
        let index = self.plan_of(exchange);
        let mut plan = index.and_then(|index| self.plans.get_mut(index));
        for side in Side::BOTH {
            let is_walked = plan.as_mut().is_some_and(|plan| plan.side_mut(side).walk.is_some());
            let body = exchange.message(side).body.as_ref().filter(|_| !is_walked);
            if body.is_some_and(|body| body.can_be_unread() && !is_whole(body, max_depth)) {
                return None;
            }
        }
        let mut held = Held::default();
        let coverage =
            self.check_by(index, exchange, Reading { max_depth, is_unread: true }, &mut held);
        let findings = held.whole()?;
        for finding in findings {
            sink.finding(finding);
        }
        Some(coverage)
    }

    fn check_by(
        &mut self,
        plan: Option<usize>,
        exchange: &Exchange<'_>,
        reading: Reading,
        sink: &mut dyn FindingSink,
    ) -> Coverage {
        let (table, lifecycle) = (self.table, self.lifecycle);
        let values = self.values;
        self.announcements.check(table, &lifecycle, exchange, sink);
        let Some(plan) = plan.and_then(|index| self.plans.get_mut(index)) else {
            return Coverage::NoRule;
        };
        let context = Context { table, lifecycle: &lifecycle, exchange, values };
        for rule in &plan.endpoints {
            context.call_finding(rule, ExchangePart::Operation, sink);
        }
        for (name, rule) in &plan.parameters {
            if exchange.call.target.parameters.iter().any(|called| called == name) {
                context.call_finding(rule, ExchangePart::Message(Side::Request), sink);
            }
        }
        let mut wanted = false;
        for side in Side::BOTH {
            let message = exchange.message(side);
            let plan = plan.side_mut(side);
            for (name, rule) in &plan.headers {
                for header in message.headers.iter().filter(|header| header.name == *name) {
                    let shown = ExcerptParts {
                        key: Some(header.name.to_string()),
                        ..ExcerptParts::default()
                    };
                    context.finding(rule, ExchangePart::Message(side), header.span, shown, sink);
                }
            }
            if plan.walk.is_none() {
                continue;
            }
            wanted = true;
            if let Some(body) = &message.body {
                BodyCheck { context, side, plan, reading, sink, cut_by_capture: false }.check(body);
            }
            if let Some(unread) = message.unread {
                sink.skip(Skip { bytes: 0, ..Skip::at(unread.reason, unread.span) });
            }
        }
        if let Some(url) = exchange.call.url_span.filter(|_| wanted && exchange.has_no_body()) {
            sink.skip(Skip { bytes: 0, ..Skip::at(Reason::NoBody, url) });
        }
        Coverage::Checked
    }
}

/// What all checks of one exchange share.
#[derive(Clone, Copy)]
struct Context<'c> {
    table: &'c RuleTable,
    lifecycle: &'c Lifecycle,
    exchange: &'c Exchange<'c>,
    values: Values,
}

impl Context<'_> {
    /// A finding at the URL.
    fn call_finding(&self, rule: &RuleUse, part: ExchangePart, sink: &mut dyn FindingSink) {
        let span = self.exchange.call.url_span.unwrap_or_else(|| self.bare_start());
        self.finding(rule, part, span, ExcerptParts::default(), sink);
    }

    /// A bare body has no URL: what concerns the call stands at its beginning.
    fn bare_start(&self) -> Span {
        let bodies =
            Side::BOTH.into_iter().filter_map(|side| self.exchange.message(side).body.as_ref());
        bodies.map(|body| Span::new(body.span.start, body.span.start)).next().unwrap_or_default()
    }

    fn finding(
        &self,
        rule: &RuleUse,
        part: ExchangePart,
        span: Span,
        shown: ExcerptParts,
        sink: &mut dyn FindingSink,
    ) {
        let Some(checked) = self.rule(rule.rule) else { return };
        let operation = Arc::clone(&rule.operation);
        let exchange = self.exchange_ref();
        let certainty = Certainty::Certain;
        let found = Occurrence { operation, part, pointer: None, span, shown, exchange, certainty };
        sink.finding(Finding::new(checked, self.lifecycle, found));
    }

    fn rule(&self, index: usize) -> Option<&Arc<Rule>> {
        self.table.rules().get(index)
    }

    fn exchange_ref(&self) -> Option<ExchangeRef> {
        // A body that was named from outside is no exchange.
        self.exchange.call.url_span?;
        Some(ExchangeRef { index: self.exchange.index, started: self.exchange.started })
    }
}
