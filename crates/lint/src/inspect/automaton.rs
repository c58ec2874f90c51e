//! The rules of one side of an operation as an automaton that runs over schemas and over examples.
//!
//! A schema cannot decide every test of a selector: an index is possible, and a filter may match. Each such test gets a
//! condition that is assumed to hold on schemas, and not on examples, where indices are exact. A condition of a selector
//! that only possibly *excludes* a use (an exception with a filter) is never assumed to hold.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use crate::body_schema::OTHER;
use crate::findings::Certainty;
use crate::plan::exclusions;
use crate::rules::{
    Grade, MatchedOperations, PropertyCertainty, Rule, RulePlace, RuleSet, schema_graphs,
};
use sundown_exchange::Side;
use sundown_openapi::{BodyChoice, DescribedBody, SchemaStep, UsePatterns};
use sundown_selector::Condition;
use sundown_selector::automaton::{
    Automaton, ConditionId, Graph, Pattern, PatternRole, SegmentTest, Specificity, StateId,
    Validity, Walk,
};
use sundown_text_json::json::Node;

/// Holds for every member and element of a schema. The conditions of selectors have lesser numbers, and never hold.
const FILTERED: ConditionId = ConditionId::MAX - 1;
/// Holds for every element of a schema.
const ELEMENT: ConditionId = ConditionId::MAX;

/// The compiled rules of one side.
#[derive(Debug)]
pub(super) struct SchemaAutomaton<'t> {
    set: &'t RuleSet,
    pub walk: Walk,
    /// The use of each pattern, if any.
    uses: Vec<Option<SchemaUse<'t>>>,
    /// The names that are not like all others.
    names: Vec<Box<str>>,
    /// The described bodies of each operation.
    choices: Vec<BodyChoice>,
    /// The rules whose element must be a member of the body itself.
    pub held_by_root: Vec<usize>,
}

/// The use of a pattern.
#[derive(Debug, Clone, Copy)]
pub(super) struct SchemaUse<'t> {
    /// The index of the rule.
    pub number: usize,
    pub rule: &'t Rule,
    specificity: Specificity,
    /// Whether the pattern accepts the object that should contain the element, and not the element.
    is_holder: bool,
    /// Whether the pattern consists of names and indices only, so that it is exact on examples.
    is_exact: bool,
    /// Whether another alternative declares the element as no use.
    pub certainty: Certainty,
}

impl SchemaUse<'_> {
    /// Whether the rule is about a body, an element, or a member of any name: its own description locates it.
    pub(super) fn is_about_unnamed(&self) -> bool {
        self.specificity == Specificity::OF_SCHEMA && self.rule.element.value.is_none()
    }
}

