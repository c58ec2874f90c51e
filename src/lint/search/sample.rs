//! What the first bodies are made of, by which it is decided what the others are searched for.

use crate::json::windows::{Bytes, REACH, SPAN, STEP};

/// Counts of what stood in bodies.
#[derive(Debug)]
pub(in crate::lint) struct Sample {
    /// How often each window stood in them, by the hash of the bytes of it that are looked at.
    windows: Box<[u16]>,
    /// The same by the first two of those.
    pairs: Box<[u16]>,
    /// How often each byte stood in them, of every eighth one.
    ascii: [u32; 128],
    bytes: usize,
    bodies: u32,
}

/// How many bytes are looked at before it is decided what to search for.
const ENOUGH: usize = 32 * 1024;

/// How many bodies are, at most.
const MOST_BODIES: u32 = 16;

/// How many hashes of windows there are.
const HASHES: usize = 1 << 13;

impl Default for Sample {
    fn default() -> Self {
        let (windows, pairs) = (vec![0; HASHES].into(), vec![0; HASHES].into());
        Self { windows, pairs, ascii: [0; 128], bytes: 0, bodies: 0 }
    }
}

impl Sample {
    /// Takes in the content of a body.
    pub(super) fn take(&mut self, text: &[u8]) {
        let text = text.get(..text.len().min(ENOUGH)).unwrap_or_default();
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
        self.bytes >= ENOUGH || self.bodies >= MOST_BODIES
    }

    /// How often the beginning of a text stood in the bodies, as far as it is looked at.
    fn count(&self, text: &[u8]) -> u32 {
        let [first, second, third] = looked_at(text);
        let counts = if third.is_some() { &self.windows } else { &self.pairs };
        counts.get(hash([first, second, third])).copied().unwrap_or_default().into()
    }

    /// Where the rarest window of a text begins. Some of it may be behind the text, but no more than its last byte that is looked
    /// at; `None` where the text is too short.
    pub(super) fn rarest(&self, text: &[u8]) -> Option<usize> {
        let starts = 0..text.len().checked_sub(STEP)?;
        starts.min_by_key(|&start| text.get(start..).map(|rest| self.count(rest)))
    }

    /// How often the rarest window of a text stood in the bodies.
    pub(super) fn rarity(&self, text: &[u8]) -> u32 {
        let rarest = self.rarest(text).and_then(|start| text.get(start..));
        rarest.map_or(0, |rest| self.count(rest))
    }

    /// How often one of some bytes stood in the bodies.
    pub(super) fn likelihood(&self, bytes: Bytes) -> f64 {
        let counts = bytes.iter().filter_map(|byte| self.ascii.get(usize::from(byte)));
        f64::from(counts.sum::<u32>())
    }
}

/// The bytes of a window that are looked at, as many as there are.
fn looked_at(text: &[u8]) -> [Option<u8>; SPAN] {
    [0, 1, 2].map(|place| text.get(STEP * place).copied())
}

/// Of bytes that are looked at, below 2^13.
fn hash(bytes: [Option<u8>; SPAN]) -> usize {
    let bits = bytes.into_iter().fold(0u32, |bits, byte| bits << 8 | u32::from(byte.unwrap_or(0)));
    (bits.wrapping_mul(0x9E37_79B1) >> 19) as usize
}
