//! Where the quotes and brackets of a JSON text stand: written down in one pass over it, then asked as often as need be.
//!
//! Nothing else of the text is looked at. Of a text that is no JSON, the answers mean nothing, but are safe to ask for.

use super::simd::{self, Word};

/// How a document stands in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Level {
    /// As it is.
    Document,
    /// As the content of a JSON string: its quotes are `\"`.
    String,
}

impl Level {
    /// How its quotes are written.
    pub fn quote(self) -> &'static str {
        match self {
            Self::Document => "\"",
            Self::String => "\\\"",
        }
    }

    /// Whether a quote behind so many backslashes begins or ends a string: in a string, of an odd number of them the last
    /// belongs to the quote, and the others are, in pairs, the document's.
    #[inline]
    pub(super) fn is_quote_behind(self, backslashes: usize) -> bool {
        match self {
            Self::Document => backslashes.is_multiple_of(2),
            Self::String => backslashes % 4 == 1,
        }
    }

    /// Whether the quote at `at` begins or ends a string.
    #[inline]
    pub fn is_quote(self, text: &[u8], at: usize) -> bool {
        self.is_quote_behind(backslashes_before(text, at))
    }
}

/// How many backslashes in a row stand before `at`.
#[inline]
pub(super) fn backslashes_before(text: &[u8], at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let count = before.iter().rev().take(FEW).take_while(|&&byte| byte == b'\\').count();
    if count < FEW { count } else { count_backslashes(before) }
}

/// How many backslashes are counted one by one.
const FEW: usize = 8;

/// How many backslashes a text ends with: of long rows each is counted again for every quote near by.
#[cold]
fn count_backslashes(text: &[u8]) -> usize {
    const MANY: [u8; 64] = [b'\\'; 64];
    let mut rest = text;
    while let Some(before) = rest.strip_suffix(&MANY) {
        rest = before;
    }
    let last = rest.iter().rev().take_while(|&&byte| byte == b'\\').count();
    text.len() - rest.len() + last
}

/// What is open at some place in a text, by what stands before that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Around {
    /// The array or object whose bracket stands here.
    Bracket(usize),
    /// Nothing.
    Nothing,
    /// What begins farther away than was looked.
    TooFar,
}

/// What is open at `at`, which is not inside a string, looked for backwards from there, through 64 times `blocks` bytes at
/// most: nothing is known of what stands farther away, nor needs to be.
#[inline]
pub fn open_before(text: &[u8], at: usize, level: Level, blocks: usize) -> Around {
    simd::open_before(text, at, level, blocks)
}

/// A name by its ends, and how far apart they are: of strings of which that is true, hardly any begins with another name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ends {
    pub(super) first: u8,
    pub(super) last: u8,
    /// How many bytes it has, at least one.
    pub(super) len: usize,
}

impl Ends {
    /// Those of a name; `None` where it is empty.
    pub fn of(name: &[u8]) -> Option<Self> {
        let (&first, &last) = (name.first()?, name.last()?);
        Some(Self { first, last, len: name.len() })
    }
}

/// Whether a text, which begins with a bracket, is one array or object and nothing else, and no string directly in it has the
/// ends of one of the names where that name would have them.
pub fn is_whole_without(names: &[Ends], text: &[u8], level: Level) -> bool {
    simd::is_whole_without(text, level, names)
}

/// The quotes and brackets of one text. Its memory is used again for the next.
#[derive(Debug, Default)]
pub struct Structure {
    words: Vec<Word>,
    /// Quotes that begin strings which may begin with certain names.
    alike: Vec<usize>,
}

/// A bracket outside strings, by its offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bracket {
    /// Opens an array or object.
    Open(usize),
    /// Closes one.
    Close(usize),
}

impl Bracket {
    /// Its offset.
    #[inline]
    pub fn offset(self) -> usize {
        match self {
            Self::Open(at) | Self::Close(at) => at,
        }
    }
}

impl Structure {
    /// Takes in a text, and forgets the one before. All offsets count from its beginning.
    pub fn read(&mut self, text: &[u8], level: Level) {
        self.alike.clear();
        match level {
            Level::Document => simd::marks_of_document(text, &mut self.words),
            Level::String => simd::marks_of_string(text, &mut self.words),
        }
    }

    /// Takes in no more than the array or object that a text begins with, and [notes](Self::alike) the strings in it that have
    /// the ends of one of the names where that name would have them. Gives the offset behind it; `None` where it does not end.
    /// [`Self::key_ends`] are not known of it.
    pub fn read_container(&mut self, text: &[u8], names: &[Ends], level: Level) -> Option<usize> {
        let end = simd::marks_of_container(text, level, names, &mut self.words, &mut self.alike)?;
        let inside = self.alike.partition_point(|&quote| quote < end);
        self.alike.truncate(inside);
        Some(end)
    }

    /// Offsets of the quotes that begin strings which may begin with the names that were asked for.
    pub fn alike(&self) -> &[usize] {
        &self.alike
    }

    /// Whether a quote that begins or ends a string stands at `at`.
    #[inline]
    pub fn is_quote(&self, at: usize) -> bool {
        self.words.get(at / 64).is_some_and(|word| word.quotes >> (at % 64) & 1 == 1)
    }

