//! Forms (`application/x-www-form-urlencoded`, WHATWG URL, section 5; `multipart/form-data`, RFC 7578) as fields with their
//! positions.

use std::borrow::Cow;

use memchr::{memchr, memmem};

use super::byte_text::{decode_base64, hex_byte};
use sundown_text_json::text::{OffsetMap, Span};

/// A decoded text, and where each of its bytes came from.
#[derive(Debug, Clone, Default)]
pub struct MappedText {
    /// Its bytes, which need not be UTF-8.
    pub bytes: Vec<u8>,
    /// The map to the form, or to its file.
    pub map: OffsetMap,
}

impl MappedText {
    /// The part of a form or file at `span`, byte for byte.
    pub fn verbatim(form: &[u8], span: Span) -> Self {
        let mut text = Self::default();
        text.push(span.slice(form), span);
        text
    }

    /// A text all of whose bytes are from one place.
    pub fn all_at(bytes: Vec<u8>, place: Span) -> Self {
        let mut map = OffsetMap::default();
        map.push(bytes.len(), place);
        Self { bytes, map }
    }

    /// Adds bytes that came from `outer`.
    pub fn push(&mut self, bytes: &[u8], outer: Span) {
        self.bytes.extend_from_slice(bytes);
        self.map.push(bytes.len(), outer);
    }

    /// Adds all of another text.
    pub fn append(&mut self, other: &Self) {
        self.bytes.extend_from_slice(&other.bytes);
        self.map.extend(&other.map);
    }

    /// The text, with replacements for what is not UTF-8.
    pub fn lossy(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(&self.bytes)
    }

    /// Its position in the form or file.
    pub fn outer(&self) -> Span {
        self.map.outer(Span::new(0, self.bytes.len()))
    }

    /// Undoes percent-encoding (RFC 3986, section 2.1). A plus sign becomes a space if `has_plus`.
    #[must_use]
    pub fn percent_decoded(&self, has_plus: bool) -> Self {
        self.decoded(|text| match *text {
            [b'%', high, low, ..] => Some((vec![hex_byte(high, low)?], 3)),
            [b'+', ..] if has_plus => Some((vec![b' '], 1)),
            _ => None,
        })
    }

    /// Undoes escapes: `escape` returns what the one that a text begins with means, and its length.
    #[must_use]
    pub fn decoded(&self, escape: impl Fn(&[u8]) -> Option<(Vec<u8>, usize)>) -> Self {
        let mut decoded = Self::default();
        let mut rest = self.bytes.as_slice();
        while let Some(first) = rest.get(..1) {
            let found = escape(rest);
            let found = found.as_ref();
            let (meant, length) = found.map_or((first, 1), |(meant, length)| (meant, *length));
            let at = self.bytes.len() - rest.len();
            if !meant.is_empty() {
                let outer = self.map.outer(Span::new(at, at + length));
                decoded.push(meant, outer);
            }
            rest = rest.get(length..).unwrap_or_default();
        }
        decoded
    }

    /// Undoes the encoding of a part of a form (RFC 2045, section 6); `None` if it is not known, or the part is not in it.
    fn transfer_decoded(self, encoding: &[u8]) -> Option<Self> {
        match encoding {
            b"" | b"7bit" | b"8bit" | b"binary" => Some(self),
            b"quoted-printable" => Some(self.unquoted()),
            b"base64" => {
                let text = std::str::from_utf8(&self.bytes);
                let decoded = text.ok().and_then(decode_base64);
                // JSON may only be said to be base64.
                let Some(bytes) = decoded else {
                    return matches!(self.bytes.trim_ascii_start(), [b'{' | b'[', ..])
                        .then_some(self);
                };
                Some(Self::all_at(bytes, self.outer()))
            }
            _ => None,
        }
    }

    /// Undoes quoted-printable (RFC 2045, section 6.7). An equals sign that begins no escape stays, as there.
    fn unquoted(&self) -> Self {
        self.decoded(|text| match *text {
            [b'=', b'\n', ..] => Some((Vec::new(), 2)),
            [b'=', b'\r', b'\n', ..] => Some((Vec::new(), 3)),
            [b'=', high, low, ..] => Some((vec![hex_byte(high, low)?], 3)),
            _ => None,
        })
    }
}

