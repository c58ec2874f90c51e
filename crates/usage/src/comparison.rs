//! What changed since an earlier scan: elements and callers that appeared, disappeared, or are used more or less.

use std::collections::{BTreeMap, BTreeSet};

use super::caller::{CallerId, CallerName};
use super::caller_uses::CallerUse;
use super::scan::{ElementTally, UsageScan};
use super::tally::ElementId;
use super::tally::UseCount;

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
pub(super) struct ScanComparison<'s> {
    /// The earlier scan.
    pub(super) before: &'s UsageScan,
    /// The elements that were used before, or are used now.
    pub(super) elements: Vec<ElementChange<'s>>,
    /// Whether no scan has left out callers, so that all are compared.
    pub(super) has_all_callers: bool,
}

/// How the use of an element changed.
#[derive(Debug)]
pub(super) struct ElementChange<'s> {
    pub(super) id: &'s ElementId,
    pub(super) change: UseChange,
    pub(super) before: MeasuredUse,
    pub(super) now: MeasuredUse,
    /// The callers, those with the largest change first.
    pub(super) callers: Vec<CallerChange<'s>>,
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
    pub(super) const ALL: [Self; 5] = [
        Self::Appeared,
        Self::Grew,
        Self::Unchanged,
        Self::Fell,
        Self::Disappeared,
    ];

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

impl<'s> ScanComparison<'s> {
    /// Compares a scan with an earlier one.
    pub(super) fn new(before: &'s UsageScan, now: &'s UsageScan) -> Self {
        // A caller that one scan has left out may have uses there.
        let is_complete =
            |id: &CallerId| before.callers.is_complete_for(id) && now.callers.is_complete_for(id);
        let mut callers = [before, now].map(|scan| scan.callers.by_element());
        let ids: BTreeSet<&ElementId> = before.elements.keys().chain(now.elements.keys()).collect();
        let ids = ids.into_iter().filter(|id| {
            let facts = now.rules.get(&id.rule);
            facts.is_none_or(|facts| !facts.element.is_about_other_values())
        });
        let changes = ids.filter_map(|id| {
            let [before, now] = [before, now].map(|scan| MeasuredUse::of(scan.elements.get(id)));
            let change = UseChange::between(before.uses.calls, now.uses.calls)?;
            let [callers_before, callers_now] = callers.each_mut().map(|callers| {
                let mut callers = callers.remove(id).unwrap_or_default();
                callers.retain(|caller| is_complete(&caller.id()));
                callers
            });
            Some(ElementChange {
                id,
                change,
                before,
                now,
                callers: compare_callers(&callers_before, &callers_now),
            })
        });
        let mut elements: Vec<_> = changes.collect();
        elements.sort_by_key(|element| (element.change, element.id));
        let has_all_callers = [before, now]
            .iter()
            .all(|scan| scan.callers.limit().is_none());
        Self {
            before,
            elements,
            has_all_callers,
        }
    }

    /// The number of elements with a change.
    pub(super) fn count(&self, change: UseChange) -> usize {
        self.elements
            .iter()
            .filter(|element| element.change == change)
            .count()
    }
}

impl<'s> ElementChange<'s> {
    /// The callers that do not use it any more.
    pub(super) fn lost_callers(&self) -> impl Iterator<Item = &CallerChange<'s>> {
        self.callers
            .iter()
            .filter(|caller| caller.change == UseChange::Disappeared)
    }

    /// The change and the calls before and now: of all, and of each caller whose use changed.
    pub(super) fn with_callers(
        &self,
    ) -> impl Iterator<Item = (Option<&CallerName>, UseChange, u64, u64)> {
        let all = (
            None,
            self.change,
            self.before.uses.calls,
            self.now.uses.calls,
        );
        let callers = self.changed_callers();
        let callers = callers.map(|it| (Some(it.name), it.change, it.before.calls, it.now.calls));
        std::iter::once(all).chain(callers)
    }

    /// The callers whose use changed.
    pub(super) fn changed_callers(&self) -> impl Iterator<Item = &CallerChange<'s>> {
        self.callers
            .iter()
            .filter(|caller| caller.change != UseChange::Unchanged)
    }
}

impl MeasuredUse {
    fn of(tally: Option<&ElementTally>) -> Self {
        tally
            .map(|tally| Self {
                uses: tally.uses.count,
                readable: tally.readable(),
            })
            .unwrap_or_default()
    }
}

/// Compares the callers of an element, those with the largest change first.
fn compare_callers<'s>(before: &[CallerUse<'s>], now: &[CallerUse<'s>]) -> Vec<CallerChange<'s>> {
    let mut callers: BTreeMap<CallerId, (&CallerName, [UseCount; 2])> = BTreeMap::new();
    for (index, uses) in [before, now].into_iter().enumerate() {
        for caller in uses {
            let (_, known) = callers
                .entry(caller.id())
                .or_insert((caller.name(), Default::default()));
            if let Some(known) = known.get_mut(index) {
                *known = caller.count();
            }
        }
    }
    let changes = callers.into_values().filter_map(|(name, [before, now])| {
        let change = UseChange::between(before.calls, now.calls)?;
        Some(CallerChange {
            name,
            change,
            before,
            now,
        })
    });
    let mut changes: Vec<_> = changes.collect();
    let size = |caller: &CallerChange<'_>| caller.now.calls.abs_diff(caller.before.calls);
    changes.sort_by(|a, b| size(b).cmp(&size(a)).then_with(|| a.name.cmp(b.name)));
    changes
}
