//! Whether a key may be a use, by the way to it: looked for backwards, from bracket to bracket, so that nothing has to be
//! known of what stands beside the way, and no farther than to a key before, to which the way is known.

use std::collections::BTreeMap;

use crate::automaton::{StateId, Walk};
use crate::document::raw::{self, Level, Under};
use crate::document::{Innermost, open_before};
use crate::source::Span;

/// Looks at keys of one body.
///
/// In what order keys are given makes no difference, nor how often each is, if all of them are until one may be a use: what
/// is said of one does not depend on others.
pub(super) struct Judge<'j> {
    text: &'j [u8],
    level: Level,
    walk: &'j mut Walk,
    memory: &'j mut Memory,
}

/// Memory for what is looked at.
#[derive(Debug, Default)]
pub(super) struct Memory {
    /// Arrays and objects that keys stand in, the body before all others.
    opened: Vec<Opened>,
    /// Where the opening quotes of keys stand that are no uses, and the numbers of what they stand in.
    keys: BTreeMap<u32, u32>,
    /// Where brackets stand that have been found on the way to one key, the innermost first.
    found: Vec<usize>,
}

/// The number of the body.
const BODY: u32 = 0;

/// An array or object.
#[derive(Debug, Clone, Copy)]
struct Opened {
    /// The number of the one around it; of the body, its own.
    around: u32,
    /// How many are around it.
    levels: u32,
    /// The state of the automaton in it.
    state: StateId,
}

/// How many levels deep a key may stand, lest what is remembered of the ways to all keys be far more than the body.
const MOST_LEVELS: u32 = 64;

impl<'j> Judge<'j> {
    pub(super) fn new(
        text: &'j [u8],
        level: Level,
        walk: &'j mut Walk,
        memory: &'j mut Memory,
    ) -> Self {
        memory.opened.clear();
        memory.keys.clear();
        Self { text, level, walk, memory }
    }

    /// Whether some key has been found to be no use. That says nothing of a text that is not one value.
    pub(super) fn has_refused(&self) -> bool {
        !self.memory.keys.is_empty()
    }

    /// Whether the key of this name, with its quotes around it, may be a use: the automaton accepts it, or what it stands in
    /// cannot be told.
    pub(super) fn may_be_use(&mut self, name: Span) -> bool {
        let quote = name.start.checked_sub(1).and_then(|quote| u32::try_from(quote).ok());
        let Some(quote) = quote else { return true };
        if self.memory.keys.contains_key(&quote) {
            return false;
        }
        let Some((number, state)) = self.find_opened(quote) else { return true };
        let reached = self.walk.step_key(state, name.slice(self.text));
        let is_use = !self.walk.accepts(reached).is_empty();
        if !is_use {
            self.memory.keys.insert(quote, number);
        }
        is_use
    }

    /// What a key stands in whose quote is at `quote`, by its number, and the state in that; `None` where that cannot be told.
    fn find_opened(&mut self, quote: u32) -> Option<(u32, StateId)> {
        if self.memory.opened.is_empty() {
            let state = self.walk.start();
            let body = self.opened(BODY, 0, state)?;
            self.memory.opened.push(body);
        }
        let mut number = self.find_way(quote)?;
        while let Some(bracket) = self.memory.found.pop() {
            let Opened { levels, state, .. } = self.memory.get(number)?;
            let state = self.step_into(state, bracket)?;
            let opened = self.opened(number, levels + 1, state)?;
            number = u32::try_from(self.memory.opened.len()).ok()?;
            self.memory.opened.push(opened);
        }
        Some((number, self.memory.get(number)?.state))
    }

    /// Finds the brackets that are open at `quote`, down to what is known, of which this gives the number.
    fn find_way(&mut self, quote: u32) -> Option<u32> {
        let known =
            self.memory.keys.range(..quote).next_back().map(|(&key, &number)| (key, number));
        let floor = known.map_or(0, |(before, _)| before as usize);
        self.memory.found.clear();
        let mut at = quote as usize;
        loop {
            match open_before(self.text, at, floor, self.level) {
                Innermost::Bracket(0) => return Some(BODY),
                Innermost::Bracket(bracket) => {
                    self.memory.found.push(bracket);
                    at = bracket;
                }
                // Of two keys with an odd number of quotes between them one is inside a string, as seen from the other; and so
                // is the beginning of the body, as seen from that one, and its bracket is none.
                Innermost::Nothing { in_string: true, .. } => return None,
                Innermost::Nothing { closed, .. } => {
                    let (_, number) = known?;
                    return (0..closed).try_fold(number, |number, _| self.memory.around(number));
                }
            }
        }
    }

    /// What an array or object is in which the automaton has this state; `None` where more has to be known of it.
    fn opened(&mut self, around: u32, levels: u32, state: StateId) -> Option<Opened> {
        // What an object says about itself can make more of it, or less.
        let is_clear = levels < MOST_LEVELS && self.walk.discriminators(state).is_empty();
        is_clear.then_some(Opened { around, levels, state })
    }

    /// The state behind the bracket at `bracket`, from that around it.
    fn step_into(&mut self, around: StateId, bracket: usize) -> Option<StateId> {
        if around == StateId::DEAD {
            return Some(around);
        }
        match raw::under(self.text, bracket, self.level) {
            Under::Key(name) => Some(self.walk.step_key(around, name.slice(self.text))),
            // Which element it is has not been counted.
            Under::Element => self.walk.step_any_index(around),
            Under::Unclear => None,
        }
    }
}

impl Memory {
    fn get(&self, number: u32) -> Option<Opened> {
        self.opened.get(number as usize).copied()
    }

    /// The number of what is around that of this number, if anything is.
    fn around(&self, number: u32) -> Option<u32> {
        self.get(number).filter(|_| number != BODY).map(|opened| opened.around)
    }

    #[cfg(test)]
    pub(super) fn keys(&self) -> Vec<u32> {
        self.keys.keys().copied().collect()
    }
}
