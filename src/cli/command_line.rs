//! The commands, with their arguments and help texts: parses the command line, and runs the command that it names.

use std::fmt::Write as _;
use std::process::ExitCode;

use clap::{Command, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use clap_complete::{Shell, generate};
use clap_mangen::Man;

use super::baseline::BaselineArgs;
use super::check::CheckArgs;
use super::config::{InitArgs, SchemaArg};
use super::console::{Result, print, print_error, print_written};
use super::explain::ExplainArgs;
use super::fix::FixArgs;
use super::formats::FormatsArgs;
use super::hints::with_hint;
use super::lsp::LspArgs;
use super::rules::RulesCommand;
use super::usage::UsageArgs;
use super::usage_report::MergeArgs;
use sundown_files::FileAccess;
use sundown_report::Failure;
use sundown_run::{Status, start_page};

/// Finds every use of deprecated API elements, graded by the days left until their removal.
#[derive(Debug, Parser)]
#[command(
    name = "sundown",
    version,
    propagate_version = true,
    max_term_width = 100
)]
struct Cli {
    #[command(subcommand)]
    command: CliCommand,
}

/// The commands by what they are for, as `--help` lists them.
const GROUPS: [(&str, &[&str]); 3] = [
    ("Checking", &["check", "baseline", "fix", "usage", "merge"]),
    ("Rules", &["rules", "explain"]),
    (
        "Setting up",
        &[
            "init",
            "config",
            "formats",
            "lsp",
            "schema",
            "completions",
            "manual",
        ],
    ),
];

const CHECK_HELP: &str = include_str!("check_help.txt").trim_ascii_end();

const USAGE_HELP: &str = include_str!("usage_help.txt").trim_ascii_end();

#[derive(Debug, Subcommand)]
enum CliCommand {
    /// Find uses of deprecated elements in traffic, JSON bodies and API descriptions.
    #[command(alias = "lint", after_help = CHECK_HELP)]
    Check(Box<CheckArgs>),
    /// Write findings to a baseline, so that `check --baseline FILE` counts only new ones.
    ///
    /// Takes the arguments of `check`; flags for grading and reports have no effect. Existing entries are kept, unless
    /// --prune removes those that no longer match.
    #[command(after_help = "Exit codes: 0 done, 2 not done: the file is unchanged.")]
    Baseline(Box<BaselineArgs>),
    /// Replace deprecated elements in files that people write, where the rule states how.
    ///
    /// Without --write, it only prints what it would change. Recorded traffic is never changed.
    #[command(
        after_help = "Exit codes: 0 done, 1 with --check, if something would change, 2 something could not be checked or written."
    )]
    Fix(Box<FixArgs>),
    /// Count who uses which deprecated elements in traffic, and say which may be removed.
    #[command(after_help = USAGE_HELP)]
    Usage(Box<UsageArgs>),
    /// Merge partial results of `sundown usage` into one report.
    #[command(
        after_help = "Exit codes: those of `sundown usage`; also 2 if a partial result cannot be used."
    )]
    Merge(Box<MergeArgs>),
    /// List, explain, check, import or export rules.
    #[command(subcommand)]
    Rules(Box<RulesCommand>),
    /// Explain a rule, a check, or what rules say about an operation.
    ///
    /// Says what is deprecated, why, until when, and what to use instead.
    #[command(after_help = "Exit codes: 0 done; 2 not done.")]
    Explain(Box<ExplainArgs>),
    /// Write a commented configuration that fits the files in this folder.
    Init(InitArgs),
    /// Show every setting with its value and its source.
    #[command(after_help = "Takes the same paths and flags as `sundown check`.")]
    Config(Box<CheckArgs>),
    /// List the input formats, and how each is recognised; or recognise the formats of files.
    #[command(after_help = "Exit codes: 0 done, 2 a file is in no known format.")]
    Formats(Box<FormatsArgs>),
    /// Serve an editor: mark findings while you type (Language Server Protocol).
    ///
    /// Reads messages from standard input, and writes answers to standard output. Takes the flags of `check` about rules, grading and
    /// known findings; those for reports have no effect.
    #[command(
        after_help = "Exit codes: 0 the editor ended the session, 1 it was gone before, 2 the connection was broken."
    )]
    Lsp(Box<LspArgs>),
    /// Print the JSON Schema of a file that sundown reads or writes.
    Schema {
        /// The file.
        #[arg(value_enum)]
        of: SchemaArg,
    },
    /// Print a completion script for a shell.
    Completions {
        /// The shell.
        #[arg(value_enum)]
        shell: Shell,
    },
    /// Print the manual page of the program or of one of its commands, for `man -l -`.
    Manual {
        /// The command, with the words after it if it has commands of its own: `sundown manual rules list`.
        command: Vec<String>,
    },
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let is_set =
        |name| std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0");
    if is_set("FORCE_COLOR") && !is_set("NO_COLOR") {
        anstream::ColorChoice::Always.write_global();
    }
    // A script that forgets the command fails, as clap has it for a missing command.
    if std::env::args_os().len() <= 1 {
        print_error(start_page().trim_end());
        return ExitCode::from(Status::Failed.code());
    }
    let run = match parse() {
        Ok(cli) => cli.command.run(&FileAccess::of_process()),
        Err(answer) => print_answer(&answer),
    };
    let status = run.unwrap_or_else(|failure| {
        print_error(&failure.text());
        Status::Failed
    });
    ExitCode::from(status.code())
}

