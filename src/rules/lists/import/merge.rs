//! A list into a rules file that is already there: what is new is added, what the list says otherwise is changed, and all
//! else stays as it is, to the byte.
//!
//! The file's text is edited ([`super::edit`]) instead of being written anew from a tree, so comments, order and layout
//! cannot be lost. The result is read again before it is handed out.

use std::collections::{HashMap, HashSet};

use toml::de::DeTable;

use super::edit::{RuleFileText, TextEdit, apply};
use super::write::{facts, name, string};
use super::{ImportRemark, Imported, ImportedEntry};
use crate::rules::announcement::{
    AnnouncedFacts, AnnouncementKey, AnnouncementSite, key, site_of, subject,
};
use crate::rules::reference::local_file;
use crate::rules::{Rule, RuleFile, RulePlace};
use crate::text::Location;
use crate::toml_file::{FileMistakes, Mistake};
use crate::traffic::OperationPattern;

/// What becomes of entries that the list no longer has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaleRules {
    /// They stay; the user may have written them.
    Keep,
    /// They are taken out.
    Remove,
}

/// A difference between a list and a rules file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The file does not have it.
    New {
        /// The id that it gets.
        id: String,
        /// What it is about.
        subject: String,
        /// Its removal date, where one was announced.
        removal: Option<chrono::NaiveDate>,
    },
    /// The list says something else than the file.
    Changed {
        /// The rule's id.
        id: String,
        /// The rule's key whose value changes.
        key: &'static str,
        /// What the file says; `None` where it says nothing.
        old: Option<String>,
        /// What the list says.
        new: String,
    },
    /// The list does not have it.
    Gone {
        /// The rule's id.
        id: String,
        /// What it is about.
        subject: String,
    },
}

/// What a list makes of a rules file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The file's new text.
    pub text: String,
    /// All differences: changed and gone in the file's order, then new in the list's.
    pub changes: Vec<Change>,
    /// How many rules are as the list says.
    pub unchanged: usize,
    /// What there is to know of entries of the list.
    pub remarks: Vec<ImportRemark>,
}

/// Puts a list into the rules file `table_name` with this text.
///
/// The error holds the mistakes of that file.
pub fn merge(
    table_name: &str,
    text: &str,
    imported: &Imported,
    gone: StaleRules,
) -> Result<Merged, FileMistakes> {
    let file = RuleFile::parse_entries(table_name, text)?;
    let not_toml = |error: &toml::de::Error| {
        let span = error.span().unwrap_or(0..0);
        let mistake = Mistake::new(span, error.message().to_owned());
        FileMistakes::new("rules", table_name, text, vec![mistake])
    };
    let document = DeTable::parse(text).map_err(|error| not_toml(&error))?;
    let places = RuleFileText::of(text, document.get_ref());
    let mut merging = ListMerge::new(&file.rules, places.base.clone());
    let mut fresh = Vec::new();
    let mut taken: HashSet<&str> = file.rules.iter().map(|rule| rule.id.as_str()).collect();
    for (entry, rule) in merging.pair(imported) {
        match rule {
            Some(rule) => {
                merging.compare(rule, entry);
                // By this id the entry would be known next time, so no other one may get it.
                taken.extend(entry.announcement.id.as_deref());
            }
            None => fresh.push(entry),
        }
    }
    let (ids, renamed) = name(&fresh, &taken);
    merging.remarks.extend(renamed);
    let (mut changes, unchanged, mut edits) = merging.settle(&places, gone);
    let loses_last = gone == StaleRules::Remove && matches!(merging.found.last(), Some(None));
    edits.extend(places.additions(&fresh, &ids, loses_last));
    changes.extend(fresh.iter().zip(&ids).map(|(entry, id)| Change::New {
        id: id.clone(),
        subject: entry.announcement.subject(),
        removal: entry.announcement.facts.removal,
    }));
    let merged = apply(text, edits);
    if merged != text {
        RuleFile::parse_entries(table_name, &merged)?;
    }
    let mut remarks = merging.remarks;
    remarks.extend(unnamed(imported, &places));
    remarks.sort_by_key(|remark| remark.location);
    Ok(Merged { text: merged, changes, unchanged, remarks })
}

/// The comparison of a file's rules with a list.
struct ListMerge<'r> {
    rules: &'r [Rule],
    base: Option<OperationPattern>,
    /// For each rule, the values that change; `None` where the list does not have it.
    found: Vec<Option<KeyUpdates>>,
    remarks: Vec<ImportRemark>,
}

