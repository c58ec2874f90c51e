//! What is wrong with a description, each with its place and what to do about it.

use std::fmt;

use super::server::{MOST_BYTES, MOST_PREFIXES};
use super::{FileId, MOST_OF_VALUE, MOST_SHARED};
use crate::json::{DocumentErrorKind, NoteKind};
use crate::text::{ExpansionFactor, Location, Span, escape_unsafe};

/// Why there is no description at all.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadError {
    /// The file's name.
    pub file: String,
    /// Where in it, if anywhere.
    pub at: Option<(Span, Location)>,
    /// Why.
    pub kind: LoadErrorKind,
}

/// See [`LoadError`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LoadErrorKind {
    /// The file cannot be read, for the reason given.
    Unreadable(String),
    /// The file is neither JSON nor YAML.
    NoDocument(DocumentErrorKind),
    /// A document, but no description: neither `openapi` nor `swagger` stands at its top.
    NoDescription,
    /// A description of a version that we do not know.
    UnknownVersion,
    /// Rules would not be all there, since a part of the description was left out.
    Cut(Box<DescriptionProblemKind>),
}

impl fmt::Display for LoadErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(reason) => write!(f, "cannot be read: {reason}"),
            Self::NoDocument(kind) => kind.fmt(f),
            Self::NoDescription => f.write_str(
                "no OpenAPI description: neither `openapi` nor `swagger` stands at its top",
            ),
            Self::UnknownVersion => f.write_str("an OpenAPI version that is not known here"),
            Self::Cut(kind) => kind.fmt(f),
        }
    }
}

impl LoadErrorKind {
    /// What to do about it.
    pub fn help(&self) -> String {
        let help = match self {
            Self::Cut(kind) => return kind.help(),
            Self::Unreadable(_) => "check the path and the permissions",
            Self::NoDocument(kind) => kind.help(),
            Self::NoDescription => "name the file that has the `paths`",
            Self::UnknownVersion => {
                "OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0 are read: convert the file to one of them"
            }
        };
        help.to_owned()
    }
}

impl fmt::Display for LoadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        if let Some((_, place)) = self.at {
            write!(f, ":{}:{}", place.line, place.column)?;
        }
        write!(f, ": {}", self.kind)
    }
}

impl std::error::Error for LoadError {}

/// Something wrong with, or odd about, a description that could be read all the same.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DescriptionProblem {
    /// The file.
    pub file: FileId,
    /// Where in it.
    pub span: Span,
    /// What.
    pub kind: DescriptionProblemKind,
}

impl DescriptionProblem {
    /// Whether operations, servers or alternatives were left out from here on.
    pub fn cuts(&self) -> bool {
        matches!(
            self.kind,
            DescriptionProblemKind::Servers(_)
                | DescriptionProblemKind::TooMuch(_)
                | DescriptionProblemKind::BrokenFile(_, _, DocumentErrorKind::TooManyAliases(_))
        )
    }
}

/// How much of the description a [`DescriptionProblem`] costs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum ProblemCost {
    /// Nothing: it is read, perhaps otherwise than meant.
    Nothing,
    /// What hangs on it was not looked at.
    Unread,
}

/// See [`DescriptionProblem`]. All are the description's fault but [`DescriptionProblemKind::Network`], which is our promise.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DescriptionProblemKind {
    /// A `$ref` to an address on the network, without its query.
    Network(String),
    /// A `$ref` to a file that cannot be read: its name, and why.
    NoFile(String, String),
    /// A `$ref` to a file that is neither JSON nor YAML: its name, where it breaks, and how.
    BrokenFile(String, Location, DocumentErrorKind),
    /// A `$ref` to nothing: the file and the fragment it names.
    NoTarget(String, String),
    /// A `$ref` that is no text.
    ReferenceIsNoText,
    /// A chain of `$ref`s, or of `allOf`s, that comes back to where it began.
    Circle,
    /// Something else stands where this belongs.
    Expected(&'static str),
    /// A pattern of `patternProperties` that is no regular expression we know: any key may match it.
    UnknownPattern,
    /// What the document's reader told.
    Note(NoteKind),
    /// More servers, or longer ones, than are read of one list.
    Servers(ExpansionFactor),
    /// The first of what is left out where operations share so much that it is as large as their product.
    TooMuch(ExpansionFactor),
    /// Two operations that the same requests call; the place of the other one.
    Collision(FileId, Span),
    /// A date that is none.
    NoDate,
    /// Two extensions that give different dates; the first is taken. The place of the other one.
    DatesDiffer(Span),
    /// `deprecated: false` beside an extension that says otherwise; it is taken as not deprecated.
    Contradiction,
    /// An extension that says more about a deprecation, where nothing says that there is one.
    NotDeprecated,
}

