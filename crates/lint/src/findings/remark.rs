//! Remarks of a run on its own configuration: on allowances, on the baseline, and on old rules.

use std::sync::Arc;

use sundown_text_json::text::escape_unsafe;

/// A problem with an allowance, the baseline or the rules, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunRemark {
    /// The kind of problem.
    pub kind: RemarkKind,
    /// The file to change, or the name of the pack.
    pub file: Arc<str>,
    /// The line on which the allowance begins.
    pub line: Option<usize>,
    /// The message. Not escaped.
    pub message: String,
}

/// The kind of a remark.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
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
    /// There are more uses than entries of the baseline list.
    MoreUses,
    /// The facts of a pack were read a long time ago.
    OldPack,
    /// The facts of a rules file were read a long time ago.
    OldRules,
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
            Self::MoreUses => "more-uses",
            Self::OldPack => "old-pack",
            Self::OldRules => "old-rules",
        }
    }

    /// Returns whether it is about the rules, not about allowances or the baseline.
    pub fn is_about_rules(self) -> bool {
        matches!(self, Self::OldPack | Self::OldRules)
    }

    /// Its meaning, for people.
    pub fn text(self) -> &'static str {
        match self {
            Self::UnusedAllowance => "an allowance that covers no finding",
            Self::UnknownRule => "an allowance for a rule that does not exist",
            Self::UnreadableDate => "an allowance with an invalid date",
            Self::LateDate => "an allowance that ends after the removal",
            Self::GoneEntries => "entries of the baseline that no longer match a finding",
            Self::MoreUses => "entries of the baseline with fewer uses than were found",
            Self::OldPack => "a pack with facts that are more than 90 days old",
            Self::OldRules => "a rules file with facts that are more than 90 days old",
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
            Self::MoreUses => {
                "those after its number count; `sundown baseline` accepts them, and --baseline-ignores-counts any number"
            }
            Self::OldPack => "update sundown, or import a newer list with `sundown rules import`",
            Self::OldRules => {
                "read the sources again, and update `read` under [sources]; `sundown rules import` prints the rules of a newer list"
            }
        }
    }
}

impl RunRemark {
    /// Location, message and remedy in one escaped line.
    pub fn sentence(&self) -> String {
        let line = self.line.map(|line| format!(":{line}")).unwrap_or_default();
        let text = format!(
            "{}{line}: {}; {}",
            self.file,
            self.message,
            self.kind.help()
        );
        escape_unsafe(&text).into_owned()
    }
}