/// Key, old value, new value as people read it, new value as TOML.
type KeyUpdate = (&'static str, Option<String>, String, String);
type KeyUpdates = Vec<KeyUpdate>;

impl<'r> ListMerge<'r> {
    fn new(rules: &'r [Rule], base: Option<OperationPattern>) -> Self {
        Self { rules, base, found: vec![None; rules.len()], remarks: Vec::new() }
    }

    /// Each entry of the list with the number of its rule. Entries outside of the file's base path are another file's.
    ///
    /// Rules are known by operation and element. Where several are about the same, an equal id comes first, then an
    /// equal replacement, then their order.
    fn pair<'i>(&mut self, imported: &'i Imported) -> Vec<(&'i ImportedEntry, Option<usize>)> {
        let entries: Vec<&ImportedEntry> =
            imported.entries.iter().filter(|entry| self.is_within(entry)).collect();
        let mut by_key: HashMap<AnnouncementKey, Vec<usize>> = HashMap::new();
        for (number, rule) in self.rules.iter().enumerate() {
            let announced = rule.announced.clone().map(AnnouncementSite::Operation);
            // A rule that is announced with an operation and located by a schema is known by both.
            for site in
                announced.into_iter().chain(rule.schema.clone().map(AnnouncementSite::Schema))
            {
                by_key.entry(key(&site, &rule.element)).or_default().push(number);
            }
        }
        let mut paired: Vec<Option<usize>> = vec![None; entries.len()];
        let mut taken = vec![false; self.rules.len()];
        for way in [PairBy::Id, PairBy::Replacement, PairBy::Order] {
            for (pair, entry) in paired.iter_mut().zip(&entries).filter(|(pair, _)| pair.is_none())
            {
                let Some(numbers) = by_key.get_mut(&entry.announcement.key()) else { continue };
                numbers.retain(|&number| taken.get(number) == Some(&false));
                let fits = |&number: &usize| {
                    self.rules.get(number).is_some_and(|rule| way.fits(rule, entry))
                };
                *pair = numbers.iter().copied().find(fits);
                if let Some(taken) = pair.and_then(|number| taken.get_mut(number)) {
                    *taken = true;
                }
            }
        }
        let by_id: HashMap<&str, usize> =
            self.rules.iter().zip(0..).map(|(rule, number)| (rule.id.as_str(), number)).collect();
        let moved = |entry: &ImportedEntry| {
            let number = *by_id.get(entry.announcement.id.as_deref()?)?;
            let is_free = taken.get(number) == Some(&false);
            let is_moved = self.rules.get(number).is_some_and(|rule| has_moved(rule, entry));
            (is_free && is_moved).then_some(number)
        };
        let shared =
            |entry: &ImportedEntry| self.rules.iter().position(|rule| is_shared(rule, entry));
        let rule = |entry: &ImportedEntry| moved(entry).or_else(|| shared(entry));
        let paired = entries.into_iter().zip(paired);
        paired.map(|(entry, number)| (entry, number.or_else(|| rule(entry)))).collect()
    }

    fn is_within(&mut self, entry: &ImportedEntry) -> bool {
        let (Some(base), Some(operation)) =
            (self.base.as_ref(), entry.announcement.site.operation())
        else {
            return true;
        };
        let is_within = operation.segments.starts_with(&base.segments);
        if !is_within {
            let message = format!(
                "{operation} is not below the file's base path `{}`: left out",
                base.path()
            );
            self.remarks.push(ImportRemark { location: entry.location, message });
        }
        is_within
    }

    /// Notes what the entry says otherwise than the rule. What it does not say stays.
    fn compare(&mut self, number: usize, entry: &ImportedEntry) {
        let Some(rule) = self.rules.get(number) else { return };
        let said = AnnouncedFacts::of(rule);
        let old: HashMap<_, _> = facts(&said).into_iter().collect();
        let readable: HashMap<_, _> = readable(&said).into_iter().collect();
        let news = readable_and_written(&entry.announcement.facts);
        let differs = news.into_iter().filter(|(key, _, written)| old.get(key) != Some(written));
        let updates =
            differs.map(|(key, new, written)| (key, readable.get(key).cloned(), new, written));
        let updates: KeyUpdates = moved(rule, entry).into_iter().chain(updates).collect();
        self.remarks.extend(unknown_places(rule, entry));
        match self.found.get_mut(number) {
            Some(found @ None) => *found = Some(updates),
            // A rule that names no operation of its own is announced for several; the first one counts.
            Some(Some(first)) if *first != updates => {
                let message = format!(
                    "this entry says something else than an earlier one about the rule `{}`: left out",
                    rule.id
                );
                self.remarks.push(ImportRemark { location: entry.location, message });
            }
            _ => {}
        }
    }

    /// The differences in the file's order, how many rules have none, and the edits that make up for them.
    fn settle(
        &self,
        places: &RuleFileText<'_>,
        gone: StaleRules,
    ) -> (Vec<Change>, usize, Vec<TextEdit>) {
        let (mut changes, mut edits, mut unchanged) = (Vec::new(), Vec::new(), 0);
        for (number, (rule, found)) in self.rules.iter().zip(&self.found).enumerate() {
            let Some(updates) = found else {
                let site = site_of(rule).map(|site| site.to_string());
                let site = site.unwrap_or_else(|| "several operations".to_owned());
                let subject = subject(&site, &rule.element);
                changes.push(Change::Gone { id: rule.id.clone(), subject });
                if gone == StaleRules::Remove {
                    edits.extend(places.removal(number));
                }
                continue;
            };
            unchanged += usize::from(updates.is_empty());
            for (key, old, new, written) in updates {
                edits.extend(places.update(number, key, written));
                let (id, old, new) = (rule.id.clone(), old.clone(), new.clone());
                changes.push(Change::Changed { id, key, old, new });
            }
        }
        (changes, unchanged, edits)
    }
}

