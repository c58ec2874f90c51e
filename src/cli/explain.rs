//! `sundown explain` and `sundown rules show`: the page of a rule or of a check, and the exchanges that have its element.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::console::{Result, print, screen_width, with_progress};
use super::input::InputArgs;
use super::options::{ConfigArgs, DateArgs, RuleArgs, finding_detail};
use super::scope::{load_and_apply, load_suppression, print_warnings};
use crate::builtin::LIBRARY;
use sundown_files::FileAccess;
use sundown_lint::InnerElements;
use sundown_lint::findings::Check;
use sundown_lint::rules::RuleTable;
use sundown_report::{Failure, MAX_USES, Verbosity, write_uses, write_uses_as_json};
use sundown_run::config::ResolvedConfig;
use sundown_run::{
    AppliedConfig, Gate, RuleSelection, Status, explain_check, explain_requirement, explain_rule,
    find_rules, list_matches, list_uses, load_rules, nearest_rule_name,
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
    #[arg(long = "in", value_name = "PATH")]
    paths: Vec<PathBuf>,
    /// List at most this many uses, the earliest (default: 1000).
    #[arg(long, value_name = "N", requires = "paths", conflicts_with = "all")]
    limit: Option<usize>,
    /// How uses are written.
    #[arg(long, value_enum, requires = "paths")]
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
            return Err(Failure::with_help(
                "only files are read in a certain way",
                "name the files to search with --in, or leave out how they are read",
            ));
        }
        let config = self
            .rules
            .resolve_config(&self.config, &self.paths, access)?;
        let (mut table, applied) = load_and_apply(&config, Verbosity::Normal, access)?;
        if let Some(check) =
            Check::from_id(&self.topic).filter(|_| table.rule(&self.topic).is_none())
        {
            return if self.paths.is_empty() {
                print(&explain_check(check))
            } else {
                Err(Failure::with_help(
                    format!("--in needs a rule, and `{}` is a check", check.id()),
                    "`sundown rules list` lists the rules",
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
            &[index] if self.paths.is_empty() => print(&explain_rule(
                &table,
                index,
                &lifecycle,
                finding_detail(self.all),
            )),
            &[index] => self.list_uses(&config, applied, table, index, access),
            several if self.paths.is_empty() => {
                let width = screen_width();
                print(&list_matches(
                    &table,
                    several,
                    &self.topic,
                    &lifecycle,
                    width,
                ))
            }
            several => {
                let ids: Vec<_> = several
                    .iter()
                    .filter_map(|&index| table.rules().get(index))
                    .map(|rule| rule.id.as_str())
                    .collect();
                let help = format!("give the id of one of them: {}", ids.join(", "));
                let message = format!("--in needs one rule, and `{}` means several", self.topic);
                Err(Failure::with_help(message, help))
            }
        }
    }

    fn list_uses(
        &self,
        config: &ResolvedConfig,
        applied: AppliedConfig,
        mut table: RuleTable,
        index: usize,
        access: &FileAccess,
    ) -> Result<Status> {
        let Some(rule) = table.rules().get(index).cloned() else {
            return Ok(Status::Clean);
        };
        print_warnings(&applied, Verbosity::Normal);
        table.focus_on(&rule.id);
        let suppression = load_suppression(config, access)?;
        let mut options = self
            .input
            .options(config, applied, &table, self.dates.day(), access)?;
        options.suppression = suppression;
        // A use inside of another is a use, too.
        options.inner = InnerElements::Separate;
        let most = (!self.all).then(|| self.limit.unwrap_or(MAX_USES));
        let (list, report) = with_progress(options.size(), |stdin, gauge| {
            list_uses(&options, &rule, most, stdin, gauge)
        });
        let mut text = Vec::new();
        match self.format {
            None | Some(UseFormat::Human) => write_uses(&list, &report, &mut text),
            Some(UseFormat::Json) => write_uses_as_json(&list, &report, &mut text),
        }
        .map_err(|error| Failure::new(format!("the list could not be written: {error}")))?;
        print(&String::from_utf8_lossy(&text))?;
        // The list may be incomplete.
        Ok(Gate {
            fail_on: None,
            strict: true,
        }
        .status(&report))
    }
}

fn unknown_topic(table: &RuleTable, topic: &str) -> Failure {
    Failure::with_help(
        format!("no rule has the id, operation or element `{topic}`"),
        help_with_rules(table, topic),
    )
}

/// Names the rule that is nearest to an unknown name, and the command that lists all.
pub(super) fn help_with_rules(table: &RuleTable, name: &str) -> String {
    let nearest = nearest_rule_name(table, name)
        .map(|name| format!("the nearest is `{name}`; "))
        .unwrap_or_default();
    format!("{nearest}`sundown rules list` lists all rules")
}

/// Returns the page of a requirement of the run, or of a built-in one that the run does not use.
fn find_requirement(table: &RuleTable, id: &str) -> Option<String> {
    let builtin = RuleSelection {
        library: LIBRARY,
        no_builtin: true,
        contract: true,
        ..RuleSelection::default()
    };
    let page = |table: &RuleTable| explain_requirement(table.requirements()?, id);
    page(table).or_else(|| page(&load_rules(&builtin).ok()?))
}
