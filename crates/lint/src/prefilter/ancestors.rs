//! Decides by its ancestors whether a key may be a use. They are found backwards, from bracket to bracket, up to an earlier key
//! whose ancestors are known. Nothing else is read.

use std::collections::BTreeMap;

use super::field::Field;
use sundown_selector::automaton::{StateId, Walk};
use sundown_text_json::json::key_context::{self, QuoteLevel, Under};
use sundown_text_json::json::{Innermost, open_before};
use sundown_text_json::text::Span;

/// Matches the ancestors of keys of one body.
///
/// The answer for a key depends neither on the order of keys nor on other keys.
pub(super) struct AncestorMatcher<'j> {
    text: &'j [u8],
    level: QuoteLevel,
    walk: &'j mut Walk,
    memory: &'j mut Ancestors,
    /// The fields in the order of their names, if some of them have values that are no uses.
    fields: &'j [Field],
}

/// The ancestors that are known in one body.
#[derive(Debug, Default)]
pub(super) struct Ancestors {
    /// The arrays and objects around keys; the body is the first.
    opened: Vec<OpenContainer>,
    /// The keys that are not uses.
    keys: KnownKeys,
    /// Offsets of the brackets around the current key, the innermost first.
    found: Vec<usize>,
}

/// An array or object.
#[derive(Debug, Clone, Copy)]
struct OpenContainer {
    /// The index of its parent; for the body, its own.
    around: u32,
    /// The number of its ancestors.
    levels: u32,
    /// The state of the automaton in it.
    state: StateId,
}

/// The index of the body.
const BODY: u32 = 0;

/// The number of levels at which a key is followed, so that the known ancestors of all keys stay smaller than the body.
const MAX_LEVELS: usize = 64;

/// The offset of a key's opening quote, and the index of its parent.
type Key = (u32, u32);

/// Keys by their offsets.
#[derive(Debug, Default)]
struct KnownKeys {
    /// Keys that came in ascending order, as most do.
    in_order: Vec<Key>,
    others: BTreeMap<u32, u32>,
}

impl<'j> AncestorMatcher<'j> {
    pub(super) fn new(
        text: &'j [u8],
        level: QuoteLevel,
        walk: &'j mut Walk,
        memory: &'j mut Ancestors,
    ) -> Self {
        memory.opened.clear();
        memory.keys.clear();
        Self {
            text,
            level,
            walk,
            memory,
            fields: &[],
        }
    }

    /// The same matcher, which also looks at the values of these fields.
    pub(super) fn with_values_of(self, fields: &'j [Field]) -> Self {
        let has_values = fields.iter().any(|field| field.values.is_some());
        Self {
            fields: if has_values { fields } else { &[] },
            ..self
        }
    }

    /// The content of the body.
    pub(super) fn text(&self) -> &'j [u8] {
        self.text
    }

    /// The level of the quotes in it.
    pub(super) fn level(&self) -> QuoteLevel {
        self.level
    }

    /// Whether some key was found not to be a use. For a text that is not one value, that answer means nothing.
    pub(super) fn has_refused(&self) -> bool {
        !self.memory.keys.in_order.is_empty()
    }

    /// Whether the key whose name is at `name`, within quotes, may be a use: the automaton accepts it, or its ancestors are
    /// unclear.
    pub(super) fn may_be_use(&mut self, name: Span) -> bool {
        let quote = name
            .start
            .checked_sub(1)
            .and_then(|quote| u32::try_from(quote).ok());
        let Some(quote) = quote else { return true };
        let fields = self.fields;
        let bytes = name.slice(self.text);
        let field = fields
            .binary_search_by(|field| (*field.name).cmp(bytes))
            .ok()
            .and_then(|index| fields.get(index));
        // This depends on the text after the key alone, so it holds even if the brackets are unclear.
        if field.is_some_and(|field| field.has_other_value(self.text, name, self.level)) {
            return false;
        }
        let known = self.memory.keys.last_up_to(quote);
        if known.is_some_and(|(known, _)| known == quote) {
            return false;
        }
        let Some((number, state)) = self.open_around(quote, known) else {
            return true;
        };
        let reached = self.walk.step_key(state, name.slice(self.text));
        let is_use = !self.walk.accepts(reached).is_empty();
        if !is_use {
            self.memory.keys.insert((quote, number));
        }
        is_use
    }

    /// Returns the index of the container around the key with its quote at `quote`, and the state in it; `None` if that is
    /// unclear. `known` is an earlier key.
    fn open_around(&mut self, quote: u32, known: Option<Key>) -> Option<(u32, StateId)> {
        if self.memory.opened.is_empty() {
            let state = self.walk.start();
            self.enter(BODY, 0, state)?;
        }
        let mut number = self.find_way(quote, known)?;
        while let Some(bracket) = self.memory.found.pop() {
            let OpenContainer { levels, state, .. } = self.memory.get(number)?;
            let state = self.step_into(state, bracket)?;
            number = self.enter(number, levels + 1, state)?;
        }
        Some((number, self.memory.get(number)?.state))
    }

    /// Finds the brackets that are open at `quote`, up to a known container, and returns the index of that.
    fn find_way(&mut self, quote: u32, known: Option<Key>) -> Option<u32> {
        let floor = known.map_or(0, |(before, _)| before as usize);
        self.memory.found.clear();
        let mut at = quote as usize;
        loop {
            match open_before(self.text, at, floor, self.level) {
                Innermost::Bracket(0) => return Some(BODY),
                Innermost::Bracket(bracket) if self.memory.found.len() < MAX_LEVELS => {
                    self.memory.found.push(bracket);
                    at = bracket;
                }
                Innermost::Bracket(_) => return None,
                // If the number of quotes between two keys is odd, one of them is inside a string as seen from the other, and
                // so is the beginning of the body.
                Innermost::Nothing {
                    in_string: true, ..
                } => return None,
                Innermost::Nothing { closed, .. } => {
                    let (_, number) = known?;
                    return (0..closed).try_fold(number, |number, _| self.memory.around(number));
                }
            }
        }
    }

    /// Adds a container, and returns its index; `None` if its content decides about its state.
    fn enter(&mut self, around: u32, levels: u32, state: StateId) -> Option<u32> {
        // A discriminator changes the state.
        if levels as usize >= MAX_LEVELS || !self.walk.discriminators(state).is_empty() {
            return None;
        }
        let number = u32::try_from(self.memory.opened.len()).ok()?;
        self.memory.opened.push(OpenContainer {
            around,
            levels,
            state,
        });
        Some(number)
    }

    /// Returns the state after the bracket at `bracket`, by the state around it.
    fn step_into(&mut self, around: StateId, bracket: usize) -> Option<StateId> {
        if around == StateId::DEAD {
            return Some(around);
        }
        match key_context::under(self.text, bracket, self.level) {
            Under::Key(name) => Some(self.walk.step_key(around, name.slice(self.text))),
            // Elements are not counted.
            Under::Element => self.walk.step_any_index(around),
            Under::Unclear => None,
        }
    }
}

