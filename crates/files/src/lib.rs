//! Files that a run opens, and TOML files that people write.
//!
//! A [`FileName`] is how a file is named in reports, a [`GlobList`] selects files by their names, and [`FileAccess`] opens
//! them and remembers which it has read. Clippy forbids the functions of the standard library that would bypass it. A
//! [`PathBoundary`] keeps what a configuration names inside of its folder. [`toml_file`] reads rules and configuration key by
//! key and reports every mistake with its place.
//!
//! ```
//! use sundown_files::{FileName, GlobBase, GlobList};
//!
//! let globs = GlobList::new(&["*.har"], GlobBase::Start)?;
//! assert!(globs.matches(&FileName::verbatim("captures/orders.har")));
//! # Ok::<(), sundown_files::GlobError>(())
//! ```
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

mod access;
mod boundary;
mod folder;
mod identity;
mod names;
pub mod toml_file;

pub use access::{FileAccess, open_special, read_limited, utf8_text};
pub use boundary::{PathBoundary, ReferenceScope, is_home, is_open_to_all, repository_root};
pub use folder::{EntryKind, Folder, FolderEntry};
pub use identity::FileIdentity;
pub use names::{
    FileName, GlobBase, GlobError, GlobList, MAX_GLOBS_WEIGHT, Names, check_glob, full_path,
    similar_path, weight_of_glob,
};
