//! The settings of a run, each declared once in [`SETTINGS`]: its key, type, default, example, flag and documentation.
//!
//! From a declaration follow the configuration key, its place in the JSON Schema, in the reference, the
//! flag with its help text, and the line of `sundown config`. To add a setting, run `scripts/new setting NAME`.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::ops::Range;
use std::path::{Path, PathBuf};

use super::keys::ConfigKey;
use super::values::Slot;
use FlagScope::{Check, Rules, Traffic};
use sundown_files::ReferenceScope;
use sundown_files::toml_file::TableReader;
use sundown_lint::inspect::UserRole;
use sundown_lint::rules::{Lifecycle, Severity, TargetVersion};
use sundown_openapi::{DateSources, DeprecationSources, MarkerOptions};
use sundown_report::{OutputFormat, OutputTarget};
use sundown_text_json::Limits;

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
    pub name: &'static str,
    /// Its field, whose type decides how a value is read, parsed and printed.
    slot: fn(&mut Settings) -> Slot<'_>,
    /// The default, as TOML or in words.
    default: &'static str,
    /// An example of a value, as TOML.
    pub example: &'static str,
    /// The command-line flag that overrides the configuration.
    pub flag: Option<Flag>,
    /// Its documentation, in Markdown.
    doc: &'static str,
}

/// A command-line flag that gives a setting. Its type and its help text are those of the key.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// Its name, without the dashes.
    pub name: &'static str,
    /// The name of its value in the help text.
    pub value_name: &'static str,
    /// The section of the help text that lists it, unless it is common.
    pub heading: &'static str,
    /// Whether it is among the first options of the help text, which `-h` shows.
    pub is_common: bool,
    /// The commands that take it.
    pub scope: FlagScope,
    /// A help text that replaces the documentation of the key.
    pub help: Option<&'static str>,
    /// Whether the flag is the negation of the key.
    pub negates: bool,
    /// An environment variable whose value stands in for the flag.
    pub variable: Option<&'static str>,
    /// A second flag, with its help text, that says that the key has no value.
    pub none: Option<(&'static str, &'static str)>,
}

/// The commands that take a flag, from the fewest to the most.
#[derive(Debug, Clone, Copy)]
pub enum FlagScope {
    /// Commands that take what `check` takes.
    Check,
    /// These and all other commands that read traffic.
    Traffic,
    /// These and all other commands that load rules.
    Rules,
}

const INPUT: &str = "Input";
const RULES: &str = "Rules";
const GRADING: &str = "Grading";
const KNOWN: &str = "Known findings";
const OUTPUT: &str = "Output";

