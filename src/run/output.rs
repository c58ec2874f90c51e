//! Where reports go: standard output or files, in the formats asked for.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::check::{CheckOptions, Outcome, check_each};
use crate::input::Gauge;
use crate::report::{Human, Json, Ndjson, Placed, Report, Reporter, Verbosity};

/// An output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON object a line.
    Ndjson,
}

impl OutputFormat {
    /// All formats.
    pub const ALL: [Self; 3] = [Self::Human, Self::Json, Self::Ndjson];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
        }
    }
}

/// One report to be written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendering {
    /// In this format.
    pub format: OutputFormat,
    /// Into this file; `None` is standard output.
    pub file: Option<PathBuf>,
}

/// Writes the report in every way asked for; `terminal` is standard output, and takes colours out where they do not belong.
///
/// One that cannot be written hides no other; the first error, which names its file, is given back at the end. A closed
/// pipe is no error.
pub fn render(
    report: &Report,
    renderings: &[Rendering],
    verbosity: Verbosity,
    terminal: &mut dyn Write,
) -> io::Result<()> {
    let results: Vec<_> =
        renderings.iter().map(|rendering| rendering.write(report, verbosity, terminal)).collect();
    results.into_iter().collect()
}

/// Checks, and writes every single use as a line of its own (ndjson) as soon as it is found; what is told of a run as a whole
/// follows. Memory does not grow with the uses. A closed pipe is no error.
pub fn check_and_stream(
    options: &CheckOptions<'_>,
    stdin: &mut (dyn Read + Send),
    gauge: &Gauge,
    file: Option<&Path>,
) -> io::Result<Outcome> {
    let named = |error: io::Error| match file {
        Some(path) => io::Error::new(error.kind(), format!("{}: {error}", path.display())),
        None => error,
    };
    let out: Box<dyn Write + Send> = match file {
        Some(path) => Box::new(File::create(path).map_err(named)?),
        None => Box::new(io::stdout()),
    };
    let mut out = BufWriter::new(out);
    let mut written = Ok(());
    let mut each = |placed: &Placed| {
        if written.is_ok() {
            written = Ndjson::write_finding(placed, &mut out);
        }
    };
    let outcome = check_each(options, stdin, gauge, &mut each);
    let written =
        written.and_then(|()| Ndjson.write(&outcome.report, &mut out)).and_then(|()| out.flush());
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(named(error)),
        _ => Ok(outcome),
    }
}

impl Rendering {
    fn write(
        &self,
        report: &Report,
        verbosity: Verbosity,
        terminal: &mut dyn Write,
    ) -> io::Result<()> {
        let reporter: Box<dyn Reporter> = match self.format {
            OutputFormat::Human => Box::new(Human { verbosity }),
            OutputFormat::Json => Box::new(Json),
            OutputFormat::Ndjson => Box::new(Ndjson),
        };
        let Some(path) = &self.file else {
            let written = reporter.write(report, terminal).and_then(|()| terminal.flush());
            return written.or_else(|error| {
                if error.kind() == io::ErrorKind::BrokenPipe { Ok(()) } else { Err(error) }
            });
        };
        let mut text = anstream::StripStream::new(Vec::new());
        reporter.write(report, &mut text)?;
        std::fs::write(path, text.into_inner())
            .map_err(|error| io::Error::new(error.kind(), format!("{}: {error}", path.display())))
    }
}
