//! The identity of a finding over time: neither lines nor dates, so that it survives edits around it.

use sha2::{Digest, Sha256};

use super::Finding;

/// The first 128 bits of a SHA-256 over rule, operation, side, starred pointer and path, in hexadecimal.
///
/// In a description, the check stands for operation and side: those that reach an element come and go. What is announced is
/// told apart by its element, as nothing points to it.
///
/// `path` is relative to where the run started, with `/` between its parts.
pub fn fingerprint(finding: &Finding, path: &str) -> String {
    if let Some((element, _)) = finding.announcement() {
        let (operation, part) = (&finding.found.operation, finding.found.part.name());
        return digest(&[&finding.rule.id, operation, part, &element, path]);
    }
    let (operation, part) = match finding.check() {
        None => (&*finding.found.operation, finding.found.part.name()),
        Some(check) => ("check", check.id()),
    };
    digest(&[&finding.rule.id, operation, part, finding.starred(), path])
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
