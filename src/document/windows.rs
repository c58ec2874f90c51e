//! A few short pieces of text, looked for all at once: by sets of bytes that may stand in each place of one, as Teddy does
//! it (Hyperscan, and `aho-corasick` after it), in registers as wide as the processor has them.

use super::simd;

/// How many bytes a window has.
pub const SPAN: usize = 3;

/// How many sets of windows there are: one bit each.
pub const SETS: usize = 8;

/// Windows in sets. Of two in one set, mixtures of both are found too.
#[derive(Debug, Default)]
pub struct Windows {
    tables: [Table; SPAN],
}

/// In which sets windows have a byte in one place, by the two halves of the byte: the sets are those of both.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Table {
    pub(super) low: [u8; 16],
    pub(super) high: [u8; 16],
}

impl Table {
    fn add(&mut self, byte: u8, set: u8) {
        if let Some(sets) = self.low.get_mut(usize::from(byte & 0x0F)) {
            *sets |= set;
        }
        if let Some(sets) = self.high.get_mut(usize::from(byte >> 4)) {
            *sets |= set;
        }
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

    /// Puts the offsets into `found` at which one of the windows may begin: all at which one does, and some more.
    pub fn find(&self, text: &[u8], found: &mut Vec<usize>) {
        found.clear();
        simd::windows(text, self, found);
    }

    pub(super) fn tables(&self) -> &[Table; SPAN] {
        &self.tables
    }
}
