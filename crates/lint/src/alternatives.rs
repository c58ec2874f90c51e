//! Alternatives of schemas: the content of a value decides which of them describe it, and first its discriminators: members that
//! name the schema of their object.

use std::borrow::Cow;

use super::value_tree::ValueTree;
use sundown_selector::automaton::{PatternId, StateId, Validity, ValueStep, Walk};
use sundown_text_json::json::{scan, string};

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

/// Reads discriminators, within a budget of a few times the length of the text.
pub(super) struct Discriminators {
    /// How many more bytes may be read.
    budget: usize,
}

impl Discriminators {
    pub(super) fn of(text: &str) -> Self {
        Self {
            budget: 8 * text.len() + 65_536,
        }
    }

    /// Returns the state of the object that opens at `open`, after its discriminators. The first member of the name counts,
    /// and only if it is a string.
    #[inline]
    pub(super) fn choose(
        &mut self,
        automaton: &mut Walk,
        state: StateId,
        bytes: &[u8],
        open: usize,
    ) -> StateId {
        if automaton.discriminators(state).is_empty() {
            return state;
        }
        self.read(automaton, state, bytes, open)
    }

    #[cold]
    fn read(&mut self, automaton: &mut Walk, state: StateId, bytes: &[u8], open: usize) -> StateId {
        automaton.discriminate(state, |name| self.value(bytes, open, name))
    }

    fn value<'t>(&mut self, bytes: &'t [u8], open: usize, name: &str) -> Option<Cow<'t, str>> {
        let end = bytes.len().min(open + self.budget);
        let bytes = bytes.get(..end)?;
        let mut seen = end;
        let found = scan::members(bytes, open)
            .map_while(Result::ok)
            .find(|member| {
                seen = member.value.end;
                string::decode_bytes(bytes, member.key) == name
            });
        if found.is_none() {
            seen = seen.max(open);
        }
        self.budget = self.budget.saturating_sub(seen - open);
        let value = found?.value;
        (bytes.get(value.start) == Some(&b'"')).then(|| string::decode_bytes(bytes, value))
    }
}
