//! The compiled rules of one operation.

use std::cell::OnceCell;
use std::sync::Arc;

use super::element::PlanElement;
use super::named_rules::NamedRules;
use super::prefilter::{Prefilter, Scratch};
use super::queries::Selection;
use super::rule_use::{RuleUse, push_new};
use crate::findings::{Certainty, ExchangePart};
use crate::json::SyntaxError;
use crate::openapi::{SchemaGraph, UsePatterns};
use crate::rules::{
    ElementPart, Grade, MatchedDescriptions, MatchedOperations, PropertyCertainty, PropertyRule,
    RulePlace, RulePlaceRef, RuleTable,
};
use crate::selector::Queries;
use crate::selector::Selector;
use crate::selector::automaton::{
    Automaton, Graph, Pattern, PatternId, PatternRole, Specificity, Walk,
};
use crate::traffic::{Body, Side};

/// The rules of one set of matched operations.
#[derive(Debug)]
pub(super) struct Plan {
    pub(super) endpoints: Vec<RuleUse>,
    /// By the parameter's name.
    pub(super) parameters: NamedRules,
    request: SidePlan,
    response: SidePlan,
    /// The elements that a call can use, once they are asked for.
    elements: OnceCell<Arc<[PlanElement]>>,
}

/// The rules for the messages of one side.
#[derive(Debug, Default)]
pub(super) struct SidePlan {
    /// By the header field's name, in lower case.
    pub(super) headers: NamedRules,
    /// The automaton over bodies; `None` where no rule looks at them.
    pub(super) walk: Option<Walk>,
    /// The prefilter of bodies; `None` if nothing can be ruled out.
    prefilter: Option<Prefilter>,
    /// The selectors that need a loaded value, with the number of their first pattern; `None` if no rule has one.
    queries: Option<(Queries, PatternId)>,
    /// The meaning of each pattern, first those of the walk, then those of the queries; `None` for a pattern that is not a use.
    uses: Vec<Option<PatternUse>>,
}

/// The meaning of a pattern that accepts a key.
#[derive(Debug)]
pub(super) struct PatternUse {
    pub(super) rule_use: RuleUse,
    /// The id of the rule, which breaks ties.
    id: String,
    specificity: Specificity,
    /// The value that is deprecated, if only one is.
    pub(super) value: Option<String>,
    /// How certain it is that the key is a use.
    pub(super) certainty: Certainty,
}

/// The engine that evaluates a selector.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Engine {
    /// The automaton, over the text.
    Bytes,
    /// The queries, over a loaded value.
    Values,
}

impl Engine {
    /// Returns the engine that can evaluate all of these selectors together.
    fn of<'s>(mut selectors: impl Iterator<Item = &'s Selector>) -> Self {
        if selectors.all(|selector| selector.conditions().is_empty()) {
            Self::Bytes
        } else {
            Self::Values
        }
    }
}

impl Plan {
    pub(super) fn new(table: &RuleTable, resolved: &MatchedOperations) -> Self {
        let mut plan = Self {
            endpoints: Vec::new(),
            parameters: NamedRules::default(),
            request: SidePlan::default(),
            response: SidePlan::default(),
            elements: OnceCell::new(),
        };
        let places = places(table, resolved);
        let graphs = MatchedDescriptions::new(table, resolved);
        for (rule_use, place) in &places {
            let Some(rule) = table.rules().get(rule_use.rule) else { continue };
            let value = rule.element.value.as_deref();
            match &rule.element.part {
                ElementPart::Endpoint => push_new(&mut plan.endpoints, rule_use.clone()),
                ElementPart::Parameter(name) if place.sides.contains(Side::Request) => {
                    plan.parameters.push(name.clone(), value, rule_use.clone());
                }
                ElementPart::Header(name) => {
                    for side in Side::BOTH.into_iter().filter(|&side| place.sides.contains(side)) {
                        let (name, value) = (name.to_ascii_lowercase(), value.map(str::trim));
                        plan.side_mut(side).headers.push(name, value, rule_use.clone());
                    }
                }
                ElementPart::Parameter(_) | ElementPart::Field(_) => {}
            }
        }
        for side in Side::BOTH {
            plan.side_mut(side).compile(table, &places, &graphs, side);
        }
        plan
    }

    /// Returns whether no rule applies.
    pub(super) fn is_empty(&self) -> bool {
        let is_empty = |side: &SidePlan| side.headers.is_empty() && side.walk.is_none();
        self.endpoints.is_empty()
            && self.parameters.is_empty()
            && is_empty(&self.request)
            && is_empty(&self.response)
    }

