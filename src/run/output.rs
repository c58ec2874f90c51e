//! Where reports go: standard output or files, in the formats asked for.

use std::fs::File;
use std::io::{self, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use super::check::{CheckOptions, Outcome, check_each};
use crate::input::Gauge;
use crate::report::{
    Github, Gitlab, Human, Json, Junit, Markdown, Ndjson, Placed, Rdjsonl, Report, Reporter, Sarif,
    Verbosity,
};
use crate::rule::Severity;

/// An output format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputFormat {
    /// For people.
    Human,
    /// One JSON document.
    Json,
    /// One JSON object a line.
    Ndjson,
    /// SARIF 2.1.0, for code scanning services.
    Sarif,
    /// Workflow commands of GitHub Actions.
    Github,
    /// GitLab Code Quality.
    Gitlab,
    /// JUnit XML.
    Junit,
    /// The Reviewdog Diagnostic Format.
    Rdjsonl,
    /// Markdown, for the summary of a build's step.
    Markdown,
}

impl OutputFormat {
    /// All formats.
    pub const ALL: [Self; 9] = [
        Self::Human,
        Self::Json,
        Self::Ndjson,
        Self::Sarif,
        Self::Github,
        Self::Gitlab,
        Self::Junit,
        Self::Rdjsonl,
        Self::Markdown,
    ];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Human => "human",
            Self::Json => "json",
            Self::Ndjson => "ndjson",
            Self::Sarif => "sarif",
            Self::Github => "github",
            Self::Gitlab => "gitlab",
            Self::Junit => "junit",
            Self::Rdjsonl => "rdjsonl",
            Self::Markdown => "markdown",
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

/// What a report's form depends on beside its format.
#[derive(Debug, Clone, Copy, Default)]
pub struct Manner {
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
    renderings: &[Rendering],
    manner: Manner,
    terminal: &mut dyn Write,
) -> io::Result<()> {
    let results: Vec<_> =
        renderings.iter().map(|rendering| rendering.write(report, manner, terminal)).collect();
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

impl OutputFormat {
    fn reporter(self, manner: Manner) -> Box<dyn Reporter> {
        let Manner { verbosity, fail_on } = manner;
        match self {
            Self::Human => Box::new(Human { verbosity }),
            Self::Json => Box::new(Json),
            Self::Ndjson => Box::new(Ndjson),
            Self::Sarif => Box::new(Sarif),
            Self::Github => Box::new(Github),
            Self::Gitlab => Box::new(Gitlab),
            Self::Junit => Box::new(Junit { fail_on }),
            Self::Rdjsonl => Box::new(Rdjsonl),
            Self::Markdown => Box::new(Markdown),
        }
    }
}

impl Rendering {
    fn write(&self, report: &Report, manner: Manner, terminal: &mut dyn Write) -> io::Result<()> {
        let reporter = self.format.reporter(manner);
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
