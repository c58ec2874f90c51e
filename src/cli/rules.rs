//! `sundown rules`: lists, checks, imports and exports rules.

use std::io;
use std::path::PathBuf;

use chrono::NaiveDate;
use clap::{Args, Subcommand, ValueEnum};

use super::console::{Result, print, print_error, print_notes, print_written, screen_width};
use super::flags::RuleFlags;
use super::input::side_parser;
use super::options::{
    ConfigArgs, DateArgs, ReferenceArgs, finding_detail, load_configured_rules, parse_day,
};
use crate::builtin::LIBRARY;
use sundown_exchange::Side;
use sundown_files::FileAccess;
use sundown_lint::body_schema;
use sundown_lint::rules::lists::ListFormat;
use sundown_lint::rules::lists::export::export;
use sundown_lint::rules::{RuleFile, RuleLibrary, RuleOptions, RuleSet};
use sundown_report::{Failure, Verbosity, plural};
use sundown_run::config::Config;
use sundown_run::{
    ImportFormat, RuleListOptions, RulesReader, Status, find_faulty_fixes, import, list_packs,
    list_rules, load_rules, resolve_operation_name, rule_table,
};
use sundown_text_json::text::ExpansionFactor;

#[derive(Debug, Subcommand)]
pub(super) enum RulesCommand {
    /// List the rules with their removal dates; of a long table, those that end next.
    List(ListArgs),
    /// List the packs: rules about public APIs that --pack adds.
    Packs(DateArgs),
    /// Check rules files, and report every mistake in them.
    #[command(alias = "validate")]
    Check(CheckRulesArgs),
    /// Print a rules file that is made from a published deprecation list or an OpenAPI description.
    Import(ImportArgs),
    /// Write rules in another format.
    #[command(after_help = "Rules that the format cannot express are listed on standard error.")]
    Export(ExportArgs),
}

