//! `sundown explain` and `sundown rules show`: the page of a rule or of a check.

use clap::Args;

use super::Result;
use super::console::print;
use super::options::{ConfigArgs, DateArgs, RuleArgs};
use crate::findings::Check;
use crate::report::{Failure, Verbosity};
use crate::run::{Status, apply_config, explain_check, explain_rule};
use crate::text::most_similar;

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The id of the rule or check, as findings show it.
    id: String,
    #[command(flatten)]
    rules: RuleArgs,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    dates: DateArgs,
}

impl ExplainArgs {
    pub(super) fn run(&self) -> Result<Status> {
        let (config, file) = self.rules.resolve_config(&self.config)?;
        let mut table = self.config.load_rules(&config, Verbosity::Normal)?;
        if let Some(file) = &file {
            apply_config(file, &mut table, super::scope::rules_completeness(&config, Some(file)))?;
        }
        let Some((index, _)) = table.rule(&self.id) else {
            if let Some(check) = Check::from_id(&self.id) {
                return print(&explain_check(check));
            }
            let nearest = most_similar(&self.id, table.rules().iter().map(|rule| rule.id.as_str()));
            let nearest = nearest.map(|id| format!("the nearest is `{id}`; ")).unwrap_or_default();
            let help = format!("{nearest}`sundown rules list` lists them all");
            return Err(Failure::with_help(format!("there is no rule `{}`", self.id), help));
        };
        print(&explain_rule(&table, index, &self.dates.lifecycle()))
    }
}
