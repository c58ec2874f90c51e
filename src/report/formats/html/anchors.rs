//! Anchors of rules in the page.

use crate::findings::digest;

/// An id in the page: the same in every report. Half of a digest is enough to tell those of one page apart.
pub(super) fn anchor_of(kind: &str, part: &str) -> String {
    let digest = digest(&[part]);
    format!("{kind}-{}", digest.get(..16).unwrap_or(&digest))
}
