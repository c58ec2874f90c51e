//! Decodes the body of a recorded message from base64.

use crate::formats::pieces;
use crate::formats::record_place::RecordPlace;
use crate::json::{ValueKind, ValueRef};
use crate::traffic::{Body, Decoded, Reason, Unread, decode_base64};

/// The YAML tags before base64: in full, and as Ruby writes it.
const BINARY: [&str; 2] = ["tag:yaml.org,2002:binary", "!binary"];

/// The body of a message: a text, or an object with its text under `string` or `base64_string`. The error is a body that
/// cannot be read.
pub(super) fn of<'a>(
    message: ValueRef<'_>,
    place: RecordPlace<'a>,
) -> Result<Option<Body<'a>>, Unread> {
    let Some(body) = message.get("body") else { return Ok(None) };
    let unread = |reason| Unread { reason, span: place.span(body.span()) };
    let in_base64 = body.get("base64_string").filter(|text| text.kind() == ValueKind::String);
    let text = match in_base64.or_else(|| body.get("string")) {
        Some(text) => text,
        // VCR writes neither for an empty body.
        None if body.kind() == ValueKind::Object && body.get("encoding").is_some() => {
            return Ok(None);
        }
        // The text that vcrpy writes for an open file.
        None if body.kind() == ValueKind::Object && body.tag().is_some() => {
            return Err(unread(Reason::BadEncoding));
        }
        None => body,
    };
    if in_base64.is_none() && !is_binary(text) {
        return Ok(pieces::body(text, place));
    }
    let bytes = decode_base64(text.text().unwrap_or_default());
    let bytes = bytes.ok_or(Reason::BadEncoding).map_err(unread)?;
    if bytes.is_empty() {
        return Ok(None);
    }
    Ok(Some(pieces::decoded(text, Decoded { bytes, map: None }, place)))
}

fn is_binary(text: ValueRef<'_>) -> bool {
    text.resolved().tag().is_some_and(|tag| BINARY.contains(&tag))
}
