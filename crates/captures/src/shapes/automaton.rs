//! The names of all shapes as one automaton over the keys of members: one walk over a record finds the pieces of every shape.
//!
//! A dotted name may be written in many ways: `http.request.method` is a member `method` in `request` in `http`, one member of
//! that whole name, or anything between. So a state is what remains of some names, a key leads from one state to another by one
//! or more parts. The states are a tree: each is reached in one way. Names in any spelling are followed beside them.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::{iter, slice};

use crate::pieces::is_container;
use foldhash::fast::FixedState;
use sundown_text_json::json::{Node, ValueKind, pointer, string};
use sundown_text_json::text::spelling::{counts, with_letters};

/// The number of a name.
pub(super) type NameId = u32;

/// The number of a state. No key leads to the first, and a record begins in the second.
pub(super) type State = u32;

/// No name goes on.
pub(super) const DEAD: State = 0;

/// The state of a record.
pub(super) const RECORD: State = 1;

/// The number of a key that some name has.
type Symbol = u32;

/// A name as it is compiled.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Name {
    /// A JSON Pointer, or a dotted name.
    pub text: String,
    /// Whether it is compared without regard to case, spaces, `_` and `-`.
    pub any_spelling: bool,
}

/// The automaton of a set of names.
#[derive(Debug)]
pub(super) struct Automaton {
    keys: Keys,
    texts: Vec<String>,
    steps: Vec<Step>,
    /// The states after that of a record, for each symbol: most keys are looked up there.
    first: Vec<State>,
}

/// A state, to which one key leads from one other.
#[derive(Debug)]
struct Step {
    /// The state before that key; the first two have none, so each is its own.
    before: State,
    /// The next states, in the order of their symbols.
    next: Vec<(Symbol, State)>,
    /// The names that end there, in order.
    ends: Vec<NameId>,
}

/// The keys of members that some name has.
#[derive(Debug, Default)]
struct Keys {
    /// Keys that are compared exactly.
    exact: HashMap<Box<[u8]>, Symbol, FixedState>,
    /// Keys in any spelling, by the letters that count: the symbol of those that are not compared exactly, then those that are.
    spelled: HashMap<Box<[u8]>, Vec<Symbol>, FixedState>,
    /// For each first letter of those, a bit for each last one. Most keys have none of these pairs.
    ends: Vec<u32>,
    count: Symbol,
}

/// A key of a name that may be a member of its own, between the numbers of parts before it and up to its end.
type KeySpan<'n> = (usize, Cow<'n, str>, usize);

impl Automaton {
    pub(super) fn new(names: &[Name]) -> Self {
        let spans: Vec<_> = names.iter().map(Name::spans).collect();
        let mut keys = Keys {
            ends: vec![0; 256],
            ..Keys::default()
        };
        for (name, spans) in names.iter().zip(&spans) {
            for (_, key, _) in spans {
                keys.add(key.as_bytes(), name.any_spelling);
            }
        }
        keys.join();
        // Which symbols a key has is known once all keys are.
        let mut builder = Builder {
            keys: &keys,
            steps: [DEAD, RECORD].into_iter().map(Step::after).collect(),
        };
        for ((name, spans), id) in names.iter().zip(&spans).zip(0..) {
            builder.add(id, spans, name.any_spelling);
        }
        let steps = builder.steps;
        let mut first = vec![DEAD; keys.count as usize];
        for (symbol, next) in steps
            .get(RECORD as usize)
            .into_iter()
            .flat_map(|step| &step.next)
        {
            if let Some(state) = first.get_mut(*symbol as usize) {
                *state = *next;
            }
        }
        Self {
            keys,
            texts: names.iter().map(|name| name.text.clone()).collect(),
            steps,
            first,
        }
    }

    /// The state after a key.
    #[inline]
    pub(super) fn step(&self, state: State, key: &[u8]) -> State {
        if self.goes_on(state) {
            self.after(state, self.keys.symbol(key))
        } else {
            DEAD
        }
    }

