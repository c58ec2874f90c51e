//! The rules of one side of an operation as an automaton that can be laid over schemas and over examples.
//!
//! What a selector asks beyond names cannot be decided on a schema: an index is possible, a filter may be passed. So each
//! such test gets a condition beside it that is said to hold on schemas, and not to hold on examples, where indices are
//! exact. What *takes back* a use only possibly (an exception with a filter) is never said to hold.

use std::sync::Arc;

use crate::lint::plan::Graphs;
use crate::openapi::{SchemaGraphs, UsePatterns};
use crate::rules::{Element, Grade, MatchedOperations, PropertyRule, RulePlace, RuleTable};
use crate::selector::Condition;
use crate::selector::Selector;
use crate::selector::automaton::{
    Automaton, ConditionId, Graph, Pattern, PatternId, PatternRole, PatternSegment, SegmentTest,
    Specificity, StateId, Walk,
};
use crate::traffic::Side;

/// Holds of every member and element of a schema.
const FILTERED: ConditionId = 0;
/// Holds of every element of a schema.
const ELEMENT: ConditionId = 1;
/// Never holds.
const NEVER: ConditionId = 2;

/// A compiled side.
#[derive(Debug)]
pub(super) struct SchemaAutomaton {
    walk: Walk,
    /// What each pattern is for.
    uses: Vec<Option<SchemaUse>>,
    /// The names that stand in patterns.
    names: Vec<Box<str>>,
    /// A name that stands in none.
    other: String,
    start: StateId,
    /// The rules whose element should be a member of the body itself.
    roots: Vec<usize>,
}

/// What a pattern is for.
#[derive(Debug, Clone)]
pub(super) struct SchemaUse {
    /// Index of the rule.
    pub(super) rule: usize,
    pub(super) what: AcceptedNode,
    /// The one value that is deprecated, if it is only one.
    pub(super) value: Option<String>,
    specificity: Specificity,
    /// Whether names and indices decide about it, so that it can be told of an example.
    is_exact: bool,
}

/// What a node that a pattern accepts is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AcceptedNode {
    /// The element.
    Element,
    /// The object that should have it.
    Holder,
}

/// What a key or element is, and the state behind it.
#[derive(Debug, Default)]
pub(super) struct AcceptedUses {
    /// The uses, one for each value that is deprecated and one for all.
    pub(super) uses: Vec<SchemaUse>,
    /// The rules whose element should be inside.
    pub(super) holds: Vec<usize>,
}

impl SchemaAutomaton {
    /// The rules about bodies of this side; `None` where there are none.
    pub(super) fn new(
        table: &RuleTable,
        resolved: &MatchedOperations,
        places: &[(usize, &RulePlace)],
        side: Side,
    ) -> Option<Self> {
        let mut laid = SchemaAutomatonBuilder::default();
        let mut owners: Vec<usize> = Vec::new();
        for &(rule, place) in places.iter().filter(|(_, place)| place.sides.contains(side)) {
            laid.place(table, rule, place);
            owners.push(rule);
        }
        owners.sort_unstable();
        owners.dedup();
        let mut scopes: Vec<usize> = owners.iter().map(|&rule| table.file_of(rule)).collect();
        scopes.dedup();
        for owner in owners {
            let exceptions = table.rules().get(owner).map_or(&[][..], |rule| &rule.exceptions);
            laid.taking_back(exceptions, PatternRole::Exception { owner });
        }
        for scope in scopes {
            laid.taking_back(table.opaque(scope), PatternRole::Barrier { scope });
        }
        // What a rule's own description locates is numbered behind the patterns.
        let uses = &mut laid.uses;
        let graph = Graphs::of(table, resolved).compile(side, |property, _| {
            uses.push(Some(located(table, property)?));
            Some(UsePatterns { certain: uses.len() - 1, possible: uses.len() - 1 })
        });
        let has_use = graph.is_some() || laid.uses.iter().any(Option::is_some);
        has_use.then(|| laid.seal(graph))
    }

