//! Decides by the keys of a TOML file whether it is one of this program's files, so that its content may be shown.

use std::collections::HashSet;
use std::path::Path;

use toml::de::{DeTable, DeValue};

use super::{Disclosure, Mistake};

/// The keys of a file, counted.
#[derive(Debug, Clone, Copy)]
pub struct KeyCounts {
    /// Keys that the program reads, in values of the right type.
    known: usize,
    /// All others, and those inside their values.
    foreign: usize,
}

impl KeyCounts {
    pub(super) fn of(document: &DeTable<'_>, mistakes: &[Mistake]) -> Self {
        let starts: HashSet<usize> = mistakes
            .iter()
            .filter(|mistake| mistake.is_foreign)
            .map(|mistake| mistake.span.start)
            .collect();
        let mut count = Self {
            known: 0,
            foreign: 0,
        };
        // A list, because tables may be nested deeply.
        let mut tables = vec![(document, false)];
        while let Some((table, is_inside_foreign)) = tables.pop() {
            for (key, value) in table {
                let is_foreign = is_inside_foreign
                    || starts.contains(&key.span().start)
                    || starts.contains(&value.span().start);
                *(if is_foreign {
                    &mut count.foreign
                } else {
                    &mut count.known
                }) += 1;
                let mut values = vec![value.get_ref()];
                while let Some(value) = values.pop() {
                    match value {
                        DeValue::Table(table) => tables.push((table, is_foreign)),
                        DeValue::Array(list) => {
                            values.extend(list.iter().map(toml::Spanned::get_ref));
                        }
                        _ => {}
                    }
                }
            }
        }
        count
    }

    /// Counts the keys at the beginnings of lines: of a file whose syntax is broken, or whose values have wrong types. A line
    /// that is no key outweighs a known one: it may be a secret.
    pub fn of_lines(text: &str, known: &[&str]) -> Self {
        let mut count = Self {
            known: 0,
            foreign: 0,
        };
        let mut seen = HashSet::new();
        for line in text.lines() {
            let line = line.trim_start_matches([' ', '\t', '[', '-', '"', '{']);
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let Some((key, _)) = line.split_once(['=', ':', ']', '.']) else {
                count.foreign += 2;
                continue;
            };
            let key = key.trim_end_matches([' ', '"']);
            if known.contains(&key) {
                count.known += usize::from(seen.insert(key));
            } else {
                count.foreign += 1;
            }
        }
        count
    }

    /// Returns the counts by which more of the file may be shown.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        [other, self]
            .into_iter()
            .max_by_key(|count| (count.known > count.foreign, count.known))
            .unwrap_or(self)
    }

    /// Returns how much of the file may be shown: a file of another kind may contain anything, even secrets. The name must be
    /// that of a TOML file, `least` keys must be known, and more must be known than not.
    pub fn disclosure(self, name: &str, least: usize) -> Disclosure {
        let ending = Path::new(name).extension();
        let is_toml = ending.is_some_and(|ending| ending.eq_ignore_ascii_case("toml"));
        if is_toml && self.known >= least && self.known > self.foreign {
            Disclosure::Plain
        } else {
            Disclosure::Masked
        }
    }
}
