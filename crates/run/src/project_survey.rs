//! Surveys the files of a project that a check would read, by their beginnings.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::body_operation::operation_from_file_name;
use super::file_kind::{
    CLASSIFIED_BYTES, ContentKind, DeprecationMarks, called_hosts, classify_file,
};
use super::rules::{RuleSelection, load_rules, load_rules_file};
use crate::library::{Pack, RuleLibrary};
use sundown_captures::{Format, Globs, InputFile, PathOrigin, discover_first};
use sundown_exchange::Host;
use sundown_files::{GlobList, Names};
use sundown_lint::rules::RuleTable;

/// The number of hosts that are considered.
const MAX_HOSTS: usize = 1_000;

/// Folders that build tools write to.
const BUILD_FOLDERS: [&str; 6] = ["target", "dist", "build", "vendor", ".venv", "venv"];

/// Parts of the names of folders whose JSON files are most likely bodies.
const BODY_FOLDERS: [&str; 8] = [
    "payload", "fixture", "request", "response", "body", "bodies", "mock", "sample",
];

/// The files that a survey covers.
#[derive(Debug, Default)]
pub(super) struct SurveyScope<'a> {
    /// Files and folders.
    pub(super) paths: &'a [PathBuf],
    /// The files in folders that are selected.
    pub(super) globs: Globs,
    /// The JSON files that are bodies, besides those that their names show.
    pub(super) bodies: Vec<&'a GlobList>,
    /// The rules that the program embeds.
    pub(super) library: RuleLibrary,
}

/// The maximum work of a survey.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurveyLimits {
    /// The number of files and folders that are listed.
    entries: usize,
    /// The number of files that are classified.
    files: usize,
    /// The number of bytes that are read of each.
    bytes: u64,
    /// The number of bytes that are searched for hosts.
    host_bytes: u64,
}

impl SurveyLimits {
    /// More than a project has captures.
    pub(super) const THOROUGH: Self = Self {
        entries: usize::MAX,
        files: 20_000,
        bytes: CLASSIFIED_BYTES,
        host_bytes: 256 << 10,
    };
    /// What takes a fraction of a second.
    pub(super) const QUICK: Self = Self {
        entries: 10_000,
        files: 1_000,
        bytes: 64 << 10,
        host_bytes: 0,
    };
}

/// The content of a project, among the files that would be checked.
#[derive(Debug, Default)]
pub(super) struct ProjectSurvey {
    /// The number of files in each format.
    formats: Vec<(Format, usize)>,
    /// The number of bare bodies.
    bodies: usize,
    /// The folders of bodies whose file names do not give an operation.
    pub(super) body_folders: BTreeMap<String, usize>,
    /// The rules files, and the API descriptions that mark something as deprecated.
    pub(super) deprecating: Vec<String>,
    /// The top-level files and folders that contain any of these.
    tops: Vec<String>,
    /// Folders of build tools, each with the number of files in it that would be checked.
    pub(super) built: BTreeMap<String, usize>,
    /// The hosts of recorded calls.
    hosts: Vec<Host<'static>>,
    /// The number of files after which the survey ended, if there are more.
    cut_after: Option<usize>,
    /// The rules that the program embeds.
    library: RuleLibrary,
}

/// Whether a file has rules without mistakes.
fn is_rules_file(file: &InputFile) -> bool {
    let path = file.path.as_deref();
    let path = path.filter(|path| path.extension().is_some_and(|ending| ending == "toml"));
    path.is_some_and(|path| load_rules_file(path, &RuleSelection::default()).is_ok())
}

impl ProjectSurvey {
    /// Classifies the files in this scope.
    pub(super) fn new(scope: &SurveyScope<'_>, names: Names, limits: SurveyLimits) -> Self {
        let SurveyLimits {
            entries,
            files: max_files,
            bytes,
            host_bytes,
        } = limits;
        let found = discover_first(entries, scope.paths, PathOrigin::Named, &scope.globs, names);
        let is_cut = found.is_cut || found.files.len() > max_files;
        // The built-in tables have no mistakes; without them, no file name would give an operation.
        let table = load_rules(&RuleSelection {
            library: scope.library,
            ..RuleSelection::default()
        });
        let table = table.ok();
        let mut survey = Self {
            library: scope.library,
            ..Self::default()
        };
        for file in found.files.iter().take(max_files) {
            // A survey must not wait for a pipe, or take what is on standard input.
            if !file.path.as_deref().is_some_and(Path::is_file) {
                continue;
            }
            let Some(kind) = classify_file(file, bytes) else {
                if is_rules_file(file) {
                    survey.deprecating.push(file.name.rooted.to_string());
                }
                continue;
            };
            let is_known = kind == ContentKind::Json && is_known_body(file, scope, table.as_ref());
            survey.add(file, kind, is_known);
            if let ContentKind::Exchanges(format) = kind
                && host_bytes > 0
            {
                survey.add_hosts(called_hosts(file, format, host_bytes));
            }
        }
        survey.cut_after = is_cut.then(|| found.files.len().min(max_files));
        survey
    }

