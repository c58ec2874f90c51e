//! Exporters: they write rules in other formats for deprecations, one file for each format.
//!
//! They are part of the rules and not of the reports: their output contains rules and no findings, and [`super::import`]
//! reads some of the formats.

mod calendar;
mod csv;
mod json;
mod markdown;

use std::fmt;

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

/// Exported rules.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Exported {
    /// The exported text.
    pub text: String,
    /// One line for each kind of content that the format cannot hold.
    pub left_out: Vec<String>,
}

/// The error if none of the rules can be written in a format that does not allow an empty document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NothingToExport {
    /// One line for each kind of content that was left out.
    pub left_out: Vec<String>,
}

impl fmt::Display for NothingToExport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("none of these rules can be written in this format")?;
        self.left_out.iter().try_for_each(|line| write!(f, "; {line}"))
    }
}

impl std::error::Error for NothingToExport {}

impl ExportFormat {
    /// All formats.
    #[cfg_attr(not(feature = "internals"), allow(dead_code, reason = "only tests use it"))]
    pub const ALL: [Self; 4] = [Self::Markdown, Self::Csv, Self::Ical, Self::Json];

    /// The name of the format: `markdown`, `csv`, `ical` or `json`.
    #[cfg_attr(not(feature = "internals"), allow(dead_code, reason = "only tests use it"))]
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
    let possible = rules.iter().filter(|(_, rule)| rule.is_possible);
    let possible: Vec<&str> = possible.map(|(_, rule)| rule.id.as_str()).collect();
    let why = "because the format cannot say that a deprecation is only possible";
    exported.left_out.extend(left_out("doubt", why, &possible));
    Ok(exported)
}

fn write_rules(format: ExportFormat, rules: &[(&str, &Rule)]) -> Result<Exported, NothingToExport> {
    let write = match format {
        ExportFormat::Ical => return calendar::write(rules),
        ExportFormat::Markdown => markdown::write,
        ExportFormat::Csv => csv::write,
        ExportFormat::Json => json::write,
    };
    let (mut announcements, mut located, mut conditional) = (Vec::new(), Vec::new(), Vec::new());
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
    Ok(Exported { text: write(&announcements), left_out })
}

/// A line such as ``left out N fields, because …: id, id``; `None` if there are no ids.
fn left_out(what: &str, why: &str, ids: &[&str]) -> Option<String> {
    let plural = if ids.len() == 1 { "" } else { "s" };
    let line = format!("left out {} {what}{plural}, {why}: {}", ids.len(), ids.join(", "));
    (!ids.is_empty()).then_some(line)
}
