//! The commands, with their arguments and help texts.

use clap::{Parser, Subcommand};
use clap_complete::Shell;

/// Finds every use of deprecated API elements, graded by the days left until their removal.
#[derive(Debug, Parser)]
#[command(
    name = "sundown",
    version,
    propagate_version = true,
    max_term_width = 100
)]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: CliCommand,
}

#[derive(Debug, Subcommand)]
pub(super) enum CliCommand {
    /// Check JSON bodies, captured traffic (HAR, NDJSON) and API descriptions (OpenAPI, Swagger).
    #[command(
        after_help = "Exit codes: 0 no finding at or above --fail-on, 1 findings, 2 the check could not be completed."
    )]
    Check(Box<super::check::CheckArgs>),
    /// Write findings to a baseline, so that `sundown check --baseline FILE` counts only new ones.
    ///
    /// Takes the arguments of `check`; flags for grading and reports have no effect. Existing entries are kept, unless
    /// --prune removes those that no longer match.
    #[command(after_help = "Exit codes: 0 done, 2 not done: the file is unchanged.")]
    Baseline(Box<super::baseline::BaselineArgs>),
    /// Count who uses which deprecated elements in captured traffic, and say which may be removed.
    #[command(
        after_help = "Exit codes: 0 done, 2 something could not be read or nothing was checked. With --gate: 0 no element is used, 1 an element is used, 2 the verdict on an element is *cannot tell*."
    )]
    Usage(Box<super::usage::UsageArgs>),
    /// Merge partial results of `sundown check` or `sundown usage` into one report.
    #[command(
        after_help = "Exit codes: those of the command that wrote the partial results; also 2 if one cannot be used."
    )]
    Merge(Box<super::merge::MergeArgs>),
    /// List, explain, check, import or export rules.
    #[command(subcommand)]
    Rules(Box<super::rules::RulesCommand>),
    /// Show every setting with its value and its source.
    #[command(after_help = "Takes the same paths and flags as `sundown check`.")]
    Config(Box<super::check::CheckArgs>),
    /// Write a commented configuration that fits the files in this folder.
    Init(super::init::InitArgs),
    /// List the input formats, and how each is recognised; or recognise the formats of files.
    #[command(after_help = "Exit codes: 0 done, 2 a file is in no known format.")]
    Formats(Box<super::formats::FormatsArgs>),
    /// Print the JSON Schema of a file that sundown reads or writes.
    Schema {
        /// The file.
        #[arg(value_enum)]
        of: super::config::SchemaArg,
    },
    /// Explain a rule (what is deprecated, why, until when, and what to use instead), or a check of API descriptions; with
    /// --in, list the exchanges that have its element.
    #[command(
        after_help = "Exit codes: 0 done; 2 not done, or with --in, something could not be checked."
    )]
    Explain(Box<super::explain::ExplainArgs>),
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
