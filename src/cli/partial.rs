//! Where a partial result is written: the argument that all commands share that write one.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::Result;
use super::console::print_written;
use super::outputs::refuse_overwrite;
use crate::report::Failure;
use crate::run::write_partial_file;
use crate::text::io_error_text;

/// Where a partial result is written.
#[derive(Debug, Args)]
pub(super) struct PartialArgs {
    /// Also write the result to this file, for `sundown merge`; with `-`, write it to standard output instead of the report.
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    partial: Option<PathBuf>,
}

impl PartialArgs {
    /// Returns whether a partial result is wanted.
    pub(super) fn is_given(&self) -> bool {
        self.partial.is_some()
    }

    /// Returns whether it is written to standard output, instead of the report.
    pub(super) fn replaces_report(&self) -> bool {
        self.is_given() && self.file().is_none()
    }

    /// Refuses an argument about the report if the partial result takes its place.
    pub(super) fn refuse_report(&self, flag: Option<&str>) -> Result<()> {
        let Some(flag) = flag.filter(|_| self.replaces_report()) else { return Ok(()) };
        let help = format!("write the partial result to a file, or leave {flag} out");
        Err(Failure::with_help(format!("`--partial -` leaves no report for {flag}"), help))
    }

    /// Returns the file that is written.
    pub(super) fn file(&self) -> Option<&Path> {
        self.partial.as_deref().filter(|path| *path != Path::new("-"))
    }

    /// Refuses a file that has traffic, or is one of `used`.
    pub(super) fn check_target(&self, used: &[PathBuf]) -> Result<()> {
        self.file().map_or(Ok(()), |file| refuse_overwrite(file, used))
    }

    /// Writes the partial result, if it is wanted.
    pub(super) fn write(&self, write: &dyn Fn(&mut dyn Write) -> io::Result<()>) -> Result<()> {
        if let Some(file) = self.file() {
            return write_partial_file(file, write).map_err(|error| {
                let message = format!("--partial: {}: {}", file.display(), io_error_text(&error));
                Failure::with_help(message, "a file that was there before is unchanged")
            });
        }
        if self.is_given() {
            print_written(|out| write(out))?;
        }
        Ok(())
    }
}
