//! Files that are complete or absent: written under another name in the same folder, and renamed when complete.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// A file that is being written. Unless it is finished, nothing of it remains.
#[derive(Debug)]
pub(super) struct WholeFile {
    file: File,
    /// The temporary path and the final one; `None` if it is written in place.
    way: Option<(PathBuf, PathBuf)>,
}

/// Replaces a text, so that no one ever sees half of it.
pub(super) fn write_whole(path: &Path, text: &[u8]) -> io::Result<()> {
    let mut file = WholeFile::create(path)?;
    file.write_all(text)?;
    file.finish()
}

impl WholeFile {
    /// Begins a file at `path`.
    ///
    /// Anything but a file (a pipe, a device) is written in place, and so is a file in a folder that cannot be written.
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        // The target of a link is replaced, not the link.
        let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
        let there = fs::metadata(&path);
        if there.as_ref().is_ok_and(|there| !there.is_file()) {
            return Ok(Self { file: File::create(&path)?, way: None });
        }
        let beside = beside(&path);
        match OpenOptions::new().write(true).create_new(true).open(&beside) {
            Ok(file) => {
                let begun = Self { file, way: Some((beside, path)) };
                if let Ok(there) = there {
                    // A read-only file is not replaced either.
                    if there.permissions().readonly() {
                        return Err(io::ErrorKind::PermissionDenied.into());
                    }
                    begun.file.set_permissions(there.permissions())?;
                }
                Ok(begun)
            }
            Err(_) if there.is_ok() => Ok(Self { file: File::create(&path)?, way: None }),
            Err(error) => Err(error),
        }
    }

    /// Renames the file to its final path.
    pub(super) fn finish(mut self) -> io::Result<()> {
        let Some((beside, path)) = &self.way else { return self.file.flush() };
        self.file.sync_all()?;
        fs::rename(beside, path)?;
        self.way = None;
        Ok(())
    }
}

impl Write for WholeFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Drop for WholeFile {
    fn drop(&mut self) {
        if let Some((beside, _)) = &self.way {
            // The error that prevented its completion is the one to report.
            let _ = fs::remove_file(beside);
        }
    }
}

/// A name in the same folder that nothing else uses.
fn beside(path: &Path) -> PathBuf {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    path.with_file_name(format!(".{name}.{}.tmp", std::process::id()))
}

#[cfg(test)]
mod tests {
    use super::*;

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
