//! The uses of elements by each caller, for as many callers as fit into a limit.

use std::collections::{BTreeMap, HashMap};

use super::caller::{CallerId, CallerName, CallerValue};
use super::tally::{ElementId, UseCount};

/// About how many bytes the callers of a scan may take: enough for 200 callers that each use 5,000 elements.
const MAX_BYTES: usize = 56 * 1024 * 1024;

/// About how many bytes the callers of a worker may take before it hands them over.
const MANY_BYTES: usize = 1024 * 1024;

/// About how many bytes a caller takes besides its values.
const CALLER_BYTES: usize = 224;

/// How many bytes a caller's use of one element takes.
const USE_BYTES: usize = size_of::<(u32, UseCount)>();

/// The uses of elements by each caller.
///
/// If they take more than the limit, only the callers with the lowest keyed hashes are kept, each with all its uses. What is
/// added only increases the bytes of a caller and of those before it, so a caller that was left out never comes back, and what
/// is kept depends on neither the order nor the grouping in which uses are added and scans are merged.
#[derive(Debug, Clone, Default)]
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
#[derive(Debug, Clone)]
struct KnownCaller {
    name: CallerName,
    uses: Vec<(u32, UseCount)>,
}

/// The uses of one element by one caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallerUse<'s> {
    /// The caller as reports show it.
    pub name: &'s CallerName,
    /// Its uses.
    pub count: &'s UseCount,
}

impl KnownCaller {
    /// Adds uses of an element, and returns how many bytes more the caller takes.
    fn add(&mut self, element: u32, count: UseCount) -> usize {
        let known = self.uses.binary_search_by_key(&element, |(of, _)| *of);
        let at = known.unwrap_or_else(|at| {
            if self.uses.len() == self.uses.capacity() {
                // Doubling it would waste half of the memory.
                self.uses.reserve_exact(self.uses.len() / 8 + 1);
            }
            self.uses.insert(at, (element, UseCount::default()));
            at
        });
        if let Some((_, sum)) = self.uses.get_mut(at) {
            sum.merge(count);
        }
        if known.is_ok() { 0 } else { USE_BYTES }
    }

    fn bytes(&self) -> usize {
        CALLER_BYTES + name_bytes(&self.name) + USE_BYTES * self.uses.len()
    }
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

    /// Adds the uses of a partial result; returns `false` if an element has no such number.
    pub(super) fn add_known(
        &mut self,
        id: CallerId,
        name: &CallerName,
        uses: Vec<(u32, UseCount)>,
    ) -> bool {
        let has_all = uses
            .iter()
            .all(|(number, _)| self.element(*number).is_some());
        if has_all {
            self.add_all(id, name, uses);
        }
        has_all
    }

    /// The element with this number.
    fn element(&self, number: u32) -> Option<&ElementId> {
        self.elements.get(usize::try_from(number).ok()?)
    }

    /// Adds uses of the element with this number.
    pub(super) fn add(&mut self, id: CallerId, name: &CallerName, element: u32, count: UseCount) {
        self.add_all(id, name, [(element, count)]);
    }

    fn add_all(
        &mut self,
        id: CallerId,
        name: &CallerName,
        uses: impl IntoIterator<Item = (u32, UseCount)>,
    ) {
        if self.limit.is_some_and(|limit| id >= limit) {
            return;
        }
        let caller = self.callers.entry(id).or_insert_with(|| {
            let caller = KnownCaller {
                name: name.clone(),
                uses: Vec::new(),
            };
            self.bytes += caller.bytes();
            caller
        });
        for (element, count) in uses {
            self.bytes += caller.add(element, count);
        }
        while self.bytes > MAX_BYTES {
            self.leave_out_last();
        }
    }

    /// Leaves out this caller and all after it.
    pub(super) fn leave_out_from(&mut self, limit: CallerId) {
        self.limit = Some(self.limit.map_or(limit, |known| known.min(limit)));
        while self
            .callers
            .last_key_value()
            .is_some_and(|(last, _)| *last >= limit)
        {
            self.leave_out_last();
        }
    }