/// All settings, in the order of the reference.
pub const SETTINGS: &[Setting] = &[
    Setting::new(
        "paths",
        |s| Slot::Paths(&mut s.paths),
        "Files and folders to check if the command line names none.",
    )
    .values("[\".\"]", "[\"captures\", \"fixtures\"]"),
    Setting::new(
        "include",
        |s| Slot::Globs(&mut s.include),
        "In folders, check only files that match one of these globs.",
    )
    .values("all files", "[\"*.har\", \"*.json\"]")
    .flag(Traffic, "GLOB", INPUT)
    .common(),
    Setting::new(
        "exclude",
        |s| Slot::Globs(&mut s.exclude),
        "In folders, skip files that match one of these globs.",
    )
    .values("[]", "[\"vendor\", \"/fixtures/old\"]")
    .flag(Traffic, "GLOB", INPUT)
    .common(),
    Setting::new(
        "force-exclude",
        |s| Slot::Boolean(&mut s.force_exclude),
        "Apply `exclude` to files that the command line names, too, as hooks do.",
    )
    .flag(Traffic, "BOOL", INPUT),
    Setting::new(
        "rules",
        |s| Slot::Paths(&mut s.rules),
        "Additional rules files (TOML), or OpenAPI descriptions used as rules.",
    )
    .values("[]", "[\"rules/shop.toml\", \"openapi.yaml\"]")
    .flag(Rules, "FILE", RULES)
    .common(),
    Setting {
        flag: Some(Flag {
            help: Some(
                "Do not use the built-in tables. Without the flag, they are used if there are no --rules and no --pack; with `=false`, beside these.",
            ),
            negates: true,
            ..Flag::new("no-builtin-rules", Rules, "BOOL", RULES)
        }),
        ..Setting::new(
            "builtin-rules",
            |s| Slot::Boolean(&mut s.builtin_rules),
            "Use the built-in tables. Without this key, they are used if neither `rules` nor `packs` names other rules.",
        )
        .values("true", "false")
    },
    Setting::new(
        "without-table",
        |s| Slot::Texts(&mut s.without_table),
        "Built-in tables to leave out: `client-api`, `indexing-api` or `beyond-reference`.",
    )
    .values("[]", "[\"beyond-reference\"]")
    .flag(Rules, "NAME", RULES),
    Setting::new(
        "contract",
        |s| Slot::Boolean(&mut s.contract),
        "Check the published contract beyond deprecations, too: the requirements of `client-contract` and `indexing-contract`.",
    )
    .flag(Rules, "BOOL", RULES),
    Setting {
        flag: Some(Flag::new("pack", Rules, "NAME", RULES)),
        ..Setting::new(
            "packs",
            |s| Slot::Texts(&mut s.packs),
            "Packs to use: rules about public APIs, each bound to its hosts. `sundown rules packs` lists them.",
        )
        .values("[]", "[\"llm-models\"]")
    }
        .common(),
    Setting::new(
        "unknown-host",
        |s| Slot::Boolean(&mut s.unknown_host),
        "Match the operations of packs even if the host of a call is unknown, as in a log without hosts.",
    )
    .flag(Traffic, "BOOL", RULES),
    Setting::new(
        "deprecations-from-text",
        |s| Slot::Boolean(&mut s.deprecations_from_text),
        "Also create rules for elements that only the text of an OpenAPI description used as rules calls deprecated. Their findings are possible.",
    )
    .flag(Rules, "BOOL", RULES),
    Setting::new(
        "dates-from-text",
        |s| Slot::Boolean(&mut s.dates_from_text),
        "If extensions of a deprecated element give no date, take the date that its text states.",
    )
    .flag(Rules, "BOOL", RULES),
    Setting::new(
        "any-host",
        |s| Slot::Boolean(&mut s.any_host),
        "Match operations on any host and after any segments of a path, even if their rules state the hosts.",
    )
    .flag(Traffic, "BOOL", RULES),
    Setting::new(
        "role",
        |s| Slot::Role(&mut s.role),
        "Your role for the API whose description is checked: an `owner` serves it, a `consumer` calls it.",
    )
    .values("findings for either role are reported", "\"owner\"")
    .flag(Check, "ROLE", INPUT),
    Setting::new(
        "max-depth",
        |s| Slot::Levels(&mut s.limits.depth),
        "The maximum nesting depth of a body.",
    )
    .values("1000000", "1000")
    .flag(Traffic, "LEVELS", INPUT),
    Setting::new(
        "max-record",
        |s| Slot::Size(&mut s.limits.record),
        "The maximum size of a record: a line, an entry, or a document that is not made of records; with K, M or G.",
    )
    .values("\"256M\"", "\"1G\"")
    .flag(Traffic, "SIZE", INPUT),
    Setting::new(
        "max-expansion",
        |s| Slot::Factor(&mut s.limits.expansion),
        "Multiply the expansion limits of compressed bodies, YAML aliases and API descriptions by this number.",
    )
    .values("1", "4")
    .flag(Rules, "FACTOR", INPUT),
    Setting::new(
        "error-within",
        |s| Slot::Days(&mut s.lifecycle.error_within),
        "Report an error if this many days or fewer are left.",
    )
    .values("30", "60")
    .flag(Check, "DAYS", GRADING),
    Setting::new(
        "warn-within",
        |s| Slot::DaysIfAny(&mut s.lifecycle.warn_within),
        "Report only a note if more days than this are left.",
    )
    .values("no notes", "180")
    .flag(Check, "DAYS", GRADING),
    Setting::new(
        "target-version",
        |s| Slot::Targets(&mut s.target_version),
        "Grade rules that state versions of a server by this version of it, in place of the day: removed in it is an error, deprecated a warning, later no finding. If the rules of several APIs state versions, write `API=VERSION`.",
    )
    .values("[]", "[\"1.33\"]")
    .flag(Check, "[API=]VERSION", GRADING),
    Setting::new(
        "response-severity",
        |s| Slot::Severity(&mut s.lifecycle.response_cap, &["error", "warning", "note"]),
        "The maximum severity of a finding in a response.",
    )
    .values("no maximum", "\"warning\"")
    .flag(Check, "SEVERITY", GRADING),
    Setting::new(
        "fail-on",
        |s| Slot::Severity(&mut s.fail_on, &["error", "warning", "note", "never"]),
        "Exit with 1 if there are findings of this severity or above.",
    )
    .values("\"error\"", "\"warning\"")
    .flag(Check, "SEVERITY", GRADING)
    .common(),
    Setting::new(
        "strict",
        |s| Slot::Boolean(&mut s.strict),
        "Validate everything, even where no rule can match, and exit with 2 if anything could not be checked.",
    )
    .flag(Traffic, "BOOL", GRADING)
    .common(),
    Setting {
        flag: Some(Flag {
            none: Some(("no-baseline", "Do not use a baseline.")),
            ..Flag::new("baseline", Check, "FILE", KNOWN)
        }),
        ..Setting::new(
            "baseline",
            |s| Slot::Path(&mut s.baseline),
            "A file of known findings: only findings that it does not list count. `sundown baseline` writes it.",
        )
        .values("none", "\"sundown-baseline.json\"")
    }
        .common(),
    Setting::new(
        "baseline-ignores-counts",
        |s| Slot::Boolean(&mut s.baseline_ignores_counts),
        "Let the baseline cover its findings whatever the number of their uses. Without it, more uses than it lists are new findings.",
    )
    .flag(Check, "BOOL", KNOWN),
    Setting {
        flag: Some(Flag {
            variable: Some("SUNDOWN_FORMAT"),
            ..Flag::new("format", Check, "FORMAT[=FILE]", OUTPUT)
        }),
        ..Setting::new(
            "format",
            |s| Slot::Outputs(&mut s.format),
            "Output formats, each written to standard output, or to a file: `sarif=report.sarif`.",
        )
        .values("`human`, or `github` in GitHub Actions", "[\"human\", \"sarif=sundown.sarif\"]")
    }
        .common(),
];

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

    /// Where the value under this key comes from.
    pub fn source(&self, key: &str) -> &SettingSource {
        debug_assert!(SETTINGS.iter().any(|setting| setting.name == key), "{key}");
        self.sources.get(key).unwrap_or(&SettingSource::Default)
    }

    /// Whether the command line gives the value under this key.
    pub fn is_typed(&self, key: &str) -> bool {
        matches!(self.source(key), SettingSource::CommandLine(_))
    }

    /// What marks elements of descriptions, and where removal dates are searched.
    pub fn markers(&self) -> MarkerOptions {
        MarkerOptions {
            deprecations: if self.deprecations_from_text {
                DeprecationSources::KeysAndProse
            } else {
                DeprecationSources::Keys
            },
            dates: if self.dates_from_text {
                DateSources::ExtensionsAndProse
            } else {
                DateSources::Extensions
            },
        }
    }
}

