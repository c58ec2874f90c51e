//! Names and parents that are searched at once.

use super::keys::FieldKeys;
use super::parent::{Parent, may_match_far};
use super::sample::Sample;
use super::sets::in_sets;
use super::verdict::{SearchScratch, Verdict};
use crate::prefilter::ancestors::AncestorMatcher;
use crate::prefilter::field::Field;
use sundown_text_json::json::key_context;
use sundown_text_json::json::teddy::{Bytes, Hits, STEP, Window, Windows};
use sundown_text_json::json::{Literal, find_windows};
use sundown_text_json::text::Span;

/// The names to search for.
#[derive(Debug)]
pub(crate) struct Needles {
    windows: Windows,
    /// In the order of the slots of their windows.
    all: Vec<Needle>,
    /// By its slot, the index of the first needle with a window there plus one; 0 if there is none.
    first: Box<[u8; SLOTS]>,
}

/// A text that is found by one window of it.
#[derive(Debug)]
struct Needle {
    /// The hash of the first two bytes of the window that are compared.
    slot: usize,
    /// The number of bytes before the window.
    before: usize,
    /// A name with its opening quote, or an escape.
    text: Literal,
    what: What,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// An escape that may encode a letter.
    Escape,
    /// The field with this number.
    Field(usize),
    /// The parent with this number.
    Parent(usize),
}

const SLOTS: usize = 256;

/// The cost of reading the value of a key, in looks at a window.
const LOOK: u32 = 6;

/// The cost of reading back from a field to its parent, in looks at a window.
const LOOK_BACK: u32 = 3;

impl Needles {
    /// Chooses the rarest names by a sample: for each field its own, or those of its parents, unless it may be elsewhere, too.
    pub(super) fn new(fields: &[Field], parents: &mut [Parent], sample: &Sample) -> Option<Self> {
        let mut all = vec![Needle::escape()?];
        for (number, field) in fields.iter().enumerate() {
            let name = Literal::in_quote(&field.name);
            let more: u32 = parents
                .iter()
                .filter(|parent| parent.is_around(number))
                .filter(|parent| !parent.is_needle)
                .map(|parent| LOOK * sample.rarity(parent.quoted()))
                .sum();
            if field.needs_ancestors() || LOOK_BACK * sample.rarity(name.bytes()) <= more {
                all.push(Needle::new(name, What::Field(number), sample)?);
                continue;
            }
            for parent in parents.iter_mut().filter(|parent| parent.is_around(number)) {
                parent.is_needle = true;
            }
        }
        for (number, parent) in parents
            .iter()
            .enumerate()
            .filter(|(_, parent)| parent.is_needle)
        {
            all.push(Needle::new(
                Literal::new(parent.quoted()),
                What::Parent(number),
                sample,
            )?);
        }
        let windows = in_sets(all.iter().map(|(window, _)| *window), sample);
        let mut all: Vec<_> = all.into_iter().map(|(_, needle)| needle).collect();
        all.sort_by_key(|needle| needle.slot);
        let mut first = Box::new([0; SLOTS]);
        for (number, needle) in all.iter().enumerate().rev() {
            *first.get_mut(needle.slot)? = u8::try_from(number + 1).ok()?;
        }
        Some(Self {
            windows,
            all,
            first,
        })
    }

    /// Searches the content of a body.
    pub(super) fn look(
        &self,
        parents: &[Parent],
        fields: &[Field],
        scratch: &mut SearchScratch,
        matcher: &mut AncestorMatcher<'_>,
    ) -> Verdict {
        let SearchScratch { windows, value, .. } = scratch;
        let text = matcher.text();
        let level = matcher.level();
        find_windows(text, &self.windows, windows);
        let mut keys = FieldKeys::new(fields, value, matcher);
        for at in windows.iter().copied().flat_map(Hits::offsets) {
            for (start, needle) in self.at(text, at) {
                let name = Span::new(start + 1, start + needle.text.len());
                let open = || key_context::value_of_key(text, name.start, name.end, level);
                let may_match = match needle.what {
                    What::Escape => key_context::hides_names(text, start + 1),
                    What::Field(number) => {
                        open().is_some() && keys.may_be_use(number, name, matcher)
                    }
                    What::Parent(number) => open().is_some_and(|open| {
                        parents.get(number).is_none_or(|parent| {
                            parent.may_hold_use(parents, open, &mut keys, matcher)
                        })
                    }),
                };
                if may_match {
                    return Verdict::MayMatch;
                }
            }
        }
        if may_match_far(parents, &mut keys, matcher) {
            return Verdict::MayMatch;
        }
        Verdict::Nothing
    }

    /// The needles with a window at `at`, by their offsets.
    #[inline]
    fn at<'s>(&'s self, text: &'s [u8], at: usize) -> impl Iterator<Item = (usize, &'s Needle)> {
        let slot = text
            .get(at)
            .zip(text.get(at + STEP))
            .map_or(0, |(&a, &b)| slot(a, b));
        let first = self
            .first
            .get(slot)
            .and_then(|first| first.checked_sub(1))
            .map(usize::from);
        let same = first
            .and_then(|first| self.all.get(first..))
            .unwrap_or_default()
            .iter()
            .take_while(move |needle| needle.slot == slot);
        same.filter_map(move |needle| {
            let start = at.checked_sub(needle.before)?;
            needle
                .text
                .begins(text.get(start..)?)
                .then_some((start, needle))
        })
    }
}

impl Needle {
    /// Creates a needle for a name with its opening quote, with its window.
    fn new(text: Literal, what: What, sample: &Sample) -> Option<(Window, Self)> {
        let before = sample.rarest(text.bytes())?;
        let (&first, rest) = text.bytes().get(before..)?.split_first()?;
        let &second = rest.get(STEP - 1)?;
        let third = match (rest.get(2 * STEP - 1), rest.len()) {
            (Some(third), _) => Bytes::of(&[*third]),
            // The closing quote of the name.
            (None, len) if len + 1 == 2 * STEP => Bytes::of(b"\"\\"),
            (None, _) => Bytes::ALL,
        };
        let window = [Bytes::of(&[first]), Bytes::of(&[second]), third];
        Some((
            window,
            Self {
                slot: slot(first, second),
                before,
                text,
                what,
            },
        ))
    }

    /// Creates the needle for an escape that may encode a letter, with its window.
    fn escape() -> Option<(Window, Self)> {
        let text = Literal::new(key_context::ESCAPE);
        let (&first, &second) = text.bytes().first().zip(text.bytes().get(STEP))?;
        let digits = Bytes::of(key_context::HIDING_DIGITS);
        let window = [Bytes::of(&[first]), Bytes::of(&[second]), digits];
        Some((
            window,
            Self {
                slot: slot(first, second),
                before: 0,
                text,
                what: What::Escape,
            },
        ))
    }
}

/// Returns a number below [`SLOTS`] for two bytes.
#[inline]
fn slot(first: u8, second: u8) -> usize {
    let bits = (u32::from(first) << 8 | u32::from(second)).wrapping_mul(0x9E37_79B1);
    (bits >> 24) as usize
}
