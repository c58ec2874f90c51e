//! What is in force: the command line before the configuration before the defaults, each with where it came from.

use std::path::PathBuf;

use super::ConfigFile;
use crate::formats::{GlobBase, GlobError, GlobList, Globs, Limits, Names, Size, full_path};
use crate::inspect::UserRole;
use crate::json::DEFAULT_MAX_DEPTH;
use crate::report::{OutputFormat, OutputTarget};
use crate::rules::{Lifecycle, Severity};
use crate::text::ExpansionFactor;
use crate::toml_file::WithSpan;

/// A value in force, and who said so.
#[derive(Debug, Clone)]
pub struct Setting<T> {
    /// The value.
    pub value: T,
    /// Who said so.
    pub origin: SettingSource,
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SettingSource {
    /// Nobody said anything.
    Default,
    /// An environment variable.
    Environment(&'static str),
    /// The configuration, at this offset.
    File(usize),
    /// The command line.
    CommandLine(&'static str),
}

/// What the command line says. `None`: nothing.
#[derive(Debug, Clone, Default)]
#[allow(missing_docs, reason = "`KEYS` says what each is for")]
pub struct FlagValues {
    pub paths: Option<Vec<PathBuf>>,
    pub include: Option<Vec<String>>,
    pub exclude: Option<Vec<String>>,
    pub force_exclude: Option<bool>,
    pub rules: Option<Vec<PathBuf>>,
    pub builtin_rules: Option<bool>,
    pub without_table: Option<Vec<String>>,
    pub dates_from_text: Option<bool>,
    pub role: Option<UserRole>,
    pub max_depth: Option<usize>,
    pub max_record: Option<Size>,
    pub max_expansion: Option<ExpansionFactor>,
    pub error_within: Option<i64>,
    pub warn_within: Option<i64>,
    pub response_severity: Option<Severity>,
    pub fail_on: Option<Option<Severity>>,
    pub strict: Option<bool>,
    pub baseline: BaselineFlag,
    pub format: Option<Vec<OutputTarget>>,
    /// What is written where nobody says, and the environment variable that decides so.
    pub usual_format: Option<(OutputFormat, &'static str)>,
}

/// What the command line says of a baseline.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum BaselineFlag {
    /// Nothing.
    #[default]
    Unsaid,
    /// That there is none.
    Without,
    /// That it is this file.
    File(PathBuf),
}

/// Everything that a key of the configuration or a flag can say, resolved: paths are relative to where the run started.
#[derive(Debug, Clone)]
#[allow(missing_docs, reason = "`KEYS` says what each is for")]
pub struct ResolvedConfig {
    /// The folder of the configuration, if there is one.
    pub root: Option<PathBuf>,
    /// The configuration, if there is one.
    pub file: Option<PathBuf>,
    pub paths: Setting<Vec<PathBuf>>,
    pub include: Setting<Vec<String>>,
    pub exclude: Setting<Vec<String>>,
    pub force_exclude: Setting<bool>,
    pub rules: Setting<Vec<PathBuf>>,
    pub builtin_rules: Setting<bool>,
    pub without_table: Setting<Vec<String>>,
    pub dates_from_text: Setting<bool>,
    pub role: Setting<UserRole>,
    pub max_depth: Setting<usize>,
    pub max_record: Setting<Size>,
    pub max_expansion: Setting<ExpansionFactor>,
    pub error_within: Setting<i64>,
    pub warn_within: Setting<Option<i64>>,
    pub response_severity: Setting<Option<Severity>>,
    pub fail_on: Setting<Option<Severity>>,
    pub strict: Setting<bool>,
    pub baseline: Setting<Option<PathBuf>>,
    pub format: Setting<Vec<OutputTarget>>,
}

impl ResolvedConfig {
    /// Puts together what holds.
    pub fn new(flags: FlagValues, file: Option<&ConfigFile>) -> Self {
        let said = file.map(|file| file.config.clone()).unwrap_or_default();
        let resolve = |path: &str| file.map_or_else(|| PathBuf::from(path), |f| f.resolve(path));
        let resolved = |paths: Option<WithSpan<Vec<String>>>| {
            mapped(paths, |paths| paths.iter().map(|path| resolve(path)).collect())
        };
        let placed = |rendering: OutputTarget| OutputTarget {
            file: rendering.file.map(|file| resolve(&file.to_string_lossy())),
            ..rendering
        };
        let format = mapped(said.format, |all| all.into_iter().map(placed).collect());
        let usual = Lifecycle::on(chrono::NaiveDate::default());
        let (record, once) = (Size(Limits::default().record), ExpansionFactor::default());
        Self {
            root: file.map(|file| file.root().to_owned()),
            file: file.map(|file| file.path.clone()),
            paths: pick(flags.paths, "PATH", resolved(said.paths), vec![PathBuf::from(".")]),
            include: pick(flags.include, "--include", said.include, Vec::new()),
            exclude: pick(flags.exclude, "--exclude", said.exclude, Vec::new()),
            force_exclude: pick(flags.force_exclude, "--force-exclude", said.force_exclude, false),
            rules: pick(flags.rules, "--rules", resolved(said.rules), Vec::new()),
            builtin_rules: pick(
                flags.builtin_rules,
                "--no-builtin-rules",
                said.builtin_rules,
                true,
            ),
            without_table: pick(
                flags.without_table,
                "--without-table",
                said.without_table,
                Vec::new(),
            ),
            dates_from_text: pick(
                flags.dates_from_text,
                "--dates-from-text",
                said.dates_from_text,
                false,
            ),
            role: pick(flags.role, "--role", said.role, UserRole::default()),
            max_depth: pick(flags.max_depth, "--max-depth", said.max_depth, DEFAULT_MAX_DEPTH),
            max_record: pick(flags.max_record, "--max-record", said.max_record, record),
            max_expansion: pick(flags.max_expansion, "--max-expansion", said.max_expansion, once),
            error_within: pick(
                flags.error_within,
                "--error-within",
                said.error_within,
                usual.error_within,
            ),
            warn_within: pick(
                flags.warn_within.map(Some),
                "--warn-within",
                mapped(said.warn_within, Some),
                usual.warn_within,
            ),
            response_severity: pick(
                flags.response_severity.map(Some),
                "--response-severity",
                mapped(said.response_severity, Some),
                usual.response_cap,
            ),
            fail_on: pick(flags.fail_on, "--fail-on", said.fail_on, Some(Severity::Error)),
            strict: pick(flags.strict, "--strict", said.strict, false),
            baseline: baseline(flags.baseline, mapped(said.baseline, |path| resolve(&path))),
            format: formats(flags.format, flags.usual_format, format),
        }
    }

    /// Which files of folders to look at; the error names the text that is no glob.
    pub fn globs(&self) -> Result<Globs, GlobError> {
        let list = |setting: &Setting<Vec<String>>| {
            let base = match setting.origin {
                SettingSource::File(_) => GlobBase::Root,
                _ => GlobBase::Start,
            };
            GlobList::new(&setting.value, base)
        };
        let include = match self.include.value.as_slice() {
            [] => None,
            _ => Some(list(&self.include)?),
        };
        Ok(Globs { include, exclude: list(&self.exclude)?, force: self.force_exclude.value })
    }

    /// What files are called.
    pub fn names(&self) -> Names {
        Names::new(self.names_root().as_deref())
    }

    /// Where names begin, if not where the run starts: in the folder of the configuration; without one in that of the
    /// baseline, if the run starts in or below it, so that a part of a project has the names that the whole has.
    pub fn names_root(&self) -> Option<PathBuf> {
        if self.root.is_some() {
            return self.root.clone();
        }
        let folder = full_path(self.baseline.value.as_deref()?)?.parent()?.to_owned();
        let start = std::env::current_dir().ok()?;
        start.starts_with(&folder).then_some(folder)
    }

    /// How large and how deep things may be.
    pub fn limits(&self) -> Limits {
        Limits {
            depth: self.max_depth.value,
            record: self.max_record.value.0,
            expansion: self.max_expansion.value,
            ..Limits::default()
        }
    }

    /// Thresholds and caps on the day given.
    pub fn lifecycle(&self, as_of: chrono::NaiveDate) -> Lifecycle {
        Lifecycle {
            as_of,
            error_within: self.error_within.value,
            warn_within: self.warn_within.value,
            response_cap: self.response_severity.value,
        }
    }
}

fn mapped<T, U>(at: Option<WithSpan<T>>, map: impl FnOnce(T) -> U) -> Option<WithSpan<U>> {
    at.map(|WithSpan { value, span }| WithSpan { value: map(value), span })
}

fn pick<T>(
    flag: Option<T>,
    name: &'static str,
    file: Option<WithSpan<T>>,
    default: T,
) -> Setting<T> {
    match (flag, file) {
        (Some(value), _) => Setting { value, origin: SettingSource::CommandLine(name) },
        (None, Some(WithSpan { value, span })) => {
            Setting { value, origin: SettingSource::File(span.start) }
        }
        (None, None) => Setting { value: default, origin: SettingSource::Default },
    }
}

fn baseline(flag: BaselineFlag, file: Option<WithSpan<PathBuf>>) -> Setting<Option<PathBuf>> {
    let (flag, name) = match flag {
        BaselineFlag::Unsaid => (None, ""),
        BaselineFlag::Without => (Some(None), "--no-baseline"),
        BaselineFlag::File(path) => (Some(Some(path)), "--baseline"),
    };
    pick(flag, name, mapped(file, Some), None)
}

fn formats(
    flags: Option<Vec<OutputTarget>>,
    usual: Option<(OutputFormat, &'static str)>,
    file: Option<WithSpan<Vec<OutputTarget>>>,
) -> Setting<Vec<OutputTarget>> {
    let human = vec![OutputTarget { format: OutputFormat::Human, file: None }];
    let said = pick(flags, "--format", file, human);
    match (&said.origin, usual) {
        (SettingSource::Default, Some((format, variable))) => Setting {
            value: vec![OutputTarget { format, file: None }],
            origin: SettingSource::Environment(variable),
        },
        _ => said,
    }
}

impl SettingSource {
    /// In words; `file` is the configuration.
    pub(super) fn words(&self, file: Option<&ConfigFile>) -> String {
        match self {
            Self::Default => "default".to_owned(),
            Self::Environment(variable) => format!("because of {variable}"),
            Self::CommandLine("PATH") => "command line".to_owned(),
            Self::CommandLine(flag) => format!("command line: {flag}"),
            Self::File(offset) => {
                let place =
                    |file: &ConfigFile| format!("{}:{}", file.path.display(), file.line(*offset));
                file.map(place).unwrap_or_default()
            }
        }
    }
}
