//! Fields that have keys in a body, each looked at from there.

use super::MOST;
use super::before::{Before, NameEnds};
use crate::json::raw::Level;
use crate::lint::field::Field;
use crate::lint::way::Judge;
use crate::text::Span;

/// What has been seen of the fields of one body.
pub(super) struct Keys<'k> {
    fields: &'k [Field],
    pub(super) text: &'k [u8],
    pub(super) level: Level,
    /// Those that have keys which were too many to look at, or stand too far behind what is around them, one bit each: the
    /// keys around them have to be looked for.
    pub(super) far: u64,
    /// How many more are looked at.
    looks: u32,
    names: NameEnds,
    /// What has been looked at for keys around fields.
    pub(super) looked: Looked,
}

/// What of a text has been looked at for keys around fields.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Looked {
    /// How many bytes their values have, some of which may be counted more than once.
    pub(super) bytes: usize,
    /// That there is no more to look at.
    pub(super) has_all: bool,
}

/// How many times it is looked at what stands before a field, at most: where there are many, it costs less to look for
/// the keys that they may be in.
const MOST_LOOKS: u32 = 64;

impl<'k> Keys<'k> {
    pub(super) fn new(fields: &'k [Field], text: &'k [u8], level: Level) -> Self {
        Self {
            fields,
            text,
            level,
            far: 0,
            looks: MOST_LOOKS,
            names: NameEnds::default(),
            looked: Looked::default(),
        }
    }

    /// Whether a key of this name may be a use of the field of this number, as far as keys near by tell.
    #[inline]
    pub(super) fn may_be_use(&mut self, number: usize, name: Span, judge: &mut Judge<'_>) -> bool {
        let Some(field) = self.fields.get(number).filter(|_| number < MOST) else { return true };
        // Then nothing near by is looked at.
        let is_free = field.is_told_by_way();
        let quote = name.start.checked_sub(1).filter(|_| is_free || self.looks > 0);
        self.looks = self.looks.saturating_sub(u32::from(!is_free));
        let before =
            quote.map(|quote| Before::of(field, self.text, quote, self.level, &mut self.names));
        match before.unwrap_or(Before::TooFar) {
            Before::Place => judge.may_be_use(name),
            Before::Other => false,
            Before::TooFar => {
                self.far |= 1 << number;
                false
            }
        }
    }
}
