//! The options that the text of a report depends on.

use sundown_lint::rules::Severity;

/// The options that the text of a report depends on, besides its format.
#[derive(Debug, Clone, Copy, Default)]
pub struct RenderOptions {
    /// How much is written for people.
    pub verbosity: Verbosity,
    /// Which findings are shown in full to people.
    pub detail: FindingDetail,
    /// What brings findings together for people.
    pub grouping: FindingGrouping,
    /// The mildest severity that makes the run fail, for formats that have failures; `None` if no finding does.
    pub fail_on: Option<Severity>,
    /// The size of the screen, if the report is written to a terminal.
    pub screen: Option<ScreenSize>,
}

/// The size of a terminal, in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ScreenSize {
    /// How many lines it shows.
    pub rows: usize,
    /// How many characters fit into a line.
    pub columns: usize,
}

/// Which findings are shown in full to people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FindingDetail {
    /// All in a short report; in a long one, one for each element.
    #[default]
    Grouped,
    /// All.
    All,
}

/// What brings findings together for people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FindingGrouping {
    /// Their element, if there are many.
    #[default]
    Element,
    /// The place in code that made their calls.
    Origin,
}

/// How much is written for people.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verbosity {
    /// Findings, and what could not be checked.
    Quiet,
    /// Findings, the summary, and what was skipped, grouped by reason.
    #[default]
    Normal,
    /// As `Normal`, with every skipped file by name.
    Verbose,
}
