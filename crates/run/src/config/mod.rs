//! The configuration of a project: `sundown.toml`.
//!
//! `settings` declares every setting once; its schema, reference, flags and defaults are generated from the declaration.
//! A file is found upward from the input and read as a whole: every mistake is reported with its location. `Config` is the
//! content of the file, `ResolvedConfig` the result of merging it with the command line and the defaults.

mod allow;
mod api;
mod boundary;
mod file;
mod keys;
mod log;
mod outputs;
mod payload;
mod readers;
mod registry;
mod resolved;
mod schema;
mod search;
mod search_scope;
mod settings;
mod severity;
mod source;
mod tables;
mod values;

pub use api::Api;
pub use boundary::OutputBoundary;
pub use file::{CONFIG_NAME, Config};
pub use keys::{ConfigKey, DAYS, Flag, FlagScope, KeyType};
pub use schema::schema;
pub use search::{ConfigFile, ConfigSearch};
pub use settings::{GivenSettings, ResolvedConfig, SETTINGS};
pub use source::SettingSource;
pub use tables::TABLES;
