//! Before a body is walked: whether it can hold a use at all, by a search of its raw bytes.
//!
//! Never wrong, in that it rules out only bodies in which nothing can match. A selector matches a key only if the key is
//! written there; where it is, the keys around it are taken to the automaton. A key that is written otherwise than letter by
//! letter (`"track\\u0069ngToken"`), or a body that is encoded as more than a JSON string, is never ruled out.

use std::collections::BTreeMap;

use crate::automaton::{Pattern, Role, Segment, StateId, Test, Walk};
use crate::document::raw::{self, Level, Under};
use crate::document::{Bracket, Structure, Surveyed};
use crate::exchange::{Body, Encoding};
use crate::source::Span;

/// What the bodies of one side of an operation must have in them for a rule to match.
#[derive(Debug)]
pub(super) struct Filter {
    names: Endings,
    /// In the order of the names.
    fields: Vec<Field>,
}

/// Where a field must stand for any rule to match it, as far as two steps tell.
#[derive(Debug, Default)]
struct Field {
    /// It may stand in anything.
    anywhere: bool,
    /// It may stand in the body itself.
    at_root: bool,
    /// It may stand in the value of one of these keys.
    in_keys: Vec<Box<[u8]>>,
    /// It may stand in an element or member of the value of one of these.
    in_parts_of_keys: Vec<Box<[u8]>>,
}

/// Memory for what is found in a body.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The keys that have been found.
    keys: Vec<Key>,
    /// Where quotes and brackets stand in a body that stands in a string.
    inner: Structure,
    frames: Vec<Frame>,
}

/// A place in which one of the names may be a key.
#[derive(Debug, Clone, Copy)]
struct Key {
    /// Without its quotes.
    name: Span,
    /// The number of the name.
    number: usize,
}

/// An array or object that is open.
#[derive(Debug)]
struct Frame {
    /// Where its bracket stands.
    open: usize,
    /// The state of the automaton in it; looked up when first asked for.
    state: StateId,
}

impl Field {
    /// Takes in a pattern that ends in its name.
    fn may_stand(&mut self, segments: &[Segment]) {
        let Some((last, before)) = segments.split_last() else { return };
        if last.descendant {
            self.anywhere = true;
            return;
        }
        let Some((parent, before)) = before.split_last() else {
            self.at_root = true;
            return;
        };
        match (plain_names(parent), before.last().map(plain_names)) {
            (Some(names), _) => self.in_keys.extend(owned(&names)),
            // Any element or member of something that is named.
            (None, Some(Some(names))) if !parent.descendant => {
                self.in_parts_of_keys.extend(owned(&names));
            }
            _ => self.anywhere = true,
        }
    }
}

