//! The file of a baseline: read before a run, and updated after one.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;
use std::path::Path;

use thiserror::Error;

use super::output_file::{OutputError, OutputRights, Replaceable, lock_folder_of, write_bytes};
use sundown_files::toml_file::FileMistakes;
use sundown_files::{FileAccess, utf8_text};
use sundown_lint::findings::suppression::{Baseline, BaselineEntry, SuppressionStatus};
use sundown_report::{Failure, Report, Verbosity};
use sundown_text_json::text::{escape_unsafe, io_error_text};

/// The treatment of entries that no longer match anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StaleEntries {
    /// Keep them.
    Keep,
    /// Remove them.
    Prune,
}

/// The result of an update.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaselineUpdate {
    /// The changes in words, one per line.
    pub output: String,
    /// Whether the file was written.
    pub written: BaselineChange,
}

/// The effect of an update on the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BaselineChange {
    /// The file is new.
    New,
    /// The content has changed.
    Changed,
    /// The content is the same.
    Untouched,
}

/// The reason why a baseline cannot be used. The user's fault, or that of the file system.
#[derive(Debug, Error)]
pub enum BaselineError {
    /// There is no such file.
    #[error("there is no baseline {}", escape_unsafe(.0))]
    Missing(String),
    /// It cannot be read.
    #[error("the baseline {} cannot be read: {}", escape_unsafe(.0), .1)]
    Unreadable(String, String),
    /// It cannot be written.
    #[error("the baseline {} cannot be written: {}", escape_unsafe(.0), .1)]
    Unwritable(String, String),
    /// It has mistakes.
    #[error("{0}")]
    Mistakes(#[from] Box<FileMistakes>),
}

/// The size of the largest baseline, in bytes.
const MAX_BASELINE: u64 = 64 << 20;

/// Reads the baseline at `path`.
pub fn read_baseline(path: &Path, access: &FileAccess) -> Result<Baseline, BaselineError> {
    let name = path.display().to_string();
    let text = access
        .read_whole(path, MAX_BASELINE)
        .and_then(utf8_text)
        .map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => BaselineError::Missing(name.clone()),
            _ => BaselineError::Unreadable(name.clone(), io_error_text(&error)),
        })?;
    Ok(Baseline::parse(&name, &text)?)
}

/// Adds the findings that count to the baseline at `path`. It is read again, because another run may have added entries since the
/// beginning of this one.
pub fn update_baseline(
    path: &Path,
    rights: &OutputRights,
    report: &Report,
    gone: StaleEntries,
    verbosity: Verbosity,
) -> Result<BaselineUpdate, BaselineError> {
    let name = path.display().to_string();
    let unwritable =
        |error: OutputError| BaselineError::Unwritable(name.clone(), error.to_string());
    let _lock = lock_folder_of(path, rights).map_err(unwritable)?;
    let known = match read_baseline(path, &FileAccess::default()) {
        Err(BaselineError::Missing(name)) => Baseline::empty(&name),
        known => known?,
    };
    let mut entries: BTreeSet<BaselineEntry> = known.entries().iter().cloned().collect();
    let found = report
        .findings
        .iter()
        .filter(|placed| placed.status == SuppressionStatus::Open)
        .flat_map(|placed| BaselineEntry::all_of(&placed.finding, &placed.rooted));
    let found = with_all_uses(found);
    let new: Vec<&BaselineEntry> = found
        .iter()
        .filter(|entry| !entries.contains(entry))
        .collect();
    let mut output = changes(&new, &report.gone, gone, verbosity);
    let count = new.len();
    // An entry without a number is for any number.
    let counted = |entry: &&BaselineEntry| {
        let known = entries.get(*entry);
        known.is_some_and(|known| known.uses.is_some() && known.uses < entry.uses)
    };
    let raised: Vec<BaselineEntry> = found.iter().filter(counted).cloned().collect();
    let more = match raised.len() {
        0 => String::new(),
        raised => format!(", {raised} with more uses"),
    };
    for entry in raised {
        entries.replace(entry);
    }
    entries.extend(found.iter().cloned());
    if gone == StaleEntries::Prune {
        for entry in &report.gone {
            entries.remove(entry);
        }
    }
    let written = replace(path, rights, &entries).map_err(unwritable)?;
    let _ = writeln!(
        output,
        "{}: {}, {count} new{more}, {}",
        escape_unsafe(&name),
        if entries.len() == 1 {
            "1 entry".to_owned()
        } else {
            format!("{} entries", entries.len())
        },
        count_gone(report.gone.len(), gone),
    );
    output += &not_added(report);
    if written == BaselineChange::New {
        let name = escape_unsafe(&name);
        let _ = writeln!(
            output,
            "Use it with `sundown check --baseline {name}`, or say `baseline` in the configuration."
        );
    }
    Ok(BaselineUpdate { output, written })
}

