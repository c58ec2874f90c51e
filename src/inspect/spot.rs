//! Places in a description, as findings show them: the key, never the value.

use crate::findings::{ExcerptParts, LONGEST_PARENT, ValueShape};
use crate::json::pointer::Pointers;
use crate::json::{ValueKind, ValueRef};
use crate::openapi::{Description, FileId, Label, NodeId, Parameter};
use crate::text::{MAX_SHOWN_LEN, Span, truncate_text};

/// A place to point people at.
#[derive(Debug, Clone)]
pub(super) struct KeyLocation {
    pub(super) file: FileId,
    /// A key with its quotes, or what has none.
    pub(super) span: Span,
    /// The JSON Pointer in that file, as reports tell it.
    pub(super) pointer: Pointers,
    pub(super) shown: ExcerptParts,
}

impl KeyLocation {
    /// The key of what stands at a place.
    pub(super) fn of(description: &Description, place: NodeId) -> Option<Self> {
        let value = description.value(place)?;
        let shown = ExcerptParts {
            parent: parent(value),
            key: value.key_span().map(|key| raw(value, key)),
            encoded: false,
            value: shape(value),
            text: None,
        };
        let (file, span, pointer) = (place.file, value.label(), value.pointers());
        Some(Self { file, span, pointer, shown })
    }

    /// What stands at a place, pointed at by a label: where a reference led to it, the label is in front of that.
    pub(super) fn labelled(description: &Description, place: NodeId, label: Label) -> Option<Self> {
        let spot = Self::of(description, place)?;
        if (spot.file, spot.span) == (label.file, label.span) {
            return Some(spot);
        }
        let text = description.file(label.file)?.document.text();
        let key = text.get(label.span.start..label.span.end);
        let key = key.map(|key| truncate_text(key, MAX_SHOWN_LEN).into_owned());
        let shown = ExcerptParts { key, parent: None, ..spot.shown };
        Some(Self { file: label.file, span: label.span, shown, ..spot })
    }

    /// A parameter, by its name.
    pub(super) fn parameter(description: &Description, parameter: &Parameter) -> Option<Self> {
        Self::labelled(description, parameter.place, parameter.label)
    }

    /// A value that is itself a name.
    pub(super) fn name(description: &Description, place: NodeId) -> Option<Self> {
        let mut spot = Self::of(description, place)?;
        let value = description.value(place)?;
        spot.span = value.span();
        spot.shown.key = Some(raw(value, spot.span));
        Some(spot)
    }

    /// All of a string that holds something.
    pub(super) fn whole(description: &Description, place: NodeId) -> Option<Self> {
        let mut spot = Self::of(description, place)?;
        spot.span = description.value(place)?.span();
        spot.shown.encoded = true;
        Some(spot)
    }
}

fn raw(value: ValueRef<'_>, span: Span) -> String {
    let raw = value.document().text().get(span.start..span.end).unwrap_or_default();
    truncate_text(raw, MAX_SHOWN_LEN).into_owned()
}

/// The nearest key around a value, if it may be shown.
fn parent(value: ValueRef<'_>) -> Option<String> {
    let around = std::iter::successors(value.parent(), |value| value.parent());
    let mut keys = around.filter_map(ValueRef::key);
    keys.next().filter(|key| key.len() <= LONGEST_PARENT).map(str::to_owned)
}

fn shape(value: ValueRef<'_>) -> ValueShape {
    match value.kind() {
        ValueKind::Object => ValueShape::Object,
        ValueKind::Array => ValueShape::Array,
        ValueKind::String => ValueShape::String,
        _ => ValueShape::Scalar,
    }
}
