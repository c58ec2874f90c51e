//! The identity of a finding over time: neither lines nor dates, so that it survives edits around it.

use sha2::{Digest, Sha256};

use super::{Finding, Related};

/// What tells a finding from all others of its file, and stays when lines and dates change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity<'f> {
    /// The rule's id.
    pub rule: &'f str,
    /// What of the exchange, or which check.
    pub site: FindingSite<'f>,
    /// The pointer with array indices starred; empty for what is not in a body. Of what is announced the element, to which
    /// nothing points.
    pub pointer: &'f str,
}

/// Where a finding is, beside its pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FindingSite<'f> {
    /// In traffic.
    Traffic {
        /// The operation.
        operation: &'f str,
        /// The part of the exchange, by name.
        part: &'f str,
    },
    /// In a description, for which the check stands: the operations and sides that reach an element come and go.
    Check(&'f str),
}

impl<'f> Identity<'f> {
    /// The identity of a finding.
    pub fn of(finding: &'f Finding) -> Self {
        let site = match &finding.declared {
            None => FindingSite::Traffic {
                operation: &finding.found.operation,
                part: finding.found.part.name(),
            },
            Some(declared) => FindingSite::Check(declared.check.id()),
        };
        let announced = finding.announced.as_ref().map(|announced| announced.key.as_str());
        let pointer = announced.unwrap_or_else(|| finding.starred());
        Self { rule: &finding.rule.id, site, pointer }
    }

    /// The identity that an element inside a finding would have as a finding of its own.
    pub fn inside(finding: &'f Finding, inside: &'f Related) -> Self {
        Self { rule: &inside.rule, pointer: &inside.pointer.starred, ..Self::of(finding) }
    }

    /// The first 128 bits of a SHA-256 over rule, operation, side, starred pointer and path, in hexadecimal.
    ///
    /// `path` is relative to the project's root, with `/` between its parts.
    pub fn fingerprint(self, path: &str) -> String {
        let (operation, part) = match self.site {
            FindingSite::Traffic { operation, part } => (operation, part),
            FindingSite::Check(check) => ("check", check),
        };
        digest(&[self.rule, operation, part, self.pointer, path])
    }
}

/// The fingerprint of a finding in the file of this name: see [`Identity::fingerprint`].
pub fn fingerprint(finding: &Finding, path: &str) -> String {
    Identity::of(finding).fingerprint(path)
}

/// The first 128 bits of a SHA-256 over the parts, each with a zero byte behind it, in hexadecimal.
pub fn digest(parts: &[&str]) -> String {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part.as_bytes());
        hash.update([0]);
    }
    hash.finalize().iter().take(16).fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"))
}
