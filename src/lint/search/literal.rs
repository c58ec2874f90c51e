//! Text that is compared with what stands somewhere, the first eight bytes at once before all others.

/// A piece of text.
#[derive(Debug)]
pub(super) struct Literal {
    bytes: Box<[u8]>,
    /// The first eight, as many as there are, and which of eight bytes those are.
    first: u64,
    mask: u64,
}

impl Literal {
    pub(super) fn new(bytes: &[u8]) -> Self {
        let unused = 8usize.saturating_sub(bytes.len()) * 8;
        Self { first: first_eight(bytes), mask: u64::MAX >> unused, bytes: bytes.into() }
    }

    /// A name and the quote before it.
    pub(super) fn in_quote(name: &[u8]) -> Self {
        Self::new(&[b"\"", name].concat())
    }

    #[inline]
    pub(super) fn begins(&self, text: &[u8]) -> bool {
        first_eight(text) & self.mask == self.first
            && (self.bytes.len() <= 8 || text.starts_with(&self.bytes))
    }

    pub(super) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len()
    }
}

/// The first eight bytes, the very first in the lowest; zeros behind the last.
#[inline]
fn first_eight(bytes: &[u8]) -> u64 {
    match bytes.first_chunk() {
        Some(first) => u64::from_le_bytes(*first),
        None => bytes.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
    }
}
