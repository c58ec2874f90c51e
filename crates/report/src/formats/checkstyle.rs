//! Checkstyle XML: an `error` for each finding, grouped by file.
//!
//! Build services and review tools read it. The format has no schema; this is the part that Checkstyle itself and other
//! linters write. It contains errors only: what could not be checked becomes an error, and other skips are left out.

use std::io::{self, Write};

use crate::diagnostic::{Diagnostic, all_problems, by_file};
use crate::{OutputFormat, RenderOptions, Report};
use sundown_text_json::text::xml::escape;
use sundown_text_json::text::{Location, escape_unsafe};

/// Writes one XML document.
pub(super) const FORMAT: OutputFormat = OutputFormat {
    name: "checkstyle",
    about: "Checkstyle XML",
    skips: "failures as errors of severity `info`",
    has_remarks: false,
    mark: r"^<\?xml[^>]*>\n<!-- sundown ",
    write,
};

/// A version of Checkstyle, as readers expect it; other linters write the same one.
const VERSION: &str = "4.3";

fn write(report: &Report, _: RenderOptions, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>")?;
    writeln!(out, "<!-- sundown {} -->", env!("CARGO_PKG_VERSION"))?;
    writeln!(out, "<checkstyle version=\"{VERSION}\">")?;
    let problems = all_problems(report).chain(Diagnostic::of_interruption(report));
    for (file, problems) in by_file(problems) {
        writeln!(out, "  <file name=\"{}\">", attribute(file))?;
        for problem in problems {
            // Many readers require a line.
            let Location { line, column, .. } = problem.start.unwrap_or(Location::START);
            let severity = problem.level(["error", "warning", "info", "info"]);
            let message = attribute(&problem.line());
            let source = attribute(&problem.code);
            writeln!(
                out,
                "    <error line=\"{line}\" column=\"{column}\" severity=\"{severity}\" message=\"{message}\" source=\"{source}\"/>"
            )?;
        }
        writeln!(out, "  </file>")?;
    }
    writeln!(out, "</checkstyle>")
}

/// Escapes text for an attribute, where a line end would become a space.
fn attribute(text: &str) -> String {
    escape(&escape_unsafe(text))
}
