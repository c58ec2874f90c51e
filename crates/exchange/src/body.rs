//! A body as it is written in its file. It is decoded on demand, with a map from the decoded text back to the file.

use std::borrow::Cow;
use std::sync::Arc;

use super::byte_text::decode_base64;
use super::words::WORDS;
use super::{ContentCoding, FormKind};
use sundown_text_json::json::string::LazyOffsetMap;
use sundown_text_json::json::{key_context, string};
use sundown_text_json::text::{OffsetMap, Span, magic};

/// A message's body, borrowed from its file.
#[derive(Debug, Clone)]
pub struct Body<'a> {
    /// The whole file.
    file: &'a [u8],
    /// The position of the body in it; a string with its quotes.
    pub span: Span,
    /// How it is written there.
    pub encoding: Encoding,
    /// The media type in lower case and without parameters, if the capture has it.
    pub media_type: Option<String>,
    /// The kind of the form of whose fields its reader has made an object.
    pub form: Option<FormKind>,
    /// The codings of its header field, in the order in which they were applied. The field often outlives the compression.
    pub codings: Vec<ContentCoding>,
    /// The number of bytes according to the capture. If the body has fewer, it was cut.
    pub declared_size: Option<usize>,
    /// The body as decoded by the reader, if it had to be.
    decoded: Option<Arc<Decoded>>,
}

/// How a body is written in its file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// Byte for byte.
    Plain,
    /// As the content of a JSON string.
    JsonString,
    /// As base64 (RFC 4648, section 4) in a JSON string.
    Base64JsonString,
    /// In an encoding of the file's format, which the reader has undone.
    Decoded,
}

/// A body that its reader has decoded.
#[derive(Debug, Clone, Default)]
pub struct Decoded {
    pub bytes: Vec<u8>,
    /// The map to the file; `None` if every byte maps to the whole value that contains the body.
    pub map: Option<OffsetMap>,
}

impl<'a> Body<'a> {
    /// Whether the file has an empty text as the body.
    pub fn is_empty(&self) -> bool {
        let text = self.raw().trim_ascii();
        match self.encoding {
            Encoding::JsonString | Encoding::Base64JsonString => text == b"\"\"",
            Encoding::Plain => text.is_empty(),
            Encoding::Decoded => self.known().is_empty(),
        }
    }

    /// Creates the body at `span` of `file`.
    pub fn new(file: &'a [u8], span: Span, encoding: Encoding) -> Self {
        Self {
            file,
            span,
            encoding,
            media_type: None,
            form: None,
            codings: Vec::new(),
            declared_size: None,
            decoded: None,
        }
    }

    /// Creates the body at `span` of `file` that its reader has decoded.
    pub fn decoded(file: &'a [u8], span: Span, decoded: Decoded) -> Self {
        Self {
            decoded: Some(Arc::new(decoded)),
            ..Self::new(file, span, Encoding::Decoded)
        }
    }

    fn known(&self) -> &[u8] {
        self.decoded.as_ref().map_or(&[], |decoded| &decoded.bytes)
    }

