//! The rules of one side of an operation as an automaton that runs over schemas and over examples.
//!
//! A schema cannot decide every test of a selector: an index is possible, and a filter may match. Each such test gets a
//! condition that is assumed to hold on schemas, and not on examples, where indices are exact. A condition of a selector
//! that only possibly *excludes* a use (an exception with a filter) is never assumed to hold.

use std::borrow::Cow;
use std::sync::Arc;

use crate::rules::{
    Grade, MatchedDescriptions, MatchedOperations, PropertyCertainty, PropertyRule, RulePlace,
    RuleTable,
};
use sundown_exchange::Side;
use sundown_openapi::{SchemaGraphs, UsePatterns};
use sundown_selector::Condition;
use sundown_selector::Selector;
use sundown_selector::automaton::{
    Automaton, ConditionId, Graph, Nodes, Pattern, PatternId, PatternRole, SegmentTest,
    SelectorSegment, Specificity, StateId, Validity, Walk,
};
use sundown_text_json::json::Node;

/// Holds for every member and element of a schema.
const FILTERED: ConditionId = 0;
/// Holds for every element of a schema.
const ELEMENT: ConditionId = 1;
/// Never holds.
const NEVER: ConditionId = 2;

/// The compiled rules of one side.
#[derive(Debug)]
pub(super) struct SchemaAutomaton {
    walk: Walk,
    /// The use that each pattern stands for, if any.
    uses: Vec<Option<SchemaUse>>,
    /// The names in patterns.
    names: Vec<Box<str>>,
    /// A name that is in no pattern.
    other: String,
    /// The state at the root of the bodies of each operation.
    starts: Vec<StateId>,
    /// The rules whose element must be a member of the body itself.
    roots: Vec<usize>,
}

/// The use that a pattern stands for.
#[derive(Debug, Clone)]
pub(super) struct SchemaUse {
    /// The index of the rule.
    pub rule: usize,
    pub accepts: AcceptedNode,
    /// The deprecated value, if only one value is deprecated.
    pub value: Option<String>,
    /// Whether the rule has conditions on other members.
    pub is_conditional: bool,
    specificity: Specificity,
    /// Whether the pattern consists of names and indices only, so that it is exact on examples.
    is_exact: bool,
}

/// The kind of node that a pattern accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AcceptedNode {
    /// The element itself.
    Element,
    /// The object that should contain the element.
    Holder,
}

/// The result of a state: the uses at a node, and the elements that it should contain.
#[derive(Debug, Default)]
pub(super) struct AcceptedUses {
    /// One use for each deprecated value, and one for the whole element.
    pub uses: Vec<SchemaUse>,
    /// The rules whose element should be a member of this node.
    pub holds: Vec<usize>,
}

impl SchemaUse {
    /// Whether the rule's own description locates it.
    pub(super) fn is_located(&self) -> bool {
        self.specificity == Specificity::OF_SCHEMA
    }
}

impl SchemaAutomaton {
    /// Compiles the rules about bodies of this side, for operations that match. All of them have the rules at `places`. Returns
    /// `None` if there are none.
    pub(super) fn new(
        table: &RuleTable,
        matched: &[&MatchedOperations],
        places: &[(usize, &RulePlace)],
        side: Side,
    ) -> Option<Self> {
        let mut builder = SchemaAutomatonBuilder::default();
        let mut owners: Vec<usize> = Vec::new();
        for &(rule, place) in places
            .iter()
            .filter(|(_, place)| place.sides.contains(side))
        {
            builder.add_place(table, rule, place);
            owners.push(rule);
        }
        owners.sort_unstable();
        owners.dedup();
        let mut scopes: Vec<usize> = owners.iter().map(|&rule| table.file_of(rule)).collect();
        scopes.dedup();
        for owner in owners {
            let exceptions = table
                .rules()
                .get(owner)
                .map_or(&[][..], |rule| &rule.exceptions);
            builder.add_exclusions(exceptions, PatternRole::Exception { owner });
        }
        for scope in scopes {
            builder.add_exclusions(table.opaque(scope), PatternRole::Barrier { scope });
        }
        // The uses that the rules' own descriptions locate are numbered after the patterns.
        let uses = &mut builder.uses;
        let calls = matched
            .iter()
            .map(|one| MatchedDescriptions::new(table, one));
        let calls: Vec<_> = calls.collect();
        let graph = MatchedDescriptions::compile_together(&calls, side, |property| {
            uses.push(Some(located_use(table, property)?));
            let pattern = uses.len() - 1;
            let depends_on_value = property.certainty == PropertyCertainty::DependsOnValue;
            Some(UsePatterns {
                certain: pattern,
                possible: pattern,
                depends_on_value,
            })
        });
        let has_use = graph.is_some() || builder.uses.iter().any(Option::is_some);
        has_use.then(|| builder.build(graph, calls.len()))
    }

