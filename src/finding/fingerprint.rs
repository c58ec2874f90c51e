//! The identity of a finding over time: neither lines nor dates, so that it survives edits around it.

use sha2::{Digest, Sha256};

use super::Finding;

/// The first 128 bits of a SHA-256 over rule, operation, side, starred pointer and path, in hexadecimal.
///
/// `path` is relative to where the run started, with `/` between its parts.
pub fn fingerprint(finding: &Finding, path: &str) -> String {
    digest(&[
        &finding.rule.id,
        &*finding.found.operation,
        finding.found.part.name(),
        finding.starred(),
        path,
    ])
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
