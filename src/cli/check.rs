//! `sundown check`: its arguments, the run that they describe, and how it is reported.

use std::io;
use std::mem::ManuallyDrop;
use std::path::PathBuf;

use anstream::AutoStream;
use clap::{ArgAction, Args, ColorChoice, ValueEnum};

use super::console::{Result, print_warning, screen_size, with_progress};
use super::fix::LevelArg;
use super::flags::CheckFlags;
use super::input::InputArgs;
use super::options::{
    ConfigArgs, DateArgs, find_changes, finding_detail, load_and_apply, load_suppression,
    print_warnings,
};
use super::outputs::{
    check_targets, earlier_reports, output_rights, printed_format, set_default_format,
};
use crate::builtin::LIBRARY;
use sundown_exchange::SkipKind;
use sundown_files::FileAccess;
use sundown_lint::Values;
use sundown_lint::findings::suppression::{RuleFilter, known_ids};
use sundown_lint::rules::{RuleSet, Severity};
use sundown_report::{
    Failure, FindingGrouping, OutputFormat, OutputTarget, RenderOptions, Report, Verbosity,
};
use sundown_run::config::Config;
use sundown_run::{
    CheckOptions, Gate, OutputRights, Status, UnusedPacks, check, check_and_stream, render,
    rule_options, suggest_edits,
};
use sundown_text_json::text::{did_you_mean, escape_unsafe};

#[derive(Debug, Args)]
#[allow(
    clippy::struct_excessive_bools,
    reason = "each is a switch of its own on the command line"
)]
pub(super) struct CheckArgs {
    /// Files and folders; `-` is standard input (default: `paths` of the configuration, or `.`).
    paths: Vec<PathBuf>,

    #[command(flatten)]
    flags: CheckFlags,
    /// Report only findings of the rule, requirement or check with this id.
    ///
    /// In the id, `*` is any text; repeatable.
    #[arg(long = "rule", value_name = "ID")]
    only: Vec<String>,
    /// Leave out findings of the rule, requirement or check with this id.
    ///
    /// In the id, `*` is any text; repeatable.
    #[arg(long, value_name = "ID")]
    ignore: Vec<String>,
    /// Check only files that changed in git since this branch, tag or commit.
    ///
    /// Of a branch, those count that changed since the current branch diverged from it.
    #[arg(long, value_name = "REV")]
    changed_since: Option<String>,
    #[command(flatten)]
    dates: DateArgs,
    /// Show every finding in full (human only).
    ///
    /// Of many findings about one element, one is shown in full by default.
    #[arg(long)]
    all: bool,
    /// What brings findings together (human only): their element, or the place in code that made the call, for a list of work.
    #[arg(
        long,
        value_enum,
        value_name = "WHAT",
        default_value = "element",
        conflicts_with = "all",
        help_heading = "Output"
    )]
    group_by: GroupByArg,
    /// When to use colour.
    #[arg(
        long,
        value_enum,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Output"
    )]
    color: ColorChoice,
    /// Report only findings and what could not be checked.
    ///
    /// Leaves out the summary, the notes on the rules, and hints.
    #[arg(short, long, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Name every skipped file.
    #[arg(short, long, action = ArgAction::SetTrue, help_heading = "Output")]
    verbose: bool,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    config: ConfigArgs,
    /// Report every use, instead of one finding for equal uses in a file (ndjson only).
    #[arg(long, help_heading = "Output")]
    no_fold: bool,
    /// List only the names of the files with findings.
    #[arg(short = 'l', long, conflicts_with = "no_fold", help_heading = "Output")]
    files_with_findings: bool,
    /// Show the values of deprecated keys in text reports and in JSON if they are true, false, null, or named by the rule.
    #[arg(long, help_heading = "Output")]
    show_values: bool,
    /// Look for the edits that `sundown fix` would make, and show them: in text, SARIF and rdjsonl.
    #[arg(
        long,
        value_enum,
        value_name = "LEVEL",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "safe",
        conflicts_with = "no_fold",
        help_heading = "Output"
    )]
    suggestions: Option<LevelArg>,
}

impl CheckArgs {
    pub(super) fn run(self, access: &FileAccess) -> Result<Status> {
        let mut config = self.resolve_config(access)?;
        if self.files_with_findings {
            list_files(&mut config)?;
        }
        let (set, warnings) =
            load_and_apply(rule_options(&config), &mut config, self.verbosity(), access)?;
        // The program ends with the run: to free thousands of rules one by one would only take time.
        let set = ManuallyDrop::new(set);
        print_warnings(&warnings, self.verbosity());
        let gate = Gate {
            fail_on: config.settings.fail_on,
            strict: config.settings.strict,
        };
        let rights = output_rights(&config, "format", access);
        check_targets(&config, self.no_fold, &rights)?;
        let suppression = load_suppression(&config, access)?;
        let mut options = self.options(&config, &set, access)?;
        options.suppression = suppression.clone();
        options.suppression.filter = self.filter(&set)?;
        options.own_files.extend(earlier_reports(&config));
        let targets = config.settings.format.as_slice();
        if let (true, [only]) = (self.no_fold, targets) {
            let report = with_progress(options.size(), |stdin, gauge| {
                check_and_stream(&options, stdin, gauge, only, &rights)
            });
            return Ok(gate.status(&report?));
        }
        let report = with_progress(options.size(), |stdin, gauge| {
            let mut report = check(&options, stdin, gauge);
            if let Some(level) = self.suggestions {
                // A changed file still has the findings that are left out.
                options.suppression = suppression;
                suggest_edits(&options, level.level(), gauge, &mut report);
            }
            report
        });
        self.write(&report, targets, gate.fail_on, &rights)?;
        Ok(gate.status(&report))
    }

