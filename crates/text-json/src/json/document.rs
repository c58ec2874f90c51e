//! A JSON or YAML text as a tree: the kinds, spans and keys of its values in one arena, in document order.
//!
//! Scalars and keys are decoded when they are read. The content of arrays and objects may be left out, so that the records of
//! a large log cost little. Bodies are walked, and become a tree only where one question needs several places of them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use elsa::sync::FrozenMap;

use super::error::valid_prefix;
use super::pointer::{self, PathStep, Pointer, PointerBuilder, Pointers};
use super::string;
use super::value_kind::ValueKind;
use crate::text::Span;

/// The maximum nesting depth of a document. Code that reads documents may rely on it.
pub const MAX_DOCUMENT_DEPTH: usize = 1000;

/// Up to this number of members, comparing all pairs is faster than a hash table.
const FEW_MEMBERS: usize = 8;

/// A loaded document. Spans count from the beginning of its text.
///
/// A YAML alias is a node of its own that shares the content of its target. So the size of a document is bounded by the size
/// of its text, and a walk through all aliases is bounded by a limit.
#[derive(Debug)]
pub struct Document<'a> {
    text: Cow<'a, [u8]>,
    pub(super) arena: Arena,
    /// Whether a caller asked for content that is left out.
    needs_whole_tree: AtomicBool,
}

/// All of a document but its text.
#[derive(Debug, Default)]
pub(super) struct Arena {
    /// In document order.
    pub nodes: Vec<NodeData>,
    /// The keys and scalars that decoding changes, by the offset of their source text. Those of YAML are known from the
    /// beginning, and those of JSON when they have been read once.
    pub decoded: FrozenMap<u32, String>,
    /// What only YAML has.
    pub yaml: Option<Box<YamlParts>>,
}

/// The parts of a document that JSON does not have.
#[derive(Debug, Default)]
pub(super) struct YamlParts {
    /// In document order.
    pub tags: Vec<(NodeIndex, Box<str>)>,
    /// Each alias with its target, in document order.
    pub aliases: Vec<(NodeIndex, NodeIndex)>,
    /// The members of each mapping that has those of others, too, in document order of the mappings.
    pub merged: Vec<(NodeIndex, Box<[NodeIndex]>)>,
    /// The beginning of a second document.
    pub further: Option<Span>,
}

/// The number of a node in its document, in document order. The root is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct NodeIndex(u32);

impl NodeIndex {
    /// The root of a document.
    pub const ROOT: Self = Self(0);

    /// The number as an index.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn from_index(index: usize) -> Self {
        // Texts with more bytes than fit are refused, and a value has at least one, or a separator.
        Self(narrow(index))
    }
}

/// Returns an offset in half the memory. Texts with larger ones are refused.
pub(super) fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

/// Something in a document that is allowed but probably a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// Its position.
    pub span: Span,
    pub kind: NoteKind,
}

/// The kind of a [`Note`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// A key that the same object already has at this span. The first member counts.
    DuplicateKey(Span),
    /// Another YAML document after the first. Only the first is read.
    FurtherDocument,
}

/// A [`Span`] in half the memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct CompactSpan {
    start: u32,
    end: u32,
}

impl CompactSpan {
    /// No span at all.
    const NONE: Self = Self {
        start: u32::MAX,
        end: 0,
    };

    #[inline]
    fn of(span: Span) -> Self {
        Self {
            start: narrow(span.start),
            end: narrow(span.end),
        }
    }

    #[inline]
    fn span(self) -> Span {
        Span {
            start: self.start as usize,
            end: self.end as usize,
        }
    }

    fn some(self) -> Option<Span> {
        (self != Self::NONE).then(|| self.span())
    }
}

/// The style in which a value is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum WrittenStyle {
    /// As in JSON; also an array or object.
    Json,
    /// In YAML, without quotes.
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// In YAML, as a literal block (`|`).
    Literal,
    /// In YAML, as a folded block (`>`).
    Folded,
    /// In YAML, as an alias of another value.
    Alias,
}