/// By what a rule is known among several that are about the same. Importing again must give the same pairs: what a list
/// does not say is in no way equal to what a rule does not say, which may be the owner's doing.
#[derive(Debug, Clone, Copy)]
enum PairBy {
    Id,
    Replacement,
    Order,
}

impl PairBy {
    fn fits(self, rule: &Rule, entry: &ImportedEntry) -> bool {
        let announcement = &entry.announcement;
        match self {
            Self::Id => announcement.id.as_ref() == Some(&rule.id),
            Self::Replacement => {
                let replacement = &announcement.facts.replacement;
                replacement.is_some() && *replacement == rule.replacement
            }
            Self::Order => true,
        }
    }
}

/// Whether a rule is about a property that now stands elsewhere in the description.
fn has_moved(rule: &Rule, entry: &ImportedEntry) -> bool {
    rule.schema.is_some()
        && entry.announcement.site.operation().is_none()
        && rule.element == entry.announcement.element
}

/// The change of a rule's schema, where the property has moved.
fn moved(rule: &Rule, entry: &ImportedEntry) -> Option<KeyUpdate> {
    let AnnouncementSite::Schema(new) = &entry.announcement.site else { return None };
    let old = rule.schema.as_ref().filter(|old| *old != new)?;
    let written = string(&new.to_string());
    Some(("schema", Some(old.to_string()), new.to_string(), written))
}

/// Tells of operations in which a description has the element, and into which the rule does not look. They may be left out
/// on purpose, so nothing is changed.
fn unknown_places(rule: &Rule, entry: &ImportedEntry) -> Option<ImportRemark> {
    let known: HashSet<_> = rule
        .places
        .iter()
        .map(|place| (&place.operation.method, &place.operation.segments))
        .collect();
    let is_unknown =
        |place: &&RulePlace| !known.contains(&(&place.operation.method, &place.operation.segments));
    let unknown: Vec<_> = entry.places.iter().filter(is_unknown).collect();
    let first = unknown.first()?;
    let more = unknown.len() - 1;
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let message = format!(
        "the rule `{}` does not look into {}{more}, where it is too: name it in `also`",
        rule.id, first.operation
    );
    Some(ImportRemark { location: entry.location, message })
}

/// Tells that the rules file does not name the description, by which its operations would be told apart.
fn unnamed(imported: &Imported, places: &RuleFileText<'_>) -> Option<ImportRemark> {
    let origin = imported.description.as_ref()?;
    let named = places.description.as_deref().map(local_file);
    if named.is_some_and(|named| named == local_file(&origin.path)) {
        return None;
    }
    let message = format!(
        "the rules file does not name this description: write description = {} at its top, so that operations are told \
         apart as it does",
        string(&origin.path)
    );
    Some(ImportRemark { location: Location::START, message })
}

/// Whether a rule that names no operation of its own is about the element in the entry's operation too.
fn is_shared(rule: &Rule, entry: &ImportedEntry) -> bool {
    let Some(wanted) = entry.announcement.site.operation() else { return false };
    site_of(rule).is_none()
        && rule.element == entry.announcement.element
        && rule.places.iter().any(|place| {
            place.operation.method == wanted.method && place.operation.segments == wanted.segments
        })
}

fn readable(said: &AnnouncedFacts) -> Vec<(&'static str, String)> {
    readable_and_written(said).into_iter().map(|(key, readable, _)| (key, readable)).collect()
}

/// Key, value for people, value as TOML.
fn readable_and_written(said: &AnnouncedFacts) -> Vec<(&'static str, String, String)> {
    let text = |key: &str| match key {
        "replacement" => said.replacement.clone(),
        "note" => said.note.clone(),
        "docs" => said.docs.clone(),
        _ => None,
    };
    let both = facts(said).into_iter();
    both.map(|(key, written)| (key, text(key).unwrap_or_else(|| written.clone()), written))
        .collect()
}
