//! Opens every file that a run reads, and remembers which these are.

use super::identity::{FileIdentity, device_of};
use std::collections::HashSet;
use std::fs::{self, File, Metadata};
use std::io::{self, Read};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The files that a run reads. Clones share what they remember. A file that a run reads only to replace it is opened through a value
/// of its own.
#[derive(Debug, Clone, Default)]
pub struct FileAccess {
    seen: Arc<Mutex<SeenFiles>>,
}

#[derive(Debug, Default)]
struct SeenFiles {
    read: HashSet<FileIdentity>,
    /// The devices of files that the system does not make.
    devices: HashSet<u64>,
}

/// The folders whose files the system makes when they are read. Some never end, or wait for an event, and some hold secrets of
/// the process or of the machine.
const SYSTEM_FOLDERS: [&str; 3] = ["/proc", "/sys", "/dev"];

impl FileAccess {
    /// The access of the program. Standard input counts as read: a shell may have connected it to a file.
    pub fn of_process() -> Self {
        let access = Self::default();
        #[cfg(unix)]
        {
            use std::os::fd::AsFd as _;
            if let Ok(descriptor) = io::stdin().as_fd().try_clone_to_owned() {
                // Without metadata, it is no file.
                let metadata = File::from(descriptor).metadata();
                let _ = metadata.and_then(|metadata| access.remember(Path::new("-"), &metadata));
            }
        }
        access
    }

    /// Opens a regular file. Refuses everything else before it opens it: a pipe or a device may wait or go on for ever, and
    /// opening alone can have an effect.
    pub fn open(&self, path: &Path) -> io::Result<(File, Metadata)> {
        self.refuse_special(path)?;
        let file = open_without_waiting(path)?;
        let metadata = file.metadata()?;
        // Another file may have taken its place since.
        refuse_irregular(&metadata)?;
        self.remember(path, &metadata)?;
        Ok((file, metadata))
    }

    /// Opens a file that the command line names, which may also be a pipe or a device.
    #[allow(
        clippy::disallowed_methods,
        reason = "this is one of the two places that open a file"
    )]
    pub fn open_named(&self, path: &Path) -> io::Result<(File, Metadata)> {
        let file = File::open(path)?;
        let metadata = file.metadata()?;
        self.remember(path, &metadata)?;
        Ok((file, metadata))
    }

    /// Reads a regular file of at most so many bytes.
    pub fn read_whole(&self, path: &Path, max_bytes: u64) -> io::Result<Vec<u8>> {
        read_limited(&mut self.open(path)?.0, max_bytes)
    }

    /// Whether the run has read this file, by whatever path. No output may replace it.
    pub fn has_read(&self, file: &FileIdentity) -> bool {
        self.seen().read.contains(file)
    }

    fn remember(&self, path: &Path, metadata: &Metadata) -> io::Result<()> {
        if metadata.is_file() {
            let identity = FileIdentity::of(path, metadata)?;
            self.seen().read.insert(identity);
        }
        Ok(())
    }

    /// Refuses a path that leads to no regular file, or to one that the system makes. Its path is resolved only if no other file of its
    /// device was accepted before.
    pub fn refuse_special(&self, path: &Path) -> io::Result<()> {
        let metadata = path.metadata()?;
        refuse_irregular(&metadata)?;
        let device = device_of(&metadata);
        if self.seen().devices.contains(&device) {
            return Ok(());
        }
        let real = path.canonicalize()?;
        let is_of_system = SYSTEM_FOLDERS.iter().any(|folder| real.starts_with(folder));
        // Files of shared memory are as those of other folders.
        if is_of_system && !real.starts_with("/dev/shm") {
            return Err(io::Error::other(
                "it is a file of the system, in /proc, /sys or /dev",
            ));
        }
        // The files of such a device may also be where they are refused.
        let mut system = SYSTEM_FOLDERS.iter().flat_map(fs::metadata);
        if system.all(|folder| device_of(&folder) != device) {
            self.seen().devices.insert(device);
        }
        Ok(())
    }

    fn seen(&self) -> MutexGuard<'_, SeenFiles> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Opens a pipe or a device that the command line names, for writing.
#[allow(clippy::disallowed_methods, reason = "it writes to what is no file")]
pub fn open_special(path: &Path) -> io::Result<File> {
    File::options().write(true).truncate(true).open(path)
}

/// The text of a file. An error says that it is none.
pub fn utf8_text(bytes: Vec<u8>) -> io::Result<String> {
    String::from_utf8(bytes).map_err(|_| io::Error::other("it is not UTF-8"))
}