impl Ancestors {
    fn get(&self, number: u32) -> Option<OpenContainer> {
        self.opened.get(number as usize).copied()
    }

    /// Returns the index of the parent of a container; `None` for the body.
    fn around(&self, number: u32) -> Option<u32> {
        self.get(number)
            .filter(|_| number != BODY)
            .map(|opened| opened.around)
    }

    /// The offsets of the opening quotes of keys that are not uses.
    #[cfg(test)]
    pub(super) fn keys(&self) -> Vec<u32> {
        let mut all: Vec<_> = self
            .keys
            .in_order
            .iter()
            .map(|&(quote, _)| quote)
            .chain(self.keys.others.keys().copied())
            .collect();
        all.sort_unstable();
        all
    }
}

impl KnownKeys {
    fn clear(&mut self) {
        self.in_order.clear();
        self.others.clear();
    }

    /// Returns the last key at or before `quote`.
    #[inline]
    fn last_up_to(&self, quote: u32) -> Option<Key> {
        let in_order = match self.in_order.last() {
            Some(&last) if last.0 <= quote => Some(last),
            _ => self
                .in_order
                .partition_point(|&(key, _)| key <= quote)
                .checked_sub(1)
                .and_then(|last| self.in_order.get(last))
                .copied(),
        };
        if self.others.is_empty() {
            return in_order;
        }
        let other = self
            .others
            .range(..=quote)
            .next_back()
            .map(|(&key, &number)| (key, number));
        in_order.max(other)
    }

    fn insert(&mut self, (quote, number): Key) {
        match self.in_order.last() {
            Some(&(last, _)) if last >= quote => {
                self.others.insert(quote, number);
            }
            _ => self.in_order.push((quote, number)),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use sundown_selector::Selector;
    use sundown_selector::automaton::{Automaton, PatternRole};

    /// Keys, brackets and quotes, at either level; many texts are not JSON.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(vec![
            "\"f\":1,",
            "\"f\":",
            "\"in\":{",
            "\"in\" :\n[",
            "\"x\":[",
            "\\\"f\\\":1,",
            "\\\"in\\\":{",
            "\\\"x\\\":[",
            "\"\\u0069n\":{",
            "{",
            "[",
            "},{",
            "}",
            "]",
            "],",
            "\"",
            "\\\"",
            "\\",
            "\"x\":\"in\",",
            "[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[",
            "]]]]]]]]]]]]]]]]]]]]]]]]]]]]]]",
            "\"a long name for something that is of no interest to anybody\":",
        ]);
        let begin = prop::sample::select(vec!["{", "[", "{\"in\":{", "{\\\"in\\\":{"]);
        (begin, prop::collection::vec(piece, 0..40))
            .prop_map(|(begin, pieces)| format!("{begin}{}\"f\":1", pieces.concat()))
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn what_is_said_of_a_key_does_not_depend_on_those_before(
            text in text(),
            order in prop::collection::vec(any::<prop::sample::Index>(), 0..40),
        ) {
            let role = PatternRole::Use { owner: 0, scope: 0 };
            let selectors = ["$..in.f", "$.f", "$.in[*].f", "$..x[*].f", "$.*.in.*.f"];
            let patterns = selectors.map(|text| Selector::parse(text).unwrap().pattern(role));
            let mut walk = Walk::new(Arc::new(Automaton::new(patterns.to_vec())));
            let keys: Vec<_> =
                text.match_indices("\"f").map(|(at, _)| Span::new(at + 1, at + 2)).collect();
            for level in [QuoteLevel::Document, QuoteLevel::String] {
                let mut alone = |key: &Span| {
                    let mut memory = Ancestors::default();
                    AncestorMatcher::new(text.as_bytes(), level, &mut walk, &mut memory).may_be_use(*key)
                };
                let expected: Vec<_> = keys.iter().map(&mut alone).collect();
                let mut memory = Ancestors::default();
                let mut matcher = AncestorMatcher::new(text.as_bytes(), level, &mut walk, &mut memory);
                let given = order.iter().map(|index| index.index(keys.len()));
                for number in given.chain(0..keys.len()) {
                    let said = matcher.may_be_use(keys[number]);
                    prop_assert_eq!(said, expected[number], "{:?}, key {}", level, number);
                }
            }
        }
    }
}
