//! A small seeded source of random numbers: the same seed gives the same traffic on every machine.

/// `SplitMix64`: one addition and two multiplications a number, which is what a generator of gigabytes can afford.
#[derive(Debug, Clone)]
pub(super) struct Random {
    state: u64,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

impl Random {
    /// The source of one purpose of one record. Each record has sources of its own, so that what is in it depends on
    /// the seed and its number only.
    pub(super) fn new(seed: u64, record: u64, purpose: u64) -> Self {
        let mut mixed = Self {
            state: seed ^ purpose.rotate_left(56),
        };
        let state = mixed.next() ^ record.wrapping_mul(GOLDEN);
        Self { state }
    }

    /// 64 random bits.
    pub(super) fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(GOLDEN);
        let mut bits = self.state;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `bound`; 0 if that is 0.
    pub(super) fn below(&mut self, bound: u32) -> u32 {
        high_half((self.next() >> 32).wrapping_mul(u64::from(bound)))
    }

    /// A number from `low` up to, not including, `high`.
    pub(super) fn between(&mut self, low: u32, high: u32) -> u32 {
        low.wrapping_add(self.below(high.saturating_sub(low)))
    }

    /// True once in `times`.
    pub(super) fn once_in(&mut self, times: u32) -> bool {
        self.below(times) == 0
    }

    /// One of the choices.
    pub(super) fn choose<'a, T: ?Sized>(&mut self, choices: &[&'a T]) -> Option<&'a T> {
        choices.get(index(self.below(length(choices)))).copied()
    }
}

/// A number as an index.
pub(super) fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// The number of elements; the lists here are short.
pub(super) fn length<T>(list: &[T]) -> u32 {
    u32::try_from(list.len()).unwrap_or(u32::MAX)
}

/// The upper 32 of 64 bits.
fn high_half(bits: u64) -> u32 {
    u32::try_from(bits >> 32).unwrap_or(u32::MAX)
}
