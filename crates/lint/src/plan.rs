//! The compiled rules of one operation.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;

use chrono::NaiveDate;

use super::matcher::ValueAt;
use super::member_conditions::MemberConditions;
use super::queries::Selection;
use super::rule_choice::NamedRules;
use super::rule_choice::RulesByValue;
use super::rule_choice::{ChosenRule, RuleCandidate, RuleChoice, choose};
use super::rule_choice::{RuleUse, push_new};
use super::rule_choice::{SegmentRules, VariableKey};
use super::value_tree::ValueTree;
use crate::findings::{Certainty, ExchangePart};
use crate::rules::{
    ElementPart, MatchedOperations, MatchedPlace, PropertyCertainty, PropertyRule, RuleSet,
    SetRule, schema_graphs,
};
use sundown_exchange::{Exchange, Side, StatusCode};
use sundown_openapi::{BodyChoice, UsePatterns};
use sundown_selector::Queries;
use sundown_selector::Selector;
use sundown_selector::automaton::{
    Automaton, Graph, Pattern, PatternId, PatternRole, Specificity, Walk,
};
use sundown_text_json::json::SyntaxError;

/// An element that a call can use: a rule in an operation, on one side.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlanElement {
    /// Index into the set.
    pub rule: usize,
    /// The operation under which uses are reported.
    pub operation: Arc<str>,
    /// The part of the exchange.
    pub part: ExchangePart,
}

impl PlanElement {
    /// The element that a rule is about, in this part of a call.
    fn of(rule_use: &RuleUse, part: ExchangePart) -> Self {
        Self {
            rule: rule_use.rule.number,
            operation: Arc::clone(&rule_use.operation),
            part,
        }
    }
}

/// The rules of one set of matched operations.
#[derive(Debug, Default)]
pub(super) struct Plan {
    pub endpoints: Vec<RuleUse>,
    /// By the parameter's name.
    pub parameters: NamedRules,
    pub segments: SegmentRules,
    request: SidePlan,
    response: SidePlan,
    /// The elements that a call can use, once they are asked for.
    elements: OnceCell<Arc<[PlanElement]>>,
}

/// The rules for the messages of one side.
#[derive(Debug, Default)]
pub(super) struct SidePlan {
    /// By the header field's name, in lower case.
    pub headers: NamedRules,
    /// The automaton over bodies; `None` where no rule looks at them.
    pub walk: Option<Walk>,
    /// The described bodies with which the walk may start.
    bodies: BodyChoice,
    /// Whether the keys of a body decide that nothing in it can match: no rule needs a loaded value, or a value without a name.
    pub is_decided_by_keys: bool,
    /// The selectors that need a loaded value, with the number of their first pattern; `None` if no rule has one.
    queries: Option<(Queries, PatternId)>,
    /// The meaning of each pattern, first those of the walk, then those of the queries; `None` for a pattern that is not a use.
    uses: Vec<Option<PatternUse>>,
}

/// The meaning of a pattern that accepts a key: the rules with the same selector, of which one or more hold for the value.
#[derive(Debug)]
struct PatternUse {
    rules: RulesByValue,
    specificity: Specificity,
    /// How certain it is that the key is a use.
    certainty: Certainty,
}

/// A rule in one of the matched operations, with its place there.
type PlannedPlace<'t> = (RuleUse, MatchedPlace<'t>);

