//! Fields that have keys in a body, each looked at from there.

use super::before::Before;
use crate::document::raw::Level;
use crate::lint::field::Field;
use crate::lint::way::{Judge, Seen};
use crate::source::Span;

/// What has been seen of the fields of one body.
pub(super) struct Keys<'k> {
    fields: &'k [Field],
    pub(super) text: &'k [u8],
    pub(super) level: Level,
    /// Those that have keys.
    pub(super) found: Numbers,
    /// Of those some that stand too far behind what is around them, so that the keys around them have to be looked for.
    pub(super) far: Numbers,
    /// How many more are looked at, of fields that may stand anywhere and of others.
    looks_anywhere: u32,
    looks: u32,
}

/// Numbers of fields, one bit each.
#[derive(Debug, Clone, Copy)]
pub(super) struct Numbers(u64);

impl Numbers {
    /// In ascending order.
    #[inline]
    pub(super) fn iter(self) -> impl Iterator<Item = usize> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let next = (rest != 0).then(|| rest.trailing_zeros() as usize)?;
            rest &= rest - 1;
            Some(next)
        })
    }
}

/// How many times it is looked at what stands before a field, at most: where there are many, it costs less to look for
/// the keys that they may be in.
const MOST_LOOKS: u32 = 64;

/// The same of fields that may stand anywhere, and which of their keys are uses only the way to each tells: to follow them all
/// from the beginning of the body costs less.
const MOST_LOOKS_ANYWHERE: u32 = 8;

impl<'k> Keys<'k> {
    pub(super) fn new(fields: &'k [Field], text: &'k [u8], level: Level) -> Self {
        let (found, far) = (Numbers(0), Numbers(0));
        let (looks_anywhere, looks) = (MOST_LOOKS_ANYWHERE, MOST_LOOKS);
        Self { fields, text, level, found, far, looks_anywhere, looks }
    }

    /// Takes in that the field of this number, which is below 64, has a key of this name.
    #[inline]
    pub(super) fn look_at(
        &mut self,
        number: usize,
        name: Span,
        judge: &mut Judge<'_>,
    ) -> Option<Seen> {
        self.found.0 |= 1 << number;
        let field = self.fields.get(number)?;
        let looks = if field.anywhere { &mut self.looks_anywhere } else { &mut self.looks };
        let quote = name.start.checked_sub(1).filter(|_| *looks > 0);
        *looks = looks.saturating_sub(1);
        let before = quote.map(|quote| Before::of(field, self.text, quote, self.level));
        match before.unwrap_or(Before::TooFar) {
            Before::Parent => judge.look_at(name),
            Before::Other => None,
            // All keys of such fields are looked at in the order in which they stand, however bodies are searched.
            Before::TooFar if field.anywhere => Some(Seen::Unclear),
            Before::TooFar => {
                self.far.0 |= 1 << number;
                None
            }
        }
    }
}
