//! Rules that a run does not use: calls that they would be about are counted, for a hint.

use std::fmt;

use sundown_exchange::{Method, Target};

/// Rules that a run does not use.
pub trait UnusedRules: fmt::Debug + Sync {
    /// The index of the first set with a rule about a call.
    fn find(&self, method: Option<&Method>, target: &Target<'_>) -> Option<usize>;

    /// Whether a rule may be about a call with such a path on some host.
    fn may_find(&self, target: &Target<'_>) -> bool;

    /// Whether a segment of a path may decide which set is found.
    fn knows(&self, segment: &str) -> bool;
}
