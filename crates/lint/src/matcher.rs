//! Walks a JSON value with the automaton, and reports the keys, elements and bodies it accepts and their ends.

use std::borrow::Cow;

use super::alternatives::{Alternatives, Discriminators};
use super::queries::Selected;
use crate::findings::MAX_PARENT_BYTES;
use sundown_selector::automaton::{PatternId, StateId, ValueStep, Walk};
use sundown_text_json::Limits;
use sundown_text_json::json::pointer::{PathStep, PointerBuilder, Pointers};
use sundown_text_json::json::{
    Event, SyntaxError, Token, ValueKind, Walker, scalars, scan, string,
};
use sundown_text_json::text::Span;

/// Receives the matches of a walk.
pub(super) trait MatchVisitor {
    /// What is reported of a key.
    type Choice;
    /// Chooses what to report of a key with this value, by the patterns that accept it.
    fn choose(&mut self, accepts: &[PatternId], value: ValueAt<'_>) -> Vec<Self::Choice>;
    /// A key for which something was chosen.
    fn found(&mut self, choice: Self::Choice, at: &Match<'_>);
    /// A value inside `depth` containers has ended.
    fn ended(&mut self, depth: usize);
}

/// A value that the automaton accepts, with the containers around it.
pub(super) struct Match<'w> {
    pub text: &'w str,
    pub frames: &'w [Frame],
    /// The key, quotes included; for an element or a body, its first byte.
    pub key: Span,
    /// The kind of the value.
    pub value: Option<ValueKind>,
}

/// An open array or object, and the step that led to it.
pub(super) struct Frame {
    state: StateId,
    /// Offset of its key; [`NO_KEY`] for the root and for elements. The key's end is rarely needed, and one word is faster to
    /// read back than several that were just written one by one.
    key: usize,
    /// Its index in an array.
    index: usize,
    /// The number of elements begun in it, if it is an array.
    elements: usize,
    is_object: bool,
}

/// In place of the offset of a key.
const NO_KEY: usize = usize::MAX;

/// The number of containers around a key in which a name is searched for its excerpt: more than real bodies have, and few enough
/// to look at for each of many keys.
const AROUND: usize = 256;

impl Frame {
    /// Its decoded key, unless that takes more bytes.
    fn key<'t>(&self, text: &'t str, longest: usize) -> Option<Cow<'t, str>> {
        if self.key == NO_KEY {
            return None;
        }
        let bytes = text.as_bytes();
        let near = bytes.get(..self.key.saturating_add(longest));
        let end = scalars::string(near.unwrap_or(bytes), self.key)?;
        Some(string::decode(text, Span::new(self.key, end)))
    }
}

impl Match<'_> {
    /// The number of open containers around it.
    pub(super) fn depth(&self) -> usize {
        self.frames.len()
    }

    /// The key as the body writes it, quotes included; `None` for an element or a body.
    pub(super) fn raw_key(&self) -> Option<&str> {
        self.frames.last().filter(|around| around.is_object)?;
        self.text.get(self.key.start..self.key.end)
    }

    /// The steps from the container at `from` (0 is the root) to the innermost one that is open.
    pub(super) fn steps_from(&self, from: usize) -> impl Iterator<Item = PathStep<'_>> {
        self.frames
            .iter()
            .skip(from + 1)
            .map(|frame| match frame.key(self.text, usize::MAX) {
                Some(key) => PathStep::Key(key),
                None => PathStep::Index(frame.index),
            })
    }

    /// The pointers to it, by those to the container that is open.
    pub(super) fn pointers(&self, path: &PointerBuilder) -> Pointers {
        match self.frames.last() {
            None => Pointers::default(),
            Some(around) if around.is_object => {
                path.to(&PathStep::Key(string::decode(self.text, self.key)))
            }
            Some(around) => path.to(&PathStep::Index(around.elements - 1)),
        }
    }

    /// Its value as written, if it may be shown: `true`, `false` or `null`, or a scalar that the rule names itself. Anything
    /// else could be personal data: nothing distinguishes a name or a diagnosis from a value of an enumeration.
    pub(super) fn text_that_may_be_shown(&self, is_named_by_rule: bool) -> Option<String> {
        let is_container = matches!(self.value, Some(ValueKind::Object | ValueKind::Array));
        if is_container || self.raw_key().is_none() {
            return None;
        }
        let bytes = self.text.as_bytes();
        let colon = scan::skip_whitespace(bytes, self.key.end);
        let value = scan::value(bytes, scan::skip_whitespace(bytes, colon + 1)).ok()?;
        let raw = self.text.get(value.start..value.end)?;
        let may_be_shown = is_named_by_rule || matches!(raw, "true" | "false" | "null");
        may_be_shown.then(|| raw.to_owned())
    }

    /// The nearest key around it, if it is near and short enough to show.
    pub(super) fn parent(&self) -> Option<Cow<'_, str>> {
        let mut near = self.frames.iter().rev().take(AROUND);
        let nearest = near.find(|frame| frame.key != NO_KEY)?;
        nearest.key(self.text, MAX_PARENT_BYTES + "\"\"".len())
    }
}

