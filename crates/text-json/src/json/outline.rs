//! The outline of a JSON record: the kinds and spans of its values in one arena, in document order.
//!
//! Nothing is decoded until it is asked for, and an outline may leave out the content of containers, so that the records
//! of a large log cost little. A [`Document`](super::Document) in contrast has all content, decoded.

use std::borrow::Cow;
use std::cell::Cell;

use super::error::SyntaxError;
use super::pointer::{self, Pointer};
use super::value_kind::ValueKind;
use super::walker::find_error;
use super::{scalars, scan, string};
use crate::text::Span;

/// The outline of a JSON value. Spans count from the beginning of its text.
#[derive(Debug)]
pub struct Outline<'a> {
    text: &'a [u8],
    nodes: Vec<OutlineNode>,
    /// Whether a caller asked for content that is left out.
    asked_deeper: Cell<bool>,
}

#[derive(Debug, Clone)]
pub(super) struct OutlineNode {
    pub(super) kind: ValueKind,
    pub(super) span: Span,
    /// Its key with the quotes, if its parent is an object.
    pub(super) key: Option<Span>,
    /// The index after its last descendant, which is that of its next sibling if there is one.
    pub(super) next: usize,
    /// Whether it is an array or object whose content is left out.
    is_closed: bool,
}

impl OutlineNode {
    /// Returns whether it has no nodes inside it: a scalar, or a container whose content is left out.
    pub(super) fn is_leaf(&self) -> bool {
        self.is_closed || !matches!(self.kind, ValueKind::Object | ValueKind::Array)
    }

    /// Returns the node with its start and end moved by these numbers of bytes, which wrap around.
    #[inline]
    pub(super) fn moved(&self, start: usize, end: usize) -> Self {
        let by = |span: Span, end| Span {
            start: span.start.wrapping_add(start),
            end: span.end.wrapping_add(end),
        };
        Self {
            span: by(self.span, end),
            key: self.key.map(|key| by(key, start)),
            ..*self
        }
    }
}

/// Decides whether the content of an array or object is part of an outline, by the number of containers around it and its
/// raw key.
pub(super) type Opens = fn(usize, &[u8]) -> bool;

impl<'a> Outline<'a> {
    /// Reads one JSON value with all its content, nested at most `max_depth` levels deep. Duplicate keys are kept.
    pub fn parse(
        text: &'a (impl AsRef<[u8]> + ?Sized),
        max_depth: usize,
    ) -> Result<Self, SyntaxError> {
        let text = text.as_ref();
        match find_error(text, max_depth) {
            Some(error) => Err(error),
            None => Ok(Self::of_valid(text, |_, _| true)),
        }
    }

    /// Makes an outline of a valid text; `opens` as for [`Self::scan`].
    pub fn of_valid(text: &'a [u8], opens: impl Fn(usize, &[u8]) -> bool) -> Self {
        Self::scan(text, opens, NodeBuffer::default()).unwrap_or_else(|| Self::of_scalar(text))
    }

    /// The outline of a valid text that is a number or literal. [`Self::scan`] cannot know that one is complete where the text
    /// ends.
    fn of_scalar(text: &'a [u8]) -> Self {
        let content = text.trim_ascii();
        let start = text.len() - text.trim_ascii_start().len();
        let node = OutlineNode {
            kind: content
                .first()
                .and_then(|&byte| ValueKind::of_first_byte(byte))
                .unwrap_or(ValueKind::Null),
            span: Span::new(start, start + content.len()),
            key: None,
            next: 1,
            is_closed: false,
        };
        Self::of_nodes(text, vec![node])
    }

