//! A report format with its options, and a report that the user asks for: a format and a destination.

use std::fmt;
use std::io::{self, Write};
use std::path::PathBuf;
use std::str::FromStr;

use regex::bytes::Regex;

use super::Report;
use sundown_lint::rules::Severity;

/// The name of the program, in reports that name the tool that made them.
pub(crate) const TOOL_NAME: &str = "sundown";

/// How many bytes at the beginning and at the end of a file show whether it is a report of this program.
pub const MARKED_BYTES: usize = 4096;

/// A report format: how users refer to it, what the documentation says about it, and the function that writes it.
#[derive(Clone, Copy)]
pub struct OutputFormat {
    /// Its name on the command line and in the configuration; also the name of its module.
    pub name: &'static str,
    /// A description for the documentation, in a few words of Markdown.
    pub about: &'static str,
    /// How it reports skips, in a few words of Markdown.
    pub skips: &'static str,
    /// Whether it contains the remarks on the rules, the allowances and the baseline. If not, the run prints them.
    pub has_remarks: bool,
    /// The mark of the program: a regular expression that finds it in the first or last [`MARKED_BYTES`] of a report in a file.
    pub mark: &'static str,
    /// Writes a whole report.
    pub(super) write: fn(&Report, RenderOptions, &mut dyn Write) -> io::Result<()>,
}

impl OutputFormat {
    /// Returns whether this program wrote a file in this format. `head` and `tail` are its first and last [`MARKED_BYTES`].
    ///
    /// An output of a configuration replaces nothing else, because its author may be a stranger.
    pub fn has_mark(self, head: &[u8], tail: &[u8]) -> bool {
        // The marks are constants, which a test compiles.
        Regex::new(self.mark).is_ok_and(|mark| mark.is_match(head) || mark.is_match(tail))
    }

    /// Writes the whole report.
    pub fn write(
        self,
        report: &Report,
        options: RenderOptions,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        (self.write)(report, options, out)
    }
}

impl PartialEq for OutputFormat {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for OutputFormat {}

impl fmt::Debug for OutputFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// One report to write: a format and its destination.
#[derive(Debug, Clone)]
pub struct OutputTarget {
    /// The format.
    pub format: OutputFormat,
    /// The file to write; `None` is standard output.
    pub file: Option<PathBuf>,
}

impl FromStr for OutputTarget {
    type Err = String;

    /// Parses `json` or `json=report.json`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) = text
            .split_once('=')
            .map_or((text, None), |(name, file)| (name, Some(file)));
        let format = name.parse()?;
        match file {
            Some("") => Err("the file's name is missing after `=`".to_owned()),
            _ => Ok(Self {
                format,
                file: file.map(PathBuf::from),
            }),
        }
    }
}

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
#[derive(Debug, Clone, Copy)]
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