    /// The state after a key as JSON writes it, with its escapes.
    #[inline]
    pub(super) fn step_raw(&self, state: State, key: &[u8]) -> State {
        if !self.goes_on(state) {
            return DEAD;
        }
        let symbol = self.keys.exact.get(key).copied().or_else(|| {
            // Few keys have escapes.
            let Some(_) = memchr::memchr(b'\\', key) else {
                return self.keys.spelled(key);
            };
            let key = std::str::from_utf8(key).map(string::unescape).ok()?;
            self.keys.symbol(key.as_bytes())
        });
        self.after(state, symbol)
    }

    #[inline]
    fn after(&self, state: State, symbol: Option<Symbol>) -> State {
        let Some(symbol) = symbol else {
            return DEAD;
        };
        if state == RECORD {
            return self.first.get(symbol as usize).copied().unwrap_or(DEAD);
        }
        let next = self
            .steps
            .get(state as usize)
            .map_or(&[][..], |step| &step.next);
        let found = next.binary_search_by_key(&symbol, |(known, _)| *known);
        found
            .ok()
            .and_then(|at| next.get(at))
            .map_or(DEAD, |(_, state)| *state)
    }

    /// Whether names go on after a state.
    #[inline]
    pub(super) fn goes_on(&self, state: State) -> bool {
        let step = self.steps.get(state as usize);
        step.is_some_and(|step| !step.next.is_empty())
    }

    /// The names that end in a state.
    #[inline]
    pub(super) fn ends(&self, state: State) -> &[NameId] {
        let step = self.steps.get(state as usize);
        step.map_or(&[], |step| &step.ends)
    }

    /// A name as it was written.
    pub(super) fn text(&self, name: NameId) -> &str {
        self.texts.get(name as usize).map_or("", String::as_str)
    }

    /// Returns for each state whether it is on the way to one of some names.
    pub(super) fn states_to(&self, names: &[NameId]) -> Vec<bool> {
        let mut states = self.states_at(names);
        // A state comes after the one before it.
        for (state, step) in self.steps.iter().enumerate().rev() {
            let leads_there = states.get(state).is_some_and(|leads| *leads);
            if let Some(before) = states.get_mut(step.before as usize) {
                *before |= leads_there;
            }
        }
        states
    }

    /// Returns for each state whether one of some names ends there.
    pub(super) fn states_at(&self, names: &[NameId]) -> Vec<bool> {
        let names: HashSet<_, FixedState> = names.iter().collect();
        let steps = self.steps.iter();
        steps
            .map(|step| step.ends.iter().any(|name| names.contains(name)))
            .collect()
    }

    /// Hands on each name that a record has, with its value, in document order.
    pub(super) fn find<'t>(&self, record: Node<'t>, found: &mut impl FnMut(NameId, Node<'t>)) {
        self.find_below(record, RECORD, found);
    }

    fn find_below<'t>(
        &self,
        node: Node<'t>,
        state: State,
        found: &mut impl FnMut(NameId, Node<'t>),
    ) {
        if node.kind() == ValueKind::Array {
            return self.find_in_list(node, state, found);
        }
        for child in node.children() {
            let next = match child.raw_key() {
                Some(raw) => self.step_raw(state, raw),
                None => self.step(state, child.key().unwrap_or_default().as_bytes()),
            };
            if next == DEAD {
                continue;
            }
            for &name in self.ends(next) {
                found(name, child);
            }
            if self.goes_on(next) && is_container(child) {
                self.find_below(child, next, found);
            }
        }
    }

    /// Reads a list of attributes (OpenTelemetry's `{"key": …, "value": {"stringValue": …}}`), or the elements that pointers
    /// number.
    fn find_in_list<'t>(
        &self,
        list: Node<'t>,
        state: State,
        found: &mut impl FnMut(NameId, Node<'t>),
    ) {
        for (number, entry) in list.children().enumerate() {
            let next = self.step(state, number.to_string().as_bytes());
            for &name in self.ends(next) {
                found(name, entry);
            }
            if self.goes_on(next) && entry.is_open() {
                self.find_below(entry, next, found);
            }
            let key = entry.get("key").or_else(|| entry.get("name"));
            let Some((key, value)) = key.and_then(Node::as_str).zip(entry.get("value")) else {
                // Some loggers keep one object in a list.
                if entry.kind() == ValueKind::Object && list.element(1).is_none() {
                    self.find_below(entry, state, found);
                }
                continue;
            };
            let inner = if is_container(value) {
                value.children().next()
            } else {
                Some(value)
            };
            for &name in self.ends(self.step(state, key.as_bytes())) {
                if let Some(inner) = inner {
                    found(name, inner);
                }
            }
        }
    }
}

