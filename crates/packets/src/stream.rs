//! One direction of a TCP connection: its bytes in order, and their positions in the packets.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};

use sundown_text_json::text::{OffsetMap, Span};

/// The bytes that are ready (in order, and not yet taken), and those that wait for missing bytes before them.
#[derive(Debug, Default)]
pub(super) struct Stream {
    /// The next position in order. Positions continue where sequence numbers wrap. `None` until the stream has a beginning.
    next: Option<u64>,
    /// The position of the first sequence number that was seen.
    reference: Option<u64>,
    /// The position of the first byte, if the capture has the beginning of the stream.
    start: Option<u64>,
    waiting: BTreeMap<u64, StreamPiece>,
    waiting_bytes: usize,
    /// The position at which its sender ended it, and the offset of that packet in the file.
    end: Option<(u64, usize)>,
    ready: Vec<u8>,
    map: OffsetMap,
    marks: Vec<PacketMark>,
    /// The number of ready bytes that have been taken.
    taken: usize,
    /// Position of the first ready byte.
    base: u64,
}

/// The data of one packet.
#[derive(Debug)]
pub(super) struct StreamPiece {
    pub bytes: Vec<u8>,
    /// Its position in the file.
    pub start: usize,
    pub mark: PacketMark,
}

/// The properties of a packet.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct PacketMark {
    /// Index of its first byte among those that are ready.
    at: usize,
    /// The sequence number up to which its sender has received the other direction.
    pub acknowledged: u32,
    pub time: Option<DateTime<Utc>>,
}

/// Bytes that are missing between two packets.
#[derive(Debug, Clone, Copy)]
pub(super) struct Gap {
    /// Their number.
    pub bytes: usize,
    /// The position of the first packet after them in the file.
    pub before: Span,
}

/// The largest number of bytes that may arrive before the packet that begins the stream.
const MAX_LATE_BYTES: u64 = 1 << 20;

/// The number of taken bytes from which on they are removed.
const MIN_REMOVED_BYTES: usize = 64 * 1024;

impl StreamPiece {
    pub(super) fn new(
        bytes: &[u8],
        start: usize,
        acknowledged: u32,
        time: Option<DateTime<Utc>>,
    ) -> Self {
        Self {
            bytes: bytes.to_vec(),
            start,
            mark: PacketMark {
                at: 0,
                acknowledged,
                time,
            },
        }
    }
}

