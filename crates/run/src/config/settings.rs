//! The settings of a run, each declared once in `settings.toml`: its key, default, example, flag and documentation. Its type is that of
//! its field.
//!
//! From a declaration follow the configuration key, its place in the JSON Schema, in the reference, the
//! flag with its help text, and the line of `sundown config`. To add a setting, run `scripts/new setting NAME`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde::Deserialize;

use super::keys::ConfigKey;
use super::values::Slot;
use sundown_files::ReferenceScope;
use sundown_files::toml_file::TableReader;
use sundown_lint::inspect::UserRole;
use sundown_lint::rules::{Lifecycle, Severity, TargetVersion};
use sundown_openapi::MarkerOptions;
use sundown_report::{OutputFormat, OutputTarget};
use sundown_text_json::Limits;
use sundown_text_json::text::toml::read_own;

/// The settings of a run. [`SETTINGS`] documents each field.
///
/// Each is from the command line, the configuration or the default, in this order. Paths are relative to the working directory.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "the declarations document the fields")]
#[allow(clippy::struct_excessive_bools, reason = "each is a switch of its own")]
pub struct Settings {
    pub paths: Vec<PathBuf>,
    pub include: Vec<String>,
    pub exclude: Vec<String>,
    pub force_exclude: bool,
    pub rules: Vec<PathBuf>,
    pub builtin_rules: bool,
    pub without_table: Vec<String>,
    pub contract: bool,
    pub packs: Vec<String>,
    pub unknown_host: bool,
    pub deprecations_from_text: bool,
    pub dates_from_text: bool,
    pub any_host: bool,
    pub role: UserRole,
    pub limits: Limits,
    pub lifecycle: Lifecycle,
    pub target_version: Vec<TargetVersion>,
    pub fail_on: Option<Severity>,
    pub strict: bool,
    pub baseline: Option<PathBuf>,
    pub baseline_ignores_counts: bool,
    pub format: Vec<OutputTarget>,
    /// Where the files may be that other files name. Only the command line decides this.
    pub references: ReferenceScope,
    /// Where values come from that are not the defaults, by key.
    pub sources: BTreeMap<&'static str, SettingSource>,
}

/// Where the value of a setting comes from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingSource {
    Default,
    /// The value of something else: an environment variable or a setting.
    Other(&'static str),
    /// The configuration, at these bytes.
    File(Range<usize>),
    /// The command line: this flag, named without its dashes.
    CommandLine(&'static str),
}

/// The declaration of a setting.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// Its configuration key.
    pub key: ConfigKey,
    /// The command-line flag that overrides the configuration.
    pub flag: Option<Flag>,
}

/// A command-line flag that gives a setting. Its type and its help text are those of the key.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flag {
    /// Its name, without the dashes; empty if it is the key, until that is known.
    #[serde(default)]
    pub name: &'static str,
    /// The name of its value in the help text.
    #[serde(rename = "value")]
    pub value_name: &'static str,
    /// The section of the help text that lists it, unless it is common.
    pub heading: &'static str,
    /// Whether it is among the first options of the help text, which `-h` shows.
    #[serde(default, rename = "common")]
    pub is_common: bool,
    /// The commands that take it.
    #[serde(rename = "commands")]
    pub scope: FlagScope,
    /// A help text that replaces the documentation of the key.
    pub help: Option<&'static str>,
    /// Whether the flag is the negation of the key.
    #[serde(default)]
    pub negates: bool,
    /// An environment variable whose value replaces the flag.
    pub variable: Option<&'static str>,
    /// A second flag, with its help text, that says that the key has no value.
    pub none: Option<(&'static str, &'static str)>,
}

/// The commands that take a flag, from the fewest to the most.
#[derive(Debug, Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FlagScope {
    /// Commands that take what `check` takes.
    Check,
    /// These and all other commands that read traffic.
    Traffic,
    /// These and all other commands that load rules.
    Rules,
}

