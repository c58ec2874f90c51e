//! Merges a list into an existing rules file: adds new rules, changes the values that differ, and keeps all other bytes.
//!
//! The text of the file is edited ([`super::edit`]), not generated from a tree, so comments, order and layout stay. The
//! result is parsed again before it is returned.

use std::collections::{HashMap, HashSet};

use toml::de::DeTable;

use super::edit::{RuleFileText, TextEdit, apply};
use super::write::{assign_ids, facts};
use super::{ImportRemark, Imported, ImportedEntry};
use crate::rules::announcement::{AnnouncementKey, key, site_of, subject};
use crate::rules::reference::local_file;
use crate::rules::{AnnouncedFacts, AnnouncementSite};
use crate::rules::{Rule, RuleFile};
use sundown_exchange::OperationPattern;
use sundown_files::toml_file::{Disclosure, FileMistakes, Mistake};
use sundown_text_json::text::Location;
use sundown_text_json::text::toml::string;

/// The treatment of rules that are no longer in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaleRules {
    /// Keep them: the user may have written them.
    Keep,
    /// Remove them.
    Remove,
}

/// A difference between a list and a rules file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    /// The entry is new to the file.
    New {
        /// The id that the rule gets.
        id: String,
        /// The deprecated element.
        subject: String,
        /// The removal date, if one was announced.
        removal: Option<chrono::NaiveDate>,
    },
    /// The list and the file disagree about a value.
    Changed {
        /// The id of the rule.
        id: String,
        /// The key whose value changes.
        key: &'static str,
        /// The value in the file, if it has one.
        old: Option<String>,
        /// The value in the list.
        new: String,
    },
    /// The rule is not in the list.
    Gone {
        /// The id of the rule.
        id: String,
        /// The deprecated element.
        subject: String,
    },
}

/// A rules file after a list has been merged into it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The new text of the file.
    pub text: String,
    /// All differences: first changed and gone rules in the order of the file, then new ones in the order of the list.
    pub changes: Vec<Change>,
    /// The number of rules that already match the list.
    pub unchanged: usize,
    /// Remarks about entries of the list.
    pub remarks: Vec<ImportRemark>,
}

/// Merges a list into the rules file `table_name`, whose contents are `text`.
///
/// The error holds the mistakes of that file.
pub fn merge(
    table_name: &str,
    text: &str,
    imported: &Imported,
    stale: StaleRules,
) -> Result<Merged, FileMistakes> {
    let file = RuleFile::parse_entries(table_name, text)?;
    let document = DeTable::parse(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        let mistake = Mistake::new(span, error.message().to_owned());
        FileMistakes::new(Disclosure::Masked, "rules", table_name, text, vec![mistake])
    })?;
    let places = RuleFileText::of(text, document.get_ref());
    let mut merging = ListMerge::new(&file.rules, places.base.clone());
    let mut fresh = Vec::new();
    let mut taken: HashSet<&str> = file.rules.iter().map(|rule| rule.id.as_str()).collect();
    for (entry, rule) in merging.pair(imported) {
        match rule {
            Some(rule) => {
                merging.compare(rule, entry);
                // The next import would recognize the entry by this id, so no other entry may get it.
                taken.extend(entry.announcement.id.as_deref());
            }
            None => fresh.push(entry),
        }
    }
    let (ids, renamed) = assign_ids(&fresh, &taken);
    merging.remarks.extend(renamed);
    let (mut changes, unchanged, mut edits) = merging.resolve(&places, stale);
    let is_last_removed = stale == StaleRules::Remove && matches!(merging.found.last(), Some(None));
    edits.extend(places.additions(&fresh, &ids, is_last_removed));
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
    remarks.extend(remark_missing_description(imported, &places));
    remarks.sort_by_key(|remark| remark.location);
    Ok(Merged {
        text: merged,
        changes,
        unchanged,
        remarks,
    })
}

/// Compares the rules of a file with a list.
struct ListMerge<'r> {
    rules: &'r [Rule],
    base: Option<OperationPattern>,
    /// The values that change, for each rule; `None` if the rule is not in the list.
    found: Vec<Option<KeyUpdates>>,
    remarks: Vec<ImportRemark>,
}