    /// The state at the root of a body.
    pub(super) fn start(&self) -> StateId {
        self.start
    }

    /// Whether a use can still be reached.
    pub(super) fn is_live(&self, state: StateId) -> bool {
        self.walk.is_live(state)
    }

    /// The state behind a property of a schema.
    pub(super) fn property(&mut self, from: StateId, name: &str) -> StateId {
        self.walk.step_key_with(from, name.as_bytes(), &[FILTERED])
    }

    /// The states behind members of a schema that may have any name but these.
    pub(super) fn any_member(&mut self, from: StateId, but: &[&str]) -> Vec<StateId> {
        let Self { walk, names, other, .. } = self;
        let names = names.iter().map(|name| &**name).filter(|name| !but.contains(name));
        let mut states: Vec<StateId> = names
            .chain([other.as_str()])
            .map(|name| walk.step_key_with(from, name.as_bytes(), &[FILTERED]))
            .collect();
        states.dedup();
        states
    }

    /// The state behind an element of a schema.
    pub(super) fn any_element(&mut self, from: StateId) -> StateId {
        self.walk.step_index_with(from, usize::MAX, &[FILTERED, ELEMENT])
    }

    /// The state behind a member of an example.
    pub(super) fn member(&mut self, from: StateId, name: &str) -> StateId {
        self.walk.step_key(from, name.as_bytes())
    }

    /// The state behind an element of an example.
    pub(super) fn element(&mut self, from: StateId, index: usize) -> StateId {
        self.walk.step_index(from, index)
    }

    /// How much the descriptions of rules have looked at so far.
    pub(super) fn effort(&self) -> usize {
        self.walk.effort()
    }

    /// What a node in this state is. Of the rules about all of an element, the most specific counts, ties by id; one that is
    /// not looked for only where there is no other.
    pub(super) fn accepted(&self, table: &RuleTable, state: StateId) -> AcceptedUses {
        let mut accepted = AcceptedUses::default();
        let mut best: Option<&SchemaUse> = None;
        let id = |found: &SchemaUse| table.rules().get(found.rule).map(|rule| rule.id.as_str());
        let is_on = |found: &SchemaUse| {
            table.rules().get(found.rule).is_some_and(|rule| rule.grade != Grade::Off)
        };
        let ids = self.walk.accepts(state).iter();
        for found in ids.filter_map(|&pattern: &PatternId| self.uses.get(pattern)?.as_ref()) {
            match (found.what, &found.value) {
                (AcceptedNode::Holder, _) => accepted.holds.push(found.rule),
                (AcceptedNode::Element, Some(_)) => accepted.uses.push(found.clone()),
                (AcceptedNode::Element, None) => {
                    let is_better = |known: &SchemaUse| {
                        let order = is_on(found).cmp(&is_on(known));
                        let order = order.then_with(|| found.specificity.cmp(&known.specificity));
                        order.then_with(|| id(known).cmp(&id(found))).is_gt()
                    };
                    best = best.filter(|known| !is_better(known)).or(Some(found));
                }
            }
        }
        accepted.uses.extend(best.cloned());
        accepted
    }

    /// The same of an example: what it takes more to tell than names and indices is left out.
    pub(super) fn accepted_exactly(&self, table: &RuleTable, state: StateId) -> Vec<SchemaUse> {
        let mut uses = self.accepted(table, state).uses;
        uses.retain(|found| found.is_exact);
        uses
    }

    /// The rules whose element should be a member of the body itself.
    pub(super) fn held_by_root(&self) -> impl Iterator<Item = usize> {
        self.roots.iter().copied()
    }
}

/// Patterns and what they are for, so far.
#[derive(Debug, Default)]
struct SchemaAutomatonBuilder {
    patterns: Vec<Pattern>,
    uses: Vec<Option<SchemaUse>>,
    roots: Vec<usize>,
}

