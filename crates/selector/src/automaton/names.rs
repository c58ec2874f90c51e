//! The names in patterns. One lookup decides for most keys, because most are not names of patterns.

use std::collections::HashMap;

use foldhash::fast::FixedState;

/// A set of names, each with a number.
#[derive(Debug, Default)]
pub(super) struct NameTable {
    all: Vec<Box<str>>,
    numbers: HashMap<Box<[u8]>, usize, FixedState>,
    /// For each first byte, the lengths of the names that begin with it, one bit each; all long ones share a bit. This rejects
    /// most keys.
    lengths: LengthFilter,
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
        let number = *self
            .numbers
            .entry(name.as_bytes().into())
            .or_insert(self.all.len());
        if number == self.all.len() {
            self.all.push(name.into());
            self.lengths.add(name.as_bytes());
        }
        number
    }

    /// Returns the id of the decoded `key`, if it is one of the names.
    #[inline]
    pub(super) fn get(&self, key: &[u8]) -> Option<usize> {
        self.lengths
            .may_have(key)
            .then(|| self.numbers.get(key).copied())
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

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