impl<'t> SchemaAutomaton<'t> {
    /// Compiles the rules about bodies of this side, for operations that match. All of them have the rules at `places`. Returns
    /// `None` if there are none.
    pub(super) fn new(
        set: &'t RuleSet,
        matched: &[&MatchedOperations],
        places: &[(usize, &RulePlace)],
        side: Side,
    ) -> Option<Self> {
        let mut patterns: Vec<(Pattern, Option<SchemaUse<'t>>)> = Vec::new();
        let mut held_by_root = Vec::new();
        for (number, place) in places {
            add_place(set, *number, place, &mut patterns, &mut held_by_root);
        }
        let owners: BTreeSet<usize> = places.iter().map(|(rule, _)| *rule).collect();
        // The conditions of these never hold: what they exclude only possibly is not excluded.
        let excluded = exclusions(set, &owners).into_iter();
        patterns.extend(excluded.map(|(selector, role)| (selector.pattern(role), None)));
        let (patterns, mut uses): (Vec<_>, Vec<_>) = patterns.into_iter().unzip();
        // The uses that the rules' own descriptions locate are numbered after the patterns.
        let graphs = schema_graphs(set, matched, side, |property, _| {
            let rule = set.rule_at(property.rule)?;
            rule.element
                .field_name()
                .filter(|_| !rule.element.is_about_many_values())?;
            let certain = uses.len();
            uses.extend([Certainty::Certain, Certainty::Possible].map(|certainty| {
                Some(SchemaUse {
                    number: property.rule,
                    rule,
                    specificity: Specificity::OF_SCHEMA,
                    is_holder: false,
                    is_exact: true,
                    certainty,
                })
            }));
            Some(UsePatterns {
                certain,
                possible: certain + 1,
                depends_on_value: property.certainty == PropertyCertainty::DependsOnValue,
            })
        });
        if graphs.is_none() && uses.iter().all(Option::is_none) {
            return None;
        }
        let choices = graphs.iter();
        let choices = choices.flat_map(|one| (0..matched.len()).map(|call| one.choice(call)));
        let choices = choices.collect();
        let graph = graphs.map(|graphs| Box::new(graphs) as Box<dyn Graph>);
        let automaton = Automaton::beside(patterns, graph.as_deref());
        let walk = Walk::beside(Arc::new(automaton), graph);
        Some(Self {
            set,
            names: walk.names().map(Box::from).collect(),
            walk,
            uses,
            choices,
            held_by_root,
        })
    }

    /// The state at the root of a body of the call with this index, or of any of its bodies.
    pub(super) fn start(&mut self, call: usize, body: Option<&DescribedBody>) -> StateId {
        let choice = self.choices.get(call);
        let nodes = choice.map(|choice| choice.nodes_like(body));
        let nodes = nodes.filter(|nodes| !nodes.is_empty());
        self.walk.start_from(nodes.as_deref())
    }

    /// The states after a step of a schema: to the member of a name, to members that may have any name `except` some, or to an
    /// element.
    pub(super) fn step(
        &mut self,
        from: StateId,
        step: SchemaStep,
        name: Option<&str>,
        except: &[&str],
    ) -> Vec<StateId> {
        let walk = &mut self.walk;
        match (step, name) {
            (_, Some(name)) => vec![walk.step_key_with(from, name.as_bytes(), &[FILTERED])],
            (SchemaStep::Member, None) => {
                let names = self.names.iter().map(|name| &**name);
                let names = names.filter(|name| !except.contains(name));
                let keys = names.map(str::as_bytes).chain([OTHER]);
                let mut states: Vec<StateId> = keys
                    .map(|key| walk.step_key_with(from, key, &[FILTERED]))
                    .collect();
                states.dedup();
                states
            }
            (SchemaStep::Element, None) => {
                vec![walk.step_index_with(from, usize::MAX, &[FILTERED, ELEMENT])]
            }
            (SchemaStep::Always | SchemaStep::Conditional, None) => Vec::new(),
        }
    }

    /// The state of an array or object of an example whose content has decided between the alternatives of its schemas.
    pub(super) fn enter(
        &mut self,
        state: StateId,
        value: Node<'_>,
        validity: &mut Validity,
    ) -> StateId {
        let state = self.walk.discriminate(state, |name| {
            value.get(name).and_then(Node::as_str).map(Cow::Borrowed)
        });
        self.walk.decide(state, || Some(value), validity)
    }

    fn accepted(&self, state: StateId) -> impl Iterator<Item = SchemaUse<'t>> {
        let patterns = self.walk.accepts(state).iter();
        patterns.filter_map(|&pattern| *self.uses.get(pattern)?)
    }

    /// The rules whose element should be a member of a node in this state.
    pub(super) fn held(&self, state: StateId) -> impl Iterator<Item = usize> {
        let holders = self.accepted(state).filter(|one| one.is_holder);
        holders.map(|one| one.number)
    }

