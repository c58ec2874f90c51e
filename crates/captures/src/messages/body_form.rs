//! Bodies that a recorder keeps in another form: in an object that describes them, or as the list of their lines.

use super::body_content::BodyContent;
use super::stored_form::StoredForm;
use crate::file_head::{begins_with_any, contains};
use crate::names::{NAMES, has_name, is_one_of};
use crate::pieces::{self, is_container};
use sundown_exchange::{
    Body, Decoded, Encoding, FormField, FormKind, MappedText, Reason, RecordPlace, RecordValue,
    Unread, bare_media_type, decode_base64, with_content,
};
use sundown_text_json::json::{
    MAX_DOCUMENT_DEPTH, Node, ValueKind, is_value, key_context, scan, string,
};
use sundown_text_json::text::spelling::is_spelled;
use sundown_text_json::text::{OffsetMap, Span, magic};

/// What the members of an object say about the body that it keeps.
#[derive(Default)]
pub(super) struct Wrapper<'t> {
    pub text: Option<Node<'t>>,
    /// The fields of a form, and how they are written.
    form: Option<(Node<'t>, FormKind)>,
    /// The name of the file that has the body, as Playwright writes it in archives and in traces.
    file: Option<Node<'t>>,
    media_type: Option<String>,
    size: i64,
    /// Whether it has a member that those of archives have, or an empty text.
    is_archived: bool,
    pub is_base64: bool,
    description: BodyDescription,
}

/// What describes the text of a body.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum BodyDescription {
    #[default]
    Nothing,
    /// Its encoding alone, of which some APIs make bodies.
    Encoding,
    More,
}

/// The body in an object that describes it: one text, which is JSON, a form, or said to be base64, beside members that describe it.
/// An object with any other member is itself the body (`None`). Where a shape says that bodies are kept so (`is_sure`), any text
/// is one, and a description alone is that of a body that was left out.
pub(crate) fn wrapped<'a>(
    object: Node<'_>,
    place: RecordPlace<'a>,
    is_sure: bool,
) -> Option<BodyContent<'a>> {
    if object.is_left_out() {
        // A body need not become a tree to see that it is one.
        let raw = object.raw_bytes();
        for member in scan::members(raw, 0) {
            let name = string::decode_bytes(raw, member.ok()?.key);
            if !is_text_name(&name) && name != "params" && !is_description(&name, is_sure) {
                return None;
            }
        }
    }
    with_content(object, place, |object, place| {
        // In extended JSON of MongoDB.
        let inner = object.get("$binary");
        let inner = inner.filter(|inner| inner.kind() == ValueKind::Object);
        let object = inner.unwrap_or(object);
        let wrapper = Wrapper::of(object, is_sure)?;
        wrapper.content(place, place.span_of(object), is_sure)
    })
}

fn is_text_name(name: &str) -> bool {
    is_one_of(name, &NAMES.body_texts)
}

fn is_description(name: &str, is_sure: bool) -> bool {
    has_name(&NAMES.body_descriptions, name)
        || is_sure
            && (is_one_of(name, &NAMES.archived)
                || is_one_of(name, &NAMES.structures)
                || name.starts_with('_'))
}

/// An object with more members describes no body.
const MAX_MEMBERS: usize = 64;

