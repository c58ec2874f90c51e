//! Writes a value of a [`Document`](super::Document) as JSON, with a map from that text back to the file.

use super::document::Node;
use super::validate::is_value;
use super::value_kind::ValueKind;
use crate::text::{OffsetMap, Span};

/// A value in JSON.
#[derive(Debug, Default)]
pub struct JsonText {
    /// The text.
    pub bytes: Vec<u8>,
    /// Maps each character of a string to its source, and each key and each other scalar to its source text as a whole.
    pub map: OffsetMap,
}

/// A step of the walk.
enum WriteStep<'d> {
    Value(Node<'d>),
    Member(Node<'d>),
    /// A bracket, a comma or a colon.
    Mark(u8),
}

impl Node<'_> {
    /// Writes the value as JSON. Its document begins at byte `start` of the file. `None` if the text is longer than `limit`:
    /// aliases may repeat values many times.
    pub fn to_json_text(self, start: usize, limit: usize) -> Option<JsonText> {
        let mut writer = JsonTextWriter {
            text: JsonText::default(),
            start,
            last: start,
        };
        // Aliases nest deeper than the text does, so the walk must not recurse.
        let mut steps = vec![WriteStep::Value(self)];
        while let Some(step) = steps.pop() {
            match step {
                WriteStep::Mark(mark) => writer.mark(mark),
                WriteStep::Member(member) => {
                    let span = member.key_span().unwrap_or_default();
                    writer.push(&quoted(member.key().unwrap_or_default()), span);
                    writer.mark(b':');
                    steps.push(WriteStep::Value(member));
                }
                WriteStep::Value(value) => match value.kind() {
                    ValueKind::Object => writer.open(value, *b"{}", WriteStep::Member, &mut steps),
                    ValueKind::Array => writer.open(value, *b"[]", WriteStep::Value, &mut steps),
                    ValueKind::String => writer.string(value),
                    _ => writer.push(&scalar(value), value.span()),
                },
            }
            if writer.text.bytes.len() > limit {
                return None;
            }
        }
        Some(writer.text)
    }
}

struct JsonTextWriter {
    text: JsonText,
    start: usize,
    /// The position to which the next mark belongs.
    last: usize,
}

impl JsonTextWriter {
    /// Writes a piece that came from `span` of the document.
    fn push(&mut self, piece: &[u8], span: Span) {
        let outer = span.shifted(self.start);
        self.text.bytes.extend_from_slice(piece);
        self.text.map.push(piece.len(), outer);
        self.last = outer.end;
    }

    /// Writes a string, of which each character came from its own place.
    fn string(&mut self, value: Node<'_>) {
        let text = value.text().unwrap_or_default();
        let Some(map) = value.text_map(0) else {
            return self.push(&quoted(text), value.span());
        };
        self.last = self.start + value.span().start;
        self.mark(b'"');
        for (at, character) in text.char_indices() {
            let escaped = quoted(character.encode_utf8(&mut [0; 4]));
            let piece = escaped.get(1..escaped.len() - 1).unwrap_or_default();
            self.push(piece, map.outer(Span::new(at, at + character.len_utf8())));
        }
        self.last = self.start + value.span().end;
        self.mark(b'"');
    }

    fn mark(&mut self, mark: u8) {
        self.text.bytes.push(mark);
        self.text.map.push(1, Span::new(self.last, self.last));
    }

    /// Writes the opening bracket of a container, and adds the steps for its content.
    fn open<'d>(
        &mut self,
        container: Node<'d>,
        [open, close]: [u8; 2],
        step: fn(Node<'d>) -> WriteStep<'d>,
        steps: &mut Vec<WriteStep<'d>>,
    ) {
        self.last = self.start + container.span().start;
        self.mark(open);
        steps.push(WriteStep::Mark(close));
        let first = steps.len();
        for (number, child) in container.children().enumerate() {
            if number > 0 {
                steps.push(WriteStep::Mark(b','));
            }
            steps.push(step(child));
        }
        // The last step is the next one.
        steps.get_mut(first..).unwrap_or_default().reverse();
    }
}

fn quoted(text: &str) -> Vec<u8> {
    serde_json::to_vec(text).unwrap_or_default()
}

