//! Header fields in records and documents.

use std::borrow::Cow;

use super::body::Body;
use super::coding::ContentCoding;
use super::form::FormKind;
use super::header::{HeaderField, HeaderValue, bare_media_type};
use super::host::Host;
use super::operation::is_token;
use super::record_place::{RecordPlace, RecordValue, with_content};
use super::side::Side;
use super::signal::{Signal, looks_like_signal, may_be_signal, signals};
use sundown_text_json::json::{Node, ValueKind, string};
use sundown_text_json::text::Span;

/// Header fields, and what their values say.
#[derive(Debug, Clone, Default)]
pub struct HeaderFields<'a> {
    /// All fields.
    pub list: Vec<HeaderField<'a>>,
    /// The media type of the body.
    pub media_type: Option<String>,
    /// The deprecations that they announce.
    pub signals: Vec<Signal>,
    /// Whether `content-length` promises a body. Only [`Self::of`] sets it.
    pub promises_body: bool,
    /// The codings that `content-encoding` names.
    pub codings: Vec<ContentCoding>,
}

impl<'a> HeaderFields<'a> {
    /// Reads an object (`{name: value}`), a list of objects (`{name, value}`), a list of pairs, or a list of names and values in turn. A
    /// value is a text or a list of texts.
    pub fn of(node: Node<'_>, place: RecordPlace<'a>) -> Self {
        with_content(node, place, |node, place| {
            let mut fields = Self {
                list: Vec::with_capacity(node.children().len()),
                ..Self::default()
            };
            for field in NamedNode::all(node) {
                fields.add_node(&field, place);
            }
            fields
        })
    }

    /// The same of a value that has only been located.
    pub fn read(value: RecordValue<'a>) -> Self {
        value.read(Self::of)
    }

    /// Adds the field that cookies are: a text, a list, or an object.
    #[must_use]
    pub fn with_cookies(mut self, cookies: Node<'_>, place: RecordPlace<'a>) -> Self {
        with_content(cookies, place, |cookies, place| {
            if let Some(text) = cookies.as_str() {
                self.add("cookie", place.span_of(cookies), text);
            }
            for cookie in cookies.children() {
                if let Some(named) = NamedNode::of(cookie) {
                    let value = named.value.and_then(Node::text).unwrap_or_default();
                    let pair = format!("{}={value}", named.name);
                    self.add("cookie", place.span(named.name_span), &pair);
                } else if let Some(text) = cookie.as_str() {
                    self.add("cookie", place.span_of(cookie), text);
                }
            }
        });
        self
    }

    fn add_node(&mut self, field: &NamedNode<'_>, place: RecordPlace<'a>) {
        let span = place.span(field.name_span);
        let name = in_lower_case(place.file, span, field.name)
            .unwrap_or_else(|| Cow::Owned(field.name.to_ascii_lowercase()));
        self.note(&name, span, || {
            field.value.map(texts_of).unwrap_or_default()
        });
        let value = match field.value {
            None => HeaderValue::Unknown,
            // What is written is decoded only if it is asked for.
            Some(value) if is_text(value) && place.holds(value.span()) => {
                HeaderValue::Json(place.span_of(value).slice(place.file).into())
            }
            Some(value) => {
                HeaderValue::Texts(texts_of(value).into_iter().map(str::to_owned).collect())
            }
        };
        self.list.push(HeaderField { name, span, value });
    }

    /// Adds a field with its name at `span`.
    pub fn add(&mut self, name: &str, span: Span, value: &str) {
        let name = name.trim().to_ascii_lowercase();
        self.note(&name, span, || vec![value]);
        let value = HeaderValue::text(value);
        self.list.push(HeaderField {
            name: Cow::Owned(name),
            span,
            value,
        });
    }

    /// Whether they announce a deprecation, or one of their names looks like it.
    pub(super) fn may_announce(&self) -> bool {
        let mut names = self.list.iter().map(|field| field.name.as_bytes());
        !self.signals.is_empty() || names.any(looks_like_signal)
    }

