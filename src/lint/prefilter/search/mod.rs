//! The search of the raw bytes of a body: for each field its name, or the keys of its parents, whichever is rarer in the
//! traffic.
//!
//! It errs on one side: what may match is reported. A parent is found backwards from the name of a field, and a field forwards
//! from its parent. For neither does the text beside it matter: if either is within a string, it is not a key, and nothing
//! depends on it. Both find the same fields. Whether one of them is a use, all of its ancestors decide.
//!
//! Until a sample is complete, and for tables with many names, all keys of a body are compared with the names instead. To do
//! so for all bodies would need less code, but nearly double the time for traffic with few uses.

mod before;
mod keys;
mod needles;
mod parent;
mod sample;
mod sets;

use super::ancestors::AncestorMatcher;
use super::field::Field;
use crate::json::Container;
use crate::json::windows::{Hits, STEP};
use crate::text::Span;
use keys::FieldKeys;
use needles::Needles;
use parent::{Parent, all_parents, parents};
use sample::Sample;

/// Searches the bodies of one side of an operation. The answer for a body does not depend on the strategy, nor on the bodies
/// before it.
#[derive(Debug)]
pub(super) struct Search {
    strategy: Strategy,
    parents: Vec<Parent>,
    /// The number of bodies so far.
    bodies: u32,
}

/// The names that are searched.
#[derive(Debug)]
enum Strategy {
    /// Undecided: a sample of the first bodies will show what is rare.
    Undecided(Option<Box<Sample>>),
    /// Decided.
    For(Box<Needles>),
    /// There are too many names.
    None,
}

/// The answer of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing can match, if the body is one value.
    Nothing,
    /// Something may match.
    MayMatch,
    /// That depends on the fields with keys in the body: see [`Search::may_match`].
    Open,
}

/// Memory for a search.
#[derive(Debug, Default)]
pub(super) struct SearchScratch {
    windows: Vec<Hits>,
    /// The content of the value of a key.
    value: Container,
    /// The number of searches with a sample.
    samples: usize,
}

/// The number of fields and parents up to which a search is worthwhile.
const MOST: usize = 64;

/// The number of bodies before the first of a sample: many operations have few.
const FIRST_BODIES: u32 = 4;

/// The number of samples at a time.
const MOST_SAMPLES: usize = 256;

impl Search {
    pub(super) fn new(fields: &[Field]) -> Self {
        let is_worthwhile = Self::is_worthwhile(fields);
        Self {
            strategy: if is_worthwhile { Strategy::Undecided(None) } else { Strategy::None },
            parents: all_parents(fields),
            bodies: 0,
        }
    }

    /// Returns whether fields and their parents are few enough, and their names long enough, to be searched for.
    pub(super) fn is_worthwhile(fields: &[Field]) -> bool {
        // At least two bytes of a name with its opening quote are compared.
        let is_short = |name: &[u8]| name.len() < STEP;
        let has_short =
            |field: &Field| is_short(&field.name) || parents(field).any(|(name, _)| is_short(name));
        fields.len() + all_parents(fields).len() < MOST && !fields.iter().any(has_short)
    }

    /// Searches the content of a body.
    pub(super) fn look(
        &mut self,
        fields: &[Field],
        scratch: &mut SearchScratch,
        matcher: &mut AncestorMatcher<'_>,
    ) -> Verdict {
        match &self.strategy {
            Strategy::For(needles) => needles.look(self, fields, scratch, matcher),
            Strategy::None => Verdict::Open,
            Strategy::Undecided(_) => {
                self.learn(fields, matcher.text(), scratch);
                Verdict::Open
            }
        }
    }

    /// Adds a body to the sample, and decides the strategy once that is large enough.
    fn learn(&mut self, fields: &[Field], text: &[u8], scratch: &mut SearchScratch) {
        self.bodies = self.bodies.saturating_add(1);
        let Strategy::Undecided(sample) = &mut self.strategy else { return };
        if sample.is_none() && (self.bodies <= FIRST_BODIES || scratch.samples >= MOST_SAMPLES) {
            return;
        }
        scratch.samples += usize::from(sample.is_none());
        let sample = sample.get_or_insert_default();
        sample.take(text);
        // Without a decision, bodies are searched as before: a sample must not change any answer.
        if sample.is_enough()
            && let Some(needles) = Needles::new(fields, &mut self.parents, sample)
        {
            scratch.samples -= 1;
            self.strategy = Strategy::For(Box::new(needles));
        }
    }

    /// Returns whether any of the keys with names of fields may be a use. They are given by the numbers of the fields and their
    /// names.
    pub(super) fn may_match(
        &self,
        fields: &[Field],
        mut names: impl Iterator<Item = (usize, Span)>,
        scratch: &mut SearchScratch,
        matcher: &mut AncestorMatcher<'_>,
    ) -> bool {
        if let Strategy::None = self.strategy {
            let (text, level) = (matcher.text(), matcher.level());
            // After a backslash, it is part of another key.
            let is_key = |name: &Span| {
                name.start.checked_sub(1).is_some_and(|quote| level.is_quote(text, quote))
            };
            return names.any(|(_, name)| is_key(&name) && matcher.may_be_use(name));
        }
        let mut keys = FieldKeys::new(fields, &mut scratch.value, matcher);
        names.any(|(number, name)| keys.may_be_use(number, name, matcher))
            || self.may_match_far(&mut keys, matcher)
    }

    /// Returns whether a key may be a use that is too far from its parent.
    fn may_match_far(&self, keys: &mut FieldKeys<'_>, matcher: &mut AncestorMatcher<'_>) -> bool {
        let far = keys.far;
        let mut around = self.parents.iter().filter(|parent| parent.is_around_any(far));
        around.any(|parent| parent.any_may_hold_use(&self.parents, keys, matcher))
    }
}
