//! Checks one API description, including the local files that it refers to.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;
use std::sync::Arc;

use super::check_options::CheckOptions;
use sundown_exchange::{Reason, Skip};
use sundown_files::{FileName, Names};
use sundown_lint::inspect::{InspectionOptions, inspect};
use sundown_openapi::{
    Description, DescriptionProblem, FileId, Label, LoadError, LoadErrorKind, LocalFiles,
    MarkerOptions,
};
use sundown_report::{BlockCollector, BlockReport, MAX_WEIGHT, Repeats};
use sundown_text_json::Limits;
use sundown_text_json::text::{Block, Span};

/// The findings in one file of a description.
pub(super) struct InspectedFile {
    /// Its name in reports; `None` for the main file.
    pub name: Option<FileName>,
    pub report: Box<BlockReport>,
}

/// The maximum number of different problems that are reported in words; the others are counted.
const MAX_PROBLEMS: usize = 100;

/// Checks the description in `file`, whose name is `name`. The first result is that of the main file.
pub(super) fn check_description(
    options: &CheckOptions<'_>,
    name: &str,
    file: Block<'_>,
) -> Vec<InspectedFile> {
    let limits = options.settings.limits;
    let loaded = known_description(options, name, file.bytes).map_or_else(
        || {
            let (scope, named) = (options.settings.references, &options.settings.paths);
            let local = LocalFiles::of_input(&options.access, name, scope, named, limits);
            Description::from_bytes(name, file.bytes, &local, MarkerOptions::default())
                .map(Arc::new)
        },
        Ok,
    );
    let mut collectors = FileCollectors {
        repeats: options.repeats(),
        // Schemas and operations refer to each other, so that a file may have any number of findings.
        room: limits.findings.min(MAX_WEIGHT),
        files: BTreeMap::new(),
    };
    let description = match loaded {
        Ok(description) => description,
        Err(error) => {
            let mut own = collectors.files.remove(&FileId::FIRST).unwrap_or_default();
            own.add_skip(load_failure(&error, file.bytes.len()));
            let report = Box::new(own.locate(file, file.end(), 0));
            return vec![InspectedFile { name: None, report }];
        }
    };
    let summary = collectors.of(FileId::FIRST).summary();
    summary.records += 1;
    summary.descriptions += 1;
    for (file, skip) in problems(&description) {
        collectors.of(file).add_skip(skip);
    }
    let inspection = InspectionOptions {
        lifecycle: options.settings.lifecycle,
        role: options.settings.role,
        grades: &options.grades,
    };
    let inspected = inspect(
        &description,
        options.set,
        inspection,
        &mut |file, finding| {
            let collector = collectors.of(file);
            collector.add_finding(finding);
            collector.has_room()
        },
    );
    let own = collectors.of(FileId::FIRST);
    own.summary().no_rule += usize::from(!inspected.is_covered);
    if inspected.is_cut {
        own.add_skip(Skip::file(Reason::DescriptionTooLarge, 0));
    }
    collectors.locate(&description, &options.names)
}

/// The description in these bytes, if rules of the run are made of it or located by it: read as an input, it is the same.
fn known_description(
    options: &CheckOptions<'_>,
    name: &str,
    bytes: &[u8],
) -> Option<Arc<Description>> {
    let settings = &options.settings;
    let is_read_alike = settings.markers() == MarkerOptions::default()
        && settings.limits.depth == Limits::default().depth;
    let known = (0..).map_while(|index| options.set.described(index));
    let mut known = known.filter(|_| is_read_alike).map(|one| &one.description);
    known.find(|one| one.is_all_of(name, bytes)).cloned()
}

/// Returns the reason why a description could not be loaded.
fn load_failure(error: &LoadError, bytes: usize) -> Skip {
    let span = error
        .at
        .map(|(span, _)| Span::new(span.start.min(bytes), span.start.min(bytes)));
    let skip = Skip {
        span,
        bytes,
        ..Skip::file(Reason::BrokenDescription, bytes)
    };
    let LoadError { kind, .. } = error;
    match kind {
        LoadErrorKind::NoDocument(_) | LoadErrorKind::UnknownVersion => {
            skip.because(format!("{kind}; {}", kind.help()))
        }
        LoadErrorKind::Unreadable(_) | LoadErrorKind::NoDescription | LoadErrorKind::Cut(_) => {
            skip.because(kind)
        }
    }
}

/// Returns the problems of a description.
fn problems(description: &Description) -> Vec<(FileId, Skip)> {
    let mut seen: HashSet<(FileId, Reason, String)> = HashSet::new();
    let mut skips = Vec::new();
    for DescriptionProblem { at, kind } in description.problems() {
        let Label { file, span } = *at;
        let reason = if kind.is_unread() {
            Reason::UnreadPart
        } else {
            Reason::UnusualDescription
        };
        let mut detail = format!("{kind}; {}", kind.help());
        if seen.len() >= MAX_PROBLEMS && !seen.contains(&(file, reason, detail.clone())) {
            "and others".clone_into(&mut detail);
        }
        seen.insert((file, reason, detail.clone()));
        skips.push((
            file,
            Skip {
                bytes: 0,
                ..Skip::at(reason, span)
            }
            .because(detail),
        ));
    }
    skips
}

/// The collectors of a description's files.
struct FileCollectors {
    repeats: Repeats,
    room: usize,
    files: BTreeMap<FileId, BlockCollector>,
}

impl FileCollectors {
    fn of(&mut self, file: FileId) -> &mut BlockCollector {
        self.files
            .entry(file)
            .or_insert_with(|| BlockCollector::new(self.repeats, self.room))
    }

    /// Locates the findings of each file, the main file first.
    fn locate(self, description: &Description, names: &Names) -> Vec<InspectedFile> {
        let located = self.files.into_iter().filter_map(|(id, collector)| {
            let file = description.file(id)?;
            let block = Block::whole(file.document.text());
            let name = (id != FileId::FIRST).then(|| names.of(Path::new(&file.name)));
            let report = Box::new(collector.locate(block, block.end(), 0));
            Some(InspectedFile { name, report })
        });
        located.collect()
    }
}
