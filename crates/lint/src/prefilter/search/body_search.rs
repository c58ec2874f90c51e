//! The search of one side of an operation.

use super::super::ancestors::AncestorMatcher;
use super::super::field::Field;
use super::keys::FieldKeys;
use super::needles::Needles;
use super::parent::{Parent, all_parents, may_match_far, parents};
use super::sample::Sample;
use super::verdict::MAX_FIELDS;
pub(super) use super::verdict::SearchScratch;
use super::verdict::Verdict;
use sundown_text_json::json::teddy::STEP;
use sundown_text_json::text::Span;

/// Searches the bodies of one side of an operation. The answer for a body does not depend on the strategy, nor on the bodies
/// before it.
#[derive(Debug)]
pub(in crate::prefilter) struct Search {
    strategy: Strategy,
    pub(super) parents: Vec<Parent>,
    /// The number of bodies so far.
    bodies: u32,
}

/// The names that are searched.
#[derive(Debug)]
pub(super) enum Strategy {
    /// Undecided: a sample of the first bodies will show what is rare.
    Undecided(Option<Box<Sample>>),
    /// Decided.
    For(Box<Needles>),
    /// There are too many names.
    None,
}

/// The number of bodies before the first of a sample: many operations have few.
pub(super) const FIRST_BODIES: u32 = 4;

/// The number of samples at a time.
pub(super) const MAX_SAMPLES: usize = 256;

impl Search {
    pub(in crate::prefilter) fn new(fields: &[Field]) -> Self {
        let is_worthwhile = Self::is_worthwhile(fields);
        Self {
            strategy: if is_worthwhile {
                Strategy::Undecided(None)
            } else {
                Strategy::None
            },
            parents: all_parents(fields),
            bodies: 0,
        }
    }

    /// Whether fields and their parents are few enough, and their names long enough, to be searched for.
    pub(in crate::prefilter) fn is_worthwhile(fields: &[Field]) -> bool {
        // At least two bytes of a name with its opening quote are compared.
        let is_short = |name: &[u8]| name.len() < STEP;
        fields.len() + all_parents(fields).len() < MAX_FIELDS
            && !fields.iter().any(|field| {
                is_short(&field.name) || parents(field).any(|(name, _)| is_short(name))
            })
    }

    /// Searches the content of a body.
    pub(in crate::prefilter) fn look(
        &mut self,
        fields: &[Field],
        scratch: &mut SearchScratch,
        matcher: &mut AncestorMatcher<'_>,
    ) -> Verdict {
        match &self.strategy {
            Strategy::For(needles) => needles.look(&self.parents, fields, scratch, matcher),
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
        let Strategy::Undecided(sample) = &mut self.strategy else {
            return;
        };
        if sample.is_none() && (self.bodies <= FIRST_BODIES || scratch.samples >= MAX_SAMPLES) {
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

    /// Whether any of the keys with names of fields may be a use. They are given by the numbers of the fields and their
    /// names.
    pub(in crate::prefilter) fn may_match(
        &self,
        fields: &[Field],
        mut names: impl Iterator<Item = (usize, Span)>,
        scratch: &mut SearchScratch,
        matcher: &mut AncestorMatcher<'_>,
    ) -> bool {
        if let Strategy::None = self.strategy {
            let text = matcher.text();
            let level = matcher.level();
            // After a backslash, it is part of another key.
            return names.any(|(_, name)| {
                let quote = name.start.checked_sub(1);
                quote.is_some_and(|quote| level.is_quote(text, quote)) && matcher.may_be_use(name)
            });
        }
        let mut keys = FieldKeys::new(fields, &mut scratch.value, matcher);
        names.any(|(number, name)| keys.may_be_use(number, name, matcher))
            || may_match_far(&self.parents, &mut keys, matcher)
    }
}
