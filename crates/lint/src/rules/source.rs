//! Sources of rules: the published pages that state the facts, each with the day on which it was read.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use chrono::NaiveDate;

use sundown_files::toml_file::{MessageText, TableReader, WithSpan};
use sundown_text_json::text::did_you_mean;

/// A page with facts about rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleSource {
    /// The address of the page, or another text by which people find it.
    pub page: String,
    /// The day on which it was read.
    pub read: NaiveDate,
    /// The day of the copy that was read, if it was not the page itself.
    pub copy: Option<NaiveDate>,
}

impl RuleSource {
    /// The day to which its facts are known to hold: that of the copy, if one was read.
    pub(crate) fn facts_day(&self) -> NaiveDate {
        self.copy.unwrap_or(self.read)
    }
}

impl fmt::Display for RuleSource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (read {}", self.page, self.read)?;
        self.copy
            .map_or(Ok(()), |copy| write!(f, ", a copy of {copy}"))?;
        f.write_str(")")
    }
}

/// The sources that a rules file names under `[sources]`.
#[derive(Default)]
pub(super) struct NamedSources<'t>(BTreeMap<&'t str, Arc<RuleSource>>);

impl<'t> NamedSources<'t> {
    /// Reads the table `sources`.
    pub(super) fn read(fields: &TableReader<'t>) -> Self {
        let Some(table) = fields.table("sources") else {
            return Self::default();
        };
        let mut named = BTreeMap::new();
        for (name, value) in table.value {
            let Some(source) = value.get_ref().as_table() else {
                fields.refuse(
                    value.span(),
                    "a source is a table",
                    "write { page = \"…\", read = 2026-11-24 }",
                );
                continue;
            };
            let source = fields.inner(WithSpan {
                value: source,
                span: value.span(),
            });
            let name = name.get_ref().as_ref();
            named.extend(RuleSource::read(source).map(|source| (name, Arc::new(source))));
        }
        Self(named)
    }

    /// Reads the names under `sources` of an entry.
    pub(super) fn of_entry(&self, fields: &TableReader<'_>) -> Vec<Arc<RuleSource>> {
        fields
            .strings("sources")
            .unwrap_or_default()
            .into_iter()
            .filter_map(|WithSpan { value, span }| {
                let known = self.0.get(value);
                if known.is_none() {
                    let message = format!("no source `{value}` in [sources]");
                    let help = match did_you_mean(value, self.0.keys().copied()) {
                        Some(name) => MessageText::from(format!("did you mean `{name}`?")),
                        None => "add it: [sources.NAME] with `page` and `read`".into(),
                    };
                    fields.refuse(span, message, help);
                }
                known.cloned()
            })
            .collect()
    }

    /// The day on which the oldest of them was read.
    pub(super) fn oldest(&self) -> Option<NaiveDate> {
        self.0.values().map(|source| source.read).min()
    }
}

impl RuleSource {
    fn read(fields: TableReader<'_>) -> Option<Self> {
        let page = fields.required_text("page");
        if !fields.has("read") {
            let help = "the day on which the page was read";
            fields.refuse_incomplete("`read` is missing", help);
        }
        let read = fields.date("read");
        let copy = fields.date("copy");
        fields.finish();
        Some(Self {
            page: page?,
            read: read?,
            copy,
        })
    }
}