/// A value in the arena.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NodeData {
    pub kind: ValueKind,
    pub style: WrittenStyle,
    /// Whether it is an array or object whose content is left out.
    pub is_left_out: bool,
    /// Whether decoding changes its text, or its key, in YAML. In JSON, a backslash shows it.
    pub has_decoded_text: bool,
    pub has_decoded_key: bool,
    span: CompactSpan,
    /// Its key with the quotes.
    key: CompactSpan,
    /// The index after its last descendant, which is that of its next sibling if there is one.
    pub next: u32,
    parent: NodeIndex,
    /// Its number among its siblings.
    place: u32,
    /// The number of its members or elements.
    pub count: u32,
}

impl NodeData {
    #[inline]
    fn span(&self) -> Span {
        self.span.span()
    }

    /// The style of its text: only strings have quotes in JSON.
    fn text_style(&self) -> WrittenStyle {
        match self.style {
            WrittenStyle::Json if self.kind != ValueKind::String => WrittenStyle::Plain,
            style => style,
        }
    }

    /// The span of its text as it is written, without quotes.
    fn text_span(&self) -> Span {
        unquoted(self.span(), self.text_style())
    }

    #[inline]
    fn key_span(&self) -> Option<Span> {
        self.key.some()
    }
}

/// Builds a document from its values in the order of the text.
#[derive(Debug)]
pub(super) struct DocumentBuilder<'a> {
    pub document: Document<'a>,
    open: Vec<NodeIndex>,
    /// The end of the last value.
    end: u32,
}

impl<'a> DocumentBuilder<'a> {
    pub(super) fn new(text: &'a [u8]) -> Self {
        Self {
            document: Document::new(text.into(), Arena::default()),
            open: Vec::with_capacity(8),
            end: 0,
        }
    }

    /// The number of containers around the next value.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// The number of the next value.
    pub(super) fn next(&self) -> NodeIndex {
        NodeIndex::from_index(self.document.arena.nodes.len())
    }

    /// The innermost open container.
    pub(super) fn innermost(&self) -> Option<Node<'_>> {
        self.open.last().map(|&index| self.document.node(index))
    }

    #[inline]
    pub(super) fn data(&mut self, index: NodeIndex) -> Option<&mut NodeData> {
        self.document.arena.nodes.get_mut(index.index())
    }

    /// Adds a value to the innermost open container.
    #[inline]
    pub(super) fn push(
        &mut self,
        kind: ValueKind,
        style: WrittenStyle,
        span: Span,
        key: Option<Span>,
    ) -> NodeIndex {
        let nodes = &mut self.document.arena.nodes;
        let index = NodeIndex::from_index(nodes.len());
        self.end = narrow(span.end);
        let parent = self.open.last().copied();
        let place = parent.and_then(|parent| nodes.get_mut(parent.index()));
        let place = place.map_or(0, |parent| {
            parent.count += 1;
            parent.count - 1
        });
        // Doubling the list of a large document would take as much again as it needs.
        if nodes.len() == nodes.capacity() && nodes.len() > 1 << 16 {
            nodes.reserve_exact(nodes.len() / 4);
        }
        nodes.push(NodeData {
            kind,
            style,
            is_left_out: false,
            has_decoded_text: false,
            has_decoded_key: false,
            span: CompactSpan::of(span),
            key: key.map_or(CompactSpan::NONE, CompactSpan::of),
            next: index.0.saturating_add(1),
            parent: parent.unwrap_or_default(),
            place,
            count: 0,
        });
        index
    }

    /// Makes a container the innermost open one.
    pub(super) fn open(&mut self, container: NodeIndex) {
        self.open.push(container);
    }

    /// Ends the innermost open container at byte `end`, or after its last member if the end is unknown.
    pub(super) fn close(&mut self, end: Option<usize>) {
        let nodes = &mut self.document.arena.nodes;
        let end = end.map_or(self.end, narrow);
        let next = narrow(nodes.len());
        if let Some(container) = self.open.pop()
            && let Some(node) = nodes.get_mut(container.index())
        {
            node.span.end = end;
            node.next = next;
            self.end = end;
        }
    }
}

