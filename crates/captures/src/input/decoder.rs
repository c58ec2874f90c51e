//! Decompresses a stream in steps that depend on its data alone, and hands out every byte that precedes damage.
//!
//! The readers of the crates lose what a call has decoded when the same call finds damage. How much that is depends on the
//! caller's buffer.

use std::io::{self, BufRead, BufReader, Read};

use brotli_decompressor::{
    BrotliDecompressStream, BrotliResult, BrotliState, SliceWrapper as _, StandardAlloc,
};
use flate2::{Crc, Decompress, FlushDecompress, Status};
use zstd::stream::raw::{Decoder as ZstdContext, InBuffer, Operation as _, OutBuffer};

/// The number of compressed bytes that are read at once.
const READ: usize = 64 * 1024;

/// The number of decoded bytes from which they are handed out.
const MIN_OUTPUT_BYTES: usize = 64 * 1024;

/// The number of compressed bytes that are inflated in one step.
const INFLATE_STEP: usize = 2 * 1024;

/// The room for one step of any decoder, with which it keeps no decoded bytes: a block of zstd has up to 128 KiB, and
/// a byte of deflate data gives up to 1,032 bytes. A few of the step before may be buffered.
const MAX_STEP_BYTES: usize = (INFLATE_STEP + 64) * 1_032;

/// A reader of compressed data. Once it has failed, it fails again in the same way.
pub(crate) struct Decoder<R> {
    input: BufReader<WholeReads<R>>,
    codec: Codec,
    output: DecodedBytes,
    /// How the data ended, after the bytes in `output`.
    end: Option<Result<(), io::ErrorKind>>,
}

impl<R: Read> Decoder<R> {
    /// Decompresses data by the name of its compression.
    pub(crate) fn new(input: R, compression: &str) -> io::Result<Self> {
        let codec = match compression {
            "gzip" => Codec::Gzip(Box::default()),
            "zstd" => Codec::Zstd(ZstdFrames {
                context: ZstdContext::new()?,
                wanted: 0,
            }),
            _ => Codec::Brotli(Box::default()),
        };
        let output = DecodedBytes {
            memory: vec![0; MIN_OUTPUT_BYTES + MAX_STEP_BYTES],
            start: 0,
            end: 0,
        };
        Ok(Self {
            input: BufReader::with_capacity(READ, WholeReads(input)),
            codec,
            output,
            end: None,
        })
    }

    fn refill(&mut self) {
        let Self {
            input,
            codec,
            output,
            end,
        } = self;
        (output.start, output.end) = (0, 0);
        while end.is_none() && output.end < MIN_OUTPUT_BYTES {
            let step = match codec {
                Codec::Gzip(members) => members.step(input, output),
                Codec::Zstd(frames) => frames.step(input, output),
                Codec::Brotli(stream) => stream.step(input, output),
            };
            *end = match step {
                Ok(DecodeProgress::More) => None,
                Ok(DecodeProgress::Ended) => Some(Ok(())),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => None,
                Err(error) => Some(Err(error.kind())),
            };
        }
    }
}

impl<R: Read> Read for Decoder<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.output.start == self.output.end && self.end.is_none() {
            self.refill();
        }
        let count = self
            .output
            .memory
            .get(self.output.start..self.output.end)
            .unwrap_or_default()
            .read(buffer)?;
        self.output.start += count;
        match self.end {
            Some(Err(kind)) if count == 0 && !buffer.is_empty() => Err(kind.into()),
            _ => Ok(count),
        }
    }
}

/// Reads as much as is asked for, unless the input ends: the brotli decoder finds some damage earlier if its input ends before.
struct WholeReads<R>(R);

impl<R: Read> Read for WholeReads<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut filled = 0;
        while let Some(rest) = buffer.get_mut(filled..).filter(|rest| !rest.is_empty()) {
            match self.0.read(rest) {
                Ok(0) => break,
                Ok(count) => filled += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                // It comes again after the bytes before it.
                Err(_) if filled > 0 => break,
                Err(error) => return Err(error),
            }
        }
        Ok(filled)
    }
}

