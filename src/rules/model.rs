//! The model of rules: rules, elements and places.

use std::fmt;
use std::hash::{Hash, Hasher};
use std::ops::Deref;

use chrono::NaiveDate;

use super::{AfterRemoval, Grade, SchemaReference, Sides};
use crate::selector::Selector;
use crate::traffic::OperationPattern;

/// One deprecated element.
#[derive(Debug, Clone)]
pub struct Rule {
    /// The id, unique and stable.
    pub id: String,
    /// The deprecated element.
    pub element: Element,
    /// The property of a description that locates the element, or the schema of several properties. Its file is relative to
    /// the rules file or, for generated rules, named as it was read.
    pub schema: Option<SchemaReference>,
    /// The operation for which the deprecation was announced.
    pub announced: Option<OperationPattern>,
    /// The places of the element; for an endpoint, the operations themselves.
    pub places: Vec<RulePlace>,
    /// Nodes that are never a use of this rule.
    pub exceptions: Vec<Selector>,
    /// The replacement.
    pub replacement: Option<String>,
    /// A further note for users.
    pub note: Option<String>,
    /// The date since which the element is deprecated.
    pub introduced: Option<NaiveDate>,
    /// The last day on which it works; `None` if no date was announced.
    pub removal: Option<NaiveDate>,
    /// The address of the documentation.
    pub docs: Option<String>,
    /// The rewrite that replaces the element.
    pub fix: Option<RuleFix>,
    /// How its uses are graded.
    pub grade: Grade,
    /// What the service does with it after its last day.
    pub after_removal: AfterRemoval,
}

/// A deprecated element.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Element {
    /// A whole operation.
    Endpoint,
    /// A member of a JSON body, or one value of the member.
    Field(FieldElement),
    /// A query parameter.
    Parameter(String),
    /// A header field.
    Header(HeaderFieldName),
}

/// The name of a header field, as it is written. Names that differ only in the case of letters are equal.
#[derive(Debug, Clone, Eq)]
pub struct HeaderFieldName(String);

/// A field, or one value of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldElement {
    /// The member's name.
    pub name: String,
    /// The deprecated value, if only one value is deprecated.
    pub value: Option<String>,
}

/// A place of a rule: selectors in the bodies of an operation.
#[derive(Debug, Clone)]
pub struct RulePlace {
    /// The operation, or a pattern over several.
    pub operation: OperationPattern,
    /// The sides on which the selectors apply.
    pub sides: Sides,
    /// The selectors; none for elements that are not fields.
    pub selectors: Vec<Selector>,
}

/// A rewrite that can be applied automatically.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFix {
    /// The new name.
    pub rename: String,
    /// Whether it keeps the meaning of the body.
    pub safe: bool,
}

impl Element {
    /// Returns whether only one value of a field is deprecated.
    pub fn has_value(&self) -> bool {
        matches!(self, Self::Field(FieldElement { value: Some(_), .. }))
    }

    /// The name of the field, parameter or header; `None` for an endpoint.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Endpoint => None,
            Self::Field(field) => Some(&field.name),
            Self::Parameter(name) => Some(name),
            Self::Header(name) => Some(name),
        }
    }

    /// The kind: `endpoint`, `field`, `value`, `parameter` or `header`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Endpoint => "endpoint",
            Self::Field(FieldElement { value: None, .. }) => "field",
            Self::Field(_) => "value",
            Self::Parameter(_) => "parameter",
            Self::Header(_) => "header",
        }
    }
}

impl From<String> for HeaderFieldName {
    fn from(name: String) -> Self {
        Self(name)
    }
}

impl Deref for HeaderFieldName {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl PartialEq for HeaderFieldName {
    fn eq(&self, other: &Self) -> bool {
        self.eq_ignore_ascii_case(other)
    }
}

impl Hash for HeaderFieldName {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.to_ascii_lowercase().hash(state);
    }
}

impl fmt::Display for HeaderFieldName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
