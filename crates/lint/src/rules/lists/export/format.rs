//! The formats of exports.

use super::exported::{Exported, NothingToExport, left_out};
use crate::rules::Announcement;
use crate::rules::{Rule, RuleTable};

/// A format of exported rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExportFormat {
    /// A Markdown table.
    Markdown,
    /// Comma-separated values (RFC 4180), which can be imported again.
    Csv,
    /// A calendar of removal dates (RFC 5545).
    Ical,
    /// JSON, which can be imported again.
    Json,
}

impl ExportFormat {
    /// All formats.
    pub const ALL: [Self; 4] = [Self::Markdown, Self::Csv, Self::Ical, Self::Json];

    /// The name of the format: `markdown`, `csv`, `ical` or `json`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Markdown => "markdown",
            Self::Csv => "csv",
            Self::Ical => "ical",
            Self::Json => "json",
        }
    }
}

/// Writes all rules of a table.
pub fn export(format: ExportFormat, table: &RuleTable) -> Result<Exported, NothingToExport> {
    let rules: Vec<(&str, &Rule)> = table
        .rules()
        .iter()
        .enumerate()
        .map(|(index, rule)| (table.api(table.file_of(index)), &**rule))
        .collect();
    let mut exported = write_rules(format, &rules)?;
    let possible: Vec<&str> = rules
        .iter()
        .filter(|(_, rule)| rule.is_possible)
        .map(|(_, rule)| rule.id.as_str())
        .collect();
    let why = "because the format cannot say that a deprecation is only possible";
    exported.left_out.extend(left_out("doubt", why, &possible));
    Ok(exported)
}

pub(super) fn write_rules(
    format: ExportFormat,
    rules: &[(&str, &Rule)],
) -> Result<Exported, NothingToExport> {
    let write = match format {
        ExportFormat::Ical => return super::calendar::write(rules),
        ExportFormat::Markdown => super::markdown::write,
        ExportFormat::Csv => super::csv::write,
        ExportFormat::Json => super::json::write,
    };
    let mut announcements = Vec::new();
    let mut located = Vec::new();
    let mut conditional = Vec::new();
    for (_, rule) in rules {
        if rule.element.is_about_many_values() || !rule.when.is_empty() {
            conditional.push(rule.id.as_str());
            continue;
        }
        let own = Announcement::of(rule);
        if own.is_empty() && !located.contains(&rule.id.as_str()) {
            located.push(rule.id.as_str());
        }
        announcements.extend(own);
    }
    let why = "because a schema locates them and such a list needs an operation";
    let located = left_out("rule", why, &located);
    let why = "because such a list has single values and no conditions";
    let conditional = left_out("rule", why, &conditional);
    let left_out: Vec<String> = located.into_iter().chain(conditional).collect();
    if announcements.is_empty() && !left_out.is_empty() {
        return Err(NothingToExport { left_out });
    }
    Ok(Exported {
        text: write(&announcements),
        left_out,
    })
}
