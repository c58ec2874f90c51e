//! Forms as JSON: the names of fields in brackets (`items[0][price]`, `a[]`) and with dots (`a.b`) become members and elements.

use std::borrow::Cow;
use std::collections::HashMap;

use super::form::{FormField, MappedText};
use sundown_text_json::json::{MAX_DOCUMENT_DEPTH, is_value};
use sundown_text_json::text::{OffsetMap, Span};

/// A form as a JSON object, with the map of its keys and of the JSON in its values.
#[derive(Debug, Default)]
pub struct FormJson {
    /// The object.
    pub text: String,
    /// The map from the object to the form.
    pub map: OffsetMap,
    /// A field that begins like JSON, and is none.
    pub broken: Option<Span>,
}

/// The number of names in a field. More are one name.
const MAX_NAMES: usize = 32;

/// The number of elements that are missing before those of a form. A list with more is written as an object.
const MAX_GAPS: usize = 1_000;

/// The length of a value that is kept.
const MAX_TEXT: usize = 1_024;

impl FormJson {
    /// Writes the fields as an object.
    ///
    /// A name is written as it is, too, because rules may name it so (`$['items[0][price]']`). A field that is both a value and
    /// an object, or is repeated, becomes several members of its name.
    pub fn of(fields: &[FormField]) -> Self {
        let mut nested = FormNode::default();
        let mut literal = FormNode::default();
        let mut broken = None;
        for field in fields {
            let name = field.name.lossy();
            if begins_like_json(&name) {
                // Clients without a media type send JSON as a form, of which it is the only name.
                if fields.len() == 1 && is_value(&field.name.bytes, MAX_DOCUMENT_DEPTH) {
                    return Self {
                        text: name.into_owned(),
                        map: field.name.map.clone(),
                        broken: None,
                    };
                }
                broken.get_or_insert(field.name.outer());
                continue;
            }
            // The positions of parts count bytes of text.
            let parts = match &name {
                Cow::Borrowed(name) => split_name(name),
                Cow::Owned(name) => vec![Span::new(0, name.len())],
            };
            if parts.len() > 1 {
                literal.insert(&name, &[Span::new(0, name.len())], field);
            }
            nested.insert(&name, &parts, field);
        }
        let mut form = Self {
            broken,
            ..Self::default()
        };
        let mut writer = Writer {
            form: &mut form,
            is_parsed: true,
            last: 0,
            gaps: MAX_GAPS,
        };
        writer.punctuation("{");
        writer.members(&nested);
        writer.is_parsed = false;
        writer.members(&literal);
        writer.punctuation("}");
        form
    }
}

/// The parts of a name; the whole name if it is not written in parts.
fn split_name(name: &str) -> Vec<Span> {
    let bytes = name.as_bytes();
    let mut parts = Vec::new();
    let mut at = 0;
    loop {
        let is_bracket = bytes.get(at) == Some(&b'[') && at > 0;
        let start = at + usize::from(is_bracket);
        let rest = bytes.get(start..).unwrap_or_default();
        let ends: &[u8] = if is_bracket { b"]" } else { b"[." };
        let length = rest
            .iter()
            .position(|byte| ends.contains(byte))
            .unwrap_or(rest.len());
        let end = start + length;
        if is_bracket && end == bytes.len() || !is_bracket && length == 0 {
            break;
        }
        parts.push(Span::new(start, end));
        at = end + usize::from(is_bracket);
        match bytes.get(at) {
            None if parts.len() <= MAX_NAMES => return parts,
            Some(b'[') => {}
            Some(b'.') => at += 1,
            _ => break,
        }
    }
    vec![Span::new(0, name.len())]
}

/// A value, a list or an object of a form.
#[derive(Default)]
struct FormNode<'f> {
    /// The keys of the fields with its value.
    values: Vec<FormKey<'f>>,
    members: Vec<FormMember<'f>>,
    by_name: HashMap<String, usize>,
}

/// A part of the name of a field.
#[derive(Clone, Copy)]
struct FormKey<'f> {
    field: &'f FormField,
    /// The position of the part in its name.
    part: Span,
}

