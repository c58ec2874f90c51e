//! Surveys the files of a project that a check would read, by their beginnings.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::body_operation::operation_from_file_name;
use super::file_kind::{CLASSIFIED_BYTES, ContentKind, add_called_hosts, classify_file};
use super::rules::load_rules;
use crate::config::Config;
use crate::library::{Pack, RuleLibrary};
use sundown_captures::{Format, InputFile, PathOrigin, beginning, discover};
use sundown_files::FileAccess;
use sundown_report::plural;

/// Folders that build tools write to.
pub(super) const BUILD_FOLDERS: [&str; 6] = ["target", "dist", "build", "vendor", ".venv", "venv"];

/// Parts of the names of folders whose JSON files are most likely bodies.
const BODY_FOLDERS: [&str; 8] = [
    "payload", "fixture", "request", "response", "body", "bodies", "mock", "sample",
];

/// The maximum work of a survey.
#[derive(Debug, Clone, Copy)]
pub(super) struct SurveyLimits {
    /// The number of files and folders that are listed.
    entries: usize,
    /// The number of files that are classified.
    files: usize,
    /// The number of bytes that are read of each.
    bytes: u64,
}

impl SurveyLimits {
    /// More than a project has captures.
    pub(super) const THOROUGH: Self = Self {
        entries: usize::MAX,
        files: 20_000,
        bytes: CLASSIFIED_BYTES,
    };
    /// What takes a fraction of a second.
    pub(super) const QUICK: Self = Self {
        entries: 10_000,
        files: 1_000,
        bytes: 64 << 10,
    };
}

/// The content of a project, among the files that would be checked.
#[derive(Debug, Default)]
pub(super) struct ProjectSurvey {
    /// The format of each file.
    formats: Vec<Format>,
    /// The files with calls, and their formats.
    calls: Vec<(InputFile, Format)>,
    /// The files that can be read in a moment.
    pub readable: Vec<PathBuf>,
    /// The number of bare bodies.
    bodies: usize,
    /// The folders of bodies whose file names do not give an operation.
    pub body_folders: BTreeSet<String>,
    /// The rules files, and the API descriptions that mark something as deprecated.
    pub deprecating: Vec<String>,
    /// The top-level files and folders that contain something to check.
    pub paths: BTreeSet<String>,
    /// Folders of build tools, each with the number of files in it that would be checked.
    pub built: BTreeMap<String, usize>,
    /// The number of files after which the survey ended, if there are more.
    cut_after: Option<usize>,
    /// The rules that the program embeds.
    library: RuleLibrary,
}

/// Whether a file may have rules, even with mistakes.
fn is_rules_file(found: &InputFile, max_bytes: u64) -> bool {
    let ending = found.named_path().extension();
    ending.is_some_and(|ending| ending == "toml")
        && beginning(found, &FileAccess::default(), max_bytes).is_ok_and(|text| {
            ["[[rule]]", "operation"]
                .iter()
                .all(|part| memchr::memmem::find(&text, part.as_bytes()).is_some())
        })
}

impl ProjectSurvey {
    /// Classifies the files that a check with these settings would read.
    pub(super) fn new(config: &Config, library: RuleLibrary, limits: SurveyLimits) -> Self {
        let found = discover(
            limits.entries,
            &config.settings.paths,
            PathOrigin::Named,
            &config.globs().unwrap_or_default(),
            config.names(),
        );
        let is_cut = found.is_cut || found.files.len() > limits.files;
        let mut survey = Self {
            cut_after: is_cut.then(|| found.files.len().min(limits.files)),
            library,
            ..Self::default()
        };
        // The built-in tables have no mistakes; without them, no file name would give an operation.
        let table = load_rules(library, &Config::default(), &FileAccess::default()).ok();
        for file in found.files.into_iter().take(limits.files) {
            // A survey must not wait for a pipe, or take what is on standard input.
            let Some(path) = file.path.as_deref().filter(|path| path.is_file()) else {
                continue;
            };
            let small = path
                .metadata()
                .is_ok_and(|metadata| metadata.len() <= limits.bytes);
            survey.readable.extend(small.then(|| path.to_owned()));
            let Some(kind) = classify_file(&file, limits.bytes) else {
                if is_rules_file(&file, limits.bytes) {
                    survey.deprecating.push(file.name.rooted.to_string());
                }
                continue;
            };
            let is_known = kind == ContentKind::Json
                && (config
                    .payloads
                    .iter()
                    .any(|body| body.files.matches(&file.name))
                    || table
                        .as_ref()
                        .is_some_and(|table| operation_from_file_name(path, table).is_some()));
            survey.add(file, kind, is_known);
        }
        survey
    }

    /// Adds a file of this kind; `is_known` says that it is a body whose operation is known.
    fn add(&mut self, file: InputFile, kind: ContentKind, is_known: bool) {
        let name = file.name.rooted.to_string();
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
        // `-` alone is standard input.
        let path = if top == "-" { "./-" } else { top };
        self.paths.insert(path.to_owned());
        match kind {
            ContentKind::Exchanges(format) => {
                self.formats.push(format);
                self.calls.push((file, format));
            }
            ContentKind::Description { deprecates } => {
                self.formats.push(Format::OpenApi);
                if deprecates {
                    self.deprecating.push(name);
                }
            }
            ContentKind::Json => {
                self.bodies += 1;
                if !is_known {
                    self.body_folders.insert(folder.to_owned());
                }
            }
        }
    }

    /// Returns the names of the packs for hosts of recorded calls, and for manifests.
    pub(super) fn packs(&self) -> Vec<String> {
        let mut hosts = Vec::new();
        for (file, format) in &self.calls {
            add_called_hosts(file, *format, &mut hosts);
        }
        let has_manifests = self.formats.contains(&Format::Kubernetes);
        let is_called = |pack: &Pack| {
            let mut patterns = pack.hosts().flatten();
            patterns.any(|pattern| hosts.iter().any(|host| pattern.matches(host)))
        };
        let packs = self.library.packs.iter();
        let packs =
            packs.filter(|pack| pack.name == "kubernetes" && has_manifests || is_called(pack));
        packs.map(|pack| pack.name.to_owned()).collect()
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
            .filter_map(|format| {
                let count = self
                    .formats
                    .iter()
                    .filter(|known| **known == format)
                    .count();
                (count > 0).then(|| count_files(count, format))
            })
            .collect();
        match self.bodies {
            0 => {}
            1 => parts.push("1 JSON body".to_owned()),
            bodies => parts.push(format!("{bodies} JSON bodies")),
        }
        for (folder, count) in &self.built {
            let files = plural(*count, "file");
            parts.push(format!("{files} in {folder}, a folder of build tools"));
        }
        (!parts.is_empty()).then(|| parts.join(", "))
    }

    /// Whether nothing was recognised, and there are no rules.
    pub(super) fn is_empty(&self) -> bool {
        self.files().is_none() && self.deprecating.is_empty()
    }
}

/// Counts the files of a format.
fn count_files(count: usize, format: Format) -> String {
    match format {
        Format::Har => plural(count, "capture") + " (HAR)",
        Format::Ndjson => plural(count, "log"),
        Format::OpenApi => plural(count, "API description"),
        Format::Json => plural(count, "JSON file") + " of exchanges",
        other => plural(count, &format!("{} file", other.spec().name)),
    }
}