    /// The state at the root of the bodies of each operation.
    pub(super) fn starts(&self) -> &[StateId] {
        &self.starts
    }

    /// Whether a use can still be reached.
    pub(super) fn is_live(&self, state: StateId) -> bool {
        self.walk.is_live(state)
    }

    /// The state after a property of a schema.
    pub(super) fn step_to_property(&mut self, from: StateId, name: &str) -> StateId {
        self.walk.step_key_with(from, name.as_bytes(), &[FILTERED])
    }

    /// The states after members of a schema that may have any name except these.
    pub(super) fn step_to_any_member(&mut self, from: StateId, except: &[&str]) -> Vec<StateId> {
        let Self {
            walk, names, other, ..
        } = self;
        let mut states: Vec<StateId> = names
            .iter()
            .map(|name| &**name)
            .filter(|name| !except.contains(name))
            .chain([other.as_str()])
            .map(|name| walk.step_key_with(from, name.as_bytes(), &[FILTERED]))
            .collect();
        states.dedup();
        states
    }

    /// The state after an element of a schema.
    pub(super) fn step_to_any_element(&mut self, from: StateId) -> StateId {
        self.walk
            .step_index_with(from, usize::MAX, &[FILTERED, ELEMENT])
    }

    /// Whether content may decide between alternatives.
    pub(super) fn has_alternatives(&self) -> bool {
        self.walk.has_alternatives()
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

    /// The state after a member of an example.
    pub(super) fn step_to_member(&mut self, from: StateId, name: &str) -> StateId {
        self.walk.step_key(from, name.as_bytes())
    }

    /// The state after an element of an example.
    pub(super) fn step_to_element(&mut self, from: StateId, index: usize) -> StateId {
        self.walk.step_index(from, index)
    }

    /// The work that the descriptions of rules have done so far, in schemas visited.
    pub(super) fn effort(&self) -> usize {
        self.walk.effort()
    }

    /// Whether uses were lost since the last call, because the states became too large.
    pub(super) fn take_overflow(&mut self) -> bool {
        self.walk.take_overflow()
    }

    /// The uses at a node in this state.
    ///
    /// Of several rules about the whole element, the greatest wins, and each rule with conditions is a use of its own.
    pub(super) fn accepted(&self, table: &RuleTable, state: StateId) -> AcceptedUses {
        let mut accepted = AcceptedUses::default();
        let mut whole: Vec<&SchemaUse> = Vec::new();
        let ids = self.walk.accepts(state).iter();
        for found in ids.filter_map(|&pattern: &PatternId| self.uses.get(pattern)?.as_ref()) {
            match found.accepts {
                AcceptedNode::Holder => accepted.holds.push(found.rule),
                AcceptedNode::Element if found.value.is_some() || found.is_conditional => {
                    accepted.uses.push(found.clone());
                }
                AcceptedNode::Element => whole.push(found),
            }
        }
        accepted.uses.extend(greatest(table, whole).cloned());
        accepted
    }

    /// The uses at a node of an example, without those that names and indices alone cannot decide. Those with conditions `hold`.
    pub(super) fn accepted_exactly(
        &self,
        table: &RuleTable,
        state: StateId,
        mut hold: impl FnMut(&SchemaUse) -> bool,
    ) -> Vec<SchemaUse> {
        let mut uses = self.accepted(table, state).uses;
        uses.retain(|found| found.is_exact && (!found.is_conditional || hold(found)));
        let whole = uses
            .extract_if(.., |found| found.value.is_none())
            .collect::<Vec<_>>();
        uses.extend(greatest(table, whole.iter()).cloned());
        uses
    }

    /// The rules whose element must be a member of the body itself.
    pub(super) fn held_by_root(&self) -> impl Iterator<Item = usize> {
        self.roots.iter().copied()
    }
}

/// The greatest of several uses of one element: the one with the most specific selector; of equals, that with the greatest
/// precedence, then the lowest id. A vague one is less than any other. A rule that is off only wins against other rules that are off.
fn greatest<'u>(
    table: &RuleTable,
    uses: impl IntoIterator<Item = &'u SchemaUse>,
) -> Option<&'u SchemaUse> {
    uses.into_iter().max_by_key(|found| {
        let rule = table.rules().get(found.rule)?;
        let precedence = table.precedence_of(found.rule);
        Some((
            rule.grade != Grade::Off,
            precedence.rank(rule, Some(found.specificity)),
        ))
    })
}

