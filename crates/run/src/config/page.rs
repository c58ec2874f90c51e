//! What a configuration means for a run: its folder, the names of files, the globs; and the page of `sundown config`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use super::file::Config;
use super::settings::{SETTINGS, SettingSource};
use sundown_captures::Globs;
use sundown_files::{GlobBase, GlobError, GlobList, Names, full_path};
use sundown_report::{Cell, ColumnKind, Table};
use sundown_text_json::text::escape_unsafe;

impl Config {
    /// The folder of the configuration, which its paths and globs are relative to, if there is one.
    pub fn root(&self) -> Option<&Path> {
        let folder = self.path.as_deref()?.parent();
        let folder = folder.filter(|folder| !folder.as_os_str().is_empty());
        Some(folder.unwrap_or(Path::new(".")))
    }

    /// Returns the folder of the configuration if that names the rules files.
    pub fn rules_folder(&self) -> Option<&Path> {
        self.root().filter(|_| !self.settings.is_typed("rules"))
    }

    /// Compiles the globs of files in folders; the error names the text that is not a glob.
    pub fn globs(&self) -> Result<Globs, GlobError> {
        let compile = |key, globs: &[String]| {
            let base = match self.settings.source(key) {
                SettingSource::File(_) => GlobBase::Root,
                _ => GlobBase::Start,
            };
            GlobList::new(globs, base)
        };
        let include = Some(&*self.settings.include).filter(|globs| !globs.is_empty());
        Ok(Globs {
            include: include.map(|globs| compile("include", globs)).transpose()?,
            exclude: compile("exclude", &self.settings.exclude)?,
            force: self.settings.force_exclude,
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
        let folder = full_path(self.settings.baseline.as_deref()?)?
            .parent()?
            .to_owned();
        std::env::current_dir()
            .ok()?
            .starts_with(&folder)
            .then_some(folder)
    }

    /// Prints the settings, and the tables of the configuration as they are written there.
    pub fn page(mut self) -> String {
        let mut page = match &self.path {
            Some(_) => format!("# configuration: {}\n", escape_unsafe(&self.name())),
            None => "# no configuration found; `sundown init` writes one\n".to_owned(),
        };
        let rows = SETTINGS.iter().map(|setting| {
            let name = setting.name;
            let line = match setting.slot(&mut self.settings).to_toml() {
                Some(value) => format!("{name} = {value}"),
                None => format!("# {name} is not set"),
            };
            let source = self.describe_source(self.settings.source(name));
            [Cell::from(line), format!("# {source}").into()]
        });
        // Values are copied: none is cut off for a terminal.
        for line in Table::new([(ColumnKind::Text, ""); 2]).lines(rows, None) {
            let _ = writeln!(page, "{}", line.trim_start());
        }
        for table in &self.tables {
            let source = self.describe_source(&SettingSource::File(table.span.clone()));
            let head = &table.head;
            let body = &table.body;
            let _ = write!(page, "\n{head}  # {}\n{body}", escape_unsafe(&source));
        }
        page
    }

    /// Describes a source in words.
    fn describe_source(&self, source: &SettingSource) -> String {
        match source {
            SettingSource::Default => "default".to_owned(),
            SettingSource::Environment(variable) => format!("because of {variable}"),
            SettingSource::CommandLine("PATH") => "command line".to_owned(),
            SettingSource::CommandLine(flag) => format!("command line: {flag}"),
            SettingSource::File(span) => {
                let before = self.text.get(..span.start).unwrap_or_default();
                format!("{}:{}", self.name(), before.matches('\n').count() + 1)
            }
        }
    }
}
