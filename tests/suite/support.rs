//! What several tests need: the built-in table, and a run over a file with every use listed.

use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use sundown::document::DEFAULT_MAX_DEPTH;
use sundown::input::Globs;
use sundown::report::Report;
use sundown::rule::{Lifecycle, RuleTable};
use sundown::run::{CheckOptions, NamedOperation, Outcome, TableChoice, check, load_table};

/// A path below the repository's root.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The text of a file of the repository.
pub(crate) fn text(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// All built-in tables.
pub(crate) fn builtin() -> RuleTable {
    load_table(&TableChoice::default()).expect("the built-in tables have no mistakes")
}

/// The day on which the recorded expectations were made.
pub(crate) fn day() -> NaiveDate {
    date("2026-11-20")
}

/// The date of this text.
pub(crate) fn date(text: &str) -> NaiveDate {
    text.parse().unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Checks one path with the built-in tables, every use a finding of its own.
pub(crate) fn check_path(path: &Path, table: &RuleTable) -> Report {
    check_with(path, &[], table, Lifecycle::on(day()), None, false).report
}

/// Checks one path, or with `-` the bytes given.
pub(crate) fn check_with(
    path: &Path,
    stdin: &[u8],
    table: &RuleTable,
    lifecycle: Lifecycle,
    named: Option<NamedOperation>,
    fold: bool,
) -> Outcome {
    let options = CheckOptions {
        paths: vec![path.to_owned()],
        globs: Globs::default(),
        table,
        lifecycle,
        named,
        format: None,
        max_depth: DEFAULT_MAX_DEPTH,
        fold,
    };
    check(&options, &mut &*stdin)
}
