//! The names of all shapes as one automaton over the keys of members: one walk over a record finds the pieces of every shape.
//!
//! A dotted name may be written in many ways: `http.request.method` is a member `method` in `request` in `http`, one member of
//! that whole name, or anything between. So a state is what remains of some names, a key leads from one state to another by one
//! or more parts, and states that are reached by the same keys are one. Names in any spelling are followed beside them.

use std::collections::{BTreeMap, HashMap};

use crate::spelling::{counts, with_letters};
use foldhash::fast::FixedState;
use sundown_text_json::json::pointer::Pointer;
use sundown_text_json::json::{Node, ValueKind, string};

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
    /// For each state, the next ones by their symbols, in the order of these.
    next: Vec<Box<[(Symbol, State)]>>,
    /// The states after that of a record, for each symbol: most keys are looked up there.
    first: Vec<State>,
    /// For each state, the names that end there.
    ends: Vec<Box<[NameId]>>,
    /// For each state, the names that end there or go on.
    ways: Vec<Box<[NameId]>>,
}

/// The keys of members that some name has.
#[derive(Debug, Default)]
struct Keys {
    /// Keys that are compared exactly.
    exact: HashMap<Box<[u8]>, Symbol, FixedState>,
    /// Keys in any spelling, by the letters that count.
    spelled: HashMap<Box<[u8]>, SpelledKey, FixedState>,
    /// For each first letter of those, a bit for each last one. Most keys have none of these pairs.
    ends: Vec<u32>,
    count: Symbol,
}

/// A key in any spelling.
#[derive(Debug)]
struct SpelledKey {
    /// The symbols of its spellings that are also compared exactly.
    exact: Vec<Symbol>,
    /// The symbol of all others.
    other: Symbol,
}

/// A state of the names themselves: a name and the number of its parts that have been read.
type Position = (NameId, usize);

impl Automaton {
    pub(super) fn new(names: &[Name]) -> Self {
        let parts: Vec<Vec<String>> = names.iter().map(Name::parts).collect();
        let mut keys = Keys {
            ends: vec![0; 256],
            ..Keys::default()
        };
        let mut spans = Vec::new();
        for ((name, parts), id) in names.iter().zip(&parts).zip(0..) {
            for from in 0..parts.len() {
                for to in from + 1..=parts.len() {
                    if to > from + 1 && name.is_pointer() {
                        break;
                    }
                    let key = parts.get(from..to).unwrap_or_default().join(".");
                    spans.push(((id, from), key, to));
                }
            }
        }
        let is_spelled = |id: NameId| names.get(id as usize).is_some_and(|name| name.any_spelling);
        for ((id, _), key, _) in &spans {
            keys.add(key, is_spelled(*id));
        }
        keys.join();
        // Which symbols a key has is known once all keys are.
        let mut steps: HashMap<_, Vec<_>, FixedState> = HashMap::default();
        for ((id, from), key, to) in spans {
            let symbols = keys.symbols_of(&key, is_spelled(id));
            let steps = steps.entry((id, from)).or_default();
            steps.extend(symbols.into_iter().map(|symbol| (symbol, to)));
        }
        let mut builder = Builder {
            names,
            parts: &parts,
            steps: &steps,
            keys,
            numbers: HashMap::default(),
            sets: Vec::new(),
        };
        builder.number(Vec::new());
        builder.number((0..).zip(names).map(|(id, _)| (id, 0)).collect());
        builder.build()
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
            .next
            .get(state as usize)
            .map_or(&[][..], |next| &**next);
        let found = next.binary_search_by_key(&symbol, |(known, _)| *known);
        found
            .ok()
            .and_then(|at| next.get(at))
            .map_or(DEAD, |(_, state)| *state)
    }

    /// Whether names go on after a state.
    #[inline]
    pub(super) fn goes_on(&self, state: State) -> bool {
        self.next
            .get(state as usize)
            .is_some_and(|next| !next.is_empty())
    }

    /// The names that end in a state.
    #[inline]
    pub(super) fn ends(&self, state: State) -> &[NameId] {
        self.ends.get(state as usize).map_or(&[], |names| &**names)
    }

    /// A name as it was written.
    pub(super) fn text(&self, name: NameId) -> &str {
        self.texts.get(name as usize).map_or("", String::as_str)
    }

    /// Returns for each state whether it is on the way to one of some names.
    pub(super) fn states_to(&self, names: &[NameId]) -> Vec<bool> {
        have_one(&self.ways, names)
    }

