//! Writes reports to standard output and to files.

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use super::check::check_each;
use super::check_options::CheckOptions;
use super::output_file::{OutputError, OutputRights, WriteContent, write_output};
use anstream::StripStream;
use sundown_captures::Gauge;
use sundown_report::{Failure, OutputFormat, OutputTarget, RenderOptions, Report, write_finding};

/// Writes the report to every target. `terminal` is standard output; it removes colours if they are unwanted.
///
/// All targets are written even if one fails; the first error, which names its file, is returned. A closed pipe is not an
/// error.
pub fn render(
    report: &Report,
    targets: &[OutputTarget],
    options: RenderOptions,
    rights: &OutputRights,
    terminal: &mut dyn Write,
) -> Result<(), Failure> {
    let results = targets.iter().map(|target| match &target.file {
        None => {
            let written = target.format.write(report, options, terminal);
            printed(written.and_then(|()| terminal.flush()))
        }
        Some(path) => {
            let screen = None;
            let options = RenderOptions { screen, ..options };
            save(path, target.format, rights, &mut |out| {
                let mut text = StripStream::new(Vec::new());
                target.format.write(report, options, &mut text)?;
                out.write_all(&text.into_inner())
            })
        }
    });
    // Collected first, so that each is written.
    results.collect::<Vec<_>>().into_iter().collect()
}

/// Checks, and writes each use as a line (ndjson) as soon as it is found. The lines about the run as a whole follow. Memory
/// does not grow with the number of uses. A closed pipe is not an error.
pub fn check_and_stream(
    options: &CheckOptions<'_>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    target: &OutputTarget,
    rights: &OutputRights,
) -> Result<Report, Failure> {
    let mut report = None;
    let mut run = |out: &mut (dyn Write + Send)| {
        let (made, written) = stream(options, stdin, gauge, out);
        report = Some(made);
        written
    };
    match &target.file {
        None => printed(run(&mut io::stdout()))?,
        Some(path) => save(path, target.format, rights, &mut run)?,
    }
    report.ok_or_else(|| Failure::new("the report was not made"))
}

/// Checks, and writes findings as they are found. The run continues if writing fails.
fn stream(
    options: &CheckOptions<'_>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    out: &mut (dyn Write + Send),
) -> (Report, io::Result<()>) {
    let mut out = BufWriter::new(out);
    let mut written = Ok(());
    let report = check_each(options, stdin, gauge, &mut |located| {
        if written.is_ok() {
            written = write_finding(located, &mut out);
        }
    });
    let written = written
        .and_then(|()| OutputFormat::NDJSON.write(&report, RenderOptions::default(), &mut out))
        .and_then(|()| out.flush());
    (report, written)
}

/// The result of writing to standard output. A closed pipe is success: its reader has read enough.
fn printed(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(Failure::new(format!(
            "the report could not be written: {error}"
        ))),
        _ => Ok(()),
    }
}

/// Writes a report to a file, which may be a pipe.
fn save(
    path: &Path,
    format: OutputFormat,
    rights: &OutputRights,
    write: &mut WriteContent<'_>,
) -> Result<(), Failure> {
    match write_output(path, rights, rights.of_report(format), write) {
        Err(OutputError::System(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| error.of(path)),
    }
}