impl Setting {
    /// A setting that is a switch, and off; others have another default and example. It has no flag.
    const fn new(
        name: &'static str,
        slot: fn(&mut Settings) -> Slot<'_>,
        doc: &'static str,
    ) -> Self {
        Self {
            name,
            slot,
            default: "false",
            example: "true",
            flag: None,
            doc,
        }
    }

    /// Sets the default, as TOML or in words, and an example, as TOML.
    const fn values(self, default: &'static str, example: &'static str) -> Self {
        Self {
            default,
            example,
            ..self
        }
    }

    /// Adds a flag of the same name for the commands in `scope`.
    const fn flag(self, scope: FlagScope, value_name: &'static str, heading: &'static str) -> Self {
        let flag = Flag::new(self.name, scope, value_name, heading);
        Self {
            flag: Some(flag),
            ..self
        }
    }

    /// Puts the flag among the first options of the help text.
    const fn common(mut self) -> Self {
        if let Some(flag) = &mut self.flag {
            flag.is_common = true;
        }
        self
    }

    /// Describes its configuration key.
    pub fn key(&self) -> ConfigKey {
        ConfigKey {
            name: self.name,
            key_type: self.slot(&mut Settings::default()).key_type(),
            default: Some(self.default),
            doc: self.doc,
            example: self.example,
        }
    }

    pub(super) fn slot<'s>(&self, settings: &'s mut Settings) -> Slot<'s> {
        (self.slot)(settings)
    }

    /// Reads it from a configuration in `folder`, if it is there. Notes every mistake in the value.
    pub(super) fn read(
        &self,
        settings: &mut Settings,
        fields: &mut TableReader<'_, '_>,
        folder: &Path,
    ) {
        let Some(span) = self.slot(settings).read(self.name, fields) else {
            return;
        };
        for path in self.slot(settings).paths() {
            *path = folder.join(&*path);
        }
        let source = SettingSource::File(span);
        settings.sources.insert(self.name, source);
    }

    /// Sets it to the values that follow `flag`, or to none; the error says what is wrong with them.
    pub fn set(
        &self,
        settings: &mut Settings,
        flag: &'static str,
        values: &[OsString],
    ) -> Result<(), String> {
        self.slot(settings).set(values)?;
        let source = SettingSource::CommandLine(flag);
        settings.sources.insert(self.name, source);
        Ok(())
    }
}

impl Flag {
    /// A flag of the commands in `scope`.
    const fn new(
        name: &'static str,
        scope: FlagScope,
        value_name: &'static str,
        heading: &'static str,
    ) -> Self {
        Self {
            name,
            value_name,
            heading,
            is_common: false,
            scope,
            help: None,
            negates: false,
            variable: None,
            none: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_that_is_shown_is_the_default() {
        let mut settings = Settings::default();
        for setting in SETTINGS {
            let Setting { name, default, .. } = *setting;
            match setting.slot(&mut settings).to_toml() {
                // In words, because it is not a value or depends on the environment.
                None => assert!(!default.starts_with(['"', '[']), "{name}"),
                Some(_) if ["include", "format"].contains(&name) => {}
                Some(value) => assert_eq!(default, value, "{name}"),
            }
        }
    }
}
