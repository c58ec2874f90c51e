//! What describes bodies by more than patterns: a graph that is walked beside them.

use super::PatternId;

/// The nodes of a [`Graph`] that describe one value, in a form of the graph's own: equal ones are one state of the automaton.
/// None: the graph says nothing of the value, nor of anything inside it.
pub type Nodes = Box<[u32]>;

/// A graph whose nodes describe values, and whose edges lead from an array or object to what is inside.
///
/// It is asked once for each step from each state, and only for what is needed: answers are remembered.
pub trait Graph: std::fmt::Debug + Send {
    /// The nodes that describe a body.
    fn start(&self) -> Nodes;
    /// What is behind the member of this name; `None` stands for every name that is not among [`Self::names`].
    fn member(&self, from: &[u32], name: Option<&str>) -> GraphStep;
    /// What is behind the element of this index.
    fn element(&self, from: &[u32], index: usize) -> Nodes;
    /// Whether members of names that are not among [`Self::names`] have to be told apart here.
    fn distinguishes_other_names(&self, from: &[u32]) -> bool;
    /// The members whose value decides which of several nodes describe the object: discriminators.
    fn discriminators(&self, of: &[u32]) -> Vec<Box<str>>;
    /// What describes the object once the value of such a member is known.
    fn choose(&self, of: &[u32], discriminator: &str, value: &str) -> Nodes;
    /// The names that lead somewhere, or nowhere where others lead somewhere.
    fn names(&self) -> Vec<Box<str>>;
    /// How many elements, from the first, have to be told apart.
    fn indices(&self) -> usize;
    /// How many nodes it has looked at so far, to answer all that it was asked.
    fn effort(&self) -> usize;
}

/// What a step of a [`Graph`] leads to.
#[derive(Debug, Default)]
pub struct GraphStep {
    /// What describes the member's value.
    pub nodes: Nodes,
    /// The uses that the member is, numbered like patterns, from their number on.
    pub accepts: Vec<PatternId>,
}