    /// The elements that a call can use, each once.
    pub(super) fn elements(&self) -> &Arc<[PlanElement]> {
        self.elements.get_or_init(|| {
            let of = |part| {
                move |rule_use: &RuleUse| {
                    let RuleUse { rule, operation } = rule_use.clone();
                    PlanElement { rule, operation, part }
                }
            };
            let mut elements: Vec<_> =
                self.endpoints.iter().map(of(ExchangePart::Operation)).collect();
            let parameters = self.parameters.rule_uses();
            elements.extend(parameters.map(of(ExchangePart::Message(Side::Request))));
            for (side, plan) in [(Side::Request, &self.request), (Side::Response, &self.response)] {
                let headers = plan.headers.rule_uses();
                let fields = plan.uses.iter().flatten().map(|pattern| &pattern.rule_use);
                elements.extend(headers.chain(fields).map(of(ExchangePart::Message(side))));
            }
            elements.sort_unstable();
            elements.dedup();
            elements.into()
        })
    }

    pub(super) fn side_mut(&mut self, side: Side) -> &mut SidePlan {
        match side {
            Side::Request => &mut self.request,
            Side::Response => &mut self.response,
        }
    }
}

impl SidePlan {
    /// Decides by its raw bytes that no rule can match anything in a body, however it is spelled. `false` decides nothing.
    pub(super) fn try_rule_out(&mut self, body: &Body<'_>, scratch: &mut Scratch) -> bool {
        let Some(walk) = &mut self.walk else { return true };
        self.prefilter.as_mut().is_some_and(|filter| filter.try_rule_out(body, walk, scratch))
    }

    /// Decides the same of a body that had to be decoded first.
    pub(super) fn try_rule_out_decoded(&mut self, bytes: &[u8], scratch: &mut Scratch) -> bool {
        let Some(walk) = &mut self.walk else { return true };
        self.prefilter.as_mut().is_some_and(|filter| filter.try_rule_out_text(bytes, walk, scratch))
    }

    /// Compiles all selectors of the side into one automaton, and those that need a loaded value into queries.
    fn compile(
        &mut self,
        table: &RuleTable,
        places: &[(RuleUse, &RulePlace)],
        graphs: &MatchedDescriptions<'_>,
        side: Side,
    ) {
        let places = || places.iter().filter(|(_, place)| place.sides.contains(side));
        let on_bytes = self.gather(table, places(), Engine::Bytes);
        let first = self.uses.len();
        let on_values = self.gather(table, places(), Engine::Values);
        let patterns: Vec<Pattern> =
            on_bytes.iter().map(|(selector, role)| selector.pattern(*role)).collect();
        let uses = &mut self.uses;
        let graph = graphs.compile(side, |rule, name| number(table, rule, name, uses));
        // The prefilter knows the names that patterns over bytes need, and nothing about queries.
        self.prefilter = on_values
            .is_empty()
            .then(|| {
                let graphs = graph.iter().flat_map(|graph| &graph.0);
                Prefilter::new(&patterns, graphs.flat_map(SchemaGraph::property_parents))
            })
            .flatten();
        let graph = graph.map(|graph| Box::new(graph) as Box<dyn Graph>);
        let automaton = Automaton::beside(patterns, graph.as_deref());
        let queries = on_values
            .iter()
            .map(|(selector, role)| (selector.pattern(*role), selector.conditions().to_vec()));
        self.queries = (!on_values.is_empty()).then(|| (Queries::new(queries), first));
        // Without patterns, the walk still reads the value for the queries.
        let wanted = self.queries.is_some() || !automaton.is_empty() || graph.is_some();
        self.walk = wanted.then(|| Walk::beside(Arc::new(automaton), graph));
    }

