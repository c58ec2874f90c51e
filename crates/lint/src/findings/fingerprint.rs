//! The identity of a finding over time. It contains neither lines nor dates, so it survives edits around the finding.

use sha2::{Digest, Sha256};

use super::{Finding, Related};

/// The properties that distinguish a finding from all others of its file, independent of lines and dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity<'f> {
    /// The rule's id.
    pub rule: &'f str,
    /// The operation and part, or the check.
    pub site: FindingSite<'f>,
    /// The pointer with starred array indices; empty for an element that is not in a body. For an announced deprecation it is
    /// the key of the element, which has no pointer, and for a violated requirement the header field.
    pub pointer: &'f str,
}

/// Where a finding is, besides its pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingSite<'f> {
    /// In traffic.
    Traffic {
        /// The operation.
        operation: &'f str,
        /// The part of the exchange, by name.
        part: &'f str,
    },
    /// In a description: the check alone, because the operations that reach an element change with the description.
    Check(&'f str),
}

impl<'f> Identity<'f> {
    /// The identity of a finding.
    pub fn of(finding: &'f Finding) -> Self {
        let site = match finding.declared() {
            None => FindingSite::Traffic {
                operation: &finding.found.operation,
                part: finding.found.part.name(),
            },
            Some(declared) => FindingSite::Check(declared.check.id()),
        };
        let pointer = finding
            .distinction()
            .map(|(key, _)| key)
            .filter(|_| finding.found.pointer.is_none())
            .unwrap_or_else(|| finding.starred());
        Self {
            rule: &finding.rule.id,
            site,
            pointer,
        }
    }

    /// The identity that an element inside a finding would have as a separate finding.
    pub fn inside(finding: &'f Finding, inside: &'f Related) -> Self {
        let outer = Self::of(finding);
        let site = match outer.site {
            FindingSite::Traffic { operation, .. } => FindingSite::Traffic {
                operation,
                part: inside.part.name(),
            },
            check @ FindingSite::Check(_) => check,
        };
        Self {
            rule: &inside.rule,
            site,
            pointer: inside.starred(),
        }
    }

    /// The first 128 bits of the SHA-256 hash of rule, operation, side, starred pointer and path, in hexadecimal.
    ///
    /// `path` is relative to the project's root and has `/` as separator.
    pub fn fingerprint(self, path: &str) -> String {
        let (operation, part) = match self.site {
            FindingSite::Traffic { operation, part } => (operation, part),
            FindingSite::Check(check) => ("check", check),
        };
        digest(&[self.rule, operation, part, self.pointer, path])
    }
}

/// The first 128 bits of the SHA-256 hash of the parts, each followed by a zero byte, in hexadecimal.
pub fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.finalize()
        .iter()
        .take(16)
        .fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}
