//! A JSON or YAML document in one arena: every value with its span and its decoded text. Files that refer to their own parts,
//! as API descriptions do, are read as a whole. Bodies are walked, not loaded.

use std::borrow::Cow;

use super::pointer::{self, PathStep, PointerBuilder, Pointers};
use super::value_kind::ValueKind;
use crate::text::Span;

/// The maximum nesting depth of a document. Code that reads documents may rely on it.
pub const MAX_DOCUMENT_DEPTH: usize = 1000;

/// A loaded document. Spans count from the beginning of its text.
///
/// A YAML alias is a separate value that shares the content of its target. So the size of a document is bounded by the size of
/// its text, and a walk through all aliases is bounded by a limit.
#[derive(Debug, Clone)]
pub struct Document<'a> {
    pub(super) text: Cow<'a, str>,
    pub(super) parts: DocumentArena,
}

/// All of a document but its text.
#[derive(Debug, Clone, Default)]
pub(super) struct DocumentArena {
    /// The decoded text of all scalars and keys that differ from their source text.
    pub(super) decoded: String,
    /// In document order.
    pub(super) nodes: Vec<DocumentNode>,
    /// The members or elements of all containers, one container after another.
    pub(super) children: Vec<ValueId>,
    /// In document order.
    pub(super) tags: Vec<(ValueId, Box<str>)>,
    /// Each alias with its target, in document order.
    pub(super) aliases: Vec<(ValueId, ValueId)>,
    pub(super) notes: Vec<Note>,
}

/// The number of a value in its document, in document order. The root is 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct ValueId(u32);

impl ValueId {
    /// The root of a document.
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

/// Something in a document that is allowed but probably a mistake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Note {
    /// Its position.
    pub span: Span,
    /// Its kind.
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
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct CompactSpan {
    pub(super) start: u32,
    pub(super) end: u32,
}

impl CompactSpan {
    fn span(self) -> Span {
        Span {
            start: self.start as usize,
            end: self.end as usize,
        }
    }
}

/// The place where a piece of text is stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum TextStorage {
    /// There is no text.
    #[default]
    Nowhere,
    /// In the source text.
    AsWritten,
    /// In the decoded text.
    Decoded,
}

/// The style in which a scalar is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum WrittenStyle {
    /// As in JSON; also for values that are not scalars.
    #[default]
    Json,
    /// In YAML, without quotes.
    Plain,
    SingleQuoted,
    DoubleQuoted,
    /// In YAML, as a literal block (`|`).
    Literal,
    /// In YAML, as a folded block (`>`).
    Folded,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct DocumentNode {
    pub(super) kind: ValueKind,
    pub(super) span: CompactSpan,
    /// Its key with the quotes.
    pub(super) key: CompactSpan,
    pub(super) name_held: TextStorage,
    pub(super) name: CompactSpan,
    pub(super) content_held: TextStorage,
    pub(super) style: WrittenStyle,
    /// The text of a scalar, or the range of a container in `children`.
    pub(super) content: CompactSpan,
    pub(super) parent: ValueId,
}

