//! The errors and problems of descriptions, with their locations and how to fix them.

use chrono::NaiveDate;
use thiserror::Error;

use crate::limits::{MAX_PATTERNS, MAX_PER_VALUE};
use crate::server::{MAX_BYTES, MAX_PREFIXES};
use crate::{FileId, Label};
use sundown_text_json::json::{DocumentErrorKind, NoteKind};
use sundown_text_json::text::{ExpansionFactor, Location, Span, escape_unsafe};

/// A file could not be loaded as a description. The file's fault.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{file}{}: {kind}", self.position())]
pub struct LoadError {
    /// The file's name.
    pub file: String,
    /// The position of the error, if it has one.
    pub at: Option<(Span, Location)>,
    /// The reason.
    pub kind: LoadErrorKind,
}

/// The reason of a [`LoadError`].
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum LoadErrorKind {
    /// The file cannot be read, for the given reason.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The file is neither JSON nor YAML.
    #[error("{0}")]
    NoDocument(DocumentErrorKind),
    /// A document without `openapi` and `swagger` at its top level.
    #[error("not an OpenAPI description: it has neither `openapi` nor `swagger` at its top level")]
    NoDescription,
    /// A description of an unsupported version.
    #[error("not a supported version of OpenAPI")]
    UnknownVersion,
    /// A part of the description was left out, so rules would be missing.
    #[error("{0}")]
    Cut(Box<DescriptionProblemKind>),
}

impl LoadErrorKind {
    /// How to fix it.
    pub fn help(&self) -> String {
        let help = match self {
            Self::Cut(kind) => return kind.help(),
            Self::Unreadable(_) => "check the path and the permissions",
            Self::NoDocument(kind) => kind.help(),
            Self::NoDescription => "name the file that contains the `paths`",
            Self::UnknownVersion => {
                "convert the file to a supported version: OpenAPI 3.0, 3.1 or 3.2, or Swagger 2.0"
            }
        };
        help.to_owned()
    }
}

impl LoadError {
    /// `:LINE:COLUMN`, or nothing.
    fn position(&self) -> String {
        self.at.map(|(_, at)| format!(":{at}")).unwrap_or_default()
    }
}

/// A problem of a description that could be loaded.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescriptionProblem {
    pub at: Label,
    pub kind: DescriptionProblemKind,
}

impl DescriptionProblem {
    /// Whether operations, servers or alternatives were left out from here on.
    pub fn is_cut(&self) -> bool {
        matches!(
            self.kind,
            DescriptionProblemKind::Servers(_)
                | DescriptionProblemKind::TooMuch(_)
                | DescriptionProblemKind::BrokenFile(_, _, DocumentErrorKind::TooManyAliases(_))
        )
    }
}

/// The kind of a [`DescriptionProblem`]. All are faults of the description, except [`DescriptionProblemKind::Network`]: by
/// design, nothing is fetched from the network.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DescriptionProblemKind {
    /// A `$ref` to an address on the network, without its query.
    #[error("`{}` is on the network, from which nothing is fetched; the target of the reference was not checked", escape_unsafe(.0))]
    Network(String),
    /// A `$ref` to a file that cannot be read: its name, and why.
    #[error("`{}` cannot be read ({}); the target of the reference was not checked", escape_unsafe(.0), .1)]
    NoFile(String, String),
    /// A `$ref` to a file that is neither JSON nor YAML: its name, and the position and kind of the error.
    #[error("`{}` has an error at line {}, column {}: {}; the target of the reference was not checked", escape_unsafe(.0), .1.line, .1.column, .2)]
    BrokenFile(String, Location, DocumentErrorKind),
    /// A `$ref` without a target: the file and the fragment.
    #[error("`{}` has no `#{}`; the target of the reference was not checked", escape_unsafe(.0), escape_unsafe(.1))]
    NoTarget(String, String),
    /// A `$ref` that is not a string.
    #[error(
        "the value of this `$ref` is not a string; the target of the reference was not checked"
    )]
    ReferenceIsNoText,
    /// A chain of `$ref`s, or of `allOf`s, that refers back to itself.
    #[error("refers back to itself and so describes nothing")]
    Circle,
    /// This was expected, and something else found.
    #[error("expected {0}; this value was not checked")]
    Expected(&'static str),
    /// A pattern of `patternProperties` that is not a supported regular expression: any key may match it.
    #[error("not a supported regular expression: assumed to match any key")]
    UnknownPattern,
    /// One more than the maximum number of different regular expressions.
    #[error(
        "a description has at most {MAX_PATTERNS} different patterns: assumed to match any key"
    )]
    TooManyPatterns,
    /// A note of the document parser.
    #[error("{}", note(.0))]
    Note(NoteKind),
    /// A list of servers with more or longer paths than the limit.
    #[error("the servers have more paths, or longer ones, than the limit for one list: {} paths with {} bytes in total; operations under the other paths were not checked", .0.times(MAX_PREFIXES), .0.times(MAX_BYTES))]
    Servers(ExpansionFactor),
    /// A server whose URL begins with the name of a host, so that it is a path: that name.
    #[error("`{}` is read as a path, because the URL of the server has no scheme", escape_unsafe(.0))]
    HostAsPath(String),
    /// The first value that was left out because the description expands beyond the limit.
    #[error("operations and schemas share more than the limit: {visits} visits for each value of the description, and {visits} more; nothing after this was checked", visits = .0.times(MAX_PER_VALUE))]
    TooMuch(ExpansionFactor),
    /// Two operations that match the same requests; the location of the other one.
    #[error("the same requests also match another operation")]
    Collision(FileId, Span),
    /// A value that is not a date that can be read; its key.
    #[error("`{}` is a date that cannot be read", escape_unsafe(.0))]
    NoDate(String),
    /// A date that is no day; its key, and the last day that it includes.
    #[error("`{}` names no day: the last day of that time, {}, is used", escape_unsafe(.0), .1)]
    Period(String, NaiveDate),
    /// Two extensions with different dates, of which the first is used; the location of the other one.
    #[error("another extension here gives a different date: the first one is used")]
    DatesDiffer(Span),
    /// `deprecated: false` next to an extension that says otherwise; treated as not deprecated.
    #[error("`deprecated: false` is next to it: treated as not deprecated")]
    Contradiction,
    /// An extension with details of a deprecation, where nothing says that there is one.
    #[error("there is no `deprecated: true` here: treated as not deprecated")]
    NotDeprecated,
}