impl Name {
    fn spans(&self) -> Vec<KeySpan<'_>> {
        if self.text.starts_with('/') {
            let tokens = pointer::tokens(&self.text).zip(0..);
            return tokens.map(|(token, at)| (at, token, at + 1)).collect();
        }
        let dots = || self.text.match_indices('.').map(|(dot, _)| dot);
        let starts = iter::once(0).chain(dots().map(|dot| dot + 1));
        let spans = starts.enumerate().flat_map(|(from, start)| {
            let ends = dots().chain([self.text.len()]).zip(1..).skip(from);
            ends.filter_map(move |(end, to)| Some((from, self.text.get(start..end)?.into(), to)))
        });
        spans.collect()
    }
}

impl Keys {
    fn add(&mut self, key: &[u8], any_spelling: bool) {
        let count = self.count;
        if !any_spelling {
            if !self.exact.contains_key(key) {
                self.exact.insert(key.into(), count);
                self.count += 1;
            }
            return;
        }
        let letters = with_letters(key, <[u8]>::to_vec);
        if let Some((first, last)) = letters.first().zip(letters.last())
            && let Some(ends) = self.ends.get_mut(usize::from(*first))
        {
            *ends |= 1 << (last % 32);
        }
        self.spelled.entry(letters.into()).or_insert_with(|| {
            self.count += 1;
            vec![count]
        });
    }

    /// Gives the keys in any spelling the symbols of those that are compared exactly.
    fn join(&mut self) {
        for (key, symbol) in &self.exact {
            if let Some(symbols) = with_letters(key, |letters| self.spelled.get_mut(letters)) {
                symbols.push(*symbol);
            }
        }
    }

    /// The symbols of a key in a name.
    fn symbols_of(&self, key: &[u8], any_spelling: bool) -> &[Symbol] {
        let symbols = if any_spelling {
            with_letters(key, |letters| self.spelled.get(letters)).map(Vec::as_slice)
        } else {
            self.exact.get(key).map(slice::from_ref)
        };
        symbols.unwrap_or_default()
    }

    #[inline]
    fn symbol(&self, key: &[u8]) -> Option<Symbol> {
        let exact = self.exact.get(key).copied();
        exact.or_else(|| self.spelled(key))
    }

    /// The symbol of a key that is none of those compared exactly.
    fn spelled(&self, key: &[u8]) -> Option<Symbol> {
        let first = key.iter().find(counts)?.to_ascii_lowercase();
        let last = key.iter().rfind(counts)?.to_ascii_lowercase();
        let has_ends = self.ends.get(usize::from(first))? >> (last % 32) & 1 == 1;
        let spelled = |letters: &_| self.spelled.get(letters)?.first().copied();
        has_ends.then(|| with_letters(key, spelled)).flatten()
    }
}

impl Step {
    fn after(before: State) -> Self {
        Self {
            before,
            next: Vec::new(),
            ends: Vec::new(),
        }
    }
}

/// Adds the states of one name after the other.
struct Builder<'k> {
    keys: &'k Keys,
    steps: Vec<Step>,
}