    /// Makes an outline from quotes and brackets alone, without validation; `None` if they do not match.
    ///
    /// `opens` decides which arrays and objects have their content in the outline, by the number of containers around them
    /// and their raw keys. The outline [records](Self::missed_content) whether a caller asks for other content.
    /// `spare` is the memory of an outline that is no longer needed.
    pub fn scan(
        text: &'a [u8],
        opens: impl Fn(usize, &[u8]) -> bool,
        spare: NodeBuffer,
    ) -> Option<Self> {
        let mut nodes = spare.0;
        nodes.clear();
        let mut open: Vec<usize> = Vec::with_capacity(8);
        let mut at = scan::skip_whitespace(text, 0);
        let mut key: Option<Span> = None;
        loop {
            let start = at;
            let kind = ValueKind::of_first_byte(*text.get(at)?)?;
            let is_container = matches!(kind, ValueKind::Object | ValueKind::Array);
            let goes_in = is_container && {
                let name = key.map(|key| Span::new(key.start + 1, key.end - 1).slice(text));
                opens(open.len(), name.unwrap_or_default())
            };
            let mut end = at + 1;
            if goes_in {
                end = scan::skip_whitespace(text, end);
                open.push(nodes.len());
            } else {
                end = value_end(text, at, kind)?;
            }
            nodes.push(OutlineNode {
                kind,
                span: Span::new(start, end),
                key: key.take(),
                next: nodes.len() + 1,
                is_closed: is_container && !goes_in,
            });
            if goes_in && !is_closing(text.get(end)) {
                (key, at) = member(text, end, kind)?;
                continue;
            }
            // A value has ended.
            at = scan::skip_whitespace(text, end);
            loop {
                let Some(&parent) = open.last() else {
                    let outline = Self {
                        text,
                        nodes,
                        asked_deeper: Cell::new(false),
                    };
                    return (at == text.len()).then_some(outline);
                };
                let count = nodes.len();
                let node = nodes.get_mut(parent)?;
                match *text.get(at)? {
                    b',' => {
                        (key, at) = member(text, scan::skip_whitespace(text, at + 1), node.kind)?;
                        break;
                    }
                    byte if byte == scalars::closing(node.kind == ValueKind::Object) => {
                        open.pop();
                        node.span.end = at + 1;
                        node.next = count;
                        at = scan::skip_whitespace(text, at + 1);
                    }
                    _ => return None,
                }
            }
        }
    }

    pub(super) fn of_nodes(text: &'a [u8], nodes: Vec<OutlineNode>) -> Self {
        Self {
            text,
            nodes,
            asked_deeper: Cell::new(false),
        }
    }

    pub(super) fn text(&self) -> &'a [u8] {
        self.text
    }

    pub(super) fn nodes(&self) -> &[OutlineNode] {
        &self.nodes
    }

    /// Returns its memory, for the next outline.
    pub fn into_spare(self) -> NodeBuffer {
        NodeBuffer(self.nodes)
    }

    /// The raw text of the arrays and objects whose content is left out.
    pub fn left_out(&self) -> impl Iterator<Item = &'a [u8]> {
        self.nodes
            .iter()
            .filter(|node| node.is_closed)
            .map(|node| node.span.slice(self.text))
    }

    /// Returns whether a caller asked for content that is left out, so that an answer may have been wrong.
    pub fn missed_content(&self) -> bool {
        self.asked_deeper.get()
    }

    /// The value with this number in document order; the root is 0.
    pub fn node(&self, index: usize) -> Option<NodeRef<'_>> {
        (index < self.nodes.len()).then_some(NodeRef {
            outline: self,
            index,
        })
    }

    /// The outermost value.
    pub fn root(&self) -> NodeRef<'_> {
        NodeRef {
            outline: self,
            index: 0,
        }
    }
}

fn is_closing(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'}' | b']'))
}

/// Memory that outlines use one after the other.
#[derive(Debug, Default)]
pub struct NodeBuffer(Vec<OutlineNode>);

impl NodeBuffer {
    pub(super) fn into_nodes(self) -> Vec<OutlineNode> {
        self.0
    }
}

/// Returns the offset after the value that begins at `at`, by quotes and brackets.
#[inline]
pub(super) fn value_end(text: &[u8], at: usize, kind: ValueKind) -> Option<usize> {
    match kind {
        ValueKind::String => scan::string_end(text, at),
        ValueKind::Object | ValueKind::Array => scan::container_end(text, at),
        _ => Some(scan::value(text, at).ok()?.end),
    }
}

/// Returns the key of the member or element that begins at `at`, if it has one, and the offset of its value.
#[inline]
fn member(text: &[u8], at: usize, parent: ValueKind) -> Option<(Option<Span>, usize)> {
    if parent != ValueKind::Object {
        return Some((None, at));
    }
    if *text.get(at)? != b'"' {
        return None;
    }
    let end = scan::string_end(text, at)?;
    let colon = scan::skip_whitespace(text, end);
    let value = scan::skip_whitespace(text, colon + 1);
    (*text.get(colon)? == b':').then_some((Some(Span::new(at, end)), value))
}

/// A value in an [`Outline`].
#[derive(Debug, Clone, Copy)]
pub struct NodeRef<'t> {
    outline: &'t Outline<'t>,
    index: usize,
}