/// By what rules share a pattern: their file, their selector, the operation that is reported, and the number of what is excluded.
type PatternKey<'p> = (usize, &'p str, Arc<str>, usize);

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
    pub(super) fn new(set: &RuleSet, resolved: &MatchedOperations) -> Self {
        let mut plan = Self::default();
        let places = places(set, resolved);
        for (
            rule,
            MatchedPlace {
                operation, place, ..
            },
        ) in &places
        {
            match &rule.rule.element.part {
                ElementPart::Endpoint => push_new(&mut plan.endpoints, rule.clone()),
                ElementPart::Parameter(name) if place.sides.contains(Side::Request) => {
                    plan.parameters.push(name.clone(), rule.clone());
                }
                ElementPart::Header(name) => {
                    for side in Side::BOTH
                        .into_iter()
                        .filter(|&side| place.sides.contains(side))
                    {
                        let name = name.to_ascii_lowercase();
                        plan.side_mut(side).headers.push(name, rule.clone());
                    }
                }
                ElementPart::Segment(name) => {
                    if let Some(place) = place.operation.variable(name) {
                        let variable = VariableKey {
                            operation: *operation,
                            file: rule.rule.file,
                            place,
                        };
                        plan.segments.push(variable, rule.clone());
                    }
                }
                ElementPart::Parameter(_) | ElementPart::Field(_) => {}
            }
        }
        for side in Side::BOTH {
            plan.side_mut(side).compile(set, &places, resolved, side);
        }
        plan
    }

    /// Whether no rule applies.
    pub(super) fn is_empty(&self) -> bool {
        self.endpoints.is_empty()
            && self.parameters.is_empty()
            && self.segments.is_empty()
            && [&self.request, &self.response]
                .iter()
                .all(|side| side.headers.is_empty() && side.walk.is_none())
    }

    /// Whether a rule is about a body.
    pub(super) fn needs_body(&self) -> bool {
        self.request.walk.is_some() || self.response.walk.is_some()
    }

    /// The elements that a call can use, each once.
    pub(super) fn elements(&self) -> &Arc<[PlanElement]> {
        self.elements.get_or_init(|| {
            let mut elements: Vec<_> = self
                .endpoints
                .iter()
                .map(|rule| PlanElement::of(rule, ExchangePart::Operation))
                .collect();
            let parameters = self.parameters.rule_uses().chain(self.segments.rule_uses());
            elements.extend(
                parameters.map(|rule| PlanElement::of(rule, ExchangePart::Message(Side::Request))),
            );
            for side in Side::BOTH {
                let plan = self.side(side);
                let headers = plan.headers.rule_uses();
                let fields = plan
                    .uses
                    .iter()
                    .flatten()
                    .flat_map(|pattern| pattern.rules.iter());
                elements.extend(
                    headers
                        .chain(fields)
                        .map(|rule| PlanElement::of(rule, ExchangePart::Message(side))),
                );
            }
            elements.sort_unstable();
            elements.dedup();
            elements.into()
        })
    }

    pub(super) fn side(&self, side: Side) -> &SidePlan {
        side.of([&self.request, &self.response])
    }

    pub(super) fn side_mut(&mut self, side: Side) -> &mut SidePlan {
        side.of([&mut self.request, &mut self.response])
    }
}

