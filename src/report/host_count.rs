//! Counts different hosts without keeping their names.

use std::collections::HashSet;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};

/// The hashes of the names of hosts, up to a limit.
#[derive(Debug, Default)]
pub(super) struct HostCount(HashSet<u64>);

/// The largest number of hosts that are counted.
const MOST_HOSTS: usize = 10_000;

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
        if self.0.len() < MOST_HOSTS {
            self.0.insert(hash);
        }
    }

    /// The number of hosts, for people.
    pub(super) fn text(&self) -> String {
        match self.0.len() {
            0 => "unnamed hosts".to_owned(),
            1 => "1 host".to_owned(),
            MOST_HOSTS.. => format!("at least {MOST_HOSTS} hosts"),
            count => format!("{count} hosts"),
        }
    }
}