impl<'a> Document<'a> {
    pub(super) fn new(text: Cow<'a, [u8]>, arena: Arena) -> Self {
        Self {
            text,
            arena,
            needs_whole_tree: AtomicBool::new(false),
        }
    }

    /// Copies the text, so that the document owns it.
    pub fn into_owned(self) -> Document<'static> {
        Document::new(Cow::Owned(self.text.into_owned()), self.arena)
    }
}

impl Document<'_> {
    /// The outermost value.
    pub fn root(&self) -> Node<'_> {
        self.node(NodeIndex::ROOT)
    }

    /// The value with this number.
    pub fn node(&self, index: NodeIndex) -> Node<'_> {
        Node {
            document: self,
            index,
        }
    }

    /// All values in document order; each alias is one.
    pub fn all(&self) -> impl ExactSizeIterator<Item = Node<'_>> {
        (0..self.arena.nodes.len()).map(|index| self.node(NodeIndex::from_index(index)))
    }

    /// The value that begins at byte `start` of a JSON text.
    pub fn value_at(&self, start: usize) -> Option<Node<'_>> {
        let index = self
            .arena
            .nodes
            .partition_point(|node| (node.span.start as usize) < start);
        let found = self.arena.nodes.get(index)?;
        (found.span.start as usize == start).then(|| self.node(NodeIndex::from_index(index)))
    }

    /// Whether it is YAML that is not JSON.
    pub fn is_yaml(&self) -> bool {
        self.arena.yaml.is_some()
    }

    /// The whole text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// The text at a span; empty if that is not part of it.
    pub fn text_at(&self, span: Span) -> &str {
        simdutf8::basic::from_utf8(span.slice(&self.text)).unwrap_or_default()
    }

    /// The probable mistakes in it, in the order of the text.
    pub fn notes(&self) -> Vec<Note> {
        let mut notes: Vec<_> = self.all().flat_map(duplicates).collect();
        notes.extend(self.arena.yaml.iter().filter_map(|yaml| {
            Some(Note {
                span: yaml.further?,
                kind: NoteKind::FurtherDocument,
            })
        }));
        notes.sort_by_key(|note| note.span);
        notes
    }

    /// The value at a JSON Pointer (RFC 6901); the empty pointer is the root.
    pub fn at(&self, pointer: &str) -> Option<Node<'_>> {
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return None;
        }
        pointer::tokens(pointer).try_fold(self.root(), |value, token| value.step(&token))
    }

    /// The raw text of the arrays and objects whose content is left out.
    pub fn left_out(&self) -> impl Iterator<Item = &[u8]> {
        self.arena
            .nodes
            .iter()
            .filter(|node| node.is_left_out)
            .map(|node| node.span().slice(&self.text))
    }

    /// Whether a caller asked for content that the tree leaves out, so that what it was given may be wrong.
    pub fn needs_whole_tree(&self) -> bool {
        self.needs_whole_tree.load(Ordering::Relaxed)
    }

    /// The text at a span that has quotes if `is_quoted`, decoded as `is_decoded` or its escapes say.
    fn read(&self, span: Span, style: WrittenStyle, is_decoded: bool) -> &str {
        let start = narrow(span.start);
        if is_decoded {
            return self.arena.decoded.get(&start).unwrap_or_default();
        }
        let (text, _) = valid_prefix(unquoted(span, style).slice(&self.text));
        let has_escapes =
            style == WrittenStyle::Json && memchr::memchr(b'\\', text.as_bytes()).is_some();
        if !has_escapes {
            return text;
        }
        match self.arena.decoded.get(&start) {
            Some(text) => text,
            None => self
                .arena
                .decoded
                .insert(start, string::unescape(text).into_owned()),
        }
    }
}

/// Returns the span without the quotes that a style has.
pub(super) fn unquoted(span: Span, style: WrittenStyle) -> Span {
    let has_quotes = matches!(
        style,
        WrittenStyle::Json | WrittenStyle::SingleQuoted | WrittenStyle::DoubleQuoted
    );
    let margin = usize::from(has_quotes && span.len() > 1);
    Span::new(span.start + margin, span.end - margin)
}