impl Stream {
    /// Returns the position of a sequence number: of all possible ones, the nearest to the bytes received so far.
    fn position(&mut self, sequence: u32) -> u64 {
        let new = (1 << 32) | u64::from(sequence);
        let near = self
            .next
            .unwrap_or_else(|| *self.reference.get_or_insert(new));
        #[allow(
            clippy::cast_possible_truncation,
            reason = "the low half is the sequence number"
        )]
        let ahead = i64::from(sequence.wrapping_sub(near as u32).cast_signed());
        near.checked_add_signed(ahead).unwrap_or_default()
    }

    /// Begins the stream: the first byte has the number after this one. Returns `false` if that contradicts earlier
    /// segments, so that this must be another connection.
    pub(super) fn begin(&mut self, sequence: u32) -> bool {
        let start = self.position(sequence.wrapping_add(1));
        match (self.next, self.start) {
            (None, _) => {
                self.start = Some(start);
                self.resume_at(start);
                self.collect_ready();
                true
            }
            (Some(_), Some(known)) => known == start,
            (Some(next), None) => start <= next && next - start < MAX_LATE_BYTES,
        }
    }

    /// Whether the beginning of the stream was seen.
    pub(super) fn has_start(&self) -> bool {
        self.start.is_some()
    }

    fn resume_at(&mut self, position: u64) {
        self.next = Some(position);
        self.base = position;
    }

    /// Ends the stream `length` bytes after a sequence number. `at` is the offset of the packet that says so.
    pub(super) fn end(&mut self, sequence: u32, length: usize, at: usize) {
        let position = self.position(sequence) + length as u64;
        self.end.get_or_insert((position, at));
    }

    /// Takes the gap before the end, if no other bytes wait. It is returned once.
    pub(super) fn take_lost_end(&mut self) -> Option<Gap> {
        let ((end, at), next) = (self.end?, self.next?);
        self.end = Some((end.min(next), at));
        let bytes = usize::try_from(end.checked_sub(next).filter(|&bytes| bytes > 0)?).ok()?;
        Some(Gap {
            bytes,
            before: Span::new(at, at),
        })
    }

    /// Adds the data of a packet.
    pub(super) fn add(&mut self, sequence: u32, piece: StreamPiece) {
        let position = self.position(sequence);
        let end = position + piece.bytes.len() as u64;
        if self.next.is_some_and(|next| end <= next) {
            return;
        }
        match self.waiting.get(&position) {
            Some(known) if known.bytes.len() >= piece.bytes.len() => return,
            Some(known) => self.waiting_bytes -= known.bytes.len(),
            None => {}
        }
        self.waiting_bytes += piece.bytes.len();
        self.waiting.insert(position, piece);
        self.collect_ready();
    }

    /// Makes the waiting bytes ready that follow without a gap.
    fn collect_ready(&mut self) {
        let Some(mut next) = self.next else { return };
        while let Some(entry) = self
            .waiting
            .first_entry()
            .filter(|entry| *entry.key() <= next)
        {
            let (position, piece) = entry.remove_entry();
            self.waiting_bytes -= piece.bytes.len();
            let known = usize::try_from(next - position).unwrap_or(usize::MAX);
            let Some(fresh) = piece.bytes.get(known..).filter(|fresh| !fresh.is_empty()) else {
                continue;
            };
            self.marks.push(PacketMark {
                at: self.ready.len(),
                ..piece.mark
            });
            self.ready.extend_from_slice(fresh);
            let start = piece.start + known;
            self.map
                .push(fresh.len(), Span::new(start, start + fresh.len()));
            next += fresh.len() as u64;
        }
        self.next = Some(next);
    }

    /// Skips the missing bytes before the next piece that waits, and clears those that are ready.
    pub(super) fn skip_gap(&mut self) -> Option<Gap> {
        let (&position, piece) = self.waiting.first_key_value()?;
        let before = Span::new(piece.start, piece.start + piece.bytes.len());
        let bytes = self.next.map_or(0, |next| {
            usize::try_from(position.saturating_sub(next)).unwrap_or(usize::MAX)
        });
        self.clear_ready();
        self.resume_at(position);
        self.collect_ready();
        Some(Gap { bytes, before })
    }

    /// Clears the bytes that are ready.
    pub(super) fn clear_ready(&mut self) {
        self.base += self.ready.len() as u64;
        self.ready = Vec::new();
        self.map = OffsetMap::default();
        self.marks.clear();
        self.taken = 0;
    }

    /// Clears all bytes.
    pub(super) fn clear(&mut self) {
        self.clear_ready();
        self.waiting.clear();
        self.waiting_bytes = 0;
    }

    /// The bytes that are ready and have not been taken.
    pub(super) fn ready(&self) -> &[u8] {
        self.ready.get(self.taken..).unwrap_or_default()
    }

    /// The position in the file of the first of the ready bytes.
    pub(super) fn span(&self, length: usize) -> Span {
        self.map.outer(Span::new(
            self.taken,
            (self.taken + length).min(self.ready.len()),
        ))
    }

    /// Takes `length` of the ready bytes, with their positions in the file.
    pub(super) fn take(&mut self, length: usize) -> (Vec<u8>, OffsetMap) {
        let part = Span::new(self.taken, (self.taken + length).min(self.ready.len()));
        let taken = (part.slice(&self.ready).to_vec(), self.map.part(part));
        self.skip(length);
        taken
    }

    /// Skips `length` of the ready bytes.
    pub(super) fn skip(&mut self, length: usize) {
        self.taken = (self.taken + length).min(self.ready.len());
        if self.taken == self.ready.len() {
            self.base += self.taken as u64;
            self.ready.clear();
            self.map = OffsetMap::default();
            self.marks.clear();
            self.taken = 0;
        } else if self.taken > MIN_REMOVED_BYTES && self.taken > self.ready.len() / 2 {
            self.make_room();
        }
    }

    fn make_room(&mut self) {
        let taken = std::mem::take(&mut self.taken);
        self.base += taken as u64;
        self.map = self.map.part(Span::new(taken, self.ready.len()));
        self.ready.drain(..taken);
        let first = self
            .marks
            .partition_point(|mark| mark.at <= taken)
            .saturating_sub(1);
        self.marks.drain(..first);
        for mark in &mut self.marks {
            mark.at = mark.at.saturating_sub(taken);
        }
    }

    /// The properties of the packet that contains the next byte.
    pub(super) fn mark(&self) -> PacketMark {
        let behind = self.marks.partition_point(|mark| mark.at <= self.taken);
        self.marks
            .get(behind.saturating_sub(1))
            .copied()
            .unwrap_or_default()
    }

    /// The sequence number of the next byte.
    #[allow(
        clippy::cast_possible_truncation,
        reason = "the low half is the sequence number"
    )]
    pub(super) fn sequence(&self) -> u32 {
        (self.base + self.taken as u64) as u32
    }

    /// The number of bytes that wait for missing bytes before them.
    pub(super) fn waiting(&self) -> usize {
        self.waiting_bytes
    }

    /// Whether the beginning of the stream is known or assumed.
    pub(super) fn is_open(&self) -> bool {
        self.next.is_some()
    }

    /// Whether the stream is complete.
    pub(super) fn is_ended(&self) -> bool {
        self.end
            .is_some_and(|(end, _)| self.next.is_some_and(|next| next >= end))
    }

    /// The approximate size in bytes of the memory that it allocates.
    pub(super) fn memory_size(&self) -> usize {
        self.ready.len() + self.waiting_bytes + self.waiting.len() * 128 + self.marks.len() * 64
    }
}
