//! Where a partial result is written: the argument that all commands share that write one.

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;

use super::console::Result;
use super::console::print_written;
use super::outputs::refuse_used;
use crate::files::FileAccess;
use crate::report::Failure;
use crate::run::{OutputRights, Replaceable, check_output, is_own_output, write_output};

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
        let Some(flag) = flag.filter(|_| self.replaces_report()) else {
            return Ok(());
        };
        let help = format!("write the partial result to a file, or leave {flag} out");
        Err(Failure::with_help(
            format!("`--partial -` leaves no report for {flag}"),
            help,
        ))
    }

    /// Returns the file that is written.
    fn file(&self) -> Option<&Path> {
        self.partial
            .as_deref()
            .filter(|path| *path != Path::new("-"))
    }

    /// Returns the partial result of an earlier run that this run replaces: it is nothing to check.
    pub(super) fn earlier(&self) -> Option<PathBuf> {
        let file = self
            .file()
            .filter(|file| is_own_output(file, Replaceable::PartialResult));
        file.map(Path::to_owned)
    }

    /// Refuses a file that is one of `used`, or something else than a partial result.
    pub(super) fn check_target(&self, used: &[PathBuf]) -> Result<()> {
        let Some(file) = self.file() else {
            return Ok(());
        };
        refuse_used(file, used)?;
        check_output(file, &OutputRights::default(), Replaceable::PartialResult)
            .map_err(|error| error.of(file))
    }

    /// Writes the partial result, if it is wanted, to no file that the run has read.
    pub(super) fn write(
        &self,
        files: &FileAccess,
        write: &dyn Fn(&mut dyn Write) -> io::Result<()>,
    ) -> Result<()> {
        if let Some(file) = self.file() {
            let rights = OutputRights {
                boundary: None,
                files: files.clone(),
            };
            return write_output(file, &rights, Replaceable::PartialResult, &mut |out| {
                let mut out = BufWriter::new(out);
                write(&mut out).and_then(|()| out.flush())
            })
            .map_err(|error| error.of(file));
        }
        if self.is_given() {
            print_written(|out| write(out))?;
        }
        Ok(())
    }
}