struct FormMember<'f> {
    name: String,
    /// Its first occurrence.
    key: FormKey<'f>,
    node: FormNode<'f>,
}

impl<'f> FormNode<'f> {
    /// Adds a field under the names at `parts` of its own.
    fn insert(&mut self, name: &str, parts: &[Span], field: &'f FormField) {
        let mut node = self;
        let mut key = FormKey {
            field,
            part: Span::default(),
        };
        for (depth, &part) in parts.iter().enumerate() {
            key.part = part;
            let own = match name.get(part.start..part.end).unwrap_or_default() {
                "" if depth > 0 => {
                    node.next_element(name, parts.get(depth + 1..).unwrap_or_default())
                }
                own => own.to_owned(),
            };
            node = node.child(own, key);
        }
        node.values.push(key);
    }

    fn child(&mut self, name: String, key: FormKey<'f>) -> &mut Self {
        let Self {
            members, by_name, ..
        } = self;
        let index = *by_name.entry(name).or_insert_with_key(|name| {
            members.push(FormMember {
                name: name.clone(),
                key,
                node: Self::default(),
            });
            members.len() - 1
        });
        &mut members[index].node
    }

    /// The index under which `[]` puts the rest of a name: the last element, unless that has the rest already.
    fn next_element(&self, name: &str, rest: &[Span]) -> String {
        let count = self.members.len();
        let last = self.members.last().filter(|_| !rest.is_empty());
        let is_new = last.is_none_or(|last| last.node.has(name, rest));
        (if is_new { count } else { count - 1 }).to_string()
    }

    fn has(&self, name: &str, parts: &[Span]) -> bool {
        let mut node = self;
        for part in parts {
            let own = name.get(part.start..part.end).unwrap_or_default();
            match node
                .by_name
                .get(own)
                .and_then(|index| node.members.get(*index))
            {
                Some(member) => node = &member.node,
                None => return false,
            }
        }
        !node.values.is_empty()
    }

    /// The members in the order of their indices, if it is a list.
    fn elements(&self) -> Option<Vec<(usize, &Self)>> {
        let elements = self.members.iter().map(|member| {
            let index = member.name.parse().ok();
            Some((
                index.filter(|_| !member.name.starts_with('+'))?,
                &member.node,
            ))
        });
        let mut elements = elements
            .collect::<Option<Vec<_>>>()
            .filter(|all| !all.is_empty())?;
        elements.sort_by_key(|(index, _)| *index);
        Some(elements)
    }
}

struct Writer<'w> {
    form: &'w mut FormJson,
    /// Whether values are written as JSON if they are objects or lists, rather than as text.
    is_parsed: bool,
    /// The end of the last piece in the form.
    last: usize,
    /// How many more elements may be missing.
    gaps: usize,
}

