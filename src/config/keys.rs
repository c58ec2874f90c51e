//! Every key of a configuration, once: what it is called, what it holds, and what it is for. The JSON Schema and the
//! reference are made of this, and tests hold the readers to it.

use std::ops::RangeInclusive;

/// How many days a threshold may have: a century, either way.
pub const DAYS: RangeInclusive<i64> = -36_500..=36_500;

/// A key.
#[derive(Debug, Clone, Copy)]
pub struct ConfigKey {
    /// Its name. Where there is a flag of the same name on the command line, the flag wins.
    pub name: &'static str,
    /// What it holds.
    pub kind: KeyType,
    /// What holds where it is absent, as TOML or in words; `None` where it must be there.
    pub default: Option<&'static str>,
    /// What it is for, in Markdown.
    pub doc: &'static str,
    /// A value as it may stand in a file, as TOML; for tables, see their keys.
    pub example: &'static str,
}

/// What a key holds.
#[derive(Debug, Clone, Copy)]
pub enum KeyType {
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A string or a list of strings.
    OneOrMore,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// A whole number of levels, at least one.
    Levels,
    /// How many times, a whole number, at least one.
    Times,
    /// A whole number of days, within [`DAYS`].
    Days,
    /// True or false.
    Boolean,
    /// A date.
    Date,
    /// A table of names of the user's own, each with one of these strings.
    Named(&'static [&'static str]),
    /// A list of tables with these keys.
    Tables(&'static [ConfigKey]),
}

impl ConfigKey {
    /// Whether it stands in a file as one or more tables of its own.
    pub fn is_table(&self) -> bool {
        matches!(self.kind, KeyType::Named(_) | KeyType::Tables(_))
    }
}

const SEVERITIES: &[&str] = &["error", "warning", "note"];

/// The keys at the top.
pub const KEYS: &[ConfigKey] = &[
    ConfigKey {
        name: "paths",
        kind: KeyType::Texts,
        default: Some("[\".\"]"),
        doc: "Files and folders to check where the command line names none.",
        example: "[\"captures\", \"fixtures\"]",
    },
    ConfigKey {
        name: "include",
        kind: KeyType::Texts,
        default: Some("all files"),
        doc: "In folders, check only files that match one of these globs.",
        example: "[\"*.har\", \"*.json\"]",
    },
    ConfigKey {
        name: "exclude",
        kind: KeyType::Texts,
        default: Some("[]"),
        doc: "In folders, leave out files that match one of these globs.",
        example: "[\"vendor\", \"/fixtures/old\"]",
    },
    ConfigKey {
        name: "force-exclude",
        kind: KeyType::Boolean,
        default: Some("false"),
        doc: "Let `exclude` hold for files named on the command line too, as hooks do.",
        example: "true",
    },
    ConfigKey {
        name: "rules",
        kind: KeyType::Texts,
        default: Some("[]"),
        doc: "Further rules files (TOML), or OpenAPI descriptions used as rules.",
        example: "[\"rules/shop.toml\", \"openapi.yaml\"]",
    },
    ConfigKey {
        name: "builtin-rules",
        kind: KeyType::Boolean,
        default: Some("true"),
        doc: "Whether to use the built-in tables.",
        example: "false",
    },
    ConfigKey {
        name: "without-table",
        kind: KeyType::Texts,
        default: Some("[]"),
        doc: "Built-in tables to leave out.",
        example: "[\"beyond-reference\"]",
    },
    ConfigKey {
        name: "dates-from-text",
        kind: KeyType::Boolean,
        default: Some("false"),
        doc: "Where an OpenAPI description that is used as rules has no date, take one from its text.",
        example: "true",
    },
    ConfigKey {
        name: "role",
        kind: KeyType::OneOf(&["owner", "consumer"]),
        default: Some("what concerns either is reported"),
        doc: "What you are to the API whose description is checked.",
        example: "\"owner\"",
    },
    ConfigKey {
        name: "max-depth",
        kind: KeyType::Levels,
        default: Some("1000000"),
        doc: "How deep bodies may nest.",
        example: "1000",
    },
    ConfigKey {
        name: "max-record",
        kind: KeyType::Text,
        default: Some("\"256M\""),
        doc: "How large a record may be: a line, an entry, or a document that is none; with K, M or G.",
        example: "\"1G\"",
    },
    ConfigKey {
        name: "max-expansion",
        kind: KeyType::Times,
        default: Some("1"),
        doc: "How many times as much as usual compressed bodies, YAML aliases and API descriptions may stand for.",
        example: "4",
    },
    ConfigKey {
        name: "error-within",
        kind: KeyType::Days,
        default: Some("30"),
        doc: "An error with so many days left or fewer.",
        example: "60",
    },
    ConfigKey {
        name: "warn-within",
        kind: KeyType::Days,
        default: Some("no notes"),
        doc: "Only a note with more days left than this.",
        example: "180",
    },
    ConfigKey {
        name: "response-severity",
        kind: KeyType::OneOf(SEVERITIES),
        default: Some("no cap"),
        doc: "The worst that a finding in a response can be.",
        example: "\"warning\"",
    },
    ConfigKey {
        name: "fail-on",
        kind: KeyType::OneOf(&["error", "warning", "note", "never"]),
        default: Some("\"error\""),
        doc: "Exit with 1 on findings of this severity or worse.",
        example: "\"warning\"",
    },
    ConfigKey {
        name: "strict",
        kind: KeyType::Boolean,
        default: Some("false"),
        doc: "Validate everything, and exit with 2 if anything could not be checked.",
        example: "true",
    },
    ConfigKey {
        name: "format",
        kind: KeyType::Texts,
        default: Some("[\"human\"], or [\"github\"] under GitHub Actions"),
        doc: "Output formats, each into a file if one is given.",
        example: "[\"human\", \"sarif=sundown.sarif\"]",
    },
    ConfigKey {
        name: "severity",
        kind: KeyType::Named(&["error", "warning", "note", "off"]),
        default: Some("graded by the days left"),
        doc: "The severity of single rules, by id, whatever the days left; `off` leaves a rule out. The cap of `response-severity` holds all the same, and what is only possible is one severity lower. A check of API descriptions is named by its id (`undated`), for all rules, or as reports show it (`\"undated/order-legacy-id\"`), for one rule; what holds for a check and a rule goes before what holds for the check, and that before what holds for the rule.",
        example: "\"note\"",
    },
    ConfigKey {
        name: "baseline",
        kind: KeyType::Text,
        default: Some("none"),
        doc: "A file that names the findings which were there before: only new ones count. `sundown baseline` writes it.",
        example: "\"sundown-baseline.json\"",
    },
    ConfigKey {
        name: "allow",
        kind: KeyType::Tables(ALLOW),
        default: Some("none"),
        doc: "Findings that do not count, for a reason and until a day. Each says at least one of `rule`, `files`, `operation` and `pointer`; what it does not say it does not ask for.",
        example: "",
    },
    ConfigKey {
        name: "payload",
        kind: KeyType::Tables(PAYLOAD),
        default: Some("none"),
        doc: "What the bare bodies in some files are. The first that matches a file holds. `--operation` goes before, and an exchange that a file looks like or its name come behind. Archives and API descriptions stay what they are.",
        example: "",
    },
    ConfigKey {
        name: "log",
        kind: KeyType::Tables(LOG),
        default: Some("only the shapes that are known"),
        doc: "Where logs in a shape of their own keep the pieces of an exchange: lines of JSON, a list of records, or a single one; or in which order lines of an access log have their fields. Each place is a JSON Pointer (RFC 6901) from the record: `/http/request/0`, with `~1` for a `/` in a name and `~0` for `~`. Of several tables the first that fits a record holds; a record that fits none is read in the shapes that are known. Such logs are parsed line by line, which takes longer.",
        example: "",
    },
    ConfigKey {
        name: "api",
        kind: KeyType::Tables(API),
        default: Some("any host, and the base path of the rules"),
        doc: "Where in traffic the operations of an API are met. Tables about one API add up.",
        example: "",
    },
];

