//! Derives globs, names, limits and thresholds from the resolved settings.

use std::path::PathBuf;

use super::search::ConfigFile;
use super::settings::{FlagValues, ResolvedConfig};
use super::source::{Setting, SettingSource};
use super::values::GlobTexts;
use crate::files::{GlobBase, GlobError, GlobList, Names, full_path};
use crate::formats::{Globs, Limits};
use crate::report::{OutputFormat, OutputTarget};
use crate::rules::Lifecycle;

impl ResolvedConfig {
    /// Merges the command line, the configuration and the defaults.
    pub fn new(flags: FlagValues, file: Option<&ConfigFile>) -> Self {
        let values = file
            .map(|file| file.config.values.clone())
            .unwrap_or_default();
        let root = file.map(|file| file.root().to_owned());
        Self::merge(flags, values, root, file.map(|file| file.path.clone()))
    }

    /// Uses this output format if neither the command line nor the configuration names one, because of this environment
    /// variable.
    #[must_use]
    pub fn with_default_format(mut self, format: OutputFormat, variable: &'static str) -> Self {
        if self.format.source == SettingSource::Default {
            let value = vec![OutputTarget { format, file: None }];
            self.format = Setting {
                value,
                source: SettingSource::Environment(variable),
            };
        }
        self
    }

    /// Compiles the globs of files in folders; the error names the text that is not a glob.
    pub fn globs(&self) -> Result<Globs, GlobError> {
        let list = |setting: &Setting<GlobTexts>| {
            let base = match setting.source {
                SettingSource::File(_) => GlobBase::Root,
                _ => GlobBase::Start,
            };
            GlobList::new(&setting.value.0, base)
        };
        let include = match self.include.value.0.as_slice() {
            [] => None,
            _ => Some(list(&self.include)?),
        };
        Ok(Globs {
            include,
            exclude: list(&self.exclude)?,
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
        if self.root.is_some() {
            return self.root.clone();
        }
        let folder = full_path(self.baseline.value.as_deref()?)?
            .parent()?
            .to_owned();
        let start = std::env::current_dir().ok()?;
        start.starts_with(&folder).then_some(folder)
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
}
