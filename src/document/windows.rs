//! A few short pieces of text, looked for all at once: by sets of bytes that may stand in each place of one, as Teddy does
//! it (Hyperscan, and `aho-corasick` after it), in registers as wide as the processor has them.

use super::simd;

/// How many bytes a window has.
pub const SPAN: usize = 3;

/// How many sets of windows there are: one bit each.
pub const SETS: usize = 8;

/// Offsets that are near each other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Hits {
    /// From where on they are counted.
    pub(super) from: usize,
    /// How far behind they are: one bit each.
    pub(super) bits: u64,
}

impl Hits {
    /// The offsets, in their order.
    #[inline]
    pub fn offsets(self) -> impl Iterator<Item = usize> {
        let Self { from, mut bits } = self;
        std::iter::from_fn(move || {
            let bit = (bits != 0).then(|| bits.trailing_zeros() as usize)?;
            bits &= bits - 1;
            Some(from + bit)
        })
    }
}

/// Windows in sets. Of two in one set, mixtures of both are found too.
#[derive(Debug, Default)]
pub struct Windows {
    tables: [Table; SPAN],
}

/// In which sets windows have a byte in one place, by the two halves of the byte: the sets are those of both.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    pub(super) low: [u8; 16],
    pub(super) high: [u8; 16],
    /// The same by the whole byte, of those that are ASCII.
    pub(super) ascii: [u8; 128],
}

impl Default for Table {
    fn default() -> Self {
        Self { low: [0; 16], high: [0; 16], ascii: [0; 128] }
    }
}

impl Table {
    fn add(&mut self, byte: u8, set: u8) {
        if let Some(sets) = self.low.get_mut(usize::from(byte & 0x0F)) {
            *sets |= set;
        }
        if let Some(sets) = self.high.get_mut(usize::from(byte >> 4)) {
            *sets |= set;
        }
        let mut ascii = [0; 128];
        (0..).zip(&mut ascii).for_each(|(byte, sets)| *sets = self.sets(byte));
        self.ascii = ascii;
    }

    /// The sets of a byte.
    #[inline]
    pub(super) fn sets(&self, byte: u8) -> u8 {
        let low = self.low.get(usize::from(byte & 0x0F)).copied().unwrap_or_default();
        low & self.high.get(usize::from(byte >> 4)).copied().unwrap_or_default()
    }
}

impl Windows {
    /// Adds a window of ASCII to the set of this number, below [`SETS`].
    pub fn add(&mut self, window: [u8; SPAN], set: usize) {
        debug_assert!(window.is_ascii() && set < SETS, "{window:?} in {set}");
        for (table, byte) in self.tables.iter_mut().zip(window) {
            table.add(byte, 1 << (set % SETS));
        }
    }

    /// Puts into `found` where one of the windows may begin: all offsets at which one does, and some more.
    pub fn find(&self, text: &[u8], found: &mut Vec<Hits>) {
        found.clear();
        simd::windows(text, self, found);
    }

    pub(super) fn tables(&self) -> &[Table; SPAN] {
        &self.tables
    }
}
