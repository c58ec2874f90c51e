//! What the first bodies are made of, by which it is decided what the others are searched for.

use crate::document::windows::SPAN;

/// Counts of what stood in bodies.
#[derive(Debug)]
pub(in crate::lint) struct Sample {
    /// How often each window stood in them, by its hash.
    windows: Box<[u16]>,
    /// How often bytes had each lower half, and each upper one.
    low: [u32; 16],
    high: [u32; 16],
    bytes: usize,
    bodies: u32,
}

/// How many bytes are looked at before it is decided what to search for.
const ENOUGH: usize = 32 * 1024;

/// How many bodies are, at most.
const MOST_BODIES: u32 = 16;

/// What it costs to search a body for the keys around a name that was found, beside what it costs to look at a window.
const SEARCH: u32 = 8;

/// How many hashes of windows there are.
const HASHES: usize = 1 << 13;

impl Default for Sample {
    fn default() -> Self {
        let windows = vec![0; HASHES].into();
        Self { windows, low: [0; 16], high: [0; 16], bytes: 0, bodies: 0 }
    }
}

impl Sample {
    /// Takes in the content of a body.
    pub(super) fn take(&mut self, text: &[u8]) {
        let text = text.get(..text.len().min(ENOUGH)).unwrap_or_default();
        self.bytes += text.len();
        self.bodies += 1;
        for window in text.windows(SPAN).filter_map(|window| window.first_chunk()) {
            if let Some(count) = self.windows.get_mut(hash(*window)) {
                *count = count.saturating_add(1);
            }
        }
        for byte in text.iter().step_by(8).map(|&byte| usize::from(byte)) {
            for (counts, half) in [(&mut self.low, byte & 15), (&mut self.high, byte >> 4)] {
                if let Some(count) = counts.get_mut(half) {
                    *count += 1;
                }
            }
        }
    }

    pub(super) fn is_enough(&self) -> bool {
        self.bytes >= ENOUGH || self.bodies >= MOST_BODIES
    }

    fn count(&self, window: [u8; SPAN]) -> u32 {
        self.windows.get(hash(window)).copied().unwrap_or_default().into()
    }

    /// The rarest window of a text, by its offset in that.
    pub(super) fn rarest(&self, text: &[u8]) -> Option<(usize, [u8; SPAN])> {
        let windows = text.windows(SPAN).filter_map(|window| window.first_chunk().copied());
        windows.enumerate().min_by_key(|&(_, window)| self.count(window))
    }

    /// How often the rarest window of a text stood in the bodies.
    pub(super) fn rarity(&self, text: &[u8]) -> u32 {
        self.rarest(text).map_or(0, |(_, window)| self.count(window))
    }

    /// What it costs to search for a name, in windows: where it is found, the body is searched for the keys around it.
    pub(super) fn cost_of_name(&self, quoted: &[u8]) -> u32 {
        let count = self.rarity(quoted);
        count + SEARCH * count.min(self.bodies)
    }

    /// How often bytes had lower and upper halves, by their product: one bit for each half that counts.
    pub(super) fn likelihood(&self, low: u16, high: u16) -> f64 {
        let fitting = |counts: &[u32; 16], halves: u16| {
            let fitting = (0u8..).zip(counts).filter(|(half, _)| halves >> half & 1 == 1);
            f64::from(fitting.map(|(_, count)| count).sum::<u32>())
        };
        fitting(&self.low, low) * fitting(&self.high, high)
    }
}

/// Of a window, below 2^13.
#[inline]
pub(super) fn hash(window: [u8; SPAN]) -> usize {
    let [first, second, third] = window.map(u32::from);
    ((first | second << 8 | third << 16).wrapping_mul(0x9E37_79B1) >> 19) as usize
}