/// A field of a form.
#[derive(Debug, Clone)]
pub struct FormField {
    /// Its name, with the brackets of nested members.
    pub name: MappedText,
    pub value: MappedText,
}

impl FormField {
    /// The number of fields that are read. Real forms have far fewer.
    pub const MAX: usize = 20_000;
}

/// The fields of a form.
#[derive(Debug, Default)]
pub struct FormFields {
    /// Those with a name.
    pub named: Vec<FormField>,
    /// The first part without a name. A service has no member for it.
    pub unnamed: Option<Span>,
    /// The first part that is not in the encoding of its header field, or in one that is not known.
    pub undecoded: Option<Span>,
}

/// How a form writes its fields.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FormKind {
    /// `application/x-www-form-urlencoded`.
    UrlEncoded,
    /// `multipart/form-data`.
    Multipart,
}

impl FormKind {
    /// The media type of such forms.
    pub fn media_type(self) -> &'static str {
        match self {
            Self::UrlEncoded => "application/x-www-form-urlencoded",
            Self::Multipart => "multipart/form-data",
        }
    }

    /// The kind with this media type.
    pub fn of_type(media_type: &str) -> Option<Self> {
        let mut kinds = [Self::UrlEncoded, Self::Multipart].into_iter();
        kinds.find(|kind| kind.media_type() == media_type)
    }

    /// Returns the kind of form that a text is by its media type, or without one beyond doubt. JSON and XML are no forms,
    /// because curl declares every body as a form.
    pub fn of(media_type: Option<&str>, text: &[u8]) -> Option<Self> {
        let first = text.trim_ascii_start().first()?;
        if b"{[\"<".contains(first) {
            return None;
        }
        match media_type {
            Some(name) => Self::of_type(name),
            None if is_surely_multipart(text) => Some(Self::Multipart),
            None => is_surely_urlencoded(text).then_some(Self::UrlEncoded),
        }
    }

    /// Whether a form has more fields than are read.
    pub fn has_too_many_fields(self, form: &[u8]) -> bool {
        let mark: &[u8] = match self {
            Self::UrlEncoded => b"&",
            // Each part has a name.
            Self::Multipart => b"name=",
        };
        memmem::find_iter(form, mark).nth(FormField::MAX).is_some()
    }

    /// Parses the fields of a form; `None` if they cannot be separated.
    pub fn parse(self, form: &[u8]) -> Option<FormFields> {
        match self {
            Self::UrlEncoded => Some(FormFields {
                named: parse_urlencoded(form),
                ..FormFields::default()
            }),
            Self::Multipart => parse_multipart(form),
        }
    }
}

/// Parses a form of names and values.
fn parse_urlencoded(form: &[u8]) -> Vec<FormField> {
    let mut fields = Vec::new();
    let mut start = 0;
    while start <= form.len() {
        let rest = form.get(start..).unwrap_or_default();
        let end = start + memchr(b'&', rest).unwrap_or(rest.len());
        let pair = Span::new(start, end);
        let equals = memchr(b'=', pair.slice(form)).map_or(end, |at| start + at);
        let part = |start, end| {
            MappedText::verbatim(form, trim(form, Span::new(start, end))).percent_decoded(true)
        };
        if !pair.is_empty() {
            let value = part((equals + 1).min(end), end);
            fields.push(FormField {
                name: part(start, equals),
                value,
            });
        }
        start = end + 1;
    }
    fields
}

/// The part without the line breaks around it, which people put between parameters.
fn trim(form: &[u8], part: Span) -> Span {
    let bytes = part.slice(form);
    let start = part.start + (bytes.len() - bytes.trim_ascii_start().len());
    Span::new(start, start + bytes.trim_ascii().len())
}

/// Whether a text without a media type is a form beyond doubt: names and values of characters that need no encoding.
fn is_surely_urlencoded(text: &[u8]) -> bool {
    let text = text.trim_ascii();
    let is_one = memchr(b'&', text).is_none();
    !text.is_empty()
        && text.split(|&byte| byte == b'&').all(|pair| {
            let Some(equals) = memchr(b'=', pair) else {
                return false;
            };
            let (name, value) = pair.split_at(equals);
            name.first()
                .is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
                && name
                    .iter()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"_.-[]%".contains(byte))
                // Records of Java are printed as `Order[total=1]`.
                && (!name.contains(&b'[') || name.contains(&b']'))
                && value
                    .iter()
                    .all(|byte| byte.is_ascii_graphic() && !b"\"<>{}\\".contains(byte))
        })
        && !(is_one
            && (text.ends_with(b"=")
                || std::str::from_utf8(text).is_ok_and(|text| decode_base64(text).is_some())))
}

