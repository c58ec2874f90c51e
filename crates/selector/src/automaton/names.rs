//! The names in patterns. One lookup decides for most keys, because most are not names of patterns.

/// A set of names, each with a number.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    all: Vec<Box<str>>,
    /// An open-addressing hash table of names. Its size is a power of two and at least twice the number of names.
    slots: Vec<Option<NameSlot>>,
    /// For each first byte, the lengths of the names that begin with it, one bit each; all long ones share a bit. This rejects
    /// most keys.
    lengths: LengthFilter,
}

/// A key that identifies names of up to 16 bytes: the length, and the bytes at both ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct NameKey {
    front: u64,
    back: u64,
    len: usize,
}

#[derive(Debug, Clone, Copy)]
struct NameSlot {
    ends: NameKey,
    number: u32,
}

#[derive(Debug)]
struct LengthFilter([u32; 128]);

impl Default for LengthFilter {
    fn default() -> Self {
        Self([0; 128])
    }
}

impl LengthFilter {
    fn add(&mut self, name: &[u8]) {
        if let Some(lengths) = self.0.get_mut(Self::row(name)) {
            *lengths |= Self::bit(name);
        }
    }

    #[inline]
    fn may_have(&self, key: &[u8]) -> bool {
        self.0
            .get(Self::row(key))
            .is_some_and(|lengths| lengths & Self::bit(key) != 0)
    }

    #[inline]
    fn row(name: &[u8]) -> usize {
        usize::from(name.first().copied().unwrap_or_default() & 0x7F)
    }

    #[inline]
    fn bit(name: &[u8]) -> u32 {
        1 << name.len().min(31)
    }
}

impl NameTable {
    /// The number of names. Their ids begin at 0.
    pub(super) fn len(&self) -> usize {
        self.all.len()
    }

    /// The name with this id.
    pub(super) fn name(&self, number: usize) -> Option<&str> {
        self.all.get(number).map(|name| &**name)
    }

    /// All names, in the order in which they came.
    pub(super) fn iter(&self) -> impl Iterator<Item = &str> {
        self.all.iter().map(|name| &**name)
    }

    /// Returns the id of `name`, which is added if it is new.
    pub(super) fn insert(&mut self, name: &str) -> usize {
        if let Some(known) = self.get(name.as_bytes()) {
            return known;
        }
        self.all.push(name.into());
        self.lengths.add(name.as_bytes());
        if self.slots.len() < 2 * self.all.len() {
            self.slots = vec![None; (4 * self.all.len()).next_power_of_two()];
            for number in 0..self.all.len() {
                self.place(number);
            }
        } else {
            self.place(self.all.len() - 1);
        }
        self.all.len() - 1
    }

    fn place(&mut self, number: usize) {
        let Some(name) = self.all.get(number) else {
            return;
        };
        let mask = self.slots.len() - 1;
        let ends = NameKey::of(name.as_bytes());
        let mut at = ends.hash() & mask;
        while let Some(slot) = self.slots.get_mut(at) {
            if slot.is_none() {
                *slot = Some(NameSlot {
                    ends,
                    number: super::ids::position(number),
                });
                return;
            }
            at = (at + 1) & mask;
        }
    }

    /// Returns the id of the decoded `key`, if it is one of the names.
    #[inline]
    pub(super) fn get(&self, key: &[u8]) -> Option<usize> {
        if !self.lengths.may_have(key) {
            return None;
        }
        let mask = self.slots.len().wrapping_sub(1);
        let ends = NameKey::of(key);
        let mut at = ends.hash() & mask;
        loop {
            let slot = (*self.slots.get(at)?)?;
            let number = slot.number as usize;
            if slot.ends == ends && (key.len() <= 16 || self.all.get(number)?.as_bytes() == key) {
                return Some(number);
            }
            at = (at + 1) & mask;
        }
    }
}

impl NameKey {
    #[inline]
    fn of(key: &[u8]) -> Self {
        let (front, back) = match (key.first_chunk::<8>(), key.last_chunk::<8>()) {
            (Some(front), Some(back)) => (u64::from_le_bytes(*front), u64::from_le_bytes(*back)),
            _ => match (key.first_chunk::<4>(), key.last_chunk::<4>()) {
                (Some(front), Some(back)) => (
                    u64::from(u32::from_le_bytes(*front)),
                    u64::from(u32::from_le_bytes(*back)),
                ),
                _ => (
                    key.iter()
                        .fold(0, |word, &byte| word << 8 | u64::from(byte)),
                    0,
                ),
            },
        };
        Self {
            front,
            back,
            len: key.len(),
        }
    }

    /// A simple hash that is good enough for the names of one rule set.
    #[inline]
    fn hash(self) -> usize {
        let Self { front, back, len } = self;
        let mixed = (front ^ back.rotate_left(29) ^ len as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        (mixed >> 32) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::HashMap;

    proptest! {
        #[test]
        fn names_are_found_as_a_map_finds_them(
            texts in prop::collection::vec("[ab]{0,3}|[a-c]{7,10}|aaaaaaaa[ab]{0,3}aaaaaaaa", 0..60),
            others in prop::collection::vec("[abc]{0,10}|aaaaaaaa[ab]{0,3}aaaaaaaa", 0..60),
        ) {
            let (mut names, mut map) = (NameTable::default(), HashMap::new());
            for text in &texts {
                let next = map.len();
                prop_assert_eq!(names.insert(text), *map.entry(text.clone()).or_insert(next));
            }
            for text in texts.iter().chain(&others) {
                prop_assert_eq!(names.get(text.as_bytes()), map.get(text).copied());
            }
        }
    }
}
