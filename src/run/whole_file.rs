//! Files that are replaced as a whole: written under another name in the same folder, and renamed when complete.

use std::fs::{self, File, Permissions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that is being written. Unless it is finished, the previous file remains.
#[derive(Debug)]
pub(super) struct WholeFile {
    destination: Destination,
}

#[derive(Debug)]
enum Destination {
    InPlace(File),
    /// A temporary file, and its final path.
    Temporary(NamedTempFile, PathBuf),
}

/// Replaces the content of a file, so that readers see the old or the new text, never a part.
pub(super) fn write_whole(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(text)?;
    file.finish()
}

impl WholeFile {
    /// Starts a file at `path`.
    ///
    /// Anything but a file (a pipe, a device) is written in place, and so is a file in a folder that cannot be written.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        // The target of a link is replaced, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let existing = fs::metadata(&path).ok();
        if existing.as_ref().is_some_and(|existing| !existing.is_file()) {
            return Self::in_place(&path);
        }
        let permissions = existing.map(|existing| existing.permissions());
        // The owner protects such a file, although renaming would replace it.
        if permissions.as_ref().is_some_and(Permissions::readonly) {
            return Err(io::ErrorKind::PermissionDenied.into());
        }
        match temporary_file(&path) {
            Ok(file) => {
                if let Some(permissions) = permissions {
                    file.as_file().set_permissions(permissions)?;
                }
                Ok(Self { destination: Destination::Temporary(file, path) })
            }
            Err(error) if permissions.is_some() && is_closed_folder(&error) => {
                Self::in_place(&path)
            }
            Err(error) => Err(error),
        }
    }

    fn in_place(path: &Path) -> io::Result<Self> {
        Ok(Self { destination: Destination::InPlace(File::create(path)?) })
    }

    /// Renames the file to its final path.
    pub(super) fn finish(self) -> io::Result<()> {
        match self.destination {
            Destination::InPlace(mut file) => file.flush(),
            Destination::Temporary(file, path) => {
                file.as_file().sync_all()?;
                file.persist(path).map(drop).map_err(|error| error.error)
            }
        }
    }

    fn file(&mut self) -> &mut File {
        match &mut self.destination {
            Destination::InPlace(file) => file,
            Destination::Temporary(file, _) => file.as_file_mut(),
        }
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file().flush()
    }
}

/// Returns whether a file cannot be created because its folder takes no new files. Writing in place is no remedy for a full disk:
/// it would destroy the old file.
fn is_closed_folder(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem)
}

/// Creates a file next to `path`, which is deleted unless it is renamed.
fn temporary_file(path: &Path) -> io::Result<NamedTempFile> {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(".tmp");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        // Those of a new file, from which the system removes the bits of the umask. The default is for the owner only.
        builder.permissions(Permissions::from_mode(0o666));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    builder.tempfile_in(folder.unwrap_or(Path::new(".")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_folder_that_takes_no_files_makes_a_file_be_written_in_place() {
        assert!(is_closed_folder(&io::ErrorKind::PermissionDenied.into()));
        for kind in [io::ErrorKind::StorageFull, io::ErrorKind::QuotaExceeded] {
            assert!(!is_closed_folder(&kind.into()), "{kind}");
        }
    }

    #[test]
    fn a_file_is_there_whole_or_as_it_was() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("report.json");
        fs::write(&path, "old").unwrap();
        let mut begun = WholeFile::create(&path).unwrap();
        begun.write_all(b"ne").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "old");
        drop(begun);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
        write_whole(&path, b"new").unwrap();
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link_and_rights_stay_as_they_were() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("a"), folder.path().join("b"));
        fs::write(&path, "old").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&path, &link).unwrap();
        write_whole(&link, b"new").unwrap();
        assert!(link.is_symlink());
        assert_eq!(fs::read_to_string(&path).unwrap(), "new");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o640);
    }
}