/// Parses a form of several parts; `None` if nothing separates its parts. A file's content is a value like any other.
fn parse_multipart(form: &[u8]) -> Option<FormFields> {
    let first = form.len() - form.trim_ascii_start().len();
    let line = form
        .get(first..)?
        .split(|&byte| byte == b'\n')
        .next()?
        .trim_ascii_end();
    if !line.starts_with(b"--") || line.len() == 2 {
        return None;
    }
    let mut starts = memmem::find_iter(form, line).filter(|at| {
        let after = form.get(at + line.len()..).unwrap_or_default();
        (*at == first || form.get(at.wrapping_sub(1)) == Some(&b'\n'))
            && (after.starts_with(b"--") || matches!(after.first(), Some(b'\r' | b'\n')))
    });
    let mut fields = FormFields::default();
    let mut start = starts.next()?;
    let mut is_closed = false;
    for end in starts {
        let between = Span::new(start + line.len(), end);
        match part(form, between) {
            Some((name, Some(value))) => fields.named.push(FormField { name, value }),
            Some((_, None)) => _ = fields.undecoded.get_or_insert(between),
            None => _ = fields.unnamed.get_or_insert(between),
        }
        start = end;
        is_closed = form
            .get(end + line.len()..)
            .is_some_and(|rest| rest.starts_with(b"--"));
        if is_closed {
            break;
        }
    }
    is_closed.then_some(fields)
}

/// Whether a text without a media type is a form of several parts.
fn is_surely_multipart(text: &[u8]) -> bool {
    let head = text
        .get(..text.len().min(1_024))
        .unwrap_or_default()
        .to_ascii_lowercase();
    text.starts_with(b"--") && memmem::find(&head, b"content-disposition: form-data;").is_some()
}

/// The name and the value of a part of a form, which is without the delimiter before it. A value that cannot be decoded is `None`.
fn part(form: &[u8], part: Span) -> Option<(MappedText, Option<MappedText>)> {
    let bytes = part.slice(form);
    let (head, gap) = [&b"\r\n\r\n"[..], b"\n\n"]
        .into_iter()
        .filter_map(|gap| Some((memmem::find(bytes, gap)?, gap.len())))
        .min()?;
    let fields = bytes.get(..head)?.to_ascii_lowercase();
    let name = part_name(&fields)?.shifted(part.start);
    let content = bytes.get(head + gap..)?;
    let content = content.strip_suffix(b"\n").unwrap_or(content);
    let content = content.strip_suffix(b"\r").unwrap_or(content);
    let start = part.start + head + gap;
    let value = MappedText::verbatim(form, Span::new(start, start + content.len()))
        .transfer_decoded(transfer_encoding(&fields));
    Some((MappedText::verbatim(form, name), value))
}

/// The encoding of a part by its header fields, in lower case; empty if they have none.
fn transfer_encoding(head: &[u8]) -> &[u8] {
    head.split(|&byte| byte == b'\n')
        .find_map(|line| line.strip_prefix(b"content-transfer-encoding:"))
        .unwrap_or_default()
        .trim_ascii()
}

/// The position of the name in the header fields of a part, in lower case.
fn part_name(head: &[u8]) -> Option<Span> {
    let field = memmem::find(head, b"content-disposition:")?;
    let line = head.get(field..)?;
    let line = line.get(..memchr(b'\n', line).unwrap_or(line.len()))?;
    // `filename` ends in it, too.
    let name = memmem::find_iter(line, b"name=")
        .find(|at| matches!(line.get(at.wrapping_sub(1)), Some(b' ' | b';' | b'\t')))?
        + b"name=".len();
    let rest = line.get(name..)?;
    let (start, length) = match rest.strip_prefix(b"\"") {
        Some(quoted) => (name + 1, memchr(b'"', quoted)?),
        None => (
            name,
            rest.iter()
                .take_while(|byte| !b"; \t\r\n".contains(byte))
                .count(),
        ),
    };
    Some(Span::new(start, start + length).shifted(field))
}