    /// Decodes it to bytes, which need be neither UTF-8 nor JSON; `None` if its string or base64 is invalid.
    pub fn decode(&self) -> Option<Cow<'a, [u8]>> {
        match self.encoding {
            Encoding::Decoded => Some(Cow::Owned(self.known().to_vec())),
            Encoding::Plain => Some(Cow::Borrowed(self.raw())),
            Encoding::JsonString => string::unescape_unvalidated(key_context::content(self.raw())),
            Encoding::Base64JsonString => {
                let text = string::decode_bytes(self.file, self.span);
                let is_json = text.trim_start().starts_with(['{', '[']);
                // JSON that is only said to be base64, or a list of chunks in base64, as Polly.js writes it.
                decode_base64(&text)
                    .or_else(|| is_json.then(|| text.as_bytes().to_vec()))
                    .map(Cow::Owned)
            }
        }
    }

    /// Whether decoding and walking it validates it where it is written, too.
    pub fn is_validated_by_walk(&self) -> bool {
        match self.encoding {
            Encoding::Plain => matches!(self.raw().first(), Some(b'{' | b'[')),
            // Text in other notations may be read without a look at all of its bytes.
            Encoding::JsonString => {
                matches!(key_context::content(self.raw()).first(), Some(b'{' | b'['))
            }
            Encoding::Base64JsonString | Encoding::Decoded => false,
        }
    }

    /// Whether the file contains it neither as text nor as a JSON string of its text.
    pub fn is_encoded(&self) -> bool {
        matches!(
            self.encoding,
            Encoding::Base64JsonString | Encoding::Decoded
        )
    }

    /// Its bytes in the file.
    pub fn raw(&self) -> &'a [u8] {
        self.span.slice(self.file)
    }

    /// Whether the capture says that it has more than the given number of bytes.
    pub fn is_cut(&self, bytes: usize) -> bool {
        // Recorders remove a byte order mark from a body but count it in its size.
        self.declared_size
            .is_some_and(|size| size > bytes + magic::BYTE_ORDER_MARK.len())
    }

    /// Whether it may be cut, by its bytes in the file; for base64, always `true`.
    pub fn may_be_cut(&self) -> bool {
        self.declared_size.is_some()
            && match self.encoding {
                Encoding::Decoded => self.is_cut(self.known().len()),
                Encoding::Plain => self.is_cut(self.span.len()),
                Encoding::JsonString => {
                    self.is_cut(string::content_len(key_context::content(self.raw())))
                }
                Encoding::Base64JsonString => true,
            }
    }

    /// Returns the map from the decoded bytes to the file.
    pub fn map(&self) -> BodyMap<'a> {
        match self.encoding {
            Encoding::Plain => BodyMap::Shift(self.span.start),
            Encoding::JsonString => BodyMap::Unmapped(self.raw(), self.span.start + 1),
            Encoding::Base64JsonString | Encoding::Decoded => self
                .offset_map()
                .map_or(BodyMap::Whole(self.span), BodyMap::Known),
        }
    }

    /// The same map as a value that can be joined with others; `None` if every byte comes from the whole value.
    pub fn offset_map(&self) -> Option<OffsetMap> {
        match self.encoding {
            Encoding::Decoded => self.decoded.as_ref()?.map.clone(),
            Encoding::Plain => {
                let mut map = OffsetMap::default();
                map.push(self.span.len(), self.span);
                Some(map)
            }
            Encoding::JsonString => {
                let content = std::str::from_utf8(key_context::content(self.raw())).ok()?;
                Some(string::offset_map(content, self.span.start + 1))
            }
            Encoding::Base64JsonString => None,
        }
    }

    /// The file that it is in.
    pub fn file(&self) -> &'a [u8] {
        self.file
    }

    /// The kind of content other than JSON that its media type names, in our own words; `None` for other types.
    pub fn other_kind(&self) -> Option<&'static str> {
        let media_type = self.media_type.as_deref()?;
        let mut kinds = WORDS.other_kinds.iter();
        let [_, name] = kinds.find(|[prefix, _]| media_type.starts_with(prefix))?;
        (!self.claims_json()).then_some(name)
    }

    /// Whether its media type allows JSON. A form does, because that is curl's default for all bodies.
    pub fn may_be_json(&self) -> bool {
        let form = FormKind::UrlEncoded.media_type();
        self.other_kind().is_none()
            || self
                .media_type
                .as_deref()
                .is_some_and(|own| own.starts_with(form))
    }

    /// The media type by which a description chooses among the bodies of a message: that of JSON, or of the form that it is. JSON as
    /// another type decides nothing, because curl declares every body as a form.
    pub fn certain_media_type(&self) -> Option<&str> {
        let own = self.media_type.as_deref();
        if own.is_some_and(|own| own.contains("json")) {
            return own;
        }
        let kind = self.form.or_else(|| FormKind::of(own, &self.decode()?));
        kind.map(FormKind::media_type)
    }

    /// Whether it claims to be JSON, or lines of it: `application/json`, `text/x-ndjson`, or a type that ends in `+json` (RFC 6839).
    pub fn claims_json(&self) -> bool {
        let Some(media_type) = self.media_type.as_deref() else {
            return false;
        };
        let subtype = media_type
            .split_once('/')
            .map_or(media_type, |(_, subtype)| subtype);
        subtype.ends_with("json") || subtype == "jsonl"
    }
}

/// Maps spans of a decoded body to spans of its file.
#[derive(Debug)]
pub enum BodyMap<'a> {
    /// The body is as it is in the file, from this offset on.
    Shift(usize),
    /// Every byte comes from the whole value that contains the body.
    Whole(Span),
    /// Its reader has decoded it.
    Known(OffsetMap),
    /// A string with its quotes, and the offset of its content, until a position is needed: most bodies have no use.
    Unmapped(&'a [u8], usize),
    /// A string, mapped as far as findings need it.
    Literal(LazyOffsetMap<'a>),
}

impl BodyMap<'_> {
    /// Returns the span of the file that `inner` came from.
    pub fn outer(&mut self, inner: Span) -> Span {
        match self {
            Self::Unmapped(literal, start) => {
                let mut map = LazyOffsetMap::new(key_context::content(literal), *start);
                let span = map.outer(inner);
                *self = Self::Literal(map);
                span
            }
            Self::Shift(start) => inner.shifted(*start),
            Self::Whole(span) => *span,
            Self::Known(map) => map.outer(inner),
            Self::Literal(map) => map.outer(inner),
        }
    }

    /// Whether spans are exact, rather than the whole value that contains the body.
    pub fn is_exact(&self) -> bool {
        !matches!(self, Self::Whole(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_that_are_no_utf_8_keep_their_place_in_a_string() {
        for (literal, content, text) in [
            (&b"\"abc\xff\""[..], &b"abc\xff"[..], "abc"),
            (
                b"\"\\\"\xc3\xa9\xff\\nx\"",
                b"\"\xc3\xa9\xff\nx",
                "\"\u{e9}",
            ),
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