#[derive(Debug, Args)]
pub(super) struct ListArgs {
    /// List only rules whose element ends before this date.
    #[arg(long, value_name = "YYYY-MM-DD", value_parser = parse_day)]
    removal_before: Option<NaiveDate>,
    /// List every rule of long tables, too.
    #[arg(long)]
    all: bool,
    /// Write all rules as one table in this format.
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: Option<RuleListFormatArg>,
    #[command(flatten)]
    flags: RuleFlags,
    #[command(flatten)]
    config: ConfigArgs,
    #[command(flatten)]
    dates: DateArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum RuleListFormatArg {
    /// A table in GitHub Flavored Markdown.
    Markdown,
    /// Comma-separated values with a header.
    Csv,
}

#[derive(Debug, Args)]
pub(super) struct CheckRulesArgs {
    /// The rules files (TOML).
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// Multiply the expansion limits of API descriptions by this number (default: 1).
    #[arg(long, value_name = "FACTOR")]
    max_expansion: Option<ExpansionFactor>,
    #[command(flatten)]
    references: ReferenceArgs,
}

impl RulesCommand {
    pub(super) fn run(self, access: &FileAccess) -> Result<Status> {
        match self {
            Self::List(args) => args.run(access),
            Self::Packs(dates) => print(&list_packs(LIBRARY.packs, &dates.lifecycle())?),
            Self::Check(args) => args.run(access),
            Self::Import(args) => args.run(access),
            Self::Export(args) => args.run(access),
        }
    }
}

impl ListArgs {
    fn run(&self, access: &FileAccess) -> Result<Status> {
        let config = self
            .config
            .resolve(&self.flags.given, &[], Verbosity::Normal, access)?;
        let set =
            load_configured_rules(RuleOptions::default(), &config, Verbosity::Normal, access)?;
        let options = RuleListOptions {
            removal_before: self.removal_before,
            detail: finding_detail(self.all),
            only_packs: config.settings.is_typed("packs"),
            width: screen_width(),
        };
        match self.format {
            Some(format) => {
                let (columns, rows) = rule_table(&set, options);
                print_written(|out| match format {
                    RuleListFormatArg::Markdown => columns.write_markdown(rows, out),
                    RuleListFormatArg::Csv => columns.write_csv(rows, out),
                })
            }
            None => print(&list_rules(&set, options, &self.dates.lifecycle())),
        }
    }
}

impl CheckRulesArgs {
    /// Checks each file by itself, reports every bad one, and then checks that all can be used together.
    fn run(&self, access: &FileAccess) -> Result<Status> {
        let mut config = Config::default();
        config.settings.references = self.references.scope();
        config.settings.limits.expansion = self.max_expansion.unwrap_or_default();
        let mut status = Status::Clean;
        for file in &self.files {
            let rules = match RulesReader::new(&config, access).read(file) {
                Ok(rules) => rules,
                Err(error) => {
                    status = Status::Failed;
                    print_error(&error.text());
                    continue;
                }
            };
            print_notes(&rules.notes, Verbosity::Normal);
            let mut warnings = String::new();
            if let Some(doubts) = rules.doubts.clone() {
                warnings = format!(", {}", plural(doubts.mistakes.len(), "warning"));
                print_error(&Failure::from(doubts).text());
            }
            if rules.rules.iter().any(|rule| rule.names_path) {
                status = status.max(Status::Findings);
            }
            let count = plural(rules.count(), "rule");
            let unread = rules.rules.iter().filter(|rule| rule.has_unreadable_end);
            let mistakes = match unread.count() + print_faulty_fixes(&rules) {
                0 => "no mistakes".to_owned(),
                mistakes => {
                    status = Status::Failed;
                    plural(mistakes, "mistake")
                }
            };
            let name = file.display();
            print(&format!("{name}: {count}, {mistakes}{warnings}\n"))?;
        }
        if status != Status::Failed {
            config.settings.rules.clone_from(&self.files);
            load_rules(
                RuleOptions::default(),
                RuleLibrary::default(),
                &config,
                access,
            )?;
        }
        Ok(status)
    }
}

/// Names the rules whose fix leaves their own example with a finding, and returns their number.
fn print_faulty_fixes(rules: &RuleFile) -> usize {
    // A file with equal ids is refused later.
    let set = RuleSet::new(vec![rules.clone()]);
    let faulty = set.map(|set| find_faulty_fixes(&set));
    let faulty = faulty.unwrap_or_default();
    for (rule, refusal) in &faulty {
        let id = &rule.id;
        let message = format!("rule `{id}`: its fix does not mend its own example: {refusal}");
        let help = "name an edit after which no rule has a finding";
        print_error(&Failure::with_help(message, help).text());
    }
    faulty.len()
}

#[derive(Debug, Args)]
pub(super) struct ExportArgs {
    /// The output format.
    #[arg(long, value_enum, value_name = "FORMAT")]
    format: ExportFormatArg,
    /// The operation whose bodies the schema describes (json-schema only): 'POST /rest/api/v1/chat', or `chat`.
    #[arg(long, value_name = "OP", required_if_eq("format", "json-schema"))]
    operation: Option<String>,
    /// The side of these bodies (json-schema only).
    #[arg(long, value_parser = side_parser(), default_value = "request", requires = "operation")]
    side: Side,
    #[command(flatten)]
    flags: RuleFlags,
    #[command(flatten)]
    config: ConfigArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ExportFormatArg {
    /// A Markdown table.
    Markdown,
    /// Comma-separated values, which can be imported again.
    Csv,
    /// JSON, which can be imported again.
    Json,
    /// A JSON Schema that marks the deprecated members of bodies while a person edits them.
    JsonSchema,
}

/// How editors apply a schema.
const EDITOR_SETTINGS: &str = include_str!("editor_settings.txt");

impl ExportArgs {
    fn run(&self, access: &FileAccess) -> Result<Status> {
        let config = self
            .config
            .resolve(&self.flags.given, &[], Verbosity::Normal, access)?;
        let rules =
            load_configured_rules(RuleOptions::default(), &config, Verbosity::Normal, access)?;
        let Some(format) = self.format.format() else {
            return self.write_schema(&rules);
        };
        if self.operation.is_some() {
            let help = "leave it out, or choose the format json-schema";
            return Err(Failure::with_help("--operation is for json-schema", help));
        }
        let exported = export(format, &rules).map_err(|nothing| {
            Failure::with_help(nothing, "add rules with --rules, or choose another format")
        })?;
        for line in &exported.left_out {
            print_error(line);
        }
        print(&exported.text)
    }

