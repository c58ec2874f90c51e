//! What there is to say of allowances and of the baseline themselves.

use std::sync::Arc;

use crate::text::escape_unsafe;

/// Something that somebody should do about an allowance or about the baseline.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SuppressionRemark {
    /// What it is about.
    pub kind: RemarkKind,
    /// The file that should be changed.
    pub file: Arc<str>,
    /// The line on which the allowance begins.
    pub line: Option<usize>,
    /// What is to be said. Not escaped.
    pub message: String,
}

/// What a remark is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum RemarkKind {
    /// An allowance spoke of no finding.
    UnusedAllowance,
    /// An allowance names a rule that there is not.
    UnknownRule,
    /// An allowance has no day that can be read.
    UnreadableDate,
    /// An allowance says a later day than that of the removal.
    LateDate,
    /// Entries of the baseline match nothing any more.
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

    /// What it means, for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::UnusedAllowance => "an allowance that speaks of no finding",
            Self::UnknownRule => "an allowance of a rule that there is not",
            Self::UnreadableDate => "an allowance without a date that can be read",
            Self::LateDate => "an allowance that reaches beyond the removal",
            Self::GoneEntries => "entries of the baseline that match nothing any more",
        }
    }

    /// What to do about it.
    pub fn help(self) -> &'static str {
        match self {
            Self::UnusedAllowance => "take it out",
            Self::UnknownRule => "correct the id, or take the allowance out",
            Self::UnreadableDate => "write the year, month and day: until = 2027-01-15",
            Self::LateDate => "write the day of the removal, or add force = true",
            Self::GoneEntries => "`sundown baseline --prune` takes them out",
        }
    }
}

impl SuppressionRemark {
    /// All of it in one safe line.
    pub fn sentence(&self) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let text = format!("{}{line}: {}; {}", self.file, self.message, self.kind.help());
        escape_unsafe(&text).into_owned()
    }
}
