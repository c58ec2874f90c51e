//! Checks one API description: with the local files that it refers to, and nothing beyond.

use std::collections::{BTreeMap, HashSet};
use std::path::Path;

use super::CheckOptions;
use super::local_files::LocalFiles;
use crate::formats::{FileName, Names};
use crate::inspect::{InspectionOptions, inspect};
use crate::openapi::{
    DateSources, Description, DescriptionProblem, FileId, LoadError, LoadErrorKind, ProblemCost,
};
use crate::report::{BlockCollector, BlockReport};
use crate::text::{Block, Span};
use crate::traffic::{Reason, Skip};

/// What was found in one of a description's files.
pub(super) struct InspectedFile {
    /// Its name in reports; `None` for the description's own.
    pub(super) name: Option<FileName>,
    pub(super) gathered: Box<BlockReport>,
}

/// How many different problems of a file are told apart; the others are counted.
const MOST_PROBLEMS: usize = 100;

/// Checks the description in `file`, which is called `name`. Its own file comes first in what is given.
pub(super) fn check_description(
    options: &CheckOptions<'_>,
    name: &str,
    file: Block<'_>,
) -> Vec<InspectedFile> {
    let limits = options.limits;
    let local = LocalFiles { most_bytes: limits.record, bounds: limits.bounds() };
    let loaded = Description::from_bytes(name, file.bytes, &local, DateSources::Extensions);
    let mut gatherers = Gatherers { fold: options.fold, files: BTreeMap::new() };
    gatherers.of(FileId::FIRST).summary().records += 1;
    let description = match loaded {
        Ok(description) => description,
        Err(error) => {
            let mut own = gatherers.files.remove(&FileId::FIRST).unwrap_or_default();
            own.add_skip(failure(&error, file.bytes.len()));
            let gathered = Box::new(own.locate(file, file.end(), 0));
            return vec![InspectedFile { name: None, gathered }];
        }
    };
    for skip in problems(&description) {
        let (file, skip) = skip;
        gatherers.of(file).add_skip(skip);
    }
    let inspected = inspect(
        &description,
        options.table,
        InspectionOptions {
            lifecycle: options.lifecycle,
            role: options.role,
            grades: &options.grades,
        },
        &mut |file, finding| {
            let gatherer = gatherers.of(file);
            gatherer.add_finding(finding);
            gatherer.has_room()
        },
    );
    let own = gatherers.of(FileId::FIRST);
    own.summary().no_rule += usize::from(!inspected.is_covered);
    if inspected.is_cut {
        let cut = Skip::file(Reason::DescriptionTooLarge, 0);
        own.add_skip(cut);
    }
    gatherers.place(&description, &options.names)
}

/// Why there is no description.
fn failure(error: &LoadError, bytes: usize) -> Skip {
    let span = error.at.map(|(span, _)| Span::new(span.start.min(bytes), span.start.min(bytes)));
    let skip = Skip { span, bytes, ..Skip::file(Reason::BrokenDescription, bytes) };
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

/// What is wrong with it, each once.
fn problems(description: &Description) -> Vec<(FileId, Skip)> {
    let mut told: HashSet<(FileId, Reason, String)> = HashSet::new();
    let mut skips = Vec::new();
    for DescriptionProblem { file, span, kind } in description.problems() {
        let reason = match kind.cost() {
            ProblemCost::Unread => Reason::UnreadPart,
            ProblemCost::Nothing => Reason::OddPart,
        };
        let mut detail = format!("{kind}; {}", kind.help());
        if told.len() >= MOST_PROBLEMS && !told.contains(&(*file, reason, detail.clone())) {
            "and others".clone_into(&mut detail);
        }
        told.insert((*file, reason, detail.clone()));
        skips.push((*file, Skip { bytes: 0, ..Skip::at(reason, *span) }.because(detail)));
    }
    skips
}

struct Gatherers {
    fold: bool,
    files: BTreeMap<FileId, BlockCollector>,
}

impl Gatherers {
    fn of(&mut self, file: FileId) -> &mut BlockCollector {
        self.files.entry(file).or_insert_with(|| BlockCollector::new(self.fold))
    }

    /// Gives everything its place, the description's own file first.
    fn place(self, description: &Description, names: &Names) -> Vec<InspectedFile> {
        let placed = self.files.into_iter().filter_map(|(id, gatherer)| {
            let file = description.file(id)?;
            let block = Block::whole(file.document.text().as_bytes());
            let name = (id != FileId::FIRST).then(|| names.of(Path::new(&file.name)));
            let gathered = Box::new(gatherer.locate(block, block.end(), 0));
            Some(InspectedFile { name, gathered })
        });
        placed.collect()
    }
}