/// A value that is walked.
#[derive(Debug, Clone, Copy)]
pub(super) struct WalkedValue<'t> {
    /// The text that contains it.
    pub text: &'t str,
    /// The offset at which it begins.
    pub start: usize,
    /// How deep its containers may nest.
    pub limits: Limits,
}

/// Walks a value, and returns the offset after it. If it is not valid JSON or too deep, the visitor has received the matches before
/// the fault.
///
/// A key that the `selection` has, too, is reported once. Without `alternatives`, those of schemas stay undecided.
pub(super) fn walk<'t>(
    value: WalkedValue<'t>,
    automaton: &mut Walk,
    selection: &impl Selected,
    alternatives: Option<&mut Alternatives<'t>>,
    visitor: &mut impl MatchVisitor,
) -> Result<usize, SyntaxError> {
    let WalkedValue {
        text,
        start,
        limits,
    } = value;
    let matcher = BodyMatcher {
        text,
        walker: Walker::starting_at(text, start).up_to(limits.depth),
        accepts_nameless: automaton.accepts_nameless(),
        state: automaton.start(),
        automaton,
        selection,
        visitor,
        discriminators: Discriminators::of(text),
        alternatives,
        frames: Vec::with_capacity(32),
        key: NO_KEY,
        index: 0,
    };
    matcher.run()
}

struct BodyMatcher<'w, 't, S, V> {
    text: &'t str,
    walker: Walker<'t>,
    automaton: &'w mut Walk,
    selection: &'w S,
    visitor: &'w mut V,
    discriminators: Discriminators,
    /// Decides between the alternatives of schemas; `None` in a walk that leaves them open.
    alternatives: Option<&'w mut Alternatives<'t>>,
    frames: Vec<Frame>,
    /// The state in which the next value is reached.
    state: StateId,
    /// Whether an element may be a use.
    accepts_nameless: bool,
    /// Offset of its key; [`NO_KEY`] for the root and for elements.
    key: usize,
    /// Its index, in an array.
    index: usize,
}

impl<S: Selected, V: MatchVisitor> BodyMatcher<'_, '_, S, V> {
    fn run(mut self) -> Result<usize, SyntaxError> {
        while let Some(Event { token, span }) = self.next_event()? {
            match token {
                Token::Key => {
                    self.member(span);
                    continue;
                }
                Token::ObjectStart | Token::ArrayStart => {
                    self.nameless(span.start, true);
                    if self.enter(token == Token::ObjectStart, span.start) {
                        continue;
                    }
                    self.walker.skip_container()?;
                }
                Token::ObjectEnd | Token::ArrayEnd => _ = self.frames.pop(),
                _ => self.nameless(span.start, false),
            }
            self.visitor.ended(self.frames.len());
        }
        Ok(self.walker.position())
    }

