//! The terms in which searches for the quotes and brackets of a JSON text are put and answered.

/// The level of quoting at which a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteLevel {
    /// As it is.
    Document,
    /// As the content of a JSON string: its quotes are `\"`.
    String,
}

impl QuoteLevel {
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

/// Counts the backslashes directly before `at`.
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

/// The array or object that is open at a position, by the text before it, back to another position.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Innermost {
    /// The array or object with its bracket at this offset.
    Bracket(usize),
    /// Nothing that begins in between.
    Nothing {
        /// How many arrays and objects end in between that do not begin there.
        closed: usize,
        /// Whether the other place is inside a string.
        in_string: bool,
    },
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
