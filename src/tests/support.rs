//! Shared by several tests: the built-in table, files for a check, and checks of files with every use listed.

#[path = "../../tests/support/files.rs"]
mod files;

use std::io;
use std::path::Path;
use std::sync::{Arc, LazyLock};

use chrono::NaiveDate;
use sundown_captures::{Format, Gauge};
use sundown_files::FileAccess;
use sundown_lint::findings::{ExcerptParts, ExchangePart, Finding, Occurrence};
use sundown_lint::rules::{Lifecycle, Pack, RuleOptions, RuleSet};
use sundown_openapi::{Description, MarkerOptions};
use sundown_report::{LocatedFinding, OutputFormat, RenderOptions, Report};
use sundown_run::config::{Config, Settings};
use sundown_run::{BodyOperation, CheckOptions, check, load_rules};

use crate::builtin::LIBRARY;
pub(crate) use files::{Files, date, processor_time, repository, sources, text};

/// The report in the format of this name.
pub(crate) fn written(report: &Report, format: &str) -> String {
    let format: OutputFormat = format.parse().unwrap();
    let mut text = Vec::new();
    format
        .write(report, RenderOptions::default(), &mut text)
        .unwrap();
    String::from_utf8(text).unwrap()
}

/// Loads the description in the first of these files, with the others next to it.
pub(crate) fn load_files(files: &[(&str, &str)]) -> Description {
    let read = |name: &str| -> io::Result<Vec<u8>> {
        let found = files.iter().find(|(own, _)| *own == name);
        found
            .map(|(_, text)| text.as_bytes().to_vec())
            .ok_or_else(|| io::ErrorKind::NotFound.into())
    };
    Description::load(files[0].0, &read, MarkerOptions::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

/// A description of OpenAPI 3.1 with these lines.
pub(crate) fn load(lines: &str) -> Description {
    let description = load_files(&[("api.yaml", &format!("openapi: 3.1.0\n{lines}"))]);
    let problems = description.problems();
    assert!(problems.is_empty(), "{problems:?}");
    description
}

/// All built-in tables, which the tests share.
pub(crate) fn builtin() -> Arc<RuleSet> {
    static TABLE: LazyLock<Arc<RuleSet>> = LazyLock::new(|| {
        let set = load_rules(
            RuleOptions::default(),
            LIBRARY,
            &Config::default(),
            &FileAccess::default(),
        );
        Arc::new(set.expect("the built-in tables have no mistakes"))
    });
    Arc::clone(&TABLE)
}

/// The pack of this name.
pub(crate) fn pack(name: &str) -> &'static Pack {
    LIBRARY.packs.iter().find(|pack| pack.name == name).unwrap()
}

/// The day on which the recorded expectations were made.
pub(crate) fn day() -> NaiveDate {
    date("2026-11-20")
}

/// Checks one path with the built-in tables, every use a finding of its own.
pub(crate) fn check_path(path: &Path, set: &RuleSet) -> Report {
    check_with(path, &[], set, Lifecycle::on(day()), None, false)
}

/// Checks bytes as they come in, as a format or as what they look like, every use a finding of its own.
pub(crate) fn check_bytes(bytes: &[u8], format: Option<Format>, set: &RuleSet) -> Report {
    let options = CheckOptions {
        format,
        fold: false,
        ..options(Path::new("-"), set)
    };
    check(&options, &mut &*bytes, &Gauge::default())
}

/// Checks one path, or with `-` the bytes given.
pub(crate) fn check_with(
    path: &Path,
    stdin: &[u8],
    set: &RuleSet,
    lifecycle: Lifecycle,
    named: Option<BodyOperation>,
    fold: bool,
) -> Report {
    let mut options = CheckOptions {
        named,
        fold,
        ..options(path, set)
    };
    options.settings.lifecycle = lifecycle;
    check(&options, &mut &*stdin, &Gauge::default())
}

/// The findings of a report, with the elements in the calls of deprecated operations as findings of their own, which is how
/// oracles list them. They are in the order of the file.
pub(crate) fn separate_findings(report: &Report, set: &RuleSet) -> Vec<LocatedFinding> {
    let mut separate = Vec::new();
    for placed in &report.findings {
        let mut operation = placed.clone();
        if placed.finding.found.part == ExchangePart::Operation {
            assert!(
                !placed.finding.has_more_related,
                "what is left out cannot be listed"
            );
            operation.finding.related.clear();
            for (related, &(location, end)) in placed.finding.related.iter().zip(&placed.related) {
                let rule = set.rule(&related.rule.id).unwrap();
                let found = Occurrence {
                    part: related.part,
                    pointer: related.pointer.clone(),
                    span: related.span,
                    certainty: related.certainty,
                    shown: ExcerptParts {
                        encoded: related.encoded,
                        ..ExcerptParts::default()
                    },
                    ..placed.finding.found.clone()
                };
                let finding = Finding::new(rule, &Lifecycle::on(day()), found);
                separate.push(LocatedFinding {
                    finding,
                    location,
                    end,
                    ..placed.clone()
                });
            }
        }
        separate.push(operation);
    }
    separate.sort_by_key(|placed| placed.location);
    separate
}

/// The default options for one path, in one thread.
pub(crate) fn options<'t>(path: &Path, set: &'t RuleSet) -> CheckOptions<'t> {
    CheckOptions::new(Settings::of(vec![path.to_owned()]), set, day())
}
