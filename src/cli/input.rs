//! How inputs are read: the arguments that all commands share that check something.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use chrono::NaiveDate;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::console::Result;
use super::options::{partial_if, run_scope};
use super::outputs::own_files;
use sundown_captures::{Format, LogShapes, PathOrigin};
use sundown_exchange::Side;
use sundown_files::{FileAccess, FileName};
use sundown_lint::findings::suppression::RunScope;
use sundown_lint::rules::{RuleSet, Sides};
use sundown_report::Failure;
use sundown_run::config::Config;
use sundown_run::{BodyOperation, CheckOptions, OperationNameError, resolve_operation_name};

#[derive(Debug, Default, Args)]
pub(super) struct InputArgs {
    /// The operation of bare bodies: 'POST /rest/api/v1/chat', or `chat` if that identifies one operation; no filter of calls.
    #[arg(long, value_name = "OP")]
    operation: Option<String>,
    /// Accept an operation that no rule covers.
    #[arg(long, requires = "operation", help_heading = "Input")]
    allow_unknown_operation: bool,
    /// The side of bare bodies (default: both).
    #[arg(long, value_parser = side_parser(), requires = "operation", help_heading = "Input")]
    side: Option<Side>,
    /// Read every file in this format, instead of recognising it; `sundown formats` lists them.
    #[arg(long, value_parser = parse_input_format, value_name = "FORMAT", help_heading = "Input")]
    input_format: Option<Format>,
    /// Silently skip named files that --include does not match or that hold nothing to check, as in folders.
    #[arg(long, help_heading = "Input")]
    skip_unrelated: bool,
    /// The number of threads (default: the number of processors).
    #[arg(long, value_name = "N", help_heading = "Input")]
    threads: Option<NonZeroUsize>,
    /// The name of the file that standard input is, for reports and for what the configuration says about it.
    #[arg(long, value_name = "NAME", help_heading = "Input")]
    stdin_filename: Option<String>,
}

impl InputArgs {
    /// Describes a run over the paths of the configuration that reports everything.
    pub(super) fn options<'t>(
        &self,
        config: &Config,
        set: &'t RuleSet,
        day: NaiveDate,
        access: &FileAccess,
    ) -> Result<CheckOptions<'t>> {
        let globs = config
            .globs()
            .map_err(|error| Failure::with_help(error, "globs look like *.har or captures/**"))?;
        // Such a run reads bodies in another way than most.
        let is_partial = self.operation.is_some() || self.input_format.is_some();
        Ok(CheckOptions {
            given: if self.skip_unrelated {
                PathOrigin::Offered
            } else {
                PathOrigin::Named
            },
            stdin: self.stdin_name(&config.settings.paths)?,
            globs,
            named: self.body_operation(set)?,
            payloads: config.bodies.clone(),
            logs: LogShapes::new(config.logs.clone()),
            format: self.input_format,
            fold: false,
            scope: RunScope {
                bodies: partial_if(is_partial),
                ..run_scope(config)
            },
            threads: self
                .threads
                .or_else(|| std::thread::available_parallelism().ok())
                .unwrap_or(NonZeroUsize::MIN),
            access: access.clone(),
            names: config.names(),
            grades: config.grades.clone(),
            own_files: own_files(config),
            ..CheckOptions::new(config.settings.clone(), set, day)
        })
    }

    /// Returns the operation of bare bodies, if the user names one.
    fn body_operation(&self, set: &RuleSet) -> Result<Option<BodyOperation>> {
        let Some(text) = &self.operation else {
            return Ok(None);
        };
        let operation = match resolve_operation_name(text, set) {
            Ok(operation) => operation,
            Err(OperationNameError {
                operation: Some(operation),
                ..
            }) if self.allow_unknown_operation => *operation,
            Err(error) => {
                let mut help = error.help;
                if error.operation.is_some() {
                    help.push_str("; --allow-unknown-operation accepts it");
                }
                return Err(Failure::with_help(
                    format!("--operation: {}", error.message),
                    help,
                ));
            }
        };
        let sides = self.side.map_or(Sides::Both, Sides::Only);
        Ok(Some(BodyOperation { operation, sides }))
    }

    /// Returns the name of standard input, if the user gives it one, for a run over `paths`.
    fn stdin_name(&self, paths: &[PathBuf]) -> Result<Option<FileName>> {
        let Some(name) = &self.stdin_filename else {
            return Ok(None);
        };
        if !paths.iter().any(|path| path == Path::new("-")) {
            return Err(Failure::with_help(
                "--stdin-filename: standard input is not read",
                "name `-`, too, or leave out --stdin-filename",
            ));
        }
        Ok(Some(FileName::verbatim(name)))
    }
}

/// Parses the name of a side.
pub(super) fn side_parser() -> impl TypedValueParser<Value = Side> {
    PossibleValuesParser::new(Side::BOTH.map(Side::name))
        .try_map(|name| Side::from_name(&name).ok_or("there is no such side"))
}

/// Parses the name of an input format.
fn parse_input_format(name: &str) -> Result<Format, String> {
    Format::from_name(name).ok_or_else(|| {
        let names: Vec<_> = Format::by_family()
            .iter()
            .map(|format| format.spec().name)
            .collect();
        format!("formats are {}", names.join(", "))
    })
}
