//! `sundown rules import`: makes a rules file from a list or a description, updates one, or checks that one is up to date.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Component, Path, PathBuf};
use std::rc::Rc;

use thiserror::Error;

use super::description_rules::{is_description, remarks, unsupported_elements};
use super::local_files::{LocalFiles, MAX_RULES, MAX_TABLE, refuse_large_table};
use super::output_file::{OutputRights, Replaceable, write_bytes};
use super::{RulesError, Status};
use sundown_files::toml_file::FileMistakes;
use sundown_files::{FileAccess, ReferenceScope, read_limited, utf8_text};
use sundown_lint::rules::lists::import::{
    Change, ImportRemark, Imported, ListFormat, Merged, StaleRules, merge, new_table,
};
use sundown_openapi::{Description, LoadError, MarkerOptions};
use sundown_report::Failure;
use sundown_text_json::json::DocumentLimits;
use sundown_text_json::text::{ExpansionFactor, escape_unsafe, group_digits, io_error_text};

/// The source and the target of an import.
#[derive(Debug, Clone)]
pub struct ImportOptions {
    /// Opens all files.
    pub access: FileAccess,
    /// Where the files may be that a description refers to.
    pub references: ReferenceScope,
    /// The list or description.
    pub file: PathBuf,
    /// Its format, if it is not to be recognised.
    pub format: Option<ImportFormat>,
    /// What marks an element of a description, and where its dates are read.
    pub markers: MarkerOptions,
    /// The factor of the expansion limits of a description.
    pub expansion: ExpansionFactor,
    /// The name of the API in a new rules file; by default, the title of the description, or the file name of the list without its
    /// ending.
    pub api: Option<String>,
    /// Where the rules go.
    pub target: ImportTarget,
    /// Whether more than half of the rules of a file may be removed.
    pub prunes_most: bool,
}

/// The format of an import.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ImportFormat {
    /// A published list.
    List(ListFormat),
    /// An OpenAPI description.
    Description,
}

/// Where imported rules go.
#[derive(Debug, Clone)]
pub enum ImportTarget {
    /// Print them as a new rules file.
    Print,
    /// Write them into this rules file, which may not exist yet.
    Into(PathBuf, StaleRules),
    /// Only compare them with this rules file.
    Check(PathBuf, StaleRules),
}

/// The result of an import.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImportOutcome {
    /// For standard output: the rules file, or its changes.
    pub output: String,
    /// For standard error: remarks about single entries, one per line.
    pub remarks: Vec<String>,
    /// [`Status::Findings`] if a checked file is out of date.
    pub status: Status,
}

/// The reason why a list could not be imported. Always the user's fault.
#[derive(Debug, Error)]
pub enum ImportError {
    /// The list cannot be read.
    #[error("the list {} cannot be read: {why}", escape_unsafe(path))]
    Unreadable {
        /// Its path.
        path: String,
        /// The message of the system.
        why: String,
    },
    /// The format of the list is unknown.
    #[error("{} is not in a known format", escape_unsafe(path))]
    Unknown {
        /// Its path.
        path: String,
        /// The remedy.
        help: String,
    },
    /// A description from standard input has no path, which rules need to refer to it.
    #[error("the description on standard input has no path")]
    NoPath,
    /// The description cannot be read.
    #[error("{0}")]
    Description(#[from] Box<LoadError>),
    /// The description marks nothing that a rule can match.
    #[error(
        "{} marks nothing as deprecated that a rule can match",
        escape_unsafe(path)
    )]
    NothingMarked {
        /// Its path.
        path: String,
    },
    /// The list has mistakes.
    #[error("{0}")]
    Mistakes(#[from] Box<FileMistakes>),
    /// A rules file cannot have some of the entries.
    #[error("{}", refusal_text(.0))]
    Refused(Vec<String>),
    /// The list lacks most of the rules of the file, perhaps because it is incomplete.
    #[error(
        "--prune would remove {gone} of the {count} rules in {}",
        escape_unsafe(path)
    )]
    PrunesMost {
        /// The path of the rules file.
        path: String,
        /// The number of rules that are not in the list.
        gone: usize,
        /// The number of all rules in the file.
        count: usize,
    },
    /// The rules file cannot be used.
    #[error("{0}")]
    Rules(#[from] RulesError),
    /// The rules file cannot be written.
    #[error("{} cannot be written: {why}", escape_unsafe(path))]
    Unwritable {
        /// Its path.
        path: String,
        /// The message of the system.
        why: String,
    },
}

