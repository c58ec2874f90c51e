//! A JSON or YAML document in one arena, every value with its span and its decoded text: what is read as a whole because
//! it points around in itself, as API descriptions do. Bodies are walked, not loaded.

use std::borrow::Cow;

use super::pointer::{self, PathStep, PointerBuilder, Pointers};
use super::value_kind::ValueKind;
use crate::text::Span;

/// How deep a document may nest. Readers of documents may rely on it.
pub const MAX_DOCUMENT_DEPTH: usize = 1000;

/// A loaded document; spans count from the beginning of its text.
///
/// A YAML alias is a value of its own with the content of what it stands for, which is shared, so that a document is
/// never larger than its text, and walking it is bounded all the same.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) parts: DocumentArena,
}

/// All of a document but its text.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentArena {
    /// The text of all scalars and keys that do not stand in the document as they are meant.
    pub(super) decoded: String,
    /// In document order.
    pub(super) nodes: Vec<DocumentNode>,
    /// The members or elements of each container, one behind the other.
    pub(super) children: Vec<ValueId>,
    /// In document order.
    pub(super) tags: Vec<(ValueId, Box<str>)>,
    /// Each alias with what it stands for, in document order.
    pub(super) aliases: Vec<(ValueId, ValueId)>,
    pub(super) notes: Vec<Note>,
}

/// The number of a value in its document, the root being 0. They ascend in document order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ValueId(u32);

impl ValueId {
    /// A document's root.
    pub const ROOT: Self = Self(0);

    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }

    pub(super) fn from_index(index: usize) -> Self {
        // The builder refuses texts with more bytes than fit, and a value has at least one, or a separator.
        Self(u32::try_from(index).unwrap_or(u32::MAX))
    }
}

/// Something in a document that is allowed, but hardly meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// Where it stands.
    pub span: Span,
    /// What it is.
    pub kind: NoteKind,
}

/// What a [`Note`] is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NoteKind {
    /// A key that the same object has already; the first one is read. Its place is given.
    DuplicateKey(Span),
    /// A further YAML document behind the first, which alone is read.
    FurtherDocument,
}

/// Bytes `start..end`, in half the room of a [`Span`].
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CompactSpan {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl CompactSpan {
    pub(super) fn span(self) -> Span {
        Span { start: self.start as usize, end: self.end as usize }
    }
}

/// Where a piece of text is held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TextStorage {
    /// There is none.
    #[default]
    Nowhere,
    /// In the document's own text.
    AsWritten,
    /// Among what had to be decoded.
    Decoded,
}

/// How a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum WrittenStyle {
    /// As in JSON, or it is no scalar.
    #[default]
    Json,
    /// In YAML, without quotes.
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// In YAML, as a block of lines that are kept.
    Literal,
    /// In YAML, as a block of lines that are folded.
    Folded,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentNode {
    pub(super) kind: ValueKind,
    pub(super) span: CompactSpan,
    /// The key it stands under, quotes included.
    pub(super) key: CompactSpan,
    pub(super) name_held: TextStorage,
    pub(super) name: CompactSpan,
    pub(super) content_held: TextStorage,
    pub(super) style: WrittenStyle,
    /// A scalar's text, or a container's stretch of `children`.
    pub(super) content: CompactSpan,
    pub(super) parent: ValueId,
}

impl Document<'_> {
    /// The document's one value.
    pub fn root(&self) -> ValueRef<'_> {
        self.value(ValueId::ROOT)
    }

    /// The value of this number.
    pub fn value(&self, id: ValueId) -> ValueRef<'_> {
        ValueRef { document: self, id }
    }

    /// The value of this place in document order, the root being at 0.
    pub fn nth(&self, index: usize) -> Option<ValueRef<'_>> {
        (index < self.parts.nodes.len()).then(|| self.value(ValueId::from_index(index)))
    }

    /// How many values it has, aliases counted as one each.
    pub fn len(&self) -> usize {
        self.parts.nodes.len()
    }

    /// Whether it has no value; every document has one.
    pub fn is_empty(&self) -> bool {
        self.parts.nodes.is_empty()
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// What is allowed in it, but hardly meant, in document order.
    pub fn notes(&self) -> &[Note] {
        &self.parts.notes
    }

    /// The value that a JSON Pointer (RFC 6901) leads to; the empty pointer is the root.
    pub fn at(&self, pointer: &str) -> Option<ValueRef<'_>> {
        let mut value = self.root();
        if pointer.is_empty() {
            return Some(value);
        }
        for token in pointer.strip_prefix('/')?.split('/') {
            value = value.step(&pointer::unescape(token))?;
        }
        Some(value)
    }

    pub(super) fn held(&self, held: TextStorage, at: CompactSpan) -> &str {
        let text: &str = match held {
            TextStorage::Nowhere => return "",
            TextStorage::AsWritten => &self.text,
            TextStorage::Decoded => &self.parts.decoded,
        };
        text.get(at.start as usize..at.end as usize).unwrap_or_default()
    }
}

