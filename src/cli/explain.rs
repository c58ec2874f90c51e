//! `sundown explain`: the page of a rule, a check or a requirement.

use clap::Args;

use super::console::{Result, print, screen_width};
use super::flags::RuleFlags;
use super::options::{ConfigArgs, DateArgs, finding_detail, load_and_apply};
use crate::builtin::LIBRARY;
use sundown_files::FileAccess;
use sundown_lint::findings::Check;
use sundown_lint::rules::{Pack, RuleOptions, RuleSet};
use sundown_report::{Failure, Verbosity};
use sundown_run::config::Config;
use sundown_run::{
    Status, explain_check, explain_requirement, explain_rule, find_rules, list_matches, load_rules,
    nearest_rule_name, rule_options,
};
use sundown_text_json::text::quote_list;

#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The id of a rule or check, an operation ('POST /rest/api/v1/chat', or `chat`), or the name of an element.
    #[arg(value_name = "ID|OPERATION|NAME")]
    topic: String,
    /// List all operations of the rule.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    flags: RuleFlags,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    dates: DateArgs,
}

impl ExplainArgs {
    pub(super) fn run(&self, access: &FileAccess) -> Result<Status> {
        let mut config = self
            .config
            .resolve(&self.flags.given, &[], Verbosity::Normal, access)?;
        let options = RuleOptions {
            own_versions: vec![self.topic.clone()],
            ..rule_options(&config)
        };
        let (set, _) = load_and_apply(options, &mut config, Verbosity::Normal, access)?;
        if let Some(check) = Check::from_id(&self.topic).filter(|_| set.rule(&self.topic).is_none())
        {
            return print(&explain_check(check));
        }
        if let Some(page) = find_requirement(&set, &self.topic) {
            return print(&page);
        }
        let lifecycle = self.dates.lifecycle();
        match find_rules(&set, &self.topic).as_slice() {
            [] => Err(Failure::with_help(
                format!("no rule has the id, operation or element `{}`", self.topic),
                help_with_rules(&set, &self.topic),
            )),
            &[rule] => print(&explain_rule(
                &set,
                rule,
                &lifecycle,
                finding_detail(self.all),
            )),
            several => {
                let width = screen_width();
                print(&list_matches(several, &self.topic, &lifecycle, width))
            }
        }
    }
}

/// The number of rules that a remedy names.
const MAX_NAMED: usize = 3;

/// Names the rules about a name that is no id, the pack that has some, or the nearest name, and the command that lists all.
pub(super) fn help_with_rules(set: &RuleSet, name: &str) -> String {
    let about = find_rules(set, name).into_iter().map(|rule| &rule.id);
    let about: Vec<_> = about.take(MAX_NAMED).collect();
    let nearest = if !about.is_empty() {
        format!("rules about it: {}; ", quote_list(about))
    } else if let Some(pack) = LIBRARY.packs.iter().find(|pack| has_rules(pack, name)) {
        format!("`--pack {}` has rules about it; ", pack.name)
    } else {
        let nearest = nearest_rule_name(set, name);
        nearest.map_or_else(String::new, |name| format!("the nearest is `{name}`; "))
    };
    format!("{nearest}`sundown rules list` lists all rules")
}

/// Whether a pack has rules about a name.
fn has_rules(pack: &Pack, name: &str) -> bool {
    let files = pack.load().ok();
    let pack = files.and_then(|files| RuleSet::new(files).ok());
    pack.is_some_and(|pack| !find_rules(&pack, name).is_empty())
}

/// Returns the page of a requirement of the run, or of a built-in one that the run does not use.
fn find_requirement(set: &RuleSet, id: &str) -> Option<String> {
    let mut builtin = Config::default();
    builtin.settings.builtin_rules = false;
    builtin.settings.contract = true;
    let page = |set: &RuleSet| explain_requirement(set.requirements()?, id);
    page(set).or_else(|| {
        page(
            &load_rules(
                RuleOptions::default(),
                LIBRARY,
                &builtin,
                &FileAccess::default(),
            )
            .ok()?,
        )
    })
}
