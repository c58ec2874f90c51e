//! What changed since an earlier scan: elements and callers that appeared, disappeared, or are used more or less.

use std::collections::{BTreeMap, BTreeSet};

use super::caller::{CallerId, CallerName};
use super::scan::{ElementId, ElementTally, RuleFacts, UsageScan};
use super::tally::{UseCount, UseTally};

/// How the number of calls with a use changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum UseChange {
    /// There were none before.
    Appeared,
    /// There are more.
    Grew,
    /// There are as many.
    Unchanged,
    /// There are fewer.
    Fell,
    /// There are none now.
    Disappeared,
}

/// An earlier scan, and what changed since then.
#[derive(Debug)]
pub(super) struct Comparison<'s> {
    /// The file of the earlier scan.
    pub(super) name: String,
    /// The earlier scan.
    pub(super) before: &'s UsageScan,
    /// The elements that were used before, or are used now.
    pub(super) elements: Vec<ElementChange<'s>>,
}

/// How the use of an element changed.
#[derive(Debug)]
pub(super) struct ElementChange<'s> {
    pub(super) id: &'s ElementId,
    pub(super) facts: &'s RuleFacts,
    pub(super) change: UseChange,
    pub(super) before: MeasuredUse,
    pub(super) now: MeasuredUse,
    /// The callers, those with the largest change first.
    pub(super) callers: Vec<CallerChange<'s>>,
    /// Whether there are callers that cannot be compared, because they are beyond the limit in one of the scans.
    pub(super) has_other_callers: bool,
}

/// The use of an element in one scan.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct MeasuredUse {
    pub(super) uses: UseCount,
    /// The calls in which a use would have been seen.
    pub(super) readable: u64,
}

/// How the use of an element by one caller changed.
#[derive(Debug)]
pub(super) struct CallerChange<'s> {
    pub(super) name: &'s CallerName,
    pub(super) change: UseChange,
    pub(super) before: UseCount,
    pub(super) now: UseCount,
}

impl UseChange {
    /// All changes, in their order.
    pub(super) const ALL: [Self; 5] =
        [Self::Appeared, Self::Grew, Self::Unchanged, Self::Fell, Self::Disappeared];

    /// The change between two numbers of calls; `None` if both are 0.
    fn between(before: u64, now: u64) -> Option<Self> {
        match (before, now) {
            (0, 0) => None,
            (0, _) => Some(Self::Appeared),
            (_, 0) => Some(Self::Disappeared),
            _ if now > before => Some(Self::Grew),
            _ if now < before => Some(Self::Fell),
            _ => Some(Self::Unchanged),
        }
    }

    /// Its name, for people and in machine formats.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Appeared => "appeared",
            Self::Grew => "grew",
            Self::Unchanged => "unchanged",
            Self::Fell => "fell",
            Self::Disappeared => "disappeared",
        }
    }
}

impl<'s> Comparison<'s> {
    /// Compares a scan with an earlier one, which is in the file `name`.
    pub(super) fn new(before: &'s UsageScan, name: &str, now: &'s UsageScan) -> Self {
        let ids: BTreeSet<&ElementId> = before.elements.keys().chain(now.elements.keys()).collect();
        let changes = ids.into_iter().filter_map(|id| {
            let facts = now.rules.get(&id.rule).or_else(|| before.rules.get(&id.rule))?;
            ElementChange::of(id, facts, before.elements.get(id), now.elements.get(id))
        });
        let mut elements: Vec<_> = changes.collect();
        elements.sort_by_key(|element| (element.change, element.id));
        Self { name: name.to_owned(), before, elements }
    }

    /// The number of elements with a change.
    pub(super) fn count(&self, change: UseChange) -> usize {
        self.elements.iter().filter(|element| element.change == change).count()
    }
}

impl<'s> ElementChange<'s> {
    fn of(
        id: &'s ElementId,
        facts: &'s RuleFacts,
        before: Option<&'s ElementTally>,
        now: Option<&'s ElementTally>,
    ) -> Option<Self> {
        let measured = |tally: Option<&ElementTally>| {
            tally.map(MeasuredUse::of).unwrap_or_default()
        };
        let change = UseChange::between(measured(before).uses.calls, measured(now).uses.calls)?;
        let of = |tally: Option<&'s ElementTally>| tally.map(|tally| &tally.uses);
        let (callers, has_other_callers) = compare_callers(of(before), of(now));
        let (before, now) = (measured(before), measured(now));
        Some(Self { id, facts, change, before, now, callers, has_other_callers })
    }

    /// The callers whose use changed.
    pub(super) fn changed_callers(&self) -> impl Iterator<Item = &CallerChange<'s>> {
        self.callers.iter().filter(|caller| caller.change != UseChange::Unchanged)
    }
}

impl MeasuredUse {
    fn of(tally: &ElementTally) -> Self {
        Self { uses: tally.uses.count, readable: tally.readable() }
    }
}

/// The callers of both scans, and whether there are some that only one of them has kept.
fn compare_callers<'s>(
    before: Option<&'s UseTally>,
    now: Option<&'s UseTally>,
) -> (Vec<CallerChange<'s>>, bool) {
    let mut callers: BTreeMap<CallerId, CallerChange<'s>> = BTreeMap::new();
    for (tally, is_now) in [(before, false), (now, true)] {
        for (id, caller) in tally.into_iter().flat_map(|tally| tally.callers.iter()) {
            let known = callers.entry(*id).or_insert_with(|| CallerChange {
                name: &caller.name,
                change: UseChange::Unchanged,
                before: UseCount::default(),
                now: UseCount::default(),
            });
            *(if is_now { &mut known.now } else { &mut known.before }) = caller.count;
        }
    }
    let all = callers.len();
    // A caller beyond the limit may have uses that were not kept.
    callers.retain(|id, _| [before, now].into_iter().flatten().all(|tally| tally.callers.is_complete_to(id)));
    let is_capped = |tally: Option<&UseTally>| tally.is_some_and(|tally| tally.callers.is_capped());
    let has_others = callers.len() < all || is_capped(before) || is_capped(now);
    let changed = callers.into_values().filter_map(|caller| {
        let change = UseChange::between(caller.before.calls, caller.now.calls)?;
        Some(CallerChange { change, ..caller })
    });
    let mut changed: Vec<_> = changed.collect();
    changed.sort_by(|a, b| {
        let size = |caller: &CallerChange<'_>| caller.now.calls.abs_diff(caller.before.calls);
        size(b).cmp(&size(a)).then_with(|| a.name.cmp(b.name))
    });
    (changed, has_others)
}