/// What a note of the document parser says.
fn note(kind: &NoteKind) -> &'static str {
    match kind {
        NoteKind::DuplicateKey(_) => "a duplicate key: the first one is used",
        NoteKind::FurtherDocument => {
            "another document in the same file: only the first one is read"
        }
    }
}

impl DescriptionProblemKind {
    /// How to fix it.
    pub fn help(&self) -> String {
        match self {
            Self::Network(url) => {
                let url = escape_unsafe(url);
                let name = url.rsplit('/').find(|name| !name.is_empty()).unwrap_or(&url);
                return format!("save {url} next to the description as `{name}`, and point the `$ref` to that file");
            }
            Self::NoFile(name, _) => {
                return format!("create `{}`, or correct the `$ref`", escape_unsafe(name));
            }
            Self::BrokenFile(name, _, kind) => {
                return format!("in `{}`: {}", escape_unsafe(name), kind.help());
            }
            Self::NoTarget(..) => "correct the `$ref`: after `#` comes a JSON Pointer, in which `/` in a name is written `~1` and `~` is written `~0`",
            Self::ReferenceIsNoText => "write the `$ref` as a string; a property of that name belongs under `properties`",
            Self::Circle => "replace one reference of the circle with the schema itself",
            Self::Expected(_) => "correct it according to the OpenAPI specification",
            Self::UnknownPattern => "write the pattern without look-around and backreferences",
            Self::TooManyPatterns => "use `additionalProperties` in place of some of the patterns",
            Self::Note(NoteKind::DuplicateKey(_)) => "remove one of the two",
            Self::Note(NoteKind::FurtherDocument) => "put each document into a file of its own",
            Self::Servers(_) => "raise the limit with --max-expansion, list only servers with different paths, or write the part of a path that varies as a `{variable}` without `enum`",
            Self::TooMuch(_) => "raise the limit with --max-expansion, or split the description into several",
            Self::HostAsPath(_) => "write the URL with its scheme, such as `https://`",
            Self::Collision(..) => "remove one of the two, or give them different paths",
            Self::NoDate(_) | Self::Period(..) => "write the date as YYYY-MM-DD",
            Self::DatesDiffer(_) => "make the dates agree",
            Self::Contradiction => "remove one of the two",
            Self::NotDeprecated => "add `deprecated: true`, or remove this",
        }
        .to_owned()
    }

    /// Whether rules made from the description lack something that it states, or have it otherwise than it is written.
    pub fn affects_rules(&self) -> bool {
        self.is_unread()
            || matches!(
                self,
                Self::NoDate(_) | Self::Period(..) | Self::HostAsPath(_) | Self::NotDeprecated
            )
    }

    /// Whether a file that the description refers to could not be read.
    pub(crate) fn is_of_file(&self) -> bool {
        matches!(self, Self::NoFile(..) | Self::BrokenFile(..))
    }

    /// Whether something was not read; or else everything was, perhaps not as meant.
    pub fn is_unread(&self) -> bool {
        matches!(
            self,
            Self::Network(_)
                | Self::NoFile(..)
                | Self::BrokenFile(..)
                | Self::NoTarget(..)
                | Self::ReferenceIsNoText
                | Self::Circle
                | Self::Expected(_)
                | Self::Servers(_)
                | Self::TooMuch(_)
        )
    }
}
