//! The identity of a finding over time. It contains neither lines nor dates, so it survives edits around the finding.

use super::{Finding, Related};
use crate::rules::TextHash;

/// The properties that distinguish a finding from all others of its file, independent of lines and dates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Identity<'f> {
    /// The rule's id.
    pub rule: &'f str,
    /// The check of a description; empty for traffic.
    pub check: &'f str,
    /// The operation; empty in a description, because the operations that reach an element change with it.
    pub operation: &'f str,
    /// The part of the exchange, by name; empty in a description.
    pub part: &'f str,
    /// The pointer with starred array indices; empty for an element that is not in a body. For an announced deprecation it is
    /// the key of the element, which has no pointer, and for a violated requirement the header field.
    pub pointer: &'f str,
}

impl<'f> Identity<'f> {
    /// The identity of a finding.
    pub fn of(finding: &'f Finding) -> Self {
        let found = &finding.found;
        let (check, operation, part) = match finding.declared() {
            None => ("", &*found.operation, found.part.name()),
            Some(declared) => (declared.check.id(), "", ""),
        };
        let pointer = finding
            .distinction()
            .map(|(key, _)| key)
            .filter(|_| found.pointer.is_none())
            .unwrap_or_else(|| finding.starred());
        Self {
            rule: &finding.rule.id,
            check,
            operation,
            part,
            pointer,
        }
    }

    /// The identity that an element inside a finding would have as a separate finding.
    pub fn inside(finding: &'f Finding, inside: &'f Related) -> Self {
        let outer = Self::of(finding);
        let part = match outer.check {
            "" => inside.part.name(),
            _ => "",
        };
        Self {
            rule: &inside.rule,
            part,
            pointer: inside.starred(),
            ..outer
        }
    }

    /// The first 128 bits of the SHA-256 hash of rule, operation, side, starred pointer and path, in hexadecimal.
    ///
    /// `path` is relative to the project's root and has `/` as separator.
    pub fn fingerprint(self, path: &str) -> String {
        let (operation, part) = match self.check {
            "" => (self.operation, self.part),
            check => ("check", check),
        };
        digest(&[self.rule, operation, part, self.pointer, path])
    }
}

/// The first 128 bits of the SHA-256 hash of the parts, each followed by a zero byte, in hexadecimal.
pub fn digest(parts: &[&str]) -> String {
    let mut hash = TextHash::default();
    for part in parts {
        hash.text(part);
    }
    hash.finish()
}
