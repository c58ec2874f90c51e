//! The configuration of a project: `sundown.toml`.
//!
//! `settings` declares every setting once; its schema, reference, flags and defaults are generated from the declaration.
//! A file is found upward from the input and read as a whole: every mistake is reported with its location. `Config` is the
//! content of the file; the command line then replaces single settings in it.

mod boundary;
mod entries;
mod file;
mod keys;
mod page;
mod readers;
mod schema;
mod search;
mod settings;
mod values;

pub(crate) use boundary::boundary_name;
pub use entries::Api;
pub use file::{CONFIG_NAME, Config};
pub use keys::{ConfigKey, DAYS, KeyType, TABLES};
pub use schema::schema;
pub use settings::{Flag, FlagScope, SETTINGS, Setting, SettingSource, Settings};
pub(crate) use values::toml_list;
