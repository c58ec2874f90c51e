//! Counts different hosts without keeping their names.

use std::collections::BTreeSet;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

use serde::{Deserialize, Serialize};

/// The hashes of the names of hosts, up to a limit.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HostCount(BTreeSet<u64>);

/// The largest number of hosts that are counted.
const MAX_HOSTS: usize = 10_000;

impl HostCount {
    /// Counts a host.
    pub(super) fn add(&mut self, name: &str) {
        self.add_hash(BuildHasherDefault::<DefaultHasher>::default().hash_one(name));
    }

    /// Counts the hosts of another part of the run.
    pub(super) fn merge(&mut self, other: &Self) {
        for &hash in &other.0 {
            self.add_hash(hash);
        }
    }

    fn add_hash(&mut self, hash: u64) {
        if self.0.len() < MAX_HOSTS {
            self.0.insert(hash);
        }
    }

    /// Returns whether there is none.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The number of hosts, for people.
    pub(super) fn text(&self) -> String {
        match self.0.len() {
            0 => "unnamed hosts".to_owned(),
            1 => "1 host".to_owned(),
            MAX_HOSTS.. => format!("at least {MAX_HOSTS} hosts"),
            count => format!("{count} hosts"),
        }
    }
}
