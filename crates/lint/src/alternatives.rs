//! Alternatives of schemas: the content of a value decides which of them describe it.

use std::borrow::Cow;

use super::value_tree::ValueTree;
use sundown_selector::automaton::{PatternId, StateId, Validity, ValueStep, Walk};

/// Decides between the alternatives of the schemas in one walked value.
pub(super) struct Alternatives<'t> {
    tree: &'t ValueTree<'t>,
    validity: Validity,
}

impl<'t> Alternatives<'t> {
    /// The alternatives in a value; `None` if it has no tree, so that they stay undecided.
    pub(super) fn of(tree: &'t ValueTree<'t>) -> Option<Self> {
        let validity = Validity::new(tree.document().ok()?.all().len());
        Some(Self { tree, validity })
    }

    /// The state of the array or object that opens at `open`.
    pub(super) fn decide(&mut self, automaton: &mut Walk, state: StateId, open: usize) -> StateId {
        automaton.decide(state, || self.tree.node_at(open), &mut self.validity)
    }

    /// The uses that a value is: it is reached by `step` from state `from`, and begins at `value`. Without it, they are those that
    /// the step `accepts`.
    pub(super) fn settle<'p>(
        &mut self,
        automaton: &Walk,
        from: StateId,
        step: ValueStep<'_>,
        value: usize,
        accepts: &'p [PatternId],
    ) -> Cow<'p, [PatternId]> {
        let Some(value) = self.tree.node_at(value) else {
            return Cow::Borrowed(accepts);
        };
        Cow::Owned(automaton.accepts_with(from, step, value, accepts, &mut self.validity))
    }
}
