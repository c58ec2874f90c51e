//! A body as it stands in its file, decoded only when somebody looks at it, and the way back from the decoded text.

use std::borrow::Cow;
use std::sync::Arc;

use base64::Engine as _;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

use crate::json::string::LazyOffsetMap;
use crate::json::{raw, string};
use crate::text::{OffsetMap, Span, magic};

/// A message's body, borrowed from its file.
#[derive(Debug, Clone)]
pub struct Body<'a> {
    /// The whole file.
    file: &'a [u8],
    /// Where the body stands in it; a string has its quotes.
    pub span: Span,
    /// How it stands there.
    pub encoding: Encoding,
    /// The media type in lower case, without parameters, where the capture says it.
    pub media_type: Option<String>,
    /// How many bytes the capture says it has; more than there are means that it was cut.
    pub declared_size: Option<usize>,
    /// What the reader has decoded, where it has.
    decoded: Option<Arc<Decoded>>,
}

/// How a body stands in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Byte for byte.
    Plain,
    /// As the content of a JSON string.
    JsonString,
    /// As base64 (RFC 4648, section 4) in a JSON string.
    Base64JsonString,
    /// In a way of its own format's, which the reader has undone.
    Decoded,
}

/// A body that its reader has decoded.
#[derive(Debug, Clone, Default)]
pub struct Decoded {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// The way back to the file; `None` where there is none but to the whole value that holds it.
    pub map: Option<OffsetMap>,
}

const FORM: &str = "a form";

/// The beginnings of media types that are not JSON. Types are not printed as they are: they are values of a header.
const OTHER_KINDS: [(&str, &str); 15] = [
    ("text/html", "HTML"),
    ("application/xhtml", "HTML"),
    ("text/xml", "XML"),
    ("application/xml", "XML"),
    ("text/css", "CSS"),
    ("text/javascript", "JavaScript"),
    ("application/javascript", "JavaScript"),
    ("application/x-www-form-urlencoded", FORM),
    ("multipart/", "a form of several parts"),
    ("application/pdf", "PDF"),
    ("image/", "an image"),
    ("font/", "a font"),
    ("audio/", "sound"),
    ("video/", "video"),
    ("text/csv", "CSV"),
];

/// Padding is often lost on the way into a capture.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// What is written in base64 (RFC 4648, section 4), which may be broken into lines and have lost its padding.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits: Vec<u8> = text.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    BASE64.decode(digits).ok()
}

impl<'a> Body<'a> {
    /// The body at `span` of `file`.
    pub fn new(file: &'a [u8], span: Span, encoding: Encoding) -> Self {
        Self { file, span, encoding, media_type: None, declared_size: None, decoded: None }
    }

    /// The body that stands at `span` of `file` in a way that only its reader knows.
    pub fn decoded(file: &'a [u8], span: Span, decoded: Decoded) -> Self {
        Self { decoded: Some(Arc::new(decoded)), ..Self::new(file, span, Encoding::Decoded) }
    }

    fn known(&self) -> &[u8] {
        self.decoded.as_ref().map_or(&[], |decoded| &decoded.bytes)
    }

