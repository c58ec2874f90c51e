//! One JSON value, walked: which keys the automaton accepts, and when their values end.

use std::borrow::Cow;

use super::queries::{Selected, Selection};
use super::reveal::is_secret_name;
use crate::findings::{LONGEST_PARENT, ValueShape};
use crate::json::pointer::PathStep;
use crate::json::{Event, SyntaxError, Token, Walker, quick, scan, string};
use crate::selector::automaton::{PatternId, StateId, Walk};
use crate::text::{Span, looks_secret};

/// Is told of every accepted key.
pub(super) trait Visitor {
    /// Which of the accepting patterns is to be reported, if any; `value` is the text from the key's value on.
    fn choose(&mut self, accepts: &[PatternId], value: &str) -> Option<PatternId>;
    /// A key that is a use.
    fn found(&mut self, pattern: PatternId, at: &KeyAt<'_>);
    /// A value inside `depth` containers has ended.
    fn ended(&mut self, depth: usize);
}

/// A key, seen from the root.
pub(super) struct KeyAt<'w> {
    pub(super) text: &'w str,
    pub(super) frames: &'w [Frame],
    /// The key, quotes included.
    pub(super) key: Span,
    /// What its value is.
    pub(super) value: ValueShape,
}

/// An array or object that is open, and the step that led to it.
pub(super) struct Frame {
    pub(super) state: StateId,
    /// Where the key begins that it stands under; [`NO_KEY`] for the root and for elements. Where it ends is asked for seldom,
    /// and one word is taken from memory faster than several that have just been written there one by one.
    pub(super) key: usize,
    /// The index it stands at, in an array.
    pub(super) index: usize,
    /// How many elements have begun in it, if it is an array.
    pub(super) elements: usize,
    pub(super) is_object: bool,
}

/// In place of where a key begins.
pub(super) const NO_KEY: usize = usize::MAX;

/// In how many containers around a key names are looked for, for its excerpt and for whether its value may be shown: more
/// than real bodies have, and few enough to look at for each of many keys.
const AROUND: usize = 256;

/// A name around a key.
enum Around<'t> {
    Name(Cow<'t, str>),
    /// It is longer than is looked at.
    Long,
}

impl Frame {
    /// The key it stands under, decoded, as far as it is looked at from inside.
    fn around<'t>(&self, text: &'t str) -> Option<Around<'t>> {
        if self.key == NO_KEY {
            return None;
        }
        let near = text.as_bytes().get(..self.key.saturating_add(LONGEST_PARENT + "\"\"".len()));
        let end = quick::string(near.unwrap_or(text.as_bytes()), self.key);
        Some(end.map_or(Around::Long, |end| {
            Around::Name(string::decode(text, Span::new(self.key, end)))
        }))
    }

    /// The key it stands under, decoded.
    fn key<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        if self.key == NO_KEY {
            return None;
        }
        let end = quick::string(text.as_bytes(), self.key)?;
        Some(string::decode(text, Span::new(self.key, end)))
    }
}

