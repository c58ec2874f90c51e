//! The keys of fields in a body, with their places.

use super::before::{Before, NameEnds};
use super::verdict::MAX_FIELDS;
use crate::prefilter::ancestors::AncestorMatcher;
use crate::prefilter::field::Field;
use sundown_text_json::json::Container;
use sundown_text_json::json::key_context::QuoteLevel;
use sundown_text_json::text::Span;

/// The fields that were found in one body.
pub(super) struct FieldKeys<'k> {
    fields: &'k [Field],
    pub text: &'k [u8],
    pub level: QuoteLevel,
    /// Fields with too many keys to look at, or too far from their parents, one bit each. Their parents have to be searched.
    pub far: u64,
    /// The number of keys that may still be looked at.
    looks: u32,
    names: NameEnds,
    /// Memory for the quotes in the value of a parent.
    pub marks: &'k mut Container,
    /// The part of the text that was searched for parents.
    pub looked: Looked,
}

/// The part of a text that was searched for parents of fields.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Looked {
    /// The length of their values in bytes, some of which may be counted more than once.
    pub bytes: usize,
    /// Whether the whole text has been searched.
    pub has_all: bool,
}

/// The number of keys for which the text before them is read: with more, it is cheaper to search for their parents.
const MAX_LOOKS: u32 = 64;

impl<'k> FieldKeys<'k> {
    /// Creates the fields of the body of `matcher`. `marks` is memory.
    pub(super) fn new(
        fields: &'k [Field],
        marks: &'k mut Container,
        matcher: &AncestorMatcher<'k>,
    ) -> Self {
        Self {
            fields,
            marks,
            text: matcher.text(),
            level: matcher.level(),
            far: 0,
            looks: MAX_LOOKS,
            names: NameEnds::default(),
            looked: Looked::default(),
        }
    }

    /// Whether a key may be a use of a field, as far as nearby keys decide.
    #[inline]
    pub(super) fn may_be_use(
        &mut self,
        number: usize,
        name: Span,
        matcher: &mut AncestorMatcher<'_>,
    ) -> bool {
        let Some(field) = self.fields.get(number).filter(|_| number < MAX_FIELDS) else {
            return true;
        };
        if field.has_other_value(self.text, name, self.level) {
            return false;
        }
        // All ancestors decide: nothing nearby is read.
        let is_free = field.needs_ancestors();
        let quote = name
            .start
            .checked_sub(1)
            .filter(|_| is_free || self.looks > 0);
        self.looks = self.looks.saturating_sub(u32::from(!is_free));
        let before =
            quote.map(|quote| Before::of(field, self.text, quote, self.level, &mut self.names));
        match before.unwrap_or(Before::TooFar) {
            Before::Place => matcher.may_be_use(name),
            Before::Other => false,
            Before::TooFar => {
                self.far |= 1 << number;
                false
            }
        }
    }
}
