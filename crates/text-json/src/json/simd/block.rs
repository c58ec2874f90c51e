//! What is computed for 64 bytes without wide instructions.

use crate::json::escape::escape;
use crate::json::quote_level::{self, QuoteLevel};

/// Finds the bytes after an odd number of backslashes.
#[derive(Default)]
pub(super) struct Escapes {
    /// 1 if the first of the next 64 bytes is such a byte, else 0.
    pub carried: u64,
}

impl Escapes {
    #[inline]
    pub(super) fn next(&mut self, backslashes: u64) -> u64 {
        const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        // No branch for blocks without backslashes, because it would be unpredictable.
        let may_escape = backslashes & !self.carried;
        // The subtraction carries through each run of backslashes, to a bit that shows if its length is odd.
        let ends = ((may_escape << 1 | ODD).wrapping_sub(may_escape)) ^ ODD;
        let escaped = ends ^ (backslashes | self.carried);
        self.carried = (ends & backslashes) >> 63;
        escaped
    }
}

/// The backslashes before 64 bytes, as far as they affect the quotes in these, at both levels.
#[derive(Default)]
pub(super) struct Carry {
    pub escapes: Escapes,
    /// 1 if there is a backslash, else 0.
    pub backslash: u64,
    /// 1 if there is more than one, else 0.
    pub row: u64,
}

/// Filters the bits of the word at `at` by their offsets in the text.
#[inline]
fn filtered(at: usize, bits: u64, wanted: impl Fn(usize) -> bool) -> u64 {
    quote_level::bits(bits)
        .filter(|bit| wanted(at + bit))
        .fold(0, |found, bit| found | 1 << bit)
}

/// Filters quotes after a backslash: keeps those of a document within a string, which follow one backslash and an even number of
/// the document's own.
#[inline(never)]
pub(super) fn quotes_of_string(bytes: &[u8], at: usize, candidates: u64) -> u64 {
    filtered(at, candidates, |quote| {
        QuoteLevel::String.is_quote(bytes, quote)
    })
}

/// Filters characters after a backslash: keeps those that do not form a valid escape.
pub(super) fn wrong_escapes(bytes: &[u8], at: usize, escaped: u64) -> u64 {
    filtered(at, escaped, |character| {
        escape(bytes, character - 1).is_none()
    })
}

/// Returns the character that `n`, `t` or `r` means after a backslash.
pub(super) fn control(letter: u8) -> u8 {
    match letter {
        b'n' => b'\n',
        b't' => b'\t',
        _ => b'\r',
    }
}

/// Sets the lowest `count` bits, at most 64.
#[inline]
pub(super) fn below(count: usize) -> u64 {
    if count >= 64 {
        u64::MAX
    } else {
        (1u64 << count) - 1
    }
}

/// Copies the bytes from `at` on, with zeros after the end.
#[inline]
pub(super) fn padded<const COUNT: usize>(bytes: &[u8], at: usize) -> [u8; COUNT] {
    let mut block = [0; COUNT];
    let rest = bytes.get(at..).unwrap_or_default();
    debug_assert!(
        rest.len() <= COUNT,
        "what stands before the last {COUNT} bytes is whole"
    );
    if let Some(room) = block.get_mut(..rest.len()) {
        room.copy_from_slice(rest);
    }
    block
}
