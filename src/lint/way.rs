//! Whether a key that may be a use is one, by the way to it: looked for backwards, from bracket to bracket, so that nothing
//! has to be known of what stands beside the way.

use crate::automaton::{StateId, Walk};
use crate::document::raw::{self, Level, Under};
use crate::document::{Around, open_before};
use crate::source::Span;

/// Looks at keys of one body.
pub(super) struct Judge<'j> {
    text: &'j [u8],
    level: Level,
    walk: &'j mut Walk,
    memory: &'j mut Memory,
    /// How many bytes and brackets may still be looked at.
    budget: usize,
    /// Whether some key has been found to be no use. That says nothing of a text that is not one value.
    pub(super) has_refused: bool,
}

/// Memory for what is looked at.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// What arrays and objects stand under, the innermost first.
    way: Vec<Under>,
    /// Where the names begin that have been looked at, in ascending order.
    names: Vec<usize>,
}

#[cfg(test)]
impl Memory {
    pub(super) fn names(&self) -> &[usize] {
        &self.names
    }
}

/// What is found in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Seen {
    /// A use.
    Use,
    /// What may be one.
    Unclear,
}

/// How far behind the beginning of a body, and through how many brackets, the way to a key is looked for: of what is farther
/// away than most bodies are long, all is found as fast from the beginning.
const FARTHEST: usize = 16 * 1024;
const MOST_LEVELS: usize = 64;

/// How many times the bytes of a body are looked at for the ways to all keys in it, a bracket being as much as 64 of them: what
/// costs more is found as fast from the beginning.
const MOST_TIMES: usize = 8;

impl<'j> Judge<'j> {
    pub(super) fn new(
        text: &'j [u8],
        level: Level,
        walk: &'j mut Walk,
        memory: &'j mut Memory,
    ) -> Self {
        memory.names.clear();
        Self { text, level, walk, memory, budget: MOST_TIMES * text.len(), has_refused: false }
    }

    /// Looks at the key of this name, which may be a use by the keys near by; `None` if it is none.
    ///
    /// In what order keys are given makes no difference, nor how often each is, if all of them are until one is no longer
    /// none: which of them are uses does not depend on others, nor does the work for all of them.
    pub(super) fn look_at(&mut self, name: Span) -> Option<Seen> {
        // What has been looked at before was none.
        let Err(place) = self.memory.names.binary_search(&name.start) else { return None };
        match self.is_use(name) {
            Some(true) => Some(Seen::Use),
            Some(false) => {
                self.memory.names.insert(place, name.start);
                self.has_refused = true;
                None
            }
            None => Some(Seen::Unclear),
        }
    }

    /// Whether the automaton accepts the key; `None` where that cannot be told.
    fn is_use(&mut self, name: Span) -> Option<bool> {
        self.find_way(name.start.checked_sub(1)?)?;
        let mut state = None;
        for &under in self.memory.way.iter().rev() {
            state = Some(state_in(state, || under, self.text, self.walk)?);
        }
        let reached = self.walk.step_key(state?, name.slice(self.text));
        Some(!self.walk.accepts(reached).is_empty())
    }

    /// Finds what is open at `quote`, up to the bracket that the text begins with; `None` where that is too far away, or none.
    fn find_way(&mut self, quote: usize) -> Option<()> {
        let way = &mut self.memory.way;
        way.clear();
        if quote > FARTHEST {
            return None;
        }
        let mut at = quote;
        while at > 0 {
            match open_before(self.text, at, self.level, FARTHEST / 64) {
                Around::Bracket(open) if way.len() < MOST_LEVELS => at = open,
                Around::Bracket(_) | Around::Nothing | Around::TooFar => return None,
            }
            way.push(raw::under_alone(self.text, at, self.level));
        }
        self.budget = self.budget.checked_sub(quote + 64 * way.len())?;
        Some(())
    }
}

/// The state of the automaton in an array or object that stands `under` this in another, whose own is `around`, or in none;
/// `None` where that cannot be told.
pub(super) fn state_in(
    around: Option<StateId>,
    under: impl FnOnce() -> Under,
    text: &[u8],
    walk: &mut Walk,
) -> Option<StateId> {
    let state = match around {
        None => walk.start(),
        Some(StateId::DEAD) => StateId::DEAD,
        Some(around) => match under() {
            Under::Key(name) => walk.step_key(around, name.slice(text)),
            // Which element it is has not been counted.
            Under::Element => walk.step_any_index(around)?,
            Under::Unclear => return None,
        },
    };
    // What an object says about itself can make more of it, or less.
    walk.discriminators(state).is_empty().then_some(state)
}
