//! Undoes what compressed a body on the way: content codings (RFC 9110, section 8.4.1).

use std::io::Read;

use super::Limits;
use crate::text::magic;
use crate::traffic::Reason;

/// How many times its size a body may unfold to: more than real ones do, whose repeats are few; and to how many bytes any
/// may. Of bombs there may be many in one file.
const MOST_FOLD: usize = 1_024;
const ALWAYS: usize = 4 * 1024 * 1024;

/// The bytes as they were before they were compressed on the way. The header field often outlives the compression: what
/// counts is how the bytes begin, and where that does not tell, whether they are text.
pub(super) fn decompressed(
    bytes: Vec<u8>,
    coding: Option<&str>,
    most: Unfolded,
) -> Result<Vec<u8>, Reason> {
    let unpacked = unpacked(bytes, coding, most.record.min(most.fold));
    // What another flag raises is told by another name.
    unpacked.map_err(|reason| match reason {
        Reason::TooLarge if most.fold < most.record => Reason::UnfoldsTooFar,
        reason => reason,
    })
}

/// To how many bytes a body may unfold, however often it has been compressed.
#[derive(Debug, Clone, Copy)]
pub(super) struct Unfolded {
    /// As any record.
    record: usize,
    /// For what it is packed in.
    fold: usize,
}

impl Unfolded {
    /// For a body that is packed in so many bytes.
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
                // Some servers leave out the frame that the name stands for.
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
