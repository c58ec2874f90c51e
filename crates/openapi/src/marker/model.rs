//! A mark of deprecation, and what is read as one.

use super::extension::{EXTENSIONS, ExtensionContent};
use crate::NodeId;
use chrono::NaiveDate;
use sundown_text_json::text::Span;
use sundown_text_json::text::spelling::is_spelled;

/// One deprecation, with everything that the description says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// The kind of the marked element.
    pub element: MarkedElement,
    /// The marked object: an operation, a parameter, a header, a schema, or a reference to one of these.
    pub holder: NodeId,
    /// The value of an `enum` that is deprecated, and not the whole element.
    pub value: Option<String>,
    /// All keys that were read for the marker. The first marks the element: `deprecated`, an extension, or the text that says it.
    pub sources: Vec<(MarkerSource, Span)>,
    /// The date since which the element is deprecated.
    pub introduced: Option<MarkerDate>,
    /// The removal date; `None` if no date was announced.
    pub removal: Option<MarkerDate>,
    /// Whether a removal date was announced, and none that can be read.
    pub has_unreadable_end: bool,
    /// A message for people.
    pub message: Option<String>,
    pub replacement: Option<String>,
    /// The address of the documentation.
    pub docs: Option<String>,
}

/// The kinds of elements that can be deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "the specification's own names")]
pub enum MarkedElement {
    Operation,
    /// All operations of a path.
    PathItem,
    Parameter,
    Header,
    /// The values that the schema describes, mostly those of a property.
    Schema,
    SecurityScheme,
}

/// A date of a marker, with its location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkerDate {
    /// The day, in UTC.
    pub date: NaiveDate,
    /// The span of the date as written.
    pub span: Span,
    /// The key that holds it.
    pub source: MarkerSource,
}

/// What is read for a [`Marker`]. If two give the same fact, the one that comes first in this order is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum MarkerSource {
    /// An extension, by its number in the list of those that are known.
    Extension(u8),
    /// Another extension whose name says that it is an end, such as `x-eol`, and whose value is a date.
    OtherEnd,
    /// `deprecated`, the key of the specification.
    Flag,
    /// `description`, `summary` or `title`, if prose is read.
    Prose,
}

impl MarkerSource {
    pub fn key(self) -> &'static str {
        match self {
            Self::Extension(number) => EXTENSIONS
                .get(usize::from(number))
                .map_or("", |(key, _)| *key),
            Self::OtherEnd => "x-end-of-life",
            Self::Flag => "deprecated",
            Self::Prose => "description",
        }
    }

    /// The source with this key; texts have no key of their own.
    pub(crate) fn of(key: &str) -> Option<Self> {
        if key == Self::Flag.key() {
            return Some(Self::Flag);
        }
        if !key
            .get(..2)
            .is_some_and(|begin| begin.eq_ignore_ascii_case("x-"))
        {
            return None;
        }
        let mut all = (0..).zip(EXTENSIONS.iter());
        let found = all.find(|(_, (name, _))| is_spelled(key, name));
        found.map(|(number, _)| Self::Extension(number))
    }

    /// The content of an extension.
    pub(super) fn content(self) -> Option<ExtensionContent> {
        match self {
            Self::Extension(number) => EXTENSIONS
                .get(usize::from(number))
                .map(|(_, content)| *content),
            _ => None,
        }
    }

    /// Whether it is an extension that marks an element, whatever else the element has.
    pub(crate) fn marks(self) -> bool {
        use ExtensionContent::{Details, End, Entries, Removal, Values, Version};
        matches!(
            self.content(),
            Some(Entries | End | Details | Version | Removal | Values)
        )
    }

    /// Whether it may be an object with details.
    pub(crate) fn has_details(self) -> bool {
        self.content() == Some(ExtensionContent::Details)
    }
}

/// What is read in prose, beside the keys of markers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MarkerOptions {
    /// Whether a sentence that says so marks an element that has no such key.
    pub deprecations_from_text: bool,
    /// Whether sentences state dates that no key gives.
    pub dates_from_text: bool,
}

impl Marker {
    /// Whether no key marks the element: only its prose says that it is deprecated.
    pub fn is_only_prose(&self) -> bool {
        self.sources
            .first()
            .is_some_and(|(source, _)| *source == MarkerSource::Prose)
    }
}
