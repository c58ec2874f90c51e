//! What can be wrong with a document in JSON or YAML.

use std::fmt;

use super::error::SyntaxErrorKind;

/// Why bytes are no document, and where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DocumentError {
    /// Byte offset into the text.
    pub offset: usize,
    /// What is wrong there.
    pub kind: DocumentErrorKind,
}

/// What can be wrong with a document. It is the writer's fault but for the limits, which are ours.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DocumentErrorKind {
    /// Not JSON.
    Json(SyntaxErrorKind),
    /// Not YAML; what is wrong, in the words of the parser, which never quote the text.
    Yaml(Box<str>),
    /// Bytes that are not UTF-8.
    InvalidUtf8,
    /// UTF-16, which YAML knows and we do not read.
    Utf16,
    /// More bytes than four-byte offsets can count.
    TooLarge,
    /// Arrays and objects nested deeper than the limit, which is given.
    TooDeep(usize),
    /// Aliases that stand for more values than the limit, which is given.
    TooManyAliases(usize),
    /// An alias inside the value it stands for.
    AliasInsideItself,
    /// An alias of what has not been named before it.
    UnknownAnchor,
    /// A YAML key that is itself a list or a mapping.
    KeyIsNoScalar,
    /// A merge key (`<<`) whose value is neither a mapping nor a list of mappings.
    MergeOfNoMapping,
}

impl fmt::Display for DocumentErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json(kind) => kind.fmt(f),
            Self::Yaml(what) => f.write_str(what),
            Self::InvalidUtf8 => f.write_str("bytes that are not UTF-8"),
            Self::Utf16 => f.write_str("UTF-16 text"),
            Self::TooLarge => f.write_str("larger than 4 GiB"),
            Self::TooDeep(limit) => write!(f, "nested deeper than {limit} levels"),
            Self::TooManyAliases(limit) => {
                write!(f, "aliases that stand for more than {limit} values")
            }
            Self::AliasInsideItself => f.write_str("an alias inside the value that it stands for"),
            Self::UnknownAnchor => f.write_str("an alias of what no anchor in front of it names"),
            Self::KeyIsNoScalar => f.write_str("a key that is a list or a mapping"),
            Self::MergeOfNoMapping => f.write_str(
                "a merge key (`<<`) whose value is neither a mapping nor a list of mappings",
            ),
        }
    }
}

impl DocumentErrorKind {
    /// What the writer can do about it.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Json(SyntaxErrorKind::UnexpectedEnd) => {
                "the file is cut off: fetch or write it again"
            }
            Self::Json(_) => {
                "correct it there; a file with comments or without quotes is YAML: give it the ending `.yaml`"
            }
            Self::Yaml(_) => {
                "correct it there; indent with spaces, and put values with `: `, ` #`, or a special character in front into quotes"
            }
            Self::InvalidUtf8 | Self::Utf16 => "save the file as UTF-8",
            Self::TooLarge => "split the file, with `$ref` between its parts",
            Self::TooDeep(_) => "move inner parts out, and point at them with `$ref`",
            Self::TooManyAliases(_) => {
                "raise the limit with --max-expansion, or write shared parts under `components`, and point at them with `$ref`"
            }
            Self::AliasInsideItself => "use `$ref` for what contains itself",
            Self::UnknownAnchor => "put an anchor (`&name`) in front of what the alias stands for",
            Self::KeyIsNoScalar => "write the key as text, in quotes if need be",
            Self::MergeOfNoMapping => "put an alias of a mapping behind `<<:`",
        }
    }
}

impl fmt::Display for DocumentError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for DocumentError {}
