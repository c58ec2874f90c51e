//! Problems with allowances and with the baseline themselves.

use std::sync::Arc;

use crate::text::escape_unsafe;

/// A problem with an allowance or with the baseline, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppressionRemark {
    /// The kind of problem.
    pub kind: RemarkKind,
    /// The file to change.
    pub file: Arc<str>,
    /// The line on which the allowance begins.
    pub line: Option<usize>,
    /// The message. Not escaped.
    pub message: String,
}

/// The kind of a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkKind {
    /// An allowance covers no finding.
    UnusedAllowance,
    /// An allowance names a rule that does not exist.
    UnknownRule,
    /// The date of an allowance is invalid.
    UnreadableDate,
    /// The date of an allowance is later than the removal date.
    LateDate,
    /// Entries of the baseline no longer match a finding.
    GoneEntries,
}

impl RemarkKind {
    /// Its name in machine formats.
    pub fn name(self) -> &'static str {
        match self {
            Self::UnusedAllowance => "unused-allowance",
            Self::UnknownRule => "unknown-rule",
            Self::UnreadableDate => "unreadable-date",
            Self::LateDate => "late-date",
            Self::GoneEntries => "gone-entries",
        }
    }

    /// Its meaning, for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::UnusedAllowance => "an allowance that covers no finding",
            Self::UnknownRule => "an allowance for a rule that does not exist",
            Self::UnreadableDate => "an allowance with an invalid date",
            Self::LateDate => "an allowance that ends after the removal",
            Self::GoneEntries => "entries of the baseline that no longer match a finding",
        }
    }

    /// The remedy.
    pub fn help(self) -> &'static str {
        match self {
            Self::UnusedAllowance => "remove it",
            Self::UnknownRule => "correct the id, or remove the allowance",
            Self::UnreadableDate => "write the year, month and day: until = 2027-01-15",
            Self::LateDate => "set the removal date, or add force = true",
            Self::GoneEntries => "`sundown baseline --prune` removes them",
        }
    }
}

impl SuppressionRemark {
    /// Location, message and remedy in one escaped line.
    pub fn sentence(&self) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let text = format!("{}{line}: {}; {}", self.file, self.message, self.kind.help());
        escape_unsafe(&text).into_owned()
    }
}
