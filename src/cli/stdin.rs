//! The arguments that say which file standard input is: programs that read files themselves give it their names.

use std::path::{Path, PathBuf};

use clap::Args;

use super::Result;
use crate::files::FileName;
use crate::formats::{Format, PartStart, ReadUnit, StdinFile};
use crate::report::Failure;

#[derive(Debug, Args)]
pub(super) struct StdinArgs {
    /// The name of the file that standard input is, for reports and for what the configuration says about it.
    #[arg(
        id = "stdin_filename",
        long = "stdin-filename",
        value_name = "NAME",
        help_heading = "Input"
    )]
    filename: Option<String>,
    /// The size of that file in bytes: the report counts bytes of a file that is not read to its end, too.
    #[arg(
        id = "stdin_size",
        long = "stdin-size",
        value_name = "BYTES",
        requires = "stdin_filename",
        help_heading = "Input"
    )]
    size: Option<usize>,
    /// The bytes, lines and records (lines that are not blank) before standard input, which is a part of that file.
    #[arg(id = "stdin_position", long = "stdin-position", value_name = "BYTES:LINES:RECORDS", value_parser = parse_position, requires_all = ["stdin_filename", "input_format"], help_heading = "Input")]
    position: Option<Position>,
}

/// How much of a file precedes a part of it.
#[derive(Debug, Clone, Copy)]
struct Position {
    offset: usize,
    lines: usize,
    records: usize,
}

impl StdinArgs {
    /// Returns whether one of the arguments is given.
    pub(super) fn is_given(&self) -> bool {
        self.filename.is_some()
    }

    /// Returns whether standard input is a part of a file.
    pub(super) fn is_part(&self) -> bool {
        self.position.is_some()
    }

    /// Returns the name of standard input and what is known about it, for a run over `paths` in `format`.
    pub(super) fn describe(
        &self,
        paths: &[PathBuf],
        format: Option<Format>,
    ) -> Result<Option<(FileName, StdinFile)>> {
        let Some(name) = &self.filename else { return Ok(None) };
        if !paths.iter().any(|path| path == Path::new("-")) {
            let help = "name `-`, too, or leave out --stdin-filename";
            return Err(Failure::with_help("--stdin-filename: standard input is not read", help));
        }
        if self.position.is_some() && paths.len() > 1 {
            let help = "name `-` alone, and merge the results";
            return Err(Failure::with_help("--stdin-position: other files are read, too", help));
        }
        let part = match (self.position, format) {
            (Some(position), Some(format)) => Some(part(position, format)?),
            _ => None,
        };
        Ok(Some((FileName::verbatim(name), StdinFile { size: self.size, part })))
    }
}

fn part(position: Position, format: Format) -> Result<PartStart> {
    let spec = format.spec();
    if spec.unit != ReadUnit::Lines {
        let message =
            format!("--stdin-position: a file in the format `{}` has no parts", spec.name);
        return Err(Failure::with_help(message, "read the whole file"));
    }
    let Position { offset, lines, records } = position;
    Ok(PartStart { format, offset, lines, records })
}

fn parse_position(text: &str) -> Result<Position, String> {
    let counts: Option<Vec<usize>> = text.split(':').map(|count| count.parse().ok()).collect();
    match counts.as_deref() {
        Some(&[offset, lines, records]) if records <= lines && lines <= offset => {
            Ok(Position { offset, lines, records })
        }
        _ => {
            Err("positions look like 1048576:2048:2000; no count is larger than the one before it"
                .to_owned())
        }
    }
}
