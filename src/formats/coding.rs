//! Undoes the content codings of bodies (RFC 9110, section 8.4.1).

use std::io::Read;

use super::Limits;
use crate::text::magic;
use crate::traffic::Reason;

/// The largest ratio to which a body may expand, more than real ones do, and a size to which any may. One file may have many
/// bombs.
const MOST_FOLD: usize = 1_024;
const ALWAYS: usize = 4 * 1024 * 1024;

/// Returns the bytes before compression. The header field often outlives the compression: the beginning of the bytes decides,
/// and otherwise whether they are text.
pub(super) fn decompressed(
    bytes: Vec<u8>,
    coding: Option<&str>,
    most: Unfolded,
) -> Result<Vec<u8>, Reason> {
    let unpacked = unpacked(bytes, coding, most.record.min(most.fold));
    // A limit of another flag has another reason.
    unpacked.map_err(|reason| match reason {
        Reason::TooLarge if most.fold < most.record => Reason::UnfoldsTooFar,
        reason => reason,
    })
}

/// The size to which a body may expand, however often it is compressed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unfolded {
    /// The limit for any record.
    record: usize,
    /// The limit for its packed size.
    fold: usize,
}

impl Unfolded {
    /// The limits for a body of a packed size.
    pub(super) fn of(packed: usize, limits: Limits) -> Self {
        let fold = packed.saturating_mul(MOST_FOLD).max(ALWAYS);
        Self { record: limits.record, fold: limits.expansion.times(fold) }
    }
}

fn unpacked(bytes: Vec<u8>, coding: Option<&str>, limit: usize) -> Result<Vec<u8>, Reason> {
    let is_text = || std::str::from_utf8(&bytes).is_ok();
    match (magic::compression(&bytes), coding) {
        (Some("gzip"), _) => unpack(flate2::read::MultiGzDecoder::new(&*bytes), limit),
        (Some(_), _) => {
            let decoder = zstd::Decoder::new(&*bytes).map_err(|_| Reason::BadEncoding)?;
            unpack(decoder, limit)
        }
        (None, Some("br")) if !is_text() => {
            unpack(brotli_decompressor::Decompressor::new(&*bytes, 4096), limit)
        }
        (None, Some("deflate")) if !is_text() => {
            match unpack(flate2::read::ZlibDecoder::new(&*bytes), limit) {
                // Some servers leave out the frame that the name means.
                Err(Reason::BadEncoding) => {
                    unpack(flate2::read::DeflateDecoder::new(&*bytes), limit)
                }
                unpacked => unpacked,
            }
        }
        _ => Ok(bytes),
    }
}

fn unpack(packed: impl Read, limit: usize) -> Result<Vec<u8>, Reason> {
    let mut bytes = Vec::new();
    let room = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
    packed.take(room).read_to_end(&mut bytes).map_err(|_| Reason::BadEncoding)?;
    if bytes.len() > limit { Err(Reason::TooLarge) } else { Ok(bytes) }
}
