//! `sundown fix`: its arguments, and what it prints.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::console::{Result, print, print_error, print_written, with_progress};
use super::flags::TrafficFlags;
use super::input::InputArgs;
use super::options::{ConfigArgs, DateArgs, load_and_apply, load_suppression, print_warnings};
use sundown_files::FileAccess;
use sundown_lint::InnerElements;
use sundown_report::{Failure, Verbosity, plural, write_failed};
use sundown_run::config::Config;
use sundown_run::{
    AppliedEdit, Backup, ChangedFile, ChangedFiles, EditRefusal, FixLevel, FixOutcome, Gate,
    Status, find_unsaved_files, fix_files, rule_options,
};
use sundown_text_json::text::escape_unsafe;

#[derive(Debug, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub(super) struct FixArgs {
    /// Files and folders (default: `paths` of the configuration, or `.`).
    paths: Vec<PathBuf>,
    /// Change the files. Without it, nothing is written.
    #[arg(long, help_heading = "Fixing")]
    write: bool,
    /// Print the changes as a patch for `git apply`, which shows the lines around each edit with all that is in them.
    #[arg(long, conflicts_with = "write", help_heading = "Fixing")]
    diff: bool,
    /// Which edits: those that keep the meaning, or also those that a person has to look at.
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        default_value = "safe",
        help_heading = "Fixing"
    )]
    fix: LevelArg,
    /// End with 1 if something would change.
    #[arg(long, conflicts_with = "write", help_heading = "Fixing")]
    check: bool,
    /// Also change files that are new, ignored, or have changes that are not committed in git.
    #[arg(long, requires = "write", help_heading = "Fixing")]
    allow_dirty: bool,
    /// Keep the old content of each changed file in a file with `.orig` after its name.
    #[arg(long, requires = "write", help_heading = "Fixing")]
    backup: bool,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    flags: TrafficFlags,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    dates: DateArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
pub(super) enum LevelArg {
    Safe,
    Unsafe,
}

impl LevelArg {
    pub(super) fn level(self) -> FixLevel {
        match self {
            Self::Safe => FixLevel::Safe,
            Self::Unsafe => FixLevel::Unsafe,
        }
    }
}

impl FixArgs {
    pub(super) fn run(&self, access: &FileAccess) -> Result<Status> {
        let verbosity = Verbosity::Normal;
        let mut config = self
            .config
            .resolve(&self.flags.given, &self.paths, verbosity, access)?;
        if config
            .settings
            .paths
            .iter()
            .any(|path| path == Path::new("-"))
        {
            let help = "name the file; `sundown check -` reads standard input";
            return Err(Failure::with_help("standard input cannot be changed", help));
        }
        let (set, warnings) =
            load_and_apply(rule_options(&config), &mut config, verbosity, access)?;
        print_warnings(&warnings, verbosity);
        let mut options = self
            .input
            .options(&config, &set, self.dates.day(), access)?;
        options.inner = InnerElements::Separate;
        options.suppression = load_suppression(&config, access)?;
        let mut done = FixProgress {
            // Without git, nothing is known of earlier versions.
            dirty: (self.write && !self.allow_dirty)
                .then(|| find_unsaved_files().ok())
                .flatten(),
            ..FixProgress::default()
        };
        let outcome = with_progress(options.size(), |_, gauge| {
            fix_files(&options, self.fix.level(), gauge, &mut |changed| {
                self.apply(changed, &config, &mut done)
            })
        });
        self.finish(&done, &outcome, config.settings.strict)
    }

    /// Writes the changed file, or prints what would change.
    fn apply(
        &self,
        changed: &ChangedFile,
        config: &Config,
        done: &mut FixProgress,
    ) -> Result<(), EditRefusal> {
        let rights = changed.rights(config)?;
        if self.write {
            let dirty = done.dirty.as_ref();
            if dirty.is_some_and(|dirty| dirty.has(&changed.input)) {
                return Err(EditRefusal::Uncommitted);
            }
            let backup = if self.backup {
                Backup::Keep
            } else {
                Backup::None
            };
            changed.write(&rights, backup)?;
        }
        if self.diff {
            changed.write_patch(&mut done.output)?;
        } else {
            for edit in &changed.edits {
                let _ = writeln!(done.output, "{}", line(&changed.input.name.shown, edit));
            }
        }
        done.files += 1;
        done.edits += changed.edits.len();
        Ok(())
    }

    /// Prints what was done, what was left, and why.
    fn finish(&self, done: &FixProgress, outcome: &FixOutcome, strict: bool) -> Result<Status> {
        let text = self.summary(done, outcome);
        print_written(|out| out.write_all(&done.output))?;
        if self.diff {
            // The patch alone is on standard output.
            print_error(text.trim_end());
        } else {
            print(&text)?;
        }
        let gate = Gate {
            fail_on: None,
            strict,
        };
        let is_written = outcome.left.iter().all(|left| {
            !matches!(
                left.refusal,
                EditRefusal::System(_) | EditRefusal::Uncommitted
            )
        });
        Ok(match gate.status(&outcome.report) {
            Status::Clean | Status::Findings if !is_written => Status::Failed,
            Status::Clean | Status::Findings if self.check && done.edits > 0 => Status::Findings,
            Status::Clean | Status::Findings => Status::Clean,
            Status::Failed => {
                let mut failed = Vec::new();
                // Memory takes all that is written.
                let _ = write_failed(&outcome.report, &mut failed);
                failed.extend(b"error: something could not be checked");
                print_error(&String::from_utf8_lossy(&failed));
                Status::Failed
            }
            Status::Interrupted => Status::Interrupted,
        })
    }

    fn summary(&self, done: &FixProgress, outcome: &FixOutcome) -> String {
        let mut text = String::new();
        for left in &outcome.left {
            let _ = writeln!(
                text,
                "left: {}: {}",
                line(&left.file, &left.edit),
                escape_unsafe(&left.refusal.to_string())
            );
        }
        for unread in &outcome.unread {
            let _ = writeln!(text, "left: {unread}: by hand");
        }
        if !outcome.recorded.is_empty() {
            text.push_str("Recorded traffic is not changed. Record these files again:\n");
        }
        for (file, count) in &outcome.recorded {
            let _ = writeln!(
                text,
                "  {} ({})",
                escape_unsafe(file),
                plural(*count, "finding")
            );
        }
        if outcome.without_edit > 0 {
            let count = plural(outcome.without_edit, "finding");
            let _ = writeln!(
                text,
                "{count} without an edit: `sundown check` lists what is in use."
            );
        }
        let (edits, files) = (plural(done.edits, "edit"), plural(done.files, "file"));
        let _ = match (done.edits, self.write) {
            (0, _) => writeln!(text, "No edit to make."),
            _ if self.diff => writeln!(text, "{edits} in {files}."),
            (_, true) => writeln!(text, "{edits} made in {files}."),
            (_, false) => writeln!(
                text,
                "{edits} in {files} would be made: `--write` makes them, `--diff` shows them."
            ),
        };
        text
    }
}

/// What was done so far.
#[derive(Debug, Default)]
struct FixProgress {
    /// The files that are new or changed in git.
    dirty: Option<ChangedFiles>,
    files: usize,
    edits: usize,
    output: Vec<u8>,
}

/// An edit in one line, as compilers write places. It shows names and values of the rule only.
fn line(file: &str, edit: &AppliedEdit) -> String {
    let AppliedEdit { location, rule, .. } = edit;
    let line = format!("{file}:{location}: {} [{}]", edit.phrase(), rule.id);
    escape_unsafe(&line).into_owned()
}
