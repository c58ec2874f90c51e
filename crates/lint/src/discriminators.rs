//! Discriminators: members that name the schema of their object.

use std::borrow::Cow;

use sundown_selector::automaton::{StateId, Walk};
use sundown_text_json::json::{scan, string};

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
