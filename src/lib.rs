//! Sundown finds every use of an API element that is on its way out (a deprecated operation or field) in JSON bodies and
//! captured HTTP traffic, and grades each by the days left until its removal date.
//!
//! The layers, from the bottom up; a module imports only modules of lower layers, and a test holds that:
//!
//! | layer | modules |
//! |---|---|
//! | 9 | [`run`] |
//! | 8 | `config` |
//! | 7 | `report` |
//! | 6 | `lint`, `suppression` |
//! | 5 | `finding` |
//! | 4 | `rule`, `input` |
//! | 3 | `exchange`, `description`, `query` |
//! | 2 | `document`, `automaton`, `toml_file` |
//! | 1 | `source` |

pub mod automaton;
pub mod config;
pub mod description;
pub mod document;
pub mod exchange;
pub mod finding;
pub mod input;
pub mod lint;
pub mod query;
pub mod report;
pub mod rule;
pub mod run;
pub mod source;
pub mod suppression;
pub mod toml_file;
