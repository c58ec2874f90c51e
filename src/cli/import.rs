//! `sundown rules import`: makes rules from a published list or an OpenAPI description.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, ValueEnum};

use super::console::{Result, print, print_error, stop_on_interrupt};
use super::options::{ReferenceArgs, marker_options};
use sundown_files::FileAccess;
use sundown_lint::rules::lists::import::{ListFormat, StaleRules};
use sundown_run::{ImportFormat, ImportOptions, ImportTarget, Status, import, read_import};
use sundown_text_json::text::ExpansionFactor;

#[derive(Debug, Args)]
pub(super) struct ImportArgs {
    /// The list: a table in Markdown, CSV or JSON (`-` is standard input); or an OpenAPI description.
    file: PathBuf,
    /// Read the file in this format, instead of recognising it.
    #[arg(long, value_enum, value_name = "FORMAT")]
    from: Option<ImportFormatArg>,
    /// Update this rules file instead of printing a new one; what the list does not say is kept.
    #[arg(long, value_name = "RULES")]
    into: Option<PathBuf>,
    /// Change nothing: print the differences, and exit with 1 if the rules file is out of date.
    #[arg(long, requires = "into")]
    check: bool,
    /// Remove rules that are no longer in the list.
    #[arg(long, requires = "into")]
    prune: bool,
    /// Let --prune remove more than half of the rules. Without this flag, the list counts as incomplete then.
    #[arg(long, requires = "prune")]
    prune_most: bool,
    /// The name of the API in a new rules file (default: the title of the description, or the file name of the list).
    #[arg(long, value_name = "NAME")]
    api: Option<String>,
    #[command(flatten)]
    text: TextArgs,
    /// Multiply the expansion limits of a description by this number (default: 1).
    #[arg(long, value_name = "FACTOR")]
    max_expansion: Option<ExpansionFactor>,
    #[command(flatten)]
    references: ReferenceArgs,
}

/// What is read from the texts of a description.
#[derive(Debug, Args)]
struct TextArgs {
    /// Also import elements that only the text of a description calls deprecated. Their findings are possible.
    #[arg(long)]
    deprecations_from_text: bool,
    /// If extensions of a deprecated element give no date, take the date that its text states.
    #[arg(long)]
    dates_from_text: bool,
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
        let gone = if self.prune {
            StaleRules::Remove
        } else {
            StaleRules::Keep
        };
        let target = match (self.into, self.check) {
            (None, _) => ImportTarget::Print,
            (Some(path), false) => ImportTarget::Into(path, gone),
            (Some(path), true) => ImportTarget::Check(path, gone),
        };
        let options = ImportOptions {
            access: access.clone(),
            references: self.references.scope(),
            file: self.file,
            format: self.from.map(ImportFormatArg::format),
            markers: marker_options(self.text.deprecations_from_text, self.text.dates_from_text),
            expansion: self.max_expansion.unwrap_or_default(),
            api: self.api,
            target,
            prunes_most: self.prune_most,
        };
        let text = read_import(&options.file, &mut io::stdin(), access)?;
        // From here on, an interrupt would leave a temporary file.
        stop_on_interrupt(&Arc::default());
        let outcome = import(&options, &text)?;
        for remark in &outcome.remarks {
            print_error(remark);
        }
        print(&outcome.output)?;
        Ok(outcome.status)
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
