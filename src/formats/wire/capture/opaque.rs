//! Protocols other than HTTP/1.1 on connections.

use crate::text::Span;
use crate::traffic::Reason;

/// The reason why a connection is not read, or not read any further.
#[derive(Debug)]
pub(super) struct Opaque {
    pub(super) reason: Reason,
    pub(super) detail: &'static str,
    pub(super) at: Span,
    pub(super) bytes: usize,
    pub(super) is_reported: bool,
}

/// The number of bytes that identify a protocol.
pub(super) const ENOUGH: usize = 16;

pub(super) const OTHER: &str = "neither HTTP/1.1 nor anything else that is known";

/// Names a protocol other than HTTP/1.1 by its first bytes.
pub(super) fn name_protocol(bytes: &[u8]) -> &'static str {
    match bytes {
        [0x14..=0x17, 3, 0..=4, ..] => "it is encrypted (TLS)",
        _ if bytes.starts_with(b"PRI * HTTP/2") => "it is HTTP/2",
        [_, _, _, 4, _, 0, 0, 0, 0, ..] => "it is HTTP/2",
        _ if bytes.starts_with(b"SSH-") => "it is encrypted (SSH)",
        _ => OTHER,
    }
}