    /// Whether what stands at `at` is in a string, its opening quote included.
    #[inline]
    pub fn is_in_string(&self, at: usize) -> bool {
        self.words.get(at / 64).is_some_and(|word| word.strings >> (at % 64) & 1 == 1)
    }

    /// Offset of the last quote before `at` that begins or ends a string.
    #[inline]
    pub fn quote_before(&self, at: usize) -> Option<usize> {
        let mut number = at / 64;
        let below = (1u64 << (at % 64)) - 1;
        let mut quotes = self.words.get(number).map_or(0, |word| word.quotes & below);
        while quotes == 0 {
            number = number.checked_sub(1)?;
            quotes = self.words.get(number)?.quotes;
        }
        Some(64 * number + 63 - quotes.leading_zeros() as usize)
    }

    /// Offsets of the quotes behind which a key may end.
    #[inline]
    pub fn key_ends(&self) -> impl Iterator<Item = usize> {
        self.bits(|word| word.key_ends)
    }

    #[inline]
    fn bits<F: Fn(&Word) -> u64>(&self, of: F) -> Bits<'_, F> {
        let rest = self.words.first().map_or(0, &of);
        Bits { words: &self.words, number: 0, rest, of }
    }

    /// Offset behind the array or object whose opening bracket stands at `open`.
    pub fn container_end(&self, open: usize) -> Option<usize> {
        simd::marked_end(&self.words, open)
    }

    /// How many arrays and objects are open at places that are asked for in their order.
    #[inline]
    pub fn depths(&self) -> Depths<'_> {
        Depths { words: &self.words, number: 0, depth: 0 }
    }

    /// All brackets, in their order.
    #[inline]
    pub fn brackets(&self) -> Brackets<'_> {
        let both = self.words.first().map_or(0, |word| word.open | word.close);
        Brackets { words: &self.words, number: 0, both }
    }
}

/// Offsets in their order.
struct Bits<'s, F> {
    words: &'s [Word],
    number: usize,
    /// Those of the word at hand that have not been given yet.
    rest: u64,
    of: F,
}

impl<F: Fn(&Word) -> u64> Iterator for Bits<'_, F> {
    type Item = usize;

    #[inline]
    fn next(&mut self) -> Option<usize> {
        while self.rest == 0 {
            self.number += 1;
            self.rest = (self.of)(self.words.get(self.number)?);
        }
        let at = 64 * self.number + self.rest.trailing_zeros() as usize;
        self.rest &= self.rest - 1;
        Some(at)
    }
}

/// Counts brackets, each once.
#[derive(Debug)]
pub struct Depths<'s> {
    words: &'s [Word],
    /// The word at hand.
    number: usize,
    /// How many are open at its beginning. No text closes more than it opens that they are asked of.
    depth: usize,
}

impl Depths<'_> {
    /// How many are open at `at`, which stands behind the place that was asked for before.
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
        self.words.get(self.number).map_or(0, |word| opened(self.depth, word, below))
    }
}

/// Brackets in their order.
#[derive(Debug)]
pub struct Brackets<'s> {
    words: &'s [Word],
    number: usize,
    /// Those of the word at hand that have not been given yet.
    both: u64,
}

impl Iterator for Brackets<'_> {
    type Item = Bracket;

    #[inline]
    fn next(&mut self) -> Option<Bracket> {
        while self.both == 0 {
            self.number += 1;
            let word = self.words.get(self.number)?;
            self.both = word.open | word.close;
        }
        let bit = self.both.trailing_zeros();
        self.both &= self.both - 1;
        let at = 64 * self.number + bit as usize;
        let opens = self.words.get(self.number)?.open >> bit & 1 == 1;
        Some(if opens { Bracket::Open(at) } else { Bracket::Close(at) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_and_brackets_are_found_across_words() {
        let filler = "x".repeat(100);
        let text = format!("{{\"{filler}\":[1,\"]\\\"{filler}\"],\"b\":{{}}}}");
        let mut structure = Structure::default();
        structure.read(text.as_bytes(), Level::Document);
        let end = 1 + 1 + filler.len();
        assert_eq!(&text[1..=end], format!("\"{filler}\""));
        assert_eq!(structure.quote_before(end), Some(1));
        assert_eq!(structure.quote_before(1), None);
        assert!(structure.is_quote(1) && structure.is_quote(end) && !structure.is_quote(0));
        let list = end + 2;
        assert_eq!(
            &text[list..structure.container_end(list).unwrap()],
            &text[list..text.len() - 8]
        );
        assert_eq!(structure.container_end(0), Some(text.len()));
        let brackets: Vec<_> = structure.brackets().skip(1).collect();
        assert_eq!(brackets.len(), 5);
        assert_eq!(brackets[0], Bracket::Open(list));
        assert_eq!(brackets[4], Bracket::Close(text.len() - 1));
    }

    #[test]
    fn a_document_in_a_string_has_its_quotes_behind_backslashes() {
        let text = r#"{\"a\":\"\\\"]\",\"b\":[\"\\\\\"]}"#;
        let mut structure = Structure::default();
        structure.read(text.as_bytes(), Level::String);
        let brackets: Vec<_> = structure.brackets().collect();
        let list = text.find('[').unwrap();
        let end = text.rfind(']').unwrap();
        assert_eq!(
            brackets,
            [
                Bracket::Open(0),
                Bracket::Open(list),
                Bracket::Close(end),
                Bracket::Close(text.len() - 1)
            ]
        );
    }
}
