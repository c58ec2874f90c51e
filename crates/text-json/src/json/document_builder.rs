//! Builds a [`Document`] from events in the order of the text, for every format.

use std::borrow::Cow;
use std::collections::HashMap;

use super::document::{
    CompactSpan, Document, DocumentArena, DocumentNode, Note, NoteKind, TextStorage, ValueId,
    WrittenStyle,
};
use super::value_kind::ValueKind;
use crate::text::Span;

/// Up to this number of members, comparing all pairs is faster than a hash table.
const FEW: usize = 8;

/// A piece of text: its span if decoding leaves it unchanged, or else the decoded text.
#[derive(Debug, Clone)]
pub(super) enum ScalarText<'p> {
    At(Span),
    Decoded(Cow<'p, str>),
}

/// Builds a document.
#[derive(Debug)]
pub(super) struct DocumentBuilder<'a> {
    document: Document<'a>,
    open: Vec<UnfinishedContainer>,
    /// Children of open containers.
    pending: Vec<ValueId>,
    key: Option<(CompactSpan, TextStorage, CompactSpan)>,
}

#[derive(Debug)]
struct UnfinishedContainer {
    node: ValueId,
    /// The index of its first child in `pending`.
    first: usize,
}

impl<'a> DocumentBuilder<'a> {
    /// Creates a builder with room for the values of this text.
    pub(super) fn new(text: &'a str) -> Self {
        Self::with_capacity(text, text.len() / 24)
    }

    /// Creates a builder with room for this number of values.
    pub(super) fn with_capacity(text: &'a str, values: usize) -> Self {
        let parts = DocumentArena {
            nodes: Vec::with_capacity(values),
            ..DocumentArena::default()
        };
        let document = Document {
            text: Cow::Borrowed(text),
            parts,
        };
        Self {
            document,
            open: Vec::new(),
            pending: Vec::new(),
            key: None,
        }
    }

