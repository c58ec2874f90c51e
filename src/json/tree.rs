//! A JSON document as a tree in one arena, every node with its span. For envelopes around bodies, which are small;
//! bodies themselves are walked, not loaded.

use std::borrow::Cow;
use std::cell::Cell;

use super::error::{SyntaxError, earliest, valid_prefix};
use super::pointer::{self, Pointer};
use super::walker::{Token, Walker};
use super::{quick, scan, string};
use crate::text::Span;

/// A parsed document; spans count from the beginning of its text.
#[derive(Debug)]
pub struct Tree<'a> {
    text: &'a [u8],
    nodes: Vec<TreeNode>,
    /// Whether somebody asked for what an outline leaves out.
    asked_deeper: Cell<bool>,
}

/// What a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the six kinds of JSON value need no explanation")]
pub enum ValueKind {
    Object,
    Array,
    String,
    Number,
    Bool,
    Null,
}

#[derive(Debug, Clone)]
pub(super) struct TreeNode {
    pub(super) kind: ValueKind,
    pub(super) span: Span,
    /// The key it stands under, quotes included, where its parent is an object.
    pub(super) key: Option<Span>,
    /// Index behind this node's last descendant: nodes stand in document order, so the next sibling stands there.
    pub(super) behind: usize,
    /// An array or object whose content is left out.
    is_closed: bool,
}

impl TreeNode {
    /// Whether it is a scalar, or something of which the content is left out.
    pub(super) fn is_leaf(&self) -> bool {
        self.is_closed || !matches!(self.kind, ValueKind::Object | ValueKind::Array)
    }

    /// The same where its beginning and its end have moved, by so many bytes, which wrap around.
    #[inline]
    pub(super) fn moved(&self, start: usize, end: usize) -> Self {
        let by = |span: Span, end| Span {
            start: span.start.wrapping_add(start),
            end: span.end.wrapping_add(end),
        };
        Self { span: by(self.span, end), key: self.key.map(|key| by(key, start)), ..*self }
    }
}

/// Says of an array or object, by the number of containers around it and its key as it is written, whether its content is
/// part of an outline.
pub(super) type Opens = fn(usize, &[u8]) -> bool;

impl<'a> Tree<'a> {
    /// Reads the one value of `text`, which may nest `max_depth` levels deep. Duplicate keys are kept.
    pub fn parse(text: &'a str, max_depth: usize) -> Result<Self, SyntaxError> {
        let mut walker = Walker::new(text).with_max_depth(max_depth);
        let mut nodes: Vec<TreeNode> = Vec::with_capacity(64);
        let mut open: Vec<usize> = Vec::new();
        let mut key = None;
        while let Some(event) = walker.next_event()? {
            let kind = match event.token {
                Token::Key => {
                    key = Some(event.span);
                    continue;
                }
                Token::ObjectEnd | Token::ArrayEnd => {
                    let behind = nodes.len();
                    if let Some(node) = open.pop().and_then(|index| nodes.get_mut(index)) {
                        node.span.end = event.span.end;
                        node.behind = behind;
                    }
                    continue;
                }
                Token::ObjectStart => ValueKind::Object,
                Token::ArrayStart => ValueKind::Array,
                Token::String => ValueKind::String,
                Token::Number => ValueKind::Number,
                Token::True | Token::False => ValueKind::Bool,
                Token::Null => ValueKind::Null,
            };
            if matches!(kind, ValueKind::Object | ValueKind::Array) {
                open.push(nodes.len());
            }
            nodes.push(TreeNode {
                kind,
                span: event.span,
                key: key.take(),
                behind: nodes.len() + 1,
                is_closed: false,
            });
        }
        walker.finish()?;
        Ok(Self { text: text.as_bytes(), nodes, asked_deeper: Cell::new(false) })
    }