impl Filter {
    /// What the patterns that are uses need; `None` where no search can rule anything out.
    ///
    /// `described` are the names of further uses, of which only a graph knows where they stand.
    pub(super) fn new<'n>(
        patterns: &'n [Pattern],
        described: impl Iterator<Item = &'n str>,
    ) -> Option<Self> {
        let mut fields: BTreeMap<&str, Field> = BTreeMap::new();
        for name in described {
            if !is_plain(name) {
                return None;
            }
            fields.entry(name).or_default().anywhere = true;
        }
        for pattern in patterns.iter().filter(|pattern| matches!(pattern.role, Role::Use { .. })) {
            for name in last_names(&pattern.segments)? {
                fields.entry(name).or_default().may_stand(&pattern.segments);
            }
        }
        let names = Endings::new(fields.keys().copied());
        Some(Self { names, fields: fields.into_values().collect() })
    }

    /// Whether nothing in the body can match, whatever it says. It stands in the stretch that has been `surveyed`.
    pub(super) fn rules_out(
        &self,
        body: &Body<'_>,
        surveyed: Surveyed<'_>,
        walk: &mut Walk,
        scratch: &mut Scratch,
    ) -> bool {
        let (level, text, border) = match body.encoding {
            Encoding::Plain => (Level::Document, body.raw(), 0),
            Encoding::JsonString => (Level::String, raw::content(body.raw()), 1),
            Encoding::Base64JsonString | Encoding::Decoded => return false,
        };
        let Some(before) = (body.span.start + border).checked_sub(surveyed.start) else {
            return false;
        };
        let hides_names = || {
            let mut escapes = surveyed.structure.low_escapes(before, before + text.len());
            escapes.any(|at| raw::hides_names(text, at - before))
        };
        if body.may_be_cut() || !raw::is_enclosed(text) || hides_names() {
            return false;
        }
        let Scratch { keys, inner, frames } = scratch;
        let ends = surveyed.structure.key_ends(before, before + text.len());
        self.find_keys(text, ends.map(|quote| quote - before), level, keys);
        if keys.is_empty() {
            return true;
        }
        let nesting = match level {
            Level::Document => Nesting { structure: surveyed.structure, before, text, level },
            Level::String => {
                inner.read(text, level);
                Nesting { structure: inner, before: 0, text, level }
            }
        };
        if !nesting.is_one_value() {
            return false;
        }
        // A look at what is around a key costs the way back to it: for few keys that is less than the way to them all.
        if keys.len() <= FEW_KEYS {
            let may_match = |key: &Key| {
                let field = self.fields.get(key.number);
                field.is_none_or(|field| nesting.may_match(field, key.name))
            };
            keys.retain(|key| match nesting.is_text(key.name) {
                Some(is_text) => !is_text && may_match(key),
                None => true,
            });
        }
        keys.is_empty() || nesting.holds_no_use(keys, walk, frames) == Some(true)
    }

    /// All places in which one of the names may be a key, by those of the quotes behind which a key may end.
    #[inline]
    fn find_keys(
        &self,
        text: &[u8],
        quotes: impl Iterator<Item = usize>,
        level: Level,
        keys: &mut Vec<Key>,
    ) {
        keys.clear();
        let backslash = level.quote().len() - 1;
        for quote in quotes {
            let Some(end) = quote.checked_sub(backslash) else { continue };
            let Some((start, number)) = self.names.find(text, end) else { continue };
            if raw::is_key(text, start, end, level) {
                keys.push(Key { name: Span::new(start, end), number });
            }
        }
    }
}

/// How many keys are looked at one by one.
const FEW_KEYS: usize = 64;

/// A body and its brackets.
struct Nesting<'n> {
    structure: &'n Structure,
    /// How many bytes the structure has in front of the body.
    before: usize,
    text: &'n [u8],
    level: Level,
}

