//! A search for several short texts at once by the sets of bytes that each of their positions allows. It is the Teddy
//! algorithm of Hyperscan and `aho-corasick`.

use super::marks::bits;

/// The number of bytes of a window that are compared.
pub const SPAN: usize = 3;

/// The distance between compared bytes: bytes that are apart distinguish texts better than neighbors.
pub const STEP: usize = 2;

/// The length of a window in bytes.
pub const REACH: usize = STEP * (SPAN - 1) + 1;

/// The bytes that each compared position of a window allows.
pub type Window = [Bytes; SPAN];

/// A set of ASCII characters, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(u128);

impl Bytes {
    /// All ASCII characters.
    pub const ALL: Self = Self(u128::MAX);

    /// Creates the set of the ASCII characters among `bytes`.
    pub fn of(bytes: &[u8]) -> Self {
        let ascii = bytes.iter().filter(|byte| byte.is_ascii());
        Self(ascii.fold(0, |bits, &byte| bits | 1 << byte))
    }

    /// Returns the union of two sets.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Returns the characters in ascending order.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let byte = u8::try_from(rest.trailing_zeros())
                .ok()
                .filter(u8::is_ascii)?;
            rest &= rest - 1;
            Some(byte)
        })
    }
}

/// The number of sets of windows, one bit each.
pub const SETS: usize = 8;

/// Offsets within one block of 64 bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hits {
    /// The offset of the block.
    pub(super) from: usize,
    /// One bit for each byte of the block that is an offset.
    pub(super) bits: u64,
}

impl Hits {
    /// Returns the offsets in order.
    #[inline]
    pub fn offsets(self) -> impl Iterator<Item = usize> {
        bits(self.bits).map(move |bit| self.from + bit)
    }
}

/// Windows in sets. Two windows in one set also find mixtures of both.
#[derive(Debug, Default)]
pub struct Windows {
    tables: [Table; SPAN],
}

/// The sets that allow each byte at one position, by its two halves: the sets of both include those of the byte.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Table {
    pub low: [u8; 16],
    pub high: [u8; 16],
}

impl Table {
    fn add(&mut self, bytes: Bytes, set: u8) {
        for byte in bytes.iter().map(usize::from) {
            self.low[byte & 0x0F] |= set;
            self.high[byte >> 4] |= set;
        }
    }

    /// Returns the sets that allow a byte, and perhaps more.
    #[inline]
    pub(super) fn sets(&self, byte: u8) -> u8 {
        self.low[usize::from(byte & 0x0F)] & self.high[usize::from(byte >> 4)]
    }
}

impl Windows {
    /// Adds a window to the set of this number, which is below [`SETS`].
    pub fn add(&mut self, window: Window, set: usize) {
        debug_assert!(set < SETS, "{window:?} in {set}");
        for (table, bytes) in self.tables.iter_mut().zip(window) {
            table.add(bytes, 1 << (set % SETS));
        }
    }

    pub(super) fn tables(&self) -> &[Table; SPAN] {
        &self.tables
    }
}
