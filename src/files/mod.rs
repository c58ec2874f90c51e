//! Files: their names, globs that select them, and how a run opens them. It remembers which it has read. Clippy forbids the functions
//! of the standard library that would bypass it.

mod access;
mod boundary;
mod folder;
mod identity;
mod names;

pub use access::{FileAccess, open_special, read_limited, refuse_special};
pub use boundary::{PathBoundary, ReferenceScope, is_home, is_open_to_all, repository_root};
pub use folder::{EntryKind, Folder, FolderEntry};
pub use identity::FileIdentity;
pub use names::{
    FileName, GlobBase, GlobError, GlobList, MAX_GLOBS_WEIGHT, Names, check_glob, full_path,
    weight_of_glob,
};
