//! Files of the repository, and files that a test makes. The programs in `tests` and the tests of the library share them.

#![allow(dead_code, reason = "each program uses a part")]

use std::path::{Path, PathBuf};
use std::time::Duration;

use chrono::NaiveDate;
use serde_json::Value;

/// A path below the repository's root.
pub(crate) fn repository(path: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(path)
}

/// The text of a file of the repository.
pub(crate) fn text(path: &str) -> String {
    std::fs::read_to_string(repository(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// A log with these records.
pub(crate) fn lines(records: &[Value]) -> String {
    records
        .iter()
        .map(|record| record.to_string() + "\n")
        .collect()
}

/// The processor time of this thread, which unlike time does not depend on what else the machine does. It is zero where the
/// system does not say it.
pub(crate) fn processor_time() -> Duration {
    let counters = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = counters
        .split(' ')
        .next()
        .and_then(|used| used.parse().ok());
    Duration::from_nanos(nanoseconds.unwrap_or_default())
}

/// All files below a folder.
pub(crate) fn sources(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    entries
        .flat_map(|path| {
            if path.is_dir() {
                sources(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

/// The date of this text.
pub(crate) fn date(text: &str) -> NaiveDate {
    text.parse()
        .unwrap_or_else(|error| panic!("{text}: {error}"))
}

/// Files in a folder of their own, which goes with them.
pub(crate) struct Files {
    folder: tempfile::TempDir,
}

impl Files {
    pub(crate) fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    /// Adds a file.
    pub(crate) fn with(self, name: &str, content: impl AsRef<[u8]>) -> Self {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
        self
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}
