//! Rules: what is deprecated, where it is used, until when, and what to use instead.
//!
//! [`RuleFile::load`] reads and checks a whole rules file and reports all its mistakes. A [`RuleSet`] combines files and
//! finds the rules that apply to an exchange; it is all that the linter knows of rules.

/// The JSON Schema of rules files, in draft 7, which most TOML editors support.
pub const RULES_SCHEMA: &str = include_str!("../../rules.schema.json");

mod address;
mod after_removal;
mod described;
mod digest;
mod example;
mod generate;
mod graphs;
mod keys;
mod lifecycle;
pub mod lists;
mod locate;
mod masks;
mod member_condition;
mod model;
mod near_miss;
mod parse;
mod path_index;
mod plausibility;
mod precedence;
mod reference;
mod requirement;
mod resolve;
mod rule_file;
mod rule_set;
mod server_version;
mod source;
mod version;

pub use address::{AddressError, ApiAddress, BasePath};
pub use after_removal::{AfterRemoval, RemovedInRequest, RemovedInResponse};
pub(crate) use described::side_of;
pub use described::{DescribedRules, PropertyCertainty, PropertyRule};
pub(crate) use digest::TextHash;
pub use example::RuleExample;
pub use generate::UnsupportedElements;
pub(crate) use graphs::schema_graphs;
pub use lifecycle::{Grade, Lifecycle, Severity};
pub(crate) use masks::{MASK_MARKS, MASK_WORDS};
pub use member_condition::{ConditionAnswers, ConditionMember, MemberCondition};
pub(crate) use model::in_backticks;
pub use model::{Edit, Element, ElementPart, Rule, RuleFix, RulePlace, Sides};
pub use near_miss::NearMiss;
pub(crate) use near_miss::{is_variable, leading_variables};
pub(crate) use path_index::is_version;
pub use precedence::{MatchedPlace, Precedence, RuleRank};
pub use reference::SchemaReference;
pub use requirement::{
    ExchangeCondition, MemberPath, MemberType, PartTest, Requirement, StringFormat,
};
pub(crate) use resolve::AddressCheck;
pub use resolve::MatchedOperations;
pub use rule_file::{EmbeddedTable, Pack, RuleFile, RuleLibrary, RuleOrigin};
pub use rule_set::{DuplicateId, RuleOptions, RulePlaceRef, RuleSet, SetRule, UncalledOperation};
pub use server_version::{ServerVersion, ServerVersions, TargetError, TargetVersion};
pub use source::RuleSource;
pub use version::{ValueTest, Version};
