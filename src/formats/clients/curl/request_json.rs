//! The JSON body that HTTPie makes of request items: `a=text`, `b:=1`, `c[d][]=x` (its documentation, "Nested JSON").

use super::words::ShellWord;
use crate::text::{OffsetMap, Span};

/// The largest number of items, and of lists and objects around a value.
const MOST_ITEMS: usize = 4_096;
const MOST_NESTED: usize = 64;

/// How the value of an item is written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum ItemValue {
    Text,
    Json,
}

/// Builds the text of the body, with the positions of its parts.
#[derive(Default)]
pub(super) struct JsonBuilder {
    root: JsonPart,
    items: usize,
    /// The number of elements of all lists.
    elements: usize,
}

/// A value, which may get further members.
#[derive(Default)]
enum JsonPart {
    #[default]
    Missing,
    Object(Vec<(ShellWord, JsonPart)>),
    List(Vec<JsonPart>),
    Value(ShellWord, ItemValue),
}

/// A step of a name: `[key]`, `[0]` or `[]`.
enum NameStep {
    Key(ShellWord),
    Index(usize),
    Append,
}

impl JsonBuilder {
    /// Adds an item; returns `false` if it contradicts the others or is not one.
    pub(super) fn insert(&mut self, name: &ShellWord, value: &ShellWord, kind: ItemValue) -> bool {
        self.items += 1;
        if self.items > MOST_ITEMS {
            return false;
        }
        let Some(steps) = parse_name(name).filter(|steps| steps.len() <= MOST_NESTED) else {
            return false;
        };
        let mut part = &mut self.root;
        for step in steps {
            let Some(next) = part.step(step, &mut self.elements) else { return false };
            part = next;
        }
        *part = JsonPart::Value(value.clone(), kind);
        true
    }

    /// The text, and the positions of its bytes.
    pub(super) fn finish(self) -> (Vec<u8>, OffsetMap) {
        let mut written = ShellWord::default();
        self.root.write(&mut written);
        (written.text, written.map)
    }
}

impl JsonPart {
    /// The member at a step, which is added if it is new; `None` if this is no object or list as the step requires.
    /// `elements_so_far` counts the elements of all lists.
    fn step(&mut self, step: NameStep, elements_so_far: &mut usize) -> Option<&mut Self> {
        if matches!(self, Self::Missing) {
            let is_member = matches!(step, NameStep::Key(_));
            *self = if is_member { Self::Object(Vec::new()) } else { Self::List(Vec::new()) };
        }
        match (self, step) {
            (Self::Object(members), NameStep::Key(name)) => {
                let known = members.iter().position(|(known, _)| known.text == name.text);
                let at = known.unwrap_or(members.len());
                if known.is_none() {
                    members.push((name, Self::Missing));
                }
                members.get_mut(at).map(|(_, part)| part)
            }
            (Self::List(elements), NameStep::Append) => {
                elements.push(Self::Missing);
                elements.last_mut()
            }
            (Self::List(elements), NameStep::Index(index)) => {
                let new = index.saturating_add(1).saturating_sub(elements.len());
                *elements_so_far = elements_so_far.saturating_add(new);
                if *elements_so_far > MOST_ITEMS {
                    return None;
                }
                elements.resize_with(elements.len() + new, Self::default);
                elements.get_mut(index)
            }
            _ => None,
        }
    }

    fn write(&self, written: &mut ShellWord) {
        match self {
            Self::Missing => push(written, b"null"),
            Self::Value(value, ItemValue::Text) => write_string(value, written),
            Self::Value(value, ItemValue::Json) if value.text.is_empty() => push(written, b"null"),
            Self::Value(value, ItemValue::Json) => {
                written.text.extend_from_slice(&value.text);
                written.map.extend(&value.map);
            }
            Self::Object(members) => {
                push(written, b"{");
                for (at, (name, part)) in members.iter().enumerate() {
                    if at > 0 {
                        push(written, b",");
                    }
                    write_string(name, written);
                    push(written, b":");
                    part.write(written);
                }
                push(written, b"}");
            }
            Self::List(elements) => {
                push(written, b"[");
                for (at, part) in elements.iter().enumerate() {
                    if at > 0 {
                        push(written, b",");
                    }
                    part.write(written);
                }
                push(written, b"]");
            }
        }
    }
}

/// Adds text that no item contains. It is where the text before it ends.
fn push(written: &mut ShellWord, text: &[u8]) {
    let length = written.text.len();
    let end = written.map.outer(Span::new(length.saturating_sub(1), length)).end;
    written.push(text, Span::new(end, end));
}

fn write_string(word: &ShellWord, written: &mut ShellWord) {
    written.push(b"\"", Span::new(word.span.start, word.span.start));
    for (at, &byte) in word.text.iter().enumerate() {
        let outer = word.map.outer(Span::new(at, at + 1));
        match byte {
            b'"' | b'\\' => written.push(&[b'\\', byte], outer),
            0..0x20 => written.push(format!("\\u{byte:04x}").as_bytes(), outer),
            _ => written.push(&[byte], outer),
        }
    }
    written.push(b"\"", Span::new(word.span.end, word.span.end));
}

/// Parses a name such as `a[b][0][]`. A backslash before a bracket makes it a part of the name.
fn parse_name(name: &ShellWord) -> Option<Vec<NameStep>> {
    let mut steps = Vec::new();
    let mut rest = 0;
    let (first, end) = plain(name, rest);
    if end > 0 || !name.text.starts_with(b"[") {
        steps.push(NameStep::Key(first));
    }
    rest = end;
    while rest < name.text.len() {
        if name.text.get(rest) != Some(&b'[') {
            return None;
        }
        let (inside, end) = plain(name, rest + 1);
        if name.text.get(end) != Some(&b']') {
            return None;
        }
        steps.push(match inside.lossy().parse() {
            Ok(index) => NameStep::Index(index),
            Err(_) if inside.text.is_empty() => NameStep::Append,
            Err(_) => NameStep::Key(inside),
        });
        rest = end + 1;
    }
    Some(steps)
}

/// The text from `start` up to the next bracket, and where it ends.
fn plain(name: &ShellWord, start: usize) -> (ShellWord, usize) {
    let mut text = ShellWord::default();
    let mut at = start;
    while let Some(&byte) = name.text.get(at) {
        match byte {
            b'[' | b']' => break,
            b'\\' if name.text.get(at + 1).is_some_and(|next| b"[]".contains(next)) => at += 1,
            _ => {}
        }
        let Some(&byte) = name.text.get(at) else { break };
        text.push(&[byte], name.map.outer(Span::new(at, at + 1)));
        at += 1;
    }
    text.span = name.map.outer(Span::new(start, at));
    (text, at)
}