/// Parses the arguments of the process.
fn parse() -> Result<Cli, clap::Error> {
    let mut program = build_program();
    let parsed = program.try_get_matches_from_mut(std::env::args_os());
    parsed
        .and_then(|matches| Cli::from_arg_matches(&matches))
        .map_err(|error| {
            let words = std::env::args_os().skip(1);
            let words = words.map(|word| word.to_string_lossy().into_owned());
            with_hint(error, &program, &words.collect::<Vec<_>>()).format(&mut program)
        })
}

/// Builds the program with the layout of its help texts.
pub(super) fn build_program() -> Command {
    let program = Cli::command();
    let template = "{about-with-newline}\n{usage-heading} {usage}\n\n";
    let commands = list_commands(&program);
    let header = *program.get_styles().get_header();
    let template = format!(
        "{template}{commands}{header}Options:{header:#}\n{{options}}\n\n\
         `sundown COMMAND -h` shows the main options of a command, and `--help` all."
    );
    shorten_help(program).help_template(template)
}

/// Lets `-h` show only the options without a heading, which `--help` shows first.
fn shorten_help(command: Command) -> Command {
    command
        .mut_args(|arg| {
            let is_rare = arg.get_help_heading().is_some();
            arg.hide_short_help(is_rare)
        })
        .mut_subcommands(shorten_help)
}

/// Returns the list of commands for the help text, which clap does not group.
fn list_commands(program: &Command) -> String {
    let header = program.get_styles().get_header();
    let literal = program.get_styles().get_literal();
    let mut list = String::new();
    for (heading, names) in GROUPS {
        let _ = writeln!(list, "{header}{heading}:{header:#}");
        for command in names
            .iter()
            .filter_map(|name| program.find_subcommand(name))
        {
            let name = command.get_name();
            let about = command.get_about().map(ToString::to_string);
            let about = about.unwrap_or_default();
            let _ = writeln!(list, "  {literal}{name:<11}{literal:#}  {about}");
        }
        list.push('\n');
    }
    list
}

/// Prints what clap answers instead of a command: help and versions on standard output, mistakes on standard error.
fn print_answer(answer: &clap::Error) -> Result<Status> {
    let written = print_written(|_| answer.print());
    if answer.use_stderr() {
        Ok(Status::Failed)
    } else {
        written
    }
}

impl CliCommand {
    /// Runs the command. All files are opened through `access`.
    fn run(self, access: &FileAccess) -> Result<Status> {
        match self {
            Self::Check(args) => args.run(access),
            Self::Baseline(args) => args.run(access),
            Self::Fix(args) => args.run(access),
            Self::Usage(args) => args.run(access),
            Self::Merge(args) => args.run(access),
            Self::Rules(command) => command.run(access),
            Self::Config(args) => print(&args.resolve_config(access)?.page()),
            Self::Init(args) => args.run(),
            Self::Formats(args) => args.run(access),
            Self::Lsp(args) => args.run(access),
            Self::Schema { of } => of.run(),
            Self::Explain(args) => args.run(access),
            Self::Completions { shell } => print_completions(shell),
            Self::Manual { command } => print_manual(&command),
        }
    }
}

