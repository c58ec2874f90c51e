//! A line for each finding, as compilers write it, so that editors and scripts can read it: `FILE:LINE:COLUMN: SEVERITY[RULE]: MESSAGE`.

use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, all_problems, by_file, worst_first};
use crate::{OutputFormat, RenderOptions, Report, escape_unsafe};

/// Writes the lines in the order of files and lines.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "concise",
    about: "one line for each finding, as compilers write it",
    skips: "failures as notes",
    has_remarks: false,
    // Compilers have other codes.
    mark: r"^[^\n]+:\d+:\d+: (error|warning|note)\[[a-z][^\]\s]*\]: ",
    write,
};

/// Writes the name of each file with findings on a line of its own.
pub(super) const FILES: OutputFormat = OutputFormat {
    name: "files",
    about: "",
    write: write_files,
    ..FORMAT
};

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    let problems = all_problems(report).chain(Diagnostic::of_interruption(report));
    for problem in by_file(problems).values().flatten() {
        writeln!(out, "{}", problem.line_with_place())?;
    }
    Ok(())
}

fn write_files(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    for file in by_file(worst_first(report)).keys() {
        writeln!(out, "{}", escape_unsafe(file))?;
    }
    Ok(())
}
