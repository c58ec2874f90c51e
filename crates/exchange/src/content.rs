//! The content of a body: its text, without compression, UTF-16 and the notations of recorders for bytes.

use std::borrow::Cow;

use super::byte_text::{
    decode_buffer, may_be_other_notation, other_notation, unread_bytes, written_bytes,
};
use super::{Body, BodyMap, ContentCoding, Encoding, MaxExpansion, Reason, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::{MAX_DOCUMENT_DEPTH, is_value};
use sundown_text_json::text::{Span, magic};

/// The content of a body.
#[derive(Debug)]
pub struct Content<'b> {
    /// Its bytes, which need be neither UTF-8 nor JSON.
    pub bytes: Cow<'b, [u8]>,
    /// Whether the bytes are others than those of the decoded body, so that they map to the whole of it.
    pub is_unpacked: bool,
}

impl Content<'_> {
    /// Whether the capture says that the body has more. The size of an unpacked body may be that before or after.
    pub fn is_cut(&self, body: &Body<'_>) -> bool {
        body.is_cut(self.bytes.len())
            && (!self.is_unpacked || body.decode().is_none_or(|packed| body.is_cut(packed.len())))
    }

    /// Returns the map from the content to the file.
    pub fn map<'a>(&self, body: &Body<'a>) -> BodyMap<'a> {
        if self.is_unpacked {
            BodyMap::Whole(body.span)
        } else {
            body.map()
        }
    }
}

/// The reason why the content of a body is not known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ContentError {
    reason: Reason,
    detail: Cow<'static, str>,
}

impl ContentError {
    pub(super) fn new(reason: Reason, detail: impl Into<Cow<'static, str>>) -> Self {
        Self {
            reason,
            detail: detail.into(),
        }
    }

    /// Whether a limit was exceeded, rather than the data damaged.
    pub(super) fn is_limit(&self) -> bool {
        matches!(self.reason, Reason::TooLarge | Reason::ExpandsTooFar)
    }

    /// The skip for a body at `span`.
    pub(super) fn into_skip(self, span: Span) -> Skip {
        Skip::at(self.reason, span).because(self.detail)
    }
}

/// The number of encodings around a text that are undone. Real bodies have two.
const MAX_LAYERS: usize = 8;

/// The replacement character, which decoders write for bytes that are not UTF-8.
const REPLACEMENT: &[u8] = "\u{fffd}".as_bytes();

impl<'a> Body<'a> {
    /// Decodes the body and undoes its compression and all encodings that its bytes show without doubt.
    pub fn content(&self, limits: Limits) -> Result<Content<'a>, ContentError> {
        let bytes = self.decode();
        let bytes = bytes.ok_or_else(|| ContentError::new(Reason::BadEncoding, "not base64"))?;
        let mut content = Content {
            bytes,
            is_unpacked: false,
        };
        let is_packed = self.codings.iter().any(|coding| coding.has_no_magic());
        if !is_packed && is_plain(&content.bytes) {
            return Ok(content);
        }
        let mut layers = Layers {
            codings: self.codings.clone(),
            is_text: self.claims_json() && self.codings.is_empty(),
            may_be_json: self.may_be_json(),
            is_logged: self.encoding == Encoding::JsonString,
            failed: None,
            most: MaxExpansion::of(content.bytes.len(), limits),
        };
        for _ in 0..=MAX_LAYERS {
            match layers.undo_one(&content.bytes)? {
                Some(bytes) => {
                    layers.most = layers.most.without(bytes.len());
                    content = Content {
                        bytes: bytes.into(),
                        is_unpacked: true,
                    };
                }
                None if is_mangled(&content.bytes) => {
                    let detail = "compressed data that was recorded as text and has lost bytes";
                    return Err(ContentError::new(Reason::BadEncoding, detail));
                }
                None => {
                    return match layers.failed {
                        Some(error)
                            if self.other_kind().is_none() && !begins_like_json(&content.bytes) =>
                        {
                            Err(error)
                        }
                        _ => Ok(content),
                    };
                }
            }
        }
        Err(ContentError::new(
            Reason::Compressed,
            "it is encoded more than 8 times",
        ))
    }
}