    fn leave_out_last(&mut self) {
        let Some((id, caller)) = self.callers.pop_last() else {
            return;
        };
        self.bytes = self.bytes.saturating_sub(caller.bytes());
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
            let uses = caller.uses.into_iter().filter_map(|(number, count)| {
                Some((*numbers.get(usize::try_from(number).ok()?)?, count))
            });
            self.add_all(id, &caller.name, uses);
        }
    }

    /// Moves the callers to those of all workers if they take much memory, so that it does not grow with the number of workers.
    pub(super) fn hand_over(&mut self, all: &mut Self) {
        let rest = Self {
            elements: self.elements.clone(),
            numbers: self.numbers.clone(),
            ..Self::default()
        };
        all.merge(std::mem::replace(self, rest));
        self.limit = all.limit;
    }

    /// Returns whether the callers take much memory.
    pub(super) fn are_many(&self) -> bool {
        self.bytes > MANY_BYTES
    }

    /// The lowest caller that was left out.
    pub(super) fn limit(&self) -> Option<CallerId> {
        self.limit
    }

    /// The callers, each with its uses.
    pub(super) fn iter(
        &self,
    ) -> impl Iterator<
        Item = (
            CallerId,
            &CallerName,
            impl Iterator<Item = (&ElementId, CallerUse<'_>)>,
        ),
    > {
        self.callers.iter().map(move |(id, caller)| {
            let name = &caller.name;
            let uses = caller.uses.iter().filter_map(move |(number, count)| {
                Some((self.element(*number)?, CallerUse { name, count }))
            });
            (*id, name, uses)
        })
    }

    /// The callers of each element, in the order of their hashes.
    pub(super) fn by_element(&self) -> HashMap<&ElementId, Vec<CallerUse<'_>>> {
        let mut elements: HashMap<_, Vec<_>> = HashMap::new();
        for (element, found) in self.iter().flat_map(|(_, _, uses)| uses) {
            elements.entry(element).or_default().push(found);
        }
        elements
    }
}

fn name_bytes(name: &CallerName) -> usize {
    name.0
        .iter()
        .map(|value| match value {
            CallerValue::Shown(value) => size_of::<CallerValue>() + value.len(),
            CallerValue::Unidentified | CallerValue::Hashed(_) => size_of::<CallerValue>(),
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use proptest::prelude::*;

    use super::*;
    use sundown_lint::findings::ExchangePart;

    fn element(number: u8) -> ElementId {
        let (rule, part) = (Arc::from("rule"), ExchangePart::Operation);
        ElementId {
            rule,
            operation: format!("GET /{number}").into(),
            part,
        }
    }

    /// The use of a caller whose name takes megabytes, so that few fit into the limit.
    fn counted(uses: &[(u8, u8, UseCount)]) -> CallerUses {
        let mut counted = CallerUses::default();
        for &(caller, of, count) in uses {
            let length = 3_100_000 + 1_000_000 * usize::from(caller % 4);
            let value = CallerValue::Shown("x".repeat(length));
            let number = counted.number(&element(of));
            counted.add([caller; 16], &CallerName(Arc::new([value])), number, count);
        }
        counted
    }

    fn count() -> impl Strategy<Value = UseCount> {
        (1u64..3, 0u64..3, 0u64..2).prop_map(|(calls, more, possible)| UseCount {
            calls,
            occurrences: calls + more,
            possible,
            ..UseCount::default()
        })
    }

    fn uses() -> impl Strategy<Value = Vec<(u8, u8, UseCount)>> {
        prop::collection::vec((0u8..24, 0u8..3, count()), 0..60)
    }

    type KeptCallers = Vec<(CallerId, Vec<(String, UseCount)>)>;

    /// All that reports see of them.
    fn kept(counted: &CallerUses) -> (Option<CallerId>, KeptCallers) {
        let callers = counted.iter().map(|(id, _, uses)| {
            let mut uses: Vec<_> = uses
                .map(|(id, found)| (id.operation.to_string(), *found.count))
                .collect();
            uses.sort_by(|(a, _), (b, _)| a.cmp(b));
            (id, uses)
        });
        (counted.limit(), callers.collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

        #[test]
        fn neither_order_nor_grouping_matters(mut uses in uses(), at in 0usize..60) {
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

        #[test]
        fn what_workers_hand_over_adds_up(uses in uses()) {
            let (mut all, mut worker) = (CallerUses::default(), CallerUses::default());
            for part in uses.chunks(7) {
                worker.merge(counted(part));
                if worker.are_many() {
                    worker.hand_over(&mut all);
                }
            }
            all.merge(worker);
            prop_assert_eq!(kept(&all), kept(&counted(&uses)));
        }
    }
}