impl<'t> Wrapper<'t> {
    /// Reads them; `None` if an object has others, and so is the body.
    pub(super) fn of(object: Node<'t>, is_sure: bool) -> Option<Self> {
        if object.children().len() > MAX_MEMBERS {
            return None;
        }
        // Other objects may have a `type`, too.
        let mut wrapper = Self {
            is_archived: object.children().len() == 0,
            ..Self::default()
        };
        for member in object.children() {
            let name = member.key().unwrap_or_default();
            wrapper.is_archived |= is_one_of(name, &NAMES.archive_members)
                || is_text_name(name) && member.is_empty_text();
            let is_text = member.kind() == ValueKind::String && !member.is_empty_text();
            // Some scripts write JSON in place of its text, and some tools where the type says so.
            let is_value = !matches!(member.kind(), ValueKind::String | ValueKind::Null);
            let is_json = is_sure && is_value && ["text", "content"].contains(&name)
                || is_container(member) && is_of_type(object, name) && is_content(member);
            let is_list = member.kind() == ValueKind::Array && member.children().len() > 0;
            // To ask for the type reads all texts beside it.
            let is_form = is_list
                && (has_name(&NAMES.form_members, name)
                    || is_text_name(name) && has_form_type(object));
            if is_form {
                let mut marks = [&b"formdata"[..], b"multipart"].into_iter();
                let kind = if marks.any(|mark| contains(object.raw_bytes(), mark)) {
                    FormKind::Multipart
                } else {
                    FormKind::UrlEncoded
                };
                wrapper.form = Some((member, kind)).filter(|_| is_sure || says_form(object));
            } else if is_list
                && name == "params"
                && (is_sure || contains(object.raw_bytes(), b"urlencoded"))
            {
                // Some browsers leave them percent-encoded.
                wrapper.form = Some((member, FormKind::UrlEncoded));
            } else if name == "encoded" && says_base64(member).is_some() {
                wrapper.describe(name, member);
            } else if is_text_name(name) && (is_text || is_json) && wrapper.text.is_none() {
                let is_bytes = name.to_ascii_lowercase().ends_with("bytes");
                wrapper.is_base64 |= is_bytes
                    || name.trim_start_matches('$').starts_with("base64")
                    || ["$content", "$binary", "raw_gzip"].contains(&name)
                    || is_sure && name == "encoded";
                if ["string", "$base64"].contains(&name) {
                    wrapper.description = BodyDescription::More;
                }
                wrapper.text = Some(member);
            } else if is_description(name, is_sure) {
                wrapper.describe(name, member);
            } else if is_text && !is_sure || !is_text_name(name) {
                return None;
            }
        }
        Some(wrapper)
    }

    fn describe(&mut self, name: &str, value: Node<'t>) {
        let is = |known: &[&str]| known.iter().any(|known| is_spelled(name, known));
        let is_encoding = is(&["encoding", "charset"]);
        self.description = self.description.max(if is_encoding {
            BodyDescription::Encoding
        } else {
            BodyDescription::More
        });
        let may_say = is(&["encoding", "contentencoding", "encoded", "type", "format"]);
        if may_say || name.to_ascii_lowercase().contains("base64") {
            // What is compressed is base64 in JSON.
            let text = value.as_str().unwrap_or_default();
            self.is_base64 |= text.contains("gzip") || says_base64(value) == Some(true);
        } else if is(&["mimetype", "contenttype", "mediatype"]) {
            self.media_type = value.as_str().and_then(bare_media_type);
        } else if name == "size" {
            self.size = value.as_i64().unwrap_or_default();
        } else if ["_file", "_sha1"].contains(&name) {
            self.file = Some(value);
        }
    }