/// Whether bytes are JSON in UTF-8 by their beginning, and cannot represent anything else.
fn is_plain(bytes: &[u8]) -> bool {
    let begins = match bytes {
        [b'{', second, ..] => *second != 0,
        [b'[', rest @ ..] => rest
            .trim_ascii_start()
            .first()
            .is_some_and(|first| *first != 0),
        _ => false,
    };
    begins && !may_be_other_notation(bytes, b"\"")
}

/// Whether a text is one that is written in place of an object or a secret: `[object Object]`, `[REDACTED]`, `<omitted>`, `<41 bytes>`,
/// `***`.
fn is_placeholder(text: &[u8]) -> bool {
    let inside = match text.trim_ascii() {
        long if long.len() > 64 => return false,
        [b'[', inside @ .., b']'] => inside,
        // `<html>`, `(none)` and such are texts.
        [b'<', inside @ .., b'>'] | [b'(', inside @ .., b')']
            if inside.to_ascii_lowercase().ends_with(b"ed")
                || inside.starts_with(b"binary")
                || is_size(inside) =>
        {
            inside
        }
        [b'*', stars @ ..] if stars.iter().all(|byte| *byte == b'*') => stars,
        _ => return false,
    };
    is_size(inside)
        || matches!(inside.first(), Some(b'*' | b'a'..=b'z' | b'A'..=b'Z'))
            && inside
                .iter()
                .all(|byte| byte.is_ascii_alphabetic() || b" _-*.".contains(byte))
            && !matches!(inside, b"true" | b"false" | b"null")
}

/// Whether a text says how many bytes something has: `41 bytes`.
fn is_size(text: &[u8]) -> bool {
    text.strip_suffix(b" bytes")
        .is_some_and(|number| !number.is_empty() && number.iter().all(u8::is_ascii_digit))
}

/// The encodings of a body that are left.
struct Layers {
    /// The codings of its header field, in the order in which they were applied.
    codings: Vec<ContentCoding>,
    /// Whether the body is JSON by its media type, and nothing says that it was compressed.
    is_text: bool,
    may_be_json: bool,
    /// Whether the body is a string of a record, which may be what a logger printed.
    is_logged: bool,
    /// The error of a coding that only the header field names. The field may have outlived the compression.
    failed: Option<ContentError>,
    most: MaxExpansion,
}

impl Layers {
    /// Undoes the outermost encoding; `None` if there is none.
    fn undo_one(&mut self, bytes: &[u8]) -> Result<Option<Vec<u8>>, ContentError> {
        if let Some(coding) = ContentCoding::of_magic(bytes) {
            self.codings.pop_if(|last| *last == coding);
            return coding.decompress(bytes, self.most).map(Some);
        }
        if std::str::from_utf8(bytes).is_ok() {
            return self.undo_text(bytes);
        }
        while let Some(coding) = self.codings.pop() {
            if coding.has_no_magic() {
                match coding.decompress(bytes, self.most) {
                    Ok(unpacked) => return Ok(Some(unpacked)),
                    Err(error) if error.is_limit() => return Err(error),
                    Err(error) => self.failed = Some(error),
                }
            }
        }
        if self.failed.is_none()
            && let Some(text) = decode_utf16(bytes)
        {
            return text.map(Some);
        }
        let unpacked = is_zlib(bytes).then(|| ContentCoding::Deflate.decompress(bytes, self.most));
        Ok(unpacked.and_then(Result::ok))
    }

    /// Undoes an encoding as text.
    fn undo_text(&mut self, text: &[u8]) -> Result<Option<Vec<u8>>, ContentError> {
        if self.may_be_json && is_placeholder(text) {
            let detail = "the recorder wrote a placeholder in place of the body";
            return Err(ContentError::new(Reason::BodyMissing, detail));
        }
        if self.may_be_json
            && let Some(notation) = other_notation(text, self.is_logged)
        {
            return Err(ContentError::new(Reason::UnreadNotation, notation));
        }
        if let Some(written) = decode_buffer(text) {
            return Ok(Some(written));
        }
        // In JSON, strings that decode to JSON are tokens and cursors.
        let is_token = self.is_text && begins_with_string(text);
        let written = written_bytes(text).and_then(|written| self.accept(written, is_token));
        if written.is_some() {
            return Ok(written);
        }
        for (notation, bytes) in unread_bytes(text) {
            if self.may_be_json && self.accept(bytes, is_token).is_some() {
                return Err(ContentError::new(Reason::UnreadNotation, notation));
            }
        }
        // The header field outlives the compression.
        self.codings.clear();
        decode_utf16(text).transpose()
    }