/// The file of the declarations.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, bound(deserialize = "'de: 'static"))]
struct SettingFile {
    setting: Vec<SettingDeclaration>,
}

/// A setting as it is declared.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SettingDeclaration {
    name: &'static str,
    doc: &'static str,
    default: &'static str,
    example: &'static str,
    flag: Option<Flag>,
}

/// All settings, in the order of the reference.
pub static SETTINGS: LazyLock<Vec<Setting>> = LazyLock::new(|| {
    let mut settings = Settings::default();
    let file: SettingFile = read_own(include_str!("settings.toml"));
    let declared = file.setting.into_iter();
    declared.filter_map(|one| one.of(&mut settings)).collect()
});

impl Default for Settings {
    fn default() -> Self {
        Self {
            paths: vec![PathBuf::from(".")],
            include: Vec::new(),
            exclude: Vec::new(),
            force_exclude: false,
            rules: Vec::new(),
            builtin_rules: true,
            without_table: Vec::new(),
            contract: false,
            packs: Vec::new(),
            unknown_host: false,
            deprecations_from_text: false,
            dates_from_text: false,
            any_host: false,
            role: UserRole::default(),
            limits: Limits::default(),
            lifecycle: Lifecycle::on(chrono::NaiveDate::default()),
            target_version: Vec::new(),
            fail_on: Some(Severity::Error),
            strict: false,
            baseline: None,
            baseline_ignores_counts: false,
            format: vec![OutputTarget {
                format: OutputFormat::HUMAN,
                file: None,
            }],
            references: ReferenceScope::default(),
            sources: BTreeMap::new(),
        }
    }
}

impl Settings {
    /// The settings of a run over these paths, in which all else is as it is without options on the command line.
    pub fn of(paths: Vec<PathBuf>) -> Self {
        Self {
            paths,
            ..Self::default()
        }
    }

    /// Takes the paths that the command line names.
    pub fn name_paths(&mut self, paths: &[PathBuf]) {
        paths.clone_into(&mut self.paths);
        let source = SettingSource::CommandLine("PATH");
        self.sources.insert("paths", source);
    }

    /// Uses this output format if neither the command line nor the configuration names one, because of this environment
    /// variable.
    pub fn set_default_format(&mut self, format: OutputFormat, variable: &'static str) {
        if *self.source("format") == SettingSource::Default {
            self.format = vec![OutputTarget { format, file: None }];
            let source = SettingSource::Other(variable);
            self.sources.insert("format", source);
        }
    }

    /// Leaves the built-in tables out if other rules are named, and not these.
    pub fn prefer_named_rules(&mut self) {
        let named = [
            ("rules", self.rules.is_empty()),
            ("packs", self.packs.is_empty()),
        ];
        let other = named.into_iter().find(|(_, is_empty)| !is_empty);
        if let (Some((key, _)), SettingSource::Default) = (other, self.source("builtin-rules")) {
            self.builtin_rules = false;
            self.sources
                .insert("builtin-rules", SettingSource::Other(key));
        }
    }