/// Entries, each once with the uses of all findings that it is about.
fn with_all_uses(found: impl Iterator<Item = BaselineEntry>) -> BTreeSet<BaselineEntry> {
    let mut entries = BTreeSet::new();
    for entry in found {
        let mut all: BaselineEntry = entries.take(&entry).unwrap_or_else(|| BaselineEntry {
            uses: None,
            ..entry.clone()
        });
        all.add_uses(&entry);
        entries.insert(all);
    }
    entries
}

fn count_gone(count: usize, gone: StaleEntries) -> String {
    match (count, gone) {
        (0, _) => "none gone".to_owned(),
        (_, StaleEntries::Prune) => format!("{count} gone and taken out"),
        (_, StaleEntries::Keep) => format!("{count} gone (--prune takes them out)"),
    }
}

/// Lists the changes, one per line, if the user wants them.
fn changes(
    new: &[&BaselineEntry],
    lost: &[BaselineEntry],
    gone: StaleEntries,
    verbosity: Verbosity,
) -> String {
    let mut lines = String::new();
    if verbosity == Verbosity::Verbose {
        let fate = if gone == StaleEntries::Prune {
            "gone, taken out"
        } else {
            "gone, kept"
        };
        let new = new.iter().map(|entry| ("new", *entry));
        for (what, entry) in new.chain(lost.iter().map(|entry| (fate, entry))) {
            let _ = writeln!(lines, "{what}: {}", escape_unsafe(&entry.title()));
        }
    }
    lines
}

/// Counts what was not added to the baseline, with the reason.
fn not_added(report: &Report) -> String {
    let mut lines = String::new();
    let ended = report
        .findings
        .iter()
        .filter(|placed| placed.status != SuppressionStatus::Open)
        .count();
    for (count, why) in [
        (report.summary.allowed, "allowed"),
        (ended, "its allowance ended: renew it, or take it out"),
        (
            report.summary.failed,
            "could not be checked: `sundown check` tells what and why",
        ),
    ] {
        if count > 0 {
            let _ = writeln!(lines, "Not added: {count} × {why}");
        }
    }
    lines
}

/// Writes the entries, unless the file has exactly these.
fn replace(
    path: &Path,
    rights: &OutputRights,
    entries: &BTreeSet<BaselineEntry>,
) -> Result<BaselineChange, OutputError> {
    let mut text = Baseline::text(entries)?;
    let old = match FileAccess::default().read_whole(path, MAX_BASELINE) {
        Ok(old) => Some(utf8_text(old)?),
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        Err(error) => return Err(error.into()),
    };
    // Line endings are kept.
    if old.as_ref().is_some_and(|old| old.contains("\r\n")) {
        text = text.replace('\n', "\r\n");
    }
    if old.as_ref() == Some(&text) {
        return Ok(BaselineChange::Untouched);
    }
    write_bytes(path, rights, Replaceable::Anything, text.as_bytes())?;
    Ok(if old.is_some() {
        BaselineChange::Changed
    } else {
        BaselineChange::New
    })
}

impl From<BaselineError> for Failure {
    fn from(error: BaselineError) -> Self {
        let help = match error {
            BaselineError::Mistakes(mistakes) => return mistakes.into(),
            BaselineError::Missing(ref path) => format!(
                "`sundown baseline --baseline {path}` writes one; --no-baseline does without"
            ),
            BaselineError::Unreadable(..) | BaselineError::Unwritable(..) => {
                "check the path after --baseline".to_owned()
            }
        };
        Self::with_help(error, help)
    }
}
