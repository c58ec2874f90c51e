//! Writes reports to standard output and to files.

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use super::check_each;
use super::check_options::CheckOptions;
use super::whole_file::{WholeFile, write_whole};
use crate::formats::Gauge;
use crate::report::{
    LocatedFinding, OutputFormat, OutputTarget, RenderOptions, Report, write_finding,
};

/// Writes the report to every target. `terminal` is standard output; it removes colours if they are unwanted.
///
/// All targets are written even if one fails; the first error, which names its file, is returned. A closed pipe is not an
/// error.
pub fn render(
    report: &Report,
    targets: &[OutputTarget],
    options: RenderOptions,
    terminal: &mut dyn Write,
) -> io::Result<()> {
    let results: Vec<_> =
        targets.iter().map(|target| write(target, report, options, terminal)).collect();
    results.into_iter().collect()
}

/// Checks, and writes each use as a line (ndjson) as soon as it is found. The lines about the run as a whole follow. Memory
/// does not grow with the number of uses. A closed pipe is not an error.
pub fn check_and_stream(
    options: &CheckOptions<'_>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    file: Option<&Path>,
) -> io::Result<Report> {
    let Some(path) = file else {
        let (report, written) = stream(options, stdin, gauge, &mut io::stdout());
        return unless_closed(written).map(|()| report);
    };
    let named = |error| of_file(path, &error);
    let mut file = WholeFile::create(path).map_err(named)?;
    let (report, written) = stream(options, stdin, gauge, &mut file);
    unless_closed(written.and_then(|()| file.finish())).map_err(named)?;
    Ok(report)
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

/// Turns the error of a closed pipe into success: its reader has read enough.
fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    written.or_else(
        |error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) },
    )
}

fn of_file(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn write(
    target: &OutputTarget,
    report: &Report,
    options: RenderOptions,
    terminal: &mut dyn Write,
) -> io::Result<()> {
    let format = target.format;
    let Some(path) = &target.file else {
        return unless_closed(
            format.write(report, options, terminal).and_then(|()| terminal.flush()),
        );
    };
    let mut text = anstream::StripStream::new(Vec::new());
    format.write(report, RenderOptions { screen: None, ..options }, &mut text)?;
    unless_closed(write_whole(path, &text.into_inner())).map_err(|error| of_file(path, &error))
}