    /// The place of the value under this key.
    pub(super) fn slot(&mut self, key: &str) -> Option<Slot<'_>> {
        Some(match key {
            "paths" => Slot::Paths(&mut self.paths),
            "include" => Slot::Globs(&mut self.include),
            "exclude" => Slot::Globs(&mut self.exclude),
            "force-exclude" => Slot::Boolean(&mut self.force_exclude),
            "rules" => Slot::Paths(&mut self.rules),
            "builtin-rules" => Slot::Boolean(&mut self.builtin_rules),
            "without-table" => Slot::Texts(&mut self.without_table),
            "contract" => Slot::Boolean(&mut self.contract),
            "packs" => Slot::Texts(&mut self.packs),
            "unknown-host" => Slot::Boolean(&mut self.unknown_host),
            "deprecations-from-text" => Slot::Boolean(&mut self.deprecations_from_text),
            "dates-from-text" => Slot::Boolean(&mut self.dates_from_text),
            "any-host" => Slot::Boolean(&mut self.any_host),
            "role" => Slot::Role(&mut self.role),
            "max-depth" => Slot::Levels(&mut self.limits.depth),
            "max-record" => Slot::Size(&mut self.limits.record),
            "max-expansion" => Slot::Factor(&mut self.limits.expansion),
            "error-within" => Slot::Days(&mut self.lifecycle.error_within),
            "warn-within" => Slot::DaysIfAny(&mut self.lifecycle.warn_within),
            "target-version" => Slot::Targets(&mut self.target_version),
            "response-severity" => Slot::Severity(
                &mut self.lifecycle.response_cap,
                &["error", "warning", "note"],
            ),
            "fail-on" => Slot::Severity(&mut self.fail_on, &["error", "warning", "note", "never"]),
            "strict" => Slot::Boolean(&mut self.strict),
            "baseline" => Slot::Path(&mut self.baseline),
            "baseline-ignores-counts" => Slot::Boolean(&mut self.baseline_ignores_counts),
            "format" => Slot::Outputs(&mut self.format),
            _ => return None,
        })
    }

    /// Where the value under this key comes from.
    pub fn source(&self, key: &str) -> &SettingSource {
        debug_assert!(
            SETTINGS.iter().any(|setting| setting.key.name == key),
            "{key}"
        );
        self.sources.get(key).unwrap_or(&SettingSource::Default)
    }

    /// Whether the command line gives the value under this key.
    pub fn is_typed(&self, key: &str) -> bool {
        matches!(self.source(key), SettingSource::CommandLine(_))
    }

    /// What is read in the prose of descriptions.
    pub fn markers(&self) -> MarkerOptions {
        MarkerOptions {
            deprecations_from_text: self.deprecations_from_text,
            dates_from_text: self.dates_from_text,
        }
    }
}

impl Setting {
    /// Reads it from a configuration in `folder`, if it is there. Notes every mistake in the value.
    pub(super) fn read(
        &self,
        settings: &mut Settings,
        fields: &TableReader<'_>,
        folder: &Path,
    ) -> Option<()> {
        let name = self.key.name;
        let span = settings.slot(name)?.read(name, fields)?;
        for path in settings.slot(name)?.paths() {
            *path = folder.join(&*path);
        }
        settings.sources.insert(name, SettingSource::File(span));
        Some(())
    }

    /// Sets it to the values that follow `flag`, or to none; the error says what is wrong with them.
    pub fn set(
        &self,
        settings: &mut Settings,
        flag: &'static str,
        values: &[OsString],
    ) -> Result<(), String> {
        let name = self.key.name;
        if let Some(mut slot) = settings.slot(name) {
            slot.set(values)?;
        }
        let source = SettingSource::CommandLine(flag);
        settings.sources.insert(name, source);
        Ok(())
    }
}

impl SettingDeclaration {
    /// The setting, if it has a place among these.
    fn of(self, settings: &mut Settings) -> Option<Setting> {
        let Self { name, doc, .. } = self;
        let slot = settings.slot(name);
        debug_assert!(slot.is_some(), "{name} is no setting");
        Some(Setting {
            key: ConfigKey {
                name,
                key_type: slot?.key_type(),
                default: Some(self.default),
                doc,
                example: self.example,
            },
            flag: self.flag.map(|flag| match flag.name {
                "" => Flag { name, ..flag },
                _ => flag,
            }),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_that_is_shown_is_the_default() {
        let mut settings = Settings::default();
        for Setting { key, .. } in SETTINGS.iter() {
            let (name, default) = (key.name, key.default.unwrap());
            match settings.slot(name).unwrap().to_toml() {
                // In words, because it is not a value or depends on the environment.
                None => assert!(!default.starts_with(['"', '[']), "{name}"),
                Some(_) if ["include", "format"].contains(&name) => {}
                Some(value) => assert_eq!(default, value, "{name}"),
            }
        }
    }
}
