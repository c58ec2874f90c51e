//! What the raw bytes of a body are searched for before anything of it is followed: of each field its name, or the keys in
//! whose values it may stand, whichever is rarer in the traffic at hand.
//!
//! Never wrong, in that it errs on one side: what may match is said to. A key around a field is looked at from the key on,
//! for which nothing in front of it needs to be known: should it stand in a string, it is no key, and nothing depends on
//! what was seen behind it.

mod literal;
mod needles;
mod parent;
mod sample;
mod sets;

use super::field::Field;
use crate::document::Structure;
use crate::document::raw::Level;
use crate::document::windows::SPAN;
use needles::Needles;
use parent::parents;
use sample::Sample;

/// How the bodies of one side of an operation are searched.
#[derive(Debug)]
pub(super) enum Search {
    /// Not decided yet: the first bodies tell what is rare.
    Sampling(Sample),
    /// Decided.
    For(Needles),
    /// There is too much to search for.
    Nothing,
}

/// What a search tells of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing in it can match.
    Nothing,
    /// Names may be written in it otherwise than letter by letter.
    HiddenNames,
    /// It has to be looked at.
    Maybe,
}

/// Memory for a search.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    windows: Vec<usize>,
    /// Where quotes and brackets stand in the value of a key.
    value: Structure,
}

/// How many fields, and how many needles, at most, a search is worth its while for.
const MOST: usize = 64;

impl Search {
    pub(super) fn new(fields: &[Field]) -> Self {
        // A name and the quote before it have a window at least.
        let is_short = |name: &[u8]| name.len() + 1 < SPAN;
        let has_short =
            |field: &Field| is_short(&field.name) || parents(field).any(|(name, _)| is_short(name));
        if fields.len() > MOST || fields.iter().any(has_short) {
            return Self::Nothing;
        }
        Self::Sampling(Sample::default())
    }

    /// Looks at the content of a body.
    pub(super) fn look(
        &mut self,
        fields: &[Field],
        text: &[u8],
        level: Level,
        scratch: &mut Scratch,
    ) -> Verdict {
        match self {
            Self::For(needles) => needles.look(text, level, scratch),
            Self::Nothing => Verdict::Maybe,
            Self::Sampling(sample) => {
                sample.take(text);
                if sample.is_enough() {
                    *self = Needles::new(fields, sample).map_or(Self::Nothing, Self::For);
                }
                Verdict::Maybe
            }
        }
    }
}
