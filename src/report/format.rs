//! The output formats by their names, and what is to be written where.

use std::path::PathBuf;
use std::str::FromStr;

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
pub struct OutputTarget {
    /// In this format.
    pub format: OutputFormat,
    /// Into this file; `None` is standard output.
    pub file: Option<PathBuf>,
}

impl FromStr for OutputTarget {
    type Err = String;

    /// Reads `json` or `json=report.json`.
    fn from_str(text: &str) -> Result<Self, String> {
        let (name, file) =
            text.split_once('=').map_or((text, None), |(name, file)| (name, Some(file)));
        let format = OutputFormat::ALL
            .into_iter()
            .find(|format| format.name() == name)
            .ok_or_else(|| {
                let names: Vec<_> = OutputFormat::ALL.iter().map(|format| format.name()).collect();
                format!("formats are {}", names.join(", "))
            })?;
        match file {
            Some("") => Err("the file's name is missing after `=`".to_owned()),
            _ => Ok(Self { format, file: file.map(PathBuf::from) }),
        }
    }
}
