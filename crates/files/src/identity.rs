//! What distinguishes a file from all others, whatever its path.

use std::fs::Metadata;
use std::io;
use std::path::Path;

/// A file: on Unix by its device and inode, elsewhere by its path without links. There, two hard links to a file are two files: no
/// stable function of the standard library gives its number.
#[cfg_attr(unix, derive(Copy))]
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct FileIdentity {
    #[cfg(unix)]
    device: u64,
    #[cfg(unix)]
    inode: u64,
    #[cfg(not(unix))]
    path: std::path::PathBuf,
}

impl FileIdentity {
    /// The file at `path`, which has been opened and has this metadata.
    #[cfg(unix)]
    #[allow(
        clippy::unnecessary_wraps,
        reason = "other systems have to ask for the path"
    )]
    pub fn of(_path: &Path, metadata: &Metadata) -> io::Result<Self> {
        use std::os::unix::fs::MetadataExt as _;
        Ok(Self {
            device: device_of(metadata),
            inode: metadata.ino(),
        })
    }

    /// The file with this status. The types of its numbers depend on the system, and are converted as the standard library does.
    #[cfg(unix)]
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_sign_loss,
        reason = "they depend on the system"
    )]
    pub(super) fn of_status(status: &rustix::fs::Stat) -> Self {
        Self {
            device: status.st_dev as u64,
            inode: status.st_ino as u64,
        }
    }

    /// The file at `path`, which has been opened and has this metadata.
    #[cfg(not(unix))]
    pub fn of(path: &Path, _metadata: &Metadata) -> io::Result<Self> {
        Ok(Self {
            path: path.canonicalize()?,
        })
    }
}

/// The number of the device that has a file.
#[cfg(unix)]
pub(super) fn device_of(metadata: &Metadata) -> u64 {
    std::os::unix::fs::MetadataExt::dev(metadata)
}

/// The device of all files of a system that makes none when they are read.
#[cfg(not(unix))]
pub(super) fn device_of(_metadata: &Metadata) -> u64 {
    0
}