fn scalar(value: Node<'_>) -> Vec<u8> {
    let text = value.text().unwrap_or_default();
    match value.kind() {
        ValueKind::Null => b"null".to_vec(),
        ValueKind::Bool => value.as_bool().unwrap_or_default().to_string().into_bytes(),
        ValueKind::Number => number(text).unwrap_or_else(|| quoted(text)),
        _ => quoted(text),
    }
}

/// A number of YAML's core schema, which has more notations than JSON. JSON has no infinity; a float of that value is too large
/// for any reader, too.
fn number(text: &str) -> Option<Vec<u8>> {
    if is_value(text.as_bytes(), 1) {
        return Some(text.as_bytes().to_vec());
    }
    let unsigned = text.trim_start_matches(['+', '-']);
    let whole = match unsigned.get(..2) {
        Some("0x") => u64::from_str_radix(unsigned.get(2..)?, 16).ok(),
        Some("0o") => u64::from_str_radix(unsigned.get(2..)?, 8).ok(),
        _ => unsigned.parse().ok(),
    };
    let sign = if text.starts_with('-') { "-" } else { "" };
    if let Some(whole) = whole {
        return Some(format!("{sign}{whole}").into_bytes());
    }
    let float: f64 = text.parse().ok()?;
    serde_json::to_vec(&float).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Document, DocumentFormat};

    fn json(yaml: &str) -> String {
        let document = Document::parse(yaml, DocumentFormat::Yaml).unwrap();
        let text = document.root().to_json_text(0, 1000).unwrap();
        String::from_utf8(text.bytes).unwrap()
    }

    #[test]
    fn yaml_becomes_the_json_that_it_means() {
        for (yaml, expected) in [
            (
                "a: 1\nb: [x, 'y\"', null, ~, true]\n",
                r#"{"a":1,"b":["x","y\"",null,null,true]}"#,
            ),
            (
                "- |\n  a\n  b\n- \"\\t\"\n- !!str 1\n",
                r#"["a\nb\n","\t","1"]"#,
            ),
            (
                "[0x1F, 0o17, +7, -0.5e7, 1., .5, 007, .nan]",
                "[31,15,7,-0.5e7,1.0,0.5,7,\".nan\"]",
            ),
            ("{}", "{}"),
            ("a: &x {b: []}\nc: *x\n", r#"{"a":{"b":[]},"c":{"b":[]}}"#),
            ("d: 2026-01-01\n1: no\n", r#"{"d":"2026-01-01","1":"no"}"#),
        ] {
            assert_eq!(json(yaml), expected, "{yaml}");
        }
    }

    #[test]
    fn keys_and_scalars_lead_back() {
        let yaml = "a:\n  'b''c': \"d\\n\"\n  e: &x [f]\n  g: *x\n";
        let document = Document::parse(yaml, DocumentFormat::Yaml).unwrap();
        let text = document.root().to_json_text(100, 1000).unwrap();
        let json = String::from_utf8(text.bytes).unwrap();
        for (piece, written) in [
            ("\"b'c\"", "'b''c'"),
            ("\"d\\n\"", "\"d\\n\""),
            ("\"e\"", "e"),
        ] {
            let at = json.find(piece).unwrap();
            let span = text.map.outer((at..at + piece.len()).into());
            assert_eq!(&yaml[span.start - 100..span.end - 100], written);
        }
        let at = json.rfind("\"f\"").unwrap();
        let span = text.map.outer((at..at + 3).into());
        assert_eq!(
            span.start - 100,
            yaml.find("f]").unwrap(),
            "in the anchored list"
        );
    }

    #[test]
    fn text_beyond_the_limit_is_not_written() {
        let document = Document::parse("[&a [xxxx, xxxx], *a, *a]", DocumentFormat::Yaml).unwrap();
        assert!(document.root().to_json_text(0, 30).is_none());
    }

    proptest! {
        #[test]
        fn json_read_as_yaml_is_written_as_it_is(text in crate::json::tests::value()) {
            let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
            let document = Document::parse(&*text, DocumentFormat::Json).unwrap();
            let written = document.root().to_json_text(0, 100_000).unwrap();
            prop_assert_eq!(serde_json::from_slice::<serde_json::Value>(&written.bytes).unwrap(), expected);
        }
    }
}