    /// Finds the configuration, and lets the flags and the environment replace its settings.
    pub(super) fn resolve_config(&self, access: &FileAccess) -> Result<Config> {
        let (flags, verbosity) = (&self.flags.given, self.verbosity());
        let mut config = self.config.resolve(flags, &self.paths, verbosity, access)?;
        set_default_format(&mut config.settings);
        Ok(config)
    }

    /// Describes a run over the paths of the configuration.
    pub(super) fn options<'t>(
        &self,
        config: &Config,
        set: &'t RuleSet,
        access: &FileAccess,
    ) -> Result<CheckOptions<'t>> {
        let since = self.changed_since.as_deref();
        let options = self.input.options(config, set, self.dates.day(), access)?;
        Ok(CheckOptions {
            fold: !self.no_fold,
            values: if self.show_values {
                Values::Shown
            } else {
                Values::Hidden
            },
            unused: UnusedPacks::new(LIBRARY, &config.settings.packs),
            changed: since.map(|since| find_changes(since, config)).transpose()?,
            ..options
        })
    }

    /// Returns which rules the user asks for.
    pub(super) fn filter(&self, set: &RuleSet) -> Result<RuleFilter> {
        let filter = RuleFilter {
            only: self.only.clone(),
            without: self.ignore.clone(),
        };
        let Some(unknown) = filter.find_unknown(set) else {
            return Ok(filter);
        };
        let nearest = did_you_mean(&unknown.replace('*', ""), known_ids(set));
        let nearest = nearest.map(|nearest| format!("did you mean `{nearest}`? "));
        let nearest = nearest.unwrap_or_default();
        Err(Failure::with_help(
            format!("no rule, requirement or check has the id `{unknown}`"),
            format!("{nearest}`sundown rules list` lists all rules"),
        ))
    }

    pub(super) fn verbosity(&self) -> Verbosity {
        match (self.quiet, self.verbose) {
            (true, _) => Verbosity::Quiet,
            (_, true) => Verbosity::Verbose,
            _ => Verbosity::Normal,
        }
    }

    /// Writes a report to all targets.
    fn write(
        &self,
        report: &Report,
        targets: &[OutputTarget],
        fail_on: Option<Severity>,
        rights: &OutputRights,
    ) -> Result<()> {
        let options = RenderOptions {
            verbosity: self.verbosity(),
            detail: finding_detail(self.all),
            grouping: match self.group_by {
                GroupByArg::Element => FindingGrouping::Element,
                GroupByArg::Origin => FindingGrouping::Origin,
            },
            fail_on,
            screen: screen_size(),
        };
        let color = match self.color {
            ColorChoice::Auto => anstream::ColorChoice::Auto,
            ColorChoice::Never => anstream::ColorChoice::Never,
            ColorChoice::Always => anstream::ColorChoice::Always,
        };
        let mut terminal = AutoStream::new(io::stdout(), color).lock();
        let mut out = io::BufWriter::new(&mut terminal);
        render(report, targets, options, rights, &mut out)?;
        // Lists of findings have no place for the remarks.
        let has_place = targets.iter().any(|target| target.format.has_remarks);
        if !self.quiet && !targets.is_empty() && !has_place {
            for remark in &report.remarks {
                print_warning(remark.sentence());
            }
        }
        let mut formats = targets.iter().map(|target| target.format);
        if formats.any(|format| format == OutputFormat::FILES) {
            for group in report.skips_of(SkipKind::Failed) {
                let name = escape_unsafe(&group.file);
                print_warning(format!("{name}: {}", group.sentence()));
            }
        }
        Ok(())
    }
}

/// Lets standard output have the names of the files with findings in place of a report.
fn list_files(config: &mut Config) -> Result<()> {
    if let Some(flag) = printed_format(config) {
        let message = format!("--files-with-findings leaves no report for --{flag}");
        let help = format!("write the report to a file, or leave --{flag} out");
        return Err(Failure::with_help(message, help));
    }
    let targets = &mut config.settings.format;
    targets.retain(|target| target.file.is_some());
    targets.push(OutputTarget {
        format: OutputFormat::FILES,
        file: None,
    });
    Ok(())
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum GroupByArg {
    Element,
    Origin,
}
