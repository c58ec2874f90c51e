//! The linter: from an exchange or a body to findings.

use super::announced::Announcements;
use super::body::texts_inside;
use super::calls::{CheckedCall, Readings, may_have_body};
use super::context::Context;
use super::element_net::ElementNet;
use super::mentions::MentionGrader;
use super::net::{Mention, NamedElements, Net, TextUnit, Wanted};
use super::options::{InnerElements, Values};
use super::plain_text::PlainText;
use super::plan::Plan;
use super::plans::{CallPlan, PlanCache, PlanRef, UnusedRules};
use super::quick_walk::QuickWalk;
use super::requirements::{RequirementChecks, RequirementNeeds};
use super::rule_choice::{RuleChoice, VersionRules};
use super::sinks::{AnnouncementSink, FindingBuffer, LintSink};
use super::unread_parts;
use crate::findings::{Check, CheckGrades, Finding};
use crate::rules::{Lifecycle, Rule, RuleSet};
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use sundown_exchange::{
    Body, Content, Exchange, InvalidRecord, Reason, Side, Skip, UnpackingBudget,
};
use sundown_text_json::Limits;
use sundown_text_json::json::key_context::QuoteLevel;
use sundown_text_json::text::Span;

/// Checks exchanges against a rule set.
#[derive(Debug)]
pub struct Linter<'t> {
    set: &'t RuleSet,
    lifecycle: Lifecycle,
    limits: Limits,
    unpacking: UnpackingBudget,
    values: Values,
    inner: InnerElements,
    choice: RuleChoice,
    /// Whether everything is validated, rather than only what may hold a use.
    validates_all: bool,
    plans: PlanCache<'t>,
    announcements: Announcements,
    grades: CheckGrades,
    /// The checks of requirements, if the set has any.
    requirements: Option<RequirementChecks<'t>>,
    /// Whether calls are reported to the sink.
    reports_calls: bool,
    versions: VersionRules,
    /// The numbers of calls that rules would be about that it does not use.
    unused_calls: BTreeMap<usize, usize>,
    quick: QuickWalk,
    /// What the rules are about in text that is not read, once some is met; `None` inside if there is nothing.
    net: OnceCell<Option<Net>>,
    /// The names of members by plan, where a call was met whose bodies are not known.
    element_nets: BTreeMap<(usize, NamedElements), Option<ElementNet>>,
}

/// How much of an exchange the rules cover.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Coverage {
    /// The exchange was checked.
    Checked,
    /// No rule covers its operation.
    NoRule,
}

impl<'t> Linter<'t> {
    /// Creates a linter that grades findings by `lifecycle`.
    pub fn new(set: &'t RuleSet, lifecycle: Lifecycle) -> Self {
        Self {
            set,
            lifecycle,
            limits: Limits::default(),
            unpacking: UnpackingBudget::unlimited(),
            values: Values::Hidden,
            inner: InnerElements::Related,
            choice: RuleChoice::MostSpecific,
            validates_all: false,
            plans: PlanCache::new(set, lifecycle.as_of),
            announcements: Announcements::default(),
            grades: CheckGrades::default(),
            requirements: (set.requirements())
                .map(|required| RequirementChecks::new(required, lifecycle.as_of)),
            reports_calls: false,
            versions: VersionRules::default(),
            unused_calls: BTreeMap::new(),
            quick: QuickWalk::default(),
            net: OnceCell::new(),
            element_nets: BTreeMap::new(),
        }
    }

