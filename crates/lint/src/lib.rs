//! Rules, and what uses the elements that they are about.
//!
//! [`rules`] reads rules files and combines them to a [`RuleSet`](rules::RuleSet). A [`Linter`] finds the uses in
//! exchanges, and [`inspect`] those in API descriptions. Each use is a [`Finding`](findings::Finding), which holds no value from
//! the input. The crate opens no files and knows no capture format, clock or terminal.
//!
//! ```
//! use sundown_lint::rules::{RuleFile, RuleSet};
//!
//! let rules = "api = 'Shop'\n[[rule]]\nid = 'old'\noperation = 'POST /orders'\nfield = 'old'\nat = ['$.old']\n";
//! let set = RuleSet::new(vec![RuleFile::parse("shop.toml", rules)?]).unwrap();
//! assert_eq!(set.rules().len(), 1);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

mod alternatives;
mod announced;
mod body;
mod body_schema;
mod calls;
mod context;
mod element_net;
pub mod findings;
pub mod inspect;
mod linter;
mod matcher;
mod member_conditions;
mod mentions;
mod name_signs;
mod net;
mod options;
mod path_words;
mod plain_text;
mod plan;
mod plan_check;
mod plans;
mod queries;
mod quick_walk;
mod replacement;
mod requirements;
mod rule_choice;
pub mod rules;
mod sinks;
mod step_match;
mod unread_parts;
mod value_tree;
mod values;

pub use body_schema::{NoBodySchema, body_schema};
pub use calls::{CheckedCall, PartReading, Readings, list_elements};
pub use linter::{Coverage, Linter};
pub use net::{Mention, TextUnit, Wanted};
pub use options::{InnerElements, Values};
pub use plain_text::PlainText;
pub use plan::PlanElement;
pub use plans::UnusedRules;
pub use sinks::LintSink;
