//! The public API: loads rules, checks exchanges and single bodies, and returns findings.

mod checker;

pub use checker::{
    Checked, Checker, DeprecatedUse, ElementInside, HttpExchange, Rules, RulesFault,
};
