//! The local files that descriptions refer to.

use std::cell::Cell;
use std::io;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use crate::FileSource;
use sundown_files::{FileAccess, PathBoundary, ReferenceScope};
use sundown_text_json::Limits;

/// Reads the files that a description refers to, as long as their sizes do not exceed a limit together.
#[derive(Debug)]
pub struct LocalFiles<'a> {
    access: &'a FileAccess,
    limits: Limits,
    /// The boundary of the files; `None` if they may be anywhere.
    boundary: Option<PathBoundary>,
    /// The number of bytes that may still be read.
    room: Rc<Cell<u64>>,
    /// The limit in words.
    limit: &'static str,
}

impl<'a> LocalFiles<'a> {
    /// For a description in a run, whose files may have as many bytes together as a record. `name` is its path.
    pub fn of_input(
        access: &'a FileAccess,
        name: &str,
        scope: ReferenceScope,
        named: &[PathBuf],
        limits: Limits,
    ) -> Self {
        let file = Path::new(name);
        let named = named.iter().filter(|folder| {
            file.starts_with(folder) || (folder.as_path() == Path::new(".") && file.is_relative())
        });
        Self {
            access,
            limits,
            boundary: boundary(scope, file, named),
            room: Rc::new(Cell::new(u64::try_from(limits.record).unwrap_or(u64::MAX))),
            limit: "--max-record allows",
        }
    }

    /// For rules, or a description that is used as rules. `named` is the folder that they belong to, if it is not their own; `room` is
    /// the number of bytes that may still be read, which all of them share.
    pub fn of_rules(
        access: &'a FileAccess,
        path: &Path,
        scope: ReferenceScope,
        named: Option<&PathBuf>,
        room: &Rc<Cell<u64>>,
        limits: Limits,
    ) -> Self {
        Self {
            access,
            limits,
            boundary: boundary(scope, path, named.into_iter()),
            room: Rc::clone(room),
            limit: "128 MiB",
        }
    }

    /// Reads a file, wherever it is.
    pub fn read_named(&self, path: &Path) -> io::Result<Vec<u8>> {
        let room = self.room.get();
        let bytes = self
            .access
            .read_whole(path, room)
            .map_err(|error| match error.kind() {
                io::ErrorKind::FileTooLarge => {
                    let message = format!("the files are larger than {} together", self.limit);
                    io::Error::new(io::ErrorKind::FileTooLarge, message)
                }
                _ => error,
            })?;
        self.room
            .set(room - u64::try_from(bytes.len()).unwrap_or(room));
        Ok(bytes)
    }
}

impl FileSource for LocalFiles<'_> {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        let path = Path::new(name);
        // Before anything else: the error must not say whether a file outside exists.
        if let Some(boundary) = self
            .boundary
            .as_ref()
            .filter(|boundary| !boundary.contains(path))
        {
            let around = if boundary.is_repository() {
                "repository"
            } else {
                "folder"
            };
            let outside = format!("it is outside of the {around}; --allow-outside accepts it");
            return Err(io::Error::other(outside));
        }
        self.read_named(path)
    }

    fn limits(&self) -> Limits {
        self.limits
    }
}

/// Returns the boundary of the files to which a file refers.
fn boundary<'n>(
    scope: ReferenceScope,
    file: &Path,
    named: impl Iterator<Item = &'n PathBuf>,
) -> Option<PathBoundary> {
    match scope {
        ReferenceScope::Anywhere => None,
        ReferenceScope::Inside => Some(PathBoundary::around(
            file.parent().unwrap_or(Path::new("")),
            named,
        )),
    }
}
