//! The uses of elements by each caller, for as many callers as fit into a limit.

use std::collections::{BTreeMap, HashMap};

use super::caller::{CallerId, CallerName, CallerValue};
use super::element_id::ElementId;
use super::tally::UseCount;

/// About how many bytes the callers of a scan may take.
const MOST_BYTES: usize = 12 * 1024 * 1024;

/// About how many bytes a caller takes besides its values.
const CALLER_BYTES: usize = 160;

/// About how many bytes a caller's use of one element takes.
const USE_BYTES: usize = 80;

/// The uses of elements by each caller.
///
/// If they take more than the limit, only the callers with the lowest keyed hashes are kept, each with all its uses. What is
/// added only increases the bytes of a caller and of those before it, so a caller that was left out never comes back, and what
/// is kept depends on neither the order nor the grouping in which uses are added and scans are merged.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct CallerUses {
    /// The elements, by the numbers that callers refer to.
    elements: Vec<ElementId>,
    numbers: HashMap<ElementId, u32>,
    callers: BTreeMap<CallerId, KnownCaller>,
    /// About how many bytes the callers take.
    bytes: usize,
    /// The lowest caller that was left out.
    limit: Option<CallerId>,
}

/// A caller with its uses of the elements, in the order of their numbers.
#[derive(Debug, Clone, PartialEq, Eq)]
struct KnownCaller {
    name: CallerName,
    uses: Vec<(u32, UseCount)>,
}

/// The uses of one element by one caller.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CallerUse<'s> {
    pub(super) id: CallerId,
    /// The caller as reports show it.
    pub(super) name: &'s CallerName,
    /// Its uses.
    pub(super) count: UseCount,
}

impl CallerUses {
    /// The number of an element.
    pub(super) fn number(&mut self, id: &ElementId) -> u32 {
        if let Some(number) = self.numbers.get(id) {
            return *number;
        }
        let number = u32::try_from(self.elements.len()).unwrap_or(u32::MAX);
        self.elements.push(id.clone());
        self.numbers.insert(id.clone(), number);
        number
    }

    /// Returns whether an element has this number.
    pub(super) fn has_number(&self, number: u32) -> bool {
        usize::try_from(number).is_ok_and(|number| number < self.elements.len())
    }

    /// Adds uses of the element with this number.
    pub(super) fn add(&mut self, id: CallerId, name: &CallerName, element: u32, count: UseCount) {
        if self.limit.is_some_and(|limit| id >= limit) {
            return;
        }
        let caller = self.callers.entry(id).or_insert_with(|| {
            self.bytes += CALLER_BYTES + name_bytes(name);
            KnownCaller { name: name.clone(), uses: Vec::new() }
        });
        match caller.uses.binary_search_by_key(&element, |(number, _)| *number) {
            Ok(at) => {
                if let Some((_, known)) = caller.uses.get_mut(at) {
                    known.merge(count);
                }
            }
            Err(at) => {
                self.bytes += USE_BYTES;
                caller.uses.insert(at, (element, count));
            }
        }
        while self.bytes > MOST_BYTES {
            self.leave_out_last();
        }
    }

    /// Leaves out this caller and all after it.
    pub(super) fn leave_out_from(&mut self, limit: CallerId) {
        self.limit = Some(self.limit.map_or(limit, |known| known.min(limit)));
        while self.callers.last_key_value().is_some_and(|(last, _)| *last >= limit) {
            self.leave_out_last();
        }
    }

    fn leave_out_last(&mut self) {
        let Some((id, caller)) = self.callers.pop_last() else { return };
        let bytes = CALLER_BYTES + name_bytes(&caller.name) + USE_BYTES * caller.uses.len();
        self.bytes = self.bytes.saturating_sub(bytes);
        self.limit = Some(self.limit.map_or(id, |known| known.min(id)));
    }

