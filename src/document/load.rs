//! From bytes to a [`Document`]: which format they are in, and what can be wrong with them.

use std::borrow::Cow;
use std::fmt;

use super::error::{SyntaxErrorKind, valid_prefix};
use super::spanned::{Document, MAX_DOCUMENT_DEPTH};
use super::{json, yaml};
use crate::source::magic;

/// The formats a document can be written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// RFC 8259.
    Json,
    /// YAML 1.2 with its core schema. All JSON is YAML, but is read faster, and its errors are told better, as JSON.
    Yaml,
}

impl Format {
    /// What a file is likely to be: by the end of its name, else by how it begins.
    pub fn guess(name: &str, bytes: &[u8]) -> Self {
        let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
        match ending.as_deref() {
            Some("json") => Self::Json,
            Some("yaml" | "yml") => Self::Yaml,
            _ if begins_like_json(bytes) => Self::Json,
            _ => Self::Yaml,
        }
    }
}

fn begins_like_json(bytes: &[u8]) -> bool {
    let text = bytes.strip_prefix(magic::BYTE_ORDER_MARK).unwrap_or(bytes);
    matches!(text.trim_ascii_start().first(), Some(b'{' | b'['))
}

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
    TooManyAliases(u64),
    /// An alias inside the value it stands for.
    AliasInsideItself,
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
                "write shared parts under `components`, and point at them with `$ref`"
            }
            Self::AliasInsideItself => "use `$ref` for what contains itself",
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

impl DocumentError {
    pub(super) fn new(offset: usize, kind: DocumentErrorKind) -> Self {
        Self { offset, kind }
    }
}

impl<'a> Document<'a> {
    /// Reads a text in the given format.
    ///
    /// What is given as YAML but begins like JSON is tried as JSON first, which it mostly is.
    pub fn parse(text: impl Into<Cow<'a, str>>, format: Format) -> Result<Self, DocumentError> {
        let text = text.into();
        if u32::try_from(text.len()).is_err() {
            return Err(DocumentError::new(0, DocumentErrorKind::TooLarge));
        }
        let parts = match format {
            Format::Json => json::load(&text, MAX_DOCUMENT_DEPTH),
            Format::Yaml if begins_like_json(text.as_bytes()) => {
                json::load(&text, MAX_DOCUMENT_DEPTH)
                    .or_else(|_| yaml::load(&text, MAX_DOCUMENT_DEPTH))
            }
            Format::Yaml => yaml::load(&text, MAX_DOCUMENT_DEPTH),
        };
        Ok(Self { parts: parts?, text })
    }

    /// Reads bytes in the given format.
    pub fn parse_bytes(bytes: &'a [u8], format: Format) -> Result<Self, DocumentError> {
        if magic::is_utf16(bytes) {
            return Err(DocumentError::new(0, DocumentErrorKind::Utf16));
        }
        match valid_prefix(bytes) {
            (text, None) => Self::parse(text, format),
            (prefix, Some(_)) => {
                Err(DocumentError::new(prefix.len(), DocumentErrorKind::InvalidUtf8))
            }
        }
    }

    /// The same with a text of its own.
    pub fn into_owned(self) -> Document<'static> {
        Document { text: Cow::Owned(self.text.into_owned()), parts: self.parts }
    }
}
