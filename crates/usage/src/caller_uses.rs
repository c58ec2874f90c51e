//! The uses of elements by each caller, for as many callers as fit into a limit.

use std::collections::{BTreeMap, HashMap};

use chrono::{DateTime, Utc};

use super::caller::{CallerId, CallerName, CallerValue};
use super::tally::ElementId;
use super::tally::{SeenPeriod, UseCount};

/// About how many bytes the callers of a scan may take: enough for 200 callers that each use 5,000 elements.
const MAX_BYTES: usize = 20 * 1024 * 1024;

/// About how many bytes the callers of a worker may take before it hands them over.
const MANY_BYTES: usize = 1024 * 1024;

/// About how many bytes a caller takes besides its values.
const CALLER_BYTES: usize = 224;

/// How many bytes a caller's use of one element takes.
const USE_BYTES: usize = size_of::<PackedUse>();

/// How many more bytes it takes if its numbers are large.
const LARGE_BYTES: usize = size_of::<UseCount>();

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
    id: CallerId,
    name: CallerName,
    uses: Vec<PackedUse>,
    /// The counts with numbers that do not fit into a [`PackedUse`].
    large: Vec<UseCount>,
}

/// A caller's use of one element in few bytes: a scan has a million of them. Times are seconds since 1970.
///
/// If the numbers do not fit, `calls` is [`LARGE`], and `first` is the index of the count. Numbers that do not fit, never do with
/// more calls added: the period and the counts only grow.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct PackedUse {
    element: u32,
    calls: u32,
    first: u32,
    last: u32,
    /// How many more uses than calls there are.
    more_uses: u16,
    possible: u16,
}

/// The number of calls of a use whose count is elsewhere.
const LARGE: u32 = u32::MAX;

/// The time of calls without a time.
const UNDATED: u32 = u32::MAX;

/// The uses of one element by one caller.
#[derive(Debug, Clone, Copy)]
pub(super) struct CallerUse<'s> {
    caller: &'s KnownCaller,
    packed: &'s PackedUse,
}

impl<'s> CallerUse<'s> {
    /// The caller as reports show it.
    pub(super) fn name(&self) -> &'s CallerName {
        &self.caller.name
    }

    /// Its uses.
    pub(super) fn count(&self) -> UseCount {
        self.caller.count(*self.packed)
    }
}

impl PackedUse {
    /// Packs a count, if its numbers fit.
    fn pack(element: u32, count: UseCount) -> Option<Self> {
        let UseCount {
            calls,
            occurrences,
            possible,
            period,
        } = count;
        Some(Self {
            element,
            calls: u32::try_from(calls).ok().filter(|calls| *calls != LARGE)?,
            first: pack_time(period.first)?,
            last: pack_time(period.last)?,
            more_uses: occurrences.checked_sub(calls)?.try_into().ok()?,
            possible: possible.try_into().ok()?,
        })
    }

    fn unpack(self) -> UseCount {
        let calls = u64::from(self.calls);
        UseCount {
            calls,
            occurrences: calls + u64::from(self.more_uses),
            possible: self.possible.into(),
            period: SeenPeriod {
                first: unpack_time(self.first),
                last: unpack_time(self.last),
            },
        }
    }
}

fn pack_time(time: Option<DateTime<Utc>>) -> Option<u32> {
    let Some(time) = time else {
        return Some(UNDATED);
    };
    u32::try_from(time.timestamp())
        .ok()
        .filter(|seconds| *seconds != UNDATED)
}

fn unpack_time(seconds: u32) -> Option<DateTime<Utc>> {
    DateTime::from_timestamp(seconds.into(), 0).filter(|_| seconds != UNDATED)
}

impl KnownCaller {
    fn count(&self, packed: PackedUse) -> UseCount {
        match packed {
            PackedUse {
                calls: LARGE,
                first,
                ..
            } => {
                let index = usize::try_from(first).ok();
                index
                    .and_then(|index| self.large.get(index))
                    .copied()
                    .unwrap_or_default()
            }
            packed => packed.unpack(),
        }
    }

    /// Adds uses of an element, and returns how many bytes more the caller takes.
    fn add(&mut self, element: u32, count: UseCount) -> usize {
        match self
            .uses
            .binary_search_by_key(&element, |packed| packed.element)
        {
            Ok(at) => {
                let Some(known) = self.uses.get(at).copied() else {
                    return 0;
                };
                let mut sum = self.count(known);
                sum.merge(count);
                let (packed, bytes) = self.pack(element, sum, Some(known));
                if let Some(known) = self.uses.get_mut(at) {
                    *known = packed;
                }
                bytes
            }
            Err(at) => {
                let (packed, bytes) = self.pack(element, count, None);
                if self.uses.len() == self.uses.capacity() {
                    // Doubling it would waste half of the memory.
                    self.uses.reserve_exact(self.uses.len() / 8 + 1);
                }
                self.uses.insert(at, packed);
                USE_BYTES + bytes
            }
        }
    }