impl Document<'_> {
    /// The outermost value.
    pub fn root(&self) -> ValueRef<'_> {
        self.value(ValueId::ROOT)
    }

    /// The value with this number.
    pub fn value(&self, id: ValueId) -> ValueRef<'_> {
        ValueRef { document: self, id }
    }

    /// The value at this index in document order, if there is one; the root is at 0.
    pub fn nth(&self, index: usize) -> Option<ValueRef<'_>> {
        (index < self.parts.nodes.len()).then(|| self.value(ValueId::from_index(index)))
    }

    /// The value that begins at byte `start` of a JSON text.
    pub fn value_at(&self, start: usize) -> Option<ValueRef<'_>> {
        let found = self.nth(
            self.parts
                .nodes
                .partition_point(|node| (node.span.start as usize) < start),
        )?;
        (found.span().start == start).then_some(found)
    }

    /// The number of values; each alias counts as one.
    pub fn value_count(&self) -> usize {
        self.parts.nodes.len()
    }

    /// The whole text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The probable mistakes in it, in document order.
    pub fn notes(&self) -> &[Note] {
        &self.parts.notes
    }

    /// The value at a JSON Pointer (RFC 6901); the empty pointer is the root.
    pub fn at(&self, pointer: &str) -> Option<ValueRef<'_>> {
        if !pointer.is_empty() && !pointer.starts_with('/') {
            return None;
        }
        pointer::tokens(pointer).try_fold(self.root(), |value, token| value.step(&token))
    }

    fn held(&self, held: TextStorage, at: CompactSpan) -> &str {
        let text: &str = match held {
            TextStorage::Nowhere => return "",
            TextStorage::AsWritten => &self.text,
            TextStorage::Decoded => &self.parts.decoded,
        };
        text.get(at.start as usize..at.end as usize)
            .unwrap_or_default()
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

    /// Its document.
    pub fn document(self) -> &'d Document<'d> {
        self.document
    }

    /// Its number in the document.
    pub fn id(self) -> ValueId {
        self.id
    }

    /// Its kind; for an alias, the kind of its target.
    pub fn kind(self) -> ValueKind {
        self.node().map_or(ValueKind::Null, |node| node.kind)
    }

    /// Its span: of a string with the quotes, of a block scalar from the first character of its text to the last, of an alias
    /// that of the alias itself.
    pub fn span(self) -> Span {
        self.node().map_or(Span::default(), |node| node.span.span())
    }

    /// The span of its key with the quotes.
    pub fn key_span(self) -> Option<Span> {
        self.node()
            .filter(|node| node.name_held != TextStorage::Nowhere)
            .map(|node| node.key.span())
    }

    /// Its key, decoded.
    pub fn key(self) -> Option<&'d str> {
        let node = self
            .node()
            .filter(|node| node.name_held != TextStorage::Nowhere)?;
        Some(self.document.held(node.name_held, node.name))
    }

    /// The span to show in reports: that of its key, or else its own.
    pub fn label(self) -> Span {
        self.key_span().unwrap_or_else(|| self.span())
    }

    /// Its YAML tag in full (`tag:yaml.org,2002:binary`), if it has one.
    pub fn tag(self) -> Option<&'d str> {
        let tags = &self.document.parts.tags;
        let index = tags.binary_search_by_key(&self.id, |(id, _)| *id).ok()?;
        tags.get(index).map(|(_, tag)| &**tag)
    }

    /// The target of an alias, or else the value itself.
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

    /// The value that contains it; `None` for the root. Content that an alias or a merge key shares has its parent in the source
    /// text.
    pub fn parent(self) -> Option<Self> {
        let parent = self.node().map_or(ValueId::ROOT, |node| node.parent);
        (self.id != ValueId::ROOT).then_some(Self { id: parent, ..self })
    }

    /// The members of an object or the elements of an array, in order; none for a scalar.
    pub fn children(
        self,
    ) -> impl ExactSizeIterator<Item = Self> + DoubleEndedIterator + Clone + use<'d> {
        let document = self.document;
        self.child_ids()
            .iter()
            .map(move |&id| Self { document, id })
    }

    fn child_ids(self) -> &'d [ValueId] {
        let Some(node) = self.node() else { return &[] };
        if !matches!(node.kind, ValueKind::Object | ValueKind::Array) {
            return &[];
        }
        let range = node.content.start as usize..node.content.end as usize;
        self.document.parts.children.get(range).unwrap_or_default()
    }

    /// The first member with this name, if it is an object.
    pub fn get(self, name: &str) -> Option<Self> {
        if self.kind() != ValueKind::Object {
            return None;
        }
        self.children().find(|child| child.key() == Some(name))
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
        if self.kind() != ValueKind::Array {
            return None;
        }
        let id = *self.child_ids().get(index)?;
        Some(Self { id, ..self })
    }

    /// Follows one unescaped token of a JSON Pointer; an array index has no leading zeros (RFC 6901, section 4).
    pub fn step(self, token: &str) -> Option<Self> {
        if self.kind() != ValueKind::Array {
            return self.get(token);
        }
        self.element(pointer::index(token)?)
    }

    /// Its JSON Pointer (RFC 6901). Content that an alias or a merge key shares has the pointer of its source text.
    pub fn pointer(self) -> String {
        let mut pointer = String::new();
        for step in self.steps() {
            pointer::push(&mut pointer, &step);
        }
        pointer
    }

    /// Its JSON Pointer for reports, truncated at [`MAX_SHOWN_LEN`](crate::text::MAX_SHOWN_LEN). The elements of a list have
    /// different pointers in both forms.
    pub fn pointers(self) -> Pointers {
        let mut steps = self.steps();
        let mut path = PointerBuilder::default();
        let Some(last) = steps.pop() else {
            return Pointers {
                exact: String::new(),
                starred: "".into(),
            };
        };
        for step in &steps {
            path.push(step);
        }
        path.to_exact(&last)
    }

    /// The steps from the root to it.
    fn steps(self) -> Vec<PathStep<'d>> {
        let ways = std::iter::successors(Some(self), |value| value.parent());
        let mut steps: Vec<_> = ways
            .filter_map(|value| match value.key() {
                Some(key) => Some(PathStep::Key(key.into())),
                None => {
                    let ids = value.parent()?.child_ids();
                    // Elements are in document order, as their numbers are.
                    Some(PathStep::Index(
                        ids.binary_search(&value.id).unwrap_or_default(),
                    ))
                }
            })
            .collect();
        steps.reverse();
        steps
    }

    /// The text of a scalar, decoded; that of a number is raw. `None` for an object or array.
    pub fn text(self) -> Option<&'d str> {
        let node = self.node()?;
        let is_scalar = !matches!(node.kind, ValueKind::Object | ValueKind::Array);
        is_scalar.then(|| self.document.held(node.content_held, node.content))
    }

    /// The content of a string, decoded.
    pub fn as_str(self) -> Option<&'d str> {
        (self.kind() == ValueKind::String)
            .then(|| self.text())
            .flatten()
    }

    /// The span of its text if decoding leaves it unchanged: without quotes, escapes and folded lines.
    pub fn text_span(self) -> Option<Span> {
        let node = self
            .node()
            .filter(|node| node.content_held == TextStorage::AsWritten)?;
        self.text().map(|_| node.content.span())
    }

    /// Returns whether it is a scalar of a YAML document, or an alias of one.
    pub fn is_yaml_scalar(self) -> bool {
        self.resolved()
            .node()
            .is_some_and(|node| node.style != WrittenStyle::Json)
    }

    /// The Boolean, if it is one.
    pub fn as_bool(self) -> Option<bool> {
        let text = (self.kind() == ValueKind::Bool)
            .then(|| self.text())
            .flatten()?;
        Some(text.starts_with(['t', 'T']))
    }

    /// The number, if it is a decimal integer that fits.
    pub fn as_i64(self) -> Option<i64> {
        (self.kind() == ValueKind::Number)
            .then(|| self.text()?.parse().ok())
            .flatten()
    }

    /// Its raw text.
    pub fn raw(self) -> &'d str {
        let span = self.span();
        self.document
            .text
            .get(span.start..span.end)
            .unwrap_or_default()
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
        for (pointer, raw) in [
            ("/a~1b/1/~0", "\"x\\n\""),
            ("/a~1b/0", "1"),
            ("//0", "true"),
            ("/n", "-7"),
        ] {
            let value = document.at(pointer).unwrap();
            assert_eq!((value.raw(), value.pointer().as_str()), (raw, pointer));
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
    fn of_equal_keys_the_first_is_read_and_the_others_are_told() {
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
    }

    fn all(value: ValueRef<'_>) -> Vec<ValueRef<'_>> {
        [value]
            .into_iter()
            .chain(value.children().flat_map(all))
            .collect()
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
