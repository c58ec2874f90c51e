//! JSON Patch (RFC 6902): the path of an operation as the members that it changes.

use std::borrow::Cow;

use super::byte_text::after_blank;
use sundown_text_json::json::{MAX_DOCUMENT_DEPTH, is_value, pointer, scan, string};
use sundown_text_json::text::{OffsetMap, Span};

/// A patch as the JSON values that its operations write, one on each line.
#[derive(Debug, Default)]
pub struct PatchedJson {
    /// The values.
    pub text: String,
    /// The map from the values to the patch.
    pub map: OffsetMap,
    /// How many more elements may precede those of the patch.
    gaps: usize,
}

/// The number of elements before those of a patch. A list with more is written as an object.
const MAX_GAPS: usize = 1_000;

/// The operations that write a member, and those that do not.
const WRITING: [&str; 4] = ["add", "replace", "move", "copy"];
const OTHER: [&str; 2] = ["remove", "test"];

/// Whether a text may be a JSON Patch, by its first key. `quote` is how it writes quotes.
pub fn may_be_json_patch(text: &[u8], quote: &[u8]) -> bool {
    let key = text
        .strip_prefix(b"[")
        .map(after_blank)
        .unwrap_or_default()
        .strip_prefix(b"{")
        .map(after_blank)
        .unwrap_or_default()
        .strip_prefix(quote)
        .unwrap_or_default();
    [&b"op"[..], b"path", b"value", b"from"].iter().any(|name| {
        key.strip_prefix(*name)
            .is_some_and(|rest| rest.starts_with(quote))
    })
}

/// The parts of an operation.
struct PatchOperation<'p> {
    is_writing: bool,
    /// The literal of its path.
    path: Span,
    /// The text of that.
    decoded: Cow<'p, str>,
    value: Option<Span>,
}

impl PatchedJson {
    /// Reads a patch; `None` if a text is none: each element of its list has a known operation and a path.
    pub fn of(text: &str) -> Option<Self> {
        let bytes = text.as_bytes();
        if !is_value(bytes, MAX_DOCUMENT_DEPTH) {
            return None;
        }
        let start = scan::skip_whitespace(bytes, 0);
        let operations = scan::elements(bytes, start)
            .map(|element| {
                let element = element
                    .ok()
                    .filter(|span| bytes.get(span.start) == Some(&b'{'))?;
                operation(text, element)
            })
            .collect::<Option<Vec<_>>>()?;
        let mut patched = Self {
            gaps: MAX_GAPS,
            ..Self::default()
        };
        for operation in operations.iter().filter(|operation| operation.is_writing) {
            patched.write(text, operation);
        }
        Some(patched)
    }

    /// Writes the value that an operation sets, in the objects and lists of its path.
    fn write(&mut self, patch: &str, operation: &PatchOperation<'_>) {
        let content = Span::new(operation.path.start + 1, operation.path.end - 1);
        // The position of a name is exact in a path without escapes.
        let is_plain = content.len() == operation.decoded.len();
        let mut closing = Vec::new();
        let mut at = content.start;
        for name in operation.decoded.split('/').skip(1) {
            let start = at + 1;
            at = start + name.len();
            let outer = if is_plain {
                Span::new(start, at)
            } else {
                operation.path
            };
            let index = if name == "-" {
                Some(0)
            } else {
                name.parse::<usize>().ok()
            };
            let index = index.filter(|index| *index <= self.gaps);
            if let Some(index) = index {
                self.piece("[", Span::new(outer.start, outer.start));
                self.gaps -= index;
                self.piece(&"null,".repeat(index), Span::new(outer.start, outer.start));
                closing.push("]");
            } else {
                let name = pointer::unescape(name);
                self.piece("{", Span::new(outer.start, outer.start));
                self.piece(&serde_json::Value::from(name).to_string(), outer);
                self.piece(":", Span::new(outer.end, outer.end));
                closing.push("}");
            }
        }
        let end = Span::new(operation.path.end, operation.path.end);
        match operation.value {
            Some(value) => self.piece(patch.get(value.start..value.end).unwrap_or_default(), value),
            None => self.piece("null", end),
        }
        closing.reverse();
        self.piece(&closing.concat(), end);
        self.piece("\n", end);
    }

    fn piece(&mut self, text: &str, outer: Span) {
        if !text.is_empty() {
            self.text.push_str(text);
            self.map.push(text.len(), outer);
        }
    }
}

fn operation(text: &str, object: Span) -> Option<PatchOperation<'_>> {
    let bytes = text.as_bytes();
    let mut kind = None;
    let mut path = None;
    let mut value = None;
    for member in scan::members(bytes, object.start).map_while(Result::ok) {
        let is_string = bytes.get(member.value.start) == Some(&b'"');
        match &*string::decode(text, member.key) {
            "op" if is_string => kind = Some(string::decode(text, member.value)),
            "path" if is_string => path = Some(member.value),
            "value" => value = Some(member.value),
            _ => {}
        }
    }
    let kind = kind?;
    let path = path?;
    let decoded = string::decode(text, path);
    let is_writing = WRITING.contains(&&*kind);
    let is_path = decoded.is_empty() || decoded.starts_with('/');
    let is_known = is_writing || OTHER.contains(&&*kind);
    (is_known && is_path).then_some(PatchOperation {
        is_writing,
        path,
        decoded,
        value,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operations_write_members() {
        let patch = r#"[{"op":"add","path":"/a/0/b~1c","value":{"d":1}},{"op":"remove","path":"/e"},{"path":"/f/-","op":"copy","from":"/g"},{"op":"replace","path":"","value":[2]}]"#;
        let patched = PatchedJson::of(patch).unwrap();
        assert_eq!(
            patched.text,
            "{\"a\":[{\"b/c\":{\"d\":1}}]}\n{\"f\":[null]}\n[2]\n"
        );
        for (key, expected) in [("\"a\"", "a"), ("\"b/c\"", "b~1c"), ("\"d\"", "\"d\"")] {
            let at = patched.text.find(key).unwrap();
            let outer = patched.map.outer(Span::new(at, at + key.len()));
            assert_eq!(&patch[outer.start..outer.end], expected);
        }
        let far = r#"[{"op":"add","path":"/99999999999/7/x","value":1}]"#;
        assert!(PatchedJson::of(far).unwrap().text.len() < 10_000);
    }

    #[test]
    fn other_lists_are_no_patches() {
        for text in [
            "[",
            "{}",
            "[1]",
            r#"[{"op":"add"}]"#,
            r#"[{"op":"add","path":"a"}]"#,
            r#"[{"op":"sum","path":"/a"}]"#,
            r#"[{"op":"add","path":"/a"},{"a":1}]"#,
        ] {
            assert!(PatchedJson::of(text).is_none(), "{text}");
        }
        for (text, expected) in [
            (r#"[{"op":"add"}]"#, true),
            ("[ {\n\"path\":\"/\"}]", true),
            (r#"[{"open":1}]"#, false),
            (r#"{"op":1}"#, false),
            ("[]", false),
        ] {
            assert_eq!(
                may_be_json_patch(text.as_bytes(), b"\""),
                expected,
                "{text}"
            );
        }
    }
}
