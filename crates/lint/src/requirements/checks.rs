//! Evaluates the conditions of requirements, and reports violations.

use super::super::LintSink;
use super::super::announced::{masked_operation, template};
use super::super::context::Context;
use super::super::plans::PlanCache;
use super::bodies::RequirementBodies;
use super::condition::{ConditionResult, ConditionSite, header, is_masked};
use crate::findings::{
    Certainty, Check, CheckGrades, Finding, FindingKind, Observation, Occurrence,
    RequirementViolation,
};
use crate::rules::{ExchangeCondition, Grade, Requirement, Rule, RuleSet};
use chrono::NaiveDate;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;
use sundown_exchange::{Call, Exchange, Side};
use sundown_text_json::Limits;

/// Checks the requirements of a rule set.
#[derive(Debug)]
pub(crate) struct RequirementChecks<'t> {
    required: &'t RuleSet,
    grades: CheckGrades,
    /// The requirements of each operation, as endpoints.
    plans: PlanCache<'t>,
}

/// How much of an exchange requirements cover.
#[derive(Default)]
pub(crate) struct RequirementNeeds {
    /// Whether a requirement is about its operation.
    pub is_covered: bool,
    /// Whether a condition is about a body.
    pub needs_body: bool,
}

/// A violated requirement, with its findings.
type Violation<'t> = (&'t Arc<Requirement>, Vec<Finding>);

impl<'t> RequirementChecks<'t> {
    pub(crate) fn new(required: &'t RuleSet, as_of: NaiveDate) -> Self {
        Self {
            required,
            grades: CheckGrades::default(),
            plans: PlanCache::new(required, as_of),
        }
    }

    pub(crate) fn set_grades(&mut self, grades: CheckGrades) {
        self.grades = grades;
    }

    /// Whether a requirement may be about a call.
    pub(crate) fn may_cover(&mut self, call: &Call<'_>) -> bool {
        self.plans.find(call).index().is_some()
    }

    /// Checks an exchange. The rules report the bodies of the sides in `reported` if they are broken or missing.
    pub(crate) fn check(
        &mut self,
        context: Context<'_, '_>,
        limits: Limits,
        reported: [bool; 2],
        sink: &mut dyn LintSink,
    ) -> RequirementNeeds {
        let call = &context.exchange.call;
        let index = self.plans.find(call).index();
        let Some(plan) = index.and_then(|index| self.plans.get_mut(index)) else {
            return RequirementNeeds::default();
        };
        let mut bodies = RequirementBodies::new(context.exchange, limits, context.unpacking);
        let mut violated = Vec::new();
        for rule_use in &plan.endpoints {
            let rule = &rule_use.rule;
            let graded = graded(rule, &self.grades);
            let Some((requirement, rule)) = rule.requirement.as_ref().zip(graded) else {
                continue;
            };
            let sites = violations(requirement, context.exchange, &mut bodies);
            if sites.is_empty() {
                continue;
            }
            let operation = reported_operation(&rule_use.operation, self.required, context);
            let findings = sites
                .into_iter()
                .map(|site| finding(context, requirement, &rule, &operation, site));
            violated.push((requirement, findings.collect()));
        }
        report(violated, context, sink);
        let needs_body = bodies.is_needed();
        for skip in bodies.into_skips(reported) {
            sink.skip(skip);
        }
        RequirementNeeds {
            is_covered: true,
            needs_body,
        }
    }
}

/// Reports violations. One that explains the status by more than the status itself replaces those that explain it alone,
/// which may name another reason.
fn report(violated: Vec<Violation<'_>>, context: Context<'_, '_>, sink: &mut dyn LintSink) {
    let status = *context.exchange.status.get();
    let mut refusal = status.filter(|status| status.code() >= 400);
    let mut requirements = violated.iter().map(|(requirement, _)| requirement);
    let is_explained = refusal.is_some()
        && requirements.any(|own| own.explains_status() && !own.is_about_status());
    for (requirement, findings) in violated {
        if is_explained && requirement.is_about_status() {
            continue;
        }
        for mut finding in findings {
            if let FindingKind::Violated(violated) = &mut finding.kind
                && requirement.explains_status()
                && let Some(status) = refusal.take()
            {
                violated.add_refusal(status);
            }
            sink.finding(finding);
        }
    }
}

/// The rule with the grade that the user sets for it; `None` if it is off.
fn graded(rule: &Arc<Rule>, grades: &CheckGrades) -> Option<Arc<Rule>> {
    match grades.of(Check::Requirement, &rule.id) {
        Grade::Off => None,
        Grade::ByDays => Some(Arc::clone(rule)),
        grade @ Grade::Always(_) => Some(Arc::new(Rule {
            grade,
            ..(**rule).clone()
        })),
    }
}

