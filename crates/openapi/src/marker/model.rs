//! A mark of deprecation, and what is read as one.

use super::super::NodeId;
use super::extension::{EXTENSIONS, ExtensionContent};
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
    /// The key of that object, or the object if it has no key.
    pub label: Span,
    /// The key that marks it: `deprecated`, an extension, or the text that says it.
    pub span: Span,
    /// The whole element, or one of its values.
    pub scope: MarkerScope,
    /// All keys that were read for the marker.
    pub sources: Vec<(MarkerSource, Span)>,
    /// The id of the deprecation.
    pub id: Option<MarkerText>,
    /// The date since which the element is deprecated.
    pub introduced: Option<MarkerDate>,
    /// The removal date; `None` if no date was announced.
    pub removal: Option<MarkerDate>,
    /// Whether a removal date was announced, and none that can be read.
    pub has_unreadable_end: bool,
    /// The version of the API since which the element is deprecated.
    pub version: Option<MarkerText>,
    /// A message for people.
    pub message: Option<MarkerText>,
    pub replacement: Option<MarkerText>,
    /// The address of the documentation.
    pub docs: Option<MarkerText>,
}

/// The kinds of elements that can be deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
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

/// The part of the element that is deprecated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkerScope {
    /// The whole element.
    Whole,
    /// This value of an `enum`.
    EnumValue(MarkerText),
}

/// A text of a marker, with its location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkerText {
    /// The decoded text.
    pub text: String,
    /// The span of the text as written.
    pub span: Span,
    /// The key that holds it.
    pub source: MarkerSource,
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

/// The keys that are read for a [`Marker`]. If two give the same fact, the one that comes first in this list is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkerSource {
    /// `x-glean-deprecated`: an object, or a list whose entries may each be about one value.
    Glean,
    /// `x-sunset`: a date.
    Sunset,
    /// `x-remove-on`: a date.
    RemoveOn,
    /// `x-ms-deprecation`: an object.
    Microsoft,
    /// `x-github`: an object with `deprecationDate` and `removalDate`, among other keys.
    GitHub,
    /// `x-deprecated`: true, a message, or an object.
    Deprecated,
    /// `x-is-deprecated`: true.
    IsDeprecated,
    /// `x-deprecatedInVersion`: a version.
    InVersion,
    /// `x-enumDeprecated`: for each value of `enum`, whether it is deprecated.
    EnumDeprecated,
    /// `x-deprecatedMessage`.
    Message,
    /// `x-speakeasy-deprecation-message`.
    Speakeasy,
    /// `x-replaced-by`.
    ReplacedBy,
    /// An extension of a vendor, by its number.
    Vendor(u8),
    /// Another extension whose name says that it is an end, such as `x-eol`, and whose value is a date.
    OtherEnd,
    /// `deprecated`, the key of the specification.
    Flag,
    /// `description`, `summary` or `title`, if prose is read.
    Prose,
}

impl MarkerSource {
    /// All that are keys of their own.
    const ALL: [Self; 12] = [
        Self::Glean,
        Self::Sunset,
        Self::RemoveOn,
        Self::Microsoft,
        Self::GitHub,
        Self::Deprecated,
        Self::IsDeprecated,
        Self::InVersion,
        Self::EnumDeprecated,
        Self::Message,
        Self::Speakeasy,
        Self::ReplacedBy,
    ];

    pub fn key(self) -> &'static str {
        match self {
            Self::Glean => "x-glean-deprecated",
            Self::Sunset => "x-sunset",
            Self::RemoveOn => "x-remove-on",
            Self::Microsoft => "x-ms-deprecation",
            Self::GitHub => "x-github",
            Self::Deprecated => "x-deprecated",
            Self::IsDeprecated => "x-is-deprecated",
            Self::InVersion => "x-deprecatedInVersion",
            Self::EnumDeprecated => "x-enumDeprecated",
            Self::Message => "x-deprecatedMessage",
            Self::Speakeasy => "x-speakeasy-deprecation-message",
            Self::ReplacedBy => "x-replaced-by",
            Self::Vendor(number) => EXTENSIONS
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
        let vendors = (0..).take(EXTENSIONS.len()).map(Self::Vendor);
        let mut all = Self::ALL.into_iter().chain(vendors);
        all.find(|source| is_spelled(key, source.key()))
    }

    /// The content of an extension of a vendor.
    pub(super) fn content(self) -> Option<ExtensionContent> {
        match self {
            Self::Vendor(number) => EXTENSIONS
                .get(usize::from(number))
                .map(|(_, content)| *content),
            _ => None,
        }
    }

    /// Whether it marks an element, rather than only giving details.
    pub(crate) fn marks(self) -> bool {
        match self {
            Self::Message | Self::Speakeasy | Self::ReplacedBy | Self::Prose => false,
            Self::Vendor(_) => matches!(
                self.content(),
                Some(
                    ExtensionContent::Details
                        | ExtensionContent::Removal
                        | ExtensionContent::Values
                )
            ),
            _ => true,
        }
    }

    /// Whether it may be an object with details.
    pub(crate) fn has_details(self) -> bool {
        matches!(self, Self::Deprecated | Self::IsDeprecated)
            || self.content() == Some(ExtensionContent::Details)
    }
}

/// What makes a marker, and where its dates are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct MarkerOptions {
    /// What marks an element as deprecated.
    pub deprecations: DeprecationSources,
    /// Where its dates are read.
    pub dates: DateSources,
}

/// What marks an element as deprecated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DeprecationSources {
    /// `deprecated: true` and extensions.
    #[default]
    Keys,
    /// Of an element without these keys, also the prose: a sentence that says that it is deprecated.
    KeysAndProse,
}

/// Where dates of deprecations are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateSources {
    #[default]
    Extensions,
    /// In extensions; if these give no date, in the prose.
    ExtensionsAndProse,
}

impl Marker {
    /// Whether no key marks the element: only its prose says that it is deprecated.
    pub fn is_only_prose(&self) -> bool {
        self.sources
            .first()
            .is_some_and(|(source, _)| *source == MarkerSource::Prose)
    }
}
