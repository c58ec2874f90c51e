//! The findings that a changed file is to have: those of the old file, without the uses that edits change.

use std::collections::{HashMap, HashSet};

use sundown_exchange::Side;
use sundown_lint::findings::{ExchangePart, Finding};
use sundown_report::LocatedFinding;

/// Where a use is, apart from its bytes.
#[derive(Debug, PartialEq, Eq, Hash)]
pub(super) struct UseSite<'u> {
    pub place: UsePlace<'u>,
    finding: FindingKey<'u>,
}

/// A place in the exchanges of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct UsePlace<'u> {
    /// The number of the exchange.
    pub exchange: Option<usize>,
    part: ExchangePart,
    pointer: &'u str,
}

impl<'u> UseSite<'u> {
    pub(super) fn of(located: &'u LocatedFinding) -> Self {
        let found = &located.finding.found;
        Self {
            place: UsePlace {
                exchange: found.exchange.as_ref().map(|exchange| exchange.index),
                part: found.part,
                pointer: found.exact_pointer().unwrap_or_default(),
            },
            finding: key_of(located),
        }
    }

    /// The object that has it, whatever the rule.
    pub(super) fn parent(&self) -> UsePlace<'u> {
        let parts = self.place.pointer.rsplit_once('/');
        let pointer = parts.map_or("", |(parent, _)| parent);
        UsePlace {
            pointer,
            ..self.place
        }
    }
}

impl UsePlace<'_> {
    /// Whether it is inside of a member.
    fn is_inside(&self, member: &UsePlace<'_>) -> bool {
        let rest = self.pointer.strip_prefix(member.pointer);
        (self.exchange, self.part) == (member.exchange, member.part)
            && rest.is_some_and(|rest| rest.starts_with('/'))
    }
}

/// What a finding keeps when the file around it changes: its rule, operation and side.
type FindingKey<'u> = (&'u str, &'u str, Option<Side>);

fn key_of(located: &LocatedFinding) -> FindingKey<'_> {
    let Finding { rule, found, .. } = &located.finding;
    (&rule.id, &found.operation, found.part.side())
}

/// The findings that a changed file is to have.
pub(super) struct ExpectedFindings<'u> {
    /// Those of the old file that no edit changes.
    kept: HashMap<FindingKey<'u>, usize>,
    /// Those inside of a member that an edit changes: they may go with it.
    inner: HashMap<FindingKey<'u>, usize>,
}

impl<'u> ExpectedFindings<'u> {
    /// Those of the old file, without the uses that edits change.
    pub(super) fn after<'s>(
        changed: impl Iterator<Item = &'s UseSite<'s>>,
        uses: &'u [LocatedFinding],
    ) -> Self {
        let changed: HashSet<&UseSite<'_>> = changed.collect();
        let mut expected = Self {
            kept: HashMap::new(),
            inner: HashMap::new(),
        };
        let mut sites: Vec<_> = uses
            .iter()
            .map(|located| (located.finding.found.span.start, UseSite::of(located)))
            .collect();
        sites.sort_by_key(|(start, _)| *start);
        // In the order of the file, what is inside of a member follows it. A body may be checked on both sides.
        let mut around: HashMap<_, UsePlace<'_>> = HashMap::new();
        for (_, site) in sites {
            let UseSite { place, .. } = &site;
            let outer = around.get(&(place.exchange, place.part));
            let is_inside = outer.is_some_and(|outer| place.is_inside(outer));
            if changed.contains(&site) {
                if !is_inside && !place.pointer.is_empty() {
                    around.insert((place.exchange, place.part), *place);
                }
                continue;
            }
            let list = if is_inside {
                &mut expected.inner
            } else {
                &mut expected.kept
            };
            *list.entry(site.finding).or_default() += 1;
        }
        expected
    }

    /// Takes a finding of the changed file. Returns false if it is not expected.
    pub(super) fn take(&mut self, located: &'u LocatedFinding) -> bool {
        let key = key_of(located);
        let lists = [&mut self.kept, &mut self.inner].into_iter();
        let mut counts = lists.filter_map(|list| list.get_mut(&key));
        let count = counts.find(|count| **count > 0);
        count.map(|count| *count -= 1).is_some()
    }

    /// Whether all findings that no edit changes were taken.
    pub(super) fn is_complete(&self) -> bool {
        self.kept.values().all(|count| *count == 0)
    }
}
