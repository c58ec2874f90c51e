//! What the raw bytes of a body are searched for before anything of it is followed: of each field its name, or the keys in
//! whose values it may stand, whichever is rarer in the traffic at hand.
//!
//! Never wrong, in that it errs on one side: what may match is said to. What is around a field is looked for from its name
//! backwards, and what is in a key around fields from that key on, for which nothing beside it needs to be known: should
//! either stand in a string, it is no key, and nothing depends on what was seen. Both see the same fields. Whether one of
//! those is a use, the way to it tells, and of fields that may stand in the body itself or anywhere that alone.

mod before;
mod keys;
mod needles;
mod parent;
mod sample;
mod sets;

use super::field::Field;
use super::way::Judge;
use crate::json::raw::{self, Level};
use crate::json::windows::{Hits, STEP};
use crate::json::{Container, is_one_container};
use crate::text::Span;
use keys::Keys;
use needles::Needles;
use parent::{Parent, all_parents, parents};
use sample::Sample;

/// How the bodies of one side of an operation are searched. What is told of a body is the same whatever is searched for, and
/// whether that has been decided: it must not depend on the bodies that whoever asks has seen before.
#[derive(Debug)]
pub(super) struct Search {
    strategy: Strategy,
    parents: Vec<Parent>,
    /// How many bodies there were until now.
    bodies: u32,
}

/// What bodies are searched for.
#[derive(Debug)]
enum Strategy {
    /// Not decided yet: the first bodies, but for the very first, tell what is rare.
    Undecided(Option<Box<Sample>>),
    /// Decided.
    For(Box<Needles>),
    /// There is too much to search for.
    None,
}

/// What a search tells of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// Nothing in it can match, if it is one value.
    Nothing,
    /// Something may.
    MayMatch,
    /// That depends on which fields have keys in it: see [`Search::may_match`].
    Open,
}

/// Memory for a search.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    windows: Vec<Hits>,
    /// What stands in the value of a key.
    value: Container,
    /// How many searches have a sample.
    samples: usize,
}

/// How many fields and keys around them, at most, a search is worth its while for.
const MOST: usize = 64;

/// How many bodies there are before any is taken into a sample: of many operations there are few.
const FIRST_BODIES: u32 = 4;

/// How many samples there may be at a time.
const MOST_SAMPLES: usize = 256;

impl Search {
    pub(super) fn new(fields: &[Field]) -> Self {
        // Of a name and the quote before it two bytes are looked at, at least.
        let is_short = |name: &[u8]| name.len() < STEP;
        let has_short =
            |field: &Field| is_short(&field.name) || parents(field).any(|(name, _)| is_short(name));
        let parents = all_parents(fields);
        let is_too_much = fields.len() + parents.len() >= MOST || fields.iter().any(has_short);
        Self {
            strategy: if is_too_much { Strategy::None } else { Strategy::Undecided(None) },
            parents,
            bodies: 0,
        }
    }

    /// Looks at the content of a body.
    pub(super) fn look(
        &mut self,
        fields: &[Field],
        text: &[u8],
        level: Level,
        scratch: &mut Scratch,
        judge: &mut Judge<'_>,
    ) -> Verdict {
        match &self.strategy {
            Strategy::For(needles) => needles.look(self, fields, text, level, scratch, judge),
            Strategy::None => Verdict::Open,
            Strategy::Undecided(_) => {
                self.learn(fields, text, scratch);
                Verdict::Open
            }
        }
    }

    /// Takes a body into the sample, and decides what to search for once that is large enough.
    fn learn(&mut self, fields: &[Field], text: &[u8], scratch: &mut Scratch) {
        self.bodies = self.bodies.saturating_add(1);
        let Strategy::Undecided(sample) = &mut self.strategy else { return };
        if sample.is_none() && (self.bodies <= FIRST_BODIES || scratch.samples >= MOST_SAMPLES) {
            return;
        }
        scratch.samples += usize::from(sample.is_none());
        let sample = sample.get_or_insert_default();
        sample.take(text);
        // Where nothing could be decided, bodies go on being looked at as before: a sample must change nothing that is told.
        if sample.is_enough()
            && let Some(needles) = Needles::new(fields, &mut self.parents, sample)
        {
            scratch.samples -= 1;
            self.strategy = Strategy::For(Box::new(needles));
        }
    }

    /// Whether any of the keys in a body that have the names of fields may be a use, all of which are given by the fields'
    /// numbers and their names.
    pub(super) fn may_match(
        &self,
        fields: &[Field],
        mut names: impl Iterator<Item = (usize, Span)>,
        text: &[u8],
        level: Level,
        scratch: &mut Scratch,
        judge: &mut Judge<'_>,
    ) -> bool {
        if let Strategy::None = self.strategy {
            // Behind a backslash it is a part of another key.
            let is_key = |name: &Span| {
                name.start.checked_sub(1).is_some_and(|quote| level.is_quote(text, quote))
            };
            return names.any(|(_, name)| is_key(&name) && judge.may_be_use(name));
        }
        let mut keys = Keys::new(fields, text, level);
        names.any(|(number, name)| keys.may_be_use(number, name, judge))
            || self.may_match_far(&mut keys, scratch, judge)
    }

    /// Whether any of the keys may be a use that stand too far behind what is around them, when each has been looked at.
    fn may_match_far(
        &self,
        keys: &mut Keys<'_>,
        scratch: &mut Scratch,
        judge: &mut Judge<'_>,
    ) -> bool {
        let far = keys.far;
        let mut around = self.parents.iter().filter(|parent| parent.is_around_any(far));
        around.any(|parent| parent.any_may_hold_use(&self.parents, keys, &mut scratch.value, judge))
    }
}

/// Whether a text is one array or object and nothing else. Behind a fault a value may begin anew, and be a body itself.
pub(super) fn is_one_value(text: &[u8], level: Level) -> bool {
    is_one_container(text, level) && !raw::may_begin_on_a_line(text, level)
}