impl<'t> NodeRef<'t> {
    fn node(self) -> Option<&'t OutlineNode> {
        self.outline.nodes.get(self.index)
    }

    /// Its number in the outline.
    pub fn index(self) -> usize {
        self.index
    }

    /// Its kind.
    pub fn kind(self) -> ValueKind {
        self.node().map_or(ValueKind::Null, |node| node.kind)
    }

    /// Its span; a string's includes the quotes.
    pub fn span(self) -> Span {
        self.node().map_or(Span::default(), |node| node.span)
    }

    /// The span of its key with the quotes.
    pub fn key_span(self) -> Option<Span> {
        self.node().and_then(|node| node.key)
    }

    /// Its key, decoded.
    pub fn key(self) -> Option<Cow<'t, str>> {
        self.key_span()
            .map(|span| string::decode_bytes(self.outline.text, span))
    }

    /// Returns whether it is an array or object whose content is in the outline.
    pub fn is_open(self) -> bool {
        matches!(self.kind(), ValueKind::Object | ValueKind::Array)
            && self.node().is_some_and(|node| !node.is_closed)
    }

    /// Returns whether it is an array or object whose content is left out.
    pub fn is_left_out(self) -> bool {
        self.node().is_some_and(|node| node.is_closed)
    }

    /// Its bytes.
    pub fn raw_bytes(self) -> &'t [u8] {
        self.span().slice(self.outline.text)
    }

    /// Its raw key without the quotes.
    pub fn raw_key(self) -> Option<&'t [u8]> {
        self.key_span()
            .map(|key| Span::new(key.start + 1, key.end - 1).slice(self.outline.text))
    }

    /// Returns whether its key, decoded, is `name`.
    pub fn is_called(self, name: &str) -> bool {
        let Some(raw) = self.raw_key() else {
            return false;
        };
        // A key with escapes is longer than its decoded text.
        raw == name.as_bytes()
            || raw.len() > name.len()
                && memchr::memchr(b'\\', raw).is_some()
                && self.key().is_some_and(|key| key == name)
    }

    /// The members of an object or the elements of an array, in order; none for a scalar.
    pub fn children(self) -> impl Iterator<Item = NodeRef<'t>> {
        let node = self.node();
        if node.is_some_and(|node| node.is_closed) {
            self.outline.asked_deeper.set(true);
        }
        let end = node.map_or(0, |node| node.next);
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let child = NodeRef {
                outline: self.outline,
                index: next,
            };
            next = child.node()?.next;
            Some(child)
        })
    }

    /// The object's first member of this name.
    pub fn get(self, name: &str) -> Option<NodeRef<'t>> {
        if self.kind() != ValueKind::Object {
            return None;
        }
        self.children().find(|child| child.is_called(name))
    }

    /// The children of the first member with this name; none if there is no such member.
    pub fn children_of(self, name: &str) -> impl Iterator<Item = NodeRef<'t>> + use<'t> {
        self.get(name).into_iter().flat_map(NodeRef::children)
    }

    /// The value at a pointer from here; of members with the same name, the first.
    pub fn at(self, pointer: &Pointer) -> Option<NodeRef<'t>> {
        pointer
            .tokens()
            .try_fold(self, |node, token| match node.kind() {
                ValueKind::Array => node.children().nth(pointer::index(token)?),
                _ => node.get(token),
            })
    }

    /// The content of a string, decoded.
    pub fn as_str(self) -> Option<Cow<'t, str>> {
        (self.kind() == ValueKind::String)
            .then(|| string::decode_bytes(self.outline.text, self.span()))
    }

    /// Its raw text.
    pub fn raw(self) -> &'t str {
        std::str::from_utf8(self.span().slice(self.outline.text)).unwrap_or_default()
    }

    /// The number, if it is an integer that fits.
    pub fn as_i64(self) -> Option<i64> {
        (self.kind() == ValueKind::Number)
            .then(|| self.raw().parse().ok())
            .flatten()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::json::{Document, ValueRef};

    #[test]
    fn pointers_lead_to_values() {
        let text = r#"{"a":[1,{"b":"x"}],"":{"/":2},"0":3,"a":4}"#;
        let outline = Outline::parse(text, 9).unwrap();
        let at = |text: &str| {
            outline
                .root()
                .at(&Pointer::parse(text).unwrap())
                .map(|node| node.raw().to_owned())
        };
        for (pointer, expected) in [
            ("/a/1/b", "\"x\""),
            ("/a/0", "1"),
            ("//~1", "2"),
            ("/0", "3"),
        ] {
            assert_eq!(at(pointer).as_deref(), Some(expected), "{pointer}");
        }
        for pointer in ["/a/2", "/a/-", "/a/00", "/a/b", "/b", "/0/x", "/"] {
            let is_empty_name = pointer == "/";
            assert_eq!(at(pointer).is_some(), is_empty_name, "{pointer}");
        }
    }

    #[test]
    fn nodes_keep_order_keys_and_spans() {
        let text = r#"{"a":[1,{"b":"x\n"}],"\u0063":-7,"a":null}"#;
        let outline = Outline::parse(text, 9).unwrap();
        let root = outline.root();
        assert_eq!(root.raw(), text);
        let keys: Vec<_> = root
            .children()
            .map(|child| child.key().unwrap().into_owned())
            .collect();
        assert_eq!(keys, ["a", "c", "a"], "duplicates are kept");
        let list = root.get("a").unwrap();
        assert_eq!(list.raw(), r#"[1,{"b":"x\n"}]"#);
        let second = list.children().nth(1).unwrap();
        assert_eq!(second.get("b").unwrap().as_str().unwrap(), "x\n");
        assert_eq!(root.get("c").unwrap().as_i64(), Some(-7));
        assert_eq!(list.children().count(), 2);
        assert!(root.get("missing").is_none() && list.get("a").is_none());
    }

    #[test]
    fn of_two_errors_the_first_is_reported() {
        use crate::json::SyntaxErrorKind::{Expected, InvalidUtf8, UnexpectedEnd};
        let error = |bytes: &[u8]| {
            Outline::parse(bytes, 9)
                .err()
                .map(|error| (error.offset, error.kind))
        };
        assert_eq!(error(b"[nope, \"\xFF\"]"), Some((1, Expected("a value"))));
        assert_eq!(error(b"[1, \"\xFF\", nope]"), Some((5, InvalidUtf8)));
        assert_eq!(error(b"[1, \"\xC3"), Some((5, UnexpectedEnd)));
        assert_eq!(error(b"[1] \xFF"), Some((4, InvalidUtf8)));
        assert_eq!(error(b"[1]"), None);
    }

    #[test]
    fn a_scalar_document_has_no_children() {
        assert_eq!(
            Outline::parse(" 3 ", 9).unwrap().root().children().count(),
            0
        );
    }

    fn scan(text: &str, levels: usize) -> Option<Outline<'_>> {
        Outline::scan(
            text.as_bytes(),
            |around, _| around < levels,
            NodeBuffer::default(),
        )
    }

    type Listing = Vec<(ValueKind, Span, Option<Span>)>;

    /// The kinds and spans of a value and of all values inside it, down to this depth.
    fn listing(node: NodeRef<'_>, levels: usize) -> Listing {
        let own = (node.kind(), node.span(), node.key_span());
        let inside =
            (levels > 0).then(|| node.children().flat_map(|child| listing(child, levels - 1)));
        [own]
            .into_iter()
            .chain(inside.into_iter().flatten())
            .collect()
    }

    fn document_listing(value: ValueRef<'_>, levels: usize) -> Listing {
        let own = (value.kind(), value.span(), value.key_span());
        let inside = (levels > 0).then(|| {
            value
                .children()
                .flat_map(|child| document_listing(child, levels - 1))
        });
        [own]
            .into_iter()
            .chain(inside.into_iter().flatten())
            .collect()
    }

    proptest! {
        #[test]
        fn an_outline_has_the_values_of_the_document(
            values in prop::collection::vec(crate::json::tests::value(), 0..4),
            levels in 0usize..4,
        ) {
            let text = format!(" {{\"a\": [{}], \"\\u0062\":{{}}, \"c\" :-1.5}} ", values.join(" , "));
            let document = Document::parse_first_value(&text, 99).unwrap();
            let outline = scan(&text, levels);
            prop_assert!(outline.is_some(), "{}", text);
            let outline = outline.unwrap();
            let expected = document_listing(document.root(), levels);
            prop_assert_eq!(listing(outline.root(), levels), expected);
            prop_assert!(!outline.missed_content());
            let whole = Outline::parse(&text, 99).unwrap();
            prop_assert_eq!(listing(whole.root(), 99), document_listing(document.root(), 99));
        }
    }

    #[test]
    fn quotes_and_brackets_that_do_not_fit_are_no_outline() {
        for text in [
            "",
            "{",
            "{}}",
            "[1}",
            "{\"a\":1]",
            "{\"a\" 1}",
            "{\"a\":\"}",
            "[1 2]",
            "{} {}",
            "nope",
            "{1:2}",
        ] {
            assert!(scan(text, 9).is_none(), "{text}");
        }
    }
}
