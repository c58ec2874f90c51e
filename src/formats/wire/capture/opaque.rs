//! What connections carry that is no HTTP/1.1.

use crate::text::Span;
use crate::traffic::Reason;

/// What carries no messages that could be read, or no longer.
#[derive(Debug)]
pub(super) struct Opaque {
    pub(super) reason: Reason,
    pub(super) detail: &'static str,
    pub(super) at: Span,
    pub(super) bytes: usize,
    pub(super) is_told: bool,
}

/// How many bytes tell what a connection carries.
pub(super) const ENOUGH: usize = 16;

pub(super) const OTHER: &str = "neither HTTP/1.1 nor anything else that is known";

/// What a connection carries that carries no HTTP/1.1, by its first bytes.
pub(super) fn what_else(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x14..=0x17, 3, 0..=4, ..] => "it is encrypted (TLS)",
        _ if bytes.starts_with(b"PRI * HTTP/2") => "it is HTTP/2",
        [_, _, _, 4, _, 0, 0, 0, 0, ..] => "it is HTTP/2",
        _ if bytes.starts_with(b"SSH-") => "it is encrypted (SSH)",
        _ => OTHER,
    }
}