    /// Collects the selectors of one engine, and adds them to `uses` in the same order: uses, exceptions and barriers.
    ///
    /// A use needs a loaded value if its own selector does, or any exception or barrier for it: one engine decides about a use.
    fn gather<'t: 'p, 'p>(
        &mut self,
        table: &'t RuleTable,
        places: impl Iterator<Item = &'p (RuleUse, &'t RulePlace)>,
        engine: Engine,
    ) -> Vec<(&'t Selector, PatternRole)> {
        let before = self.uses.len();
        let mut selectors = Vec::new();
        let mut rules = Vec::new();
        for (rule_use, place) in places {
            let Some(rule) = table.rules().get(rule_use.rule) else { continue };
            if rule.element.field_name().is_none() {
                continue;
            }
            let scope = table.file_of(rule_use.rule);
            let around = || rule.exceptions.iter().chain(table.opaque(scope));
            let runs_here =
                |selector: &&Selector| Engine::of(around().chain([*selector])) == engine;
            for selector in place.selectors.iter().filter(runs_here) {
                let found = PatternRole::Use { owner: rule_use.rule, scope };
                self.uses.push(Some(PatternUse {
                    rule_use: rule_use.clone(),
                    id: rule.id.clone(),
                    specificity: selector.pattern(found).specificity(),
                    value: rule.element.value.clone(),
                    certainty: Certainty::Certain,
                }));
                selectors.push((selector, found));
                push_new(&mut rules, rule_use.rule);
            }
        }
        let mut files = Vec::new();
        for &rule in &rules {
            push_new(&mut files, table.file_of(rule));
            let exceptions = table.rules().get(rule).map_or(&[][..], |rule| &rule.exceptions);
            selectors.extend(
                exceptions
                    .iter()
                    .map(|selector| (selector, PatternRole::Exception { owner: rule })),
            );
        }
        for scope in files {
            let opaque = table.opaque(scope).iter();
            selectors.extend(opaque.map(|selector| (selector, PatternRole::Barrier { scope })));
        }
        self.uses.resize_with(before + selectors.len(), || None);
        selectors
    }

    /// Selects the keys of the value at `start` for which a loaded value is needed.
    pub(super) fn select(&mut self, text: &str, start: usize) -> Result<Selection, SyntaxError> {
        match &mut self.queries {
            Some((queries, first)) => Selection::new(queries, *first, text, start),
            None => Ok(Selection::default()),
        }
    }

    /// Chooses the pattern to report among those that accept a key: the most specific one, ties by id.
    ///
    /// `holds` returns whether the key has the value that a rule requires.
    pub(super) fn choose(
        &self,
        accepts: &[PatternId],
        holds: impl Fn(&str) -> bool,
    ) -> Option<PatternId> {
        let fits = |id: &PatternId| {
            let pattern = self.pattern_use(*id)?;
            pattern.value.as_deref().is_none_or(&holds).then_some((*id, pattern))
        };
        accepts
            .iter()
            .filter_map(fits)
            .max_by(|(_, a), (_, b)| {
                a.specificity.cmp(&b.specificity).then_with(|| b.id.cmp(&a.id))
            })
            .map(|(id, _)| id)
    }

    /// The meaning of a pattern.
    pub(super) fn pattern_use(&self, id: PatternId) -> Option<&PatternUse> {
        self.uses.get(id)?.as_ref()
    }
}

/// Adds the patterns for a rule about a property.
fn number(
    table: &RuleTable,
    property: &PropertyRule,
    operation: &Arc<str>,
    uses: &mut Vec<Option<PatternUse>>,
) -> Option<UsePatterns> {
    let rule = table.rules().get(property.rule).filter(|rule| rule.grade != Grade::Off)?;
    rule.element.field_name()?;
    let mut push = |certainty| {
        uses.push(Some(PatternUse {
            rule_use: RuleUse { rule: property.rule, operation: Arc::clone(operation) },
            id: rule.id.clone(),
            specificity: Specificity::OF_SCHEMA,
            value: rule.element.value.clone(),
            certainty,
        }));
        uses.len() - 1
    };
    let possible = push(Certainty::Possible);
    let is_always_possible = property.certainty == PropertyCertainty::Possible;
    let certain = if is_always_possible { possible } else { push(Certainty::Certain) };
    let depends_on_value = property.certainty == PropertyCertainty::DependsOnValue;
    Some(UsePatterns { certain, possible, depends_on_value })
}

/// The places of all matched operations, each with the operation under which it is reported: the template, where a pattern over
/// several operations matches as well.
fn places<'t>(table: &'t RuleTable, resolved: &MatchedOperations) -> Vec<(RuleUse, &'t RulePlace)> {
    let operation = |index: &usize| table.operations().get(*index);
    let template = resolved
        .templates
        .first()
        .and_then(operation)
        .map(|first| Arc::from(first.pattern.to_string()));
    let mut places = Vec::new();
    for (is_pattern, index) in resolved
        .templates
        .iter()
        .map(|index| (false, index))
        .chain(resolved.patterns.iter().map(|index| (true, index)))
    {
        let Some(matched) = operation(index) else { continue };
        let own: Arc<str> = Arc::from(matched.pattern.to_string());
        let reported = template.as_ref().filter(|_| is_pattern).unwrap_or(&own);
        let is_meant = |place: &&RulePlaceRef| resolved.is_meant(*index, table.file_of(place.rule));
        for place in matched.places.iter().filter(is_meant) {
            let Some(rule) = table.rules().get(place.rule) else { continue };
            if rule.grade == Grade::Off {
                continue;
            }
            let rule_use = RuleUse { rule: place.rule, operation: Arc::clone(reported) };
            places.extend(rule.places.get(place.place).map(|place| (rule_use, place)));
        }
    }
    places
}
