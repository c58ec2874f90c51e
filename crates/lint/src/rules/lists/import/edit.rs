//! Edits of the text of a rules file, at the spans that the TOML parser reports. All other bytes stay unchanged.

use std::collections::HashMap;
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::ImportedEntry;
use super::write::{inline_rule, rule};
use sundown_exchange::OperationPattern;

/// The keys of a rule in their usual order, which decides where a missing key is inserted.
const ORDER: [&str; 18] = [
    "id",
    "operation",
    "schema",
    "field",
    "value",
    "starts_with",
    "before",
    "supported_months",
    "newest",
    "parameter",
    "header",
    "segment",
    "at",
    "sides",
    "replacement",
    "note",
    "introduced",
    "removal",
];

/// A span of the text and its replacement.
pub(super) type TextEdit = (Range<usize>, String);

/// Applies edits that do not overlap.
pub(super) fn apply(text: &str, mut edits: Vec<TextEdit>) -> String {
    edits.sort_by_key(|(span, _)| (span.start, span.end));
    let mut edited = String::with_capacity(text.len());
    let mut from = 0;
    for (span, new) in edits {
        edited.push_str(text.get(from..span.start).unwrap_or_default());
        edited.push_str(&new);
        from = span.end.max(from);
    }
    edited.push_str(text.get(from..).unwrap_or_default());
    edited
}

/// The text of a rules file, with the spans of its rules.
pub(super) struct RuleFileText<'t> {
    text: &'t str,
    newline: &'static str,
    pub(super) base: Option<OperationPattern>,
    /// The path under `description`.
    pub(super) description: Option<String>,
    /// In the order of the rules: an entry, or each of its `values`.
    rules: Vec<RuleEntry>,
    /// The last entry.
    last: Option<RuleEntry>,
}

#[derive(Clone)]
struct RuleEntry {
    /// The whole entry: a `[[rule]]` from its header through its last value, or an inline table with its braces.
    span: Range<usize>,
    /// The span of each value, by key.
    values: HashMap<String, Range<usize>>,
    form: EntryForm,
}

/// How an entry is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum EntryForm {
    /// With a header of its own, `[[rule]]`.
    Table,
    /// An inline table in an array, `rule = [{ … }]`.
    Inline,
    /// A value alone, in `values`.
    Bare,
}

impl RuleEntry {
    fn of(text: &str, entry: &Spanned<DeValue<'_>>) -> Self {
        let is_inline = text
            .get(entry.span())
            .is_some_and(|text| text.starts_with('{'));
        let Some(table) = entry.get_ref().as_table() else {
            return Self {
                span: entry.span(),
                values: HashMap::new(),
                form: EntryForm::Bare,
            };
        };
        let values = table
            .iter()
            .map(|(key, value)| (key.get_ref().to_string(), value.span()))
            .collect();
        let span = entry.span().start..entry.span().end.max(last_byte(table));
        let form = if is_inline {
            EntryForm::Inline
        } else {
            EntryForm::Table
        };
        Self { span, values, form }
    }
}

impl<'t> RuleFileText<'t> {
    pub(super) fn of(text: &'t str, document: &DeTable<'_>) -> Self {
        let base = document
            .get("base_path")
            .and_then(|path| path.get_ref().as_str())
            .and_then(|path| OperationPattern::parse(&format!("* {path}")).ok());
        let description = document
            .get("description")
            .and_then(|path| path.get_ref().as_str());
        let entries: Vec<_> = document
            .get("rule")
            .and_then(|rules| rules.get_ref().as_array())
            .into_iter()
            .flatten()
            .collect();
        let rules = entries.iter().flat_map(|entry| {
            let table = entry.get_ref().as_table();
            let values = table.and_then(|table| table.get("values")?.get_ref().as_array());
            match values {
                Some(values) => values
                    .iter()
                    .map(|value| RuleEntry::of(text, value))
                    .collect(),
                None => vec![RuleEntry::of(text, entry)],
            }
        });
        let last = entries.last().map(|entry| RuleEntry::of(text, entry));
        let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
        let description = description.map(str::to_owned);
        Self {
            text,
            newline,
            base,
            description,
            rules: rules.collect(),
            last,
        }
    }

    /// The offset after the line that contains `at`, including its line end.
    fn line_end(&self, at: usize) -> usize {
        self.text
            .get(at..)
            .unwrap_or_default()
            .find('\n')
            .map_or(self.text.len(), |end| at + end + 1)
    }