/// Finds the members of an object whose name an earlier one has.
fn duplicates(object: Node<'_>) -> Vec<Note> {
    let is_alias = object
        .data()
        .is_none_or(|node| node.style == WrittenStyle::Alias);
    if is_alias || object.kind() != ValueKind::Object || object.children().len() < 2 {
        return Vec::new();
    }
    let note = |member: Node<'_>, first: Node<'_>| Note {
        span: member.label(),
        kind: NoteKind::DuplicateKey(first.label()),
    };
    let mut notes = Vec::new();
    if object.children().len() <= FEW_MEMBERS {
        for (number, member) in object.children().enumerate() {
            let mut before = object.children().take(number);
            if let Some(first) = before.find(|before| before.key() == member.key()) {
                notes.push(note(member, first));
            }
        }
        return notes;
    }
    let mut seen = HashMap::with_capacity(object.children().len());
    for member in object.children() {
        match seen.get(&member.key()) {
            Some(&first) => notes.push(note(member, first)),
            None => drop(seen.insert(member.key(), member)),
        }
    }
    notes
}

/// A value in a [`Document`].
#[derive(Debug, Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document<'d>,
    index: NodeIndex,
}

impl<'d> Node<'d> {
    pub(super) fn data(self) -> Option<&'d NodeData> {
        self.document.arena.nodes.get(self.index.index())
    }

    pub fn document(self) -> &'d Document<'d> {
        self.document
    }

    /// Its number in the document.
    pub fn index(self) -> NodeIndex {
        self.index
    }

    /// Its kind; for an alias, the kind of its target.
    #[inline]
    pub fn kind(self) -> ValueKind {
        self.data().map_or(ValueKind::Null, |node| node.kind)
    }

    /// Its span: of a string with the quotes, of a block scalar from the first character of its text to the last, of an alias
    /// that of the alias itself.
    #[inline]
    pub fn span(self) -> Span {
        self.data().map_or(Span::default(), NodeData::span)
    }

    /// The span of its key with the quotes.
    #[inline]
    pub fn key_span(self) -> Option<Span> {
        self.data().and_then(NodeData::key_span)
    }

    /// Its key, decoded.
    pub fn key(self) -> Option<&'d str> {
        let node = self.data()?;
        let span = node.key_span()?;
        let style = match self.document.text.get(span.start) {
            Some(b'"') if !self.document.is_yaml() => WrittenStyle::Json,
            Some(b'"' | b'\'') => WrittenStyle::DoubleQuoted,
            _ => WrittenStyle::Plain,
        };
        Some(self.document.read(span, style, node.has_decoded_key))
    }

    /// Its raw key without the quotes; `None` in YAML, where a key may have none.
    #[inline]
    pub fn raw_key(self) -> Option<&'d [u8]> {
        let key = self.key_span().filter(|_| !self.document.is_yaml())?;
        Some(Span::new(key.start + 1, key.end - 1).slice(&self.document.text))
    }

    /// The bytes of its key, decoded. In a text that was not validated, they may be no UTF-8.
    pub fn key_bytes(self) -> Option<&'d [u8]> {
        let raw = self.raw_key().filter(|raw| !raw.contains(&b'\\'));
        raw.or_else(|| self.key().map(str::as_bytes))
    }

    /// Whether its key, decoded, is `name`.
    #[inline]
    pub fn is_called(self, name: &str) -> bool {
        if self.document.is_yaml() {
            return self.key() == Some(name);
        }
        let Some(raw) = self.raw_key() else {
            return false;
        };
        // A key with escapes is the same up to the first one.
        let mut both = raw.iter().zip(name.as_bytes());
        let escape = both.find(|(own, wanted)| own != wanted || **own == b'\\');
        raw == name.as_bytes()
            || escape.is_some_and(|(own, _)| *own == b'\\') && self.key() == Some(name)
    }

    /// The span to show in reports: that of its key, or else its own.
    pub fn label(self) -> Span {
        self.key_span().unwrap_or_else(|| self.span())
    }

    /// Its YAML tag in full (`tag:yaml.org,2002:binary`), if it has one.
    pub fn tag(self) -> Option<&'d str> {
        let tags = &self.document.arena.yaml.as_deref()?.tags;
        let found = tags.binary_search_by_key(&self.index, |(index, _)| *index);
        tags.get(found.ok()?).map(|(_, tag)| &**tag)
    }

    /// The target of an alias, or else the value itself.
    #[must_use]
    #[inline]
    pub fn resolved(self) -> Self {
        let target = || {
            self.data()
                .filter(|node| node.style == WrittenStyle::Alias)?;
            let aliases = &self.document.arena.yaml.as_deref()?.aliases;
            let found = aliases.binary_search_by_key(&self.index, |(index, _)| *index);
            aliases.get(found.ok()?).map(|(_, target)| *target)
        };
        target().map_or(self, |index| Self { index, ..self })
    }

    /// The value that contains it; `None` for the root. Content that an alias or a merge key shares has its parent in the source
    /// text.
    pub fn parent(self) -> Option<Self> {
        let index = self.data()?.parent;
        (self.index != NodeIndex::ROOT).then_some(Self { index, ..self })
    }

    /// Whether it is an array or object whose content is left out.
    #[inline]
    pub fn is_left_out(self) -> bool {
        self.data().is_some_and(|node| node.is_left_out)
    }

    /// Whether it is an array or object whose content is in the document.
    #[inline]
    pub fn is_open(self) -> bool {
        matches!(self.kind(), ValueKind::Object | ValueKind::Array) && !self.is_left_out()
    }

    /// The members of an object or the elements of an array, in order; none for a scalar.
    #[inline]
    pub fn children(self) -> Children<'d> {
        let container = self.resolved();
        let (document, index) = (container.document, container.index);
        let none = Children {
            document,
            left: 0,
            next: 0,
            merged: None,
        };
        let Some(data) = container.data() else {
            return none;
        };
        if data.is_left_out {
            document.needs_whole_tree.store(true, Ordering::Relaxed);
            return none;
        }
        if let Some(yaml) = &document.arena.yaml
            && let Ok(found) = yaml
                .merged
                .binary_search_by_key(&index, |(mapping, _)| *mapping)
        {
            let merged = yaml.merged.get(found).map(|(_, members)| &**members);
            return Children {
                left: merged.map_or(0, <[_]>::len),
                merged,
                ..none
            };
        }
        Children {
            left: data.count as usize,
            next: index.0 + 1,
            ..none
        }
    }

    /// The first member with this name, if it is an object.
    #[inline]
    pub fn get(self, name: &str) -> Option<Self> {
        if self.kind() != ValueKind::Object {
            return None;
        }
        self.children().find(|child| child.is_called(name))
    }

    /// The text of the first member with this name, if that is a scalar.
    pub fn text_of(self, name: &str) -> Option<&'d str> {
        self.get(name)?.text()
    }

    /// The children of the first member with this name; none if there is no such member.
    pub fn children_of(self, name: &str) -> impl Iterator<Item = Self> + Clone + use<'d> {
        self.get(name).into_iter().flat_map(Self::children)
    }

    /// The element at this zero-based index, if it is an array.
    pub fn element(self, index: usize) -> Option<Self> {
        (self.kind() == ValueKind::Array).then(|| self.children().nth(index))?
    }

    /// Follows one unescaped token of a JSON Pointer; an array index has no leading zeros (RFC 6901, section 4).
    pub fn step(self, token: &str) -> Option<Self> {
        if self.kind() != ValueKind::Array {
            return self.get(token);
        }
        self.element(pointer::index(token)?)
    }

    /// The value at a pointer from here; of members with the same name, the first.
    pub fn at(self, pointer: &Pointer) -> Option<Self> {
        pointer.tokens().try_fold(self, Self::step)
    }

    /// Its JSON Pointer (RFC 6901). Content that an alias or a merge key shares has the pointer of its source text.
    pub fn pointer(self) -> String {
        let mut pointer = String::new();
        for step in self.steps() {
            pointer::push(&mut pointer, &step);
        }
        pointer
    }

    /// Its JSON Pointer for reports, truncated. The elements of a list have different pointers in both forms.
    pub fn pointers(self) -> Pointers {
        let mut steps = self.steps();
        let mut path = PointerBuilder::default();
        let Some(last) = steps.pop() else {
            return Pointers::default();
        };
        for step in &steps {
            path.push(step);
        }
        path.to_exact(&last)
    }

    /// The steps from the root to it.
    pub fn steps(self) -> Vec<PathStep<'d>> {
        let ways = std::iter::successors(Some(self), |value| value.parent());
        let mut steps: Vec<_> = ways
            .filter_map(|value| match value.key() {
                Some(key) => Some(PathStep::Key(key.into())),
                None => {
                    value.parent()?;
                    Some(PathStep::Index(value.data()?.place as usize))
                }
            })
            .collect();
        steps.reverse();
        steps
    }

    /// The text of a scalar, decoded; that of a number is raw. `None` for an object or array.
    pub fn text(self) -> Option<&'d str> {
        if matches!(self.kind(), ValueKind::Object | ValueKind::Array) {
            return None;
        }
        let scalar = self.resolved();
        let node = scalar.data()?;
        let style = node.text_style();
        Some(
            self.document
                .read(node.span(), style, node.has_decoded_text),
        )
    }

    /// Whether it is a scalar without text. It is not decoded.
    pub fn is_empty_text(self) -> bool {
        let scalar = self.resolved();
        match scalar.data() {
            Some(node) if node.has_decoded_text => scalar.text() == Some(""),
            Some(node) => node.text_span().is_empty(),
            None => false,
        }
    }

    /// The content of a string, decoded.
    pub fn as_str(self) -> Option<&'d str> {
        self.text_if(ValueKind::String)
    }

    /// The text of a scalar of this kind.
    fn text_if(self, kind: ValueKind) -> Option<&'d str> {
        (self.kind() == kind).then(|| self.text())?
    }

    /// The span of its text if decoding leaves it unchanged: without quotes, escapes and folded lines.
    pub fn text_span(self) -> Option<Span> {
        let text = self.text()?;
        let inside = self.resolved().data()?.text_span();
        (inside.slice(&self.document.text) == text.as_bytes()).then_some(inside)
    }

    /// Whether it is a scalar of a YAML document, or an alias of one.
    pub fn is_yaml_scalar(self) -> bool {
        self.resolved()
            .data()
            .is_some_and(|node| node.style != WrittenStyle::Json)
    }

    /// The Boolean, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        let text = self.text_if(ValueKind::Bool)?;
        Some(text.starts_with(['t', 'T']))
    }

    /// The number, if it is a decimal integer that fits.
    pub fn as_i64(self) -> Option<i64> {
        self.text_if(ValueKind::Number)?.parse().ok()
    }

    #[inline]
    pub fn raw_bytes(self) -> &'d [u8] {
        self.span().slice(&self.document.text)
    }

    /// Its raw text.
    pub fn raw(self) -> &'d str {
        self.document.text_at(self.span())
    }
}

