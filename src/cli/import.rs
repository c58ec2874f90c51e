//! `sundown rules import`: makes rules from a published list or an OpenAPI description.

use std::io;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::console::{Result, print, print_error};
use super::options::ReferenceArgs;
use sundown_files::FileAccess;
use sundown_lint::rules::lists::ListFormat;
use sundown_run::config::Config;
use sundown_run::{ImportFormat, Status, import};
use sundown_text_json::text::ExpansionFactor;

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// The list: a table in Markdown, CSV or JSON (`-` is standard input); or an OpenAPI description.
    file: PathBuf,
    /// Read the file in this format, instead of recognising it.
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<ImportFormatArg>,
    /// The name of the API in the rules file (default: the title of the description, or the file name of the list).
    #[arg(long, value_name = "NAME")]
    api: Option<String>,
    /// Also import elements that only the text of a description calls deprecated. Their findings are possible.
    #[arg(long)]
    deprecations_from_text: bool,
    /// If extensions of a deprecated element give no date, take the date that its text states.
    #[arg(long)]
    dates_from_text: bool,
    /// Multiply the expansion limits of a description by this number (default: 1).
    #[arg(long, value_name = "FACTOR")]
    max_expansion: Option<ExpansionFactor>,
    #[command(flatten)]
    references: ReferenceArgs,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum ImportFormatArg {
    /// A table in a Markdown document.
    Markdown,
    /// Comma-separated values with a header.
    Csv,
    /// `{"endpoints": [{"method", "path", "deprecations": [{"type", "name", ...}]}]}`.
    Json,
    /// An OpenAPI description, in JSON or YAML.
    Openapi,
}

impl ImportArgs {
    pub(super) fn run(self, access: &FileAccess) -> Result<Status> {
        let mut config = Config::default();
        let settings = &mut config.settings;
        settings.references = self.references.scope();
        settings.deprecations_from_text = self.deprecations_from_text;
        settings.dates_from_text = self.dates_from_text;
        settings.limits.expansion = self.max_expansion.unwrap_or_default();
        let (format, stdin) = (self.from.map(ImportFormatArg::format), &mut io::stdin());
        let outcome = import(
            &self.file,
            format,
            self.api.as_deref(),
            &config,
            access,
            stdin,
        )?;
        for remark in &outcome.remarks {
            print_error(remark);
        }
        print(&outcome.rules)
    }
}

impl ImportFormatArg {
    fn format(self) -> ImportFormat {
        match self {
            Self::Markdown => ImportFormat::List(ListFormat::Markdown),
            Self::Csv => ImportFormat::List(ListFormat::Csv),
            Self::Json => ImportFormat::List(ListFormat::Json),
            Self::Openapi => ImportFormat::Description,
        }
    }
}