    /// Packs a count, and returns how many bytes more it takes than before.
    fn pack(
        &mut self,
        element: u32,
        count: UseCount,
        known: Option<PackedUse>,
    ) -> (PackedUse, usize) {
        if let Some(packed) = PackedUse::pack(element, count) {
            return (packed, 0);
        }
        if let Some(known) = known.filter(|known| known.calls == LARGE) {
            let large = usize::try_from(known.first)
                .ok()
                .and_then(|at| self.large.get_mut(at));
            if let Some(large) = large {
                *large = count;
            }
            return (known, 0);
        }
        let first = u32::try_from(self.large.len()).unwrap_or(u32::MAX);
        self.large.push(count);
        let packed = PackedUse {
            element,
            calls: LARGE,
            first,
            last: 0,
            more_uses: 0,
            possible: 0,
        };
        (packed, LARGE_BYTES)
    }

    fn bytes(&self) -> usize {
        CALLER_BYTES
            + name_bytes(&self.name)
            + USE_BYTES * self.uses.len()
            + LARGE_BYTES * self.large.len()
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
        let has_all = uses.iter().all(|(number, _)| {
            usize::try_from(*number).is_ok_and(|number| number < self.elements.len())
        });
        // Added to nothing, a count has what a scan can have.
        let uses = uses.into_iter().map(|(number, count)| {
            let mut sum = UseCount::default();
            sum.merge(count);
            (number, sum)
        });
        if has_all {
            self.add_all(id, name, uses);
        }
        has_all
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
            let uses = Vec::new();
            let large = Vec::new();
            let caller = KnownCaller {
                id,
                name: name.clone(),
                uses,
                large,
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
            let uses = caller.uses.iter().filter_map(|packed| {
                let number = numbers.get(usize::try_from(packed.element).ok()?)?;
                Some((*number, caller.count(*packed)))
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
        self.callers.values().map(move |caller| {
            let uses = caller.uses.iter().filter_map(move |packed| {
                let element = self.elements.get(usize::try_from(packed.element).ok()?)?;
                Some((element, CallerUse { caller, packed }))
            });
            (caller.id, &caller.name, uses)
        })
    }

    /// The callers of each element, in the order of their hashes.
    pub(super) fn by_element(&self) -> HashMap<&ElementId, Vec<CallerUse<'_>>> {
        // Of a million uses, vectors that grow would waste half of the memory.
        let sizes = self.count_callers();
        let mut elements: HashMap<&ElementId, Vec<CallerUse<'_>>> = self
            .elements
            .iter()
            .zip(sizes)
            .filter(|(_, callers)| *callers > 0)
            .map(|(element, callers)| (element, Vec::with_capacity(callers)))
            .collect();
        for (element, found) in self.iter().flat_map(|(_, _, uses)| uses) {
            elements.entry(element).or_default().push(found);
        }
        elements
    }

    /// The number of callers of each element, by its number.
    fn count_callers(&self) -> Vec<usize> {
        let mut counts = vec![0; self.elements.len()];
        for packed in self.callers.values().flat_map(|caller| &caller.uses) {
            let number = usize::try_from(packed.element).ok();
            if let Some(count) = number.and_then(|number| counts.get_mut(number)) {
                *count += 1;
            }
        }
        counts
    }
}

fn name_bytes(name: &CallerName) -> usize {
    name.values()
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

    /// The use of a caller whose name takes more than a megabyte, so that few fit into the limit.
    fn counted(uses: &[(u8, u8, UseCount)]) -> CallerUses {
        let mut counted = CallerUses::default();
        for &(caller, of, count) in uses {
            let length = 1_100_000 + 400_000 * usize::from(caller % 4);
            let value = CallerValue::Shown("x".repeat(length));
            let number = counted.number(&element(of));
            counted.add([caller; 16], &CallerName(Arc::new([value])), number, count);
        }
        counted
    }

    /// A count, also with numbers that do not fit into few bytes.
    fn count() -> impl Strategy<Value = UseCount> {
        let number =
            || prop_oneof![4 => 1u64..3, 1 => Just(1 << 16), 1 => Just(u64::from(u32::MAX) - 1)];
        let seconds =
            prop::sample::select(vec![-9, 0, 1_760_000_000, 4_294_967_294, 4_294_967_295]);
        let time = prop::option::weighted(0.9, seconds);
        (number(), number(), time, any::<bool>()).prop_map(|(calls, more, time, is_certain)| {
            let time = time.and_then(|seconds| DateTime::from_timestamp(seconds, 0));
            let (occurrences, period) = (calls + more, SeenPeriod::of(time));
            UseCount {
                calls,
                occurrences,
                possible: if is_certain { 0 } else { calls },
                period,
            }
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
                .map(|(id, found)| (id.operation.to_string(), found.count()))
                .collect();
            uses.sort_by(|(a, _), (b, _)| a.cmp(b));
            (id, uses)
        });
        (counted.limit(), callers.collect())
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

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
        fn a_packed_count_is_the_sum(uses in uses()) {
            let mut sums: BTreeMap<(u8, u8), UseCount> = BTreeMap::new();
            let mut caller = KnownCaller {
                id: CallerId::default(),
                name: CallerName(Arc::new([])),
                uses: Vec::new(),
                large: Vec::new(),
            };
            let mut bytes = caller.bytes();
            for (_, of, count) in uses {
                sums.entry((0, of)).or_default().merge(count);
                bytes += caller.add(of.into(), count);
            }
            prop_assert_eq!(bytes, caller.bytes());
            let found = caller.uses.iter().map(|packed| caller.count(*packed));
            prop_assert_eq!(found.collect::<Vec<_>>(), sums.into_values().collect::<Vec<_>>());
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
