//! Shared by several tests: the built-in table, runs of the program, and checks of files with every use listed.

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use crate::builtin::LIBRARY;
use chrono::NaiveDate;
use serde_json::Value;
use sundown_captures::{Format, Gauge};
use sundown_lint::findings::{ExcerptParts, ExchangePart, Finding, Occurrence};
use sundown_lint::rules::{Lifecycle, RuleTable};
use sundown_report::{LocatedFinding, OutputFormat, Report};
use sundown_run::Pack;
use sundown_run::{BodyOperation, CheckOptions, RuleSelection, check, load_rules};

/// A path below the repository's root.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The text of a file of the repository.
pub(crate) fn text(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A log with these records.
pub(crate) fn lines(records: &[Value]) -> String {
    records
        .iter()
        .map(|record| record.to_string() + "\n")
        .collect()
}

/// The documented machine output.
pub(crate) fn json_output() -> OutputFormat {
    "json".parse().unwrap()
}

/// All files below a folder.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// All built-in tables.
pub(crate) fn builtin() -> RuleTable {
    load_rules(&RuleSelection {
        library: LIBRARY,
        ..RuleSelection::default()
    })
    .expect("the built-in tables have no mistakes")
}

/// The pack of this name.
pub(crate) fn pack(name: &str) -> &'static Pack {
    LIBRARY.packs.iter().find(|pack| pack.name == name).unwrap()
}

/// The day on which the recorded expectations were made.
pub(crate) fn day() -> NaiveDate {
    date("2026-11-20")
}

/// The date of this text.
pub(crate) fn date(text: &str) -> NaiveDate {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Checks bytes as they come in, as a format or as what they look like, every use a finding of its own.
pub(crate) fn check_bytes(bytes: &[u8], format: Option<Format>, table: &RuleTable) -> Report {
    let options = CheckOptions {
        format,
        fold: false,
        ..options(Path::new("-"), table)
    };
    check(&options, &mut &*bytes, &Gauge::default())
}

/// Checks one path, or with `-` the bytes given.
pub(crate) fn check_with(
    path: &Path,
    stdin: &[u8],
    table: &RuleTable,
    lifecycle: Lifecycle,
    named: Option<BodyOperation>,
    fold: bool,
) -> Report {
    let options = CheckOptions {
        lifecycle,
        named,
        fold,
        ..options(path, table)
    };
    check(&options, &mut &*stdin, &Gauge::default())
}

/// The findings of a report, with the elements in the calls of deprecated operations as findings of their own, which is how
/// oracles list them. They are in the order of the file.
pub(crate) fn separate_findings(report: &Report, table: &RuleTable) -> Vec<LocatedFinding> {
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
                let (_, rule) = table.rule(&related.rule).unwrap();
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
pub(crate) fn options<'t>(path: &Path, table: &'t RuleTable) -> CheckOptions<'t> {
    CheckOptions::new(vec![path.to_owned()], table, Lifecycle::on(day()))
}

/// A folder with files, in which the program is run as a user would, in a clean environment.
pub(crate) struct Desk {
    folder: tempfile::TempDir,
}

/// The output and the exit code of a run.
pub(crate) struct Ran {
    pub(crate) stdout: String,
    pub(crate) stderr: String,
    pub(crate) code: i32,
}

impl Desk {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// Adds a file.
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs the program on the day of the expectations, unless the arguments say another.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ran {
        self.run_with(arguments, b"")
    }

    /// Runs `rules import` on a list that it refuses, and returns its message.
    pub(crate) fn run_import(&self, name: &str) -> String {
        let ran = self.run(&["rules", "import", name]);
        assert_eq!((ran.stdout.as_str(), ran.code), ("", 2), "{}", ran.stderr);
        ran.stderr
    }

    /// Runs the program with this standard input.
    pub(crate) fn run_with(&self, arguments: &[&str], stdin: &[u8]) -> Ran {
        self.run_in(&[], arguments, stdin)
    }

    /// Runs the program in a subfolder.
    pub(crate) fn run_below(&self, folder: &str, arguments: &[&str]) -> Ran {
        start(&self.path(folder), &[], arguments, b"")
    }

    /// Runs the program with these environment variables.
    pub(crate) fn run_in(
        &self,
        environment: &[(&str, &str)],
        arguments: &[&str],
        stdin: &[u8],
    ) -> Ran {
        start(self.folder.path(), environment, arguments, stdin)
    }
}

/// The names of the report formats.
pub(crate) fn report_formats() -> Vec<&'static str> {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| names_for("--format"));
    NAMES.iter().map(String::as_str).collect()
}

/// The names of the input formats.
pub(crate) fn input_formats() -> Vec<&'static str> {
    static NAMES: LazyLock<Vec<String>> = LazyLock::new(|| names_for("--input-format"));
    NAMES.iter().map(String::as_str).collect()
}

/// The names that a flag takes, as the message about any other name lists them.
fn names_for(flag: &str) -> Vec<String> {
    let ran = Desk::new().run(&["check", flag, "none"]);
    let line = ran.stderr.lines().next().unwrap();
    let (_, names) = line.split_once("formats are ").unwrap();
    names.split(", ").map(str::to_owned).collect()
}

/// Runs the program in a folder.
fn start(folder: &Path, environment: &[(&str, &str)], arguments: &[&str], stdin: &[u8]) -> Ran {
    let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_sundown"));
    command.env_clear().envs(environment.iter().copied());
    command
        .current_dir(folder)
        .args(arguments)
        .write_stdin(stdin);
    if arguments.first() == Some(&"check") && !arguments.contains(&"--as-of") {
        command.args(["--as-of", "2026-11-20"]);
    }
    let output = command.output().unwrap();
    Ran {
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
        code: output.status.code().unwrap(),
    }
}
