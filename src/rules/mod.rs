//! Rules: what is deprecated, where it sits, until when, and what to use instead.
//!
//! A rules file is read whole and checked whole ([`RuleFile::load`] gives every mistake in it); files are put together
//! into a [`RuleTable`], the waist towards the linter, which answers which rules apply to an exchange.

mod announcement;
mod builtin;
mod check;
mod described;
mod example;
mod keys;
mod lifecycle;
pub mod lists;
mod locate;
mod reach;
mod resolve;
mod schema;
mod table;

pub use announcement::{AnnouncedFacts, Announcement, AnnouncementSite};
pub use builtin::{BUILTIN, Builtin};
pub use described::{DescribedRules, PropertyRule, PropertyUsers, UnsupportedElement};
pub use example::RuleExample;
pub use lifecycle::{Grade, Lifecycle, Severity};
pub use reach::{AddressError, ApiAddress, BasePath};
pub use resolve::MatchedOperations;
pub use schema::{ReferenceError, SchemaReference};
pub use table::{DescribedOperationRef, DuplicateId, RuleOperation, RulePlaceRef, RuleTable};

use chrono::NaiveDate;

use crate::selector::Selector;
use crate::traffic::{OperationPattern, Side};

/// One checked rules file.
#[derive(Debug, Clone)]
pub struct RuleFile {
    /// Name for messages: the path, or the built-in table's name.
    pub name: String,
    /// The API whose elements these are.
    pub api: String,
    /// With what all its paths begin, if it says so; of descriptions, each operation knows.
    pub base_path: Option<OperationPattern>,
    /// Free-form maps whose keys belong to the customer; rules do not reach into them.
    pub opaque: Vec<Selector>,
    /// Its entries, in their order.
    pub rules: Vec<Rule>,
    /// Where those are looked for that an API description locates.
    pub described: Vec<DescribedRules>,
    /// Whose the rules' ids are.
    pub ids: IdSource,
    /// What whoever uses the file should know: parts of it that could not be used.
    pub notes: Vec<String>,
}

/// Whose the ids of a file's rules are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IdSource {
    /// Their writer's, who is told of clashes.
    Given,
    /// Made up: where one is taken, it is numbered.
    Made,
}

/// One deprecated element.
#[derive(Debug, Clone)]
pub struct Rule {
    /// Unique and stable.
    pub id: String,
    /// What is deprecated.
    pub element: Element,
    /// The property of a description by which it is located, or the schema of several; its file is relative to the rules
    /// file, or stands where the description was read.
    pub schema: Option<SchemaReference>,
    /// The operation with which the deprecation was announced.
    pub announced: Option<OperationPattern>,
    /// Where the element sits; for an endpoint, the operations themselves.
    pub places: Vec<RulePlace>,
    /// Nodes that are never a use of this rule.
    pub exceptions: Vec<Selector>,
    /// What to use instead.
    pub replacement: Option<String>,
    /// What else there is to know.
    pub note: Option<String>,
    /// Since when it has been deprecated.
    pub introduced: Option<NaiveDate>,
    /// The last day on which it works; `None` where no date has been announced.
    pub removal: Option<NaiveDate>,
    /// Where to read more.
    pub docs: Option<String>,
    /// How it could be rewritten by a machine.
    pub fix: Option<RuleFix>,
    /// How its uses are graded.
    pub grade: Grade,
}

/// What a rule is about.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Element {
    /// A whole operation.
    Endpoint,
    /// A member of a JSON body, or, with a value, that one value of it.
    Field(FieldElement),
    /// A parameter of the query.
    Parameter(String),
    /// A header field.
    Header(String),
}

/// A field by its name and, where only one of its values is deprecated, that value.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FieldElement {
    /// The member's name.
    pub name: String,
    /// The one deprecated value.
    pub value: Option<String>,
}

/// One place of a rule: selectors in the bodies of one operation.
#[derive(Debug, Clone)]
pub struct RulePlace {
    /// The operation, or a pattern over several.
    pub operation: OperationPattern,
    /// The sides on which the selectors apply.
    pub sides: Sides,
    /// What they select; empty for what is no field.
    pub selectors: Vec<Selector>,
}

/// Request, response or both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Sides {
    /// One side.
    Only(Side),
    /// Either side.
    Both,
}

/// A rewrite that a machine could make.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleFix {
    /// The new name.
    pub rename: String,
    /// Whether it changes nothing else.
    pub safe: bool,
}

impl RuleFile {
    /// How many entries it has. One about a schema has a rule for each name of its properties.
    pub fn count(&self) -> usize {
        self.rules.chunk_by(|one, next| one.id == next.id).count()
    }
}

impl Sides {
    /// Whether `side` is among them.
    pub fn contains(self, side: Side) -> bool {
        match self {
            Self::Only(only) => only == side,
            Self::Both => true,
        }
    }
}

impl Element {
    /// The name of the field, parameter or header; `None` for an endpoint.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Endpoint => None,
            Self::Field(field) => Some(&field.name),
            Self::Parameter(name) | Self::Header(name) => Some(name),
        }
    }

    /// What it is called: `endpoint`, `field`, `value`, `parameter` or `header`.
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