impl fmt::Display for DescriptionProblemKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Network(url) => write!(
                f,
                "`{}` is on the network, from which nothing is fetched; what it stands for was not looked at",
                escape_unsafe(url)
            ),
            Self::NoFile(name, why) => write!(
                f,
                "`{}` cannot be read ({why}); what it stands for was not looked at",
                escape_unsafe(name)
            ),
            Self::BrokenFile(name, at, kind) => {
                write!(
                    f,
                    "`{}` is broken at line {}, column {}: {kind}; what it stands for was not looked at",
                    escape_unsafe(name),
                    at.line,
                    at.column
                )
            }
            Self::NoTarget(file, fragment) => write!(
                f,
                "there is no `#{}` in `{}`; what it stands for was not looked at",
                escape_unsafe(fragment),
                escape_unsafe(file)
            ),
            Self::ReferenceIsNoText => {
                f.write_str("a `$ref` that is no text; what it stands for was not looked at")
            }
            Self::Circle => f.write_str("comes back to itself, and so stands for nothing"),
            Self::Expected(what) => {
                write!(f, "{what} belongs here; what stands here was not looked at")
            }
            Self::UnknownPattern => {
                f.write_str("no regular expression that is known here: taken as matching any key")
            }
            Self::Note(NoteKind::DuplicateKey(_)) => {
                f.write_str("a key that stands here twice: the first one is read")
            }
            Self::Note(NoteKind::FurtherDocument) => {
                f.write_str("a further document in the same file: only the first one is read")
            }
            Self::Servers(expansion) => write!(
                f,
                "more different paths of servers, or longer ones, than are read: {} of one list, with {} bytes together; operations under the others were not looked at",
                expansion.times(MOST_PREFIXES),
                expansion.times(MOST_BYTES)
            ),
            Self::TooMuch(expansion) => write!(
                f,
                "operations and schemas share more than is gone through: {} times for each value here, and {} more; from here on it was not looked at",
                expansion.times(MOST_OF_VALUE),
                expansion.times(MOST_SHARED)
            ),
            Self::Collision(..) => f.write_str("the same requests call another operation, too"),
            Self::NoDate => f.write_str("no date"),
            Self::DatesDiffer(_) => {
                f.write_str("another extension here gives another date: the first one is taken")
            }
            Self::Contradiction => {
                f.write_str("`deprecated: false` stands beside it: taken as not deprecated")
            }
            Self::NotDeprecated => {
                f.write_str("nothing here says `deprecated: true`: taken as not deprecated")
            }
        }
    }
}

impl DescriptionProblemKind {
    /// What to do about it.
    pub fn help(&self) -> String {
        match self {
            Self::Network(url) => {
                let url = escape_unsafe(url);
                let name = url.rsplit('/').find(|name| !name.is_empty()).unwrap_or(&url);
                return format!("save {url} beside the description as `{name}`, and point the `$ref` at that file");
            }
            Self::NoFile(name, _) => {
                return format!("put `{}` there, or correct the `$ref`", escape_unsafe(name));
            }
            Self::BrokenFile(name, _, kind) => {
                return format!("in `{}`: {}", escape_unsafe(name), kind.help());
            }
            Self::NoTarget(..) => "correct the `$ref`: behind `#` goes a JSON Pointer, `/` in a name written as `~1` and `~` as `~0`",
            Self::ReferenceIsNoText => "write the `$ref` as text; a property of that name belongs under `properties`",
            Self::Circle => "write out what it should be at one place of the circle",
            Self::Expected(_) => "correct it by the OpenAPI specification",
            Self::UnknownPattern => "write the pattern without look-around and back references",
            Self::Note(NoteKind::DuplicateKey(_)) => "remove one of the two",
            Self::Note(NoteKind::FurtherDocument) => "put each document into a file of its own",
            Self::Servers(_) => "raise the limit with --max-expansion, or list only servers that differ in their path, and write a part of it that varies as a `{variable}` without `enum`",
            Self::TooMuch(_) => "raise the limit with --max-expansion, or split the description into several",
            Self::Collision(..) => "remove one of the two, or give them different paths",
            Self::NoDate => "write the date as YYYY-MM-DD",
            Self::DatesDiffer(_) => "make the dates agree",
            Self::Contradiction => "remove one of the two",
            Self::NotDeprecated => "add `deprecated: true`, or remove this",
        }
        .to_owned()
    }

    /// How much it costs.
    pub fn cost(&self) -> ProblemCost {
        match self {
            Self::Network(_) | Self::NoFile(..) | Self::BrokenFile(..) | Self::NoTarget(..) => {
                ProblemCost::Unread
            }
            Self::ReferenceIsNoText | Self::Circle | Self::Expected(_) => ProblemCost::Unread,
            Self::Servers(_) | Self::TooMuch(_) => ProblemCost::Unread,
            _ => ProblemCost::Nothing,
        }
    }
}
