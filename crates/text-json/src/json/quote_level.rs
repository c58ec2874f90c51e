//! The quotes of a JSON text, as it is or as the content of a string.

/// The level of quoting at which a document is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuoteLevel {
    /// Verbatim.
    Document,
    /// As the content of a JSON string: its quotes are `\"`.
    String,
}

impl QuoteLevel {
    /// Returns the text of a quote at this level.
    pub fn quote(self) -> &'static str {
        match self {
            Self::Document => "\"",
            Self::String => "\\\"",
        }
    }

    /// Whether a quote after this number of backslashes begins or ends a string. A string of another document
    /// doubles each backslash and escapes each quote: such a quote follows one backslash, and four more for each `\\\\` before it.
    #[inline]
    pub(super) fn is_quote_after(self, backslashes: usize) -> bool {
        match self {
            Self::Document => backslashes.is_multiple_of(2),
            Self::String => backslashes % 4 == 1,
        }
    }

    /// Whether the quote at `at` begins or ends a string.
    #[inline]
    pub fn is_quote(self, text: &[u8], at: usize) -> bool {
        self.is_quote_after(backslashes_before(text, at))
    }
}

/// Counts the backslashes directly before `at`.
#[inline]
pub(super) fn backslashes_before(text: &[u8], at: usize) -> usize {
    let before = text.get(..at).unwrap_or_default();
    let count = before
        .iter()
        .rev()
        .take(FEW)
        .take_while(|&&byte| byte == b'\\')
        .count();
    if count < FEW {
        count
    } else {
        count_backslashes(before)
    }
}

/// The number of backslashes that are counted one by one.
const FEW: usize = 8;

/// Counts the backslashes at the end of a text in blocks, because a long row is counted again for every quote in it.
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

/// Returns the indices of the bits that are set, in ascending order.
#[inline]
pub(super) fn bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let next = (word != 0).then(|| word.trailing_zeros() as usize)?;
        word &= word - 1;
        Some(next)
    })
}
