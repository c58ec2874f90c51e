//! A schema, and its edges to those that it contains.

use std::collections::HashMap;

use crate::NodeId;

/// The number of a schema in its description.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SchemaId(pub(crate) u32);

impl SchemaId {
    /// The number as an index.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// A schema object.
///
/// A `$ref` without relevant siblings is not a schema of its own: the edge of its parent leads to its target. A `$ref` with
/// siblings is a schema with its own keywords and an edge of kind [`Reference`](EdgeKind::Reference) to its target. According
/// to OpenAPI 3.0, such siblings are ignored, but their authors mean them.
#[derive(Debug, Clone)]
pub struct Schema {
    /// The schema object.
    pub node: NodeId,
    /// Whether it could be read: a reference without a target cannot, nor a value that is not a schema. A problem has been reported.
    pub is_read: bool,
    /// The range of its edges in `Schemas::edges`.
    pub(super) edges: (u32, u32),
    /// The indices of its edges to properties, by name.
    pub(super) named: HashMap<String, Vec<u32>>,
    /// The indices of its other edges.
    pub(super) unnamed: Vec<u32>,
}

/// An edge from a schema to a schema inside it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Edge {
    /// The keyword.
    pub kind: EdgeKind,
    /// The index among the edges of the same keyword, from zero: of a branch, or of an element.
    pub index: u32,
    /// The outer schema.
    pub from: SchemaId,
    /// The member or element that holds the inner schema. Its key is a property's name or a pattern.
    pub node: NodeId,
    /// The inner schema.
    pub to: SchemaId,
}

/// The keywords that hold schemas. `not` and `propertyNames` are left out, since they describe no part of a body, and
/// `contentSchema`, since it describes text inside a string.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs, reason = "JSON Schema's own keywords")]
pub enum EdgeKind {
    Property,
    PatternProperty,
    AdditionalProperties,
    UnevaluatedProperties,
    /// `items` with a single schema, for the elements after those of [`Self::PrefixItem`], and `additionalItems`.
    Items,
    /// `prefixItems`, and `items` with a list.
    PrefixItem,
    UnevaluatedItems,
    Contains,
    /// A `$ref` with siblings.
    Reference,
    AllOf,
    OneOf,
    AnyOf,
    If,
    Then,
    Else,
    DependentSchema,
}

impl EdgeKind {
    /// The step that an edge of this kind takes.
    pub fn step(self) -> SchemaStep {
        match self {
            Self::Property
            | Self::PatternProperty
            | Self::AdditionalProperties
            | Self::UnevaluatedProperties => SchemaStep::Member,
            Self::Items | Self::PrefixItem | Self::UnevaluatedItems | Self::Contains => {
                SchemaStep::Element
            }
            Self::Reference | Self::AllOf => SchemaStep::Always,
            _ => SchemaStep::Conditional,
        }
    }

    /// Whether the inner schema applies under a condition, rather than as one of several alternatives.
    pub(crate) fn is_under_condition(self) -> bool {
        matches!(
            self,
            Self::If | Self::Then | Self::Else | Self::DependentSchema
        )
    }
}

/// The step that an [`Edge`] takes in a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SchemaStep {
    /// To the same value: the inner schema always applies as well.
    Always,
    /// To the same value: the inner schema may apply as well.
    Conditional,
    /// To a member of an object.
    Member,
    /// To an element of an array.
    Element,
}

impl SchemaStep {
    /// Whether the inner schema describes another value than the outer one.
    pub fn is_inside(self) -> bool {
        matches!(self, Self::Member | Self::Element)
    }
}

/// A discriminator: a property whose value chooses among alternatives.
#[derive(Debug, Clone)]
pub struct Discriminator {
    /// The property's name.
    pub property: String,
    /// The values with an explicit schema. Other values are names of schemas.
    pub mapping: Vec<(String, SchemaId)>,
}
