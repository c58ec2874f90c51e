//! Locations in a description, as findings show them: the key, never the value.

use crate::findings::{ExcerptParts, MAX_PARENT_BYTES};
use sundown_openapi::{Description, FileId, Label, NodeId};
use sundown_text_json::json::pointer::Pointers;
use sundown_text_json::json::{Document, Node};
use sundown_text_json::text::{MAX_SHOWN_LEN, Span, truncate_text};

/// The location of a finding in a description.
#[derive(Debug, Clone)]
pub(super) struct KeyLocation {
    pub file: FileId,
    /// The key with its quotes; for an element without a key, the element.
    pub span: Span,
    /// The JSON Pointer in that file, as reports show it.
    pub pointer: Pointers,
    pub shown: ExcerptParts,
}

impl KeyLocation {
    /// The key of a node.
    pub(super) fn of_node(description: &Description, node: NodeId) -> Option<Self> {
        let value = description.value(node)?;
        Some(Self::of_value(node.file, value, value.pointers()))
    }

    /// The key of a value at a pointer.
    pub(super) fn of_value(file: FileId, value: Node<'_>, pointer: Pointers) -> Self {
        let shown = ExcerptParts {
            parent: nearest_key_around(value),
            key: value
                .key_span()
                .map(|key| shown_text(value.document(), key)),
            value: Some(value.kind()),
            ..ExcerptParts::default()
        };
        Self {
            file,
            span: value.label(),
            pointer,
            shown,
        }
    }

    /// A node at the given label. If the node was reached by a reference, the label is at the reference.
    pub(super) fn at_label(description: &Description, node: NodeId, label: Label) -> Option<Self> {
        let location = Self::of_node(description, node)?;
        if (location.file, location.span) == (label.file, label.span) {
            return Some(location);
        }
        let document = &description.file(label.file)?.document;
        let key = shown_text(document, label.span);
        let shown = ExcerptParts {
            key: Some(key),
            parent: None,
            ..location.shown
        };
        Some(Self {
            file: label.file,
            span: label.span,
            shown,
            ..location
        })
    }

    /// A value that is itself a name, such as an entry of `required`.
    pub(super) fn of_name(description: &Description, node: NodeId) -> Option<Self> {
        let mut location = Self::of_node(description, node)?;
        let value = description.value(node)?;
        location.span = value.span();
        location.shown.key = Some(shown_text(value.document(), location.span));
        Some(location)
    }

    /// A whole string that embeds another document.
    pub(super) fn of_text(description: &Description, node: NodeId) -> Option<Self> {
        let mut location = Self::of_node(description, node)?;
        location.span = description.value(node)?.span();
        location.shown.encoded = true;
        Some(location)
    }
}

/// The text at a span, as reports show it.
fn shown_text(document: &Document<'_>, span: Span) -> String {
    truncate_text(document.text_at(span), MAX_SHOWN_LEN).into_owned()
}

/// The nearest key around a value, unless it is too long to be shown.
fn nearest_key_around(value: Node<'_>) -> Option<String> {
    std::iter::successors(value.parent(), |value| value.parent())
        .find_map(Node::key)
        .filter(|key| key.len() <= MAX_PARENT_BYTES)
        .map(str::to_owned)
}
