//! The settings of the program. To add one, add its declaration here: `scripts/new setting NAME` does it.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::keys::FlagScope::{Check, Rules, Traffic};
use super::keys::{ConfigKey, Flag};
use super::registry::settings;
use super::search::ConfigFile;
use super::source::{Setting, SettingRow, SettingSource, relative_to};
use super::values::{FailThreshold, GlobTexts, SettingValue};
use sundown_captures::{Limits, Size};
use sundown_files::ReferenceScope;
use sundown_files::toml_file::TableReader;
use sundown_lint::inspect::UserRole;
use sundown_lint::rules::{Lifecycle, Severity, TargetVersion};
use sundown_report::{OutputFormat, OutputTarget};
use sundown_text_json::json::DEFAULT_MAX_DEPTH;
use sundown_text_json::text::ExpansionFactor;

const INPUT: &str = "Input";
const RULES: &str = "Rules";
const GRADING: &str = "Grading";
const KNOWN: &str = "Known findings";
const OUTPUT: &str = "Output";

settings! {
    /// Files and folders to check if the command line names none.
    "paths" => paths: Vec<PathBuf> {
        default: vec![PathBuf::from(".")],
        shown_default: "[\".\"]",
        example: "[\"captures\", \"fixtures\"]",
        flag: None,
    }

    /// In folders, check only files that match one of these globs.
    "include" => include: GlobTexts {
        default: GlobTexts::default(),
        shown_default: "all files",
        example: "[\"*.har\", \"*.json\"]",
        flag: Some(Flag::new(Traffic, "--include", "GLOB", INPUT).common()),
    }

    /// In folders, skip files that match one of these globs.
    "exclude" => exclude: GlobTexts {
        default: GlobTexts::default(),
        shown_default: "[]",
        example: "[\"vendor\", \"/fixtures/old\"]",
        flag: Some(Flag::new(Traffic, "--exclude", "GLOB", INPUT).common()),
    }

    /// Apply `exclude` to files that the command line names, too, as hooks do.
    "force-exclude" => force_exclude: bool {
        default: false,
        shown_default: "false",
        example: "true",
        flag: Some(Flag::new(Traffic, "--force-exclude", "BOOL", INPUT)),
    }

    /// Additional rules files (TOML), or OpenAPI descriptions used as rules.
    "rules" => rules: Vec<PathBuf> {
        default: Vec::new(),
        shown_default: "[]",
        example: "[\"rules/shop.toml\", \"openapi.yaml\"]",
        flag: Some(Flag::new(Rules, "--rules", "FILE", RULES).common()),
    }

    /// Use the built-in tables.
    "builtin-rules" => builtin_rules: bool {
        default: true,
        shown_default: "true",
        example: "false",
        flag: Some(Flag {
            help: Some("Do not use the built-in tables."),
            negates: true,
            ..Flag::new(Rules, "--no-builtin-rules", "BOOL", RULES)
        }),
    }

    /// Built-in tables to leave out: `client-api`, `indexing-api` or `beyond-reference`.
    "without-table" => without_table: Vec<String> {
        default: Vec::new(),
        shown_default: "[]",
        example: "[\"beyond-reference\"]",
        flag: Some(Flag::new(Rules, "--without-table", "NAME", RULES)),
    }

    /// Check the published contract beyond deprecations, too: the requirements of `client-contract` and `indexing-contract`.
    "contract" => contract: bool {
        default: false,
        shown_default: "false",
        example: "true",
        flag: Some(Flag::new(Rules, "--contract", "BOOL", RULES)),
    }

    /// Packs to use: rules about public APIs, each bound to its hosts. `sundown rules packs` lists them.
    "packs" => packs: Vec<String> {
        default: Vec::new(),
        shown_default: "[]",
        example: "[\"llm-models\"]",
        flag: Some(Flag::new(Rules, "--pack", "NAME", RULES).common()),
    }

    /// Match the operations of packs even if the host of a call is unknown, as in a log without hosts.
    "unknown-host" => unknown_host: bool {
        default: false,
        shown_default: "false",
        example: "true",
        flag: Some(Flag::new(Traffic, "--unknown-host", "BOOL", RULES)),
    }

    /// Also create rules for elements that only the text of an OpenAPI description used as rules calls deprecated. Their findings
    /// are possible.
    "deprecations-from-text" => deprecations_from_text: bool {
        default: false,
        shown_default: "false",
        example: "true",
        flag: Some(Flag::new(Rules, "--deprecations-from-text", "BOOL", RULES)),
    }

    /// If extensions of a deprecated element give no date, take the date that its text states.
    "dates-from-text" => dates_from_text: bool {
        default: false,
        shown_default: "false",
        example: "true",
        flag: Some(Flag::new(Rules, "--dates-from-text", "BOOL", RULES)),
    }

    /// Match operations on any host and after any segments of a path, even if their rules state the hosts.
    "any-host" => any_host: bool {
        default: false,
        shown_default: "false",
        example: "true",
        flag: Some(Flag::new(Traffic, "--any-host", "BOOL", RULES)),
    }

    /// Your role for the API whose description is checked: an `owner` serves it, a `consumer` calls it.
    "role" => role: UserRole {
        default: UserRole::default(),
        shown_default: "findings for either role are reported",
        example: "\"owner\"",
        flag: Some(Flag::new(Check, "--role", "ROLE", INPUT)),
    }

    /// The maximum nesting depth of a body.
    "max-depth" => max_depth: usize {
        default: DEFAULT_MAX_DEPTH,
        shown_default: "1000000",
        example: "1000",
        flag: Some(Flag::new(Traffic, "--max-depth", "LEVELS", INPUT)),
    }

    /// The maximum size of a record: a line, an entry, or a document that is not made of records; with K, M or G.
    "max-record" => max_record: Size {
        default: Size(Limits::default().record),
        shown_default: "\"256M\"",
        example: "\"1G\"",
        flag: Some(Flag::new(Traffic, "--max-record", "SIZE", INPUT)),
    }

    /// Multiply the expansion limits of compressed bodies, YAML aliases and API descriptions by this number.
    "max-expansion" => max_expansion: ExpansionFactor {
        default: ExpansionFactor::default(),
        shown_default: "1",
        example: "4",
        flag: Some(Flag::new(Rules, "--max-expansion", "FACTOR", INPUT)),
    }

    /// Report an error if this many days or fewer are left.
    "error-within" => error_within: i64 {
        default: default_lifecycle().error_within,
        shown_default: "30",
        example: "60",
        flag: Some(Flag::new(Check, "--error-within", "DAYS", GRADING)),
    }

    /// Report only a note if more days than this are left.
    "warn-within" => warn_within: Option<i64> {
        default: default_lifecycle().warn_within,
        shown_default: "no notes",
        example: "180",
        flag: Some(Flag::new(Check, "--warn-within", "DAYS", GRADING)),
    }

    /// Grade rules that state versions of a server by this version of it, in place of the day: removed in it is an error, deprecated a
    /// warning, later no finding. If the rules of several APIs state versions, write `API=VERSION`.
    "target-version" => target_version: Vec<TargetVersion> {
        default: Vec::new(),
        shown_default: "[]",
        example: "[\"1.33\"]",
        flag: Some(Flag::new(Check, "--target-version", "[API=]VERSION", GRADING)),
    }

    /// The maximum severity of a finding in a response.
    "response-severity" => response_severity: Option<Severity> {
        default: default_lifecycle().response_cap,
        shown_default: "no maximum",
        example: "\"warning\"",
        flag: Some(Flag::new(Check, "--response-severity", "SEVERITY", GRADING)),
    }

    /// Exit with 1 if there are findings of this severity or above.
    "fail-on" => fail_on: FailThreshold {
        default: FailThreshold(Some(Severity::Error)),
        shown_default: "\"error\"",
        example: "\"warning\"",
        flag: Some(Flag::new(Check, "--fail-on", "SEVERITY", GRADING).common()),
    }

    /// Validate everything, even where no rule can match, and exit with 2 if anything could not be checked.
    "strict" => strict: bool {
        default: false,
        shown_default: "false",
        example: "true",
        flag: Some(Flag::new(Traffic, "--strict", "BOOL", GRADING).common()),
    }

    /// A file of known findings: only findings that it does not list count. `sundown baseline` writes it.
    "baseline" => baseline: Option<PathBuf> {
        default: None,
        shown_default: "none",
        example: "\"sundown-baseline.json\"",
        flag: Some(Flag {
            none: Some(("--no-baseline", "Do not use a baseline.")),
            ..Flag::new(Check, "--baseline", "FILE", KNOWN).common()
        }),
    }

    /// Let the baseline cover its findings whatever the number of their uses. Without it, more uses than it lists are new findings.
    "baseline-ignores-counts" => baseline_ignores_counts: bool {
        default: false,
        shown_default: "false",
        example: "true",
        flag: Some(Flag::new(Check, "--baseline-ignores-counts", "BOOL", KNOWN)),
    }

    /// Output formats, each written to standard output, or to a file: `sarif=report.sarif`.
    "format" => format: Vec<OutputTarget> {
        default: vec![OutputTarget { format: OutputFormat::HUMAN, file: None }],
        shown_default: "`human`, or `github` in GitHub Actions",
        example: "[\"human\", \"sarif=sundown.sarif\"]",
        flag: Some(Flag::new(Check, "--format", "FORMAT[=FILE]", OUTPUT).common()),
    }
}

/// The default thresholds, which do not depend on the day.
fn default_lifecycle() -> Lifecycle {
    Lifecycle::on(chrono::NaiveDate::default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_default_that_is_shown_is_the_default() {
        let settings = ResolvedConfig::new(GivenSettings::default(), None);
        for (key, row) in SETTINGS.iter().zip(settings.rows()) {
            let shown = key.default.unwrap_or_default();
            assert_eq!(key.name, row.name);
            match row.value {
                // In words, because it is not a value or depends on the environment.
                None => assert!(!shown.starts_with(['"', '[']), "{}", key.name),
                Some(_) if ["include", "format"].contains(&key.name) => {}
                Some(value) => assert_eq!(shown, value, "{}", key.name),
            }
        }
    }
}
