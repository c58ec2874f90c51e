//! Every key of a configuration, once: what it is called, what it holds, and what it is for. The JSON Schema and the
//! reference are made of this, and tests hold the readers to it.

/// A key.
#[derive(Debug, Clone, Copy)]
pub struct Key {
    /// Its name. Where there is a flag of the same name on the command line, the flag wins.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What holds where it is absent, as TOML or in words; `None` where it must be there.
    pub default: Option<&'static str>,
    /// What it is for, in Markdown.
    pub doc: &'static str,
    /// A value as it may stand in a file, as TOML; for tables, see their keys.
    pub example: &'static str,
}

/// What a key holds.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    /// A string.
    Text,
    /// A list of strings.
    Texts,
    /// A string or a list of strings.
    OneOrMore,
    /// One of these strings.
    OneOf(&'static [&'static str]),
    /// A whole number.
    Integer,
    /// True or false.
    Boolean,
    /// A date.
    Date,
    /// A table of names of the user's own, each with one of these strings.
    Named(&'static [&'static str]),
    /// A list of tables with these keys.
    Tables(&'static [Key]),
}

impl Key {
    /// Whether it stands in a file as one or more tables of its own.
    pub fn is_table(&self) -> bool {
        matches!(self.kind, Kind::Named(_) | Kind::Tables(_))
    }
}

const SEVERITIES: &[&str] = &["error", "warning", "note"];

/// The keys at the top.
pub const KEYS: &[Key] = &[
    Key {
        name: "paths",
        kind: Kind::Texts,
        default: Some("[\".\"]"),
        doc: "Files and folders to check where the command line names none.",
        example: "[\"captures\", \"fixtures\"]",
    },
    Key {
        name: "include",
        kind: Kind::Texts,
        default: Some("all files"),
        doc: "In folders, check only files that match one of these globs.",
        example: "[\"*.har\", \"*.json\"]",
    },
    Key {
        name: "exclude",
        kind: Kind::Texts,
        default: Some("[]"),
        doc: "In folders, leave out files that match one of these globs.",
        example: "[\"vendor\", \"/fixtures/old\"]",
    },
    Key {
        name: "force-exclude",
        kind: Kind::Boolean,
        default: Some("false"),
        doc: "Let `exclude` hold for files named on the command line too, as hooks do.",
        example: "true",
    },
    Key {
        name: "rules",
        kind: Kind::Texts,
        default: Some("[]"),
        doc: "Further rules files (TOML), or OpenAPI descriptions used as rules.",
        example: "[\"rules/shop.toml\", \"openapi.yaml\"]",
    },
    Key {
        name: "builtin-rules",
        kind: Kind::Boolean,
        default: Some("true"),
        doc: "Whether to use the built-in tables.",
        example: "false",
    },
    Key {
        name: "without-table",
        kind: Kind::Texts,
        default: Some("[]"),
        doc: "Built-in tables to leave out.",
        example: "[\"beyond-reference\"]",
    },
    Key {
        name: "dates-from-text",
        kind: Kind::Boolean,
        default: Some("false"),
        doc: "Where an OpenAPI description that is used as rules has no date, take one from its text.",
        example: "true",
    },
    Key {
        name: "role",
        kind: Kind::OneOf(&["owner", "consumer"]),
        default: Some("what concerns either is reported"),
        doc: "What you are to the API whose description is checked.",
        example: "\"owner\"",
    },
    Key {
        name: "max-depth",
        kind: Kind::Integer,
        default: Some("1000000"),
        doc: "How deep bodies may nest.",
        example: "1000",
    },
    Key {
        name: "max-record",
        kind: Kind::Text,
        default: Some("\"256M\""),
        doc: "How large a record may be: a line, an entry, or a document that is none; with K, M or G.",
        example: "\"1G\"",
    },
    Key {
        name: "error-within",
        kind: Kind::Integer,
        default: Some("30"),
        doc: "An error with so many days left or fewer.",
        example: "60",
    },
    Key {
        name: "warn-within",
        kind: Kind::Integer,
        default: Some("no notes"),
        doc: "Only a note with more days left than this.",
        example: "180",
    },
    Key {
        name: "response-severity",
        kind: Kind::OneOf(SEVERITIES),
        default: Some("no cap"),
        doc: "The worst that a finding in a response can be.",
        example: "\"warning\"",
    },
    Key {
        name: "fail-on",
        kind: Kind::OneOf(&["error", "warning", "note", "never"]),
        default: Some("\"error\""),
        doc: "Exit with 1 on findings of this severity or worse.",
        example: "\"warning\"",
    },
    Key {
        name: "strict",
        kind: Kind::Boolean,
        default: Some("false"),
        doc: "Exit with 2 if anything could not be checked.",
        example: "true",
    },
    Key {
        name: "format",
        kind: Kind::Texts,
        default: Some("[\"human\"], or [\"github\"] under GitHub Actions"),
        doc: "Output formats, each into a file if one is given.",
        example: "[\"human\", \"sarif=sundown.sarif\"]",
    },
    Key {
        name: "severity",
        kind: Kind::Named(&["error", "warning", "note", "off"]),
        default: Some("graded by the days left"),
        doc: "The severity of single rules, by id, whatever the days left; `off` leaves a rule out.",
        example: "\"note\"",
    },
    Key {
        name: "payload",
        kind: Kind::Tables(PAYLOAD),
        default: Some("none"),
        doc: "What the bare bodies in some files are. The first that matches a file holds.",
        example: "",
    },
];

const PAYLOAD: &[Key] = &[
    Key {
        name: "files",
        kind: Kind::OneOrMore,
        default: None,
        doc: "The files, as globs.",
        example: "\"fixtures/chat/*.json\"",
    },
    Key {
        name: "operation",
        kind: Kind::Text,
        default: None,
        doc: "Method and path, or the last path segment where that names one operation of the rules.",
        example: "\"POST /rest/api/v1/chat\"",
    },
    Key {
        name: "side",
        kind: Kind::OneOf(&["request", "response"]),
        default: Some("checked as both"),
        doc: "Which side of the exchange.",
        example: "\"request\"",
    },
];
