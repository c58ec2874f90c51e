//! What says of an element that it is deprecated: `deprecated: true`, and the extensions that say so, or say more.

mod reader;

pub(super) use reader::read;

use chrono::NaiveDate;

use super::NodeId;
use crate::text::Span;

/// One deprecation, with all that the description says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Marker {
    /// What kind of element carries it.
    pub element: MarkedElement,
    /// The object that carries it: an operation, a parameter, a header, a schema, or a reference to one of these.
    pub holder: NodeId,
    /// The key under which that object stands, or the object where it has none.
    pub label: Span,
    /// What says that it is deprecated: the key `deprecated`, or the extension's.
    pub span: Span,
    /// All of it, or one of its values.
    pub scope: MarkerScope,
    /// Everything that was read for it, each with its key's place.
    pub sources: Vec<(MarkerSource, Span)>,
    /// The deprecation's own name.
    pub id: Option<MarkerText>,
    /// Since when it is deprecated.
    pub introduced: Option<MarkerDate>,
    /// When it will be gone; `None`: no date announced.
    pub removal: Option<MarkerDate>,
    /// The version of the API since which it is deprecated.
    pub version: Option<MarkerText>,
    /// For people.
    pub message: Option<MarkerText>,
    /// What to use in its place.
    pub replacement: Option<MarkerText>,
    /// Where to read more.
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
    /// Whatever the schema describes: mostly a property.
    Schema,
    SecurityScheme,
}

/// How much of the element is deprecated.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MarkerScope {
    /// All of it.
    Whole,
    /// This value of an enumeration.
    EnumValue(MarkerText),
}

/// A text in a description, and where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkerText {
    /// Decoded.
    pub text: String,
    /// Where, as it is written.
    pub span: Span,
    /// What holds it.
    pub source: MarkerSource,
}

/// A date in a description, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MarkerDate {
    /// The day, in UTC.
    pub date: NaiveDate,
    /// Where, as it is written.
    pub span: Span,
    /// What holds it.
    pub source: MarkerSource,
}

/// What is read for a [`Marker`]. Where two give the same fact, the earlier in this list is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum MarkerSource {
    /// `x-glean-deprecated`: an object, or a list whose entries may be about a value each.
    Glean,
    /// `x-sunset`: a date.
    Sunset,
    /// `x-remove-on`: a date.
    RemoveOn,
    /// `x-ms-deprecation`: an object.
    Microsoft,
    /// `x-github`: an object with `deprecationDate` and `removalDate`, among much else.
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
    /// `deprecated`, the standard's own.
    Flag,
    /// `description`, where it was asked for.
    Prose,
}

impl MarkerSource {
    const ALL: [Self; 14] = [
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
        Self::Flag,
        Self::Prose,
    ];

    /// The key it stands under.
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
            Self::Flag => "deprecated",
            Self::Prose => "description",
        }
    }

    /// What stands under this key, if it is any of them.
    pub(super) fn of(key: &str) -> Option<Self> {
        if key != "deprecated" && key != "description" && !key.starts_with("x-") {
            return None;
        }
        Self::ALL.into_iter().find(|source| source.key() == key)
    }
}

/// Where the dates of deprecations are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum DateSources {
    /// In extensions.
    #[default]
    Extensions,
    /// There, and where they have none, in what `description` says.
    ExtensionsAndProse,
}