/// Prints the script by which a shell completes commands, flags and their values.
fn print_completions(shell: Shell) -> Result<Status> {
    let mut script = Vec::new();
    generate(shell, &mut Cli::command(), "sundown", &mut script);
    print(&String::from_utf8_lossy(&script))
}

/// Prints the manual page of the program or of one of its commands, whose words are `path`.
fn print_manual(path: &[String]) -> Result<Status> {
    // There is no page of clap's own `help`, so no page may refer to it.
    let mut program = Cli::command().disable_help_subcommand(true);
    program.build();
    let command = path
        .iter()
        .try_fold(&program, |command, name| command.find_subcommand(name))
        .ok_or_else(|| {
            let help = "`sundown --help` lists the commands";
            Failure::with_help(format!("there is no command `{}`", path.join(" ")), help)
        })?;
    let mut page = Vec::new();
    Man::new(command.clone())
        .render(&mut page)
        .map_err(|error| Failure::new(format!("the manual page: {error}")))?;
    print(&String::from_utf8_lossy(&page))
}

#[cfg(test)]
mod tests {
    use clap::error::ErrorKind;

    use super::*;

    /// The help text of a command without colours, in a terminal of 100 columns.
    fn help_lines(path: &[&str], flag: &str) -> Vec<String> {
        let arguments = [&["sundown"], path, &[flag]].concat();
        let mut program = build_program().term_width(100);
        let answer = program.try_get_matches_from_mut(arguments).unwrap_err();
        assert_eq!(answer.kind(), ErrorKind::DisplayHelp);
        answer.to_string().lines().map(str::to_owned).collect()
    }

    /// All commands, each with the words that name it.
    fn commands(command: &Command, path: &[&str]) -> Vec<(Vec<String>, Command)> {
        let own = path.iter().map(ToString::to_string).collect();
        let inner = command.get_subcommands().flat_map(|inner| {
            let path = [path, &[inner.get_name()]].concat();
            commands(inner, &path)
        });
        [(own, command.clone())].into_iter().chain(inner).collect()
    }

    #[test]
    fn the_short_help_of_the_main_commands_fits_on_a_screen() {
        for path in [&["check"][..], &["usage"], &["baseline"], &["merge"], &[]] {
            let short = help_lines(path, "-h");
            let text = short.join("\n");
            assert!(short.len() <= 45, "{} lines:\n{text}", short.len());
            let wide = short.iter().find(|line| line.chars().count() > 100);
            assert_eq!(wide, None);
            let examples = text.matches("\n  sundown ").count();
            assert_eq!(examples == 3, path.len() == 1 && text.contains("Examples:"));
        }
    }

    #[test]
    fn the_long_help_has_every_option_and_the_short_one_the_common_ones() {
        for (path, command) in commands(&build_program(), &[]) {
            let path: Vec<&str> = path.iter().map(String::as_str).collect();
            let [short, long] = ["-h", "--help"].map(|flag| help_lines(&path, flag).join("\n"));
            let own = command.get_arguments().filter(|arg| !arg.is_hide_set());
            for (arg, name) in own.filter_map(|arg| Some((arg, arg.get_long()?))) {
                let is_in = |text: &str| text.contains(&format!("--{name}"));
                assert!(is_in(&long), "{path:?} --{name}");
                assert!(
                    arg.get_help_heading().is_some() || is_in(&short),
                    "{path:?} --{name}"
                );
            }
        }
    }

    #[test]
    fn every_command_is_in_one_group() {
        let program = Cli::command();
        let names = program.get_subcommands().map(Command::get_name);
        let grouped = GROUPS.iter().flat_map(|(_, names)| names.iter().copied());
        assert_eq!(names.collect::<Vec<_>>(), grouped.collect::<Vec<_>>());
    }

    #[test]
    fn the_examples_of_help_texts_are_commands() {
        let examples = [CHECK_HELP, USAGE_HELP].into_iter().flat_map(str::lines);
        for example in examples.filter(|line| line.starts_with("  sundown ")) {
            let command = example.trim_start().split("  ").next().unwrap();
            let command = command.split(" > ").next().unwrap();
            let parsed = build_program().try_get_matches_from(command.split(' '));
            assert!(parsed.is_ok(), "{example}: {parsed:?}");
        }
    }
}
