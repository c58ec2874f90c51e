//! Names and keys that bodies are searched for, all at once.

use super::parent::{Looked, Parent};
use super::sample::{Sample, hash};
use super::sets::in_sets;
use super::{Place, Scratch, Search, Seen, Verdict};
use crate::document::Literal;
use crate::document::raw::{self, Level};
use crate::document::windows::{Hits, SPAN, Windows};
use crate::lint::field::Field;

/// What to search for.
#[derive(Debug)]
pub(in crate::lint) struct Needles {
    windows: Windows,
    /// In the order of the slots of their windows.
    all: Vec<Needle>,
    /// By its slot, the first needle that has a window there, and one more; 0 where there is none.
    first: Box<[u8; SLOTS]>,
}

/// A piece of text that is found by one window of it.
#[derive(Debug)]
struct Needle {
    window: [u8; SPAN],
    /// How many bytes stand before the window.
    before: usize,
    /// A name and the quote before it, or an escape.
    text: Literal,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// May stand for a letter.
    Escape,
    /// The field of this number.
    Field(usize),
    /// A key around fields, by its number.
    Parent(usize),
}

const SLOTS: usize = 256;

/// Numbers of fields, one bit each.
#[derive(Debug, Clone)]
struct Fields(u64);

impl Iterator for Fields {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        let next = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(next)
    }
}

/// What it costs to look into the value of a key, beside what it costs to look at a window.
const LOOK: u32 = 3;

impl Needles {
    /// What is rarest by a sample: of each field its name, or the keys around it, unless it may stand elsewhere, too.
    pub(super) fn new(
        fields: &[Field],
        places: &[Place],
        parents: &mut [Parent],
        sample: &Sample,
    ) -> Option<Self> {
        let mut all = vec![Needle::new(Literal::new(raw::ESCAPE), What::Escape, sample)?];
        for (number, (field, place)) in fields.iter().zip(places).enumerate() {
            let name = Literal::in_quote(&field.name);
            let around = || parents.iter().filter(|parent| parent.is_around(number));
            let more = around().filter(|parent| !parent.is_needle);
            let more: u32 = more.map(|parent| LOOK * sample.rarity(parent.quoted())).sum();
            let has_more = !matches!(place, Place::Nowhere);
            if has_more || sample.cost_of_name(name.bytes()) <= more {
                all.push(Needle::new(name, What::Field(number), sample)?);
                continue;
            }
            for parent in parents.iter_mut().filter(|parent| parent.is_around(number)) {
                parent.is_needle = true;
            }
        }
        for (number, parent) in parents.iter().enumerate().filter(|(_, parent)| parent.is_needle) {
            all.push(Needle::new(Literal::new(parent.quoted()), What::Parent(number), sample)?);
        }
        all.sort_by_key(Needle::slot);
        let mut first = Box::new([0; SLOTS]);
        for (number, needle) in all.iter().enumerate().rev() {
            *first.get_mut(needle.slot())? = u8::try_from(number + 1).ok()?;
        }
        let windows = in_sets(all.iter().map(|needle| needle.window), sample);
        Some(Self { windows, all, first })
    }

    /// Looks at the content of a body.
    pub(super) fn look(
        &self,
        search: &Search,
        text: &[u8],
        level: Level,
        scratch: &mut Scratch,
    ) -> Verdict {
        let Scratch { windows, value, looked, .. } = scratch;
        self.windows.find(text, windows);
        let mut found = Fields(0);
        looked.clear();
        looked.resize(search.parents.len(), Looked::default());
        for at in windows.iter().copied().flat_map(Hits::offsets) {
            for (start, needle) in self.at(text, at) {
                let open = || raw::value_of_key(text, start + 1, start + needle.text.len(), level);
                match needle.what {
                    What::Escape if raw::hides_names(text, start + 1) => {
                        return Verdict::HiddenNames;
                    }
                    What::Escape => {}
                    What::Field(number) => found.0 |= u64::from(open().is_some()) << number,
                    What::Parent(number) => {
                        let Some(open) = open() else { continue };
                        let seen = match search.parents.get(number).zip(looked.get_mut(number)) {
                            Some((parent, looked)) => {
                                parent.seen_in(text, open, level, looked, value)
                            }
                            None => Some(Seen::Somewhere),
                        };
                        if let Some(seen) = seen {
                            return Verdict::Maybe(seen.name());
                        }
                    }
                }
            }
        }
        let seen = search.seen(&found, text, level, scratch);
        seen.map_or(Verdict::Nothing, |seen| Verdict::Maybe(seen.name()))
    }

    /// The needles of which a window stands at `at`, by where they begin.
    #[inline]
    fn at<'s>(&'s self, text: &'s [u8], at: usize) -> impl Iterator<Item = (usize, &'s Needle)> {
        let window = text.get(at..).and_then(<[u8]>::first_chunk).copied().unwrap_or_default();
        let slot = slot(window);
        let first = self.first.get(slot).and_then(|first| first.checked_sub(1)).map(usize::from);
        let needles = first.and_then(|first| self.all.get(first..)).unwrap_or_default();
        let same = needles.iter().take_while(move |needle| needle.slot() == slot);
        same.filter(move |needle| needle.window == window).filter_map(move |needle| {
            let start = at.checked_sub(needle.before)?;
            needle.text.begins(text.get(start..)?).then_some((start, needle))
        })
    }
}

impl Needle {
    fn new(text: Literal, what: What, sample: &Sample) -> Option<Self> {
        let (before, window) = sample.rarest(text.bytes())?;
        Some(Self { window, before, text, what })
    }

    #[inline]
    fn slot(&self) -> usize {
        slot(self.window)
    }
}

#[inline]
fn slot(window: [u8; SPAN]) -> usize {
    hash(window) % SLOTS
}