impl Nesting<'_> {
    /// Whether the automaton accepts none of the keys, which stand in their order; `None` where that cannot be told.
    fn holds_no_use(&self, keys: &[Key], walk: &mut Walk, frames: &mut Vec<Frame>) -> Option<bool> {
        let start = walk.start();
        frames.clear();
        // How many of the frames have had their state looked up.
        let mut known = 0;
        let mut brackets = self.structure.brackets_from(self.before);
        let mut next = brackets.next();
        for Key { name, .. } in keys {
            if self.is_text(*name)? {
                continue;
            }
            while let Some(bracket) = next.filter(|next| next.offset() < self.before + name.start) {
                match bracket {
                    Bracket::Open(at) => {
                        frames.push(Frame { open: at - self.before, state: StateId::DEAD });
                    }
                    Bracket::Close(_) => {
                        frames.pop()?;
                        known = known.min(frames.len());
                    }
                }
                next = brackets.next();
            }
            while let Some(frame) = frames.get(known) {
                let around = known.checked_sub(1).and_then(|around| frames.get(around));
                let state = match around {
                    None => start,
                    Some(around) => self.step(around.state, frame.open, walk)?,
                };
                // What an object says about itself can make more of it, or less.
                if !walk.discriminators(state).is_empty() {
                    return None;
                }
                frames.get_mut(known)?.state = state;
                known += 1;
            }
            let reached = walk.step_key(frames.last()?.state, name.slice(self.text));
            if !walk.accepts(reached).is_empty() {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether the body is one array or object and nothing else: of several values each counts for itself, and one that is
    /// broken spoils what brackets and quotes seem to say of the others.
    fn is_one_value(&self) -> bool {
        self.structure.container_end(self.before) == Some(self.before + self.text.len())
    }

    /// Whether what looks like a key is a part of a string; `None` where its quotes are those of strings, but not around
    /// it: then the text is no JSON.
    fn is_text(&self, name: Span) -> Option<bool> {
        let Some(opening) = name.start.checked_sub(1) else { return Some(true) };
        let opening = self.before + opening;
        let closing = self.before + name.end + self.level.quote().len() - 1;
        if !self.structure.is_quote(opening) || !self.structure.is_quote(closing) {
            return Some(true);
        }
        (self.structure.is_in_string(opening) && !self.structure.is_in_string(closing))
            .then_some(false)
    }

    /// Whether what the field stands in may make it a use.
    fn may_match(&self, field: &Field, name: Span) -> bool {
        let Field { anywhere, at_root, in_keys, in_parts_of_keys } = field;
        if *anywhere {
            return true;
        }
        let Some(inner) = self.around(name.start) else { return true };
        if !in_keys.is_empty() && self.may_be_under(inner, in_keys) {
            return true;
        }
        if !*at_root && in_parts_of_keys.is_empty() {
            return false;
        }
        self.around(inner).map_or(*at_root, |outer| self.may_be_under(outer, in_parts_of_keys))
    }

    /// The innermost bracket that is open at `at` in the body.
    fn around(&self, at: usize) -> Option<usize> {
        self.structure.around(self.before + at)?.checked_sub(self.before)
    }

    fn may_be_under(&self, open: usize, keys: &[Box<[u8]>]) -> bool {
        match raw::under(self.text, self.structure, self.before, open, self.level) {
            Under::Key(name) => keys.iter().any(|key| **key == *name.slice(self.text)),
            Under::Element => false,
            Under::Unclear => true,
        }
    }

    /// The state of the automaton behind the bracket at `open`.
    fn step(&self, around: StateId, open: usize, walk: &mut Walk) -> Option<StateId> {
        if around == StateId::DEAD {
            return Some(around);
        }
        let Nesting { structure, before, text, level } = *self;
        match raw::under(text, structure, before, open, level) {
            Under::Key(name) => Some(walk.step_key(around, name.slice(text))),
            // Which element it is has not been counted.
            Under::Element => walk.step_any_index(around),
            Under::Unclear => None,
        }
    }
}

/// Names, found by how they end: in a text, hardly any key that is none of them shares its last letters with one.
#[derive(Debug)]
struct Endings {
    /// By the hash of the last bytes of a name, the quote before it included: the number of the first such name and one
    /// more; 0 where there is none.
    first: Box<[u16]>,
    /// In the order of their hashes.
    names: Vec<Ending>,
    /// How far the last eight bytes are shifted, so that only those are hashed that all names have.
    shift: u32,
    /// The names that are too many to be numbered.
    others: Vec<(Box<[u8]>, usize)>,
}

/// A name by its end.
#[derive(Debug)]
struct Ending {
    hash: usize,
    /// Its last bytes with the quote before it, as many as fit, and which of eight bytes those are.
    last: u64,
    mask: u64,
    /// In quotes, without the second.
    quoted: Box<[u8]>,
    number: usize,
}

/// How many hashes there are: so few that what is told of them stays in the nearest cache.
const HASHES: usize = 4_096;

impl Endings {
    fn new<'n>(names: impl Iterator<Item = &'n str> + Clone) -> Self {
        let shortest = names.clone().map(|name| name.len() + 1).min().unwrap_or(8).min(8);
        let mut endings = Self {
            first: vec![0; HASHES].into(),
            names: Vec::new(),
            shift: u32::try_from(8 * (8 - shortest)).unwrap_or(0),
            others: Vec::new(),
        };
        for (number, name) in names.enumerate() {
            let quoted: Box<[u8]> = [b"\"", name.as_bytes()].concat().into();
            if number >= usize::from(u16::MAX) {
                endings.others.push((quoted, number));
                continue;
            }
            let unused = 8usize.saturating_sub(quoted.len()) * 8;
            let last = last_eight(&quoted);
            let hash = endings.hash(last);
            endings.names.push(Ending { hash, last, mask: u64::MAX << unused, quoted, number });
        }
        endings.names.sort_by_key(|name| name.hash);
        for (number, name) in endings.names.iter().enumerate().rev() {
            if let (Some(first), Ok(next)) =
                (endings.first.get_mut(name.hash), u16::try_from(number + 1))
            {
                *first = next;
            }
        }
        endings
    }

    /// Where the name begins that ends before `end` and has a quote before it, and its number.
    #[inline]
    fn find(&self, text: &[u8], end: usize) -> Option<(usize, usize)> {
        let before = text.get(..end)?;
        let last = last_eight(before);
        let hash = self.hash(last);
        let first = usize::from(*self.first.get(hash)?);
        let hashed =
            if first == 0 { None } else { self.find_hashed(before, last, hash, first - 1) };
        if hashed.is_some() || self.others.is_empty() {
            return hashed;
        }
        let other = |(quoted, number): &(Box<[u8]>, usize)| {
            Some((before.strip_suffix(&**quoted)?.len() + 1, *number))
        };
        self.others.iter().find_map(other)
    }

    /// The same of the names from `first` on that have this hash.
    fn find_hashed(
        &self,
        before: &[u8],
        last: u64,
        hash: usize,
        first: usize,
    ) -> Option<(usize, usize)> {
        let same = self.names.get(first..)?.iter().take_while(|name| name.hash == hash);
        let mut found = same.filter(|name| last & name.mask == name.last);
        let name = found.find(|name| name.quoted.len() <= 8 || before.ends_with(&name.quoted))?;
        Some((before.len() + 1 - name.quoted.len(), name.number))
    }

    /// A number below [`HASHES`].
    #[inline]
    fn hash(&self, last: u64) -> usize {
        let bits = (last >> self.shift).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (bits >> 52) as usize
    }
}

/// The last eight bytes, the very last in the highest; zeros in front of the first.
#[inline]
fn last_eight(bytes: &[u8]) -> u64 {
    match bytes.last_chunk() {
        Some(last) => u64::from_le_bytes(*last),
        None => {
            let mut last = [0; 8];
            let room = last.iter_mut().rev().zip(bytes.iter().rev());
            room.for_each(|(to, from)| *to = *from);
            u64::from_le_bytes(last)
        }
    }
}

fn owned(names: &[&str]) -> impl Iterator<Item = Box<[u8]>> {
    names.iter().map(|name| name.as_bytes().into())
}

/// The names a pattern ends in; `None` where it may end in any name, or in one that cannot be searched for.
fn last_names(segments: &[Segment]) -> Option<Vec<&str>> {
    plain_names(segments.last()?)
}

/// Whether a name can be searched for.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(raw::is_plain)
}

