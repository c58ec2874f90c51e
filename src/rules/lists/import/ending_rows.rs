//! The rows of a feed that become rules: those about an id that ends on a day. The others are counted.

use std::collections::{HashMap, HashSet};

use super::collector::{ListCell, ListCollector};
use super::feed_row::{FeedRow, day};

/// The rows about ids that end on a day, one for each id. `others` rows of the feed are about other providers.
pub(super) fn ending_rows<'t>(
    rows: Vec<FeedRow<'t>>,
    others: usize,
    collector: &mut ListCollector,
) -> Vec<FeedRow<'t>> {
    let mut ignored = IgnoredRows { others, ..IgnoredRows::default() };
    let clear = without_unclear_aliases(rows, collector);
    let ending = clear.into_iter().filter_map(|row| ignored.ending(row, collector)).collect();
    let rows = latest(ending, collector);
    ignored.report(rows.is_empty(), collector);
    rows
}

/// Counts the rows that become no rules.
#[derive(Default)]
struct IgnoredRows<'t> {
    others: usize,
    undated: usize,
    promised: usize,
    /// The days of ends that are no days.
    inexact: Vec<ListCell<'t>>,
    /// The rows whose day of the announcement is no day.
    without_introduction: usize,
}

impl<'t> IgnoredRows<'t> {
    /// The row with its days, if it is about a model that ends on a day.
    fn ending(&mut self, row: FeedRow<'t>, collector: &mut ListCollector) -> Option<FeedRow<'t>> {
        let Some(removal) = row.removal else {
            self.undated += 1;
            return None;
        };
        if row.is_not_before {
            self.promised += 1;
            return None;
        }
        if row.id.value.contains(char::is_whitespace) || row.id.value.starts_with('/') {
            let message = format!("`{}` is not the id of a model and is ignored", row.id.value);
            collector.remark(row.start, message);
            return None;
        }
        let Some(last_day) = day(&removal) else {
            self.inexact.push(removal);
            return None;
        };
        let introduced = row.introduced.as_ref().and_then(day);
        self.without_introduction += usize::from(row.introduced.is_some() && introduced.is_none());
        Some(FeedRow { removal: Some(last_day), introduced, ..row })
    }

    /// Records how many rows are ignored. A feed of which nothing remains must have a day or a promise.
    fn report(&self, is_empty: bool, collector: &mut ListCollector) {
        if let Some(first) = self.inexact.first().filter(|_| is_empty && self.promised == 0) {
            let message = format!("the removal date `{}` is not a date", first.value);
            let help =
                "no entry about this provider ends on an exact day; write days as in 2027-01-15";
            collector.add_mistake(first.span.clone(), message, help);
        }
        let inexact = self.inexact.first().map_or(String::new(), |first| {
            format!("without an exact day, such as `{}`", first.value)
        });
        for (verb, count, what) in [
            ("ignored", self.others, "of other providers"),
            ("ignored", self.undated, "without a day on which the model ends"),
            ("ignored", self.promised, "with only a day before which the model does not end"),
            ("ignored", self.inexact.len(), &*inexact),
            ("imported", self.without_introduction, "without an exact day of the announcement"),
        ] {
            if count > 0 {
                let entries = if count == 1 { "entry" } else { "entries" };
                collector.remark(0, format!("{verb} {count} {entries} {what}"));
            }
        }
    }
}

/// The rows without aliases that do not name one model: those of several models, and those that are the id of another one.
fn without_unclear_aliases<'t>(
    rows: Vec<FeedRow<'t>>,
    collector: &mut ListCollector,
) -> Vec<FeedRow<'t>> {
    let models = rows.iter().filter(|row| !row.is_alias);
    let models: HashMap<usize, String> =
        models.map(|row| (row.start, row.id.value.to_string())).collect();
    let ids: HashSet<&str> = models.values().map(String::as_str).collect();
    // A model can have several rows, so its id identifies it, not its row.
    let mut named: HashMap<String, HashSet<Option<&String>>> = HashMap::new();
    for row in rows.iter().filter(|row| row.is_alias) {
        named.entry(row.id.value.to_string()).or_default().insert(models.get(&row.start));
    }
    let mut seen = HashSet::new();
    let mut is_clear = |row: &FeedRow<'t>| {
        let alias = &*row.id.value;
        let why = if !row.is_alias {
            return true;
        } else if models.get(&row.start).is_some_and(|own| own == alias) {
            // The alias is the id with a prefix of some places.
            return false;
        } else if ids.contains(alias) {
            "an id of a model, too; the alias"
        } else if named.get(alias).is_some_and(|models| models.len() > 1) {
            "an alias of several models and"
        } else {
            return true;
        };
        if seen.insert(alias.to_owned()) {
            collector.remark(row.start, format!("`{alias}` is {why} is ignored"));
        }
        false
    };
    rows.into_iter().filter(|row| is_clear(row)).collect()
}

/// One row for each id: that with the latest day, as in packs.
fn latest<'t>(rows: Vec<FeedRow<'t>>, collector: &mut ListCollector) -> Vec<FeedRow<'t>> {
    let mut kept: Vec<FeedRow<'t>> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for row in rows {
        let at = *known.entry(row.id.value.to_string()).or_insert(kept.len());
        let Some(earlier) = kept.get_mut(at) else {
            kept.push(row);
            continue;
        };
        let (id, start) = (row.id.value.to_string(), row.start);
        let day = |row: &FeedRow<'_>| row.removal.as_ref().map(|day| day.value.to_string());
        let (old, new) = (day(earlier), day(&row));
        if old < new {
            *earlier = row;
        }
        let message = if old == new {
            format!("`{id}` has an earlier entry and is ignored")
        } else {
            let later = old.max(new).unwrap_or_default();
            format!("`{id}` has an earlier entry with another day; the later day, {later}, counts")
        };
        collector.remark(start, message);
    }
    kept
}