/// Key, old value, new value in readable form, new value as TOML.
type KeyUpdate = (&'static str, Option<String>, String, String);
type KeyUpdates = Vec<KeyUpdate>;

impl<'r> ListMerge<'r> {
    fn new(rules: &'r [Rule], base: Option<OperationPattern>) -> Self {
        Self {
            rules,
            base,
            found: vec![None; rules.len()],
            remarks: Vec::new(),
        }
    }

    /// Pairs each entry of the list with the number of its rule. Entries outside of the base path belong to another file.
    ///
    /// Rules are matched by operation and element. If several are about the same element, an equal id decides first, then
    /// an equal replacement, then the order.
    fn pair<'i>(&mut self, imported: &'i Imported) -> Vec<(&'i ImportedEntry, Option<usize>)> {
        let entries: Vec<&ImportedEntry> = imported
            .entries
            .iter()
            .filter(|entry| self.is_within(entry))
            .collect();
        let mut by_key: HashMap<AnnouncementKey, Vec<usize>> = HashMap::new();
        for (number, rule) in self.rules.iter().enumerate() {
            let announced = rule.announced.clone().map(AnnouncementSite::Operation);
            // A rule that is announced with an operation and located by a schema is known by both.
            for site in announced
                .into_iter()
                .chain(rule.schema.clone().map(AnnouncementSite::Schema))
            {
                by_key
                    .entry(key(&site, &rule.element))
                    .or_default()
                    .push(number);
            }
        }
        let mut paired: Vec<Option<usize>> = vec![None; entries.len()];
        let mut taken = vec![false; self.rules.len()];
        for way in [PairBy::Id, PairBy::Replacement, PairBy::Order] {
            for (pair, entry) in paired
                .iter_mut()
                .zip(&entries)
                .filter(|(pair, _)| pair.is_none())
            {
                let Some(numbers) = by_key.get_mut(&entry.announcement.key()) else {
                    continue;
                };
                numbers.retain(|&number| taken.get(number) == Some(&false));
                *pair = numbers.iter().copied().find(|&number| {
                    self.rules
                        .get(number)
                        .is_some_and(|rule| way.fits(rule, entry))
                });
                if let Some(taken) = pair.and_then(|number| taken.get_mut(number)) {
                    *taken = true;
                }
            }
        }
        let by_id: HashMap<&str, usize> = self
            .rules
            .iter()
            .zip(0..)
            .map(|(rule, number)| (rule.id.as_str(), number))
            .collect();
        let paired = entries.into_iter().zip(paired);
        paired
            .map(|(entry, number)| {
                let number = number
                    .or_else(|| {
                        let number = *by_id.get(entry.announcement.id.as_deref()?)?;
                        let is_free = taken.get(number) == Some(&false);
                        (is_free && has_moved(self.rules.get(number)?, entry)).then_some(number)
                    })
                    .or_else(|| self.rules.iter().position(|rule| is_shared(rule, entry)));
                (entry, number)
            })
            .collect()
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
                "the entry is ignored: {operation} is outside of the file's base path `{}`",
                base.path()
            );
            self.remarks.push(ImportRemark {
                location: entry.location,
                message,
            });
        }
        is_within
    }

    /// Records the values of the entry that differ from the rule. Values that the entry does not have stay.
    fn compare(&mut self, number: usize, entry: &ImportedEntry) {
        let Some(rule) = self.rules.get(number) else {
            return;
        };
        let announced = AnnouncedFacts::of(rule);
        let old: HashMap<_, _> = facts(&announced).into_iter().collect();
        let readable: HashMap<_, _> = readable(&announced).into_iter().collect();
        let news = readable_and_written(&entry.announcement.facts);
        // `possible` is never added to a rule: its author knows more than the text of a description.
        let updates = news
            .into_iter()
            .filter(|(key, _, written)| *key != "possible" && old.get(key) != Some(written))
            .map(|(key, new, written)| (key, readable.get(key).cloned(), new, written));
        // A list that names the element leaves no doubt, and neither does a description that marks it now.
        let is_certain = rule.is_possible && !entry.announcement.facts.is_possible;
        let no_doubt = is_certain.then(|| {
            (
                "possible",
                Some("true".to_owned()),
                "false".to_owned(),
                "false".to_owned(),
            )
        });
        let updates = updates.chain(no_doubt);
        let updates: KeyUpdates = moved(rule, entry).into_iter().chain(updates).collect();
        self.remarks.extend(remark_missing_places(rule, entry));
        match self.found.get_mut(number) {
            Some(found @ None) => *found = Some(updates),
            // A rule without its own operation is announced for several operations; the first entry counts.
            Some(Some(first)) if *first != updates => {
                let message = format!(
                    "the entry is ignored: it contradicts an earlier entry about the rule `{}`",
                    rule.id
                );
                self.remarks.push(ImportRemark {
                    location: entry.location,
                    message,
                });
            }
            _ => {}
        }
    }

    /// Returns the differences in the order of the file, the number of rules without any, and the edits that resolve them.
    fn resolve(
        &self,
        places: &RuleFileText<'_>,
        stale: StaleRules,
    ) -> (Vec<Change>, usize, Vec<TextEdit>) {
        let mut changes = Vec::new();
        let mut edits = Vec::new();
        let mut unchanged = 0;
        for (number, (rule, found)) in self.rules.iter().zip(&self.found).enumerate() {
            let Some(updates) = found else {
                let site = site_of(rule)
                    .map_or_else(|| "several operations".to_owned(), |site| site.to_string());
                let subject = subject(&site, &rule.element);
                changes.push(Change::Gone {
                    id: rule.id.clone(),
                    subject,
                });
                if stale == StaleRules::Remove {
                    edits.extend(places.removal(number));
                }
                continue;
            };
            unchanged += usize::from(updates.is_empty());
            let [begin, end] = places
                .table_around(number)
                .filter(|_| !updates.is_empty())
                .map_or([None, None], |edits| edits.map(Some));
            edits.extend(begin);
            for (key, old, new, written) in updates {
                edits.extend(places.update(number, key, written));
                let id = rule.id.clone();
                let old = old.clone();
                let new = new.clone();
                changes.push(Change::Changed { id, key, old, new });
            }
            edits.extend(end);
        }
        (changes, unchanged, edits)
    }
}

