//! A graph that describes bodies, such as the schemas of an API description, and is walked together with patterns.

use std::collections::HashMap;

use super::PatternId;
use sundown_text_json::json::{Node, NodeIndex};

/// The nodes of a [`Graph`] that describe one value, in a form that the graph defines. Equal ones are one state of the
/// automaton. Without nodes, the graph describes neither the value nor anything inside it.
pub type Nodes = Box<[u32]>;

/// A graph whose nodes describe values, and whose edges lead from an array or object to what is inside.
///
/// The walk asks once for each step from each state, and only if it needs the answer, which it remembers.
pub trait Graph: std::fmt::Debug + Send {
    /// The value after this step; `None` leads to a member whose name is not in [`Self::names`].
    fn step(&self, from: &[u32], step: Option<ValueStep<'_>>) -> GraphStep;
    /// Whether members with names that are not in [`Self::names`] differ from each other here.
    fn distinguishes_other_names(&self, from: &[u32]) -> bool;
    /// The members whose value decides which of several nodes describe the object: discriminators.
    fn discriminators(&self, of: &[u32]) -> Vec<Box<str>>;
    /// The nodes that describe the object once the value of such a member is known.
    fn choose(&self, of: &[u32], discriminator: &str, value: &str) -> Nodes;
    /// Whether the value of a node may decide between alternatives.
    fn has_alternatives(&self, of: &[u32]) -> bool;
    /// The nodes that describe a value once its content has decided between alternatives.
    fn decide(&self, of: &[u32], value: Node<'_>, validity: &mut Validity) -> Nodes;
    /// The uses that the value after this step is.
    fn accepts_with(
        &self,
        from: &[u32],
        step: ValueStep<'_>,
        value: Node<'_>,
        validity: &mut Validity,
    ) -> Vec<PatternId>;
    /// The names whose members are described in a different way than all others.
    fn names(&self) -> Vec<Box<str>>;
    /// Whether an element, or a body, may be a use.
    fn accepts_nameless(&self) -> bool;
    /// The number of first elements that differ from each other.
    fn indices(&self) -> usize;
    /// The number of nodes that it has visited so far.
    fn effort(&self) -> usize;
}

/// A step of a [`Graph`].
#[derive(Debug, Clone, Copy)]
pub enum ValueStep<'k> {
    /// To the body: any that the graph describes, or one with some of the graph's roots, which are the nodes before the step.
    Start,
    /// To the member with this name.
    Member(&'k str),
    /// To the element at this index.
    Element(usize),
}

/// The result of a step in a [`Graph`].
#[derive(Debug, Default)]
pub struct GraphStep {
    /// The nodes that describe the value.
    pub nodes: Nodes,
    /// The uses that it is, with numbers that follow those of the patterns.
    pub accepts: Vec<PatternId>,
}

/// The number of visits for each value of a body after which nothing more is decided, the number that any body has, and the number
/// that no body exceeds.
const MAX_PER_VALUE: usize = 64;
const MAX_SHARED: usize = 100_000;
const MAX_PER_BODY: usize = 4_000_000;

/// Which schemas the values of one body conform to, as far as a graph has found out.
#[derive(Debug)]
pub struct Validity {
    /// The number of the graph that is asked, among those of the walk.
    pub graph: usize,
    /// The results by graph, schema and value.
    pub known: HashMap<(usize, u32, NodeIndex), bool>,
    /// The number of visits that are left. Without any, every value conforms.
    pub effort_left: usize,
    /// Whether members may be missing that are required.
    pub is_partial: bool,
}

impl Validity {
    /// Nothing is known about a body of so many values.
    pub fn new(values: usize) -> Self {
        let effort = values
            .saturating_mul(MAX_PER_VALUE)
            .saturating_add(MAX_SHARED);
        Self {
            graph: 0,
            known: HashMap::new(),
            effort_left: effort.min(MAX_PER_BODY),
            is_partial: false,
        }
    }
}