    /// The uses at a node in this state: one for each deprecated value, one for each rule with conditions, and the greatest of those
    /// about the whole element. `is_own` says of a rule that it is about this very declaration.
    pub(super) fn uses(
        &self,
        state: StateId,
        is_own: impl Fn(&Rule) -> bool,
    ) -> Vec<SchemaUse<'t>> {
        let uses = self.accepted(state).filter(|one| !one.is_holder);
        let competes =
            |one: &SchemaUse<'t>| one.rule.element.value.is_none() && one.rule.when.is_empty();
        self.with_greatest(uses, competes, is_own)
    }

    /// The uses at a node of an example, without those that names and indices alone cannot decide, and without those that do not hold.
    pub(super) fn exact_uses(
        &self,
        state: StateId,
        mut hold: impl FnMut(&Rule) -> bool,
    ) -> Vec<SchemaUse<'t>> {
        let uses = self.uses(state, |_| false).into_iter();
        let uses = uses.filter(|one| one.is_exact && hold(one.rule));
        self.with_greatest(uses, |one| one.rule.element.value.is_none(), |_| false)
    }

    /// All uses, but of those that compete only the greatest: the one with the most specific selector; of equals, that with the greatest
    /// precedence, then the lowest id. A vague one is less than any other. A rule that is off only wins against other rules that are off.
    fn with_greatest(
        &self,
        uses: impl Iterator<Item = SchemaUse<'t>>,
        competes: impl Fn(&SchemaUse<'t>) -> bool,
        is_own: impl Fn(&Rule) -> bool,
    ) -> Vec<SchemaUse<'t>> {
        let (competing, mut all): (Vec<_>, Vec<_>) = uses.partition(competes);
        let greatest = competing.iter().max_by_key(|one| {
            let precedence = self.set.precedence_of(one.number);
            let rank = precedence.rank(one.rule, Some(one.specificity));
            (one.rule.grade != Grade::Off, is_own(one.rule), rank)
        });
        all.extend(greatest);
        all
    }
}

/// Adds the patterns of one place of a rule: for the element, and for the object that should contain it.
fn add_place<'t>(
    set: &'t RuleSet,
    number: usize,
    place: &RulePlace,
    patterns: &mut Vec<(Pattern, Option<SchemaUse<'t>>)>,
    held_by_root: &mut Vec<usize>,
) {
    let Some(rule) = set.rule_at(number) else {
        return;
    };
    if rule.element.is_about_many_values() {
        return;
    }
    let scope = set.file_of(number);
    let owner = number;
    let mut exclusions = rule.exceptions.iter().chain(set.opaque(scope));
    let is_plain = exclusions.all(|selector| selector.conditions().is_empty());
    for selector in &place.selectors {
        let pattern = selector.pattern(PatternRole::Use { owner, scope });
        let found = SchemaUse {
            number,
            rule,
            specificity: pattern.specificity(),
            is_holder: false,
            certainty: Certainty::Certain,
            is_exact: is_plain && selector.conditions().is_empty(),
        };
        let element = assume_conditions(pattern, selector.conditions());
        let mut holder = element.clone();
        holder.segments.pop();
        patterns.push((element, Some(found)));
        // A pattern over several operations does not say that each of them has the element. The values of an element
        // are expected in its `enum`, not in a holder. With conditions, some objects lack it.
        let is_certain = rule.element.value.is_none() && rule.when.is_empty();
        if !place.operation.is_concrete() || !is_certain {
            continue;
        }
        let mut tests = holder.segments.iter().flat_map(|segment| &segment.tests);
        if holder.segments.is_empty() {
            // No pattern accepts the body itself.
            held_by_root.push(number);
        } else if tests.any(|test| matches!(test, SegmentTest::Name(_))) {
            // Without a name, the selector does not identify the holder.
            let is_holder = true;
            patterns.push((holder, Some(SchemaUse { is_holder, ..found })));
        }
    }
}

/// Replaces each test that a schema cannot decide by a condition that holds on schemas.
fn assume_conditions(mut pattern: Pattern, conditions: &[Condition]) -> Pattern {
    for segment in &mut pattern.segments {
        let has_index = segment
            .tests
            .iter()
            .any(|test| matches!(test, SegmentTest::Index(_)));
        for test in &mut segment.tests {
            if let SegmentTest::Condition(condition) = test {
                let is_filter = matches!(conditions.get(*condition), Some(Condition::Filter(_)));
                *condition = if is_filter { FILTERED } else { ELEMENT };
            }
        }
        if has_index {
            segment.tests.push(SegmentTest::Condition(ELEMENT));
        }
    }
    pattern
}