    fn line_start(&self, at: usize) -> usize {
        self.text
            .get(..at)
            .unwrap_or_default()
            .rfind('\n')
            .map_or(0, |end| end + 1)
    }

    /// Replaces the value of a key of a rule, or inserts the key.
    pub(super) fn update(
        &self,
        number: usize,
        key: &'static str,
        written: &str,
    ) -> Option<TextEdit> {
        let rule = self.rules.get(number)?;
        if let Some(value) = rule.values.get(key) {
            return Some((value.clone(), written.to_owned()));
        }
        if rule.form == EntryForm::Bare {
            return Some((rule.span.end..rule.span.end, format!(", {key} = {written}")));
        }
        // After the last of the keys that come before it; one of them is always present.
        let before = ORDER.iter().take_while(|known| **known != key);
        let at = before
            .filter_map(|known| rule.values.get(*known))
            .map(|value| value.end)
            .max()?;
        if rule.form == EntryForm::Inline {
            return Some((at..at, format!(", {key} = {written}")));
        }
        let end = self.line_end(at);
        let has_line_end = self
            .text
            .get(..end)
            .is_some_and(|text| text.ends_with('\n'));
        let (before, after) = if has_line_end {
            ("", self.newline)
        } else {
            (self.newline, "")
        };
        Some((end..end, format!("{before}{key} = {written}{after}")))
    }

    /// Makes a table of a value alone, to which the updates are added that are between both edits.
    pub(super) fn table_around(&self, number: usize) -> Option<[TextEdit; 2]> {
        let Range { start, end } = self
            .rules
            .get(number)
            .filter(|rule| rule.form == EntryForm::Bare)?
            .span;
        Some([
            (start..start, "{ value = ".to_owned()),
            (end..end, " }".to_owned()),
        ])
    }

    /// Removes a rule, with the comment directly above it and the empty lines after it.
    pub(super) fn removal(&self, number: usize) -> Option<TextEdit> {
        let rule = self.rules.get(number)?;
        if rule.form != EntryForm::Table {
            let after = self.text.get(rule.span.end..)?;
            let comma = after.trim_start().starts_with(',');
            let length = after.len() - after.trim_start().len() + usize::from(comma);
            let end = rule.span.end + if comma { length } else { 0 };
            return Some((rule.span.start..end, String::new()));
        }
        let mut start = self.line_start(rule.span.start);
        while start > 0 {
            let above = self.line_start(start - 1);
            let line = self.text.get(above..start)?;
            if !line.trim_start().starts_with('#') {
                break;
            }
            start = above;
        }
        let mut end = self.line_end(rule.span.end.saturating_sub(1));
        while end < self.text.len() && self.text.get(end..self.line_end(end))?.trim().is_empty() {
            end = self.line_end(end);
        }
        Some((start..end, String::new()))
    }

    /// Adds rules after the last rule. If the last rule is an inline table that is removed, they take its place.
    pub(super) fn additions(
        &self,
        entries: &[&ImportedEntry],
        ids: &[String],
        is_last_removed: bool,
    ) -> Option<TextEdit> {
        let last = self.last.as_ref().filter(|_| !entries.is_empty())?;
        let fresh = entries.iter().zip(ids);
        if last.form == EntryForm::Inline {
            let rules = fresh.map(|(entry, id)| inline_rule(entry, id));
            let gap = format!(",{}  ", self.newline);
            let rules = rules.collect::<Vec<_>>().join(&gap);
            return Some(if is_last_removed {
                (last.span.start..last.span.start, rules + &gap)
            } else {
                (last.span.end..last.span.end, gap + &rules)
            });
        }
        let rules =
            fresh.map(|(entry, id)| format!("\n{}", rule(entry, id)).replace('\n', self.newline));
        let gap = if self.text.ends_with('\n') {
            ""
        } else {
            self.newline
        };
        let end = self.text.len();
        Some((end..end, gap.to_owned() + &rules.collect::<String>()))
    }
}

/// The offset after the last value of a table, at any depth. The TOML parser limits the depth.
fn last_byte(table: &DeTable<'_>) -> usize {
    let mut open: Vec<&DeTable<'_>> = vec![table];
    let mut last = 0;
    while let Some(table) = open.pop() {
        for (_, value) in table {
            last = last.max(value.span().end);
            if let DeValue::Table(inner) = value.get_ref() {
                open.push(inner);
            }
        }
    }
    last
}
