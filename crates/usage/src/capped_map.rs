//! A map with a limit that keeps the entries with the lowest keys.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// Keeps the entries with the lowest keys, up to a limit.
///
/// An entry that is dropped has as many lower keys as the limit, so it never comes back: what is kept, and the values of what is
/// kept, depend on neither the order nor the grouping in which entries are added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct CappedMap<K, V> {
    entries: BTreeMap<K, V>,
    most: usize,
    is_capped: bool,
}

impl<K: Ord + Clone, V> CappedMap<K, V> {
    /// Creates an empty map for at most so many entries.
    pub(super) fn new(most: usize) -> Self {
        Self {
            entries: BTreeMap::new(),
            most,
            is_capped: false,
        }
    }

    /// Returns the value of a key, which is created if the key is among the lowest; `None` if it is not.
    pub(super) fn entry(&mut self, key: K, create: impl FnOnce() -> V) -> Option<&mut V> {
        if self.entries.len() >= self.most && !self.entries.contains_key(&key) {
            self.is_capped = true;
            if self
                .entries
                .last_key_value()
                .is_none_or(|(last, _)| *last < key)
            {
                return None;
            }
            self.entries.pop_last();
        }
        match self.entries.entry(key) {
            Entry::Occupied(known) => Some(known.into_mut()),
            Entry::Vacant(vacant) => Some(vacant.insert(create())),
        }
    }

    /// Returns the value of a key that is there.
    pub(super) fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        self.entries.get_mut(key)
    }

    /// The entries, by key.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = (&K, &V)> {
        self.entries.iter()
    }

    /// The number of entries.
    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    /// Notes that entries were dropped.
    pub(super) fn set_capped(&mut self) {
        self.is_capped = true;
    }

    /// Returns whether entries were dropped.
    pub(super) fn is_capped(&self) -> bool {
        self.is_capped
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn counted(keys: &[u8]) -> CappedMap<u8, usize> {
        let mut map = CappedMap::new(3);
        for &key in keys {
            if let Some(count) = map.entry(key, || 0) {
                *count += 1;
            }
        }
        map
    }

    proptest! {
        #[test]
        fn neither_order_nor_grouping_matters(mut keys in prop::collection::vec(0u8..12, 0..40), at in 0usize..40) {
            let whole = counted(&keys);
            let (one, other) = keys.split_at(at.min(keys.len()));
            let (one, other) = (counted(one), counted(other));
            for (mut first, second) in [(one.clone(), other.clone()), (other, one)] {
                for (key, count) in second.iter() {
                    if let Some(known) = first.entry(*key, || 0) {
                        *known += count;
                    }
                }
                if second.is_capped() {
                    first.set_capped();
                }
                prop_assert_eq!(&first, &whole);
            }
            keys.reverse();
            prop_assert_eq!(counted(&keys), whole);
        }
    }
}