    pub(super) fn document(&self) -> &Document<'a> {
        &self.document
    }

    /// Sets the tag of a value. Call it in document order.
    pub(super) fn tag(&mut self, value: ValueId, tag: String) {
        self.document.parts.tags.push((value, tag.into()));
    }

    pub(super) fn note(&mut self, note: Note) {
        self.document.parts.notes.push(note);
    }

    fn hold(&mut self, piece: ScalarText<'_>) -> (TextStorage, CompactSpan) {
        match piece {
            ScalarText::At(span) => (TextStorage::AsWritten, extent(span)),
            ScalarText::Decoded(text) => {
                let start = self.document.parts.decoded.len();
                self.document.parts.decoded.push_str(&text);
                (
                    TextStorage::Decoded,
                    extent(Span::new(start, self.document.parts.decoded.len())),
                )
            }
        }
    }

    /// Sets the key of the next value.
    pub(super) fn key(&mut self, span: Span, name: ScalarText<'_>) {
        let (held, name) = self.hold(name);
        self.key = Some((extent(span), held, name));
    }

    pub(super) fn scalar(&mut self, kind: ValueKind, span: Span, text: ScalarText<'_>) -> ValueId {
        let (held, content) = self.hold(text);
        self.push(kind, span, held, content)
    }

    /// Sets the style of a scalar that is not written as in JSON.
    pub(super) fn style(&mut self, value: ValueId, style: WrittenStyle) {
        if let Some(node) = self.document.parts.nodes.get_mut(value.index()) {
            node.style = style;
        }
    }

    /// Adds a value that shares the content of an earlier one.
    pub(super) fn alias(&mut self, target: ValueId, span: Span) -> ValueId {
        let shared = self.document.parts.nodes.get(target.index()).copied();
        let id = match shared {
            Some(node) => self.push(node.kind, span, node.content_held, node.content),
            None => self.push(
                ValueKind::Null,
                span,
                TextStorage::Nowhere,
                CompactSpan::default(),
            ),
        };
        self.document.parts.aliases.push((id, target));
        id
    }

    fn push(
        &mut self,
        kind: ValueKind,
        span: Span,
        content_held: TextStorage,
        content: CompactSpan,
    ) -> ValueId {
        let id = ValueId::from_index(self.document.parts.nodes.len());
        let (key, name_held, name) = self.key.take().unwrap_or_default();
        let parent = self.open.last().map_or(ValueId::ROOT, |open| open.node);
        let span = extent(span);
        self.document.parts.nodes.push(DocumentNode {
            kind,
            span,
            key,
            name_held,
            name,
            content_held,
            style: WrittenStyle::Json,
            content,
            parent,
        });
        self.pending.push(id);
        id
    }

    /// Begins an object or array.
    pub(super) fn open(&mut self, kind: ValueKind, span: Span) -> ValueId {
        let node = self.push(kind, span, TextStorage::Nowhere, CompactSpan::default());
        self.open.push(UnfinishedContainer {
            node,
            first: self.pending.len(),
        });
        node
    }

    /// Returns the members or elements so far of the innermost open container.
    pub(super) fn members(&self) -> &[ValueId] {
        let first = self.open.last().map_or(0, |open| open.first);
        self.pending.get(first..).unwrap_or_default()
    }

    /// Replaces the members so far.
    pub(super) fn replace_members(&mut self, members: &[ValueId]) {
        let first = self.open.last().map_or(0, |open| open.first);
        self.pending.truncate(first);
        self.pending.extend_from_slice(members);
    }

    /// Ends the innermost open container at byte `end`, or after its last member if the end is unknown.
    pub(super) fn close(&mut self, end: Option<usize>) {
        let Some(UnfinishedContainer { node: id, first }) = self.open.pop() else {
            return;
        };
        self.note_duplicates(id, first);
        let start = self.document.parts.children.len();
        let last = self.pending.last().filter(|_| self.pending.len() > first);
        let behind_last = last
            .and_then(|last| self.document.parts.nodes.get(last.index()))
            .map(|last| last.span.end);
        self.document
            .parts
            .children
            .extend(self.pending.drain(first..));
        let content = extent(Span::new(start, self.document.parts.children.len()));
        if let Some(node) = self.document.parts.nodes.get_mut(id.index()) {
            node.content = content;
            let end = end.map_or(behind_last.unwrap_or(node.span.end), narrow);
            node.span.end = end.max(node.span.start);
        }
    }

    fn note_duplicates(&mut self, container: ValueId, first: usize) {
        let is_object = self
            .document
            .parts
            .nodes
            .get(container.index())
            .is_some_and(|node| node.kind == ValueKind::Object);
        let members = self.pending.get(first..).unwrap_or_default();
        if !is_object || members.len() < 2 {
            return;
        }
        let notes = duplicates(&self.document, members);
        self.document.parts.notes.extend(notes);
    }

    pub(super) fn finish(mut self) -> DocumentArena {
        if self.document.parts.nodes.is_empty() {
            let end = self.document.text.len();
            self.push(
                ValueKind::Null,
                Span::new(end, end),
                TextStorage::Nowhere,
                CompactSpan::default(),
            );
        }
        self.document.parts.notes.sort_by_key(|note| note.span);
        self.document.parts.nodes.shrink_to_fit();
        self.document.parts.children.shrink_to_fit();
        self.document.parts
    }
}

/// Finds the members whose name an earlier one has.
fn duplicates(document: &Document<'_>, members: &[ValueId]) -> Vec<Note> {
    let name = |id: ValueId| document.value(id).key().unwrap_or_default();
    let note = |id: ValueId, first: ValueId| Note {
        span: document.value(id).label(),
        kind: NoteKind::DuplicateKey(document.value(first).label()),
    };
    let mut notes = Vec::new();
    if members.len() <= FEW {
        for (index, &id) in members.iter().enumerate() {
            let mut before = members.iter().take(index);
            if let Some(&first) = before.find(|&&before| name(before) == name(id)) {
                notes.push(note(id, first));
            }
        }
        return notes;
    }
    let mut seen = HashMap::with_capacity(members.len());
    for &id in members {
        if let Some(&first) = seen.get(name(id)) {
            notes.push(note(id, first));
        } else {
            seen.insert(name(id), id);
        }
    }
    notes
}

fn narrow(offset: usize) -> u32 {
    u32::try_from(offset).unwrap_or(u32::MAX)
}

fn extent(span: Span) -> CompactSpan {
    CompactSpan {
        start: narrow(span.start),
        end: narrow(span.end),
    }
}