/// The criterion that matches an entry to one of several rules about the same element. Repeated imports must give the same
/// pairs, so an absent value of an entry never equals an absent value of a rule, which its owner may have removed.
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

/// Whether a rule is about a property that has moved within the description.
fn has_moved(rule: &Rule, entry: &ImportedEntry) -> bool {
    rule.schema.is_some()
        && rule.other_ids.is_empty()
        && entry.announcement.site.operation().is_none()
        && rule.element == entry.announcement.element
}

/// The change of the schema of a rule, if the property has moved.
fn moved(rule: &Rule, entry: &ImportedEntry) -> Option<KeyUpdate> {
    let AnnouncementSite::Schema(new) = &entry.announcement.site else {
        return None;
    };
    // The values of one entry have the schema of the entry.
    let is_own = rule.other_ids.is_empty();
    let old = rule.schema.as_ref().filter(|old| is_own && *old != new)?;
    let written = string(&new.to_string());
    Some(("schema", Some(old.to_string()), new.to_string(), written))
}

/// Makes a remark about operations that have the element but are not in the rule. They may be omitted on purpose, so nothing
/// is changed.
fn remark_missing_places(rule: &Rule, entry: &ImportedEntry) -> Option<ImportRemark> {
    let known: HashSet<_> = rule
        .places
        .iter()
        .map(|place| (&place.operation.method, &place.operation.segments))
        .collect();
    let unknown: Vec<_> = entry
        .places
        .iter()
        .filter(|place| !known.contains(&(&place.operation.method, &place.operation.segments)))
        .collect();
    let first = unknown.first()?;
    let more = unknown.len() - 1;
    let more = if more > 0 {
        format!(" and {more} more")
    } else {
        String::new()
    };
    let message = format!(
        "the rule `{}` does not cover {}{more}, which has the element too; add it to `also`",
        rule.id, first.operation
    );
    Some(ImportRemark {
        location: entry.location,
        message,
    })
}

/// Makes a remark if the rules file does not name the description, which distinguishes its operations.
fn remark_missing_description(
    imported: &Imported,
    places: &RuleFileText<'_>,
) -> Option<ImportRemark> {
    let origin = imported.description.as_ref()?;
    let named = places.description.as_deref().map(local_file);
    if named.is_some_and(|named| named == local_file(&origin.path)) {
        return None;
    }
    let message = format!(
        "the rules file does not name this description: add description = {} at the top, so that operations are \
         distinguished as in the description",
        string(&origin.path)
    );
    Some(ImportRemark {
        location: Location::START,
        message,
    })
}

/// Whether a rule without its own operation also covers the element in the operation of the entry.
fn is_shared(rule: &Rule, entry: &ImportedEntry) -> bool {
    let Some(wanted) = entry.announcement.site.operation() else {
        return false;
    };
    site_of(rule).is_none()
        && rule.element == entry.announcement.element
        && rule.places.iter().any(|place| {
            place.operation.method == wanted.method && place.operation.segments == wanted.segments
        })
}

fn readable(announced: &AnnouncedFacts) -> Vec<(&'static str, String)> {
    readable_and_written(announced)
        .into_iter()
        .map(|(key, readable, _)| (key, readable))
        .collect()
}

/// Key, value in readable form, value as TOML.
fn readable_and_written(announced: &AnnouncedFacts) -> Vec<(&'static str, String, String)> {
    facts(announced)
        .into_iter()
        .map(|(key, written)| {
            let text = match key {
                "replacement" => announced.replacement.as_ref(),
                "note" => announced.note.as_ref(),
                "docs" => announced.docs.as_ref(),
                _ => None,
            };
            (key, text.unwrap_or(&written).clone(), written)
        })
        .collect()
}
