//! Writes reports to standard output and to files.

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use super::check::check_each;
use super::check_options::CheckOptions;
use super::output_file::{OutputError, OutputRights, write_bytes, write_output};
use sundown_captures::Gauge;
use sundown_report::{
    Failure, LocatedFinding, OutputFormat, OutputTarget, RenderOptions, Report, write_finding,
};

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
    let results: Vec<_> = targets
        .iter()
        .map(|target| write(target, report, options, rights, terminal))
        .collect();
    results.into_iter().collect()
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
    let Some(path) = &target.file else {
        let (report, written) = stream(options, stdin, gauge, &mut io::stdout());
        return printed(written).map(|()| report);
    };
    let mut report = None;
    let written = write_output(path, rights, rights.of_report(target.format), &mut |out| {
        let (made, written) = stream(options, stdin, gauge, out);
        report = Some(made);
        written
    });
    saved(written, path)?;
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
    let mut each = |located: &LocatedFinding| {
        if written.is_ok() {
            written = write_finding(located, &mut out);
        }
    };
    let report = check_each(options, stdin, gauge, &mut each);
    let written = written
        .and_then(|()| OutputFormat::NDJSON.write(&report, RenderOptions::default(), &mut out))
        .and_then(|()| out.flush());
    (report, written)
}

/// The result of writing to standard output. A closed pipe is success: its reader has read enough.
fn printed(written: io::Result<()>) -> Result<(), Failure> {
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(unwritten(&error)),
        _ => Ok(()),
    }
}

/// The result of writing to a file, which may be a pipe.
fn saved(written: Result<(), OutputError>, path: &Path) -> Result<(), Failure> {
    match written {
        Err(OutputError::System(error)) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        written => written.map_err(|error| error.of(path)),
    }
}

fn unwritten(error: &io::Error) -> Failure {
    Failure::new(format!("the report could not be written: {error}"))
}

fn write(
    target: &OutputTarget,
    report: &Report,
    options: RenderOptions,
    rights: &OutputRights,
    terminal: &mut dyn Write,
) -> Result<(), Failure> {
    let format = target.format;
    let Some(path) = &target.file else {
        let written = format
            .write(report, options, terminal)
            .and_then(|()| terminal.flush());
        return printed(written);
    };
    let mut text = anstream::StripStream::new(Vec::new());
    format
        .write(
            report,
            RenderOptions {
                screen: None,
                ..options
            },
            &mut text,
        )
        .map_err(|error| unwritten(&error))?;
    let written = write_bytes(path, rights, rights.of_report(format), &text.into_inner());
    saved(written, path)
}
