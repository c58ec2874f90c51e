//! The search of a description: runs the automaton of each operation's rules over the operation's schemas.
//!
//! A node of the search is a schema that describes a value, with the state of the automaton there. Each pair is visited
//! once, so the search ends even if schemas refer to each other in a circle.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;

use super::inspection::DescribedCall;
use super::location::KeyLocation;
use super::replacement::{ReplacementStatus, own_name};
use crate::findings::{Certainty, ExchangePart};
use crate::rules::RuleSet;
use sundown_openapi::{
    Description, Direction, EdgeKind, NodeId, OperationId, ParameterId, SchemaId,
};

/// The most nodes of the search of one side: far more than real descriptions have.
const MAX_NODES: usize = 1_000_000;

/// The most work of all searches of a description: members, examples, and schemas of rules. Hundreds of operations may
/// share thousands of schemas.
const MAX_WORK: usize = 60_000_000;

/// The parts of operations that reach something.
pub(super) type Reached = BTreeSet<(ExchangePart, OperationId)>;

/// An element of a rule that the description declares.
#[derive(Debug)]
pub(super) struct DeclaredElement {
    pub location: KeyLocation,
    pub declaration: Declaration,
    pub reached: Reached,
    /// Where the description says that requests must contain it.
    pub required: Option<KeyLocation>,
    pub replacement: ReplacementStatus,
}

/// The kind of object that declares an element.
#[derive(Debug, Clone, Copy)]
pub(super) enum Declaration {
    /// A property with this schema.
    Property(SchemaId),
    /// An element, or a member of any name, with this schema.
    Unnamed(SchemaId),
    Body(SchemaId),
    /// One of the values that this schema lists.
    Value(SchemaId),
    Operation(OperationId),
    Parameter(ParameterId),
}

/// What is found about a rule.
pub(super) enum FoundElement {
    /// A declaration of its element.
    Declaration(NodeId, Declaration),
    /// A use in an example.
    Example(NodeId, KeyLocation, Certainty),
    /// The declaration of an object that should contain its element.
    Expected,
}

impl DeclaredElement {
    /// Keeps the best replacement that is known.
    pub(super) fn judge(&mut self, replacement: ReplacementStatus) {
        self.replacement = self.replacement.or(replacement);
    }
}

/// An example that uses an element.
#[derive(Debug)]
pub(super) struct ExampleUse {
    pub location: KeyLocation,
    pub certainty: Certainty,
    pub reached: Reached,
}

/// The result of a search.
#[derive(Debug, Default)]
pub(super) struct SearchResults {
    /// The declared elements, by the index of the rule and the node.
    pub definitions: BTreeMap<(usize, NodeId), DeclaredElement>,
    /// The uses in examples, by the index of the rule and the node.
    pub examples: BTreeMap<(usize, NodeId), ExampleUse>,
    /// By rule: where the object is declared that should contain its element.
    pub expected: BTreeMap<usize, Reached>,
    /// The rules about one value of an element whose schema lists none.
    pub unlisted: HashSet<usize>,
    /// Whether a search stopped at its limit.
    pub is_cut: bool,
}

/// Searches one description.
pub(super) struct DescriptionSearch<'s> {
    pub description: &'s Description,
    pub set: &'s RuleSet,
    /// The operations as calls, by their numbers.
    pub calls: &'s [DescribedCall],
    /// The schemas that have a name of their own.
    pub named: HashMap<&'s str, Vec<SchemaId>>,
    /// The status of operations as replacements, by the text that names them.
    pub replaced_operations: HashMap<String, ReplacementStatus>,
    /// The schemas that apply to a value, by the schema that describes it.
    applied: HashMap<SchemaId, Rc<[SchemaId]>>,
    /// The work of all searches so far.
    pub work: usize,
    most_work: usize,
    pub most_nodes: usize,
    pub results: SearchResults,
}

