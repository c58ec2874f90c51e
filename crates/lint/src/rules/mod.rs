//! Rules: what is deprecated, where it is used, until when, and what to use instead.
//!
//! [`RuleFile::load`] reads and checks a whole rules file and reports all its mistakes. A [`RuleTable`] combines files and
//! finds the rules that apply to an exchange; it is all that the linter knows of rules.

/// The JSON Schema of rules files, in draft 7, which most TOML editors support.
pub const RULES_SCHEMA: &str = include_str!("../../rules.schema.json");

mod address;
mod after_removal;
mod described;
mod digest;
mod example;
mod fix;
mod generate;
mod graphs;
mod id_words;
mod keys;
mod library;
mod lifecycle;
pub mod lists;
mod locate;
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
mod server_version;
mod severity;
mod sides;
mod source;
mod table;
mod uncalled;
mod value_test;
mod version;

pub use address::{AddressError, ApiAddress, BasePath};
pub use after_removal::{AfterRemoval, RemovedInRequest, RemovedInResponse};
pub(crate) use described::side_of;
pub use described::{DescribedRules, PropertyCertainty, PropertyRule};
pub(crate) use digest::TextHash;
pub use example::RuleExample;
pub use fix::{Edit, RuleFix};
pub use generate::UnsupportedElements;
pub use graphs::DescribedSide;
pub use library::{EmbeddedTable, Pack, RuleLibrary};
pub use lifecycle::Lifecycle;
pub use member_condition::{ConditionAnswers, ConditionMember, MemberCondition};
pub(crate) use model::in_backticks;
pub use model::{Element, ElementPart, Rule, RulePlace};
pub use near_miss::{NearMiss, NearMissIndex};
pub(crate) use near_miss::{is_variable, leading_variables};
pub(crate) use path_index::is_version;
pub use precedence::{MatchedPlace, Precedence, RuleRank};
pub use reference::SchemaReference;
pub use requirement::{
    ExchangeCondition, MemberPath, MemberType, PartTest, Requirement, StringFormat,
};
pub(crate) use resolve::AddressCheck;
pub use resolve::MatchedOperations;
pub use rule_file::{RuleFile, RuleOrigin, UnknownHosts};
pub use server_version::{ServerVersion, ServerVersions, TargetError, TargetVersion};
pub use severity::{Grade, Severity};
pub use sides::Sides;
pub use source::RuleSource;
pub use table::{DuplicateId, OldFacts, RulePlaceRef, RuleTable};
pub use uncalled::UncalledOperation;
pub use value_test::ValueTest;
pub use version::Version;