    /// Adds a file of this kind; `is_known` says that it is a body whose operation is known.
    fn add(&mut self, found: &InputFile, kind: ContentKind, is_known: bool) {
        let name = found.name.rooted.to_string();
        let folder = name.rsplit_once('/').map_or("", |(folder, _)| folder);
        let lower = folder.to_lowercase();
        let in_bodies =
            name.contains(".json") && BODY_FOLDERS.iter().any(|part| lower.contains(part));
        if kind == ContentKind::Json && !is_known && !in_bodies {
            return;
        }
        let top = name.split('/').next().unwrap_or(&name);
        if BUILD_FOLDERS.contains(&top) {
            *self.built.entry(top.to_owned()).or_default() += 1;
            return;
        }
        if !self.tops.iter().any(|known| known == top) {
            self.tops.push(top.to_owned());
        }
        match kind {
            ContentKind::Exchanges(format) => self.count(format),
            ContentKind::Description(marks) => {
                self.count(Format::OpenApi);
                if marks == DeprecationMarks::Some {
                    self.deprecating.push(name);
                }
            }
            ContentKind::Json => {
                self.bodies += 1;
                if !is_known {
                    *self.body_folders.entry(folder.to_owned()).or_default() += 1;
                }
            }
        }
    }

    fn add_hosts(&mut self, hosts: Vec<Host<'static>>) {
        for host in hosts {
            if !self.hosts.contains(&host) && self.hosts.len() < MAX_HOSTS {
                self.hosts.push(host);
            }
        }
    }

    /// Returns the names of the packs for hosts of recorded calls, and for manifests.
    pub(super) fn packs(&self) -> Vec<String> {
        let has_manifests = self
            .formats
            .iter()
            .any(|(format, _)| *format == Format::Kubernetes);
        let packs = self.library.packs.iter().filter(|pack| {
            pack.name == "kubernetes" && has_manifests || !self.hosts.is_empty() && self.calls(pack)
        });
        packs.map(|pack| pack.name.to_owned()).collect()
    }

    /// Whether a recorded call went to a host of the pack.
    fn calls(&self, pack: &Pack) -> bool {
        let mut patterns = pack.hosts().flatten();
        patterns.any(|pattern| self.hosts.iter().any(|host| pattern.matches(host)))
    }

    fn count(&mut self, format: Format) {
        match self.formats.iter_mut().find(|(known, _)| *known == format) {
            Some((_, count)) => *count += 1,
            None => self.formats.push((format, 1)),
        }
    }

    /// Describes the files in words.
    pub(super) fn summary(&self) -> String {
        let files = self
            .files()
            .unwrap_or_else(|| "nothing to check yet".to_owned());
        match self.cut_after {
            Some(count) => format!("{files}, among the first {count} files"),
            None => files,
        }
    }

    /// Describes the files that were recognised; `None` if there are none.
    fn files(&self) -> Option<String> {
        let first = [Format::Har, Format::Ndjson, Format::OpenApi];
        let others = Format::ALL
            .iter()
            .copied()
            .filter(|other| !first.contains(other));
        let mut parts: Vec<String> = first
            .into_iter()
            .chain(others)
            .filter_map(|format| self.formats.iter().find(|(known, _)| *known == format))
            .map(|(format, count)| {
                let (one, many) = nouns(*format);
                counted(*count, &one, &many)
            })
            .collect();
        if self.bodies > 0 {
            parts.push(counted(self.bodies, "JSON body", "JSON bodies"));
        }
        for (folder, count) in &self.built {
            let files = counted(*count, "file", "files");
            parts.push(format!("{files} in {folder}, a folder of build tools"));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Whether nothing was recognised.
    pub(super) fn is_empty(&self) -> bool {
        self.files().is_none()
    }

    /// Returns the top-level files and folders that contain something to check.
    pub(super) fn paths(&self) -> Vec<String> {
        // `-` alone is standard input.
        let mut paths: Vec<String> = (self.tops.iter())
            .map(|top| if top == "-" { "./-" } else { top }.to_owned())
            .collect();
        paths.sort();
        paths
    }
}

/// Whether the operation of a bare body is known, from the scope or from its name.
fn is_known_body(file: &InputFile, scope: &SurveyScope<'_>, table: Option<&RuleTable>) -> bool {
    scope.bodies.iter().any(|files| files.matches(&file.name))
        || file
            .path
            .as_deref()
            .zip(table)
            .is_some_and(|(path, table)| operation_from_file_name(path, table).is_some())
}

/// Prints a count with the singular or plural of its noun.
fn counted(count: usize, one: &str, many: &str) -> String {
    if count == 1 {
        format!("1 {one}")
    } else {
        format!("{count} {many}")
    }
}

/// Returns the singular and plural for files of a format.
fn nouns(format: Format) -> (String, String) {
    let words = |one: &str, many: &str| (one.to_owned(), many.to_owned());
    match format {
        Format::Har => words("capture (HAR)", "captures (HAR)"),
        Format::Ndjson => words("log", "logs"),
        Format::OpenApi => words("API description", "API descriptions"),
        Format::Json => words("JSON file of exchanges", "JSON files of exchanges"),
        other => {
            let name = other.spec().name;
            (format!("{name} file"), format!("{name} files"))
        }
    }
}
