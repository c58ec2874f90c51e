//! The text of a block in memory, which is reused for other blocks.

use std::io::{self, Read};
use std::sync::Arc;

use super::budget::{HeldMemory, MemoryBudget, UNCOUNTED};
use super::gauge::Gauge;
use sundown_text_json::text::Block;

/// The size of a new buffer in bytes.
const FIRST_READ: usize = 64 * 1024;

/// A text in memory that is reused for other texts.
#[derive(Debug, Default)]
pub struct Buffer {
    memory: Vec<u8>,
    len: usize,
    start: usize,
    /// The memory of a large record.
    held: Option<HeldMemory>,
}

impl Buffer {
    /// The text as a block.
    pub fn block(&self) -> Block<'_> {
        Block {
            bytes: self.memory.get(..self.len).unwrap_or_default(),
            start: self.start,
        }
    }

    /// Returns the buffer for the next text. The memory of a large record is released.
    #[must_use]
    pub fn into_buffer(self) -> Self {
        if self.memory.len() > UNCOUNTED {
            Self::default()
        } else {
            self
        }
    }

    pub(crate) fn bytes(&self) -> &[u8] {
        self.block().bytes
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// The offset of the text in its file.
    pub(crate) fn start(&self) -> usize {
        self.start
    }

    /// The offset in the file after the text.
    pub(crate) fn end(&self) -> usize {
        self.start + self.len
    }

    /// Creates a buffer without memory, at offset `start` of a file.
    pub(crate) fn at(start: usize) -> Self {
        Self {
            start,
            ..Self::default()
        }
    }

    /// Removes the text, which ended at `start`.
    pub(crate) fn clear(&mut self, start: usize) {
        if self.memory.len() > UNCOUNTED {
            *self = Self::default();
        }
        self.len = 0;
        self.start = start;
    }

    /// Replaces the text with that of `carried`: a copy, or its memory if it is larger.
    pub(crate) fn take_over(&mut self, carried: Self) {
        if carried.memory.len() > self.memory.len() {
            *self = carried;
            return;
        }
        self.len = 0;
        if let Some(room) = self.memory.get_mut(..carried.len) {
            room.copy_from_slice(carried.bytes());
            self.len = carried.len;
        }
        self.start = carried.start;
    }

    /// Reads on until there are `size` bytes; `false` if the input ends before, or the run is to stop.
    pub(crate) fn fill(
        &mut self,
        input: &mut dyn Read,
        size: usize,
        context: &ReadContext<'_>,
    ) -> io::Result<bool> {
        while self.len < size {
            if context.gauge.is_stopped() {
                return Ok(false);
            }
            // The limit may be far larger than the file.
            let end = size.min(self.memory.len().max(FIRST_READ).max(self.len * 2));
            self.make_room(end, &context.budget);
            let room = self.memory.get_mut(self.len..end).unwrap_or_default();
            match input.read(room) {
                Ok(0) => return Ok(false),
                Ok(count) => self.len += count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(true)
    }

    fn make_room(&mut self, size: usize, budget: &Arc<MemoryBudget>) {
        let more = size.saturating_sub(self.memory.len());
        if more == 0 {
            return;
        }
        if size > UNCOUNTED {
            self.held.get_or_insert_with(|| budget.hold()).grow(size);
        }
        self.memory.reserve_exact(more);
        self.memory.resize(size, 0);
    }

    /// Keeps the first `len` bytes, and returns the others. The smaller part is copied.
    pub(crate) fn split(&mut self, len: usize) -> Self {
        let (front, rest) = self.bytes().split_at_checked(len).unwrap_or_default();
        if rest.len() <= front.len() {
            let rest = self.copy_of(rest, self.start + len);
            self.len = len;
            return rest;
        }
        let front = self.copy_of(front, self.start);
        let mut rest = std::mem::replace(self, front);
        rest.memory.copy_within(len..rest.len, 0);
        rest.len -= len;
        rest.start += len;
        rest
    }

    /// Copies a part of the text. The copy of a large part counts as well.
    fn copy_of(&self, text: &[u8], start: usize) -> Self {
        let held = self.held.as_ref().filter(|_| text.len() > UNCOUNTED);
        let held = held.map(|held| held.hold_more(text.len()));
        Self {
            memory: text.to_vec(),
            len: text.len(),
            start,
            held,
        }
    }
}

/// The conditions under which a run reads: its progress, and the memory for large records.
#[derive(Debug)]
pub(crate) struct ReadContext<'f> {
    pub gauge: &'f Gauge,
    pub budget: Arc<MemoryBudget>,
}
