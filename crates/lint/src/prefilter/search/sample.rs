//! A sample of the first bodies, which decides the names that are searched in the others.

use sundown_text_json::json::teddy::{Bytes, REACH, SPAN, STEP};

/// Counts of bytes in bodies.
#[derive(Debug)]
pub(crate) struct Sample {
    /// The frequency of each window, by the hash of its compared bytes.
    windows: Box<[u16]>,
    /// The frequency of their first two bytes.
    pairs: Box<[u16]>,
    /// The frequency of each byte, counted in every eighth.
    ascii: [u32; 128],
    bytes: usize,
    bodies: u32,
}

/// The number of bytes that are enough.
const SAMPLE_BYTES: usize = 32 * 1024;

/// The number of bodies that are enough.
const SAMPLE_BODIES: u32 = 16;

/// The number of hashes of windows.
const HASHES: usize = 1 << 13;

impl Default for Sample {
    fn default() -> Self {
        let windows = vec![0; HASHES].into();
        let pairs = vec![0; HASHES].into();
        Self {
            windows,
            pairs,
            ascii: [0; 128],
            bytes: 0,
            bodies: 0,
        }
    }
}

impl Sample {
    /// Adds the content of a body.
    pub(super) fn take(&mut self, text: &[u8]) {
        let text = text.get(..text.len().min(SAMPLE_BYTES)).unwrap_or_default();
        self.bytes += text.len();
        self.bodies += 1;
        for [first, second, third] in text.windows(REACH).map(looked_at) {
            let whole = self.windows.get_mut(hash([first, second, third]));
            let pair = self.pairs.get_mut(hash([first, second, None]));
            for count in [whole, pair].into_iter().flatten() {
                *count = count.saturating_add(1);
            }
        }
        for &byte in text.iter().step_by(8) {
            if let Some(count) = self.ascii.get_mut(usize::from(byte)) {
                *count += 1;
            }
        }
    }

    pub(super) fn is_enough(&self) -> bool {
        self.bytes >= SAMPLE_BYTES || self.bodies >= SAMPLE_BODIES
    }

    /// The frequency of the beginning of a text, as far as it is compared.
    fn count(&self, text: &[u8]) -> u32 {
        let [first, second, third] = looked_at(text);
        let counts = if third.is_some() {
            &self.windows
        } else {
            &self.pairs
        };
        counts
            .get(hash([first, second, third]))
            .copied()
            .unwrap_or_default()
            .into()
    }

    /// Returns the offset of the rarest window of a text. Part of it may be after the text, but at most the last compared byte.
    /// `None` if the text is too short.
    pub(super) fn rarest(&self, text: &[u8]) -> Option<usize> {
        let starts = 0..text.len().checked_sub(STEP)?;
        starts.min_by_key(|&start| text.get(start..).map(|rest| self.count(rest)))
    }

    /// The frequency of the rarest window of a text.
    pub(super) fn rarity(&self, text: &[u8]) -> u32 {
        self.rarest(text)
            .and_then(|start| text.get(start..))
            .map_or(0, |rest| self.count(rest))
    }

    /// The frequency of some bytes.
    pub(super) fn likelihood(&self, bytes: Bytes) -> f64 {
        let counts = bytes
            .iter()
            .filter_map(|byte| self.ascii.get(usize::from(byte)));
        f64::from(counts.sum::<u32>())
    }
}

/// The compared bytes of a window, as many as there are.
fn looked_at(text: &[u8]) -> [Option<u8>; SPAN] {
    [0, 1, 2].map(|place| text.get(STEP * place).copied())
}

/// Returns a hash below 2^13 of compared bytes.
fn hash(bytes: [Option<u8>; SPAN]) -> usize {
    let bits = bytes
        .into_iter()
        .fold(0u32, |bits, byte| bits << 8 | u32::from(byte.unwrap_or(0)));
    (bits.wrapping_mul(0x9E37_79B1) >> 19) as usize
}
