//! The frames of HTTP/2 (RFC 9113, sections 4 and 6).

/// The first bytes that a client sends (RFC 9113, section 3.4).
pub(crate) const PREFACE: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";

/// The header of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FrameHeader {
    /// The length of the payload.
    pub length: usize,
    pub kind: FrameKind,
    pub flags: u8,
    pub stream: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FrameKind {
    Data,
    Headers,
    Priority,
    Reset,
    Settings,
    PushPromise,
    Ping,
    GoAway,
    WindowUpdate,
    Continuation,
    /// An extension, which receivers ignore.
    Other,
}

/// The length of the header of a frame.
pub(super) const FRAME_HEADER: usize = 9;

/// The flags that matter.
pub(super) const END_STREAM: u8 = 0x1;
const ACK: u8 = 0x1;
pub(super) const END_HEADERS: u8 = 0x4;
const PADDED: u8 = 0x8;
const PRIORITY: u8 = 0x20;

/// The length of the priority at the beginning of a header block.
const PRIORITY_LENGTH: usize = 5;

/// The largest payload that every receiver accepts.
const USUAL_LENGTH: usize = 16 * 1024;

impl FrameHeader {
    /// Parses the header at the beginning of `bytes`; `None` if it is incomplete.
    pub(super) fn parse(bytes: &[u8]) -> Option<Self> {
        let (length, rest) = bytes.split_first_chunk::<3>()?;
        let ([kind, flags], rest) = rest.split_first_chunk::<2>()?;
        let kind = match *kind {
            0 => FrameKind::Data,
            1 => FrameKind::Headers,
            2 => FrameKind::Priority,
            3 => FrameKind::Reset,
            4 => FrameKind::Settings,
            5 => FrameKind::PushPromise,
            6 => FrameKind::Ping,
            7 => FrameKind::GoAway,
            8 => FrameKind::WindowUpdate,
            9 => FrameKind::Continuation,
            _ => FrameKind::Other,
        };
        let length = length
            .iter()
            .fold(0, |length, &byte| length << 8 | usize::from(byte));
        let stream = stream_id(rest)?;
        Some(Self {
            length,
            kind,
            flags: *flags,
            stream,
        })
    }

    /// Whether its length and its stream are possible for its kind.
    pub(super) fn is_valid(self) -> bool {
        let is_on_stream = self.stream != 0;
        match self.kind {
            FrameKind::Data | FrameKind::Headers | FrameKind::Continuation => is_on_stream,
            FrameKind::Priority => is_on_stream && self.length == PRIORITY_LENGTH,
            FrameKind::Reset => is_on_stream && self.length == 4,
            FrameKind::Settings => {
                let is_empty = self.length == 0;
                !is_on_stream
                    && self.length.is_multiple_of(6)
                    && (self.flags & ACK == 0 || is_empty)
            }
            FrameKind::PushPromise => is_on_stream && self.length >= 4,
            FrameKind::Ping => !is_on_stream && self.length == 8,
            FrameKind::GoAway => !is_on_stream && self.length >= 8,
            FrameKind::WindowUpdate => self.length == 4,
            FrameKind::Other => true,
        }
    }

    /// Whether it has this flag.
    pub(super) fn has(self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    /// Returns the part of the payload without padding and priority, as offsets from its beginning; `None` if they are longer
    /// than it.
    pub(super) fn content(self, payload: &[u8]) -> Option<std::ops::Range<usize>> {
        let mut start = 0;
        let mut end = payload.len();
        if self.has(PADDED) {
            end = end.checked_sub(usize::from(*payload.first()?))?;
            start = 1;
        }
        if self.kind == FrameKind::Headers && self.has(PRIORITY) {
            start += PRIORITY_LENGTH;
        }
        (start <= end).then_some(start..end)
    }

    /// Whether it has only flags that are defined for its kind, and a usual length.
    fn is_usual(self) -> bool {
        let flags = match self.kind {
            FrameKind::Data => END_STREAM | PADDED,
            FrameKind::Headers => END_STREAM | END_HEADERS | PADDED | PRIORITY,
            FrameKind::Settings | FrameKind::Ping => ACK,
            FrameKind::PushPromise => END_HEADERS | PADDED,
            FrameKind::Continuation => END_HEADERS,
            _ => 0,
        };
        self.is_valid()
            && self.kind != FrameKind::Other
            && self.flags & !flags == 0
            && self.length <= USUAL_LENGTH
    }
}

/// Parses the number of a stream, whose highest bit is reserved.
pub(super) fn stream_id(bytes: &[u8]) -> Option<u32> {
    Some(u32::from_be_bytes(*bytes.first_chunk::<4>()?) & (u32::MAX >> 1))
}

/// Whether bytes begin with the settings that a server sends first.
pub(crate) fn are_settings(bytes: &[u8]) -> bool {
    FrameHeader::parse(bytes).is_some_and(|header| {
        header.kind == FrameKind::Settings && header.is_usual() && !header.has(ACK)
    })
}

/// Whether bytes from the midst of a connection are frames: the first is complete, and nothing or another frame
/// follows it.
pub(crate) fn are_frames(bytes: &[u8]) -> bool {
    let Some(first) = FrameHeader::parse(bytes).filter(|first| first.is_usual()) else {
        return false;
    };
    match bytes.get(FRAME_HEADER + first.length..) {
        Some([]) => true,
        Some(rest) => FrameHeader::parse(rest).is_some_and(FrameHeader::is_usual),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn padding_and_priority_are_removed() {
        let content = |kind, flags, payload: &[u8]| {
            FrameHeader {
                length: payload.len(),
                kind,
                flags,
                stream: 1,
            }
            .content(payload)
        };
        assert_eq!(content(FrameKind::Data, 0, b"abc"), Some(0..3));
        assert_eq!(content(FrameKind::Data, PADDED, b"\x02ab\0\0"), Some(1..3));
        assert_eq!(content(FrameKind::Data, PADDED, b"\x02\0\0"), Some(1..1));
        assert_eq!(content(FrameKind::Data, PADDED, b"\x03\0\0"), None);
        assert_eq!(content(FrameKind::Data, PADDED, b""), None);
        assert_eq!(
            content(FrameKind::Headers, PADDED | PRIORITY, b"\x01\0\0\0\0\0a\0"),
            Some(6..7)
        );
        assert_eq!(content(FrameKind::Headers, PRIORITY, b"\0\0\0\0"), None);
    }

    #[test]
    fn only_frames_look_like_frames() {
        let ping = b"\0\0\x08\x06\0\0\0\0\0abcdefgh";
        let data = b"\0\0\x02\0\x01\0\0\0\x05{}";
        assert!(are_frames(ping) && are_frames(data));
        assert!(are_frames(&[&data[..], ping].concat()));
        assert!(!are_frames(&[&data[..], b"GET / HTTP/1.1\r\n"].concat()));
        for bytes in [
            &b"\0\0\0\0\0\0\0\0\0"[..],
            b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03",
            b"{\"a\": 1, \"b\": 2}",
            b"GET / HTTP/1.1\r\n\r\n",
            b"\0\0\0\x04\x01\0\0\0\x01",
            b"\0\0\x08\x06\0\0\0\0\0abcd",
        ] {
            assert!(!are_frames(bytes), "{bytes:?}");
        }
        assert!(are_settings(b"\0\0\0\x04\0\0\0\0\0") && !are_settings(b"\0\0\0\x04\x01\0\0\0\0"));
    }
}
