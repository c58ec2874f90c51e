//! Keys whose values may contain fields, and the search of such a value.

use memchr::memmem::Finder;

use super::keys::FieldKeys;
use super::verdict::MAX_FIELDS;
use crate::prefilter::ancestors::AncestorMatcher;
use crate::prefilter::field::Field;
use sundown_text_json::json::Ends;
use sundown_text_json::json::Literal;
use sundown_text_json::json::key_context::{self, QuoteLevel};
use sundown_text_json::text::Span;

/// A key whose value may contain fields.
#[derive(Debug)]
pub(super) struct Parent {
    /// Its name with the opening quote.
    quoted: Finder<'static>,
    wants: Vec<Want>,
    /// The ends of the names of its fields.
    ends: Vec<Ends>,
    /// Whether it is searched, rather than only found from one of its fields.
    pub is_needle: bool,
}

/// The number of times that each byte of a text may be read for nested parents.
const MAX_PASSES: usize = 8;

/// A field that may be in the value of a key.
#[derive(Debug)]
struct Want {
    /// The number of the field.
    field: usize,
    depth: Depth,
    /// Its name with the opening quote.
    quoted: Literal,
}

/// The depth of a field in the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// In the value itself.
    Value,
    /// In an element or member of it.
    Part,
}

/// All possible parents of a field.
pub(super) fn parents(field: &Field) -> impl Iterator<Item = (&[u8], Depth)> {
    field
        .in_keys
        .iter()
        .map(|name| (&**name, Depth::Value))
        .chain(
            field
                .in_parts_of_keys
                .iter()
                .map(|name| (&**name, Depth::Part)),
        )
}

/// The parents of all fields, each with its fields.
pub(super) fn all_parents(fields: &[Field]) -> Vec<Parent> {
    let mut all: Vec<Parent> = Vec::new();
    for (number, field) in fields.iter().enumerate() {
        for (name, depth) in parents(field) {
            let quoted = Literal::in_quote(name);
            let ends = Ends::of(&field.name);
            let want = Want {
                field: number,
                depth,
                quoted: Literal::in_quote(&field.name),
            };
            match all
                .iter_mut()
                .find(|parent| parent.quoted() == quoted.bytes())
            {
                Some(parent) => {
                    parent.wants.push(want);
                    parent
                        .ends
                        .extend(ends.filter(|ends| !parent.ends.contains(ends)));
                }
                None => all.push(Parent {
                    quoted: Finder::new(quoted.bytes()).into_owned(),
                    wants: vec![want],
                    ends: ends.into_iter().collect(),
                    is_needle: false,
                }),
            }
        }
    }
    all
}

impl Parent {
    /// Its name with the opening quote.
    pub(super) fn quoted(&self) -> &[u8] {
        self.quoted.needle()
    }

    /// Whether it is a parent of the field.
    pub(super) fn is_around(&self, field: usize) -> bool {
        self.wants.iter().any(|want| want.field == field)
    }

    /// Whether it is a parent of any field that has a bit in `fields`.
    pub(super) fn is_around_any(&self, fields: u64) -> bool {
        self.wants
            .iter()
            .any(|want| want.field < MAX_FIELDS && fields >> want.field & 1 == 1)
    }

    /// Whether the value of any key with this name in a text may contain a use. `all` are all parents.
    pub(super) fn any_may_hold_use(
        &self,
        all: &[Self],
        keys: &mut FieldKeys<'_>,
        matcher: &mut AncestorMatcher<'_>,
    ) -> bool {
        let FieldKeys { text, level, .. } = *keys;
        self.quoted.find_iter(text).any(|start| {
            let end = start + self.quoted().len();
            let open = key_context::value_of_key(text, start + 1, end, level);
            open.is_some_and(|open| self.may_hold_use(all, open, keys, matcher))
        })
    }

