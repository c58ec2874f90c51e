//! Decides by the keys before a field, which mostly are near, whether it is in a place where it may match.

use crate::prefilter::field::Field;
use sundown_text_json::json::key_context::{self, QuoteLevel};
use sundown_text_json::json::{Innermost, open_before};

/// The place of a field, by the text before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// A place in which it may match: the value of a key, the body itself, or anything.
    Place,
    /// Another place.
    Other,
    /// Unknown: it is too far away.
    TooFar,
}

/// The number of bytes that are read before a field, and before its parent.
const NEAR: usize = 512;

impl Before {
    /// Finds the place of a field by the opening quote of its key. `names` is memory for one text.
    pub(super) fn of(
        field: &Field,
        text: &[u8],
        quote: usize,
        level: QuoteLevel,
        names: &mut NameEnds,
    ) -> Self {
        let Field {
            in_keys,
            in_parts_of_keys,
            ..
        } = field;
        // After a backslash, it is part of another key.
        if !level.is_quote(text, quote) {
            return Self::Other;
        }
        if field.needs_ancestors() {
            return Self::Place;
        }
        let inner = match bracket_near(text, quote, level) {
            Ok(inner) => inner,
            Err(nothing) => return nothing,
        };
        if names.is_value_of(text, inner, in_keys, level) {
            return Self::Place;
        }
        if in_parts_of_keys.is_empty() {
            return Self::Other;
        }
        match bracket_near(text, inner, level) {
            Ok(outer) if names.is_value_of(text, outer, in_parts_of_keys, level) => Self::Place,
            Ok(_) => Self::Other,
            Err(nothing) => nothing,
        }
    }
}

/// Returns the bracket that is open at `at`, or whether there is none, or none nearby.
fn bracket_near(text: &[u8], at: usize, level: QuoteLevel) -> Result<usize, Before> {
    let floor = at.saturating_sub(NEAR);
    match open_before(text, at, floor, level) {
        Innermost::Bracket(bracket) => Ok(bracket),
        Innermost::Nothing { .. } if floor == 0 => Err(Before::Other),
        Innermost::Nothing { .. } => Err(Before::TooFar),
    }
}

/// The end of the name before the last bracket, if there was one: many fields have the same parent, and there may be much white
/// space before it.
#[derive(Debug, Default)]
pub(super) struct NameEnds {
    last: Option<(usize, Option<usize>)>,
}

