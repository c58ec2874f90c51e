//! A setting's value with its source: the default, the environment, the configuration or the command line.

use std::ops::Range;
use std::path::Path;

use super::values::SettingValue;
use sundown_files::toml_file::WithSpan;

/// The value of a setting and its source.
#[derive(Debug, Clone)]
pub struct Setting<T> {
    pub value: T,
    /// Where the value comes from.
    pub source: SettingSource,
}

/// Where the value of a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingSource {
    Default,
    /// An environment variable.
    Environment(&'static str),
    /// The configuration, at these bytes.
    File(Range<usize>),
    /// The command line: this flag.
    CommandLine(&'static str),
}

/// A setting, whatever its type.
pub(super) struct SettingRow<'s> {
    pub name: &'static str,
    /// As TOML; `None` if the setting has no value.
    pub value: Option<String>,
    /// The paths in its value, relative to the working directory.
    pub paths: Vec<&'s Path>,
    pub source: &'s SettingSource,
}

/// Makes the paths in a value of the configuration in `folder` relative to the working directory.
pub(super) fn relative_to<T: SettingValue>(setting: Setting<T>, folder: &Path) -> Setting<T> {
    Setting {
        value: setting.value.relative_to(folder),
        ..setting
    }
}

/// A value of a configuration.
impl<T> From<WithSpan<T>> for Setting<T> {
    fn from(WithSpan { value, span }: WithSpan<T>) -> Self {
        let source = SettingSource::File(span);
        Self { value, source }
    }
}

impl SettingSource {
    /// The flag of the command line that gives the value.
    pub fn flag(&self) -> Option<&'static str> {
        match self {
            Self::CommandLine(flag) => Some(flag),
            _ => None,
        }
    }

    /// Whether the command line gives the value.
    pub fn is_command_line(&self) -> bool {
        self.flag().is_some()
    }
}