    /// Whether the value at `open` may contain a use.
    pub(super) fn may_hold_use(
        &self,
        all: &[Self],
        open: usize,
        keys: &mut FieldKeys<'_>,
        matcher: &mut AncestorMatcher<'_>,
    ) -> bool {
        let FieldKeys {
            text,
            level,
            looked,
            marks,
            ..
        } = keys;
        let text = *text;
        let level = *level;
        if looked.has_all || !matches!(text.get(open), Some(b'{' | b'[')) {
            return false;
        }
        if looked.bytes / MAX_PASSES > text.len() {
            looked.has_all = true;
            return may_hold_use_at_once(all, text, level, matcher);
        }
        let value = text.get(open..).unwrap_or_default();
        // If the value does not end, all that follows is read.
        let end = marks.read(value, &self.ends, level).unwrap_or(value.len());
        looked.bytes = looked.bytes.saturating_add(end);
        let mut depths = marks.depths();
        marks.alike().iter().any(|&quote| {
            let depth = depths.at(quote);
            let name = self.key_at(value, quote, level, |want| want.depth.steps() == depth);
            name.is_some_and(|name| matcher.may_be_use(name.shifted(open)))
        })
    }

    /// Returns the name of a field with a key after the quote at `quote`, if that `is_there` in a matching place.
    #[inline]
    fn key_at(
        &self,
        text: &[u8],
        quote: usize,
        level: QuoteLevel,
        is_there: impl Fn(&Want) -> bool,
    ) -> Option<Span> {
        let rest = text.get(quote..).unwrap_or_default();
        self.wants.iter().find_map(|want| {
            let name = Span::new(quote + 1, quote + want.quoted.len());
            let is_key = want.quoted.begins(rest)
                && key_context::is_key(text, name.start, name.end, level)
                && is_there(want);
            is_key.then_some(name)
        })
    }
}

/// Whether the value of any parent may contain a use, in one pass through the text, however they are nested.
pub(super) fn may_hold_use_at_once(
    all: &[Parent],
    text: &[u8],
    level: QuoteLevel,
    matcher: &mut AncestorMatcher<'_>,
) -> bool {
    // The parents that are open where the number of quotes before is even, and where it is odd. Which of both is outside of
    // strings matters as little as for a single key.
    let mut open: [Vec<Option<usize>>; 2] = Default::default();
    let mut is_odd = false;
    for (at, &byte) in text.iter().enumerate() {
        let [even, odd] = &mut open;
        let around = if is_odd { odd } else { even };
        match byte {
            b'{' | b'[' => around.push(parent_of(all, text, at, level)),
            b'}' | b']' => {
                around.pop();
            }
            b'"' if level.is_quote(text, at) => {
                is_odd = !is_odd;
                for depth in [Depth::Value, Depth::Part] {
                    let place = around.len().checked_sub(depth.steps());
                    let number = place.and_then(|place| *around.get(place)?);
                    let name = number
                        .and_then(|number| all.get(number))
                        .and_then(|parent| {
                            parent.key_at(text, at, level, |want| want.depth == depth)
                        });
                    if name.is_some_and(|name| matcher.may_be_use(name)) {
                        return true;
                    }
                }
            }
            _ => {}
        }
    }
    false
}

/// Returns the number of the parent whose value opens at `open`.
fn parent_of(all: &[Parent], text: &[u8], open: usize, level: QuoteLevel) -> Option<usize> {
    let before = text.get(..key_context::name_end_before(text, open, level)?)?;
    all.iter()
        .position(|parent| before.ends_with(parent.quoted()))
}

impl Depth {
    /// The number of open brackets between the key and the field.
    fn steps(self) -> usize {
        match self {
            Self::Value => 1,
            Self::Part => 2,
        }
    }
}

/// Whether a key may be a use that is too far from its parent.
pub(super) fn may_match_far(
    parents: &[Parent],
    keys: &mut FieldKeys<'_>,
    matcher: &mut AncestorMatcher<'_>,
) -> bool {
    let far = keys.far;
    parents
        .iter()
        .filter(|parent| parent.is_around_any(far))
        .any(|parent| parent.any_may_hold_use(parents, keys, matcher))
}