/// The members of an object or the elements of an array.
#[derive(Debug, Clone)]
pub struct Children<'d> {
    document: &'d Document<'d>,
    left: usize,
    /// The index of the next one, unless they are listed.
    next: u32,
    /// The members that are left, of a mapping that has those of others, too.
    merged: Option<&'d [NodeIndex]>,
}

impl<'d> Iterator for Children<'d> {
    type Item = Node<'d>;

    #[inline]
    fn next(&mut self) -> Option<Node<'d>> {
        self.left = self.left.checked_sub(1)?;
        let index = match &mut self.merged {
            Some(merged) => {
                let (&first, rest) = merged.split_first()?;
                *merged = rest;
                first
            }
            None => {
                let index = NodeIndex(self.next);
                self.next = self.document.arena.nodes.get(index.index())?.next;
                index
            }
        };
        Some(self.document.node(index))
    }

    fn size_hint(&self) -> (usize, Option<usize>) {
        (self.left, Some(self.left))
    }
}

impl ExactSizeIterator for Children<'_> {}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::load::DocumentFormat;
    use super::super::walker::{Token, Walker};
    use super::*;

    fn json(text: &str) -> Document<'_> {
        Document::parse(text, DocumentFormat::Json).unwrap()
    }

    #[test]
    fn pointers_lead_to_values_and_back() {
        let document = json(r#"{"a/b": [1, {"~": "x\n"}], "": {"0": true}, "n": -7}"#);
        for (pointer, raw) in [
            ("/a~1b/1/~0", "\"x\\n\""),
            ("/a~1b/0", "1"),
            ("//0", "true"),
            ("/n", "-7"),
        ] {
            let value = document.at(pointer).unwrap();
            assert_eq!((value.raw(), value.pointer().as_str()), (raw, pointer));
            let pointer = Pointer::parse(pointer).unwrap();
            assert_eq!(document.root().at(&pointer).unwrap().raw(), raw);
        }
        for pointer in [
            "a", "/a~1b/01", "/a~1b/2", "/a~1b/-1", "/n/0", "/a~1b/", "/x",
        ] {
            assert!(document.at(pointer).is_none(), "{pointer}");
        }
        assert_eq!(document.at("/a~1b/1/~0").unwrap().as_str(), Some("x\n"));
        assert_eq!(document.at("/n").unwrap().as_i64(), Some(-7));
        assert_eq!(document.at("//0").unwrap().as_bool(), Some(true));
        assert!(document.root().parent().is_none() && document.root().key().is_none());
    }

    #[test]
    fn of_equal_keys_the_first_is_read_and_the_others_are_noted() {
        let document = json(r#"{"a": 1, "\u0061": 2}"#);
        assert_eq!(document.at("/a").unwrap().raw(), "1");
        let kind = NoteKind::DuplicateKey(Span::new(1, 4));
        assert_eq!(
            document.notes(),
            [Note {
                span: Span::new(9, 17),
                kind
            }]
        );
        let members: Vec<_> = (0..20).map(|at| format!("\"{}\": {at}", at % 12)).collect();
        let many = format!("{{{}}}", members.join(","));
        assert_eq!(json(&many).notes().len(), 8);
    }

    /// The kind, span and key of each value, in the order in which the walker meets them.
    fn walked(text: &str) -> Vec<(ValueKind, Span, Option<Span>)> {
        let mut walker = Walker::new(text);
        let (mut values, mut open, mut key) = (Vec::new(), Vec::new(), None);
        while let Some(event) = walker.next_event().unwrap() {
            let kind = match event.token {
                Token::Key => {
                    key = Some(event.span);
                    continue;
                }
                Token::ObjectEnd | Token::ArrayEnd => {
                    let (_, span, _): &mut (ValueKind, Span, _) =
                        values.get_mut(open.pop().unwrap()).unwrap();
                    span.end = event.span.end;
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
                open.push(values.len());
            }
            values.push((kind, event.span, key.take()));
        }
        values
    }

    proptest! {
        #[test]
        fn it_is_the_tree_of_the_walker(text in crate::json::tests::value()) {
            let document = json(&text);
            let walked = walked(&text);
            prop_assert_eq!(document.all().len(), walked.len());
            let expected: serde_json::Value = serde_json::from_str(&text).unwrap();
            for (node, (kind, span, key)) in document.all().zip(walked) {
                prop_assert_eq!((node.kind(), node.span(), node.key_span()), (kind, span, key));
                let decoded = |span: Span| serde_json::from_str::<String>(&text[span.start..span.end]).ok();
                prop_assert_eq!(node.key().map(str::to_owned), key.and_then(decoded));
                prop_assert_eq!(node.as_str().map(str::to_owned), Some(span).and_then(decoded));
                prop_assert_eq!(node.children().count(), node.children().len());
                prop_assert!(node.children().all(|child| child.parent().map(Node::index) == Some(node.index())));
                if document.notes().is_empty() {
                    let found = document.at(&node.pointer()).map(Node::index);
                    prop_assert_eq!(found, Some(node.index()));
                    let pointed = expected.pointer(&node.pointer()).unwrap();
                    prop_assert_eq!(&serde_json::from_str::<serde_json::Value>(node.raw()).unwrap(), pointed);
                }
            }
        }
    }
}