    /// The next step. An element that is cut off is begun.
    #[inline]
    fn next_event(&mut self) -> Result<Option<Event>, SyntaxError> {
        let next = self.walker.next_event();
        if let Err(error) = &next
            && error.leaves_prefix_whole()
            && self.walker.position() < self.text.len()
        {
            self.nameless(self.walker.position(), false);
        }
        next
    }

    /// Enters an array or object, unless nothing in it can match.
    #[inline]
    fn enter(&mut self, is_object: bool, at: usize) -> bool {
        if is_object {
            let bytes = self.text.as_bytes();
            self.state = self
                .discriminators
                .choose(self.automaton, self.state, bytes, at);
        }
        if let Some(alternatives) = &mut self.alternatives {
            self.state = alternatives.decide(self.automaton, self.state, at);
        }
        let may_match = self.automaton.is_live(self.state) || self.selection.has_any_after(at);
        if may_match {
            let Self {
                state, key, index, ..
            } = *self;
            self.frames.push(Frame {
                state,
                key,
                index,
                elements: 0,
                is_object,
            });
        }
        may_match
    }

    /// Begins a value at `at`, if it is an element or the whole value.
    #[inline]
    fn nameless(&mut self, at: usize, is_container: bool) {
        let is_reported = match self.frames.last_mut() {
            Some(frame) if frame.is_object => false,
            Some(frame) => {
                self.index = frame.elements;
                self.key = NO_KEY;
                frame.elements += 1;
                // If an element is no use by itself, its state matters only if it is a container.
                if self.accepts_nameless || is_container {
                    self.state = self.automaton.step_index(frame.state, self.index);
                }
                self.accepts_nameless
            }
            None => self.accepts_nameless || is_container,
        };
        if is_reported {
            self.report(Span::new(at, at + 1), at);
        }
    }

    /// Begins a member by its key.
    #[inline]
    fn member(&mut self, key: Span) {
        let Some(frame) = self.frames.last() else {
            return;
        };
        let inside = Span::new(key.start + 1, key.end - 1).slice(self.text.as_bytes());
        self.state = if inside.contains(&b'\\') {
            let name = string::decode(self.text, key);
            self.automaton.step_key(frame.state, name.as_bytes())
        } else {
            self.automaton.step_key(frame.state, inside)
        };
        self.key = key.start;
        self.report(key, self.walker.position());
    }

    /// Reports what is chosen of the value in the current state, which begins after `start`. See [`Match`] for its `key`.
    #[inline]
    fn report(&mut self, key: Span, start: usize) {
        let around = self.frames.last();
        let is_member = around.is_some_and(|around| around.is_object);
        let walked = if is_member {
            self.automaton.accepts(self.state)
        } else {
            self.automaton.accepts_of_graph(self.state)
        };
        let selected = self.selection.at(key);
        if walked.is_empty() && selected.is_empty() {
            return;
        }
        let text = self.text;
        let walked = match &mut self.alternatives {
            Some(alternatives) if !walked.is_empty() => {
                let from = around.map_or(self.state, |around| around.state);
                let name = is_member.then(|| string::decode(text, key));
                let step = match (around, &name) {
                    (None, _) => ValueStep::Start,
                    (_, None) => ValueStep::Element(self.index),
                    (_, Some(name)) => ValueStep::Member(name),
                };
                let value = scan::skip_whitespace(text.as_bytes(), start);
                alternatives.settle(self.automaton, from, step, value, walked)
            }
            _ => Cow::Borrowed(walked),
        };
        let accepts = both(&walked, selected);
        let at = ValueAt { text, start };
        for choice in self.visitor.choose(&accepts, at) {
            let frames = &*self.frames;
            let value = at.kind();
            self.visitor.found(
                choice,
                &Match {
                    text,
                    frames,
                    key,
                    value,
                },
            );
        }
    }
}

/// The patterns that either of two engines accepts; mostly one of them accepts none.
#[inline]
fn both<'p>(walked: &'p [PatternId], selected: &'p [PatternId]) -> Cow<'p, [PatternId]> {
    if selected.is_empty() {
        Cow::Borrowed(walked)
    } else {
        Cow::Owned([walked, selected].concat())
    }
}