    /// Returns the bytes that a text represents if that is beyond doubt: they are compressed or, unless it
    /// may be a token, JSON.
    fn accept(&mut self, written: Vec<u8>, is_token: bool) -> Option<Vec<u8>> {
        if ContentCoding::of_magic(&written).is_some() {
            return Some(written);
        }
        if is_token {
            return self.unpack_zlib(&written);
        }
        if is_json(&written) {
            return Some(written);
        }
        if let Some(Ok(text)) = decode_utf16(&written) {
            return is_json(&text).then_some(text);
        }
        if let Some(&coding) = self.codings.last().filter(|coding| coding.has_no_magic()) {
            let unpacked = coding
                .decompress(&written, self.most)
                .ok()
                .filter(|bytes| ContentCoding::of_magic(bytes).is_some() || is_json(bytes))?;
            self.codings.pop();
            return Some(unpacked);
        }
        self.unpack_zlib(&written)
    }

    fn unpack_zlib(&self, bytes: &[u8]) -> Option<Vec<u8>> {
        is_zlib(bytes)
            .then_some(ContentCoding::Deflate)?
            .decompress(bytes, self.most)
            .ok()
            .filter(|bytes| is_json(bytes))
    }
}

/// Whether bytes are a JSON object or list.
fn is_json(bytes: &[u8]) -> bool {
    matches!(bytes.first(), Some(b'{' | b'[')) && is_value(bytes, MAX_DOCUMENT_DEPTH)
}

/// Whether a text is a string, or a list of strings.
fn begins_with_string(text: &[u8]) -> bool {
    let text = text.trim_ascii_start();
    text.strip_prefix(b"[")
        .map_or(text, <[u8]>::trim_ascii_start)
        .starts_with(b"\"")
}

/// Whether bytes begin like a zlib stream (RFC 1950, section 2.2).
fn is_zlib(bytes: &[u8]) -> bool {
    matches!(bytes, [0x78, level, ..] if (0x7800 + u16::from(*level)).is_multiple_of(31))
}

/// Decodes UTF-16 with a byte order mark, or without one if it begins like JSON; `None` for other bytes.
fn decode_utf16(bytes: &[u8]) -> Option<Result<Vec<u8>, ContentError>> {
    let little = match bytes {
        [0xFF, 0xFE, ..] | [b'{' | b'[' | b'"', 0, ..] => true,
        [0xFE, 0xFF, ..] | [0, b'{' | b'[' | b'"', ..] => false,
        _ => return None,
    };
    let (pairs, rest) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|&pair| {
        if little {
            u16::from_le_bytes(pair)
        } else {
            u16::from_be_bytes(pair)
        }
    });
    let text = char::decode_utf16(units)
        .collect::<Result<String, _>>()
        .ok();
    Some(match text.filter(|_| rest.is_empty()) {
        Some(text) => Ok(text.trim_start_matches('\u{feff}').as_bytes().to_vec()),
        None if magic::is_utf16(bytes) => Err(ContentError::new(
            Reason::BadEncoding,
            "the UTF-16 text is damaged",
        )),
        None => return None,
    })
}

fn begins_like_json(bytes: &[u8]) -> bool {
    matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'[' | b'"'))
}

/// Whether text is what is left of compressed bytes.
fn is_mangled(text: &[u8]) -> bool {
    let gzip = [b"\x1f", REPLACEMENT, b"\x08"].concat();
    let zstd = [b"(", REPLACEMENT, b"/", REPLACEMENT].concat();
    text.starts_with(&gzip) || text.starts_with(&zstd)
}