    fn content(
        self,
        place: RecordPlace<'_>,
        whole: Span,
        is_sure: bool,
    ) -> Option<BodyContent<'_>> {
        let Some(text) = self.text.or_else(|| json_as_form(self.form?.0)) else {
            return match (self.form, self.file) {
                (Some((fields, kind)), _) => {
                    let said = self.media_type.as_deref().and_then(FormKind::of_type);
                    Some(self::form(fields, said.unwrap_or(kind), place))
                }
                _ if !is_sure || !self.is_archived => None,
                (None, Some(file)) => {
                    let unread = Unread::at(Reason::BodyMissing, place.span_of(file));
                    let unread = unread.in_file(file.as_str().unwrap_or_default());
                    Some(unread.into())
                }
                (None, None) if self.size > 0 => Some(BodyContent::external(whole)),
                (None, None) => Some(BodyContent::default()),
            };
        };
        let is_json = if text.kind() != ValueKind::String {
            true
        } else if text.document().is_yaml() {
            begins_json(text.text().unwrap_or_default().as_bytes())
        } else {
            begins_json(key_context::content(text.raw_bytes()))
        };
        let media_type = self.media_type.filter(|name| name != "x-unknown");
        let is_form = media_type.as_deref() == Some("application/x-www-form-urlencoded");
        // Hoppscotch keeps the fields of a form in lines.
        let has_lines =
            |form: &str| form.lines().all(|line| line.contains(": ")) && !form.contains('=');
        if is_form && !is_json && text.as_str().is_some_and(has_lines) {
            return Some(Unread::at(Reason::UnreadNotation, place.span_of(text)).into());
        }
        let is_said = is_json || is_form || self.is_base64;
        let has_encoding_alone = !is_sure && self.description == BodyDescription::Encoding;
        let is_described = self.description != BodyDescription::Nothing;
        if !is_sure && !(is_described && (is_said || has_encoding_alone)) {
            return None;
        }
        let is_common = text
            .key()
            .is_some_and(|name| is_one_of(name, &NAMES.common_texts));
        let may_be_itself = has_encoding_alone && !is_json && (is_common || !is_said);
        let mut body = if self.is_base64 && !is_json {
            base64(text, place)?
        } else {
            body(text, place).body?
        };
        if may_be_itself && !is_content_of(&body, self.is_base64) {
            return None;
        }
        if is_sure {
            body.declared_size = usize::try_from(self.size).ok();
        }
        if is_sure || is_form {
            body.media_type = media_type;
        }
        Some(body.into())
    }
}

/// Whether a text beside its encoding alone is JSON or a form, of which an API hardly makes a member. Base64 that is cut is reported.
fn is_content_of(body: &Body<'_>, is_base64: bool) -> bool {
    body.decode().map_or(is_base64, |bytes| {
        let is_packed = magic::compression(&bytes).is_some();
        is_packed || begins_json(&bytes) || FormKind::of(None, &bytes).is_some()
    })
}

/// Whether a word in the text of a member says that an object has a form.
fn says_form(object: Node<'_>) -> bool {
    let mut texts = object.children().filter_map(Node::as_str);
    texts.any(|text| {
        let text = text.to_ascii_lowercase();
        let mut words = text.split(|letter: char| !letter.is_alphanumeric());
        words.any(|word| has_name(&NAMES.form_members, word) || is_one_of(word, &NAMES.form_words))
    })
}

/// Whether a member is the media type of a form.
fn has_form_type(object: Node<'_>) -> bool {
    let mut texts = object.children().filter_map(Node::as_str);
    texts.any(|text| bare_media_type(text).is_some_and(|name| FormKind::of_type(&name).is_some()))
}

/// Whether a member beside a body says that it is base64 (`true`, `"base64"`); `None` if it says nothing.
pub(crate) fn says_base64(value: Node<'_>) -> Option<bool> {
    let text = value.as_str().unwrap_or_default().to_ascii_lowercase();
    let is_base64 = text.contains("base64") || value.as_bool() == Some(true);
    let is_known = is_base64 || text == "json" || value.as_bool().is_some();
    is_known.then_some(is_base64)
}

/// Whether the type of a wrapper names a member: `{"type": "JSON", "json": {…}}`.
fn is_of_type(object: Node<'_>, name: &str) -> bool {
    let mut types = ["type", "mode"].into_iter();
    types.any(|key| {
        object
            .text_of(key)
            .is_some_and(|text| is_spelled(text, name))
    })
}

/// Whether the member that a type names is JSON by its name, or describes a text.
fn is_content(member: Node<'_>) -> bool {
    let described =
        || Wrapper::of(member, false).filter(|inner| inner.description > BodyDescription::Nothing);
    member.is_called("json") || described().is_some_and(|inner| inner.text.is_some())
}