    /// The outline of a text that need not be JSON, by its quotes and brackets alone; `None` where they do not fit together.
    ///
    /// `opens` says of each array and object, by the number of containers around it and its key as it is written, whether
    /// its content is part of the outline. Should anybody ask for what is not, the tree [says so](Self::was_asked_deeper).
    /// `spare` is memory of an outline that is no longer needed.
    pub fn skim(
        text: &'a [u8],
        opens: impl Fn(usize, &[u8]) -> bool,
        spare: Spare,
    ) -> Option<Self> {
        let mut nodes = spare.0;
        nodes.clear();
        let mut open: Vec<usize> = Vec::with_capacity(8);
        let mut at = quick::blank(text, 0);
        let mut key: Option<Span> = None;
        loop {
            // Where a value begins.
            let start = at;
            let kind = kind_of(*text.get(at)?)?;
            let is_container = matches!(kind, ValueKind::Object | ValueKind::Array);
            let name =
                || key.map_or(&[][..], |key| Span::new(key.start + 1, key.end - 1).slice(text));
            let goes_in = is_container && opens(open.len(), name());
            let mut behind = at + 1;
            if goes_in {
                behind = quick::blank(text, behind);
                open.push(nodes.len());
            } else {
                behind = value_end(text, at, kind)?;
            }
            nodes.push(TreeNode {
                kind,
                span: Span::new(start, behind),
                key: key.take(),
                behind: nodes.len() + 1,
                is_closed: is_container && !goes_in,
            });
            if goes_in && !is_closing(text.get(behind)) {
                (key, at) = member(text, behind, kind)?;
                continue;
            }
            // Behind a value.
            at = quick::blank(text, behind);
            loop {
                let Some(&parent) = open.last() else {
                    let tree = Self { text, nodes, asked_deeper: Cell::new(false) };
                    return (at == text.len()).then_some(tree);
                };
                let count = nodes.len();
                let node = nodes.get_mut(parent)?;
                match *text.get(at)? {
                    b',' => {
                        (key, at) = member(text, quick::blank(text, at + 1), node.kind)?;
                        break;
                    }
                    byte if byte == quick::closing(node.kind == ValueKind::Object) => {
                        open.pop();
                        node.span.end = at + 1;
                        node.behind = count;
                        at = quick::blank(text, at + 1);
                    }
                    _ => return None,
                }
            }
        }
    }

    pub(super) fn of_nodes(text: &'a [u8], nodes: Vec<TreeNode>) -> Self {
        Self { text, nodes, asked_deeper: Cell::new(false) }
    }

    pub(super) fn text(&self) -> &'a [u8] {
        self.text
    }

    pub(super) fn nodes(&self) -> &[TreeNode] {
        &self.nodes
    }

    /// Its memory, for the next outline.
    pub fn into_spare(self) -> Spare {
        Spare(self.nodes)
    }

    /// The arrays and objects whose content an outline leaves out, as they are written.
    pub fn left_out(&self) -> impl Iterator<Item = &'a [u8]> {
        let left_out = self.nodes.iter().filter(|node| node.is_closed);
        left_out.map(|node| node.span.slice(self.text))
    }

    /// Whether what an outline leaves out has been asked for, so that what was answered may be wrong.
    pub fn was_asked_deeper(&self) -> bool {
        self.asked_deeper.get()
    }

    /// The same in bytes of which nobody knows yet whether they are UTF-8.
    pub fn parse_bytes(bytes: &'a [u8], max_depth: usize) -> Result<Self, SyntaxError> {
        let (text, cut) = valid_prefix(bytes);
        let tree = Self::parse(text, max_depth);
        match earliest(text, tree.as_ref().err().copied(), cut) {
            Some(error) => Err(error),
            None => tree,
        }
    }

    /// The value of this number: they are counted in document order, from the root, which is 0.
    pub fn node(&self, index: usize) -> Option<NodeRef<'_>> {
        (index < self.nodes.len()).then_some(NodeRef { tree: self, index })
    }

    /// The document's one value.
    pub fn root(&self) -> NodeRef<'_> {
        NodeRef { tree: self, index: 0 }
    }
}

/// What begins with this byte.
#[inline]
pub(super) fn kind_of(byte: u8) -> Option<ValueKind> {
    match byte {
        b'{' => Some(ValueKind::Object),
        b'[' => Some(ValueKind::Array),
        b'"' => Some(ValueKind::String),
        b'-' | b'0'..=b'9' => Some(ValueKind::Number),
        b't' | b'f' => Some(ValueKind::Bool),
        b'n' => Some(ValueKind::Null),
        _ => None,
    }
}