impl KeyAt<'_> {
    /// How many containers are open around it.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The key as the body writes it, quotes included.
    pub(super) fn raw_key(&self) -> &str {
        self.text.get(self.key.start..self.key.end).unwrap_or_default()
    }

    /// The steps from the container at `from` (0 is the root) to the innermost one that is open.
    pub(super) fn steps_from(&self, from: usize) -> impl Iterator<Item = PathStep<'_>> {
        self.frames.iter().skip(from + 1).map(|frame| match frame.key(self.text) {
            Some(key) => PathStep::Key(key),
            None => PathStep::Index(frame.index),
        })
    }

    /// The step to the key itself.
    pub(super) fn last_step(&self) -> PathStep<'_> {
        PathStep::Key(string::decode(self.text, self.key))
    }

    /// Its value as it stands there, if it is a scalar and nothing about it makes it a secret.
    pub(super) fn text_that_may_be_shown(&self) -> Option<String> {
        if matches!(self.value, ValueShape::Object | ValueShape::Array) {
            return None;
        }
        let mut around = self.frames.iter().filter_map(|frame| frame.around(self.text));
        let may_be_secret = |around: Around<'_>| match around {
            Around::Name(name) => is_secret_name(&name),
            Around::Long => true,
        };
        if self.frames.len() > AROUND
            || around.any(may_be_secret)
            || is_secret_name(&string::decode(self.text, self.key))
        {
            return None;
        }
        let bytes = self.text.as_bytes();
        let colon = scan::skip_whitespace(bytes, self.key.end);
        let value = scan::value(bytes, scan::skip_whitespace(bytes, colon + 1)).ok()?;
        let raw = self.text.get(value.start..value.end)?;
        let is_secret = match self.value {
            ValueShape::String => looks_secret(&string::decode(self.text, value)),
            _ => looks_secret(raw),
        };
        (!is_secret).then(|| raw.to_owned())
    }

    /// The nearest key around it, if it is near and short enough to be shown.
    pub(super) fn parent(&self) -> Option<Cow<'_, str>> {
        let mut near = self.frames.iter().rev().take(AROUND);
        match near.find_map(|frame| frame.around(self.text))? {
            Around::Name(name) => Some(name),
            Around::Long => None,
        }
    }
}

/// Walks the value that begins at `start`, and gives the offset behind it. Of a key that is in the `selection` too, the
/// visitor hears once.
pub(super) fn walk(
    text: &str,
    start: usize,
    max_depth: usize,
    automaton: &mut Walk,
    selection: &Selection,
    visitor: &mut dyn Visitor,
) -> Result<usize, SyntaxError> {
    let mut walker = Walker::starting_at(text, start).with_max_depth(max_depth);
    let mut frames: Vec<Frame> = Vec::new();
    let mut choices = Choices::of(text);
    // What the next value is reached by: its state, and its key if it has one.
    let mut state = automaton.start();
    let mut key = NO_KEY;
    while let Some(event) = walker.next_event()? {
        let Event { token, span, escaped } = event;
        match token {
            Token::Key => {
                let Some(frame) = frames.last() else { continue };
                let name = if escaped {
                    string::decode(text, span)
                } else {
                    Cow::Borrowed(string::between_quotes(text, span))
                };
                state = automaton.step_key(frame.state, name.as_bytes());
                key = span.start;
                let accepts = both(automaton.accepts(state), selection.at(span));
                if !accepts.is_empty() {
                    let rest = text.get(walker.position()..).unwrap_or_default();
                    if let Some(pattern) = visitor.choose(&accepts, rest) {
                        visitor.found(
                            pattern,
                            &KeyAt { text, frames: &frames, key: span, value: shape(rest) },
                        );
                    }
                }
                continue;
            }
            Token::ObjectEnd | Token::ArrayEnd => {
                frames.pop();
            }
            _ => {
                let mut index = 0;
                if let Some(frame) = frames.last_mut().filter(|frame| !frame.is_object) {
                    index = frame.elements;
                    frame.elements += 1;
                    state = automaton.step_index(frame.state, index);
                    key = NO_KEY;
                }
                if token == Token::ObjectStart {
                    state = choices.choose(automaton, state, text.as_bytes(), span.start);
                }
                if matches!(token, Token::ObjectStart | Token::ArrayStart) {
                    if automaton.is_live(state) || selection.goes_on_behind(span.start) {
                        let is_object = token == Token::ObjectStart;
                        frames.push(Frame { state, key, index, elements: 0, is_object });
                        continue;
                    }
                    walker.skip_container()?;
                }
            }
        }
        visitor.ended(frames.len());
    }
    Ok(walker.position())
}

/// Reads the discriminators of objects, as long as that costs no more than a few times the text.
pub(super) struct Choices {
    /// How many bytes may still be looked at.
    budget: usize,
}

