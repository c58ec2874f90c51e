//! `sundown usage`: its arguments, and the scan that they describe.

use std::collections::HashSet;
use std::fs::File;
use std::path::{Path, PathBuf};

use chrono::{DateTime, Days, NaiveTime, Utc};
use clap::Args;
use globset::{Glob, GlobMatcher};

use super::console::{Result, print_warning, with_progress};
use super::explain::help_with_rules;
use super::flags::TrafficFlags;
use super::input::InputArgs;
use super::options::{ConfigArgs, DateArgs, load_and_apply, print_warnings};
use super::outputs::used_files;
use super::usage_report::UsageReportArgs;
use sundown_files::{FileAccess, check_glob, read_limited};
use sundown_lint::Values;
use sundown_lint::rules::{RuleOptions, RuleSet};
use sundown_report::{Failure, Verbosity};
use sundown_run::{Status, remarks_on_rules, rule_options, scan_usage};
use sundown_text_json::text::{StatedDate, escape_unsafe, io_error_text, parse_date};
use sundown_usage::{CallerAttribute, CallerKey, CallerOptions, CallerValues, UsageOptions};

#[derive(Debug, Args)]
pub(super) struct UsageArgs {
    /// Files and folders; `-` is standard input (default: `paths` of the configuration, or `.`).
    paths: Vec<PathBuf>,
    /// Count only the elements of this rule; repeatable.
    #[arg(long = "rule", value_name = "ID")]
    only: Vec<String>,
    /// Count only the elements of the rules of this API.
    #[arg(long, value_name = "NAME", help_heading = "Selection")]
    api: Option<String>,
    /// Count only calls since this date (UTC) or time (RFC 3339).
    #[arg(long, value_name = "TIME", value_parser = |text: &str| parse_time(text, 0))]
    since: Option<DateTime<Utc>>,
    /// Count only calls until this date (UTC, included) or time (RFC 3339, excluded).
    #[arg(long, value_name = "TIME", value_parser = |text: &str| parse_time(text, 1))]
    until: Option<DateTime<Utc>>,
    #[command(flatten)]
    callers: CallerArgs,
    /// Also list the values that were called of elements with rules about values.
    ///
    /// Those are the values that rules know, and those that no rule knows, of which the calls are counted.
    #[arg(long)]
    inventory: bool,
    /// List the values that no rule knows, too.
    #[arg(long, requires = "inventory")]
    show_values: bool,
    #[command(flatten)]
    report: UsageReportArgs,
    #[command(flatten)]
    flags: TrafficFlags,
    #[command(flatten)]
    dates: DateArgs,
    #[command(flatten)]
    input: InputArgs,
    #[command(flatten)]
    config: ConfigArgs,
}

/// How callers are identified.
#[derive(Debug, Args)]
struct CallerArgs {
    /// Identify callers by this attribute, such as `user-agent` or `header:NAME`.
    ///
    /// Attributes are `user-agent`, `header:NAME`, `member:POINTER`, `file`, `initiator`, `cassette` and `consumer`;
    /// repeatable.
    #[arg(long, value_name = "ATTRIBUTE", value_parser = CallerAttribute::parse)]
    by: Vec<CallerAttribute>,
    /// Show the values of header fields and members, instead of keyed hashes.
    #[arg(long, requires = "by")]
    show_callers: bool,
    /// Hash values with the secret in this file, so that they have the same hash in other runs (default: a new secret).
    #[arg(long, value_name = "FILE", requires = "by", help_heading = "Callers")]
    caller_key_file: Option<PathBuf>,
    /// Leave out calls of callers with a value that this glob matches; repeatable.
    #[arg(long, value_name = "GLOB", requires = "by", help_heading = "Callers")]
    exclude_caller: Vec<String>,
}

impl UsageArgs {
    pub(super) fn run(&self, access: &FileAccess) -> Result<Status> {
        let verbosity = Verbosity::Normal;
        let mut config = self
            .config
            .resolve(&self.flags.given, &self.paths, verbosity, access)?;
        let options = RuleOptions {
            own_versions: self.only.clone(),
            other_values: self.inventory,
            ..rule_options(&config)
        };
        let (set, warnings) = load_and_apply(options, &mut config, verbosity, access)?;
        print_warnings(&warnings, verbosity);
        let usage = self.usage_options(&set, access)?;
        let mut used = used_files(&config);
        used.extend(self.callers.caller_key_file.clone());
        self.report.check(&used)?;
        let day = self.dates.day();
        for remark in remarks_on_rules(&set, day) {
            print_warning(remark.sentence());
        }
        let mut options = self.input.options(&config, &set, day, access)?;
        options.own_files.extend(self.report.partial.earlier());
        let scan = with_progress(options.size(), |stdin, gauge| {
            scan_usage(&options, &usage, stdin, gauge)
        });
        self.report
            .write(&scan, day, config.settings.strict, access)
    }

