//! The body of a recorded message, out of base64 and compression.

use std::io::Read;

use crate::document::{Kind, Value};
use crate::exchange::{Body, Decoded, Reason, Unread, decode_base64};
use crate::input::pieces::{self, Place};
use crate::source::magic;

/// What YAML writes in front of base64: in full, and as Ruby does.
const BINARY: [&str; 2] = ["tag:yaml.org,2002:binary", "!binary"];

/// The body of a message: a text, or an object with its text under `string` or `base64_string`. The error is a body that
/// there is and that cannot be read.
pub(super) fn of<'a>(
    message: Value<'_>,
    headers: Option<Value<'_>>,
    place: Place<'a>,
    limit: usize,
) -> Result<Option<Body<'a>>, Unread> {
    let Some(body) = message.get("body") else { return Ok(None) };
    let unread = |reason| Unread { reason, span: place.span(body.span()) };
    let in_base64 = body.get("base64_string").filter(|text| text.kind() == Kind::String);
    let text = match in_base64.or_else(|| body.get("string")) {
        Some(text) => text,
        // An empty body of VCR's has neither.
        None if body.kind() == Kind::Object && body.get("encoding").is_some() => return Ok(None),
        // What vcrpy makes of an open file.
        None if body.kind() == Kind::Object && body.tag().is_some() => {
            return Err(unread(Reason::BadEncoding));
        }
        None => body,
    };
    if in_base64.is_none() && !is_binary(text) {
        return Ok(place.body(text));
    }
    let bytes = decode_base64(text.text().unwrap_or_default());
    let bytes = bytes.ok_or(Reason::BadEncoding).map_err(unread)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let coding = headers.and_then(|headers| pieces::header(headers, "content-encoding"));
    let bytes = decompressed(bytes, coding, limit).map_err(unread)?;
    Ok(Some(place.decoded(text, Decoded { bytes, map: None })))
}

fn is_binary(text: Value<'_>) -> bool {
    text.resolved().tag().is_some_and(|tag| BINARY.contains(&tag))
}

/// The bytes as they were before they were compressed on the way. The header field often outlives the compression: what
/// counts is how the bytes begin, and where that does not tell, whether they are text.
fn decompressed(bytes: Vec<u8>, coding: Option<&str>, limit: usize) -> Result<Vec<u8>, Reason> {
    let is_text = || std::str::from_utf8(&bytes).is_ok();
    match (magic::compression(&bytes), coding) {
        (Some("gzip"), _) => unpack(flate2::read::MultiGzDecoder::new(&*bytes), limit),
        (Some(_), _) => {
            let decoder = zstd::Decoder::new(&*bytes).map_err(|_| Reason::BadEncoding)?;
            unpack(decoder, limit)
        }
        (None, Some("br")) if !is_text() => {
            unpack(brotli_decompressor::Decompressor::new(&*bytes, 4096), limit)
        }
        (None, Some("deflate")) if !is_text() => {
            unpack(flate2::read::ZlibDecoder::new(&*bytes), limit)
        }
        _ => Ok(bytes),
    }
}

fn unpack(packed: impl Read, limit: usize) -> Result<Vec<u8>, Reason> {
    let mut bytes = Vec::new();
    let room = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    packed.take(room).read_to_end(&mut bytes).map_err(|_| Reason::BadEncoding)?;
    if bytes.len() > limit { Err(Reason::TooLarge) } else { Ok(bytes) }
}