/// Reads a list or a description; `-` is standard input, which can only be a list.
pub fn read_import(
    file: &Path,
    stdin: &mut dyn Read,
    access: &FileAccess,
) -> Result<String, ImportError> {
    let read = if file.as_os_str() == "-" {
        read_limited(stdin, MAX_RULES)
    } else {
        access.read_whole(file, MAX_RULES)
    };
    read.and_then(utf8_text)
        .map_err(|error| ImportError::Unreadable {
            path: file.display().to_string(),
            why: io_error_text(&error),
        })
}

impl ImportOutcome {
    fn clean(output: String, remarks: Vec<String>) -> Self {
        Self {
            output,
            remarks,
            status: Status::Clean,
        }
    }
}

/// Imports the text of a list or a description.
pub fn import(options: &ImportOptions, text: &str) -> Result<ImportOutcome, ImportError> {
    let name = options.file.display().to_string();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let format = match options.format {
        Some(format) => format,
        None => recognise(&name, text)?,
    };
    let (imported, mut notes) = match format {
        ImportFormat::Description => describe(&name, text, options)?,
        ImportFormat::List(format) => {
            refuse_large_table(text).map_err(|why| ImportError::Unreadable {
                path: name.clone(),
                why,
            })?;
            (
                Imported::read(format, &name, text).map_err(Box::new)?,
                Vec::new(),
            )
        }
    };
    let mut outcome = match &options.target {
        ImportTarget::Print => print(&imported, options)?,
        ImportTarget::Into(path, gone) => merge_into(path, *gone, &imported, options)?,
        ImportTarget::Check(path, gone) => check(path, *gone, &imported, options)?,
    };
    notes.append(&mut outcome.remarks);
    Ok(ImportOutcome {
        remarks: notes,
        ..outcome
    })
}

/// Reads a description. The remarks name the parts that could not be read, and the elements that no rule can match.
fn describe(
    name: &str,
    text: &str,
    options: &ImportOptions,
) -> Result<(Imported, Vec<String>), ImportError> {
    if name == "-" {
        return Err(ImportError::NoPath);
    }
    let folder = match &options.target {
        ImportTarget::Print => Path::new(""),
        ImportTarget::Into(path, _) | ImportTarget::Check(path, _) => {
            path.parent().unwrap_or(Path::new(""))
        }
    };
    let bounds = DocumentLimits {
        expansion: options.expansion,
        ..DocumentLimits::default()
    };
    let room = Rc::new(Cell::new(MAX_RULES));
    let local = LocalFiles::of_rules(
        &options.access,
        &options.file,
        options.references,
        None,
        &room,
        bounds,
    );
    let description = Description::from_bytes(name, text.as_bytes(), &local, options.markers)
        .and_then(Description::uncut)
        .map_err(Box::new)?;
    let (mut notes, is_marked) = remarks(&description);
    let path = |name: &str| path_from(folder, Path::new(name));
    let (imported, unmatched) = Imported::from_description(name, description, &path);
    notes.extend(unsupported_elements(&unmatched));
    let is_new = match &options.target {
        ImportTarget::Print => true,
        ImportTarget::Into(path, _) | ImportTarget::Check(path, _) => !path.exists(),
    };
    // An existing rules file may have other rules; a new one would be empty.
    if is_new && imported.entries.is_empty() && !is_marked {
        return Err(ImportError::NothingMarked {
            path: name.to_owned(),
        });
    }
    Ok((
        imported,
        notes
            .iter()
            .map(|note| escape_unsafe(note).into_owned())
            .collect(),
    ))
}

/// Returns the path of a file relative to a folder, with slashes. Both are relative to the working directory, or absolute.
fn path_from(folder: &Path, file: &Path) -> String {
    // The empty path is the working directory, but has no absolute form.
    let absolute = |path: &Path| {
        std::path::absolute(Path::new(".").join(path)).unwrap_or_else(|_| path.to_owned())
    };
    let is_mixed = folder.is_absolute() != file.is_absolute()
        || folder.components().any(|part| part == Component::ParentDir);
    let (folder, file) = if is_mixed {
        (absolute(folder), absolute(file))
    } else {
        (folder.to_owned(), file.to_owned())
    };
    let folder = named_parts(&folder);
    let file = named_parts(&file);
    let shared = folder
        .iter()
        .zip(&file)
        .take_while(|(one, other)| one == other)
        .count();
    folder
        .iter()
        .skip(shared)
        .map(|_| "..".to_owned())
        .chain(file.into_iter().skip(shared))
        .collect::<Vec<_>>()
        .join("/")
}

/// Returns the components of a path, without `.`, the root, and those that a later `..` cancels.
fn named_parts(path: &Path) -> Vec<String> {
    let mut parts: Vec<String> = Vec::new();
    for part in path.components() {
        match part {
            Component::CurDir | Component::RootDir => {}
            Component::ParentDir if parts.last().is_some_and(|last| last != "..") => {
                parts.pop();
            }
            other => parts.push(other.as_os_str().to_string_lossy().into_owned()),
        }
    }
    parts
}

