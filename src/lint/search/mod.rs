//! What the raw bytes of a body are searched for before anything of it is followed: of each field its name, or the keys in
//! whose values it may stand, whichever is rarer in the traffic at hand.
//!
//! Never wrong, in that it errs on one side: what may match is said to. What is around a field is looked for from its name
//! backwards, and what is in a key around fields from that key on, for which nothing beside it needs to be known: should
//! either stand in a string, it is no key, and nothing depends on what was seen. Both see the same fields. A field of the
//! body itself is looked for along the brackets from its beginning, too, which say nothing of a body of several values.

mod before;
mod keys;
mod needles;
mod parent;
mod sample;
mod sets;

use super::field::Field;
use super::way::{Judge, Seen};
use crate::document::raw::{self, Level};
use crate::document::windows::{Hits, STEP};
use crate::document::{Ends, Structure, is_whole_without};
use crate::source::Span;
use keys::Keys;
use needles::Needles;
use parent::{Parent, all_parents, parents};
use sample::Sample;

/// How the bodies of one side of an operation are searched. What is told of a body is the same whatever is searched for, and
/// whether that has been decided: it must not depend on the bodies that whoever asks has seen before.
#[derive(Debug)]
pub(super) struct Search {
    strategy: Strategy,
    /// By its number, the ends of the name of a field that may stand in the body itself, but not anywhere.
    at_root: Vec<Option<Ends>>,
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
    /// Names may be written in it otherwise than letter by letter.
    HiddenNames,
    /// That depends on which fields have keys in it: see [`Search::seen`].
    Open,
    /// This has been seen.
    Seen(Seen),
}

/// Memory for a search.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    windows: Vec<Hits>,
    /// Where quotes and brackets stand in the value of a key.
    value: Structure,
    /// The ends of names that may stand in a body itself.
    at_root: Vec<Ends>,
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
            at_root: fields.iter().map(ends_at_root).collect(),
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
            Strategy::None => Verdict::Seen(Seen::Unclear),
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
        if sample.is_enough() {
            scratch.samples -= 1;
            let needles = Needles::new(fields, &mut self.parents, sample);
            self.strategy =
                needles.map_or(Strategy::None, |needles| Strategy::For(Box::new(needles)));
        }
    }

    /// What is seen of fields that have keys in a body, all of which are given by their numbers and names. In what order depends on
    /// how bodies are searched; what follows from it does not.
    pub(super) fn seen(
        &self,
        fields: &[Field],
        names: impl Iterator<Item = (usize, Span)>,
        text: &[u8],
        level: Level,
        scratch: &mut Scratch,
        judge: &mut Judge<'_>,
    ) -> Option<Seen> {
        let mut keys = Keys::new(fields, text, level);
        for (number, name) in names {
            if let Some(seen) = keys.look_at(number, name, judge) {
                return Some(seen);
            }
        }
        self.seen_of(&mut keys, scratch, judge)
    }

    /// What is seen of keys when each has been looked at.
    fn seen_of(
        &self,
        keys: &mut Keys<'_>,
        scratch: &mut Scratch,
        judge: &mut Judge<'_>,
    ) -> Option<Seen> {
        let Scratch { value, at_root, .. } = scratch;
        let Keys { text, level, far, .. } = *keys;
        at_root.clear();
        at_root.extend(keys.found.iter().filter_map(|field| *self.at_root.get(field)?));
        if !at_root.is_empty() && !is_one_value_without(at_root, text, level) {
            return Some(Seen::Unclear);
        }
        let is_around = |parent: &&Parent| far.iter().any(|field| parent.is_around(field));
        let mut around = self.parents.iter().filter(is_around);
        around.find_map(|parent| parent.seen_in_any(&self.parents, keys, value, judge))
    }
}

fn ends_at_root(field: &Field) -> Option<Ends> {
    (field.at_root && !field.anywhere).then(|| Ends::of(&field.name)).flatten()
}

/// Whether a text is one array or object and nothing else, without any key directly in it that is like one of the names. Behind
/// a fault a value may begin anew, and be a body itself.
pub(super) fn is_one_value_without(names: &[Ends], text: &[u8], level: Level) -> bool {
    is_whole_without(names, text, level) && !raw::may_begin_on_a_line(text, level)
}