enum Codec {
    Gzip(Box<GzipMembers>),
    Zstd(ZstdFrames),
    Brotli(Box<BrotliStream>),
}

/// The result of a step that did not fail.
enum DecodeProgress {
    More,
    Ended,
}

/// Decoded bytes that have not been handed out.
struct DecodedBytes {
    memory: Vec<u8>,
    start: usize,
    end: usize,
}

impl DecodedBytes {
    fn room(&mut self) -> &mut [u8] {
        self.memory.get_mut(self.end..).unwrap_or_default()
    }

    /// Appends as much of `bytes` as fits, and returns how much that is.
    fn append(&mut self, bytes: &[u8]) -> usize {
        let count = bytes.len().min(self.room().len());
        if let (Some(room), Some(bytes)) = (self.room().get_mut(..count), bytes.get(..count)) {
            room.copy_from_slice(bytes);
        }
        self.end += count;
        count
    }
}

/// The members of a gzip file (RFC 1952). Zeros after a member are padding, as on tapes.
struct GzipMembers {
    inflate: Decompress,
    checksum: Crc,
    is_in_member: bool,
    members: usize,
}

impl Default for GzipMembers {
    fn default() -> Self {
        let inflate = Decompress::new(false);
        Self {
            inflate,
            checksum: Crc::new(),
            is_in_member: false,
            members: 0,
        }
    }
}

impl GzipMembers {
    fn step(
        &mut self,
        input: &mut impl BufRead,
        output: &mut DecodedBytes,
    ) -> io::Result<DecodeProgress> {
        if !self.is_in_member {
            return self.begin_member(input);
        }
        let packed = input.fill_buf()?;
        if packed.is_empty() {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
        let packed = packed.get(..INFLATE_STEP).unwrap_or(packed);
        let read = self.inflate.total_in();
        let written = self.inflate.total_out();
        let status = self
            .inflate
            .decompress(packed, output.room(), FlushDecompress::None);
        input.consume(count(self.inflate.total_in() - read));
        let written = count(self.inflate.total_out() - written);
        self.checksum
            .update(output.room().get(..written).unwrap_or_default());
        output.end += written;
        match status {
            Ok(Status::StreamEnd) => self.end_member(input).map(|()| DecodeProgress::More),
            Ok(_) if read < self.inflate.total_in() || written > 0 => Ok(DecodeProgress::More),
            _ => Err(io::ErrorKind::InvalidData.into()),
        }
    }

    fn begin_member(&mut self, input: &mut impl BufRead) -> io::Result<DecodeProgress> {
        if self.members > 0 && !skip_padding(input)? {
            return Ok(DecodeProgress::Ended);
        }
        // It reads nothing but the header.
        if flate2::bufread::GzDecoder::new(&mut *input)
            .header()
            .is_none()
        {
            let is_cut = input.fill_buf()?.is_empty();
            let kind = if is_cut {
                io::ErrorKind::UnexpectedEof
            } else {
                io::ErrorKind::InvalidData
            };
            return Err(kind.into());
        }
        self.inflate.reset(false);
        self.checksum.reset();
        self.is_in_member = true;
        self.members += 1;
        Ok(DecodeProgress::More)
    }

    fn end_member(&mut self, input: &mut impl BufRead) -> io::Result<()> {
        self.is_in_member = false;
        let mut sum = [0; 4];
        let mut size = [0; 4];
        input.read_exact(&mut sum)?;
        input.read_exact(&mut size)?;
        let is_whole = u32::from_le_bytes(sum) == self.checksum.sum()
            && u32::from_le_bytes(size) == self.checksum.amount();
        if is_whole {
            Ok(())
        } else {
            Err(io::ErrorKind::InvalidData.into())
        }
    }
}

/// Skips zeros. Returns whether anything follows them.
fn skip_padding(input: &mut impl BufRead) -> io::Result<bool> {
    loop {
        let packed = input.fill_buf()?;
        let zeros = packed.iter().take_while(|&&byte| byte == 0).count();
        let all = packed.len();
        input.consume(zeros);
        if zeros < all || all == 0 {
            return Ok(all > 0);
        }
    }
}

fn count(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX)
}