    /// Writes the schema of the bodies of an operation.
    fn write_schema(&self, rules: &RuleSet) -> Result<Status> {
        let name = self.operation.as_deref().unwrap_or_default();
        let operation = resolve_operation_name(name, rules).map_err(|error| {
            Failure::with_help(format!("--operation: {}", error.message), error.help)
        })?;
        let schema = body_schema(rules, &operation, self.side).map_err(|error| {
            let help = "`sundown rules list` has the operations and elements of all rules";
            Failure::with_help(format!("{operation}: {error}"), help)
        })?;
        print_error(EDITOR_SETTINGS.trim_end());
        print(&format!("{schema:#}\n"))
    }
}

impl ExportFormatArg {
    /// The format of a list of rules; `None` for a schema.
    fn format(self) -> Option<ListFormat> {
        Some(match self {
            Self::Markdown => ListFormat::Markdown,
            Self::Csv => ListFormat::Csv,
            Self::Json => ListFormat::Json,
            Self::JsonSchema => return None,
        })
    }
}

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// The list: a table in Markdown, CSV or JSON (`-` is standard input); or an OpenAPI description.
    file: PathBuf,
    /// Read the file in this format, instead of recognising it.
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<ImportFormatArg>,
    /// The name of the API in the rules file (default: the title of the description, or the file name of the list).
    #[arg(long, value_name = "NAME")]
    api: Option<String>,
    /// Also import elements that only the text of a description calls deprecated. Their findings are possible.
    #[arg(long)]
    deprecations_from_text: bool,
    /// If extensions of a deprecated element give no date, take the date that its text states.
    #[arg(long)]
    dates_from_text: bool,
    /// Multiply the expansion limits of a description by this number (default: 1).
    #[arg(long, value_name = "FACTOR")]
    max_expansion: Option<ExpansionFactor>,
    #[command(flatten)]
    references: ReferenceArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ImportFormatArg {
    /// A table in a Markdown document.
    Markdown,
    /// Comma-separated values with a header.
    Csv,
    /// `{"endpoints": [{"method", "path", "deprecations": [{"type", "name", ...}]}]}`.
    Json,
    /// An OpenAPI description, in JSON or YAML.
    Openapi,
}

impl ImportArgs {
    pub(super) fn run(self, access: &FileAccess) -> Result<Status> {
        let mut config = Config::default();
        let settings = &mut config.settings;
        settings.references = self.references.scope();
        settings.deprecations_from_text = self.deprecations_from_text;
        settings.dates_from_text = self.dates_from_text;
        settings.limits.expansion = self.max_expansion.unwrap_or_default();
        let (format, stdin) = (self.from.map(ImportFormatArg::format), &mut io::stdin());
        let outcome = import(
            &self.file,
            format,
            self.api.as_deref(),
            &config,
            access,
            stdin,
        )?;
        for remark in &outcome.remarks {
            print_error(remark);
        }
        print(&outcome.rules)
    }
}

impl ImportFormatArg {
    fn format(self) -> ImportFormat {
        match self {
            Self::Markdown => ImportFormat::List(ListFormat::Markdown),
            Self::Csv => ImportFormat::List(ListFormat::Csv),
            Self::Json => ImportFormat::List(ListFormat::Json),
            Self::Openapi => ImportFormat::Description,
        }
    }
}