    /// Adds the uses of another scan.
    pub(super) fn merge(&mut self, other: Self) {
        if self.callers.is_empty() && self.limit.is_none() {
            *self = other;
            return;
        }
        let numbers: Vec<u32> = other.elements.iter().map(|id| self.number(id)).collect();
        if let Some(limit) = other.limit {
            self.leave_out_from(limit);
        }
        for (id, caller) in other.callers {
            for (number, count) in caller.uses {
                let number = usize::try_from(number).ok().and_then(|number| numbers.get(number));
                if let Some(number) = number {
                    self.add(id, &caller.name, *number, count);
                }
            }
        }
    }

    /// The lowest caller that was left out.
    pub(super) fn limit(&self) -> Option<CallerId> {
        self.limit
    }

    /// Returns whether all uses of a caller are there, if it has any.
    pub(super) fn is_complete_for(&self, id: &CallerId) -> bool {
        self.limit.is_none_or(|limit| *id < limit)
    }

    /// The callers, each with its uses.
    pub(super) fn iter(
        &self,
    ) -> impl Iterator<Item = (CallerId, &CallerName, impl Iterator<Item = (&ElementId, UseCount)>)>
    {
        self.callers.iter().map(|(id, caller)| {
            let uses = caller.uses.iter().filter_map(|(number, count)| {
                Some((self.elements.get(usize::try_from(*number).ok()?)?, *count))
            });
            (*id, &caller.name, uses)
        })
    }

    /// The callers of each element, in the order of their hashes.
    pub(super) fn by_element(&self) -> HashMap<&ElementId, Vec<CallerUse<'_>>> {
        let mut elements: HashMap<&ElementId, Vec<CallerUse<'_>>> = HashMap::new();
        for (id, name, uses) in self.iter() {
            for (element, count) in uses {
                elements.entry(element).or_default().push(CallerUse { id, name, count });
            }
        }
        elements
    }
}

fn name_bytes(name: &CallerName) -> usize {
    let value = |value: &CallerValue| match value {
        CallerValue::Shown(value) => size_of::<CallerValue>() + value.len(),
        CallerValue::Unidentified | CallerValue::Hashed(_) => size_of::<CallerValue>(),
    };
    name.values().iter().map(value).sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use crate::findings::ExchangePart;

    fn element(number: u8) -> ElementId {
        let (rule, part) = (Arc::from("rule"), ExchangePart::Operation);
        ElementId { rule, operation: format!("GET /{number}").into(), part }
    }

    /// A use by a caller whose name takes more than half a megabyte, so that few fit into the limit.
    fn counted(uses: &[(u8, u8)]) -> CallerUses {
        let mut counted = CallerUses::default();
        for &(caller, of) in uses {
            let value = CallerValue::Shown("x".repeat(600_000 + 200_000 * usize::from(caller % 4)));
            let number = counted.number(&element(of));
            let count = UseCount { calls: 1, occurrences: 2, ..UseCount::default() };
            counted.add([caller; 16], &CallerName::new(Arc::new([value])), number, count);
        }
        counted
    }

    type KeptCallers = Vec<(CallerId, Vec<(String, u64)>)>;

    /// All that reports see of them.
    fn kept(counted: &CallerUses) -> (Option<CallerId>, KeptCallers) {
        let callers = counted.iter().map(|(id, _, uses)| {
            let mut uses: Vec<_> =
                uses.map(|(id, count)| (id.operation.to_string(), count.calls)).collect();
            uses.sort();
            (id, uses)
        });
        (counted.limit(), callers.collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

        #[test]
        fn neither_order_nor_grouping_matters(mut uses in prop::collection::vec((0u8..24, 0u8..3), 0..60), at in 0usize..60) {
            let whole = kept(&counted(&uses));
            let (one, other) = uses.split_at(at.min(uses.len()));
            let (one, other) = (counted(one), counted(other));
            for (mut first, second) in [(one.clone(), other.clone()), (other, one)] {
                first.merge(second);
                prop_assert_eq!(&kept(&first), &whole);
            }
            uses.reverse();
            prop_assert_eq!(kept(&counted(&uses)), whole);
        }
    }
}
