//! Whether a field stands where it may match, by what stands before it: mostly the keys around it are near.

use crate::document::raw::{self, Level};
use crate::document::{Around, around};
use crate::lint::field::Field;

/// What stands before a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Before {
    /// Something in which it may match: the value of a key, or the body itself, or whatever it is.
    Parent,
    /// None of those, so far as keys are near.
    Other,
    /// They are too far away.
    TooFar,
}

/// Through how many times 64 bytes keys are near.
const NEAR: usize = 8;

impl Before {
    /// What stands before the key of a field, whose opening quote stands at `quote`.
    pub(super) fn of(field: &Field, text: &[u8], quote: usize, level: Level) -> Self {
        let Field { anywhere, at_root, in_keys, in_parts_of_keys, .. } = field;
        if !level.is_quote(text, quote) {
            return Self::Other;
        }
        if *anywhere {
            return Self::Parent;
        }
        let inner = match around(text, quote, level, NEAR) {
            Around::Bracket(inner) => inner,
            Around::Nothing => return Self::Other,
            Around::TooFar => return Self::TooFar,
        };
        if *at_root && inner == 0 || is_value_of(text, inner, in_keys, level) {
            return Self::Parent;
        }
        if in_parts_of_keys.is_empty() {
            return Self::Other;
        }
        match around(text, inner, level, NEAR) {
            Around::Bracket(outer) if is_value_of(text, outer, in_parts_of_keys, level) => {
                Self::Parent
            }
            Around::Bracket(_) | Around::Nothing => Self::Other,
            Around::TooFar => Self::TooFar,
        }
    }
}

/// Whether the array or object whose bracket stands at `open` is the value of one of the keys.
fn is_value_of(text: &[u8], open: usize, keys: &[Box<[u8]>], level: Level) -> bool {
    if keys.is_empty() {
        return false;
    }
    let Some(end) = raw::name_end_before(text, open, level) else { return false };
    let before = text.get(..end).unwrap_or_default();
    keys.iter().any(|key| {
        // Keys of another length are told by the quote before them alone.
        let quote = before.len().checked_sub(key.len() + 1);
        quote.is_some_and(|at| before.get(at) == Some(&b'"')) && before.ends_with(key)
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::automaton::{Automaton, Walk};
    use crate::document::Structure;
    use crate::lint::search::parent::{Parent, all_parents};
    use crate::lint::way::{Judge, Seen};

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
                "\\\"f\\\":1,",
                "\\\"f\\\" : {",
                "\"",
                "\\\"",
                "\\",
                "\\\\\\\"",
                "\"x\":\"in\",",
                "\"x\":\"{\\\"f\\\":\",",
                "\"a long name for something that is of no interest to anybody\":",
            ][..],
        );
        prop::collection::vec(piece, 0..30).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(5_000))]

        #[test]
        fn it_is_the_same_from_the_key_from_the_parent_and_all_at_once(text in text()) {
            let name = |name: &str| name.as_bytes().into();
            let (in_keys, in_parts_of_keys) = (vec![name("in")], vec![name("of")]);
            let field = Field { name: name("f"), in_keys, in_parts_of_keys, ..Field::default() };
            let parents = all_parents(std::slice::from_ref(&field));
            let text = text.as_bytes();
            for level in [Level::Document, Level::String] {
                // Whether any key was looked at: no automaton of nothing accepts one.
                let is_any = |see: &dyn Fn(&Parent, &mut Judge<'_>) -> Option<Seen>| {
                    let mut walk = Walk::new(Arc::new(Automaton::new(Vec::new())));
                    let mut way = Vec::new();
                    parents.iter().any(|parent| {
                        let mut judge = Judge::new(text, level, &mut walk, &mut way);
                        see(parent, &mut judge).is_some() || judge.has_refused
                    })
                };
                let keys = memchr::memmem::find_iter(text, "\"f")
                    .filter(|&quote| raw::is_key(text, quote + 1, quote + 2, level));
                let before: Vec<_> =
                    keys.map(|quote| Before::of(&field, text, quote, level)).collect();
                prop_assume!(!before.contains(&Before::TooFar));
                let by_key = before.contains(&Before::Parent);
                let by_parent = is_any(&|parent, judge| {
                    parent.seen_in_any(text, level, &mut Structure::default(), judge)
                });
                let at_once = is_any(&|parent, judge| parent.seen_at_once(text, level, judge));
                prop_assert_eq!(by_key, by_parent, "{:?}", level);
                prop_assert_eq!(by_key, at_once, "{:?}", level);
            }
        }
    }
}