fn recognise(name: &str, text: &str) -> Result<ImportFormat, ImportError> {
    if is_description(text) {
        return Ok(ImportFormat::Description);
    }
    ListFormat::recognise(text).map(ImportFormat::List).ok_or_else(|| {
        let names: Vec<_> = ListFormat::ALL.iter().map(|format| format.name()).collect();
        let help = format!(
            "name its format with --from ({}, openapi); docs/rules.md shows what each looks like",
            names.join(", ")
        );
        ImportError::Unknown { path: name.to_owned(), help }
    })
}

fn table(
    imported: &Imported,
    options: &ImportOptions,
) -> Result<(String, Vec<ImportRemark>), ImportError> {
    let stem = options
        .file
        .file_stem()
        .map(|stem| stem.to_string_lossy().into_owned());
    let title = imported
        .description
        .as_ref()
        .map(|origin| origin.api.clone());
    let api = options.api.clone().or(title).or(stem).unwrap_or_default();
    new_table(imported, &api).map_err(|refused| {
        ImportError::Refused(
            refused
                .iter()
                .map(|refusal| line(imported, refusal))
                .collect(),
        )
    })
}

fn print(imported: &Imported, options: &ImportOptions) -> Result<ImportOutcome, ImportError> {
    if imported.entries.is_empty() {
        return Ok(without_rules(imported));
    }
    let (output, remarks) = table(imported, options)?;
    Ok(ImportOutcome::clean(output, lines(imported, &remarks)))
}

fn merge_into(
    path: &Path,
    gone: StaleRules,
    imported: &Imported,
    options: &ImportOptions,
) -> Result<ImportOutcome, ImportError> {
    let name = escape_unsafe(&path.display().to_string()).into_owned();
    if !path.exists() {
        if imported.entries.is_empty() {
            return Ok(without_rules(imported));
        }
        let (text, remarks) = table(imported, options)?;
        write(path, &text)?;
        let output = format!("{name}: made with {} new\n", imported.entries.len());
        return Ok(ImportOutcome::clean(output, lines(imported, &remarks)));
    }
    if gone == StaleRules::Remove && !options.prunes_most {
        let (kept, _) = merged(path, StaleRules::Keep, imported, options)?;
        refuse_incomplete(path, &kept)?;
    }
    let (merged, marked) = merged(path, gone, imported, options)?;
    let text = if marked {
        format!("\u{feff}{}", merged.text)
    } else {
        merged.text.clone()
    };
    if !merged.changes.is_empty() {
        write(path, &text)?;
    }
    Ok(ImportOutcome::clean(
        describe_changes(&name, &merged, gone),
        lines(imported, &merged.remarks),
    ))
}

fn write(path: &Path, text: &str) -> Result<(), ImportError> {
    let rights = OutputRights::default();
    write_bytes(path, &rights, Replaceable::Anything, text.as_bytes()).map_err(|error| {
        ImportError::Unwritable {
            path: path.display().to_string(),
            why: error.to_string(),
        }
    })
}

/// The outcome of an import of which no entry becomes a rule: a rules file has rules, so there is none.
fn without_rules(imported: &Imported) -> ImportOutcome {
    let mut remarks = lines(imported, &[]);
    remarks.push(format!(
        "{}: no entry becomes a rule, so there is no rules file to make",
        escape_unsafe(&imported.name)
    ));
    ImportOutcome::clean(String::new(), remarks)
}

/// Refuses a list that lacks more than half of the rules of a file: a list that was cut off, or that is about something else, has no
/// mark of it.
fn refuse_incomplete(path: &Path, merged: &Merged) -> Result<(), ImportError> {
    let counts = ChangeCounts::of(merged);
    let count = counts.gone + counts.changed + merged.unchanged;
    if counts.gone <= count / 2 {
        return Ok(());
    }
    Err(ImportError::PrunesMost {
        path: path.display().to_string(),
        gone: counts.gone,
        count,
    })
}

fn check(
    path: &Path,
    gone: StaleRules,
    imported: &Imported,
    options: &ImportOptions,
) -> Result<ImportOutcome, ImportError> {
    let (merged, _) = merged(path, gone, imported, options)?;
    let is_stale = merged.changes.iter().any(|change| match change {
        Change::New { .. } | Change::Changed { .. } => true,
        Change::Gone { .. } => gone == StaleRules::Remove,
    });
    Ok(ImportOutcome {
        output: describe_changes(&escape_unsafe(&path.display().to_string()), &merged, gone),
        remarks: lines(imported, &merged.remarks),
        status: if is_stale {
            Status::Findings
        } else {
            Status::Clean
        },
    })
}

