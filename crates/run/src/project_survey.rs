//! Surveys the files of a project that a check would read, by their beginnings.

use std::path::{Path, PathBuf};

use super::check_options::ending_of;
use crate::config::Config;
use sundown_captures::{
    Format, InputFile, Logs, PathOrigin, ReadOptions, Sniffed, beginning, discover, has_exchange,
    is_yaml_description, read, sniff, sniff_head,
};
use sundown_exchange::Record;
use sundown_files::{FileAccess, Names};
use sundown_report::plural;
use sundown_text_json::Limits;
use sundown_text_json::text::Block;

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
        let others = Format::ALL.iter().filter(|other| !first.contains(other));
        let parts = first.iter().chain(others).filter_map(|format| {
            let count = self.formats.iter().filter(|known| *known == format).count();
            (count > 0).then(|| count_files(count, *format))
        });
        let mut parts: Vec<_> = parts.collect();
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

/// The number of bytes that classify a file reliably.
const CLASSIFIED_BYTES: u64 = 16 << 20;

/// The content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ContentKind {
    /// Exchanges, in this format.
    Exchanges(Format),
    /// An API description; whether it marks something as deprecated.
    Description { deprecates: bool },
    /// JSON without exchanges: a body, or anything else.
    Json,
}

/// Classifies a file by its first bytes; `None` if it cannot be read, or has nothing to check.
fn classify_file(found: &InputFile, max_bytes: u64) -> Option<ContentKind> {
    let head = beginning(found, &FileAccess::default(), max_bytes).ok()?;
    let block = Block::whole(&head);
    let may_be_yaml = ["yaml", "yml"].contains(&ending_of(found));
    let is_whole = u64::try_from(head.len()).is_ok_and(|length| length < max_bytes);
    let recognised = if is_yaml_description(block, may_be_yaml) {
        Sniffed::Format(Format::OpenApi)
    } else if is_whole {
        sniff(block)
    } else {
        sniff_head(block).unwrap_or(Sniffed::Format(Format::Json))
    };
    let Sniffed::Format(format) = recognised else {
        return None;
    };
    Some(match format {
        Format::OpenApi => ContentKind::Description {
            deprecates: has_marks(&head),
        },
        Format::Ndjson if has_exchange(block, Limits::default(), &Logs::default()) => {
            ContentKind::Exchanges(format)
        }
        Format::Json if is_exchange(block) => ContentKind::Exchanges(format),
        Format::Json | Format::Ndjson | Format::Body => ContentKind::Json,
        format => ContentKind::Exchanges(format),
    })
}

/// Whether the file contains exchanges or an API description.
pub fn holds_traffic(path: &Path) -> bool {
    let found = InputFile::new(path, Names::default().of(path), PathOrigin::Walked);
    classify_file(&found, CLASSIFIED_BYTES).is_some_and(|kind| kind != ContentKind::Json)
}

fn is_exchange(document: Block<'_>) -> bool {
    let mut found = false;
    read(
        document,
        Format::Json,
        &ReadOptions::new(&Logs::default()),
        &mut |record: Record<'_>| found |= matches!(record, Record::Exchange(_)),
    );
    found
}

fn has_marks(description: &[u8]) -> bool {
    let marks = [
        &b"deprecated: true"[..],
        b"deprecated\": true",
        b"deprecated\":true",
    ];
    marks
        .iter()
        .any(|mark| memchr::memmem::find(description, mark).is_some())
}
