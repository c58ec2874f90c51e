//! The formats of exports.

use super::exported::{Exported, NothingToExport, left_out};
use crate::rules::{Announcement, RuleTable};

/// A format of exported rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// A Markdown table.
    Markdown,
    /// Comma-separated values (RFC 4180), which can be imported again.
    Csv,
    /// JSON, which can be imported again.
    Json,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Markdown, Self::Csv, Self::Json];

    /// The name of the format: `markdown`, `csv` or `json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Json => "json",
        }
    }
}

/// Writes all rules of a table.
pub fn export(format: ExportFormat, table: &RuleTable) -> Result<Exported, NothingToExport> {
    let mut announcements = Vec::new();
    let mut located: Vec<&str> = Vec::new();
    let mut conditional: Vec<&str> = Vec::new();
    let mut possible: Vec<&str> = Vec::new();
    let operations = table.located_operations();
    for (number, rule) in table.rules().iter().enumerate() {
        let id = rule.id.as_str();
        possible.extend(rule.is_possible.then_some(id));
        if rule.element.is_about_many_values() || !rule.when.is_empty() {
            conditional.push(id);
            continue;
        }
        let own = Announcement::of(rule, operations.get(&number));
        if own.is_empty() && !located.contains(&id) {
            located.push(id);
        }
        announcements.extend(own);
    }
    let why = "because no operation has them in its bodies, or too many have";
    let located = left_out("rule", why, &located);
    let why = "because such a list has single values and no conditions";
    let conditional = left_out("rule", why, &conditional);
    let why = "because the format cannot say that a deprecation is only possible";
    let possible = left_out("doubt", why, &possible);
    let mut left_out: Vec<String> = located.into_iter().chain(conditional).collect();
    if announcements.is_empty() && !left_out.is_empty() {
        return Err(NothingToExport { left_out });
    }
    left_out.extend(possible);
    let text = match format {
        ExportFormat::Markdown => super::markdown::write(&announcements),
        ExportFormat::Csv => super::csv::write(&announcements),
        ExportFormat::Json => super::json::write(&announcements),
    };
    Ok(Exported { text, left_out })
}