/// Reads all of a source. More than so many bytes are an error, and not kept in memory.
pub fn read_limited(source: &mut dyn Read, max_bytes: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    source
        .take(max_bytes.saturating_add(1))
        .read_to_end(&mut bytes)?;
    if u64::try_from(bytes.len()).unwrap_or(u64::MAX) > max_bytes {
        let (number, unit) = match max_bytes >> 20 {
            0 => (max_bytes >> 10, "KiB"),
            number => (number, "MiB"),
        };
        let message = format!("it is larger than {number} {unit}");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, message));
    }
    Ok(bytes)
}

fn refuse_irregular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_dir() {
        return Err(io::ErrorKind::IsADirectory.into());
    }
    if !metadata.is_file() {
        return Err(io::Error::other("it is a pipe, a socket or a device"));
    }
    Ok(())
}

/// Opens a file, also if a pipe without a writer has taken its place.
#[cfg(unix)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    use rustix::fs::{Mode, OFlags, open};
    let flags = OFlags::RDONLY | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    Ok(File::from(open(path, flags, Mode::empty())?))
}

#[cfg(not(unix))]
#[allow(
    clippy::disallowed_methods,
    reason = "this is one of the two places that open a file"
)]
fn open_without_waiting(path: &Path) -> io::Result<File> {
    File::open(path)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn identity(path: &Path) -> FileIdentity {
        FileIdentity::of(path, &path.metadata().unwrap()).unwrap()
    }

    fn file(folder: &tempfile::TempDir, name: &str) -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, name).unwrap();
        path
    }

    #[test]
    fn a_file_that_was_read_is_known_and_no_other_is() {
        let folder = tempfile::tempdir().unwrap();
        let (one, other) = (file(&folder, "one"), file(&folder, "other"));
        let access = FileAccess::default();
        assert_eq!(access.clone().read_whole(&one, 3).unwrap(), b"one");
        assert!(access.has_read(&identity(&one)));
        assert!(!access.has_read(&identity(&other)));
    }

    #[test]
    fn a_file_is_read_up_to_its_limit() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("large");
        std::fs::write(&path, [b'a'; 2048]).unwrap();
        let access = FileAccess::default();
        assert_eq!(access.read_whole(&path, 2048).unwrap().len(), 2048);
        let error = access.read_whole(&path, 1024).unwrap_err();
        assert_eq!(error.to_string(), "it is larger than 1 KiB");
    }

    #[cfg(unix)]
    #[test]
    fn another_name_of_a_file_is_the_same_file() {
        let folder = tempfile::tempdir().unwrap();
        let one = file(&folder, "one");
        let [hard, soft] = ["hard", "soft"].map(|name| folder.path().join(name));
        std::fs::hard_link(&one, &hard).unwrap();
        std::os::unix::fs::symlink(&one, &soft).unwrap();
        let access = FileAccess::default();
        access.open(&soft).unwrap();
        assert!(access.has_read(&identity(&hard)));
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_regular_file_is_refused_without_waiting() {
        use rustix::fs::{CWD, FileType, Mode, mknodat};
        let folder = tempfile::tempdir().unwrap();
        let [pipe, socket, link] = ["pipe", "socket", "link"].map(|name| folder.path().join(name));
        mknodat(CWD, &pipe, FileType::Fifo, Mode::RWXU, 0).unwrap();
        let _socket = std::os::unix::net::UnixListener::bind(&socket).unwrap();
        std::os::unix::fs::symlink(&pipe, &link).unwrap();
        for path in [&pipe, &socket, &link, Path::new("/dev/zero")] {
            let error = FileAccess::default().open(path).unwrap_err();
            assert_eq!(
                error.to_string(),
                "it is a pipe, a socket or a device",
                "{path:?}"
            );
        }
        // Also if it took the place of a file after that was looked at.
        assert!(
            open_without_waiting(&pipe)
                .unwrap()
                .metadata()
                .unwrap()
                .len()
                == 0
        );
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_the_system_are_refused_and_those_in_shared_memory_are_not() {
        for path in [
            "/proc/self/environ",
            "/proc/self/fdinfo/0",
            "/sys/kernel/uevent_seqnum",
        ] {
            if !Path::new(path).exists() {
                continue;
            }
            let error = FileAccess::default().open(Path::new(path)).unwrap_err();
            assert!(error.to_string().contains("a file of the system"), "{path}");
        }
        if let Ok(file) = tempfile::NamedTempFile::new_in("/dev/shm") {
            FileAccess::default().open(file.path()).unwrap();
        }
    }
}
