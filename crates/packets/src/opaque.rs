//! Protocols other than HTTP on connections.

use sundown_exchange::Reason;
use sundown_text_json::text::Span;

/// The reason why a connection is not read, or not read any further.
#[derive(Debug)]
pub(super) struct Opaque {
    pub reason: Reason,
    pub detail: &'static str,
    pub at: Span,
    pub bytes: usize,
    pub is_reported: bool,
}

/// The number of bytes that identify a protocol.
pub(super) const PROTOCOL_BYTES: usize = 16;

pub(super) const OTHER: &str = "neither HTTP nor anything else that is known";

/// Names a protocol other than HTTP by its first bytes, with the reason why it is not read.
pub(super) fn name_protocol(bytes: &[u8]) -> (Reason, &'static str) {
    match bytes {
        [0x14..=0x17, 3, 0..=4, ..] => (Reason::Encrypted, "it is encrypted (TLS)"),
        _ if bytes.starts_with(b"SSH-") => (Reason::NotHttp, "it is encrypted (SSH)"),
        _ => (Reason::NotHttp, OTHER),
    }
}