const LOG: &[ConfigKey] = &[
    ConfigKey {
        name: "files",
        kind: KeyType::OneOrMore,
        default: Some("all files"),
        doc: "The logs, as globs. A file that is named here is read line by line even if it looks like nothing.",
        example: "[\"logs/*.ndjson\"]",
    },
    ConfigKey {
        name: "log-format",
        kind: KeyType::Text,
        default: Some("lines are JSON, or an access log in the common or combined format"),
        doc: "What stands in the lines of an access log: the `log_format` of nginx or the `LogFormat` of Apache, as it stands in quotes there. It needs a field that says what was called. Header fields, the host, the time and (nginx) the body of the request count where the format has them. A field ends where the text behind it begins. All other keys but `files` are about records of JSON in the same logs.",
        example: "'$remote_addr [$time_iso8601] \"$request\" $status \"$http_x_client\"'",
    },
    ConfigKey {
        name: "method",
        kind: KeyType::Text,
        default: Some("unknown: every method fits"),
        doc: "The method. A record without it is none of these logs'; one with `-` there fits every method.",
        example: "\"/call/verb\"",
    },
    ConfigKey {
        name: "url",
        kind: KeyType::Text,
        default: Some("`path` is given"),
        doc: "The URL, with or without a host. A record has this or `path`.",
        example: "\"/call/url\"",
    },
    ConfigKey {
        name: "path",
        kind: KeyType::Text,
        default: Some("`url` is given"),
        doc: "The path, for records without `url`.",
        example: "\"/call/path\"",
    },
    ConfigKey {
        name: "query",
        kind: KeyType::Text,
        default: Some("in the URL"),
        doc: "The query, where it stands apart: as text, as an object, or as a list of names and values.",
        example: "\"/call/query\"",
    },
    ConfigKey {
        name: "host",
        kind: KeyType::Text,
        default: Some("in the URL or the header fields"),
        doc: "The host, where the URL does not say it.",
        example: "\"/call/host\"",
    },
    ConfigKey {
        name: "status",
        kind: KeyType::Text,
        default: Some("not asked for"),
        doc: "The status of the response. A record without it is none of these logs': say it where a log has other lines with a method and URL.",
        example: "\"/answer/status\"",
    },
    ConfigKey {
        name: "started",
        kind: KeyType::Text,
        default: Some("not reported"),
        doc: "When the exchange began: as RFC 3339 writes it, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970.",
        example: "\"/at\"",
    },
    ConfigKey {
        name: "request-headers",
        kind: KeyType::Text,
        default: Some("not checked"),
        doc: "The header fields of the request: an object, a list of names and values, or a list of pairs.",
        example: "\"/call/headers\"",
    },
    ConfigKey {
        name: "request-body",
        kind: KeyType::Text,
        default: Some("not checked"),
        doc: "The body of the request, as JSON or as a string that holds JSON.",
        example: "\"/call/body\"",
    },
    ConfigKey {
        name: "response-headers",
        kind: KeyType::Text,
        default: Some("not checked"),
        doc: "The header fields of the response.",
        example: "\"/answer/headers\"",
    },
    ConfigKey {
        name: "response-body",
        kind: KeyType::Text,
        default: Some("not checked"),
        doc: "The body of the response, as JSON or as a string that holds JSON.",
        example: "\"/answer/body\"",
    },
];