    fn usage_options(&self, set: &RuleSet, access: &FileAccess) -> Result<UsageOptions> {
        let Self {
            only: rules,
            api,
            since,
            until,
            ..
        } = self;
        if let Some(unknown) = rules
            .iter()
            .find(|id| !set.rules().iter().any(|rule| rule.is_called(id)))
        {
            return Err(Failure::with_help(
                format!("no rule has the id `{unknown}`"),
                help_with_rules(set, unknown),
            ));
        }
        if let Some(unknown) = api.as_ref().filter(|api| !has_api(set, api)) {
            return Err(Failure::with_help(
                format!("no rule is about the API `{unknown}`"),
                "the key `api` of a rules file is its name; `sundown rules list` shows them",
            ));
        }
        if since
            .zip(*until)
            .is_some_and(|(since, until)| since >= until)
        {
            let help = "give an earlier --since, or a later --until";
            return Err(Failure::with_help("--since is not before --until", help));
        }
        Ok(UsageOptions {
            rules: (!rules.is_empty()).then(|| rules.iter().cloned().collect::<HashSet<_>>()),
            api: api.clone(),
            since: *since,
            until: *until,
            callers: self.callers.options(access)?,
            values: if self.show_values {
                Values::Shown
            } else {
                Values::Hidden
            },
        })
    }
}

impl CallerArgs {
    fn options(&self, access: &FileAccess) -> Result<CallerOptions> {
        let values = if self.show_callers {
            CallerValues::Shown
        } else {
            CallerValues::Hashed
        };
        let excluded: Result<Vec<GlobMatcher>> = self
            .exclude_caller
            .iter()
            .map(|glob| parse_glob(glob))
            .collect();
        let has_key = self.caller_key_file.is_some();
        Ok(CallerOptions {
            attributes: self.by.clone(),
            // A new one if values have to be hashed.
            key: if has_key || CallerOptions::needs_secret(&self.by, values) {
                CallerKey::new(self.secret(access)?)
            } else {
                CallerKey::PUBLIC
            },
            values,
            excluded: excluded?,
        })
    }

    /// Reads the secret, or makes a new one.
    fn secret(&self, access: &FileAccess) -> Result<Vec<u8>> {
        let Some(path) = &self.caller_key_file else {
            let mut secret = vec![0; 32];
            getrandom::fill(&mut secret).map_err(|error| {
                let message = format!("the system gives no random numbers: {error}");
                Failure::with_help(message, "name a file with a secret: --caller-key-file")
            })?;
            return Ok(secret);
        };
        let name = path.display();
        // A pipe keeps a secret off the disk.
        let read = access.open_named(path).and_then(|(mut file, _)| {
            warn_if_public(path, &file);
            read_limited(&mut file, MAX_SECRET)
        });
        let secret = read.map_err(|error| {
            let message = format!("--caller-key-file: {name}: {}", io_error_text(&error));
            Failure::with_help(message, "name a file with a secret of at least 16 bytes")
        })?;
        // Editors end files with a line end.
        let secret = secret.trim_ascii();
        if secret.len() < SHORTEST_SECRET {
            let message =
                format!("--caller-key-file: {name} has fewer than {SHORTEST_SECRET} bytes");
            let help = "write a secret to it, such as the output of `openssl rand -hex 32`";
            return Err(Failure::with_help(message, help));
        }
        Ok(secret.to_vec())
    }
}

/// Warns about a file that all users can read. A group does not count: many systems give each user a group of their own.
#[cfg(unix)]
fn warn_if_public(path: &Path, file: &File) {
    use std::os::unix::fs::MetadataExt as _;
    if file
        .metadata()
        .is_ok_and(|metadata| metadata.is_file() && metadata.mode() & 0o004 != 0)
    {
        let name = escape_unsafe(&path.display().to_string()).into_owned();
        let message = "all users can read the secret";
        print_warning(format!(
            "--caller-key-file: {message}; use `chmod o-r {name}`"
        ));
    }
}

/// Does nothing: other systems say who can read a file in other ways.
#[cfg(not(unix))]
fn warn_if_public(_path: &Path, _file: &File) {}

/// The size of the largest file with a secret, in bytes.
const MAX_SECRET: u64 = 4 << 10;

/// The length of the shortest secret, in bytes: 128 bits cannot be guessed.
const SHORTEST_SECRET: usize = 16;

fn has_api(set: &RuleSet, api: &str) -> bool {
    let mut apis = set.rules().iter().map(|rule| &set.file(rule.file).api);
    apis.any(|own| own.eq_ignore_ascii_case(api))
}

fn parse_glob(text: &str) -> Result<GlobMatcher> {
    let glob = check_glob(text)
        .and_then(|()| Ok(Glob::new(text)?))
        .map_err(|error| {
            let message = format!("--exclude-caller: {error}");
            Failure::with_help(message, "globs look like curl/* or *monitor*")
        })?;
    Ok(glob.compile_matcher())
}

/// Parses a time, or a date: the first moment so many days later.
fn parse_time(text: &str, later: u64) -> Result<DateTime<Utc>, String> {
    let moment = match parse_date(text) {
        Some(StatedDate::Moment(moment)) => Some(moment),
        Some(StatedDate::Day(date)) => date
            .checked_add_days(Days::new(later))
            .map(|date| date.and_time(NaiveTime::MIN)),
        Some(StatedDate::Period(_)) | None => None,
    };
    let example = "dates look like 2026-11-20, and times like 2026-11-20T08:00:00Z";
    Ok(moment.ok_or(example)?.and_utc())
}
