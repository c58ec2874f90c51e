//! The file of a baseline: read before a run, and updated after one.

use std::fmt::{Display, Write as _};
use std::io;
use std::path::Path;

use super::output_file::{OutputError, OutputRights, Replaceable, lock_folder_of, write_bytes};
use sundown_files::{FileAccess, utf8_text};
use sundown_lint::findings::Identity;
use sundown_lint::findings::suppression::{
    Baseline, KnownFindings, SuppressionStatus, add_uses, entries_of,
};
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

/// The size of the largest baseline, in bytes.
const MAX_BASELINE: u64 = 64 << 20;

/// Reads the baseline at `path`.
pub fn read_baseline(path: &Path, access: &FileAccess) -> Result<Baseline, Failure> {
    find_baseline(path, access)?.ok_or_else(|| {
        let path = path.display();
        Failure::with_help(
            format!("there is no baseline {path}"),
            format!("`sundown baseline --baseline {path}` writes one; --no-baseline does without"),
        )
    })
}

/// Reads the baseline at `path`, which is to be replaced; without such a file, it is empty.
pub fn read_old_baseline(path: &Path) -> Result<Baseline, Failure> {
    let found = find_baseline(path, &FileAccess::default())?;
    Ok(found.unwrap_or_else(|| Baseline {
        name: path.display().to_string().into(),
        ..Baseline::default()
    }))
}

/// Reads the baseline at `path`; `None` if there is no such file.
fn find_baseline(path: &Path, access: &FileAccess) -> Result<Option<Baseline>, Failure> {
    let text = match access.read_whole(path, MAX_BASELINE).and_then(utf8_text) {
        Ok(text) => text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(unusable(path, "read", io_error_text(&error))),
    };
    Ok(Some(Baseline::parse(&path.display().to_string(), &text)?))
}

/// The failure of a baseline that cannot be read or written.
fn unusable(path: &Path, act: &str, why: impl Display) -> Failure {
    let message = format!("the baseline {} cannot be {act}: {why}", path.display());
    Failure::with_help(message, "check the path after --baseline")
}

/// Adds the findings that count to the baseline at `path`, and returns the changes in words, one per line. The baseline is read again,
/// because another run may have added entries since the beginning of this one.
pub fn update_baseline(
    path: &Path,
    rights: &OutputRights,
    report: &Report,
    gone: StaleEntries,
    verbosity: Verbosity,
) -> Result<String, Failure> {
    let name = path.display().to_string();
    let name = escape_unsafe(&name);
    let unwritable = |error: OutputError| unusable(path, "written", error);
    let _lock = lock_folder_of(path, rights).map_err(unwritable)?;
    let mut entries = read_old_baseline(path)?.entries;
    let found = (report.findings.iter().chain(&report.suppressed))
        .filter(|placed| {
            matches!(
                &placed.status,
                SuppressionStatus::Open | SuppressionStatus::Baselined
            )
        })
        .flat_map(|placed| entries_of(&placed.finding, &placed.rooted));
    let found = with_all_uses(found);
    let new = found.keys().filter(|entry| !entries.contains_key(*entry));
    let new: Vec<&Identity> = new.collect();
    let mut output = changes(&new, &report.gone, gone, verbosity);
    let count = new.len();
    let mut raised = 0;
    for (entry, uses) in &found {
        let known = entries.entry(entry.clone()).or_insert(*uses);
        // An entry without a number is for any number.
        if known.is_some() && *known < *uses {
            *known = *uses;
            raised += 1;
        }
    }
    let more = match raised {
        0 => String::new(),
        raised => format!(", {raised} with more uses"),
    };
    if gone == StaleEntries::Prune {
        for entry in &report.gone {
            entries.remove(entry);
        }
    }
    let is_new = replace(path, rights, &entries).map_err(unwritable)?;
    let _ = writeln!(
        output,
        "{name}: {}, {count} new{more}, {}",
        if entries.len() == 1 {
            "1 entry".to_owned()
        } else {
            format!("{} entries", entries.len())
        },
        count_gone(report.gone.len(), gone),
    );
    output += &not_added(report);
    if is_new {
        let _ = writeln!(
            output,
            "Use it with `sundown check --baseline {name}`, or say `baseline` in the configuration."
        );
    }
    Ok(output)
}

/// Entries, each once with the uses of all findings that it is about.
fn with_all_uses(found: impl Iterator<Item = (Identity, Option<usize>)>) -> KnownFindings {
    let mut entries = KnownFindings::new();
    for (entry, uses) in found {
        add_uses(entries.entry(entry).or_default(), uses);
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
    new: &[&Identity],
    lost: &[Identity],
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

/// Writes the entries, unless the file has exactly these. Returns whether the file is new.
fn replace(
    path: &Path,
    rights: &OutputRights,
    entries: &KnownFindings,
) -> Result<bool, OutputError> {
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
        return Ok(false);
    }
    write_bytes(path, rights, Replaceable::Anything, text.as_bytes())?;
    Ok(old.is_none())
}
