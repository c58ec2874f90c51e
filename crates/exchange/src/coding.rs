//! Content codings of bodies (RFC 9110, section 8.4.1), and how to undo them within limits.

use std::io::Read;

use super::Reason;
use super::content::ContentError;
use sundown_text_json::Limits;
use sundown_text_json::text::magic;

/// The largest ratio to which a body may expand, more than real ones do, and a size to which any may. One file may have many
/// bombs.
pub(super) const MAX_RATIO: usize = 1_024;
const ALWAYS_ALLOWED: usize = 4 * 1024 * 1024;

/// A compression of a body.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ContentCoding {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
    /// RFC 7932.
    Brotli,
    /// RFC 1950, or RFC 1951 without the frame that the name means.
    Deflate,
    /// Any other.
    Unknown,
}

impl ContentCoding {
    /// Parses the value of a `Content-Encoding` or `Transfer-Encoding` field: the codings in the order in which they were
    /// applied. Those that leave the content of a captured body as it is are left out.
    pub fn parse_list(value: &str) -> Vec<Self> {
        value
            .split(',')
            .map(|name| name.trim().to_ascii_lowercase())
            .filter_map(|name| Self::of_name(&name))
            .collect()
    }

    fn of_name(name: &str) -> Option<Self> {
        match name {
            "" | "identity" | "chunked" => None,
            // The old name (RFC 9110, section 8.4.1.3).
            "gzip" | "x-gzip" => Some(Self::Gzip),
            "zstd" => Some(Self::Zstd),
            "br" => Some(Self::Brotli),
            "deflate" => Some(Self::Deflate),
            _ => Some(Self::Unknown),
        }
    }

    /// Returns the coding that the first bytes identify. Brotli and raw deflate have no magic number.
    pub(crate) fn of_magic(bytes: &[u8]) -> Option<Self> {
        magic::compression(bytes).map(|name| match name {
            "gzip" => Self::Gzip,
            _ => Self::Zstd,
        })
    }

    /// Whether only the header field identifies it.
    pub(crate) fn has_no_magic(self) -> bool {
        matches!(self, Self::Brotli | Self::Deflate | Self::Unknown)
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
            Self::Brotli => "brotli",
            Self::Deflate => "deflate",
            Self::Unknown => "compressed",
        }
    }

    /// Undoes the coding.
    pub fn decompress(self, bytes: &[u8], most: MaxExpansion) -> Result<Vec<u8>, ContentError> {
        match self {
            Self::Gzip => self.read(flate2::read::MultiGzDecoder::new(bytes), most),
            Self::Zstd => match zstd::Decoder::new(bytes) {
                Ok(decoder) => self.read(decoder, most),
                Err(_) => Err(self.damaged()),
            },
            Self::Brotli => self.read(brotli_decompressor::Decompressor::new(bytes, 4096), most),
            Self::Deflate => match self.read(flate2::read::ZlibDecoder::new(bytes), most) {
                // Some servers leave out the frame.
                Err(error) if !error.is_limit() => {
                    self.read(flate2::read::DeflateDecoder::new(bytes), most)
                }
                unpacked => unpacked,
            },
            Self::Unknown => Err(ContentError::new(
                Reason::BadEncoding,
                "the content coding of its header is not known",
            )),
        }
    }

    fn read(self, packed: impl Read, most: MaxExpansion) -> Result<Vec<u8>, ContentError> {
        let limit = most.bytes();
        let mut bytes = Vec::new();
        let room = u64::try_from(limit).unwrap_or(u64::MAX).saturating_add(1);
        let read = packed.take(room).read_to_end(&mut bytes);
        read.map_err(|_| self.damaged())?;
        if bytes.len() <= limit {
            return Ok(bytes);
        }
        // A limit of another flag has another reason.
        Err(if most.fold < most.record {
            let detail = format!("the body is {} data", self.name());
            ContentError::new(Reason::ExpandsTooFar, detail)
        } else {
            let detail = format!("the limit is {} bytes after decompression", most.record);
            ContentError::new(Reason::TooLarge, detail)
        })
    }

    fn damaged(self) -> ContentError {
        let detail = format!("the {} data is damaged", self.name());
        ContentError::new(Reason::BadEncoding, detail)
    }
}

/// The size to which one body may expand, however often it is compressed.
#[derive(Debug, Clone, Copy)]
pub struct MaxExpansion {
    record: usize,
    /// The limit for the packed size of the body.
    fold: usize,
}

impl MaxExpansion {
    /// The limits for a body of a packed size.
    pub fn of(packed: usize, limits: Limits) -> Self {
        let fold = packed.saturating_mul(MAX_RATIO).max(ALWAYS_ALLOWED);
        Self {
            record: limits.record,
            fold: limits.expansion.times(fold),
        }
    }

    /// The smaller limit.
    pub fn bytes(self) -> usize {
        self.record.min(self.fold)
    }

    /// The limits of what is left after so many bytes.
    #[must_use]
    pub fn without(self, bytes: usize) -> Self {
        Self {
            fold: self.fold.saturating_sub(bytes),
            ..self
        }
    }
}