impl Writer<'_> {
    fn piece(&mut self, text: &str, outer: Span) {
        self.form.text.push_str(text);
        self.form.map.push(text.len(), outer);
        self.last = outer.end;
    }

    fn punctuation(&mut self, text: &str) {
        self.piece(text, Span::new(self.last, self.last));
    }

    /// Writes all members of an object, separated from those before them.
    fn members(&mut self, node: &FormNode<'_>) {
        for member in &node.members {
            for value in &member.node.values {
                for part in self.parts(value.field) {
                    self.key(&member.name, *value);
                    self.value(&value.field.value, part);
                }
            }
            if !member.node.members.is_empty() {
                self.key(&member.name, member.key);
                self.container(&member.node);
            }
        }
    }

    fn container(&mut self, node: &FormNode<'_>) {
        let dense = node.elements().filter(|elements| {
            let last = elements.last().map_or(0, |(index, _)| *index);
            last.saturating_sub(elements.len()) < self.gaps
        });
        let Some(elements) = dense else {
            self.punctuation("{");
            self.members(node);
            return self.punctuation("}");
        };
        self.punctuation("[");
        let mut next = 0;
        for (index, element) in elements {
            let gap = index.saturating_sub(next).min(self.gaps);
            self.gaps -= gap;
            for _ in 0..gap {
                self.separate();
                self.punctuation("null");
            }
            for value in &element.values {
                for part in self.parts(value.field) {
                    self.separate();
                    self.value(&value.field.value, part);
                }
            }
            if !element.members.is_empty() {
                self.separate();
                self.container(element);
            }
            next = index.saturating_add(1);
        }
        self.punctuation("]");
    }

    /// Writes a comma, unless an array or object has just begun.
    fn separate(&mut self) {
        if !self.form.text.ends_with(['{', '[']) {
            self.punctuation(",");
        }
    }

    fn key(&mut self, name: &str, key: FormKey<'_>) {
        self.separate();
        self.piece(&quoted(name), key.field.name.map.outer(key.part));
        self.punctuation(":");
    }

    /// The values in JSON of a field, one on each line if it has several; `None` for one that is text.
    fn parts(&mut self, field: &FormField) -> Vec<Option<Span>> {
        let as_text = vec![None];
        let bytes = &field.value.bytes;
        if !self.is_parsed || !matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'[')) {
            return as_text;
        }
        let whole = Span::new(0, bytes.len());
        if is_value(whole.slice(bytes), MAX_DOCUMENT_DEPTH) {
            return vec![Some(whole)];
        }
        let mut lines = bytes
            .split_inclusive(|&byte| byte == b'\n')
            .scan(0, |end, line| {
                *end += line.len();
                Some(Span::new(*end - line.len(), *end))
            })
            .filter(|line| !line.slice(bytes).trim_ascii().is_empty());
        if lines
            .clone()
            .all(|line| is_value(line.slice(bytes), MAX_DOCUMENT_DEPTH))
        {
            return lines.map(Some).collect();
        }
        let is_broken = lines.next().is_some() && begins_like_json(&String::from_utf8_lossy(bytes));
        if is_broken {
            self.form.broken.get_or_insert(field.value.map.outer(whole));
        }
        as_text
    }

    fn value(&mut self, value: &MappedText, part: Option<Span>) {
        let whole = Span::new(0, value.bytes.len());
        let text = |span: Span| String::from_utf8_lossy(span.slice(&value.bytes));
        match part {
            Some(part) if part == whole => {
                self.form.text.push_str(&text(whole));
                self.form.map.extend(&value.map);
                self.last = value.map.outer(whole).end;
            }
            Some(part) => self.piece(&text(part), value.map.outer(part)),
            // Rules name only short values.
            None if whole.len() > MAX_TEXT => self.piece("\"\"", value.map.outer(whole)),
            None => self.piece(&quoted(&text(whole)), value.map.outer(whole)),
        }
    }
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Whether a text begins with an object that has a member, alone or in a list.
fn begins_like_json(text: &str) -> bool {
    text.trim_start_matches(['[', ' ', '\n', '\r', '\t'])
        .strip_prefix('{')
        .is_some_and(|rest| rest.trim_start().starts_with('"'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FormKind;

    fn json(form: &str) -> String {
        let form = FormJson::of(&FormKind::UrlEncoded.parse(form.as_bytes()).unwrap().named);
        assert!(is_value(form.text.as_bytes(), 99), "{}", form.text);
        assert_eq!(form.map.inner_len(), form.text.len());
        form.text
    }

    #[test]
    fn names_in_parts_are_members_and_elements() {
        for (form, expected) in [
            ("", "{}"),
            ("a=1&b=x%20y+z&c", r#"{"a":"1","b":"x y z","c":""}"#),
            ("a=1&a=2", r#"{"a":"1","a":"2"}"#),
            (
                "a[b]=1&a[c]=2",
                r#"{"a":{"b":"1","c":"2"},"a[b]":"1","a[c]":"2"}"#,
            ),
            ("a=1&a[b]=2", r#"{"a":"1","a":{"b":"2"},"a[b]":"2"}"#),
            ("a[]=1&a[]=2", r#"{"a":["1","2"],"a[]":"1","a[]":"2"}"#),
            (
                "a[][b]=1&a[][c]=2&a[][b]=3",
                r#"{"a":[{"b":"1","c":"2"},{"b":"3"}],"a[][b]":"1","a[][b]":"3","a[][c]":"2"}"#,
            ),
            (
                "a%5B2%5D%5Bb%5D=1",
                r#"{"a":[null,null,{"b":"1"}],"a[2][b]":"1"}"#,
            ),
            ("a.b=1", r#"{"a":{"b":"1"},"a.b":"1"}"#),
            ("a[b].c=1", r#"{"a":{"b":{"c":"1"}},"a[b].c":"1"}"#),
            (
                "[a]=1&a[=2&.b=3&a.=4&a[b]c=5&=6",
                r#"{"[a]":"1","a[":"2",".b":"3","a.":"4","a[b]c":"5","":"6"}"#,
            ),
            (r#"a={"b":[1]}&c=[1"#, r#"{"a":{"b":[1]},"c":"[1"}"#),
            ("a=%7B%22b%22%3A1%7D", r#"{"a":{"b":1}}"#),
            (
                "a={}%0A[1]%0A&b[]={}%0A%0A[]",
                "{\"a\":{}\n,\"a\":[1]\n,\"b\":[{}\n,[]],\"b[]\":\"{}\\n\\n[]\"}",
            ),
            ("a=%FF&b=\"", "{\"a\":\"\u{fffd}\",\"b\":\"\\\"\"}"),
        ] {
            let mut text = json(form);
            if form.contains("[][") {
                // The order of the members as they are written does not matter.
                text = text.replace(
                    r#""a[][b]":"1","a[][c]":"2","a[][b]":"3""#,
                    r#""a[][b]":"1","a[][b]":"3","a[][c]":"2""#,
                );
            }
            assert_eq!(text, expected, "{form}");
        }
    }

    #[test]
    fn keys_are_mapped_to_their_parts() {
        let form = "x=1&line_items%5B0%5D[price]=2&d=%7B%22pri%63e%22:1}";
        let json = FormJson::of(&FormKind::UrlEncoded.parse(form.as_bytes()).unwrap().named);
        let position = |key: &str, number: usize| {
            let at = json.text.match_indices(key).nth(number).unwrap().0;
            let outer = json.map.outer(Span::new(at, at + key.len()));
            &form[outer.start..outer.end]
        };
        assert_eq!(position("\"line_items\"", 0), "line_items");
        assert_eq!(position("\"price\"", 0), "price");
        assert_eq!(position("\"price\"", 1), "%22pri%63e%22");
        assert_eq!(
            position("\"line_items[0][price]\"", 0),
            "line_items%5B0%5D[price]"
        );
    }

    #[test]
    fn a_broken_value_and_endless_names_are_noticed() {
        let broken = |form: &str| {
            FormJson::of(&FormKind::UrlEncoded.parse(form.as_bytes()).unwrap().named).broken
        };
        assert_eq!(broken("a={\"b\":1&c=1"), Some(Span::new(2, 8)));
        assert_eq!(broken("a=[hello&b={x}"), None);
        let deep = format!("a{}=1", "[b]".repeat(50_000));
        assert!(json(&deep).len() < 2 * deep.len());
        assert!(json("a[99999999999999999]=1&a[7]=2").len() < 20_000);
    }

    #[test]
    fn parts_of_a_form_are_fields() {
        let form = "--x\r\nContent-Disposition: form-data; name=\"a[b]\"\r\n\r\n1\r\n--x\r\ncontent-disposition: form-data; filename=\"f\"; name=data\r\nContent-Type: application/json\r\n\r\n{\"c\":\r\n2}\r\n--x--\r\n";
        for form in [form.to_owned(), form.replace('\r', "")] {
            let json = FormJson::of(&FormKind::Multipart.parse(form.as_bytes()).unwrap().named);
            let text = json.text.replace(['\r', '\n'], "");
            assert_eq!(text, r#"{"a":{"b":"1"},"data":{"c":2},"a[b]":"1"}"#);
            let at = json.text.find("\"c\"").unwrap();
            let outer = json.map.outer(Span::new(at, at + 3));
            assert_eq!(&form[outer.start..outer.end], "\"c\"");
        }
        for form in [
            "",
            "--",
            "--x\r\n",
            "a=1",
            "--x\nContent-Disposition: form-data; name=a\n\n1\n",
        ] {
            assert!(
                FormKind::Multipart.parse(form.as_bytes()).is_none(),
                "{form}"
            );
        }
    }
}
