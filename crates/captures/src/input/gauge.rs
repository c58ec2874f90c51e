//! The progress of a run.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The progress of reading, and whether to go on; shared with observers.
#[derive(Debug, Default)]
pub struct Gauge {
    /// The number of bytes read from disk.
    pub taken: AtomicUsize,
    /// The number of bytes on disk whose text has been checked.
    pub checked: AtomicUsize,
    /// The number of findings so far that count.
    pub findings: AtomicUsize,
    /// Set to stop the run.
    pub stop: AtomicBool,
}

impl Gauge {
    /// Whether the run is to stop.
    pub fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}