fn is_closing(byte: Option<&u8>) -> bool {
    matches!(byte, Some(b'}' | b']'))
}

/// Memory for an outline.
#[derive(Debug, Default)]
pub struct Spare(Vec<TreeNode>);

impl Spare {
    pub(super) fn into_nodes(self) -> Vec<TreeNode> {
        self.0
    }
}

/// Offset behind the value that begins at `at`, by quotes and brackets.
#[inline]
pub(super) fn value_end(text: &[u8], at: usize, kind: ValueKind) -> Option<usize> {
    match kind {
        ValueKind::String => scan::string_end(text, at),
        ValueKind::Object | ValueKind::Array => scan::container_end(text, at),
        _ => Some(scan::value(text, at).ok()?.end),
    }
}

/// The key of what begins at `at`, if it is a member, and the offset of its value.
#[inline]
fn member(text: &[u8], at: usize, parent: ValueKind) -> Option<(Option<Span>, usize)> {
    if parent != ValueKind::Object {
        return Some((None, at));
    }
    if *text.get(at)? != b'"' {
        return None;
    }
    let end = scan::string_end(text, at)?;
    let colon = quick::blank(text, end);
    let value = quick::blank(text, colon + 1);
    (*text.get(colon)? == b':').then_some((Some(Span::new(at, end)), value))
}

/// A value in a [`Tree`].
#[derive(Debug, Clone, Copy)]
pub struct NodeRef<'t> {
    tree: &'t Tree<'t>,
    index: usize,
}

