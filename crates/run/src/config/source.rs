//! A setting's value with its source: the default, the environment, the configuration or the command line.

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
    /// The configuration, at this byte offset.
    File(usize),
    /// The command line: this flag.
    CommandLine(&'static str),
}

/// A setting as `sundown config` prints it.
pub(super) struct SettingRow<'s> {
    pub(super) name: &'static str,
    /// As TOML; `None` if the setting has no value.
    pub(super) value: Option<String>,
    pub(super) source: &'s SettingSource,
}

/// The paths in the value of a setting.
pub(super) struct SettingPaths<'s> {
    pub(super) key: &'static str,
    /// Relative to the working directory.
    pub(super) paths: Vec<&'s Path>,
}

/// Returns the first value that is given: by the command line, by the configuration in `folder`, or by default.
pub(super) fn resolve<T: SettingValue>(
    flag: Option<Setting<T>>,
    given: Option<WithSpan<T>>,
    folder: Option<&Path>,
    default: impl FnOnce() -> T,
) -> Setting<T> {
    if let Some(setting) = flag {
        return setting;
    }
    let Some(WithSpan { value, span }) = given else {
        return Setting {
            value: default(),
            source: SettingSource::Default,
        };
    };
    let value = match folder {
        Some(folder) => value.relative_to(folder),
        None => value,
    };
    Setting {
        value,
        source: SettingSource::File(span.start),
    }
}

impl SettingSource {
    /// Whether the command line gives the value.
    pub fn is_command_line(&self) -> bool {
        matches!(self, Self::CommandLine(_))
    }
}
