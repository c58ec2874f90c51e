//! The part of the command line about findings that people live with: the baseline, and what has changed.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use sundown::input::Gauge;
use sundown::run::{
    BaselineError, Changed, Gate, Gone, Status, changed_since, check, read_baseline,
    update_baseline,
};
use sundown::source::escaped;
use sundown::suppression::{Baseline, Extent, Scope, Suppression};

use super::{CheckArgs, print};
use crate::progress::{Progress, stop_on_interrupt};

/// Where the baseline is written where nobody says.
const DEFAULT_FILE: &str = "sundown-baseline.json";

#[derive(Debug, Args)]
pub(super) struct BaselineArgs {
    /// Take entries out that match nothing any more.
    #[arg(long, help_heading = "Known findings")]
    prune: bool,
    #[command(flatten)]
    check: CheckArgs,
}

impl BaselineArgs {
    pub(super) fn run(self) -> miette::Result<Status> {
        if self.check.no_baseline {
            let help = "name the file that is to be written with --baseline";
            return Err(miette::miette!(help = help, "--no-baseline leaves nothing to write"));
        }
        let path = self.check.baseline.clone().unwrap_or_else(|| PathBuf::from(DEFAULT_FILE));
        let known = match read_baseline(&path) {
            Err(BaselineError::Missing(name)) => Baseline::empty(&name),
            read => read?,
        };
        let table = self.check.rules.load()?;
        let suppression = self.check.allowances().with_baseline(known.clone());
        let mut options = self.check.options(&table, suppression)?;
        options.aside.push(path.clone());
        options.fold = true;
        let gauge = Arc::new(Gauge::default());
        stop_on_interrupt(&gauge);
        let progress = Progress::watch(&gauge, options.size());
        let outcome = check(&options, &mut io::stdin(), &gauge);
        drop(progress);
        let gate = Gate { fail_on: None, strict: self.check.strict };
        match gate.status(&outcome) {
            Status::Clean | Status::Findings => {}
            // What was not read to its end says too little: nothing is written.
            Status::Interrupted => return Ok(Status::Interrupted),
            Status::Failed => {
                let help = "`sundown check` with the same arguments tells what";
                return Err(miette::miette!(
                    help = help,
                    "something could not be read; the baseline is as it was"
                ));
            }
        }
        let gone = if self.prune { Gone::Prune } else { Gone::Keep };
        let verbosity = self.check.verbosity();
        let update = update_baseline(&path, &known, &outcome.report, gone, verbosity)?;
        if self.check.quiet { Ok(Status::Clean) } else { print(&update.output) }
    }
}

impl CheckArgs {
    /// What findings are held against: the allowances, and the baseline if there is one.
    pub(super) fn suppression(&self) -> miette::Result<Suppression> {
        let suppression = self.allowances();
        match &self.baseline {
            Some(path) => Ok(suppression.with_baseline(read_baseline(path)?)),
            None => Ok(suppression),
        }
    }

    /// The configuration's allowances.
    fn allowances(&self) -> Suppression {
        Suppression::default()
    }

    /// What of the project is looked at: flags that leave something out, and paths below the root, make it a part.
    pub(super) fn scope(&self, root: &Path) -> Scope {
        let extent = |whole: bool| if whole { Extent::Whole } else { Extent::Part };
        let globs = !self.include.is_empty() || !self.exclude.is_empty();
        let tables = self.rules.no_builtin_rules || !self.rules.without_table.is_empty();
        Scope {
            files: extent(!globs && self.paths.iter().any(|path| holds(path, root))),
            rules: extent(!tables),
            checks: extent(self.role.is_none()),
        }
    }

    /// Which files have changed, where the user wants no others.
    pub(super) fn changed(&self) -> miette::Result<Option<Changed>> {
        let Some(revision) = &self.changed_since else { return Ok(None) };
        let changed = changed_since(revision)?;
        if let Some(path) = changed.outside(&self.paths) {
            let path = path.display().to_string();
            let help = "run sundown in the repository to which the files belong";
            return Err(miette::miette!(
                help = help,
                "{} is outside of the repository in which changes are looked for",
                escaped(&path)
            ));
        }
        Ok(Some(changed))
    }
}

/// Whether `root` is the folder at `path`, or in it.
fn holds(path: &Path, root: &Path) -> bool {
    let real = |path: &Path| std::fs::canonicalize(path).ok();
    real(root).zip(real(path)).is_some_and(|(root, path)| root.starts_with(path))
}