    /// Its bytes, which need be neither UTF-8 nor JSON; `None` where its base64 is none.
    pub fn decode(&self) -> Option<Cow<'a, [u8]>> {
        match self.encoding {
            Encoding::Decoded => Some(Cow::Owned(self.known().to_vec())),
            Encoding::Plain => Some(Cow::Borrowed(self.span.slice(self.file))),
            Encoding::JsonString => Some(string::unescape_bytes(raw::content(self.raw()))),
            Encoding::Base64JsonString => {
                decode_base64(&string::decode_bytes(self.file, self.span)).map(Cow::Owned)
            }
        }
    }

    /// Whether its bytes in the file are neither its text nor the content of a JSON string that holds its text.
    pub fn is_encoded(&self) -> bool {
        matches!(self.encoding, Encoding::Base64JsonString | Encoding::Decoded)
    }

    /// The bytes of the file in which it stands.
    pub fn raw(&self) -> &'a [u8] {
        self.span.slice(self.file)
    }

    /// Whether the capture says that it has more than `bytes`, the bytes that there are.
    pub fn is_cut(&self, bytes: usize) -> bool {
        // Recorders take a byte order mark off a body and leave it in its size.
        self.declared_size.is_some_and(|size| size > bytes + magic::BYTE_ORDER_MARK.len())
    }

    /// The same by the bytes in which it stands; base64 may always be cut.
    pub fn may_be_cut(&self) -> bool {
        self.declared_size.is_some()
            && match self.encoding {
                Encoding::Decoded => self.is_cut(self.known().len()),
                Encoding::Plain => self.is_cut(self.span.len()),
                Encoding::JsonString => self.is_cut(string::content_len(raw::content(self.raw()))),
                Encoding::Base64JsonString => true,
            }
    }

    /// The way from the decoded bytes back to the file.
    pub fn map(&self) -> BodyMap<'a> {
        match self.encoding {
            Encoding::Decoded => {
                let known = self.decoded.as_ref().and_then(|decoded| decoded.map.clone());
                BodyMap(known.map_or(Way::Whole(self.span), Way::Known))
            }
            Encoding::Plain => BodyMap(Way::Shift(self.span.start)),
            Encoding::JsonString => BodyMap(Way::Unread(self.raw(), self.span.start + 1)),
            Encoding::Base64JsonString => BodyMap(Way::Whole(self.span)),
        }
    }

    /// What else than JSON its media type says it is, in a few words of our own; `None` for types that say nothing of the kind.
    pub fn other_kind(&self) -> Option<&'static str> {
        let media_type = self.media_type.as_deref()?;
        OTHER_KINDS.iter().find(|(prefix, _)| media_type.starts_with(prefix)).map(|&(_, name)| name)
    }

    /// Whether its media type leaves it open that it is JSON. A form does: it is what curl says of whatever it sends.
    pub fn may_be_json(&self) -> bool {
        self.other_kind().is_none_or(|name| name == FORM)
    }

    /// Whether it calls itself JSON: `application/json`, `text/json`, or a type that ends in `+json` (RFC 6839).
    pub fn claims_json(&self) -> bool {
        let Some(media_type) = self.media_type.as_deref() else { return false };
        let subtype = media_type.split_once('/').map_or(media_type, |(_, subtype)| subtype);
        ["json", "jsonl", "x-json", "x-ndjson", "ndjson"].contains(&subtype)
            || subtype.ends_with("+json")
    }
}

/// Spans of a decoded body to spans of its file.
#[derive(Debug)]
pub struct BodyMap<'a>(Way<'a>);

#[derive(Debug)]
enum Way<'a> {
    Shift(usize),
    Whole(Span),
    Known(OffsetMap),
    /// A string with its quotes, and where its content begins, of which no place has been asked for: most bodies hold no use.
    Unread(&'a [u8], usize),
    /// Gone as far as findings need it.
    Literal(LazyOffsetMap<'a>),
}

impl BodyMap<'_> {
    /// The bytes of the file that `inner` came from.
    pub fn outer(&mut self, inner: Span) -> Span {
        match &mut self.0 {
            Way::Unread(literal, start) => {
                let mut trail = LazyOffsetMap::new(raw::content(literal), *start);
                let span = trail.outer(inner);
                self.0 = Way::Literal(trail);
                span
            }
            Way::Shift(start) => inner.shifted(*start),
            Way::Whole(span) => *span,
            Way::Known(map) => map.outer(inner),
            Way::Literal(map) => map.outer(inner),
        }
    }

    /// Whether spans are exact, rather than the whole value that holds the body.
    pub fn is_exact(&self) -> bool {
        !matches!(self.0, Way::Whole(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_utf_8_keep_their_place_in_a_string() {
        for (literal, content, text) in [
            (&b"\"abc\xff\""[..], &b"abc\xff"[..], "abc"),
            (b"\"\\\"\xc3\xa9\xff\\nx\"", b"\"\xc3\xa9\xff\nx", "\"\u{e9}"),
            (b"\"\xe2\x82\"", b"\xe2\x82", ""),
            (b"\"\xe2\x82\xac\"", "\u{20ac}".as_bytes(), "\u{20ac}"),
        ] {
            let span = Span::new(0, literal.len());
            let body = Body::new(literal, span, Encoding::JsonString);
            assert_eq!(body.decode().unwrap(), content, "{literal:?}");
            assert_eq!(string::decode_bytes(literal, span), text, "{literal:?}");
            let last = Span::new(content.len() - 1, content.len());
            let outer = body.map().outer(last);
            assert_eq!(outer.end, literal.len() - 1, "{literal:?}");
            assert_eq!(outer.slice(literal), last.slice(content), "{literal:?}");
        }
    }
}
