//! The findings that a changed file is to have: those of the old file, without the uses that edits change.

use std::collections::{HashMap, HashSet};

use sundown_exchange::Side;
use sundown_lint::findings::ExchangePart;
use sundown_report::LocatedFinding;

/// Where a use is, apart from its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct UseSite {
    /// The number of its exchange.
    pub exchange: Option<usize>,
    part: ExchangePart,
    pointer: String,
    finding: FindingKey,
}

impl UseSite {
    pub(super) fn of(located: &LocatedFinding) -> Self {
        let found = &located.finding.found;
        Self {
            exchange: found.exchange.as_ref().map(|exchange| exchange.index),
            part: found.part,
            pointer: found.exact_pointer().unwrap_or_default().to_owned(),
            finding: FindingKey::of(located),
        }
    }

    /// The object that has it, whatever the rule.
    pub(super) fn parent(&self) -> Self {
        let parent = self
            .pointer
            .rsplit_once('/')
            .map_or("", |(parent, _)| parent);
        Self {
            pointer: parent.to_owned(),
            finding: FindingKey::default(),
            ..self.clone()
        }
    }
}

/// What a finding keeps when the file around it changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash)]
struct FindingKey {
    rule: String,
    operation: String,
    side: Option<Side>,
}

impl FindingKey {
    fn of(located: &LocatedFinding) -> Self {
        let finding = &located.finding;
        Self {
            rule: finding.rule.id.clone(),
            operation: finding.found.operation.to_string(),
            side: finding.found.part.side(),
        }
    }
}

/// The findings that a changed file is to have.
pub(super) struct ExpectedFindings {
    /// Those of the old file that no edit changes.
    kept: HashMap<FindingKey, usize>,
    /// Those inside of a member that an edit changes: they may go with it.
    inner: HashMap<FindingKey, usize>,
}

impl ExpectedFindings {
    /// Those of the old file, without the uses that edits change.
    pub(super) fn after<'s>(
        changed: impl Iterator<Item = &'s UseSite>,
        uses: &[LocatedFinding],
    ) -> Self {
        let changed: HashSet<&UseSite> = changed.collect();
        let objects: HashSet<UseSite> = changed
            .iter()
            .map(|site| UseSite {
                finding: FindingKey::default(),
                ..(*site).clone()
            })
            .collect();
        let mut expected = Self {
            kept: HashMap::new(),
            inner: HashMap::new(),
        };
        for located in uses {
            let site = UseSite::of(located);
            if changed.contains(&site) {
                continue;
            }
            let mut around = site.parent();
            while !around.pointer.is_empty() && !objects.contains(&around) {
                around = around.parent();
            }
            let list = if objects.contains(&around) {
                &mut expected.inner
            } else {
                &mut expected.kept
            };
            *list.entry(site.finding).or_default() += 1;
        }
        expected
    }

    /// Takes a finding of the changed file. Returns false if it is not expected.
    pub(super) fn take(&mut self, located: &LocatedFinding) -> bool {
        let key = FindingKey::of(located);
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
