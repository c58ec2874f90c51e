//! A folder whose files are looked at, created and replaced, and which stays the same folder meanwhile.
//!
//! On Unix it is held by its descriptor: to exchange it, or a folder above it, for a link after it was opened changes nothing.
//! The standard library has no such functions. On other systems it is held by its path, and each name is looked at right before
//! it is used: Windows lets only administrators and developers make symbolic links, and Git makes none there by default.

use std::ffi::{OsStr, OsString};
use std::fs::{File, TryLockError};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;

use super::FileIdentity;

/// How many names a file that is to replace another may have. Of the files under all of them, those without a writer are removed.
const MAX_NAMES: u64 = 4;

/// An open folder, kept open by its descriptor, or known by its path. Each system opens, renames and removes in its own way.
#[derive(Debug)]
pub struct Folder(#[cfg(unix)] File, #[cfg(not(unix))] std::path::PathBuf);

/// An entry of a folder: a link itself, not its target.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FolderEntry {
    pub kind: EntryKind,
    /// What distinguishes it from other files.
    pub identity: FileIdentity,
    /// The bits of its access rights as Unix has them; elsewhere only whether it can be written.
    pub mode: u32,
    /// The numbers of its owner and its group; `None` where files have none.
    pub owner: Option<(u32, u32)>,
}

/// The kind of an entry of a folder.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EntryKind {
    /// A regular file.
    File,
    Folder,
    /// A symbolic link.
    Link,
    /// A pipe, a socket or a device.
    Special,
}

impl FolderEntry {
    /// Whether no user has the right to write to it.
    pub fn is_read_only(&self) -> bool {
        self.mode & 0o222 == 0
    }
}

