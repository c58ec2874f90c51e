//! Derives from the resolved settings: globs, names, limits, thresholds, and the page of `sundown config`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::search::ConfigFile;
use super::settings::ResolvedConfig;
use super::source::{Setting, SettingRow, SettingSource};
use super::values::GlobTexts;
use sundown_captures::{Globs, Limits};
use sundown_files::{GlobBase, GlobError, GlobList, Names, full_path};
use sundown_lint::rules::Lifecycle;
use sundown_report::{Cell, ColumnKind, OutputFormat, OutputTarget, Table};
use sundown_text_json::text::escape_unsafe;

impl ResolvedConfig {
    /// The folder of the configuration, if there is one.
    pub fn root(&self) -> Option<&Path> {
        self.file.as_ref().map(ConfigFile::root)
    }

    /// Returns the folder of the configuration if that names the rules files.
    pub fn rules_folder(&self) -> Option<&Path> {
        self.root().filter(|_| !self.rules.source.is_command_line())
    }

    /// Uses this output format if neither the command line nor the configuration names one, because of this environment
    /// variable.
    #[must_use]
    pub fn with_default_format(mut self, format: OutputFormat, variable: &'static str) -> Self {
        if self.format.source == SettingSource::Default {
            self.format = Setting {
                value: vec![OutputTarget { format, file: None }],
                source: SettingSource::Environment(variable),
            };
        }
        self
    }

    /// Compiles the globs of files in folders; the error names the text that is not a glob.
    pub fn globs(&self) -> Result<Globs, GlobError> {
        let is_limited = !self.include.value.0.is_empty();
        Ok(Globs {
            include: is_limited.then(|| compile(&self.include)).transpose()?,
            exclude: compile(&self.exclude)?,
            force: self.force_exclude.value,
        })
    }

    /// Returns the names of files, relative to [`Self::names_root`].
    pub fn names(&self) -> Names {
        Names::new(self.names_root().as_deref())
    }

    /// Returns the folder that names of files are relative to; `None` if it is the working directory.
    ///
    /// It is the folder of the configuration. Without one, it is the folder of the baseline if the working directory is in
    /// it, so that a part of a project has the names that the whole has.
    pub fn names_root(&self) -> Option<PathBuf> {
        if let Some(root) = self.root() {
            return Some(root.to_owned());
        }
        let folder = full_path(self.baseline.value.as_deref()?)?
            .parent()?
            .to_owned();
        std::env::current_dir()
            .ok()?
            .starts_with(&folder)
            .then_some(folder)
    }

    /// Returns the limits of sizes and depths.
    pub fn limits(&self) -> Limits {
        Limits {
            depth: self.max_depth.value,
            record: self.max_record.value.0,
            expansion: self.max_expansion.value,
            ..Limits::default()
        }
    }

    /// Returns the thresholds on the given day.
    pub fn lifecycle(&self, as_of: chrono::NaiveDate) -> Lifecycle {
        Lifecycle {
            as_of,
            error_within: self.error_within.value,
            warn_within: self.warn_within.value,
            response_cap: self.response_severity.value,
        }
    }

    /// Prints the settings, and the tables of the configuration as they are written there.
    pub fn page(&self) -> String {
        let file = self.file.as_ref();
        let mut page = match file {
            Some(file) => format!(
                "# configuration: {}\n",
                escape_unsafe(&file.path.display().to_string())
            ),
            None => "# no configuration found; `sundown init` writes one\n".to_owned(),
        };
        let rows = self.rows();
        let rows = rows.iter().map(|row| {
            let source = describe_source(row.source, file);
            [Cell::from(print_row(row)), format!("# {source}").into()]
        });
        // Values are copied: none is cut off for a terminal.
        for line in Table::new([(ColumnKind::Text, ""); 2]).lines(rows, None) {
            let _ = writeln!(page, "{}", line.trim_start());
        }
        for table in file.iter().flat_map(|file| &file.config.tables) {
            let source = describe_source(&SettingSource::File(table.span.clone()), file);
            let head = &table.head;
            let body = &table.body;
            let _ = write!(page, "\n{head}  # {}\n{body}", escape_unsafe(&source));
        }
        page
    }
}

fn compile(globs: &Setting<GlobTexts>) -> Result<GlobList, GlobError> {
    let base = match globs.source {
        SettingSource::File(_) => GlobBase::Root,
        _ => GlobBase::Start,
    };
    GlobList::new(&globs.value.0, base)
}

fn print_row(row: &SettingRow<'_>) -> String {
    match &row.value {
        Some(value) => format!("{} = {value}", row.name),
        None => format!("# {} is not set", row.name),
    }
}

/// Describes a source in words; `file` is the configuration.
fn describe_source(source: &SettingSource, file: Option<&ConfigFile>) -> String {
    match source {
        SettingSource::Default => "default".to_owned(),
        SettingSource::Environment(variable) => format!("because of {variable}"),
        SettingSource::CommandLine("PATH") => "command line".to_owned(),
        SettingSource::CommandLine(flag) => format!("command line: {flag}"),
        SettingSource::File(span) => file
            .map(|file| format!("{}:{}", file.path.display(), file.line(span.start)))
            .unwrap_or_default(),
    }
}