/// The value of a key in a text.
#[derive(Debug, Clone, Copy)]
pub(super) struct ValueAt<'t> {
    pub text: &'t str,
    /// The offset after the colon.
    pub start: usize,
}

impl<'t> ValueAt<'t> {
    /// The text from the value on.
    fn rest(self) -> &'t str {
        self.text.get(self.start..).unwrap_or_default()
    }

    /// The kind of the value, by its first byte.
    fn kind(self) -> Option<ValueKind> {
        let first = self.rest().trim_start().as_bytes().first()?;
        ValueKind::of_first_byte(*first)
    }

    /// The value if it is a scalar, or the scalars of a list up to its first container: a string by its content, a number or
    /// literal as written.
    pub(super) fn scalars(self) -> Vec<Cow<'t, str>> {
        let rest = self.rest();
        let bytes = self.rest().as_bytes();
        let start = scan::skip_whitespace(bytes, 0);
        let is_list = bytes.get(start) == Some(&b'[');
        let mut at = start + usize::from(is_list);
        let mut scalars = Vec::new();
        loop {
            at = scan::skip_whitespace(bytes, at);
            // Such a list has no containers; skipping one would cost its whole length at every level.
            if matches!(bytes.get(at), Some(b'{' | b'[')) {
                break;
            }
            let Ok(span) = scan::value(bytes, at) else {
                break;
            };
            scalars.push(match bytes.get(span.start) {
                Some(b'"') => string::decode(rest, span),
                _ => Cow::Borrowed(rest.get(span.start..span.end).unwrap_or_default()),
            });
            at = scan::skip_whitespace(bytes, span.end);
            if !is_list || bytes.get(at) != Some(&b',') {
                break;
            }
            at += 1;
        }
        scalars
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::super::queries::{NothingSelected, Selection};
    use super::*;
    use crate::value_tree::ValueTree;
    use sundown_selector::Queries;
    use sundown_selector::Selector;
    use sundown_selector::automaton::{Automaton, PatternRole};
    use sundown_text_json::json::{Document, Node};

    /// Writes down all that it receives.
    #[derive(Default)]
    struct Record(Vec<String>);

    impl MatchVisitor for Record {
        type Choice = PatternId;

        fn choose(&mut self, accepts: &[PatternId], _: ValueAt<'_>) -> Vec<PatternId> {
            self.0.push(format!("{accepts:?}"));
            accepts.last().copied().into_iter().collect()
        }

        fn found(&mut self, pattern: PatternId, at: &Match<'_>) {
            let steps: Vec<_> = at.steps_from(0).collect();
            let (key, parent, value) = (at.key, at.parent(), at.value);
            self.0
                .push(format!("{pattern} {key:?} {steps:?} {parent:?} {value:?}"));
        }

        fn ended(&mut self, depth: usize) {
            // Only what has been found is held until its end.
            if !self.0.is_empty() {
                self.0.push(format!("ended {depth}"));
            }
        }
    }

    /// The same walk by recursion over the tree.
    struct Reference<'r, 't> {
        text: &'t str,
        automaton: &'r mut Walk,
        selection: &'r Selection,
        discriminators: Discriminators,
        frames: Vec<Frame>,
        record: Record,
    }

    impl Reference<'_, '_> {
        fn visit(&mut self, node: Node<'_>, mut state: StateId, key: usize, index: usize) {
            let at = node.span().start;
            let is_object = node.kind() == ValueKind::Object;
            if is_object {
                let bytes = self.text.as_bytes();
                state = self.discriminators.choose(self.automaton, state, bytes, at);
            }
            let may_match = self.automaton.is_live(state) || self.selection.has_any_after(at);
            if may_match && (is_object || node.kind() == ValueKind::Array) {
                let elements = 0;
                self.frames.push(Frame {
                    state,
                    key,
                    index,
                    elements,
                    is_object,
                });
                for (number, child) in node.children().enumerate() {
                    match child.key_span() {
                        Some(key) => {
                            let name = child.key().unwrap_or_default().as_bytes();
                            let next = self.automaton.step_key(state, name);
                            self.member(key, next, child.span().start);
                            self.visit(child, next, key.start, 0);
                        }
                        None => {
                            self.frames.last_mut().unwrap().elements = number + 1;
                            let next = self.automaton.step_index(state, number);
                            self.visit(child, next, NO_KEY, number);
                        }
                    }
                }
                self.frames.pop();
            }
            self.record.ended(self.frames.len());
        }

        fn member(&mut self, key: Span, state: StateId, start: usize) {
            let accepts = both(self.automaton.accepts(state), self.selection.at(key));
            if accepts.is_empty() {
                return;
            }
            let text = self.text;
            let at = ValueAt { text, start };
            for choice in self.record.choose(&accepts, at) {
                let (frames, value) = (self.frames.as_slice(), at.kind());
                let found = Match {
                    text,
                    frames,
                    key,
                    value,
                };
                self.record.found(choice, &found);
            }
        }
    }

    /// JSON whose keys are those that the selectors name, or spell them otherwise.
    fn value() -> impl Strategy<Value = String> {
        let leaf = prop::sample::select(&["1", "\"x\"", " null", "{}", "[ ]"][..]);
        let key = || prop::sample::select(&["\"a\":", "\"b\" : ", "\"\\u0061\":", "\"é\":"][..]);
        leaf.prop_map(str::to_owned)
            .prop_recursive(5, 40, 4, move |inner| {
                let members = prop::collection::vec((key(), inner.clone()), 1..5);
                prop_oneof![
                    prop::collection::vec(inner, 1..5)
                        .prop_map(|elements| format!("[{}]", elements.join(" ,"))),
                    members.prop_map(|members| {
                        let members: Vec<_> = members
                            .iter()
                            .map(|(key, value)| format!("{key}{value}"))
                            .collect();
                        format!("{{ {}}}", members.join(","))
                    }),
                ]
            })
    }

    /// Texts that are JSON, and texts that mostly are not.
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
        fn the_walk_finds_what_recursion_over_the_tree_finds(
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
            let limits = Limits { depth, ..Limits::default() };
            let role = PatternRole::Use { owner: 0, scope: 0 };
            let parsed = |texts: &[&str]| -> Vec<_> {
                texts.iter().map(|text| Selector::parse(text).unwrap()).collect()
            };
            let patterns = parsed(&selectors).iter().map(|selector| selector.pattern(role)).collect();
            let mut automaton = Walk::new(Arc::new(Automaton::new(patterns)));
            let queries = parsed(&queries);
            let queries = queries.iter().map(|query| (query.pattern(role), query.conditions().to_vec()));
            // Broken text selects nothing.
            let tree = ValueTree::of(WalkedValue { text: &text, start: 0, limits: Limits::default() });
            let selection = Selection::new(&mut Queries::new(queries), selectors.len(), &tree).unwrap_or_default();
            let mut fast = Record::default();
            let value = WalkedValue { text: &text, start: 0, limits };
            let end = walk(value, &mut automaton, &selection, None, &mut fast);
            let document = Document::parse_first_value(&text, depth);
            prop_assert_eq!(end.is_ok(), document.is_ok());
            if let Ok(document) = document {
                prop_assert_eq!(end, Ok(document.root().span().end));
                let state = automaton.start();
                let mut slow = Reference {
                    text: &text,
                    automaton: &mut automaton,
                    selection: &selection,
                    discriminators: Discriminators::of(&text),
                    frames: Vec::new(),
                    record: Record::default(),
                };
                slow.visit(document.root(), state, NO_KEY, 0);
                prop_assert_eq!(&fast.0, &slow.record.0);
            }
            if selection.is_empty() {
                let mut without = Record::default();
                let same = walk(value, &mut automaton, &NothingSelected, None, &mut without);
                prop_assert_eq!((same, without.0), (end, fast.0));
            }
        }
    }
}