/// Collects patterns and the uses that they stand for.
#[derive(Debug, Default)]
struct SchemaAutomatonBuilder {
    patterns: Vec<Pattern>,
    uses: Vec<Option<SchemaUse>>,
    roots: Vec<usize>,
}

impl SchemaAutomatonBuilder {
    /// Adds the patterns of one place of a rule: for the element, and for the object that should contain it.
    fn add_place(&mut self, table: &RuleTable, number: usize, place: &RulePlace) {
        let Some(rule) = table.rules().get(number) else {
            return;
        };
        if rule.element.field_name().is_none() || rule.element.is_about_many_values() {
            return;
        }
        let scope = table.file_of(number);
        let use_role = PatternRole::Use {
            owner: number,
            scope,
        };
        let exclusions = rule.exceptions.iter().chain(table.opaque(scope));
        let is_plain = exclusions
            .clone()
            .all(|selector| selector.conditions().is_empty());
        for selector in &place.selectors {
            let pattern = selector.pattern(use_role);
            let mut found = SchemaUse {
                rule: number,
                accepts: AcceptedNode::Element,
                value: rule.element.exact_value().map(str::to_owned),
                is_conditional: !rule.when.is_empty(),
                specificity: pattern.specificity(),
                is_exact: is_plain && selector.conditions().is_empty(),
            };
            let element = assume_conditions(pattern, selector.conditions());
            let mut holder = element.clone();
            holder.segments.pop();
            self.push(element, Some(found.clone()));
            // A pattern over several operations does not say that each of them has the element. The values of an element
            // are expected in its `enum`, not in a holder. With conditions, some objects lack it.
            let is_certain = rule.element.value.is_none() && rule.when.is_empty();
            if !place.operation.is_concrete() || !is_certain {
                continue;
            }
            if holder.segments.is_empty() {
                // No pattern accepts the body itself.
                self.roots.push(number);
                continue;
            }
            // Without a name, the selector does not identify the holder.
            if !has_name(&holder) {
                continue;
            }
            found.accepts = AcceptedNode::Holder;
            found.specificity = holder.specificity();
            self.push(holder, Some(found));
        }
    }

    fn add_exclusions(&mut self, selectors: &[Selector], role: PatternRole) {
        for selector in selectors {
            let mut pattern = selector.pattern(role);
            for test in tests_mut(&mut pattern) {
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

    /// `graph` has the nodes from which each of the operations starts.
    fn build(
        self,
        graph: Option<(SchemaGraphs, Vec<Nodes>)>,
        operations: usize,
    ) -> SchemaAutomaton {
        let (graph, nodes) = graph.unzip();
        let nodes = nodes.unwrap_or_else(|| vec![Nodes::default(); operations]);
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
        let starts = nodes
            .iter()
            .map(|nodes| walk.start_from((!nodes.is_empty()).then_some(nodes)))
            .collect();
        let other = " ".repeat(longest + 1);
        SchemaAutomaton {
            walk,
            uses: self.uses,
            names,
            other,
            starts,
            roots: self.roots,
        }
    }
}

/// The use of a property that a rule's own description locates.
fn located_use(table: &RuleTable, property: &PropertyRule) -> Option<SchemaUse> {
    let rule = table.rules().get(property.rule)?;
    let element = &rule.element;
    element
        .field_name()
        .filter(|_| !element.is_about_many_values())?;
    Some(SchemaUse {
        rule: property.rule,
        accepts: AcceptedNode::Element,
        value: element.exact_value().map(str::to_owned),
        is_conditional: !rule.when.is_empty(),
        specificity: Specificity::OF_SCHEMA,
        is_exact: true,
    })
}

fn tests_mut(pattern: &mut Pattern) -> impl Iterator<Item = &mut SegmentTest> {
    pattern
        .segments
        .iter_mut()
        .flat_map(|segment: &mut SelectorSegment| &mut segment.tests)
}

fn has_name(pattern: &Pattern) -> bool {
    pattern
        .segments
        .iter()
        .flat_map(|segment| &segment.tests)
        .any(|test| matches!(test, SegmentTest::Name(_)))
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
