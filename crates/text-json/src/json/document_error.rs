//! Errors in a document in JSON or YAML.

use thiserror::Error;

use super::error::SyntaxErrorKind;

/// The error that keeps bytes from being read as a document.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{kind}")]
pub struct DocumentError {
    /// Byte offset of the error in the text.
    pub offset: usize,
    /// The error.
    pub kind: DocumentErrorKind,
}

/// The kinds of errors in a document. All are faults of its author, except for the limits, which are ours.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum DocumentErrorKind {
    /// Not JSON.
    #[error("{0}")]
    Json(SyntaxErrorKind),
    /// Not YAML, with the parser's message, which never quotes the text.
    #[error("{0}")]
    Yaml(Box<str>),
    /// Bytes that are not UTF-8.
    #[error("bytes that are not UTF-8")]
    InvalidUtf8,
    /// UTF-16, which YAML allows and this program does not read.
    #[error("UTF-16 text")]
    Utf16,
    /// More bytes than four-byte offsets can count.
    #[error("larger than 4 GiB")]
    TooLarge,
    /// Arrays and objects nested deeper than this limit.
    #[error("nested deeper than {0} levels")]
    TooDeep(usize),
    /// Aliases that repeat more values than this limit.
    #[error("aliases that repeat more than {0} values")]
    TooManyAliases(usize),
    /// An alias inside the value that it repeats.
    #[error("an alias inside the value that it repeats")]
    AliasInsideItself,
    /// An alias of a name that no anchor before it defines.
    #[error("an alias without an anchor before it")]
    UnknownAnchor,
    /// A YAML key that is itself a list or a mapping.
    #[error("a key that is a list or a mapping")]
    KeyIsNoScalar,
    /// A merge key (`<<`) whose value is neither a mapping nor a list of mappings.
    #[error("a merge key (`<<`) whose value is neither a mapping nor a list of mappings")]
    MergeOfNoMapping,
}

impl DocumentError {
    pub(super) fn new(offset: usize, kind: DocumentErrorKind) -> Self {
        Self { offset, kind }
    }
}

impl DocumentErrorKind {
    /// The remedy, for the author of the document.
    pub fn help(&self) -> &'static str {
        match self {
            Self::Json(SyntaxErrorKind::UnexpectedEnd) => {
                "the file is cut off: fetch or write it again"
            }
            Self::Json(_) => {
                "correct it there; a file with comments or without quotes is YAML: rename it to end in `.yaml`"
            }
            Self::Yaml(_) => {
                "correct it there; indent with spaces, and quote values that contain `: ` or ` #` or begin with a special character"
            }
            Self::InvalidUtf8 | Self::Utf16 => "save the file as UTF-8",
            Self::TooLarge => "split the file, with `$ref` between its parts",
            Self::TooDeep(_) => "move inner parts out, and refer to them with `$ref`",
            Self::TooManyAliases(_) => {
                "raise the limit with --max-expansion, or move shared parts to `components` and refer to them with `$ref`"
            }
            Self::AliasInsideItself => "use `$ref` for a value that contains itself",
            Self::UnknownAnchor => {
                "put an anchor (`&name`) before the value that the alias repeats"
            }
            Self::KeyIsNoScalar => "write the key as text, in quotes if necessary",
            Self::MergeOfNoMapping => "write an alias of a mapping after `<<:`",
        }
    }
}