    /// Keeps what a field says of the message.
    fn note<'t>(&mut self, name: &str, span: Span, texts: impl Fn() -> Vec<&'t str>) {
        let first = || texts().first().copied().unwrap_or_default();
        if may_be_signal(name) {
            let signals = texts()
                .into_iter()
                .flat_map(|value| signals(name, value, span));
            self.signals.extend(signals);
        }
        match name {
            "content-type" if self.media_type.is_none() => {
                self.media_type = bare_media_type(first());
            }
            "content-length" => {
                self.promises_body = first().parse::<u64>().is_ok_and(|length| length > 0);
            }
            // Several fields are one list (RFC 9110, section 5.3).
            "content-encoding" => {
                let codings = texts().into_iter().flat_map(ContentCoding::parse_list);
                self.codings.extend(codings);
            }
            _ => {}
        }
    }

    /// Adds to a body what the fields say about it. What its reader says about it itself counts more.
    pub fn describe(&self, body: &mut Body<'_>) {
        if body.media_type.is_none() {
            body.media_type.clone_from(&self.media_type);
        }
        if !self.codings.is_empty() {
            body.codings.clone_from(&self.codings);
            // Some producers write the size of the compressed body.
            body.declared_size = None;
        }
    }

    /// Sets the media type to JSON if no field says otherwise.
    #[must_use]
    pub fn or_json(self) -> Self {
        self.or_type("application/json")
    }

    /// Sets the media type to that of a URL-encoded form if there is no field for it.
    #[must_use]
    pub fn or_form(self) -> Self {
        if self.list.iter().any(|field| field.name == "content-type") {
            return self;
        }
        self.or_type(FormKind::UrlEncoded.media_type())
    }

    fn or_type(mut self, media_type: &str) -> Self {
        self.media_type.get_or_insert_with(|| media_type.to_owned());
        self
    }
}

/// The host in header fields: `Host`, or `:authority` in HTTP/2.
pub fn host(headers: Node<'_>) -> Option<Host<'static>> {
    let place = RecordPlace {
        file: &[],
        start: 0,
    };
    with_content(headers, place, |headers, _| {
        NamedNode::all(headers).into_iter().find_map(|field| {
            let is_host = ["host", ":authority"]
                .iter()
                .any(|host| field.name.eq_ignore_ascii_case(host));
            let value = field.value.filter(|_| is_host)?;
            Host::parse(texts_of(value).first()?, None).map(Host::into_owned)
        })
    })
}

/// The value of a pseudo-header field of HTTP/2 (RFC 9113, section 8.3), with its position.
pub fn pseudo_header(
    headers: Node<'_>,
    place: RecordPlace<'_>,
    name: &str,
) -> Option<(String, Span)> {
    with_content(headers, place, |headers, place| {
        let mut fields = headers.children().filter_map(NamedNode::of);
        let value = fields.find(|field| field.name == name)?.value?;
        let text = texts_of(value).first()?.to_string();
        Some((text, value.span().shifted(place.start)))
    })
}

/// The name at `span`, in quotes or not, if the file has it in lower case and without escapes.
fn in_lower_case<'a>(file: &'a [u8], span: Span, name: &str) -> Option<Cow<'a, str>> {
    if name.bytes().any(|byte| byte.is_ascii_uppercase()) {
        return None;
    }
    let margin = span.len().checked_sub(name.len())? / 2;
    let written = file.get(span.start + margin..span.end - margin)?;
    (written == name.as_bytes())
        .then(|| std::str::from_utf8(written).ok().map(Cow::Borrowed))
        .flatten()
}

/// A value with its name, as objects (`{name: value}`), lists of objects (`{name, value}` or `{key, value}`) and lists of pairs
/// write it.
#[derive(Debug, Clone, Copy)]
pub struct NamedNode<'t> {
    pub name: &'t str,
    /// The span of its name with the quotes.
    pub name_span: Span,
    /// The value; `None` for an object or pair without one.
    pub value: Option<Node<'t>>,
}