impl NameEnds {
    /// Whether the array or object that opens at `open` is the value of one of the keys.
    fn is_value_of(
        &mut self,
        text: &[u8],
        open: usize,
        keys: &[Box<[u8]>],
        level: QuoteLevel,
    ) -> bool {
        if keys.is_empty() {
            return false;
        }
        let end = match self.last {
            Some((last, end)) if last == open => end,
            _ => key_context::name_end_before(text, open, level),
        };
        self.last = Some((open, end));
        let Some(before) = end.and_then(|end| text.get(..end)) else {
            return false;
        };
        keys.iter().any(|key| {
            // The quote before a key decides about its length.
            before
                .len()
                .checked_sub(key.len() + 1)
                .is_some_and(|at| before.get(at) == Some(&b'"'))
                && before.ends_with(key)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::prefilter::ancestors::{AncestorMatcher, Ancestors};
    use crate::prefilter::search::keys::FieldKeys;
    use crate::prefilter::search::parent::{all_parents, may_hold_use_at_once};
    use sundown_selector::automaton::{Automaton, Walk};
    use sundown_text_json::json::Container;
    use sundown_text_json::text::Span;

    /// Keys, brackets and quotes, most of which make no JSON, at one level or the other.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop::sample::select(
            &[
                "\"in\":{",
                "\"of\" :\n[",
                "\\\"in\\\":{",
                "\\\"of\\\" :\\n[",
                "{",
                "[",
                "}",
                "]",
                "},{",
                "\"f\":1,",
                "\"f\" : {",
                "\"g\":1,",
                "\"h\":1,",
                "\\\"f\\\":1,",
                "\\\"f\\\" : {",
                "\\\"g\\\":1,",
                "\\\"h\\\":1,",
                "\"",
                "\\\"",
                "\\",
                "\\\\\\\"",
                "\"x\":\"in\",",
                "\"x\":\"{\\\"f\\\":\",",
                "\"a long name for something that is of no interest to anybody\":",
            ][..],
        );
        let begin = prop::sample::select(&["{", "[", ""][..]);
        (begin, prop::collection::vec(piece, 0..30))
            .prop_map(|(begin, pieces)| format!("{begin}{}", pieces.concat()))
    }

    #[test]
    fn the_end_of_another_key_is_no_field_though_it_may_stand_anywhere() {
        let field = Field {
            name: (*b"f").into(),
            anywhere: true,
            ..Field::default()
        };
        for (level, text, quote, expected) in [
            (QuoteLevel::Document, r#"{"x\"f":1}"#, 4, Before::Other),
            (QuoteLevel::Document, r#"{"f":1}"#, 1, Before::Place),
            (QuoteLevel::String, r#"{\"x\\\"f\":1}"#, 7, Before::Other),
            (QuoteLevel::String, r#"{\"f\":1}"#, 2, Before::Place),
        ] {
            assert_eq!(&text[quote..quote + 2], "\"f", "{text}");
            let mut names = NameEnds::default();
            let before = Before::of(&field, text.as_bytes(), quote, level, &mut names);
            assert_eq!(before, expected, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn they_are_the_same_from_the_keys_from_the_parents_and_all_at_once(text in text()) {
            let name = |name: &str| name.as_bytes().into();
            let fields = [("f", "in", "of"), ("g", "of", "in"), ("h", "in", "in")];
            let fields = fields.map(|(field, key, key_of_part)| {
                let (in_keys, in_parts_of_keys) = (vec![name(key)], vec![name(key_of_part)]);
                Field { name: name(field), in_keys, in_parts_of_keys, ..Field::default() }
            });
            let parents = all_parents(&fields);
            let text = text.as_bytes();
            for level in [QuoteLevel::Document, QuoteLevel::String] {
                // Which keys are looked at: no automaton of nothing accepts one.
                let looked_at = |see: &mut dyn FnMut(&mut AncestorMatcher<'_>) -> bool| {
                    let mut walk = Walk::new(Arc::new(Automaton::new(Vec::new())));
                    let mut memory = Ancestors::default();
                    let mut matcher = AncestorMatcher::new(text, level, &mut walk, &mut memory);
                    let may_match = see(&mut matcher);
                    (may_match, memory.keys())
                };
                let mut name_ends = NameEnds::default();
                let mut is_far = false;
                let by_key = looked_at(&mut |matcher| {
                    let keys = memchr::memmem::find_iter(text, "\"");
                    let mut keys = keys.filter(|&quote| key_context::is_key(text, quote + 1, quote + 2, level));
                    keys.any(|quote| {
                        let field = fields.iter().find(|field| text[quote + 1..].starts_with(&field.name));
                        let Some(field) = field else { return false };
                        let before = Before::of(field, text, quote, level, &mut name_ends);
                        is_far |= before == Before::TooFar;
                        before == Before::Place && matcher.may_be_use(Span::new(quote + 1, quote + 2))
                    })
                });
                prop_assume!(!is_far);
                let by_parent = looked_at(&mut |matcher| {
                    let mut marks = Container::default();
                    let mut keys = FieldKeys::new(&fields, &mut marks, matcher);
                    parents.iter().any(|parent| {
                        parent.any_may_hold_use(&parents, &mut keys, matcher)
                    })
                });
                let at_once = looked_at(&mut |matcher| may_hold_use_at_once(&parents, text, level, matcher));
                // What is unclear ends the search, wherever that is.
                prop_assert_eq!(by_key.0, by_parent.0, "{:?}", level);
                prop_assert_eq!(by_key.0, at_once.0, "{:?}", level);
                if !by_key.0 {
                    prop_assert_eq!(&by_key.1, &by_parent.1, "{:?}", level);
                    prop_assert_eq!(&by_key.1, &at_once.1, "{:?}", level);
                }
            }
        }
    }
}
