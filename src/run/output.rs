//! Where reports go: standard output or files, in the formats asked for.

use std::io::{self, BufWriter, Read, Write};
use std::path::Path;

use super::check::{CheckOptions, CheckOutcome, check_each};
use super::whole_file::{WholeFile, write_whole};
use crate::formats::Gauge;
use crate::report::{
    Github, Gitlab, Human, Json, Junit, LocatedFinding, Markdown, Ndjson, OutputFormat,
    OutputTarget, Rdjsonl, Report, Reporter, Sarif, Verbosity,
};
use crate::rules::Severity;

/// What a report's form depends on beside its format.
#[derive(Debug, Clone, Copy, Default)]
pub struct RenderOptions {
    /// How much people are told.
    pub verbosity: Verbosity,
    /// The mildest severity that makes the run fail, for formats that know failures; `None`: no finding does.
    pub fail_on: Option<Severity>,
}

/// Writes the report in every way asked for; `terminal` is standard output, and takes colours out where they do not belong.
///
/// One that cannot be written hides no other; the first error, which names its file, is given back at the end. A closed
/// pipe is no error.
pub fn render(
    report: &Report,
    renderings: &[OutputTarget],
    manner: RenderOptions,
    terminal: &mut dyn Write,
) -> io::Result<()> {
    let results: Vec<_> =
        renderings.iter().map(|rendering| write(rendering, report, manner, terminal)).collect();
    results.into_iter().collect()
}

/// Checks, and writes every single use as a line of its own (ndjson) as soon as it is found; what is told of a run as a whole
/// follows. Memory does not grow with the uses. A closed pipe is no error.
pub fn check_and_stream(
    options: &CheckOptions<'_>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    file: Option<&Path>,
) -> io::Result<CheckOutcome> {
    let Some(path) = file else {
        let (outcome, written) = stream(options, stdin, gauge, &mut io::stdout());
        return unless_closed(written).map(|()| outcome);
    };
    let named = |error| of_file(path, &error);
    let mut file = WholeFile::create(path).map_err(named)?;
    let (outcome, written) = stream(options, stdin, gauge, &mut file);
    unless_closed(written.and_then(|()| file.finish())).map_err(named)?;
    Ok(outcome)
}

/// Checks, and writes what is found as it is found; the run goes on where that fails.
fn stream(
    options: &CheckOptions<'_>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    out: &mut (dyn Write + Send),
) -> (CheckOutcome, io::Result<()>) {
    let mut out = BufWriter::new(out);
    let mut written = Ok(());
    let mut each = |placed: &LocatedFinding| {
        if written.is_ok() {
            written = Ndjson::write_finding(placed, &mut out);
        }
    };
    let outcome = check_each(options, stdin, gauge, &mut each);
    let written =
        written.and_then(|()| Ndjson.write(&outcome.report, &mut out)).and_then(|()| out.flush());
    (outcome, written)
}

/// Whoever reads no further has what they wanted.
fn unless_closed(written: io::Result<()>) -> io::Result<()> {
    written.or_else(
        |error| if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) },
    )
}

fn of_file(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
}

fn reporter(format: OutputFormat, manner: RenderOptions) -> Box<dyn Reporter> {
    let RenderOptions { verbosity, fail_on } = manner;
    match format {
        OutputFormat::Human => Box::new(Human { verbosity }),
        OutputFormat::Json => Box::new(Json),
        OutputFormat::Ndjson => Box::new(Ndjson),
        OutputFormat::Sarif => Box::new(Sarif),
        OutputFormat::Github => Box::new(Github { verbosity }),
        OutputFormat::Gitlab => Box::new(Gitlab),
        OutputFormat::Junit => Box::new(Junit { fail_on }),
        OutputFormat::Rdjsonl => Box::new(Rdjsonl),
        OutputFormat::Markdown => Box::new(Markdown),
    }
}

fn write(
    rendering: &OutputTarget,
    report: &Report,
    manner: RenderOptions,
    terminal: &mut dyn Write,
) -> io::Result<()> {
    let reporter = reporter(rendering.format, manner);
    let Some(path) = &rendering.file else {
        return unless_closed(reporter.write(report, terminal).and_then(|()| terminal.flush()));
    };
    let mut text = anstream::StripStream::new(Vec::new());
    reporter.write(report, &mut text)?;
    unless_closed(write_whole(path, &text.into_inner())).map_err(|error| of_file(path, &error))
}
