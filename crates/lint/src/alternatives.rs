//! Alternatives of schemas: the content of a value decides which of them describe it.

use std::borrow::Cow;

use sundown_selector::automaton::{PatternId, StateId, Validity, ValueStep, Walk};
use sundown_text_json::Limits;
use sundown_text_json::json::Document;

/// The length in bytes beyond which a value is not loaded and its alternatives stay undecided: a loaded value takes several times
/// the memory of its text.
const MAX_LOADED_BYTES: usize = 64 * 1024 * 1024;

/// Decides between the alternatives of the schemas in one walked value.
pub(super) struct Alternatives<'t> {
    document: Document<'t>,
    /// The offset of the document in the walked text.
    start: usize,
    validity: Validity,
}

impl<'t> Alternatives<'t> {
    /// Loads the value that begins at `start`; `None` if it is not complete or very long.
    pub(super) fn of(text: &'t str, start: usize, limits: Limits) -> Option<Self> {
        let text = text
            .get(start..)
            .filter(|text| text.len() <= MAX_LOADED_BYTES)?;
        let document = Document::parse_first_value(text, limits.depth).ok()?;
        let validity = Validity::new(document.all().len());
        Some(Self {
            document,
            start,
            validity,
        })
    }

    /// The state of the array or object that opens at `open`.
    pub(super) fn decide(&mut self, automaton: &mut Walk, state: StateId, open: usize) -> StateId {
        automaton.decide(
            state,
            || self.document.value_at(open.checked_sub(self.start)?),
            &mut self.validity,
        )
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
        let value = value
            .checked_sub(self.start)
            .and_then(|at| self.document.value_at(at));
        let Some(value) = value else {
            return Cow::Borrowed(accepts);
        };
        Cow::Owned(automaton.accepts_with(from, step, value, accepts, &mut self.validity))
    }
}
