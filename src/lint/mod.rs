//! Turns exchanges and a rule table into findings. Pure: it knows no formats, files, clock or terminal.

mod alternatives;
mod announced;
mod body;
mod calls;
mod context;
mod discriminators;
mod element;
mod finding_buffer;
mod inner_sinks;
mod linter;
mod matcher;
mod member_conditions;
mod named_rules;
mod path_words;
pub(crate) mod plan;
mod plan_check;
mod plans;
mod prefilter;
mod queries;
mod replacement;
mod requirements;
mod resource_path;
mod reveal;
mod rule_choice;
mod rule_use;
mod rules_by_value;
mod segment_rules;
mod sink;
mod values;
mod version_rules;

pub use calls::{BodyReading, CheckedCall, list_elements};
pub use element::PlanElement;
pub use linter::{Coverage, Linter};
pub use reveal::{InnerElements, Values};
pub use sink::LintSink;