impl<'t> NamedNode<'t> {
    /// Reads all of an object or a list. In a list of texts, each second one is the value of the name before it, as Node.js writes it,
    /// unless all are names.
    pub fn all(node: Node<'t>) -> Vec<Self> {
        let items: Vec<_> = node.children().collect();
        let is_value = |node: &Node<'_>| !node.as_str().is_some_and(is_like_name);
        let has_value = items.iter().skip(1).step_by(2).any(is_value);
        let pairs = items.chunks_exact(2).map(|pair| match *pair {
            [name, value] if name.key().is_none() => Some(Self {
                name: name
                    .as_str()
                    .filter(|name| is_token(name.trim_start_matches(':')))?,
                name_span: name.span(),
                value: Some(value),
            }),
            _ => None,
        });
        let pairs = pairs.collect::<Option<_>>();
        let is_even = items.len().is_multiple_of(2);
        pairs
            .filter(|_| is_even && has_value)
            .unwrap_or_else(|| items.into_iter().filter_map(Self::of).collect())
    }

    /// Reads a member of an object or an element of a list; `None` if that has no name, or if the client that keeps it does not send
    /// it in this list.
    pub fn of(node: Node<'t>) -> Option<Self> {
        if let (Some(name), Some(name_span)) = (node.key(), node.key_span()) {
            return Some(Self {
                name,
                name_span,
                value: Some(node),
            });
        }
        if is_disabled(node) {
            return None;
        }
        let (name, value) = match node.kind() {
            ValueKind::Object => (
                node.get("name").or_else(|| node.get("key"))?,
                node.get("value"),
            ),
            ValueKind::Array => (node.element(0)?, node.element(1)),
            _ => return None,
        };
        Some(Self {
            name: name.as_str()?,
            name_span: name.span(),
            value,
        })
    }
}

/// Whether a client keeps an item without sending it, or not where the list says: a parameter of the path is none of the query.
pub fn is_disabled(item: Node<'_>) -> bool {
    let is_of_path = item.get("isPath").and_then(Node::as_bool) == Some(true);
    is_off(item) || is_of_path || item.text_of("type") == Some("path")
}

/// Whether a client keeps an item without sending it.
pub fn is_off(item: Node<'_>) -> bool {
    let flags = [
        ("disabled", true),
        ("isDisabled", true),
        ("enabled", false),
        ("enable", false),
        ("active", false),
    ];
    flags
        .iter()
        .any(|(name, flag)| item.get(name).and_then(Node::as_bool) == Some(*flag))
}

/// Whether a list, JSON in a text, or a text of several lines is all header fields, of which one `is_named`.
pub fn has_header(value: &[u8], is_named: impl Fn(&str) -> bool) -> bool {
    let text = match value {
        [b'"', b'{' | b'[', ..] => string::decode_bytes(value, Span::new(0, value.len())),
        [b'"', ..] if memchr::memmem::find(value, b"\\n").is_some() => {
            let text = string::decode_bytes(value, Span::new(0, value.len()));
            let fields = text.lines().filter(|line| !line.is_empty());
            let mut names = fields.map(|line| Some(line.split_once(": ")?.0));
            return names
                .clone()
                .all(|name| name.is_some_and(|name| !name.contains(' ')))
                && names.any(|name| name.is_some_and(&is_named));
        }
        // Names of fields may be listed, too.
        [b'[', b'{' | b'[', ..] => String::from_utf8_lossy(value),
        _ => return false,
    };
    let file = text.as_bytes();
    let span = Span::new(0, file.len());
    let fields = HeaderFields::read(RecordValue { file, span });
    fields.list.iter().any(|field| is_named(&field.name))
}

/// Whether a client keeps the items of a list and sends none of them.
pub fn are_disabled(list: &[u8]) -> bool {
    let span = Span::new(0, list.len());
    RecordValue { file: list, span }.read(|list, _| {
        let mut items = list.children();
        items.len() > 0 && items.all(is_disabled)
    })
}

/// What the names of flat members have before that of a header field, such as `http.request.header.x-old` of OpenTelemetry.
const PREFIXES: [&str; 2] = ["header", "headers"];

/// What they have in the logs of Traefik. What else is called so is one word, such as `request_time`.
const SIDES: [&str; 2] = ["request", "response"];