const API: &[ConfigKey] = &[
    ConfigKey {
        name: "api",
        kind: KeyType::Text,
        default: Some("all of them"),
        doc: "The API, as its rules name it (`api` in a rules file, the title of a description), or a built-in table.",
        example: "\"Client API\"",
    },
    ConfigKey {
        name: "hosts",
        kind: KeyType::Texts,
        default: Some("any host"),
        doc: "The hosts that serve it: `api.example.com`, or `*.example.com` for all below. Only calls of these are its operations; a port counts where one is given. Calls whose host is not known match all the same.",
        example: "[\"api.example.com\", \"*.example.net\"]",
    },
    ConfigKey {
        name: "base-paths",
        kind: KeyType::Texts,
        default: Some("that of its rules"),
        doc: "Paths under which its operations are met as well, as a gateway serves them: each stands in place of the base path of the rules (`base_path`, or the servers of a description), on the `hosts` of this table. Anything may stand in front, as in front of the rules' own; `/` is the very beginning. Reports name the operation as the rules do.",
        example: "[\"/gateway\"]",
    },
];

const ALLOW: &[ConfigKey] = &[
    ConfigKey {
        name: "rule",
        kind: KeyType::OneOrMore,
        default: Some("any rule"),
        doc: "Ids of rules, or of checks of API descriptions, or both as reports show them: `unmarked/chat-citations`.",
        example: "\"chat-citations\"",
    },
    ConfigKey {
        name: "files",
        kind: KeyType::OneOrMore,
        default: Some("any file"),
        doc: "The files, as globs.",
        example: "\"captures/old/**\"",
    },
    ConfigKey {
        name: "operation",
        kind: KeyType::Text,
        default: Some("any operation"),
        doc: "Method and path, as reports show them; `*` stands for any method or segment, a last `**` for the rest of the path.",
        example: "\"POST /rest/api/v1/*\"",
    },
    ConfigKey {
        name: "pointer",
        kind: KeyType::Text,
        default: Some("any place"),
        doc: "A JSON Pointer into the body; `*` stands for any one step, `**` for any number of them, a number for every index.",
        example: "\"/messages/*/citations\"",
    },
    ConfigKey {
        name: "reason",
        kind: KeyType::Text,
        default: None,
        doc: "Why. Reports show it.",
        example: "\"The app is replaced in December.\"",
    },
    ConfigKey {
        name: "until",
        kind: KeyType::Date,
        default: None,
        doc: "The last day on which it holds; then the finding counts again. What is no date counts as past.",
        example: "2026-12-31",
    },
    ConfigKey {
        name: "force",
        kind: KeyType::Boolean,
        default: Some("false"),
        doc: "Let it hold beyond the removal of the element, if `until` says so.",
        example: "true",
    },
];

const PAYLOAD: &[ConfigKey] = &[
    ConfigKey {
        name: "files",
        kind: KeyType::OneOrMore,
        default: None,
        doc: "The files, as globs.",
        example: "\"fixtures/chat/*.json\"",
    },
    ConfigKey {
        name: "operation",
        kind: KeyType::Text,
        default: None,
        doc: "Method and path, or the last path segment where that names one operation of the rules.",
        example: "\"POST /rest/api/v1/chat\"",
    },
    ConfigKey {
        name: "side",
        kind: KeyType::OneOf(&["request", "response"]),
        default: Some("checked as both"),
        doc: "Which side of the exchange.",
        example: "\"request\"",
    },
];