/// The size of the header of a block of zstd data.
const ZSTD_BLOCK_HEADER: usize = 3;

/// The frames of a zstd file (RFC 8878).
struct ZstdFrames {
    context: ZstdContext<'static>,
    /// The number of bytes that the decoder asks for: the rest of a header or block, and the header of the next block. 0 between
    /// frames.
    wanted: usize,
}

impl ZstdFrames {
    /// Decodes one header or block at most: the decoder does not report what it wrote in a call that fails.
    fn step(
        &mut self,
        input: &mut impl BufRead,
        output: &mut DecodedBytes,
    ) -> io::Result<DecodeProgress> {
        let packed = input.fill_buf()?;
        if packed.is_empty() {
            return match self.wanted {
                0 => Ok(DecodeProgress::Ended),
                _ => Err(io::ErrorKind::UnexpectedEof.into()),
            };
        }
        let step = match self.wanted {
            0 => 1,
            wanted @ 1..=ZSTD_BLOCK_HEADER => wanted,
            wanted => wanted - ZSTD_BLOCK_HEADER,
        };
        let mut from = InBuffer::around(packed.get(..step).unwrap_or(packed));
        let mut to = OutBuffer::around(output.room());
        let wanted = self.context.run(&mut from, &mut to);
        let read = from.pos();
        let written = to.pos();
        input.consume(read);
        output.end += written;
        self.wanted = wanted.map_err(|error| zstd_error(&error))?;
        Ok(DecodeProgress::More)
    }
}

/// The kind of an error of the decoder, which names errors only in its text. A window that is too large is no damage.
fn zstd_error(error: &io::Error) -> io::ErrorKind {
    if error.to_string().contains("too much memory") {
        return io::ErrorKind::Unsupported;
    }
    io::ErrorKind::InvalidData
}

/// A brotli stream (RFC 7932).
struct BrotliStream {
    state: BrotliState<StandardAlloc, StandardAlloc, StandardAlloc>,
    is_done: bool,
    is_damaged: bool,
}

impl Default for BrotliStream {
    fn default() -> Self {
        let alloc = StandardAlloc::default;
        // Windows beyond those of the RFC could take a gibibyte of memory.
        let state = BrotliState::new_strict(alloc(), alloc(), alloc());
        Self {
            state,
            is_done: false,
            is_damaged: false,
        }
    }
}

impl BrotliStream {
    fn step(
        &mut self,
        input: &mut impl BufRead,
        output: &mut DecodedBytes,
    ) -> io::Result<DecodeProgress> {
        if self.is_damaged {
            return self.hand_out_rest(output);
        }
        let packed = input.fill_buf()?;
        if self.is_done {
            return if packed.is_empty() {
                Ok(DecodeProgress::Ended)
            } else {
                Err(io::ErrorKind::InvalidData.into())
            };
        }
        let is_end = packed.is_empty();
        let mut unread = packed.len();
        let mut read = 0;
        let mut room = output.room().len();
        let mut written = 0;
        let mut total = 0;
        let result = BrotliDecompressStream(
            &mut unread,
            &mut read,
            packed,
            &mut room,
            &mut written,
            output.room(),
            &mut total,
            &mut self.state,
        );
        input.consume(read);
        output.end += written;
        match result {
            BrotliResult::NeedsMoreInput if is_end => {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            BrotliResult::NeedsMoreInput | BrotliResult::NeedsMoreOutput => {}
            BrotliResult::ResultSuccess => self.is_done = true,
            BrotliResult::ResultFailure => self.is_damaged = true,
        }
        Ok(DecodeProgress::More)
    }

    /// Hands out what was decoded before the damage: after a failure, the decoder keeps it.
    fn hand_out_rest(&mut self, output: &mut DecodedBytes) -> io::Result<DecodeProgress> {
        let state = &mut self.state;
        let size = |size: i32| u64::try_from(size).unwrap_or(0);
        let decoded = state.rb_roundtrips * size(state.ringbuffer_size) + size(state.pos);
        let rest = decoded.saturating_sub(state.partial_pos_out);
        let end = count(size(state.pos));
        let start = end.saturating_sub(count(rest));
        let handed_out =
            output.append(state.ringbuffer.slice().get(start..end).unwrap_or_default());
        state.partial_pos_out += handed_out as u64;
        if handed_out == 0 {
            Err(io::ErrorKind::InvalidData.into())
        } else {
            Ok(DecodeProgress::More)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::io::Write as _;

    /// Reads as much at a time as the sizes say, in turn.
    struct Choppy<'a> {
        bytes: &'a [u8],
        sizes: std::iter::Cycle<std::slice::Iter<'a, usize>>,
    }

    impl Read for Choppy<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let size = self.sizes.next().copied().unwrap_or(1).min(buffer.len());
            self.bytes.read(buffer.get_mut(..size).unwrap_or_default())
        }
    }