impl<'t> NodeRef<'t> {
    fn node(self) -> Option<&'t TreeNode> {
        self.tree.nodes.get(self.index)
    }

    /// Its number in the tree.
    pub fn index(self) -> usize {
        self.index
    }

    /// What it is.
    pub fn kind(self) -> ValueKind {
        self.node().map_or(ValueKind::Null, |node| node.kind)
    }

    /// Its bytes; a string's have the quotes.
    pub fn span(self) -> Span {
        self.node().map_or(Span::default(), |node| node.span)
    }

    /// The key it stands under, quotes included.
    pub fn key_span(self) -> Option<Span> {
        self.node().and_then(|node| node.key)
    }

    /// The name it stands under, decoded.
    pub fn key(self) -> Option<Cow<'t, str>> {
        self.key_span().map(|span| string::decode_bytes(self.tree.text, span))
    }

    /// Whether its content is there to be looked at: an array or object that no outline leaves out.
    pub fn is_open(self) -> bool {
        matches!(self.kind(), ValueKind::Object | ValueKind::Array)
            && self.node().is_some_and(|node| !node.is_closed)
    }

    /// Whether it is an array or object whose content an outline leaves out.
    pub fn is_left_out(self) -> bool {
        self.node().is_some_and(|node| node.is_closed)
    }

    /// Its bytes.
    pub fn raw_bytes(self) -> &'t [u8] {
        self.span().slice(self.tree.text)
    }

    /// The key it stands under as it is written, without its quotes.
    pub fn raw_key(self) -> Option<&'t [u8]> {
        self.key_span().map(|key| Span::new(key.start + 1, key.end - 1).slice(self.tree.text))
    }

    /// Whether it stands under this name.
    pub fn is_called(self, name: &str) -> bool {
        let Some(raw) = self.raw_key() else { return false };
        // One with an escape is longer than what it stands for.
        raw == name.as_bytes()
            || raw.len() > name.len()
                && memchr::memchr(b'\\', raw).is_some()
                && self.key().is_some_and(|key| key == name)
    }

    /// The members of an object or the elements of an array, in their order; nothing for a scalar.
    pub fn children(self) -> impl Iterator<Item = NodeRef<'t>> {
        let node = self.node();
        if node.is_some_and(|node| node.is_closed) {
            self.tree.asked_deeper.set(true);
        }
        let end = node.map_or(0, |node| node.behind);
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let child = NodeRef { tree: self.tree, index: next };
            next = child.node()?.behind;
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

    /// The value that a pointer leads to from here; of members of one name, the first.
    pub fn at(self, pointer: &Pointer) -> Option<NodeRef<'t>> {
        pointer.tokens().try_fold(self, |node, token| match node.kind() {
            ValueKind::Array => node.children().nth(pointer::index(token)?),
            _ => node.get(token),
        })
    }

    /// The string's content, decoded.
    pub fn as_str(self) -> Option<Cow<'t, str>> {
        (self.kind() == ValueKind::String)
            .then(|| string::decode_bytes(self.tree.text, self.span()))
    }

    /// The value as it is written.
    pub fn raw(self) -> &'t str {
        std::str::from_utf8(self.span().slice(self.tree.text)).unwrap_or_default()
    }

    /// The number, where it is a whole one that fits.
    pub fn as_i64(self) -> Option<i64> {
        (self.kind() == ValueKind::Number).then(|| self.raw().parse().ok()).flatten()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pointers_lead_to_values() {
        let text = r#"{"a":[1,{"b":"x"}],"":{"/":2},"0":3,"a":4}"#;
        let tree = Tree::parse(text, 9).unwrap();
        let at = |text: &str| {
            tree.root().at(&Pointer::parse(text).unwrap()).map(|node| node.raw().to_owned())
        };
        for (pointer, expected) in [("/a/1/b", "\"x\""), ("/a/0", "1"), ("//~1", "2"), ("/0", "3")]
        {
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
        let tree = Tree::parse(text, 9).unwrap();
        let root = tree.root();
        assert_eq!(root.raw(), text);
        let keys: Vec<_> = root.children().map(|child| child.key().unwrap().into_owned()).collect();
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
    fn of_two_errors_the_first_is_told() {
        use crate::json::SyntaxErrorKind::{Expected, InvalidUtf8, UnexpectedEnd};
        let error = |bytes: &[u8]| {
            Tree::parse_bytes(bytes, 9).err().map(|error| (error.offset, error.kind))
        };
        assert_eq!(error(b"[nope, \"\xFF\"]"), Some((1, Expected("a value"))));
        assert_eq!(error(b"[1, \"\xFF\", nope]"), Some((5, InvalidUtf8)));
        assert_eq!(error(b"[1, \"\xC3"), Some((5, UnexpectedEnd)));
        assert_eq!(error(b"[1] \xFF"), Some((4, InvalidUtf8)));
        assert_eq!(error(b"[1]"), None);
    }

    #[test]
    fn a_scalar_document_has_no_children() {
        assert_eq!(Tree::parse(" 3 ", 9).unwrap().root().children().count(), 0);
    }

    fn skim(text: &str, levels: usize) -> Option<Tree<'_>> {
        Tree::skim(text.as_bytes(), |around, _| around < levels, Spare::default())
    }

    /// What a node is and where, and the same of all inside it, so many levels deep.
    fn listing(node: NodeRef<'_>, levels: usize) -> Vec<(ValueKind, Span, Option<Span>)> {
        let own = (node.kind(), node.span(), node.key_span());
        let inside =
            (levels > 0).then(|| node.children().flat_map(|child| listing(child, levels - 1)));
        [own].into_iter().chain(inside.into_iter().flatten()).collect()
    }

    proptest! {
        #[test]
        fn the_skimmed_outline_of_json_is_its_outline(
            values in prop::collection::vec(crate::json::tests::value(), 0..4),
            levels in 0usize..4,
        ) {
            let text = format!(" {{\"a\": [{}], \"\\u0062\":{{}}, \"c\" :-1.5}} ", values.join(" , "));
            let strict = Tree::parse(&text, 99).unwrap();
            let skimmed = skim(&text, levels);
            prop_assert!(skimmed.is_some(), "{}", text);
            let skimmed = skimmed.unwrap();
            prop_assert_eq!(listing(skimmed.root(), levels), listing(strict.root(), levels));
            prop_assert!(!skimmed.was_asked_deeper());
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
            assert!(skim(text, 9).is_none(), "{text}");
        }
    }
}
