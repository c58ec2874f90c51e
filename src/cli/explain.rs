//! `sundown explain` and `sundown rules show`: the page of a rule or of a check, and the exchanges that have its element.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::console::Result;
use super::console::{print, print_error};
use super::input::InputArgs;
use super::options::{ConfigArgs, DateArgs, RuleArgs, load_configured_rules};
use super::progress::{ProgressDisplay, stop_on_interrupt};
use super::scope::{load_suppression, rules_completeness};
use crate::config::{ConfigFile, ResolvedConfig};
use crate::files::FileAccess;
use crate::findings::Check;
use crate::formats::Gauge;
use crate::lint::InnerElements;
use crate::report::{Failure, FindingDetail, MAX_USES, Verbosity, write_uses, write_uses_as_json};
use crate::rules::RuleTable;
use crate::run::{
    AppliedConfig, CheckOptions, Gate, RuleSelection, Status, apply_config, explain_check,
    explain_requirement, explain_rule, find_rules, list_matches, list_uses, load_rules,
    nearest_rule_name,
};

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The id of a rule or check, an operation ('POST /rest/api/v1/chat', or `chat`), or the name of an element.
    #[arg(value_name = "ID|OPERATION|NAME")]
    topic: String,
    /// List all operations of the rule; with --in, all uses.
    #[arg(long)]
    all: bool,
    /// List the exchanges in this file or folder that have the element of the rule; `-` is standard input; repeatable.
    #[arg(long = "in", value_name = "PATH", help_heading = "Uses in traffic")]
    paths: Vec<PathBuf>,
    /// List at most this many uses, the earliest (default: 1000).
    #[arg(
        long,
        value_name = "N",
        requires = "paths",
        conflicts_with = "all",
        help_heading = "Uses in traffic"
    )]
    limit: Option<usize>,
    /// How uses are written.
    #[arg(long, value_enum, requires = "paths", help_heading = "Uses in traffic")]
    format: Option<UseFormat>,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    dates: DateArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum UseFormat {
    Human,
    Json,
}

impl ExplainArgs {
    pub(super) fn run(&self, access: &FileAccess) -> Result<Status> {
        if self.paths.is_empty() && self.input.is_given() {
            let help = "name the files to search with --in, or leave out how they are read";
            return Err(Failure::with_help(
                "only files are read in a certain way",
                help,
            ));
        }
        let (config, file) = self
            .rules
            .resolve_config(&self.config, &self.paths, access)?;
        let mut table = load_configured_rules(&config, Verbosity::Normal, access)?;
        let applied = match &file {
            Some(file) => apply_config(file, &mut table, rules_completeness(&config, Some(file)))?,
            None => AppliedConfig::default(),
        };
        if let Some(check) =
            Check::from_id(&self.topic).filter(|_| table.rule(&self.topic).is_none())
        {
            return if self.paths.is_empty() {
                print(&explain_check(check))
            } else {
                let help = "`sundown rules list` lists the rules";
                Err(Failure::with_help(
                    format!("--in needs a rule, and `{}` is a check", check.id()),
                    help,
                ))
            };
        }
        let requirement = find_requirement(&table, &self.topic);
        if let Some(page) = requirement.filter(|_| self.paths.is_empty()) {
            return print(&page);
        }
        let lifecycle = self.dates.lifecycle();
        table.add_version(&self.topic);
        match find_rules(&table, &self.topic).as_slice() {
            [] => Err(unknown_topic(&table, &self.topic)),
            &[index] if self.paths.is_empty() => {
                print(&explain_rule(&table, index, &lifecycle, self.detail()))
            }
            &[index] => self.list_uses((&config, file.as_ref()), applied, (table, index), access),
            several if self.paths.is_empty() => {
                print(&list_matches(&table, several, &self.topic, &lifecycle))
            }
            several => {
                let ids = several.iter().filter_map(|&index| table.rules().get(index));
                let ids: Vec<_> = ids.map(|rule| rule.id.as_str()).collect();
                let help = format!("give the id of one of them: {}", ids.join(", "));
                let message = format!("--in needs one rule, and `{}` means several", self.topic);
                Err(Failure::with_help(message, help))
            }
        }
    }

    fn list_uses(
        &self,
        (config, file): (&ResolvedConfig, Option<&ConfigFile>),
        applied: AppliedConfig,
        (mut table, index): (RuleTable, usize),
        access: &FileAccess,
    ) -> Result<Status> {
        let Some(rule) = table.rules().get(index).cloned() else {
            return Ok(Status::Clean);
        };
        for warning in &applied.warnings {
            print_error(&format!("warning: {warning}"));
        }
        table.focus_on(&rule.id);
        let lifecycle = config.lifecycle(self.dates.day());
        let suppression = load_suppression(config, file, access)?;
        let options = self.input.options(
            (config, file),
            applied,
            (&table, lifecycle),
            suppression,
            access,
        )?;
        // A use inside of another is a use, too.
        let options = CheckOptions {
            inner: InnerElements::Separate,
            ..options
        };
        let most = (!self.all).then(|| self.limit.unwrap_or(MAX_USES));
        let gauge = Arc::new(Gauge::default());
        stop_on_interrupt(&gauge);
        let progress = ProgressDisplay::start(&gauge, options.size());
        let (list, report) = list_uses(&options, &rule, most, &mut io::stdin(), &gauge);
        drop(progress);
        let mut text = Vec::new();
        let written = match self.format {
            None | Some(UseFormat::Human) => write_uses(&list, &report, &mut text),
            Some(UseFormat::Json) => write_uses_as_json(&list, &report, &mut text),
        };
        written.map_err(|error| Failure::new(format!("the list could not be written: {error}")))?;
        print(&String::from_utf8_lossy(&text))?;
        // The list may be incomplete.
        Ok(Gate {
            fail_on: None,
            strict: true,
        }
        .status(&report))
    }

    fn detail(&self) -> FindingDetail {
        if self.all {
            FindingDetail::All
        } else {
            FindingDetail::Grouped
        }
    }
}

fn unknown_topic(table: &RuleTable, topic: &str) -> Failure {
    let nearest = nearest_rule_name(table, topic);
    let nearest = nearest
        .map(|name| format!("the nearest is `{name}`; "))
        .unwrap_or_default();
    let help = format!("{nearest}`sundown rules list` lists all rules");
    Failure::with_help(
        format!("no rule has the id, operation or element `{topic}`"),
        help,
    )
}

/// Returns the page of a requirement of the run, or of a built-in one that the run does not use.
fn find_requirement(table: &RuleTable, id: &str) -> Option<String> {
    let builtin = RuleSelection {
        no_builtin: true,
        contract: true,
        ..RuleSelection::default()
    };
    let page = |table: &RuleTable| explain_requirement(table.requirements()?, id);
    page(table).or_else(|| page(&load_rules(&builtin).ok()?))
}