impl SidePlan {
    /// Compiles all selectors of the side into one automaton, and those that need a loaded value into queries.
    fn compile(
        &mut self,
        set: &RuleSet,
        places: &[PlannedPlace<'_>],
        resolved: &MatchedOperations,
        side: Side,
    ) {
        let places = places.iter();
        let places = places.filter(|(_, one)| one.place.sides.contains(side));
        let on_bytes = self.gather(set, places.clone(), Engine::Bytes);
        let first = self.uses.len();
        let on_values = self.gather(set, places, Engine::Values);
        let patterns: Vec<Pattern> = on_bytes
            .iter()
            .map(|(selector, role)| selector.pattern(*role))
            .collect();
        let uses = &mut self.uses;
        let graph = schema_graphs(set, &[resolved], side, |rule, name| {
            number(set, rule, name, uses)
        });
        let bodies = graph.as_ref().map(|graph| graph.choice(0));
        self.bodies = bodies.unwrap_or_default();
        let has_nameless = graph.as_ref().is_some_and(Graph::accepts_nameless);
        self.is_decided_by_keys = on_values.is_empty() && !has_nameless;
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
        set: &'t RuleSet,
        places: impl Iterator<Item = &'p PlannedPlace<'t>>,
        engine: Engine,
    ) -> Vec<(&'t Selector, PatternRole)> {
        let before = self.uses.len();
        let mut selectors = Vec::new();
        let mut rules = BTreeSet::new();
        let mut known: HashMap<PatternKey<'t>, usize> = HashMap::new();
        let mut excluded: HashMap<Vec<&'t str>, usize> = HashMap::new();
        for (
            rule_use,
            MatchedPlace {
                own: rule, place, ..
            },
        ) in places
        {
            if rule.element.field_name().is_none() {
                continue;
            }
            let (owner, scope) = (rule.number, rule.file);
            let around = Engine::of(rule.exceptions.iter().chain(set.opaque(scope)));
            let number = excluded.len();
            let exceptions = rule.exceptions.iter().map(Selector::text).collect();
            let exceptions = *excluded.entry(exceptions).or_insert(number);
            let run_here = place.selectors.iter().filter(|selector| match around {
                Engine::Bytes => Engine::of([*selector].into_iter()) == engine,
                Engine::Values => engine == Engine::Values,
            });
            for selector in run_here {
                let operation = Arc::clone(&rule_use.operation);
                let key = (scope, selector.text(), operation, exceptions);
                let index = *known.entry(key).or_insert_with(|| {
                    let found = PatternRole::Use { owner, scope };
                    self.uses.push(Some(PatternUse {
                        rules: RulesByValue::default(),
                        specificity: selector.pattern(found).specificity(),
                        certainty: Certainty::Certain,
                    }));
                    selectors.push((selector, found));
                    rules.insert(owner);
                    self.uses.len() - 1
                });
                if let Some(Some(pattern)) = self.uses.get_mut(index) {
                    pattern.rules.push(rule_use.clone());
                }
            }
        }
        selectors.extend(exclusions(set, &rules));
        self.uses.resize_with(before + selectors.len(), || None);
        selectors
    }

    /// The rules of the patterns that accept a key, each with how certain a use is.
    pub(super) fn rules_of(
        &self,
        accepts: &[PatternId],
    ) -> impl Iterator<Item = (&RulesByValue, Certainty)> {
        let uses = self.uses_of(accepts);
        uses.map(|own| (&own.rules, own.certainty))
    }

    /// The meaning of the patterns that accept a key.
    fn uses_of(&self, accepts: &[PatternId]) -> impl Iterator<Item = &PatternUse> {
        accepts.iter().filter_map(|id| self.uses.get(*id)?.as_ref())
    }

    /// Whether the queries have lost uses since the last call, because the states of their automaton became too large.
    pub(super) fn take_overflow_of_queries(&mut self) -> bool {
        self.queries
            .as_mut()
            .is_some_and(|(queries, _)| queries.take_overflow())
    }

    /// Makes the walk start with the described bodies that the message of an exchange on this side can have.
    pub(super) fn choose_bodies(&mut self, exchange: &Exchange<'_>, side: Side) {
        if let Some(walk) = self.walk.as_mut().filter(|_| self.bodies.is_open()) {
            let status = exchange.status.get().map(StatusCode::code);
            // That of a body whose operation was named from outside is a guess.
            let nodes = self.bodies.nodes(status, || {
                exchange.call.url_span?;
                exchange.message(side).body()?.certain_media_type()
            });
            walk.describe_by(&nodes);
        }
    }

    /// Selects the keys of a value for which its tree is needed.
    pub(super) fn select(&mut self, tree: &ValueTree<'_>) -> Result<Selection, SyntaxError> {
        match &mut self.queries {
            Some((queries, first)) => Selection::new(queries, *first, tree),
            None => Ok(Selection::default()),
        }
    }

    /// The scalars of a value, if patterns have rules about values.
    fn values<'t>(&self, accepts: &[PatternId], value: ValueAt<'t>) -> Vec<Cow<'t, str>> {
        if (self.uses_of(accepts)).any(|pattern| pattern.rules.has_values()) {
            value.scalars()
        } else {
            Vec::new()
        }
    }

    /// Chooses the rules to report on the day `as_of` among those whose patterns accept a key.
    pub(super) fn choose(
        &self,
        accepts: &[PatternId],
        value: ValueAt<'_>,
        conditions: &mut MemberConditions<'_>,
        as_of: NaiveDate,
        choice: RuleChoice,
    ) -> Vec<ChosenRule> {
        let values = self.values(accepts, value);
        let mut candidates = Vec::new();
        for &PatternUse {
            ref rules,
            specificity,
            certainty,
        } in self.uses_of(accepts)
        {
            let own = rules.candidates(&values, as_of);
            let specificity = Some(specificity);
            candidates.extend(own.map(|own| RuleCandidate {
                specificity,
                certainty,
                ..own
            }));
        }
        candidates.retain(|candidate| conditions.hold(&candidate.rule.rule, value));
        choose(candidates, &values, choice)
    }

    /// A rule that would be about the value of a key that patterns accept if it were written in other letter case.
    pub(super) fn find_other_case(
        &self,
        accepts: &[PatternId],
        value: ValueAt<'_>,
        conditions: &mut MemberConditions<'_>,
    ) -> Option<&SetRule> {
        let values = self.values(accepts, value);
        self.uses_of(accepts)
            .filter_map(|pattern| pattern.rules.find_other_case(&values))
            .map(|rule| &rule.rule)
            .find(|rule| conditions.hold(rule, value))
    }
}

