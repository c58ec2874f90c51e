//! Surveys the files of a project that a check would read, by their beginnings.

use std::path::PathBuf;

use super::check_options::ending_of;
use super::file_kind::{CLASSIFIED_BYTES, ContentKind, classify_file};
use crate::config::Config;
use sundown_captures::{Format, InputFile, PathOrigin, beginning, discover};
use sundown_files::FileAccess;
use sundown_report::plural;

/// Parts of the names of JSON files that are most likely bodies, and of their folders.
const BODY_NAMES: [&str; 8] = [
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
    /// The files that can be read in a moment.
    pub readable: Vec<PathBuf>,
    /// The number of bare bodies.
    bodies: usize,
    /// The rules files, and the API descriptions that mark something as deprecated.
    pub deprecating: Vec<String>,
    /// The number of files after which the survey ended, if there are more.
    cut_after: Option<usize>,
}

/// Whether a file may have rules, even with mistakes.
fn is_rules_file(found: &InputFile, max_bytes: u64) -> bool {
    ending_of(found) == "toml"
        && beginning(found, &FileAccess::default(), max_bytes).is_ok_and(|text| {
            ["[[rule]]", "operation"]
                .iter()
                .all(|part| memchr::memmem::find(&text, part.as_bytes()).is_some())
        })
}

impl ProjectSurvey {
    /// Classifies the files that a check with these settings would read.
    pub(super) fn new(config: &Config, limits: SurveyLimits) -> Self {
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
            ..Self::default()
        };
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
            survey.add(&file, kind);
        }
        survey
    }

    fn add(&mut self, file: &InputFile, kind: ContentKind) {
        let name = file.name.rooted.to_string();
        match kind {
            ContentKind::Exchanges(format) => self.formats.push(format),
            ContentKind::Description { deprecates } => {
                self.formats.push(Format::OpenApi);
                if deprecates {
                    self.deprecating.push(name);
                }
            }
            ContentKind::Json => {
                let lower = name.to_lowercase();
                let is_body =
                    lower.contains(".json") && BODY_NAMES.iter().any(|part| lower.contains(part));
                self.bodies += usize::from(is_body);
            }
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