impl<'s> DescriptionSearch<'s> {
    pub(super) fn new(
        description: &'s Description,
        set: &'s RuleSet,
        calls: &'s [DescribedCall],
    ) -> Self {
        let expansion = description.expansion();
        let mut named: HashMap<&str, Vec<SchemaId>> = HashMap::new();
        for id in description.schemas().ids() {
            if let Some(name) = own_name(description, id) {
                named.entry(name).or_default().push(id);
            }
        }
        Self {
            description,
            set,
            calls,
            named,
            replaced_operations: HashMap::new(),
            applied: HashMap::new(),
            work: 0,
            most_work: expansion.times(MAX_WORK),
            most_nodes: expansion.times(MAX_NODES),
            results: SearchResults::default(),
        }
    }

    /// Searches all operations that rules name.
    pub(super) fn run(mut self) -> SearchResults {
        // Elements outside bodies come first: they take little work, and large bodies must not use up the limit.
        for ((id, _), call) in self.description.numbered_operations().zip(self.calls) {
            for found in self.set.matched_places(&call.matched) {
                self.work += 1;
                if self.has_room() {
                    self.search_outside_bodies(found, id);
                }
            }
        }
        self.search_bodies();
        self.results
    }

    /// Records what was found about a rule, and the parts of operations that reach it. Returns the element if it is declared.
    pub(super) fn record(
        &mut self,
        rule: usize,
        found: FoundElement,
        by: impl IntoIterator<Item = (ExchangePart, OperationId)>,
    ) -> Option<&mut DeclaredElement> {
        let results = &mut self.results;
        match found {
            FoundElement::Expected => {
                results.expected.entry(rule).or_default().extend(by);
                None
            }
            FoundElement::Example(node, location, certainty) => {
                let used = results.examples.entry((rule, node));
                let used = used.or_insert_with(|| ExampleUse {
                    location,
                    certainty,
                    reached: Reached::new(),
                });
                used.certainty = used.certainty.min(certainty);
                used.reached.extend(by);
                None
            }
            FoundElement::Declaration(node, declaration) => {
                let known = match results.definitions.entry((rule, node)) {
                    Entry::Occupied(known) => known.into_mut(),
                    Entry::Vacant(free) => free.insert(DeclaredElement {
                        location: declaration.location(self.description, node)?,
                        declaration,
                        reached: Reached::new(),
                        required: None,
                        replacement: ReplacementStatus::NotJudged,
                    }),
                };
                known.reached.extend(by);
                Some(known)
            }
        }
    }

    /// Whether the limit allows more work, and records that it does not.
    pub(super) fn has_room(&mut self) -> bool {
        let has_room = self.work <= self.most_work;
        self.results.is_cut |= !has_room;
        has_room
    }

    pub(super) fn applied(&mut self, schema: SchemaId) -> Rc<[SchemaId]> {
        let description = self.description;
        let schema = description.schemas().representative(schema);
        let work = &mut self.work;
        let applied = self.applied.entry(schema).or_insert_with(|| {
            let applied: Rc<[_]> = description.applied([schema]).collect();
            *work += applied.len();
            applied
        });
        Rc::clone(applied)
    }

    /// Whether a schema declares properties of its objects.
    pub(super) fn has_properties(&mut self, schema: SchemaId, direction: Direction) -> bool {
        let description = self.description;
        let applied = self.applied(schema);
        let mut edges = description.schemas().edges_of(&applied);
        edges.any(|edge| edge.kind == EdgeKind::Property && description.is_open(edge, direction))
    }
}

impl Declaration {
    /// Where it is reported.
    fn location(self, description: &Description, node: NodeId) -> Option<KeyLocation> {
        let label = match self {
            Self::Operation(id) => description.operation(id)?.label,
            Self::Parameter(id) => description.parameter(id)?.label,
            Self::Value(_) => return KeyLocation::of_name(description, node),
            Self::Property(_) | Self::Unnamed(_) | Self::Body(_) => {
                return KeyLocation::of_node(description, node);
            }
        };
        KeyLocation::at_label(description, node, label)
    }
}