/// Whether the key of a flat member is that of a header field of a message: with one of these before its name, or as environment
/// variables of CGI (RFC 3875, section 4.1.18) and those of nginx are called.
pub fn is_flat_header(key: &str, side: Side, name: &str) -> bool {
    let mut before = letters_from_end(key);
    let is_named = letters_from_end(name).all(|byte| before.next() == Some(byte));
    if !is_named {
        return false;
    }
    let mut before: Vec<u8> = before.collect();
    before.reverse();
    let before = String::from_utf8_lossy(&before);
    let sides = SIDES.iter().filter(|_| name.contains('-'));
    let mut prefixes = PREFIXES.iter().chain(sides);
    let is_prefixed = before == "http" || prefixes.any(|prefix| before.ends_with(prefix));
    is_prefixed && !before.contains(side.other().name())
}

/// The letters and digits of a name, from its end, in lower case.
fn letters_from_end(name: &str) -> impl Iterator<Item = u8> + Clone {
    let letters = name.bytes().rev().filter(u8::is_ascii_alphanumeric);
    letters.map(|byte| byte.to_ascii_lowercase())
}

/// Whether a text is written like the name of a header field, and as few values.
fn is_like_name(text: &str) -> bool {
    let is_name = text.starts_with(char::is_uppercase)
        || text.starts_with(char::is_alphabetic) && text.contains('-');
    is_name && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '-')
}

/// Whether a value is a string in JSON, or a list of strings.
fn is_text(node: Node<'_>) -> bool {
    let is_list = node.kind() == ValueKind::Array
        && node.children().all(|node| node.kind() == ValueKind::String);
    !node.document().is_yaml() && (node.kind() == ValueKind::String || is_list)
}

/// All values of a header field, which some write as a list. A value that is not text is present all the same.
fn texts_of(node: Node<'_>) -> Vec<&str> {
    match node.kind() {
        ValueKind::Array => node.children().filter_map(Node::text).collect(),
        ValueKind::Object | ValueKind::Null => vec![""],
        _ => vec![node.text().unwrap_or_default()],
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_text_json::json::Document;

    #[test]
    fn header_names_are_found_in_every_form() {
        for text in [
            r#"{"Content-Type":"Application/JSON; charset=utf-8","X-A":"1"}"#,
            r#"[{"name":"Content-Type","value":"application/json"},{"name":"x-a","value":"1"}]"#,
            r#"[["Content-Type","application/json"],["X-A","1"]]"#,
            r#"["Content-Type","application/json","X-A","1"]"#,
            r#"{"content-type":["application/json"],"x-a":[]}"#,
        ] {
            let tree = Document::parse_json(text, 99).unwrap();
            let place = RecordPlace {
                file: text.as_bytes(),
                start: 0,
            };
            let HeaderFields {
                list: names,
                media_type,
                ..
            } = HeaderFields::of(tree.root(), place);
            let names: Vec<_> = names.iter().map(|header| &*header.name).collect();
            assert_eq!(
                (names, media_type.as_deref()),
                (vec!["content-type", "x-a"], Some("application/json")),
                "{text}"
            );
        }
    }

    #[test]
    fn a_list_that_its_document_leaves_out_has_its_host() {
        let text = br#"{"headers":[{"name":":authority","value":"api.test"}]}"#;
        let outer = Document::of_valid(text, |met| met.key != Some(b"headers"));
        let headers = outer.root().get("headers").unwrap();
        assert!(headers.is_left_out());
        let host = host(headers).unwrap();
        assert_eq!(host.name(), "api.test");
    }

    #[test]
    fn values_that_are_no_strings_are_compared_as_texts() {
        for (text, expected) in [
            (r#"{"x-version":2}"#, "2"),
            (r#"{"x-version":[2]}"#, "2"),
            (r#"{"x-version":"2"}"#, "2"),
            (r#"{"x-version":["2"]}"#, "2"),
        ] {
            let tree = Document::parse_json(text, 9).unwrap();
            let place = RecordPlace {
                file: text.as_bytes(),
                start: 0,
            };
            let fields = HeaderFields::of(tree.root(), place);
            assert_eq!(fields.list[0].value.texts(), [expected], "{text}");
        }
    }
}