/// A value in a [`Document`].
#[derive(Debug, Clone, Copy)]
pub struct ValueRef<'d> {
    document: &'d Document<'d>,
    id: ValueId,
}

impl<'d> ValueRef<'d> {
    pub(super) fn node(self) -> Option<&'d DocumentNode> {
        self.document.parts.nodes.get(self.id.index())
    }

    /// The document it stands in.
    pub fn document(self) -> &'d Document<'d> {
        self.document
    }

    /// Its number in the document.
    pub fn id(self) -> ValueId {
        self.id
    }

    /// What it is; for an alias, what it stands for is.
    pub fn kind(self) -> ValueKind {
        self.node().map_or(ValueKind::Null, |node| node.kind)
    }

    /// Its bytes: a string's have the quotes, a block scalar's are its lines of text from the first character to the last, an
    /// alias's are the alias.
    pub fn span(self) -> Span {
        self.node().map_or(Span::default(), |node| node.span.span())
    }

    /// The key it stands under, quotes included.
    pub fn key_span(self) -> Option<Span> {
        self.node()
            .filter(|node| node.name_held != TextStorage::Nowhere)
            .map(|node| node.key.span())
    }

    /// The name it stands under, decoded.
    pub fn key(self) -> Option<&'d str> {
        let node = self.node().filter(|node| node.name_held != TextStorage::Nowhere)?;
        Some(self.document.held(node.name_held, node.name))
    }

    /// Where to point people: the key it stands under, or else the value itself.
    pub fn label(self) -> Span {
        self.key_span().unwrap_or_else(|| self.span())
    }

    /// The YAML tag it is written with, in full (`tag:yaml.org,2002:binary`), where there is one.
    pub fn tag(self) -> Option<&'d str> {
        let tags = &self.document.parts.tags;
        let index = tags.binary_search_by_key(&self.id, |(id, _)| *id).ok()?;
        tags.get(index).map(|(_, tag)| &**tag)
    }

    /// What it is an alias for, or itself: the values of the document without aliases, each once.
    #[must_use]
    pub fn resolved(self) -> Self {
        let aliases = &self.document.parts.aliases;
        match aliases.binary_search_by_key(&self.id, |(id, _)| *id) {
            Ok(index) => {
                let target = aliases.get(index).map_or(self.id, |(_, target)| *target);
                Self { id: target, ..self }
            }
            Err(_) => self,
        }
    }

    /// The value that holds it; `None` for the root. What an alias or a merge key shares stands where it is written.
    pub fn parent(self) -> Option<Self> {
        let parent = self.node().map_or(ValueId::ROOT, |node| node.parent);
        (self.id != ValueId::ROOT).then_some(Self { id: parent, ..self })
    }

    /// The members of an object or the elements of an array, in their order; nothing for a scalar.
    pub fn children(
        self,
    ) -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator + Clone + use<'d> {
        let document = self.document;
        self.child_ids().iter().map(move |&id| Self { document, id })
    }

    fn child_ids(self) -> &'d [ValueId] {
        let Some(node) = self.node() else { return &[] };
        if !matches!(node.kind, ValueKind::Object | ValueKind::Array) {
            return &[];
        }
        let range = node.content.start as usize..node.content.end as usize;
        self.document.parts.children.get(range).unwrap_or_default()
    }

    /// The object's first member of this name.
    pub fn get(self, name: &str) -> Option<Self> {
        if self.kind() != ValueKind::Object {
            return None;
        }
        self.children().find(|child| child.key() == Some(name))
    }

    /// The array's element of this zero-based index.
    pub fn element(self, index: usize) -> Option<Self> {
        if self.kind() != ValueKind::Array {
            return None;
        }
        let id = *self.child_ids().get(index)?;
        Some(Self { id, ..self })
    }

    /// One step of a JSON Pointer, unescaped: an array wants its index without leading zeros (RFC 6901, section 4).
    pub fn step(self, token: &str) -> Option<Self> {
        if self.kind() != ValueKind::Array {
            return self.get(token);
        }
        self.element(pointer::index(token)?)
    }

    /// The JSON Pointer that leads to it (RFC 6901). What an alias or a merge key shares has the one where it is written.
    pub fn pointer(self) -> String {
        let mut pointer = String::new();
        for step in self.steps() {
            pointer::push(&mut pointer, &step);
        }
        pointer
    }

    /// The same as reports tell it, cut where it is longer than [`MAX_SHOWN_LEN`](crate::text::MAX_SHOWN_LEN). Elements of a
    /// list are different ones.
    pub fn pointers(self) -> Pointers {
        let mut steps = self.steps();
        let mut path = PointerBuilder::default();
        let Some(last) = steps.pop() else {
            return Pointers { exact: String::new(), starred: "".into() };
        };
        for step in &steps {
            path.push(step);
        }
        path.to_exact(&last)
    }

    /// The way to it from the root.
    fn steps(self) -> Vec<PathStep<'d>> {
        let ways = std::iter::successors(Some(self), |value| value.parent());
        let step = |value: Self| match value.key() {
            Some(key) => Some(PathStep::Key(key.into())),
            None => {
                let ids = value.parent()?.child_ids();
                // Elements stand in document order, as their numbers do.
                Some(PathStep::Index(ids.binary_search(&value.id).unwrap_or_default()))
            }
        };
        let mut steps: Vec<_> = ways.filter_map(step).collect();
        steps.reverse();
        steps
    }

    /// The scalar's text, decoded; a number as it is written. `None` for an object or array.
    pub fn text(self) -> Option<&'d str> {
        let node = self.node()?;
        let is_scalar = !matches!(node.kind, ValueKind::Object | ValueKind::Array);
        is_scalar.then(|| self.document.held(node.content_held, node.content))
    }

    /// The string's content, decoded.
    pub fn as_str(self) -> Option<&'d str> {
        (self.kind() == ValueKind::String).then(|| self.text()).flatten()
    }

    /// Where its text stands in the document as it is meant: without quotes, escapes and folded lines. `None` where there
    /// is no such place.
    pub fn text_span(self) -> Option<Span> {
        let node = self.node().filter(|node| node.content_held == TextStorage::AsWritten)?;
        self.text().map(|_| node.content.span())
    }

    /// Whether it is a scalar of a YAML document, or an alias of one.
    pub fn is_yaml_scalar(self) -> bool {
        self.resolved().node().is_some_and(|node| node.style != WrittenStyle::Json)
    }

    /// Whether it is true or false, where it is one of the two.
    pub fn as_bool(self) -> Option<bool> {
        let text = (self.kind() == ValueKind::Bool).then(|| self.text()).flatten()?;
        Some(text.starts_with(['t', 'T']))
    }

    /// The number, where it is a whole one that fits, written in tens.
    pub fn as_i64(self) -> Option<i64> {
        (self.kind() == ValueKind::Number).then(|| self.text()?.parse().ok()).flatten()
    }

    /// The value as it is written.
    pub fn raw(self) -> &'d str {
        let span = self.span();
        self.document.text.get(span.start..span.end).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::load::DocumentFormat;
    use super::*;

    fn json(text: &str) -> Document<'_> {
        Document::parse(text, DocumentFormat::Json).unwrap()
    }

    #[test]
    fn pointers_lead_to_values_and_back() {
        let document = json(r#"{"a/b": [1, {"~": "x\n"}], "": {"0": true}, "n": -7}"#);
        for (pointer, raw) in
            [("/a~1b/1/~0", "\"x\\n\""), ("/a~1b/0", "1"), ("//0", "true"), ("/n", "-7")]
        {
            let value = document.at(pointer).unwrap();
            assert_eq!((value.raw(), value.pointer().as_str()), (raw, pointer));
        }
        for pointer in ["a", "/a~1b/01", "/a~1b/2", "/a~1b/-1", "/n/0", "/a~1b/", "/x"] {
            assert!(document.at(pointer).is_none(), "{pointer}");
        }
        assert_eq!(document.at("/a~1b/1/~0").unwrap().as_str(), Some("x\n"));
        assert_eq!(document.at("/n").unwrap().as_i64(), Some(-7));
        assert_eq!(document.at("//0").unwrap().as_bool(), Some(true));
        assert!(document.root().parent().is_none() && document.root().key().is_none());
    }

    #[test]
    fn of_equal_keys_the_first_is_read_and_the_others_are_told() {
        let document = json(r#"{"a": 1, "\u0061": 2}"#);
        assert_eq!(document.at("/a").unwrap().raw(), "1");
        let kind = NoteKind::DuplicateKey(Span::new(1, 4));
        assert_eq!(document.notes(), [Note { span: Span::new(9, 17), kind }]);
    }

    fn all(value: ValueRef<'_>) -> Vec<ValueRef<'_>> {
        [value].into_iter().chain(value.children().flat_map(all)).collect()
    }

    proptest! {
        #[test]
        fn it_is_the_tree_of_the_walker(text in crate::json::tests::value()) {
            let document = json(&text);
            let tree = crate::json::Outline::parse(&text, 99).unwrap();
            for (index, value) in all(document.root()).into_iter().enumerate() {
                let node = tree.node(index).unwrap();
                prop_assert_eq!(value.id().index(), index);
                prop_assert_eq!((value.kind(), value.span()), (node.kind(), node.span()));
                prop_assert_eq!(value.key_span(), node.key_span());
                prop_assert_eq!(value.key().map(str::to_owned), node.key().map(Cow::into_owned));
                prop_assert_eq!(value.as_str().map(str::to_owned), node.as_str().map(Cow::into_owned));
                if document.notes().is_empty() {
                    let found = document.at(&value.pointer()).map(ValueRef::id);
                    prop_assert_eq!(found, Some(value.id()));
                }
            }
        }
    }
}