    /// The text before the end or the damage, and the damage.
    fn decode(
        packed: &[u8],
        name: &str,
        sizes: &[usize],
        reads: &[usize],
    ) -> (Vec<u8>, Option<io::ErrorKind>) {
        let input = Choppy {
            bytes: packed,
            sizes: sizes.iter().cycle(),
        };
        let mut decoder = Decoder::new(input, name).unwrap();
        let mut text = Vec::new();
        let mut buffer = vec![0; 1 << 20];
        for &size in reads.iter().cycle() {
            match decoder.read(&mut buffer[..size]) {
                Ok(0) => return (text, None),
                Ok(count) => text.extend_from_slice(&buffer[..count]),
                Err(error) => return (text, Some(error.kind())),
            }
        }
        unreachable!("the sizes repeat")
    }

    fn packed(name: &str, text: &[u8]) -> Vec<u8> {
        match name {
            "gzip" => {
                let mut writer =
                    flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
                writer.write_all(text).unwrap();
                writer.finish().unwrap()
            }
            "zstd" => zstd::encode_all(text, 1).unwrap(),
            _ => {
                let path = concat!(
                    env!("CARGO_MANIFEST_DIR"),
                    "/testdata/compressed/calls.ndjson.br"
                );
                std::fs::read(path).unwrap()
            }
        }
    }

    fn sizes() -> impl Strategy<Value = Vec<usize>> {
        prop::collection::vec(prop_oneof![1..20usize, 100..100_000usize], 1..5)
    }

    proptest! {
        #[test]
        fn damaged_data_is_decoded_alike_with_any_buffers(
            name in prop::sample::select(vec!["gzip", "zstd", "brotli"]),
            at in any::<prop::sample::Index>(),
            mask in 1..=255u8,
            sizes in sizes(),
            reads in sizes(),
        ) {
            let text: Vec<u8> = (0..300_000u32).map(|at| b' ' + (u64::from(at).pow(2) / 7 % 61) as u8).collect();
            let mut packed = packed(name, &text);
            let at = at.index(packed.len());
            let (before, _) = decode(&packed[..at], name, &[READ], &[1 << 20]);
            packed[at] ^= mask;
            let decoded = decode(&packed, name, &[READ], &[1 << 20]);
            prop_assert!(decoded.0.starts_with(&before));
            prop_assert!(decode(&packed, name, &sizes, &reads) == decoded);
        }
    }

    #[test]
    fn data_that_expands_most_is_decoded_in_full() {
        let zeros = vec![0; 30_000_000];
        for name in ["gzip", "zstd"] {
            let packed = packed(name, &zeros);
            let (text, error) = decode(&packed, name, &[READ], &[100_000]);
            assert_eq!((text.len(), error), (zeros.len(), None), "{name}");
            let cut = packed.len() / 2;
            let (text, error) = decode(&packed[..cut], name, &[READ], &[100_000]);
            assert_eq!(error, Some(io::ErrorKind::UnexpectedEof));
            assert!(text.len() > zeros.len() / 3, "{name}: {}", text.len());
        }
    }
}