    /// Returns for each state whether one of some names ends there.
    pub(super) fn states_at(&self, names: &[NameId]) -> Vec<bool> {
        have_one(&self.ends, names)
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

/// The next states for each symbol.
fn dense(next: &[(Symbol, State)], symbols: Symbol) -> Vec<State> {
    let mut states = vec![DEAD; symbols as usize];
    for &(symbol, next) in next {
        if let Some(state) = states.get_mut(symbol as usize) {
            *state = next;
        }
    }
    states
}

fn is_container(node: Node<'_>) -> bool {
    matches!(node.kind(), ValueKind::Object | ValueKind::Array)
}

fn have_one(sets: &[Box<[NameId]>], names: &[NameId]) -> Vec<bool> {
    sets.iter()
        .map(|set| set.iter().any(|name| names.contains(name)))
        .collect()
}

impl Name {
    fn is_pointer(&self) -> bool {
        self.text.starts_with('/')
    }

    /// The parts that may be members of their own.
    fn parts(&self) -> Vec<String> {
        match Pointer::parse(&self.text) {
            Ok(pointer) if self.is_pointer() => pointer.tokens().map(Into::into).collect(),
            _ => self.text.split('.').map(str::to_owned).collect(),
        }
    }
}

impl Keys {
    fn add(&mut self, key: &str, any_spelling: bool) {
        let count = &mut self.count;
        let mut number = || {
            *count += 1;
            *count - 1
        };
        if !any_spelling {
            self.exact
                .entry(key.as_bytes().into())
                .or_insert_with(number);
            return;
        }
        let letters = with_letters(key.as_bytes(), <[u8]>::to_vec);
        if let Some((first, last)) = letters.first().zip(letters.last())
            && let Some(ends) = self.ends.get_mut(usize::from(*first))
        {
            *ends |= 1 << (last % 32);
        }
        let key = self.spelled.entry(letters.into());
        key.or_insert_with(|| SpelledKey {
            exact: Vec::new(),
            other: number(),
        });
    }

    /// Gives the keys in any spelling the symbols of those that are compared exactly.
    fn join(&mut self) {
        for (key, symbol) in &self.exact {
            let spelled = with_letters(key, |letters| self.spelled.get_mut(letters));
            if let Some(spelled) = spelled {
                spelled.exact.push(*symbol);
            }
        }
    }

    /// The symbols of a key in a name.
    fn symbols_of(&self, key: &str, any_spelling: bool) -> Vec<Symbol> {
        if !any_spelling {
            return self
                .exact
                .get(key.as_bytes())
                .copied()
                .into_iter()
                .collect();
        }
        let spelled = with_letters(key.as_bytes(), |letters| self.spelled.get(letters));
        let symbols = spelled.map(|key| [&[key.other], &*key.exact].concat());
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
        let spelled = |letters: &_| self.spelled.get(letters).map(|key| key.other);
        has_ends.then(|| with_letters(key, spelled)).flatten()
    }
}

/// Makes one state of all positions that the same keys lead to.
struct Builder<'n> {
    names: &'n [Name],
    parts: &'n [Vec<String>],
    steps: &'n HashMap<Position, Vec<(Symbol, usize)>, FixedState>,
    keys: Keys,
    numbers: HashMap<Vec<Position>, State, FixedState>,
    sets: Vec<Vec<Position>>,
}

impl Builder<'_> {
    fn number(&mut self, set: Vec<Position>) -> State {
        if let Some(known) = self.numbers.get(&set) {
            return *known;
        }
        let number = State::try_from(self.sets.len()).unwrap_or(DEAD);
        self.numbers.insert(set.clone(), number);
        self.sets.push(set);
        number
    }

    fn build(mut self) -> Automaton {
        let mut next: Vec<Box<[(Symbol, State)]>> = Vec::new();
        let mut ends = Vec::new();
        let mut ways = Vec::new();
        let mut state = 0;
        while let Some(set) = self.sets.get(state).cloned() {
            let mut targets: BTreeMap<Symbol, Vec<Position>> = BTreeMap::new();
            for &(name, from) in &set {
                for &(symbol, to) in self.steps.get(&(name, from)).into_iter().flatten() {
                    targets.entry(symbol).or_default().push((name, to));
                }
            }
            let targets = targets.into_iter().map(|(symbol, mut target)| {
                target.sort_unstable();
                target.dedup();
                (symbol, self.number(target))
            });
            next.push(targets.collect());
            let is_end =
                |&&(name, at): &&Position| self.parts.get(name as usize).map(Vec::len) == Some(at);
            ends.push(set.iter().filter(is_end).map(|(name, _)| *name).collect());
            ways.push(set.iter().map(|(name, _)| *name).collect());
            state += 1;
        }
        Automaton {
            first: dense(
                next.get(RECORD as usize).map_or(&[], |next| next),
                self.keys.count,
            ),
            texts: self.names.iter().map(|name| name.text.clone()).collect(),
            keys: self.keys,
            next,
            ends,
            ways,
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