/// Names an operation for reports: a pattern over several is replaced by the operation that was called, without any value.
fn reported_operation(own: &Arc<str>, required: &RuleSet, context: Context<'_, '_>) -> Arc<str> {
    let (rules, call) = (context.set, &context.exchange.call);
    if !own.contains('*') {
        return Arc::clone(own);
    }
    template(rules, &rules.resolve_call(call))
        .unwrap_or_else(|| masked_operation(call, &[rules, required]))
}

/// The sites at which an exchange violates a requirement.
fn violations(
    requirement: &Requirement,
    exchange: &Exchange<'_>,
    bodies: &mut RequirementBodies<'_, '_>,
) -> Vec<ConditionSite> {
    let mut described = Vec::new();
    for condition in &requirement.when {
        let ConditionResult { holds, .. } = evaluate(condition, exchange, bodies);
        if holds.is_empty() {
            return Vec::new();
        }
        // The last of the most exact places.
        if described.is_empty() || exactness(&holds) >= exactness(&described) {
            described = holds;
        }
    }
    let mut excluding = requirement.unless.iter();
    if excluding.any(|condition| !evaluate(condition, exchange, bodies).holds.is_empty()) {
        return Vec::new();
    }
    if requirement.expect.is_empty() {
        return described;
    }
    let mut failed: Vec<ConditionSite> = Vec::new();
    let mut places = HashSet::new();
    for condition in &requirement.expect {
        for site in evaluate(condition, exchange, bodies).fails {
            // A member may fail several tests.
            if places.insert(site.place()) {
                failed.push(site);
            }
        }
    }
    failed
}

/// How exactly sites are known: members before header fields before the exchange as a whole.
fn exactness(sites: &[ConditionSite]) -> usize {
    sites.first().map_or(0, |site| match site.pointer {
        Some(_) => 2,
        None => usize::from(site.span.is_some()),
    })
}

fn evaluate(
    condition: &ExchangeCondition,
    exchange: &Exchange<'_>,
    bodies: &mut RequirementBodies<'_, '_>,
) -> ConditionResult {
    let result = match condition {
        ExchangeCondition::Method(methods) => exchange.call.method.as_ref().map(|method| {
            let name = method.is_registered().then(|| method.as_str().to_owned());
            let site = ConditionSite::of_call(name.map(Observation::Method));
            ConditionResult::of(methods.contains(method), site)
        }),
        ExchangeCondition::Status(codes) => exchange.status.get().map(|status| {
            let site = ConditionSite::of_call(Some(Observation::Status(status)));
            ConditionResult::of(codes.contains(&status), site)
        }),
        ExchangeCondition::Header { side, name, test } => Some(header(exchange, *side, name, test)),
        ExchangeCondition::MediaType(side, types) => media_type(exchange, *side, types, bodies),
        ExchangeCondition::Member { side, path, test } => Some(bodies.members(*side, path, test)),
        ExchangeCondition::BodyText(side, texts) => bodies
            .contains(*side, texts)
            .map(|has_one| ConditionResult::of(has_one, ConditionSite::of_call(None))),
    };
    // What the capture does not show is no site.
    result.unwrap_or_default()
}

/// Tests the media type of a body, if the capture has one.
fn media_type(
    exchange: &Exchange<'_>,
    side: Side,
    types: &[String],
    bodies: &mut RequirementBodies<'_, '_>,
) -> Option<ConditionResult> {
    let body = exchange.message(side).body()?;
    let own = body.media_type.as_ref().filter(|own| !is_masked(own));
    // A recorder may write an empty body where there was none.
    let own = own.filter(|_| !bodies.is_empty(side))?;
    let holds = types.contains(own);
    let observed = body.other_kind().map_or(Observation::OtherValue, |kind| {
        Observation::Kind(kind.into())
    });
    let mut fields = exchange.message(side).headers().iter();
    let field = fields.find(|field| field.name == "content-type");
    let site = ConditionSite {
        span: field.map(|field| field.span),
        ..ConditionSite::of_message(side, "content-type", (!holds).then_some(observed))
    };
    Some(ConditionResult::of(holds, site))
}

fn finding(
    context: Context<'_, '_>,
    requirement: &Arc<Requirement>,
    rule: &Arc<Rule>,
    operation: &Arc<str>,
    site: ConditionSite,
) -> Finding {
    let found = Occurrence {
        operation: Arc::clone(operation),
        part: site.part,
        pointer: site.pointer,
        span: (site.span.or(context.exchange.call.url_span))
            .unwrap_or_else(|| context.bare_start()),
        shown: site.shown,
        exchange: context.exchange_ref(),
        certainty: Certainty::Certain,
    };
    let violated = RequirementViolation {
        requirement: Arc::clone(requirement),
        header: site.header,
        observed: site.observed.into_iter().collect(),
        refusals: BTreeMap::new(),
    };
    let finding = Finding::new(rule, context.lifecycle, found);
    Finding {
        kind: FindingKind::Violated(Box::new(violated)),
        ..finding
    }
}