impl Folder {
    /// Returns the entry with this name; `None` if there is none.
    pub fn entry(&self, name: &OsStr) -> io::Result<Option<FolderEntry>> {
        match self.entry_of(name) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            entry => entry.map(Some),
        }
    }

    /// Creates a file that was not there before and that is to replace `target`, under a name that is short in every folder, and
    /// returns both. The name follows from the target, and the file is locked while it is open: what a run that was killed has left
    /// is removed by the next one with the same target.
    pub fn create_temporary(&self, target: &OsStr) -> io::Result<(OsString, File)> {
        let mut hasher = DefaultHasher::new();
        target.hash(&mut hasher);
        let first = hasher.finish();
        for trial in 0.. {
            let number = match trial {
                0..MAX_NAMES => first.wrapping_add(trial),
                // Others have taken the names.
                _ => getrandom::u64().map_err(io::Error::other)?,
            };
            let name = OsString::from(format!(".sundown-{number:016x}.tmp"));
            self.remove_leftover(&name);
            match self.create_new(&name) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(error),
                // Before it was locked, another run may have taken it for a leftover.
                Ok(file) => match file.try_lock() {
                    Err(TryLockError::WouldBlock) => {}
                    _ if !self.is_named(&file, &name) => {}
                    _ => return Ok((name, file)),
                },
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Removes a file without a writer, which would have locked it. A link is no such file.
    fn remove_leftover(&self, name: &OsStr) {
        let entry = self
            .entry(name)
            .ok()
            .flatten()
            .filter(|entry| entry.kind == EntryKind::File);
        let file = entry.and_then(|_| self.open_file(name).ok());
        // While it is locked, no other run gives the name to another file.
        if let Some(file) = file
            && file.try_lock().is_ok()
            && self.is_named(&file, name)
        {
            // If that fails, another name is free.
            let _ = self.remove(name);
        }
    }
}

#[cfg(unix)]
mod system {
    use std::ffi::OsStr;
    use std::fs::{File, TryLockError};
    use std::io;
    use std::path::Path;
    use std::time::Duration;

    use rustix::fs::{AtFlags, FileType, Mode, OFlags};

    use super::{EntryKind, Folder, FolderEntry};
    use crate::FileIdentity;

    /// How often and how far apart a lock is tried: a baseline is written in milliseconds, and anybody who can read a folder can
    /// lock it for ever.
    const MAX_LOCK_TRIALS: usize = 100;
    const LOCK_TRIAL: Duration = Duration::from_millis(100);

    impl Folder {
        /// Opens a folder. Links in its path are followed.
        pub fn open(path: &Path) -> io::Result<Self> {
            let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
            Ok(Self(rustix::fs::open(path, flags, Mode::empty())?.into()))
        }

        /// Opens a folder in this one, which must not be a link.
        pub fn open_folder(&self, name: &OsStr) -> io::Result<Self> {
            self.open_at(name, OFlags::RDONLY | OFlags::DIRECTORY)
                .map(Self)
        }

        pub(super) fn entry_of(&self, name: &OsStr) -> io::Result<FolderEntry> {
            let status = rustix::fs::statat(&self.0, name, AtFlags::SYMLINK_NOFOLLOW)?;
            let kind = match FileType::from_raw_mode(status.st_mode) {
                FileType::RegularFile => EntryKind::File,
                FileType::Directory => EntryKind::Folder,
                FileType::Symlink => EntryKind::Link,
                _ => EntryKind::Special,
            };
            #[allow(clippy::useless_conversion, reason = "its type depends on the system")]
            let mode = u32::from(Mode::from_raw_mode(status.st_mode).bits());
            Ok(FolderEntry {
                kind,
                identity: FileIdentity::of_status(&status),
                mode,
                owner: Some((status.st_uid, status.st_gid)),
            })
        }

        /// Opens a file for reading, which must be no link. Does not wait for the other end of a pipe.
        pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
            self.open_at(name, OFlags::RDONLY | OFlags::NONBLOCK)
        }

        /// Whether the folder has this very file under the name.
        pub(super) fn is_named(&self, file: &File, name: &OsStr) -> bool {
            let own = rustix::fs::fstat(file);
            let own = own.map(|status| FileIdentity::of_status(&status));
            let named = self.entry_of(name).map(|entry| entry.identity);
            own.is_ok_and(|own| named.is_ok_and(|named| named == own))
        }

        /// Opens a file for writing, which must be no link, and empties it.
        pub fn open_emptied(&self, name: &OsStr) -> io::Result<File> {
            self.open_at(name, OFlags::WRONLY | OFlags::TRUNC)
        }

        pub(super) fn create_new(&self, name: &OsStr) -> io::Result<File> {
            self.open_at(name, OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL)
        }

        /// Gives a file in this folder another name, which it takes from the file that has it.
        pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            Ok(rustix::fs::renameat(&self.0, from, &self.0, to)?)
        }

        /// Deletes a file.
        pub fn remove(&self, name: &OsStr) -> io::Result<()> {
            Ok(rustix::fs::unlinkat(&self.0, name, AtFlags::empty())?)
        }

        /// Waits some seconds until no other run of this program has locked the folder, and locks it until the returned file is closed.
        /// Where the file system has no locks for folders, there is no protection from a second run.
        pub fn lock(&self) -> io::Result<Option<File>> {
            // A descriptor of its own: the lock ends when it is closed.
            let folder = self.open_at(OsStr::new("."), OFlags::RDONLY | OFlags::DIRECTORY)?;
            for _ in 0..MAX_LOCK_TRIALS {
                match folder.try_lock() {
                    Ok(()) => return Ok(Some(folder)),
                    Err(TryLockError::Error(_)) => return Ok(None),
                    Err(TryLockError::WouldBlock) => std::thread::sleep(LOCK_TRIAL),
                }
            }
            Err(io::Error::new(
                io::ErrorKind::WouldBlock,
                "another program has locked its folder",
            ))
        }

        /// The rights are those of a new file, from which the system removes the bits of the umask.
        fn open_at(&self, name: &OsStr, flags: OFlags) -> io::Result<File> {
            let flags = flags | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            Ok(rustix::fs::openat(&self.0, name, flags, Mode::from_raw_mode(0o666))?.into())
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::ffi::OsStr;
    use std::fs::{self, File, OpenOptions};
    use std::io;
    use std::path::Path;

    use super::{EntryKind, Folder, FolderEntry};
    use crate::FileIdentity;

    impl Folder {
        /// Opens a folder. Links in its path are followed.
        pub fn open(path: &Path) -> io::Result<Self> {
            path.canonicalize().map(Self)
        }

        /// Opens a folder in this one, which must not be a link.
        pub fn open_folder(&self, name: &OsStr) -> io::Result<Self> {
            match self.entry_of(name)?.kind {
                EntryKind::Folder => Ok(Self(self.0.join(name))),
                _ => Err(io::ErrorKind::NotADirectory.into()),
            }
        }

        pub(super) fn entry_of(&self, name: &OsStr) -> io::Result<FolderEntry> {
            let path = self.0.join(name);
            let metadata = fs::symlink_metadata(&path)?;
            let kind = match metadata.file_type() {
                kind if kind.is_symlink() => EntryKind::Link,
                kind if kind.is_dir() => EntryKind::Folder,
                kind if kind.is_file() => EntryKind::File,
                _ => EntryKind::Special,
            };
            let mode = if metadata.permissions().readonly() {
                0o444
            } else {
                0o666
            };
            // The path of a link is that of its target.
            let identity = FileIdentity::of(&path, &metadata)?;
            Ok(FolderEntry {
                kind,
                identity,
                mode,
                owner: None,
            })
        }

        /// Opens a file for reading, which must be no link. Does not wait for the other end of a pipe.
        pub fn open_file(&self, name: &OsStr) -> io::Result<File> {
            self.open_with(name, OpenOptions::new().read(true))
        }

        /// Whether the folder has this very file under the name: an open file keeps its name here.
        pub(super) fn is_named(&self, _: &File, name: &OsStr) -> bool {
            self.entry_of(name).is_ok()
        }

        /// Opens a file for writing, which must be no link, and empties it.
        pub fn open_emptied(&self, name: &OsStr) -> io::Result<File> {
            self.open_with(name, OpenOptions::new().write(true).truncate(true))
        }

        pub(super) fn create_new(&self, name: &OsStr) -> io::Result<File> {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .open(self.0.join(name))
        }

        /// Gives a file in this folder another name, which it takes from the file that has it.
        pub fn rename(&self, from: &OsStr, to: &OsStr) -> io::Result<()> {
            fs::rename(self.0.join(from), self.0.join(to))
        }

        /// Deletes a file.
        pub fn remove(&self, name: &OsStr) -> io::Result<()> {
            fs::remove_file(self.0.join(name))
        }

        /// Waits some seconds until no other run of this program has locked the folder, and locks it until the returned file is closed.
        /// Where the file system has no locks for folders, there is no protection from a second run.
        pub fn lock(&self) -> io::Result<Option<File>> {
            Ok(None)
        }

        fn open_with(&self, name: &OsStr, options: &OpenOptions) -> io::Result<File> {
            match self.entry_of(name)?.kind {
                EntryKind::File => options.open(self.0.join(name)),
                _ => Err(io::Error::other("it is not a file")),
            }
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;
    use std::io::Write as _;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn an_open_folder_stays_the_same_when_a_link_takes_its_place() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        fs::create_dir(path("reports")).unwrap();
        fs::create_dir(path("elsewhere")).unwrap();
        fs::write(path("elsewhere/a"), "kept").unwrap();
        let folder = Folder::open(root.path())
            .unwrap()
            .open_folder("reports".as_ref())
            .unwrap();
        fs::rename(path("reports"), path("moved")).unwrap();
        symlink("elsewhere", path("reports")).unwrap();
        let (temporary, mut file) = folder.create_temporary("a".as_ref()).unwrap();
        file.write_all(b"new").unwrap();
        folder.rename(&temporary, "a".as_ref()).unwrap();
        assert_eq!(fs::read_to_string(path("elsewhere/a")).unwrap(), "kept");
        assert_eq!(fs::read_to_string(path("moved/a")).unwrap(), "new");
    }

    #[test]
    fn what_a_killed_run_has_left_is_removed_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let folder = Folder::open(root.path()).unwrap();
        let create = || folder.create_temporary("a".as_ref()).unwrap();
        let (first, written) = create();
        let (second, _) = create();
        assert_ne!(first, second, "the first is still written");
        drop(written);
        assert_eq!(create().0, first, "both are left");
        folder.remove(&first).unwrap();
        fs::write(root.path().join("kept"), "").unwrap();
        symlink("kept", root.path().join(&first)).unwrap();
        assert_eq!(create().0, second, "a link is none");
        assert!(root.path().join(first).exists());
    }

    #[test]
    fn no_link_is_followed() {
        let root = tempfile::tempdir().unwrap();
        fs::create_dir(root.path().join("folder")).unwrap();
        fs::write(root.path().join("file"), "kept").unwrap();
        for (target, link) in [
            ("folder", "to-folder"),
            ("file", "to-file"),
            ("none", "to-none"),
        ] {
            symlink(target, root.path().join(link)).unwrap();
        }
        let folder = Folder::open(root.path()).unwrap();
        for link in ["to-folder", "to-file", "to-none"] {
            let link = OsStr::new(link);
            assert_eq!(folder.entry(link).unwrap().unwrap().kind, EntryKind::Link);
            assert!(folder.open_folder(link).is_err());
            assert!(folder.open_file(link).is_err());
            assert!(folder.open_emptied(link).is_err());
        }
        assert_eq!(
            fs::read_to_string(root.path().join("file")).unwrap(),
            "kept"
        );
        assert_eq!(folder.entry("nothing".as_ref()).unwrap(), None);
    }
}
