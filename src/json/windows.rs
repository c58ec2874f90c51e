//! A few short pieces of text, looked for all at once: by sets of bytes that may stand in each place of one, as Teddy does
//! it (Hyperscan, and `aho-corasick` after it), in registers as wide as the processor has them.

/// How many bytes of a window are looked at.
pub const SPAN: usize = 3;

/// How far one of those is behind the other: neighbours tell less of what stands there than bytes that are farther apart.
pub const STEP: usize = 2;

/// How many bytes a window has.
pub const REACH: usize = STEP * (SPAN - 1) + 1;

/// What may stand in the places of a window that are looked at.
pub type Window = [Bytes; SPAN];

/// Characters of ASCII, one bit each.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bytes(u128);

impl Bytes {
    /// All of them.
    pub const ALL: Self = Self(u128::MAX);

    /// These, as far as they are ASCII.
    pub fn of(bytes: &[u8]) -> Self {
        let ascii = bytes.iter().filter(|byte| byte.is_ascii());
        Self(ascii.fold(0, |bits, &byte| bits | 1 << byte))
    }

    /// These and others.
    #[must_use]
    pub fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// One after the other.
    pub fn iter(self) -> impl Iterator<Item = u8> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let byte = u8::try_from(rest.trailing_zeros()).ok().filter(u8::is_ascii)?;
            rest &= rest - 1;
            Some(byte)
        })
    }
}

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

/// In which sets windows have a byte in one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Table {
    /// By the byte.
    pub(super) ascii: [u8; 128],
    /// The same by its two halves, for those who cannot look so many up at once: the sets of both are those of the byte, and
    /// mixtures.
    pub(super) low: [u8; 16],
    pub(super) high: [u8; 16],
}

impl Default for Table {
    fn default() -> Self {
        Self { ascii: [0; 128], low: [0; 16], high: [0; 16] }
    }
}

impl Table {
    fn add(&mut self, bytes: Bytes, set: u8) {
        for byte in bytes.iter().map(usize::from) {
            let sets = [
                self.low.get_mut(byte & 0x0F),
                self.high.get_mut(byte >> 4),
                self.ascii.get_mut(byte),
            ];
            for sets in sets.into_iter().flatten() {
                *sets |= set;
            }
        }
    }

    /// The sets of a byte.
    #[inline]
    pub(super) fn sets(&self, byte: u8) -> u8 {
        self.ascii.get(usize::from(byte)).copied().unwrap_or_default()
    }
}

impl Windows {
    /// Adds a window to the set of this number, below [`SETS`].
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
