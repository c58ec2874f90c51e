//! Protocols other than HTTP on connections.

use memchr::memmem;
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

impl Opaque {
    /// Counts bytes that are not read. If they have a request, the connection should have been read.
    pub(super) fn take(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len();
        if self.reason == Reason::NotHttp && has_request(bytes) {
            self.reason = Reason::UnreadPackets;
            self.detail = "requests in a protocol that is not read";
        }
    }
}

/// Whether bytes have the end of a request line, other than that of a search for devices (`*`), or the method as protocols name it that
/// carry CGI: after the byte of a length, or at the end of another text.
pub(super) fn has_request(bytes: &[u8]) -> bool {
    let mut ends = memmem::find_iter(bytes, b" HTTP/1.");
    let mut names = memmem::find_iter(bytes, b"REQUEST_METHOD");
    ends.any(|end| match bytes.split_at(end) {
        (line, [_, _, _, _, _, _, _, _, b'0' | b'1', b'\r', b'\n', ..]) => !line.ends_with(b" *"),
        _ => false,
    }) || names.any(|name| bytes.get(..name).and_then(<[u8]>::last) < Some(&b'\t'))
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
