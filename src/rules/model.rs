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

/// A deprecated element: a part of a call, or one value of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Element {
    /// The part.
    pub part: ElementPart,
    /// The deprecated value, if only one value is deprecated. An endpoint has none.
    pub value: Option<String>,
}

/// The part of a call that an element is.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum ElementPart {
    /// The whole operation.
    Endpoint,
    /// A member of a JSON body.
    Field(String),
    /// A query parameter.
    Parameter(String),
    /// A header field.
    Header(HeaderFieldName),
}

/// The name of a header field, as it is written. Names that differ only in the case of letters are equal.
#[derive(Debug, Clone, Eq)]
pub struct HeaderFieldName(String);

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
    /// The whole operation.
    pub const ENDPOINT: Self = Self { part: ElementPart::Endpoint, value: None };

    /// A member of JSON bodies.
    pub fn field(name: impl Into<String>) -> Self {
        Self { part: ElementPart::Field(name.into()), value: None }
    }

    /// A query parameter.
    pub fn parameter(name: impl Into<String>) -> Self {
        Self { part: ElementPart::Parameter(name.into()), value: None }
    }

    /// A header field.
    pub fn header(name: impl Into<String>) -> Self {
        Self { part: ElementPart::Header(name.into().into()), value: None }
    }

    /// The same part, of which only this value is deprecated.
    #[must_use]
    pub fn with_value(self, value: Option<String>) -> Self {
        Self { value, ..self }
    }

    /// Returns whether it is a whole operation.
    pub fn is_endpoint(&self) -> bool {
        self.part == ElementPart::Endpoint
    }

    /// The name of the field, parameter or header; `None` for an endpoint.
    pub fn name(&self) -> Option<&str> {
        match &self.part {
            ElementPart::Endpoint => None,
            ElementPart::Field(name) | ElementPart::Parameter(name) => Some(name),
            ElementPart::Header(name) => Some(name),
        }
    }

    /// The name of its field; `None` if it is something else.
    pub fn field_name(&self) -> Option<&str> {
        self.name().filter(|_| matches!(self.part, ElementPart::Field(_)))
    }

    /// The kind: `value` for a value of a field, or else that of the part.
    pub fn kind(&self) -> &'static str {
        match (&self.part, &self.value) {
            (ElementPart::Field(_), Some(_)) => "value",
            (part, _) => part.kind(),
        }
    }

    /// Its name in tables: `total`, `status: open` for a value, or `(whole endpoint)`.
    pub fn label(&self) -> String {
        match (self.name(), &self.value) {
            (None, _) => "(whole endpoint)".to_owned(),
            (Some(name), None) => name.to_owned(),
            (Some(name), Some(value)) => format!("{name}: {value}"),
        }
    }

    /// A phrase for sentences, with the name as `named` puts it: `` `total` ``, ``the value `open` of `status` ``, ``the header
    /// `X-Team` ``. `None` for an endpoint.
    pub fn phrase(&self, named: impl Fn(&str) -> String) -> Option<String> {
        let name = named(self.name()?);
        let part = match self.part {
            ElementPart::Endpoint | ElementPart::Field(_) => name,
            ElementPart::Parameter(_) => format!("the parameter {name}"),
            ElementPart::Header(_) => format!("the header {name}"),
        };
        Some(match &self.value {
            None => part,
            Some(value) => format!("the value `{value}` of {part}"),
        })
    }
}

/// A name in a sentence.
pub(crate) fn in_backticks(name: &str) -> String {
    format!("`{name}`")
}

impl ElementPart {
    /// The kind: `endpoint`, `field`, `parameter` or `header`.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Endpoint => "endpoint",
            Self::Field(_) => "field",
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
