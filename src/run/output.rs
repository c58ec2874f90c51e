//! Where reports go: standard output or files, in the formats asked for.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::report::{Human, Json, Ndjson, Report, Reporter, Verbosity};

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
/// A closed pipe is no error. The error names the file.
pub fn render(
    report: &Report,
    renderings: &[Rendering],
    verbosity: Verbosity,
    terminal: &mut dyn Write,
) -> io::Result<()> {
    for rendering in renderings {
        let reporter: Box<dyn Reporter> = match rendering.format {
            OutputFormat::Human => Box::new(Human { verbosity }),
            OutputFormat::Json => Box::new(Json),
            OutputFormat::Ndjson => Box::new(Ndjson),
        };
        match &rendering.file {
            None => {
                let written = reporter.write(report, terminal).and_then(|()| terminal.flush());
                match written {
                    Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {}
                    other => other?,
                }
            }
            Some(path) => {
                let mut text = anstream::StripStream::new(Vec::new());
                reporter.write(report, &mut text)?;
                std::fs::write(path, text.into_inner()).map_err(|error| {
                    io::Error::new(error.kind(), format!("{}: {error}", path.display()))
                })?;
            }
        }
    }
    Ok(())
}
