//! Loads a [`Document`] from bytes: guesses the format, and checks limits and encoding.

use std::borrow::Cow;

use super::document::{Document, MAX_DOCUMENT_DEPTH};
use super::document_error::{DocumentError, DocumentErrorKind};
use super::error::valid_prefix;
use super::{json_loader, yaml_loader};
use crate::Limits;
use crate::text::magic;

/// The format of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DocumentFormat {
    /// RFC 8259.
    Json,
    /// YAML 1.2 with its core schema. JSON is YAML too, but as JSON it is read faster and with better error messages.
    Yaml,
}

impl DocumentFormat {
    /// Guesses the format of a file by the extension of its name, else by its first character.
    pub fn guess(name: &str, bytes: &[u8]) -> Self {
        let ending = name
            .rsplit_once('.')
            .map(|(_, ending)| ending.to_ascii_lowercase());
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

impl<'a> Document<'a> {
    /// Reads a text in the given format. A YAML text that begins like JSON is first tried as JSON, which it mostly is.
    pub fn parse(
        text: impl Into<Cow<'a, str>>,
        format: DocumentFormat,
    ) -> Result<Self, DocumentError> {
        Self::parse_within(text, format, Limits::default())
    }

    /// Like [`Self::parse`], with limits.
    pub fn parse_within(
        text: impl Into<Cow<'a, str>>,
        format: DocumentFormat,
        limits: Limits,
    ) -> Result<Self, DocumentError> {
        let text = text.into();
        let depth = limits.depth.min(MAX_DOCUMENT_DEPTH);
        if u32::try_from(text.len()).is_err() {
            return Err(DocumentError::new(0, DocumentErrorKind::TooLarge));
        }
        let is_json = format == DocumentFormat::Json || begins_like_json(text.as_bytes());
        if is_json {
            match json_loader::load_document(text.as_bytes(), depth) {
                Ok(arena) => return Ok(Self::new(bytes(text), arena)),
                Err(error) if format == DocumentFormat::Json => return Err(error),
                Err(_) => {}
            }
        }
        let arena = yaml_loader::load(&text, Limits { depth, ..limits })?;
        Ok(Self::new(bytes(text), arena))
    }

    /// Reads bytes in the given format, within limits.
    pub fn parse_bytes_within(
        bytes: &'a [u8],
        format: DocumentFormat,
        limits: Limits,
    ) -> Result<Self, DocumentError> {
        if magic::is_utf16(bytes) {
            return Err(DocumentError::new(0, DocumentErrorKind::Utf16));
        }
        match valid_prefix(bytes) {
            (text, None) => Self::parse_within(text, format, limits),
            (prefix, Some(_)) => Err(DocumentError::new(
                prefix.len(),
                DocumentErrorKind::InvalidUtf8,
            )),
        }
    }
}

fn bytes(text: Cow<'_, str>) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}