    /// Sets how deep bodies may nest, and how far compressed ones may expand.
    #[must_use]
    pub fn within(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The content of a body without its compression, within the limits of a body and of its part of the file.
    pub fn content<'b>(&self, body: &Body<'b>) -> Result<Content<'b>, Skip> {
        self.unpacking.content(body, self.limits)
    }

    /// Limits how far the compressed bodies of the part of a file that follows may expand together.
    pub fn begin_part(&mut self, bytes: usize) {
        self.unpacking = UnpackingBudget::of_part(bytes, self.limits.expansion);
    }

    /// Sets whether findings show the values of deprecated keys, where that is safe.
    #[must_use]
    pub fn with_values(mut self, values: Values) -> Self {
        self.values = values;
        self
    }

    /// Sets how deprecated elements inside a deprecated field are reported.
    #[must_use]
    pub fn with_inner_elements(mut self, inner: InnerElements) -> Self {
        self.inner = inner;
        self
    }

    /// Sets the grades of what traffic announces, of violated requirements, and of mentions.
    #[must_use]
    pub fn with_grades(mut self, grades: CheckGrades) -> Self {
        if let Some(requirements) = &mut self.requirements {
            requirements.set_grades(grades.clone());
        }
        self.announcements = Announcements::graded(grades.clone());
        self.grades = grades;
        self
    }

    /// Sets whether records and bodies are validated in which no rule can match. Without it, they count as checked.
    #[must_use]
    pub fn with_validation_of_all(mut self, validates_all: bool) -> Self {
        self.validates_all = validates_all;
        self
    }

    /// Counts the calls that these rules would be about.
    #[must_use]
    pub fn with_unused_rules(mut self, rules: &'t dyn UnusedRules) -> Self {
        self.plans.set_unused(rules);
        self
    }

    /// Reports each call of an operation with rules to the sink, and all uses as findings of their own, one for each rule that holds. What traffic announces and
    /// which requirements it violates is not reported.
    #[must_use]
    pub fn with_calls(mut self) -> Self {
        self.reports_calls = true;
        self.inner = InnerElements::Separate;
        self.choice = RuleChoice::All;
        self.announcements.is_off = true;
        self.requirements = None;
        self
    }

    /// Checks one exchange. Its pieces are parsed, and its record is validated, only if it may hold a use or its call is reported.
    /// Nothing of an exchange with an invalid record has been reported.
    pub fn check(
        &mut self,
        exchange: &Exchange<'_>,
        sink: &mut dyn LintSink,
    ) -> Result<Coverage, InvalidRecord> {
        let exchange = &*self.plans.complete(exchange);
        let planned = self.plan_bodies(exchange);
        let coverage = self.check_as(planned, exchange, sink)?;
        match planned.plan {
            CallPlan::Plan(plan) => self.plans.note_called(plan.index),
            CallPlan::UnusedRules(set) if coverage == Coverage::NoRule => {
                *self.unused_calls.entry(set).or_default() += 1;
            }
            _ => {}
        }
        Ok(coverage)
    }

    /// The operations of which it has checked a call, by their indices in the set.
    pub fn called_operations(&self) -> BTreeSet<(usize, usize)> {
        self.plans.called_operations()
    }

    /// The numbers of calls that no rule covers and that a set of rules would be about that it does not use, by index.
    pub fn unused_calls(&self) -> &BTreeMap<usize, usize> {
        &self.unused_calls
    }

    /// Finds the calls and values in a text that was not read that the rules are about.
    pub fn find_mentions<'s>(
        &'s mut self,
        text: &'s PlainText<'_>,
        unit: TextUnit,
        wanted: Wanted,
    ) -> impl Iterator<Item = Mention> {
        let net = self.net.get_or_init(|| Net::new(self.set)).as_ref();
        let (set, plans) = (self.set, &mut self.plans);
        net.map(|net| net.mentions(text, unit, wanted, set, plans))
            .into_iter()
            .flatten()
    }

    fn net(&self) -> Option<&Net> {
        self.net.get_or_init(|| Net::new(self.set)).as_ref()
    }

    /// Whether texts that people write are searched for values.
    pub fn finds_mentions(&self) -> bool {
        let is_on = !self.grades.are_off(Check::Mentioned);
        is_on && self.net().is_some_and(Net::has_values)
    }

    /// The findings about the values that a text names which people write, such as source code. If it names many, it is a list: that is
    /// one finding.
    pub fn mentions(&self, text: &[u8]) -> Vec<Finding> {
        let values = self.net().map(|net| net.find_values(text, self.set));
        let mentions = MentionGrader {
            text,
            set: self.set,
            lifecycle: &self.lifecycle,
            grades: &self.grades,
        };
        mentions.grade(values.unwrap_or_default())
    }

    /// Finds the first name that the rules about a call are about in a piece of a file with what of it was not read, for this reason.
    /// In place of a body, it is the name of a member.
    pub fn find_element(
        &mut self,
        exchange: &Exchange<'_>,
        file: &[u8],
        piece: Span,
        reason: Reason,
    ) -> Option<Mention> {
        let named = match reason {
            Reason::NoBody | Reason::NotJson | Reason::UnreadBody => NamedElements::Members,
            _ => NamedElements::All,
        };
        let net = self.element_net(exchange, named)?;
        let mut read = exchange.read_parts();
        let empty = exchange.bodies().filter(|(body, _)| body.is_empty());
        read.extend(empty.map(|(_, span)| span));
        net.find(file, piece, &read)
    }

    /// Finds the first name of a member of a body in the record of a call that has another body, or an empty one. A record without a
    /// status and a time is of a call that is only described, and GET sends no body. The names of the rules that it uses do not count.
    pub fn find_other_body(
        &mut self,
        exchange: &Exchange<'_>,
        file: &[u8],
        used: &[Arc<Rule>],
    ) -> Option<Mention> {
        let record = exchange.outer(exchange.extent?);
        // Most calls have both bodies, or none.
        let lacks_text = Side::BOTH.map(|side| exchange.message(side).has_no_text());
        if !lacks_text.contains(&true)
            || exchange.has_no_body()
            || exchange.status.get().is_none() && exchange.started.get().is_none()
        {
            return None;
        }
        let sides = Side::BOTH.into_iter().zip(lacks_text);
        let unread =
            sides.filter(|(side, lacks_text)| *lacks_text && may_have_body(exchange, *side));
        let mut read = exchange.read_parts();
        read.extend(exchange.bodies().map(|(_, span)| span));
        let mut found = unread.filter_map(|(side, _)| {
            let net = self.element_net(exchange, NamedElements::MembersOf(side))?;
            net.find_beside(file, record, &read, used)
        });
        found.next()
    }

    /// The names of these elements of the rules about a call.
    fn element_net(
        &mut self,
        exchange: &Exchange<'_>,
        named: NamedElements,
    ) -> Option<&ElementNet> {
        let index = self.plan_of(exchange)?;
        let plan = self.plans.get(index)?;
        let net = self.element_nets.entry((index, named));
        let net = net.or_insert_with(|| ElementNet::new(self.set, plan, named));
        net.as_ref()
    }

    /// The index of the plan for a call; `None` if no rules are about it.
    pub fn plan_of(&mut self, exchange: &Exchange<'_>) -> Option<usize> {
        let call = &self.plans.complete(exchange).call;
        self.plans.find(call).index()
    }

    fn check_as(
        &mut self,
        planned: Planned,
        exchange: &Exchange<'_>,
        sink: &mut dyn LintSink,
    ) -> Result<Coverage, InvalidRecord> {
        if !self.validates_all
            && let Some(coverage) = self.try_rule_out(planned, exchange, sink)
        {
            return Ok(coverage);
        }
        let unread = planned.unread_bodies(exchange);
        if let Some(depth) = exchange.unvalidated
            && !unread.is_empty()
            && exchange.is_valid(&unread)
        {
            // The walk validates these bodies: a second pass over them is needed only if it fails.
            let mut buffer = FindingBuffer::default();
            let depth = depth.saturating_sub(BODY_LEVELS);
            let limits = Limits {
                depth,
                ..self.limits
            };
            let checked = self.check_planned(exchange, planned, limits, &mut buffer);
            if let Some(findings) = buffer.into_findings() {
                for finding in findings {
                    sink.finding(finding);
                }
                return Ok(self.report_call(exchange, planned, checked, sink));
            }
        }
        if !exchange.is_valid(&[]) {
            return Err(InvalidRecord);
        }
        let checked = self.check_planned(exchange, planned, self.limits, sink);
        Ok(self.report_call(exchange, planned, checked, sink))
    }

    /// Decides by the call and by the raw bytes of header fields and bodies that a located exchange holds no use; `None` where it
    /// may hold one. Of such an exchange, only missing bodies and other addresses are reported, and the call if calls are.
    fn try_rule_out(
        &mut self,
        planned: Planned,
        exchange: &Exchange<'_>,
        sink: &mut dyn LintSink,
    ) -> Option<Coverage> {
        exchange.call.source()?;
        if !self.announcements.is_off && exchange.response.may_announce() {
            return None;
        }
        if self
            .requirements
            .as_mut()
            .is_some_and(|required| required.may_cover(&exchange.call))
        {
            return None;
        }
        match planned.plan {
            CallPlan::Plan(plan) if plan.uses_segment => None,
            CallPlan::Plan(plan) => self.try_rule_out_by(plan, planned, exchange, sink),
            missed => {
                self.skip_missed(missed, exchange, sink);
                self.report_missed(missed, exchange, sink);
                Some(Coverage::NoRule)
            }
        }
    }

    /// Decides the same by the rules of the operation.
    fn try_rule_out_by(
        &mut self,
        plan_ref: PlanRef,
        planned: Planned,
        exchange: &Exchange<'_>,
        sink: &mut dyn LintSink,
    ) -> Option<Coverage> {
        let plan = self.plans.get(plan_ref.index)?;
        let source = exchange.call.source()?;
        let has_query =
            || !source.queries.is_empty() || source.url.iter().copied().any(may_begin_query);
        if !plan.endpoints.is_empty() || !plan.parameters.is_empty() && has_query() {
            return None;
        }
        for (side, walks) in Side::BOTH.into_iter().zip(planned.walks) {
            let (plan, message) = (plan.side(side), exchange.message(side));
            if walks
                || plan.walk.is_some() && message.may_lack_body()
                || plan.headers.may_match(message)
                || unread_parts::headers(exchange, side, &plan.headers).is_some()
            {
                return None;
            }
        }
        if unread_parts::query(exchange, &plan.parameters).is_some() {
            return None;
        }
        let mut sides = Side::BOTH.into_iter();
        let may_lack = (sides.clone()).any(|side| exchange.message(side).may_lack_body());
        let has_body = sides.any(|side| exchange.message(side).raw_body().is_some());
        let is_missing = plan.needs_body() && !has_body;
        // In a record that is not valid, a body may have been overlooked.
        if is_missing && (may_lack || !exchange.is_valid(&[])) {
            return None;
        }
        if self.reports_calls {
            // Nothing in it is walked.
            let checked = self.check_planned(exchange, planned, self.limits, sink);
            return Some(self.report_call(exchange, planned, checked, sink));
        }
        if is_missing {
            skip_missing_body(exchange, sink);
        }
        self.skip_missed(planned.plan, exchange, sink);
        Some(Coverage::Checked)
    }

    /// Reports a call of an operation with rules if calls are reported. Returns how much of the exchange the rules cover.
    fn report_call(
        &mut self,
        exchange: &Exchange<'_>,
        planned: Planned,
        checked: CheckedExchange,
        sink: &mut dyn LintSink,
    ) -> Coverage {
        if let Some(index) = planned.plan.index()
            && self.reports_calls
            && let Some(plan) = self.plans.get(index)
        {
            let elements = plan.elements();
            let readings = checked.readings;
            sink.call(&CheckedCall {
                plan: index,
                elements,
                exchange,
                readings,
            });
        }
        self.report_missed(planned.plan, exchange, sink);
        checked.coverage
    }

    /// Reports a call that may be one of an operation with rules that it does not match, if calls are reported.
    fn report_missed(&mut self, plan: CallPlan, exchange: &Exchange<'_>, sink: &mut dyn LintSink) {
        if !self.reports_calls {
            return;
        }
        let (method, target) = (exchange.call.method.as_ref(), exchange.call.target());
        for operation in self.plans.missed(plan, method, target) {
            if let Some(operation) = self.set.operations().get(operation) {
                sink.missed_call(&operation.pattern);
            }
        }
    }

    /// Skips a call at another address, or one that almost matches an operation.
    fn skip_missed(&self, plan: CallPlan, exchange: &Exchange<'_>, sink: &mut dyn LintSink) {
        let near = plan.near().map(|(near, _)| near);
        let (operation, reason) = match (plan, near) {
            (CallPlan::OtherAddress(operation), _) => (operation, Reason::OtherAddress),
            (_, Some(near)) if near.is_of_any() => (near.operation, Reason::MaskedCall),
            (_, Some(near)) => (near.operation, Reason::NearMiss),
            _ => return,
        };
        let skip = Skip {
            span: exchange.call.url_span,
            ..Skip::file(reason, 0)
        };
        if let Some(operation) = self.set.operations().get(operation) {
            let pattern = &operation.pattern;
            let detail = match near {
                Some(near) => near.describe(pattern, exchange.call.method.as_ref()),
                None => format!("`{pattern}`"),
            };
            sink.skip(skip.because(detail));
        }
    }

    /// Finds the plan for an exchange, and decides which of its bodies to walk.
    fn plan_bodies(&mut self, exchange: &Exchange<'_>) -> Planned {
        let plan = self.plans.find(&exchange.call);
        let index = plan.index();
        let Some(sides) = index.and_then(|index| self.plans.get_mut(index)) else {
            return Planned {
                plan,
                walks: [false; 2],
            };
        };
        let walks = Side::BOTH.map(|side| {
            let plan = sides.side_mut(side);
            plan.choose_bodies(exchange, side);
            let body = exchange.message(side).raw_body();
            let body = body.filter(|_| plan.walk.is_some());
            let quick = &mut self.quick;
            body.is_some_and(|body| {
                self.validates_all
                    || !quick.rules_out(body, plan)
                    || texts_inside(exchange, body)
                        .iter()
                        .any(|(_, text)| !quick.rules_out_text(text, QuoteLevel::Document, plan))
            })
        });
        Planned { plan, walks }
    }

    fn check_planned(
        &mut self,
        exchange: &Exchange<'_>,
        planned: Planned,
        limits: Limits,
        sink: &mut dyn LintSink,
    ) -> CheckedExchange {
        let context = Context {
            set: self.set,
            lifecycle: &self.lifecycle,
            exchange,
            values: self.values,
            inner: self.inner,
            choice: self.choice,
            versions: &self.versions,
            unpacking: &self.unpacking,
        };
        let known = self.announcements.check(context, sink);
        let mut announced = AnnouncementSink::new(known, sink);
        let sink: &mut dyn LintSink = &mut announced;
        self.skip_missed(planned.plan, exchange, sink);
        let index = planned.plan.index();
        let mut plan = index.and_then(|index| self.plans.get_mut(index));
        let mut needs = RequirementNeeds::default();
        if let Some(requirements) = &mut self.requirements {
            let reported = plan
                .as_deref_mut()
                .map_or([false; 2], |plan| planned.reported_bodies(plan, exchange));
            needs = requirements.check(context, limits, reported, sink);
        }
        let mut needs_body = needs.needs_body;
        let mut readings = Readings::default();
        let coverage = match plan {
            Some(plan) => {
                let quick = (!self.validates_all).then_some(&mut self.quick);
                readings = context.check_plan(plan, limits, planned.walks, quick, sink);
                needs_body |= plan.needs_body();
                Coverage::Checked
            }
            None if needs.is_covered => Coverage::Checked,
            None => Coverage::NoRule,
        };
        if needs_body && exchange.has_no_body() {
            skip_missing_body(exchange, sink);
        }
        announced.finish();
        CheckedExchange { coverage, readings }
    }
}