impl SchemaAutomatonBuilder {
    fn place(&mut self, table: &RuleTable, number: usize, place: &RulePlace) {
        let Some(rule) = table.rules().get(number) else { return };
        let Element::Field(field) = &rule.element else { return };
        let scope = table.file_of(number);
        let a_use = PatternRole::Use { owner: number, scope };
        let around = rule.exceptions.iter().chain(table.opaque(scope));
        let is_plain = around.clone().all(|selector| selector.conditions().is_empty());
        for selector in &place.selectors {
            let pattern = selector.pattern(a_use);
            let mut found = SchemaUse {
                rule: number,
                what: AcceptedNode::Element,
                value: field.value.clone(),
                specificity: pattern.specificity(),
                is_exact: is_plain && selector.conditions().is_empty(),
            };
            let element = possibly(pattern, selector.conditions());
            let mut holder = element.clone();
            holder.segments.pop();
            self.push(element, Some(found.clone()));
            // Of a pattern over many operations nobody says that each has the element, nor of a place without a name that
            // it is one. Values are asked for where they are listed.
            if !place.operation.is_concrete() || field.value.is_some() {
                continue;
            }
            if holder.segments.is_empty() {
                // No pattern accepts the body itself.
                self.roots.push(number);
                continue;
            }
            if !has_name(&holder) {
                continue;
            }
            found.what = AcceptedNode::Holder;
            found.specificity = holder.specificity();
            self.push(holder, Some(found));
        }
    }

    fn taking_back(&mut self, selectors: &[Selector], role: PatternRole) {
        for selector in selectors {
            let mut pattern = selector.pattern(role);
            for test in tests(&mut pattern) {
                if let SegmentTest::Condition(condition) = test {
                    *condition = NEVER;
                }
            }
            self.push(pattern, None);
        }
    }

    fn push(&mut self, pattern: Pattern, found: Option<SchemaUse>) {
        self.patterns.push(pattern);
        self.uses.push(found);
    }

    fn seal(self, graph: Option<SchemaGraphs>) -> SchemaAutomaton {
        let mut names: Vec<Box<str>> = Vec::new();
        for test in self.patterns.iter().flat_map(|pattern| &pattern.segments) {
            names.extend(test.tests.iter().filter_map(|test| match test {
                SegmentTest::Name(name) => Some(name.clone()),
                _ => None,
            }));
        }
        names.extend(graph.iter().flat_map(Graph::names));
        names.sort_unstable();
        names.dedup();
        let longest = names.iter().map(|name| name.len()).max().unwrap_or(0);
        let graph = graph.map(|graph| Box::new(graph) as Box<dyn Graph>);
        let automaton = Automaton::beside(self.patterns, graph.as_deref());
        let mut walk = Walk::beside(Arc::new(automaton), graph);
        let start = walk.start();
        let other = " ".repeat(longest + 1);
        SchemaAutomaton { walk, uses: self.uses, names, other, start, roots: self.roots }
    }
}

/// A use that a description locates, wherever another one has it at the same way from the body.
fn located(table: &RuleTable, property: &PropertyRule) -> Option<SchemaUse> {
    let Element::Field(field) = &table.rules().get(property.rule)?.element else { return None };
    Some(SchemaUse {
        rule: property.rule,
        what: AcceptedNode::Element,
        value: field.value.clone(),
        specificity: Specificity::OF_SCHEMA,
        is_exact: true,
    })
}

fn tests(pattern: &mut Pattern) -> impl Iterator<Item = &mut SegmentTest> {
    pattern.segments.iter_mut().flat_map(|segment: &mut PatternSegment| &mut segment.tests)
}

fn has_name(pattern: &Pattern) -> bool {
    let mut tests = pattern.segments.iter().flat_map(|segment| &segment.tests);
    tests.any(|test| matches!(test, SegmentTest::Name(_)))
}

/// The pattern with what a schema cannot decide made possible.
fn possibly(mut pattern: Pattern, conditions: &[Condition]) -> Pattern {
    for segment in &mut pattern.segments {
        let has_index = segment.tests.iter().any(|test| matches!(test, SegmentTest::Index(_)));
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