impl Builder<'_> {
    /// Adds the states of each way in which the keys of a name may be written.
    fn add(&mut self, name: NameId, spans: &[KeySpan<'_>], any_spelling: bool) {
        let parts = spans.last().map_or(0, |(_, _, to)| *to);
        let mut open = vec![(RECORD, 0)];
        while let Some((state, written)) = open.pop() {
            if written == parts {
                let step = self.steps.get_mut(state as usize);
                let ends = step.map(|step| &mut step.ends);
                if let Some(ends) = ends.filter(|ends| ends.last() != Some(&name)) {
                    ends.push(name);
                }
            }
            for (_, key, to) in spans.iter().filter(|(from, _, _)| *from == written) {
                for symbol in self.keys.symbols_of(key.as_bytes(), any_spelling) {
                    open.push((self.next(state, *symbol), *to));
                }
            }
        }
    }

    /// The state to which a symbol leads.
    fn next(&mut self, state: State, symbol: Symbol) -> State {
        let new = State::try_from(self.steps.len()).unwrap_or(DEAD);
        let Some(step) = self.steps.get_mut(state as usize) else {
            return DEAD;
        };
        match step.next.binary_search_by_key(&symbol, |(known, _)| *known) {
            Ok(at) => step.next.get(at).map_or(DEAD, |(_, next)| *next),
            Err(at) => {
                step.next.insert(at, (symbol, new));
                self.steps.push(Step::after(state));
                new
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_text_json::json::Document;

    /// The names that a record has, with the raw text of each.
    fn found(names: &[(&str, bool)], record: &str) -> Vec<String> {
        let names: Vec<_> = names
            .iter()
            .map(|&(text, any_spelling)| Name {
                text: text.to_owned(),
                any_spelling,
            })
            .collect();
        let automaton = Automaton::new(&names);
        let document = Document::parse_json(record, 99).unwrap();
        let mut found = Vec::new();
        automaton.find(document.root(), &mut |name, node| {
            let text = &names[name as usize].text;
            found.push(format!("{text}={}", node.raw()));
        });
        found
    }

    #[test]
    fn dotted_names_are_nested_joined_or_both() {
        for record in [
            r#"{"a":{"b":{"c":1}}}"#,
            r#"{"a.b.c":1}"#,
            r#"{"a.b":{"c":1}}"#,
            r#"{"x":0,"a":{"b.c":1}}"#,
            r#"{"\u0061":{"b.c":1}}"#,
            r#"{"a":[{"key":"b.c","value":{"intValue":1}}]}"#,
        ] {
            assert_eq!(found(&[("a.b.c", false)], record), ["a.b.c=1"], "{record}");
        }
        assert!(found(&[("a.b.c", false)], r#"{"a":{"b":1},"c":1,"b.c":1}"#).is_empty());
    }

    #[test]
    fn pointers_are_followed_exactly() {
        let names = [("/a/b.c", false), ("/l/1", false), ("/s~1h", false)];
        assert_eq!(found(&names, r#"{"a":{"b.c":1}}"#), ["/a/b.c=1"]);
        assert!(found(&names, r#"{"a":{"b":{"c":1}},"a.b.c":1}"#).is_empty());
        assert_eq!(
            found(&names, r#"{"l":[0,"x"],"s/h":2}"#),
            ["/l/1=\"x\"", "/s~1h=2"]
        );
    }

    #[test]
    fn a_pointer_goes_through_a_list_of_names_and_values() {
        let names = [("/p/1/value", false)];
        let record = r#"{"p":[{"name":"a","value":1},{"name":"b","value":2}]}"#;
        assert_eq!(found(&names, record), ["/p/1/value=2"]);
    }

    #[test]
    fn names_may_be_long() {
        let long = "m".repeat(80);
        let record = format!("{{\"{long}\":1}}");
        assert_eq!(found(&[(&long, false)], &record), [format!("{long}=1")]);
    }

    #[test]
    fn spelling_counts_unless_a_name_says_otherwise() {
        let names = [("request.body", true), ("body", false), ("Body", false)];
        assert_eq!(
            found(&names, r#"{"Request":{"_ BODY":1}}"#),
            ["request.body=1"]
        );
        assert_eq!(
            found(&names, r#"{"body":1,"BODY":2,"Body":3}"#),
            ["body=1", "Body=3"]
        );
        assert_eq!(
            found(&names, r#"{"request-body":1,"request.body":2}"#),
            ["request.body=2"]
        );
    }
}