/// The body of a form of which only the fields were kept.
pub(crate) fn form<'a>(
    fields: Node<'_>,
    kind: FormKind,
    place: RecordPlace<'a>,
) -> BodyContent<'a> {
    let mut form = StoredForm::recorded(kind);
    // The next one is noticed, and no more are read.
    for field in fields.children().take(FormField::MAX + 1) {
        // In an object, a name may have a list of values.
        if let (Some(key), Some(span)) = (field.key(), field.key_span()) {
            let name = MappedText::all_at(key.as_bytes().to_vec(), place.span(span));
            for value in pieces::elements(field) {
                form.add(name.clone(), pieces::mapped_text(value, place));
            }
            continue;
        }
        let name = ["name", "key"]
            .into_iter()
            .find(|name| field.get(name).is_some());
        form.add_object(field, name.unwrap_or_default(), place);
    }
    form.into_content(place.file, place.span_of(fields))
}

/// curl declares everything as a form unless a media type is given. JSON then becomes the name of its one parameter.
fn json_as_form(params: Node<'_>) -> Option<Node<'_>> {
    let mut params = params.children();
    let (only, None) = (params.next()?, params.next()) else {
        return None;
    };
    let value = only.text_of("value").unwrap_or_default();
    only.get("name").filter(|name| {
        let text = name.as_str().unwrap_or_default();
        value.is_empty() && text.starts_with(['{', '['])
    })
}

/// Whether the content of a string begins like an object or a list.
fn begins_json(content: &[u8]) -> bool {
    let mut rest = content;
    loop {
        rest = rest.trim_ascii_start();
        match rest {
            [b'\\', b'n' | b'r' | b't', more @ ..] => rest = more,
            _ => return matches!(rest.first(), Some(b'{' | b'[')),
        }
    }
}

/// The body in the strings of a list: JSON in several lines or pieces, or a value in each, or any text in lines.
fn lines(list: RecordValue<'_>) -> Option<Body<'_>> {
    let raw = list.raw();
    let first = scan::elements(raw, 0).next()?.ok()?.slice(raw);
    let content = key_context::content(first);
    if first.first() != Some(&b'"') || !(begins_json(content) || content.ends_with(b"\\n")) {
        return None;
    }
    list.read(|list, place| {
        let mut joined = Decoded::default();
        let mut map = OffsetMap::default();
        let first = list.children().next()?.as_str()?;
        let is_value_in_each = is_value(first.as_bytes(), MAX_DOCUMENT_DEPTH);
        for line in list.children() {
            let text = line.as_str()?;
            joined.bytes.extend_from_slice(text.as_bytes());
            map.extend(&line.text_map(place.start)?);
            if is_value_in_each && !text.ends_with('\n') {
                joined.bytes.push(b'\n');
                let end = place.span_of(line).end;
                map.push(1, Span::new(end, end));
            }
        }
        joined.map = Some(map);
        Some(Body::decoded(place.file, place.span_of(list), joined))
    })
}

/// A body that is nested as JSON, a string with its text, or either in a form of the recorder, of which a part may be unread.
pub(crate) fn body<'a>(value: Node<'_>, place: RecordPlace<'a>) -> BodyContent<'a> {
    let encoding = match value.kind() {
        ValueKind::String if value.is_empty_text() => return BodyContent::default(),
        _ if is_binary(value) => return base64(value, place).into(),
        _ if value.is_yaml_scalar() && value.kind() != ValueKind::Null => {
            return yaml_text(value, place).into();
        }
        ValueKind::String => Encoding::JsonString,
        ValueKind::Null => return BodyContent::default(),
        // As OpenTelemetry writes objects and lists in attributes.
        _ if matches!(value.key(), Some("kvlistValue" | "arrayValue")) => {
            let span = place.span_of(value);
            return Unread::at(Reason::UnreadNotation, span).into();
        }
        _ => Encoding::Plain,
    };
    kept(value, place).unwrap_or_else(|| {
        let span = place.span_of(value);
        Body::new(place.file, span, encoding).into()
    })
}

/// A body that is the text of a scalar in YAML.
fn yaml_text<'a>(value: Node<'_>, place: RecordPlace<'a>) -> Body<'a> {
    if let Some(span) = value.text_span() {
        return Body::new(place.file, place.span(span), Encoding::Plain);
    }
    let bytes = value.text().unwrap_or_default().as_bytes().to_vec();
    decoded(
        value,
        Decoded {
            bytes,
            map: value.text_map(place.start),
        },
        place,
    )
}

/// A body that has been decoded out of a value.
pub(crate) fn decoded<'a>(value: Node<'_>, decoded: Decoded, place: RecordPlace<'a>) -> Body<'a> {
    Body::decoded(place.file, place.span_of(value), decoded)
}

/// Whether a text in YAML is base64 by its tag: in full, or as Ruby writes it.
pub(crate) fn is_binary(text: Node<'_>) -> bool {
    let tag = text.resolved().tag();
    tag.is_some_and(|tag| ["tag:yaml.org,2002:binary", "!binary"].contains(&tag))
}

/// A body that is base64 in a string. What YAML writes without quotes is decoded here.
pub(crate) fn base64<'a>(value: Node<'_>, place: RecordPlace<'a>) -> Option<Body<'a>> {
    if is_container(value) || value.is_empty_text() {
        return None;
    }
    let text = value.text().filter(|_| value.is_yaml_scalar());
    Some(match text.and_then(decode_base64) {
        Some(bytes) => decoded(value, Decoded { bytes, map: None }, place),
        None => Body::new(place.file, place.span_of(value), Encoding::Base64JsonString),
    })
}

/// The body that an array or object keeps in one of these forms.
fn kept<'a>(node: Node<'_>, place: RecordPlace<'a>) -> Option<BodyContent<'a>> {
    let text = node.raw_bytes();
    match node.kind() {
        _ if node.document().is_yaml() => None,
        // A form as client libraries keep it.
        _ if begins_with_any(text, &[b"{\"_parts\"", b"{\"_overheadLength\""]) => {
            Some(Unread::at(Reason::UnreadNotation, place.span_of(node)).into())
        }
        ValueKind::Object => {
            // Its names may be those of fields as they are sent: `{"a[b]": "1"}`.
            let may_be_fields = contains(text, b"]\":");
            let as_fields = |object: Node<'_>, place| {
                let mut names = object.children().filter_map(Node::key);
                names
                    .any(|name| name.ends_with(']'))
                    .then(|| form(object, FormKind::UrlEncoded, place))
            };
            let fields = may_be_fields.then(|| with_content(node, place, as_fields));
            let content = fields.flatten().or_else(|| wrapped(node, place, false));
            content.filter(|content| !content.is_nothing())
        }
        ValueKind::Array => lines(place.value(node)).map(BodyContent::from),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_text_json::json::Document;

    /// The text of the body that a value keeps, read from its tree, and from its text.
    fn read(text: &str) -> Option<String> {
        let place = RecordPlace {
            file: text.as_bytes(),
            start: 0,
        };
        let body = |is_open| {
            let document = Document::of_valid(text.as_bytes(), |_| is_open);
            let body = kept(document.root(), place)?.body?;
            Some(String::from_utf8(body.decode().unwrap().into_owned()).unwrap())
        };
        let [open, left_out] = [true, false].map(body);
        assert_eq!(open, left_out, "{text}");
        open
    }

    #[test]
    fn the_text_of_an_object_that_describes_it_is_the_body() {
        for (text, body) in [
            (r#"{"string":"{\"a\":1}"}"#, r#"{"a":1}"#),
            (
                r#"{"type":"json","raw":"{\"a\":1}","form":[]}"#,
                r#"{"a":1}"#,
            ),
            (
                r#"{"mimeType":"application/json","text":"\n [1]","size":3}"#,
                "\n [1]",
            ),
            (r#"{"encoding":"base64","data":"e30="}"#, "{}"),
            (r#"{"base64_string":"e30=","encoding":"utf-8"}"#, "{}"),
            (r#"{"isBase64Encoded":true,"body":"e30="}"#, "{}"),
            (
                r#"{"content":"{\"a\":1}","encoding":"utf-8"}"#,
                r#"{"a":1}"#,
            ),
            (r#"{"value":" [1]","charset":"utf-8"}"#, " [1]"),
            (r#"{"data":"a=1&b=2","encoding":"utf-8"}"#, "a=1&b=2"),
            (r#"{"content":"b2xkPTE=","encoding":"base64"}"#, "old=1"),
            (r#"{"content":"[]","raw":"","content_type":"x"}"#, "[]"),
            (
                r#"{"contentType":"application/x-www-form-urlencoded","data":"a=b"}"#,
                "a=b",
            ),
            (
                r#"{"type":"JSON","json":"[1]","matchType":"STRICT"}"#,
                "[1]",
            ),
            (r#"{"type":"JSON","json":{"a":1}}"#, r#"{"a":1}"#),
            (
                r#"{"type":"text","text":{"value":"{}","format":"application/json"},"form":{},"file":{}}"#,
                "{}",
            ),
            (r#"{"matcher":"ShouldEqualJSON","value":"[1]"}"#, "[1]"),
            (r#"{"type":"BINARY","base64Bytes":"e30="}"#, "{}"),
            (
                r#"{"$content-type":"application/json","$content":"e30="}"#,
                "{}",
            ),
            (
                r#"{"mimeType":"application/x-www-form-urlencoded","params":[{"name":"a","value":"1"}]}"#,
                r#"{"a":"1"}"#,
            ),
            (
                r#"{"type":"formencoded","raw":"","form":[{"name":"a","value":"1"},{"name":"b","isDisabled":true}]}"#,
                r#"{"a":"1"}"#,
            ),
            (
                r#"{"mode":"formdata","formdata":[{"key":"a","value":"x%20y","type":"text"}]}"#,
                r#"{"a":"x%20y"}"#,
            ),
        ] {
            assert_eq!(read(text).as_deref(), Some(body), "{text}");
        }
    }

    #[test]
    fn an_object_with_a_member_of_its_own_is_the_body() {
        for text in [
            r#"{"type":"gift","raw":"plain words","encoding":"none"}"#,
            r#"{"type":"gift","raw":"{}","qty":2}"#,
            r#"{"data":"{}"}"#,
            r#"{"text":"{}"}"#,
            r#"{"type":"x","data":{"a":"{}"}}"#,
            r#"{"type":"text","text":{"body":"hello"}}"#,
            r#"{"type":"card","card":{"a":"{}"}}"#,
            r#"{"json":{"a":1}}"#,
            r#"{"params":[{"name":"a","value":"1"}]}"#,
            r#"{"type":"x","data":"{}","text":"{}"}"#,
            r#"{"type":"none","raw":"","form":[]}"#,
            r#"{"type":"x","form":[{"name":"a"}],"qty":2}"#,
            r#"{"form":[{"name":"a","value":"1"}]}"#,
            r#"{"type":"survey","form":[{"name":"a","value":"1"}]}"#,
            r#"{"type":"platform","form":[{"name":"a","value":"1"}]}"#,
            r#"{"content":"hello","encoding":"utf-8"}"#,
            r#"{"content":"aGVsbG8=","encoding":"base64"}"#,
            "{}",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn strings_whose_first_begins_like_json_are_lines() {
        let text = r#"["{\"a\":1,\n","\"b\":2}"]"#;
        assert_eq!(read(text).as_deref(), Some("{\"a\":1,\n\"b\":2}"));
        let text = r#"["{\"a\":1}","[2]"]"#;
        assert_eq!(read(text).as_deref(), Some("{\"a\":1}\n[2]\n"));
        for text in [r#"["a","b"]"#, r#"["{}",1]"#, "[]", "[{}]"] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