/// Merges the list into the rules file, and returns whether the file starts with a byte order mark.
fn merged(
    path: &Path,
    gone: StaleRules,
    imported: &Imported,
    options: &ImportOptions,
) -> Result<(Merged, bool), ImportError> {
    // A mistake in an entry is reported at its place in the list. A file without rules is not a result here.
    if !imported.entries.is_empty() {
        table(imported, options)?;
    }
    let name = path.display().to_string();
    let text = FileAccess::default()
        .read_whole(path, MAX_TABLE)
        .and_then(utf8_text)
        .map_err(|error| RulesError::Unreadable {
            path: name.clone(),
            why: io_error_text(&error),
        })?;
    let bare = text.strip_prefix('\u{feff}');
    let merged = merge(&name, bare.unwrap_or(&text), imported, gone)
        .map_err(|error| RulesError::from(Box::new(error)))?;
    Ok((merged, bare.is_some()))
}

/// Prints remarks as lines with their locations.
fn lines(imported: &Imported, further: &[ImportRemark]) -> Vec<String> {
    let mut remarks: Vec<&ImportRemark> = imported.remarks.iter().chain(further).collect();
    remarks.sort_by_key(|remark| remark.location);
    remarks
        .into_iter()
        .map(|remark| line(imported, remark))
        .collect()
}

fn line(imported: &Imported, remark: &ImportRemark) -> String {
    format!(
        "{}:{}: {}",
        escape_unsafe(&imported.name),
        remark.location,
        escape_unsafe(&remark.message)
    )
}

/// The first of the mistakes that a rules file would have, and the number of the others.
fn refusal_text(refused: &[String]) -> String {
    let first = refused.first().map(String::as_str).unwrap_or_default();
    match refused.len() {
        0 | 1 => first.to_owned(),
        count => format!(
            "{first} (and {} more of the entries)",
            group_digits(count - 1)
        ),
    }
}

/// The numbers of rules that a merge adds, changes and removes.
#[derive(Default)]
struct ChangeCounts {
    new: usize,
    changed: usize,
    gone: usize,
}

impl ChangeCounts {
    fn of(merged: &Merged) -> Self {
        let mut counts = Self::default();
        let mut changed = BTreeSet::new();
        for change in &merged.changes {
            match change {
                Change::New { .. } => counts.new += 1,
                Change::Changed { id, .. } => drop(changed.insert(id)),
                Change::Gone { .. } => counts.gone += 1,
            }
        }
        Self {
            changed: changed.len(),
            ..counts
        }
    }
}

/// Lists all changes, one per line, and counts them.
fn describe_changes(name: &str, merged: &Merged, gone: StaleRules) -> String {
    let mut lines = String::new();
    for change in &merged.changes {
        let line = match change {
            Change::New {
                id,
                subject,
                removal,
            } => {
                let removal = removal.map_or_else(
                    || "no removal date".to_owned(),
                    |date| format!("removal {date}"),
                );
                format!("new      {id}: {subject}, {removal}")
            }
            Change::Changed { id, key, old, new } => {
                let old = old.as_deref().unwrap_or("nothing");
                format!("changed  {id}: {key} was {old}, is {new}")
            }
            Change::Gone { id, subject } => {
                let fate = if gone == StaleRules::Keep {
                    "kept"
                } else {
                    "taken out"
                };
                format!("gone     {id}: {subject} ({fate})")
            }
        };
        let _ = writeln!(lines, "{}", escape_unsafe(&line));
    }
    let ChangeCounts { new, changed, gone } = ChangeCounts::of(merged);
    let unchanged = merged.unchanged;
    let _ = writeln!(
        lines,
        "{name}: {new} new, {changed} changed, {gone} gone, {unchanged} unchanged"
    );
    lines
}

impl From<ImportError> for Failure {
    fn from(error: ImportError) -> Self {
        let help = match error {
            ImportError::Mistakes(mistakes) => return mistakes.into(),
            ImportError::Rules(RulesError::Unreadable { .. }) | ImportError::Unwritable { .. } => {
                "check the path after --into"
            }
            ImportError::Rules(error) => return error.into(),
            ImportError::Refused(_) => "correct it: `sundown rules check` would refuse such a rule",
            ImportError::PrunesMost { .. } => {
                "check that the list is complete; --prune-most removes so many"
            }
            ImportError::Unreadable { .. } => "check the path of the list",
            ImportError::Unknown { ref help, .. } => help.as_str(),
            ImportError::NoPath => "name its file: rules point into it by its path",
            ImportError::Description(ref error) => &error.kind.help(),
            ImportError::NothingMarked { .. } => {
                "mark elements with `deprecated: true`, read its texts with --deprecations-from-text, or write rules by hand"
            }
        };
        Self::with_help(&error, help)
    }
}
