//! Counts and maps with a limit.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use serde::{Deserialize, Serialize};

/// The largest count: more calls than anyone has, and the sum of the counts of all days or callers does not overflow.
const MAX_COUNT: u64 = 1 << 46;

/// Adds a count. The sum has a limit, so that damaged partial results cannot overflow it.
pub(super) fn add_count(to: &mut u64, more: u64) {
    *to = to.saturating_add(more).min(MAX_COUNT);
}

/// The sum of counts of any number of elements or callers, which may be more than [`MAX_COUNT`].
pub(super) fn sum_counts(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

/// Adds the counts of another map.
pub(super) fn add_counts<K: Ord>(to: &mut BTreeMap<K, u64>, more: BTreeMap<K, u64>) {
    for (key, count) in more {
        add_count(to.entry(key).or_default(), count);
    }
}

/// Keeps the entries with the lowest keys, up to a limit.
///
/// An entry that is dropped has as many lower keys as the limit, so it never comes back: what is kept, and the values of what is
/// kept, depend on neither the order nor the grouping in which entries are added.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CappedMap<K: Ord, V, const MAX: usize> {
    entries: BTreeMap<K, V>,
    is_capped: bool,
}

impl<K: Ord, V, const MAX: usize> Default for CappedMap<K, V, MAX> {
    fn default() -> Self {
        Self {
            entries: BTreeMap::new(),
            is_capped: false,
        }
    }
}

impl<K: Ord, V, const MAX: usize> CappedMap<K, V, MAX> {
    /// Returns the value of a key, which is created if the key is among the lowest; `None` if it is not.
    pub(super) fn entry(&mut self, key: K, create: impl FnOnce() -> V) -> Option<&mut V> {
        if self.entries.len() >= MAX && !self.entries.contains_key(&key) {
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

    /// Whether there is nothing to say about it.
    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty() && !self.is_capped
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

    #[test]
    fn sums_have_limits() {
        let mut count = MAX_COUNT - 1;
        add_count(&mut count, u64::MAX);
        assert_eq!(count, MAX_COUNT);
        let elements = 1 << 19;
        assert_eq!(
            sum_counts(std::iter::repeat_n(MAX_COUNT, elements)),
            u64::MAX
        );
        assert_eq!(sum_counts([2, 3]), 5);
    }

    fn counted(keys: &[u8]) -> CappedMap<u8, usize, 3> {
        let mut map = CappedMap::default();
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
