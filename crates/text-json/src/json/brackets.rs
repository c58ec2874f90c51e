//! Searches for the quotes and brackets of a JSON text: backward from a position, or all ends of keys.
//!
//! Nothing else is read. For a text that is not JSON, the results are meaningless but safe.

use super::marks::{Ends, Innermost, QuoteLevel, bits};
use super::simd::{self, Word};
use super::teddy::{Hits, Windows};

/// Finds the array or object that is open at `at`, which is not inside a string, backwards down to `floor`. Nothing before that
/// is read.
#[inline]
pub fn open_before(text: &[u8], at: usize, floor: usize, level: QuoteLevel) -> Innermost {
    simd::open_before(text, at, floor, level)
}

/// Whether a text that begins with a bracket is exactly one array or object, by its brackets.
pub fn is_one_container(text: &[u8], level: QuoteLevel) -> bool {
    simd::is_one_container(text, level)
}

/// The brackets of an array or object, and the strings in it that resemble certain names. Its memory is reused.
#[derive(Debug, Default)]
pub struct Container {
    words: Vec<Word>,
    alike: Vec<usize>,
}

impl Container {
    /// Reads the array or object at the beginning of a text, and forgets the one before. [Lists](Self::alike) the strings in it
    /// that have the ends of one of the names at the right distance. Returns the offset after it; `None` if it does not end. All
    /// offsets count from its beginning.
    pub fn read(&mut self, text: &[u8], names: &[Ends], level: QuoteLevel) -> Option<usize> {
        simd::marks_of_container(text, level, names, &mut self.words, &mut self.alike)
    }

    /// The offsets of the opening quotes of strings that may begin with one of the names.
    pub fn alike(&self) -> &[usize] {
        &self.alike
    }

    /// Returns a counter of the arrays and objects that are open at ascending positions.
    #[inline]
    pub fn depths(&self) -> Depths<'_> {
        Depths {
            words: &self.words,
            number: 0,
            depth: 0,
        }
    }
}

/// The quotes of a text after which a key may end. Its memory is reused.
#[derive(Debug, Default)]
pub struct KeyEnds(Vec<u64>);

impl KeyEnds {
    /// Reads a text, and forgets the one before.
    pub fn read(&mut self, text: &[u8], level: QuoteLevel) {
        simd::key_ends(text, level, &mut self.0);
    }

    /// The offsets of the quotes, in ascending order.
    #[inline]
    pub fn offsets(&self) -> impl Iterator<Item = usize> {
        self.0
            .iter()
            .enumerate()
            .flat_map(|(number, &word)| bits(word).map(move |bit| 64 * number + bit))
    }
}

/// Counts open brackets, and reads each once.
#[derive(Debug)]
pub struct Depths<'s> {
    words: &'s [Word],
    /// The index of the current word.
    number: usize,
    /// The number of brackets that are open at its beginning. The text up to here never closes more than it opens.
    depth: usize,
}

impl Depths<'_> {
    /// Returns the number of brackets that are open at `at`, which is not before the last position that was asked for.
    #[inline]
    pub fn at(&mut self, at: usize) -> usize {
        let opened = |depth: usize, word: &Word, within: u64| {
            let depth = depth + (word.open & within).count_ones() as usize;
            depth.saturating_sub((word.close & within).count_ones() as usize)
        };
        while self.number < at / 64
            && let Some(word) = self.words.get(self.number)
        {
            self.depth = opened(self.depth, word, u64::MAX);
            self.number += 1;
        }
        let below = (1u64 << (at % 64)) - 1;
        self.words
            .get(self.number)
            .map_or(0, |word| opened(self.depth, word, below))
    }
}

/// Lists in `found` the offsets at which one of the windows may begin: all at which one does, and some more.
pub fn find_windows(text: &[u8], windows: &Windows, found: &mut Vec<Hits>) {
    found.clear();
    simd::windows(text, windows, found);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_behind_which_a_key_may_end_are_found_across_words() {
        let filler = "x".repeat(100);
        for (level, text) in [
            (
                QuoteLevel::Document,
                format!("{{\"{filler}\":[1,\"]\\\"{filler}\"],\"b\" :{{}}}}"),
            ),
            (
                QuoteLevel::String,
                format!(r#"{{\"{filler}\":[1,\"]\\\"{filler}\"],\"b\"\n:{{}}}}"#),
            ),
        ] {
            let mut key_ends = KeyEnds::default();
            key_ends.read(text.as_bytes(), level);
            let ends: Vec<_> = key_ends.offsets().collect();
            let colons = text.match_indices(['x', 'b']).filter_map(|(at, _)| {
                let quote = at + level.quote().len();
                text[at + 1..].starts_with(level.quote()).then_some(quote)
            });
            let expected: Vec<_> = colons
                .filter(|&quote| !text[quote + 1..].starts_with(']'))
                .collect();
            assert_eq!(ends, expected, "{text}");
            assert_eq!(ends.len(), 2, "{text}");
        }
    }

    #[test]
    fn what_is_like_a_name_is_noted_as_deep_as_it_stands_up_to_the_end() {
        let filler = "x".repeat(100);
        for (level, text) in [
            (
                QuoteLevel::Document,
                format!(r#"{{"name":[{{"y":"{{{filler}"}},"name"],"none":1}},"name""#),
            ),
            (
                QuoteLevel::String,
                format!(r#"{{\"name\":[{{\"y\":\"{{{filler}\"}},\"name\"],\"none\":1}},\"name\""#),
            ),
        ] {
            let mut container = Container::default();
            let names: Vec<_> = Ends::of(b"name").into_iter().collect();
            let end = container.read(text.as_bytes(), &names, level);
            assert_eq!(end, text.rfind(','), "{text}");
            // By its ends, another is alike.
            let places = text
                .match_indices("\"n")
                .map(|(at, _)| at)
                .take(3)
                .collect::<Vec<_>>();
            assert_eq!(container.alike(), places, "{text}");
            let mut depths = container.depths();
            let depths: Vec<_> = places.iter().map(|&at| depths.at(at)).collect();
            assert_eq!(depths, [1, 2, 1], "{text}");
        }
    }
}