/// The names of a segment that goes to nothing else, all of them written with plain characters.
fn plain_names(segment: &Segment) -> Option<Vec<&str>> {
    fn name(test: &Test) -> Option<&str> {
        match test {
            Test::Name(name) if is_plain(name) => Some(name),
            _ => None,
        }
    }
    segment.tests.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::automaton::Automaton;
    use crate::rule::Selector;

    #[test]
    fn any_number_of_fields_rules_out_what_has_none_of_them() {
        for count in [1, 64, 65, 300] {
            let role = Role::Use { owner: 0, scope: 0 };
            let selector = |number| Selector::parse(&format!("$..field{number}x")).unwrap();
            let patterns: Vec<_> =
                (0..count).map(|number| selector(number).pattern(role)).collect();
            let filter = Filter::new(&patterns, std::iter::empty()).unwrap();
            let mut walk = Walk::new(Arc::new(Automaton::new(patterns)));
            let mut rules_out = |text: &str| {
                let body = Body::new(text.as_bytes(), Span::new(0, text.len()), Encoding::Plain);
                let mut structure = Structure::default();
                structure.read(text.as_bytes(), Level::Document);
                let surveyed = Surveyed { structure: &structure, start: 0 };
                filter.rules_out(&body, surveyed, &mut walk, &mut Scratch::default())
            };
            assert!(rules_out(r#"{"field":1,"other":["field0x"]}"#), "{count}");
            assert!(!rules_out(&format!(r#"{{"a":{{"field{}x":1}}}}"#, count - 1)), "{count}");
        }
    }
}