/// The selectors that exclude uses of these rules: exceptions, and the free-form maps of their files.
pub(super) fn exclusions<'t>(
    set: &'t RuleSet,
    rules: &BTreeSet<usize>,
) -> Vec<(&'t Selector, PatternRole)> {
    let mut selectors = Vec::new();
    for &owner in rules {
        let rule = set.rule_at(owner).into_iter();
        let exceptions = rule.flat_map(|rule| &rule.exceptions);
        selectors.extend(exceptions.map(|one| (one, PatternRole::Exception { owner })));
    }
    let files: BTreeSet<usize> = rules.iter().map(|&rule| set.file_of(rule)).collect();
    for scope in files {
        let opaque = set.opaque(scope).iter();
        selectors.extend(opaque.map(|one| (one, PatternRole::Barrier { scope })));
    }
    selectors
}

/// Adds the patterns for a rule about a property.
fn number(
    set: &RuleSet,
    property: &PropertyRule,
    operation: &Arc<str>,
    uses: &mut Vec<Option<PatternUse>>,
) -> Option<UsePatterns> {
    let rule = set.rule_at(property.rule).filter(|rule| !rule.is_off())?;
    rule.element.field_name()?;
    let mut push = |certainty| {
        let mut rules = RulesByValue::default();
        rules.push(RuleUse {
            rule: rule.clone(),
            operation: Arc::clone(operation),
        });
        uses.push(Some(PatternUse {
            rules,
            specificity: Specificity::OF_SCHEMA,
            certainty,
        }));
        uses.len() - 1
    };
    let possible = push(Certainty::Possible);
    let is_always_possible = property.certainty == PropertyCertainty::Possible;
    let certain = if is_always_possible {
        possible
    } else {
        push(Certainty::Certain)
    };
    let depends_on_value = property.certainty == PropertyCertainty::DependsOnValue;
    Some(UsePatterns {
        certain,
        possible,
        depends_on_value,
    })
}

/// The places of all matched operations, each with the operation under which its rule is reported: the template, if a pattern
/// over several operations matches as well. A rule is reported under one operation, however many of its operations match.
fn places<'t>(set: &'t RuleSet, resolved: &MatchedOperations) -> Vec<PlannedPlace<'t>> {
    let name = |index: usize| {
        let operation = set.operations().get(index);
        operation.map(|operation| Arc::<str>::from(operation.pattern.to_string()))
    };
    let template = resolved.templates.first().copied().and_then(name);
    let mut names: HashMap<usize, Arc<str>> = HashMap::new();
    let mut reported: HashMap<usize, Arc<str>> = HashMap::new();
    let mut places = Vec::new();
    for found in set.matched_places(resolved) {
        let (number, operation) = (found.rule, found.operation);
        if found.own.is_off() {
            continue;
        }
        let own = names.entry(operation).or_insert_with(|| {
            template
                .clone()
                .filter(|_| !resolved.templates.contains(&operation))
                .or_else(|| name(operation))
                .unwrap_or_default()
        });
        let rule_use = RuleUse {
            rule: found.own.clone(),
            operation: Arc::clone(reported.entry(number).or_insert_with(|| Arc::clone(own))),
        };
        places.push((rule_use, found));
    }
    places
}