/// Skips the body that rules are about, and that a call lacks.
fn skip_missing_body(exchange: &Exchange<'_>, sink: &mut dyn LintSink) {
    if let Some(url) = exchange.call.url_span {
        sink.skip(Skip {
            bytes: 0,
            ..Skip::at(Reason::NoBody, url)
        });
    }
}

/// Whether a byte of a URL as it is written may begin its query, or hide what does.
fn may_begin_query(byte: u8) -> bool {
    matches!(byte, b'?' | b'{' | b'\\') || !byte.is_ascii_graphic()
}

/// How an exchange was checked.
#[derive(Debug, Clone, Copy)]
struct CheckedExchange {
    coverage: Coverage,
    readings: Readings,
}

/// The levels of a record around its bodies, at most.
const BODY_LEVELS: usize = 4;

/// The plan for an exchange.
#[derive(Debug, Clone, Copy)]
struct Planned {
    plan: CallPlan,
    /// Whether the body of each side is walked.
    walks: [bool; 2],
}

impl Planned {
    /// The sides whose body the rules report if it is broken or missing.
    fn reported_bodies(self, plan: &mut Plan, exchange: &Exchange<'_>) -> [bool; 2] {
        let [request, response] = self.walks;
        [(Side::Request, request), (Side::Response, response)].map(|(side, walks)| {
            plan.side_mut(side).walk.is_some()
                && (walks || exchange.message(side).raw_body().is_none())
        })
    }

    /// The positions of the bodies that need not be validated before they are walked, in order.
    fn unread_bodies(self, exchange: &Exchange<'_>) -> Vec<Span> {
        let sides = Side::BOTH.into_iter().zip(self.walks);
        let bodies = sides.filter_map(|(side, walks)| {
            let body = exchange.message(side).raw_body()?;
            (walks && body.is_validated_by_walk()).then_some(body.span)
        });
        let mut spans: Vec<_> = bodies.collect();
        spans.sort_by_key(|span| span.start);
        // One body may be that of both sides.
        spans.dedup();
        spans
    }
}