impl Choices {
    pub(super) fn of(text: &str) -> Self {
        Self { budget: 8 * text.len() + 65_536 }
    }

    /// The state of the object whose bracket is at `open`, when its discriminators have been read: the first member of the
    /// name counts, and only a string does.
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
    fn read(
        &mut self,
        automaton: &mut Walk,
        mut state: StateId,
        bytes: &[u8],
        open: usize,
    ) -> StateId {
        let mut read: Vec<Box<str>> = Vec::new();
        // What is chosen may have discriminators of its own.
        while let Some(next) =
            automaton.discriminators(state).iter().find(|name| !read.contains(name)).cloned()
        {
            if let Some(value) = self.value(bytes, open, &next) {
                state = automaton.choose(state, &next, &value);
            }
            read.push(next);
        }
        state
    }

    fn value<'t>(&mut self, bytes: &'t [u8], open: usize, name: &str) -> Option<Cow<'t, str>> {
        let end = bytes.len().min(open + self.budget);
        let bytes = bytes.get(..end)?;
        let mut seen = end;
        let mut members = scan::members(bytes, open).map_while(Result::ok);
        let found = members.find(|member| {
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

/// What either of two engines accepts; mostly one of them nothing.
#[inline]
pub(super) fn both<'p>(walked: &'p [PatternId], selected: &'p [PatternId]) -> Cow<'p, [PatternId]> {
    if selected.is_empty() {
        Cow::Borrowed(walked)
    } else {
        Cow::Owned([walked, selected].concat())
    }
}

/// What the value at the beginning of `rest` is, by its first byte.
pub(super) fn shape(rest: &str) -> ValueShape {
    match rest.trim_start().as_bytes().first() {
        Some(b'{') => ValueShape::Object,
        Some(b'[') => ValueShape::Array,
        Some(b'"') => ValueShape::String,
        _ => ValueShape::Scalar,
    }
}

/// Whether the value at the beginning of `rest` is `wanted`, or a list of scalars that has it: a string by its content, a
/// number or word as it is written.
pub(super) fn value_is(rest: &str, wanted: &str) -> bool {
    let bytes = rest.as_bytes();
    let is = |span: Span| match bytes.get(span.start) {
        Some(b'"') => string::decode(rest, span) == wanted,
        _ => span.slice(bytes) == wanted.as_bytes(),
    };
    let is_scalar = |at: usize| !matches!(bytes.get(at), Some(b'{' | b'['));
    let start = scan::skip_whitespace(bytes, 0);
    if bytes.get(start) != Some(&b'[') {
        return is_scalar(start) && scan::value(bytes, start).is_ok_and(is);
    }
    // A list of values has no containers in it; looking past one would cost the whole of it at every level.
    let mut at = start + 1;
    loop {
        at = scan::skip_whitespace(bytes, at);
        let Some(span) =
            Some(at).filter(|&at| is_scalar(at)).and_then(|at| scan::value(bytes, at).ok())
        else {
            return false;
        };
        if is(span) {
            return true;
        }
        at = scan::skip_whitespace(bytes, span.end);
        if bytes.get(at) != Some(&b',') {
            return false;
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::queries::NothingSelected;
    use super::super::quick::walk as quick_walk;
    use super::*;
    use crate::selector::Queries;
    use crate::selector::Selector;
    use crate::selector::automaton::{Automaton, PatternRole};

    /// Writes down all it is told.
    #[derive(Default)]
    struct Record(Vec<String>);

    impl Visitor for Record {
        fn choose(&mut self, accepts: &[PatternId], _: &str) -> Option<PatternId> {
            self.0.push(format!("{accepts:?}"));
            accepts.last().copied()
        }

        fn found(&mut self, pattern: PatternId, at: &KeyAt<'_>) {
            let steps: Vec<_> = at.steps_from(0).collect();
            let (key, parent, value) = (at.key, at.parent(), at.value);
            self.0.push(format!("{pattern} {key:?} {steps:?} {parent:?} {value:?}"));
        }

        fn ended(&mut self, depth: usize) {
            // Only what has been found is held until its end.
            if !self.0.is_empty() {
                self.0.push(format!("ended {depth}"));
            }
        }
    }

    /// JSON whose keys are those that the selectors name, or spell them otherwise.
    fn value() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(&["1", "\"x\"", " null", "{}", "[ ]"][..]);
        let key = || prop::sample::select(&["\"a\":", "\"b\" : ", "\"\\u0061\":", "\"é\":"][..]);
        leaf.prop_map(str::to_owned).prop_recursive(5, 40, 4, move |inner| {
            let members = prop::collection::vec((key(), inner.clone()), 1..5);
            prop_oneof![
                prop::collection::vec(inner, 1..5)
                    .prop_map(|elements| format!("[{}]", elements.join(" ,"))),
                members.prop_map(|members| {
                    let members: Vec<_> =
                        members.iter().map(|(key, value)| format!("{key}{value}")).collect();
                    format!("{{ {}}}", members.join(","))
                }),
            ]
        })
    }

    /// What is JSON, and what mostly is not.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(
            &[
                "{",
                "}",
                "[",
                "]",
                ",",
                "\"a\":",
                "\"b\" : ",
                "\"\\u0061\":",
                "\"é\":",
                "1",
                "\"x\"",
                "null",
                " ",
                "{\"a\":1}",
                "[{\"b\":[]},2]",
                "{\"a\":{\"b\":{}}}",
                ",\"c\":[1,{\"a\":0}]",
            ][..],
        );
        let nested = prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat());
        let broken = nested.prop_map(|inner| format!("{{\"a\":[{inner}],\"b\":{{{inner}}}}}"));
        let whole = (value(), value()).prop_map(|(a, b)| format!("{{\"a\":{a},\"b\":{b}}}"));
        prop_oneof![1 => broken, 3 => whole]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2_000))]

        #[test]
        fn the_quick_walk_tells_what_the_slow_one_tells(
            text in text(),
            selectors in prop::collection::vec(
                prop::sample::select(&["$..a", "$.a[*].b", "$.b.a", "$.a[1]..a", "$..['é']", "$.b.*.b", "$..b[*]"][..]),
                0..4,
            ),
            queries in prop::collection::vec(
                prop::sample::select(&["$..[?@.a].a", "$.a[-1].b", "$.b[?@].a", "$.a[1:]..a", "$[?@.b]..b"][..]),
                0..3,
            ),
            depth in 1usize..9,
        ) {
            let role = PatternRole::Use { owner: 0, scope: 0 };
            let parsed = |texts: &[&str]| -> Vec<_> {
                texts.iter().map(|text| Selector::parse(text).unwrap()).collect()
            };
            let patterns = parsed(&selectors).iter().map(|selector| selector.pattern(role)).collect();
            let mut automaton = Walk::new(Arc::new(Automaton::new(patterns)));
            let queries = parsed(&queries);
            let queries = queries.iter().map(|query| (query.pattern(role), query.conditions().to_vec()));
            // What is broken selects nothing.
            let selection = Selection::new(&mut Queries::new(queries), selectors.len(), &text, 0).unwrap_or_default();
            let (mut slow, mut fast) = (Record::default(), Record::default());
            let end = walk(&text, 0, depth, &mut automaton, &selection, &mut slow);
            let quick = quick_walk(&text, 0, depth, &mut automaton, &selection, &mut fast);
            prop_assert_eq!(quick, end.ok());
            if quick.is_some() {
                prop_assert_eq!(&fast.0, &slow.0);
            }
            if selection.is_empty() {
                let mut without = Record::default();
                let end = quick_walk(&text, 0, depth, &mut automaton, &NothingSelected, &mut without);
                prop_assert_eq!((end, without.0), (quick, fast.0));
            }
        }
    }
}
