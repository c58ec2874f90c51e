//! Turns exchanges and a rule table into findings. Pure: it knows no formats, files, clock or terminal.

mod alternatives;
mod announced;
mod body;
mod calls;
mod context;
mod discriminators;
mod linter;
mod matcher;
mod member_conditions;
mod options;
mod path_words;
pub(crate) mod plan;
mod plan_check;
mod plans;
mod prefilter;
mod queries;
mod replacement;
mod requirements;
mod resource_path;
mod rule_choice;
mod sinks;
mod values;

pub use calls::{BodyReading, CheckedCall, list_elements};
pub use linter::{Coverage, Linter};
pub use options::{InnerElements, Values};
pub use plan::PlanElement;
pub use sinks::LintSink;
