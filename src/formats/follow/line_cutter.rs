//! Cuts complete lines off a text that grows.

use crate::formats::ndjson::kept_from;
use crate::formats::{Buffer, Format, Limits, Part};
use crate::text::{Block, Location};

/// The text of one file that was read and not handed out.
#[derive(Debug)]
pub(super) struct LineCutter {
    limits: Limits,
    /// The longest line in bytes. Lines that fit into a block are read, whatever the limit is.
    longest: usize,
    text: Vec<u8>,
    /// The offset of the text in its file.
    start: usize,
    /// The length of the complete lines at the beginning of the text.
    lines: usize,
    /// The last line that was handed out, if it is not too long: a last line without a line feed is compared with it.
    above: Option<Vec<u8>>,
    /// The bytes that were dropped of a line that is too long, and the location after them.
    dropped: Option<(usize, Location)>,
}

impl LineCutter {
    pub(super) fn new(limits: Limits) -> Self {
        let longest = limits.record.max(limits.block);
        Self { limits, longest, text: Vec::new(), start: 0, lines: 0, above: None, dropped: None }
    }

    /// The complete lines that were not handed out.
    pub(super) fn lines(&self) -> Block<'_> {
        let bytes = self.text.get(..self.lines).unwrap_or_default();
        Block { bytes, start: self.start }
    }

    /// The beginning of the text that was not handed out.
    pub(super) fn beginning(&self) -> &[u8] {
        &self.text
    }

    /// Returns whether nothing of the file has been read.
    pub(super) fn is_untouched(&self) -> bool {
        self.start == 0 && self.text.is_empty()
    }

    /// Appends what `read` adds to the text: at most the number of bytes that it gets.
    pub(super) fn fill<T>(&mut self, read: impl FnOnce(&mut Vec<u8>, usize) -> T) -> T {
        let known = self.text.len();
        // A line that is longer than the limit never becomes complete.
        let room = (self.longest + self.lines).saturating_sub(known);
        let result = read(&mut self.text, room.clamp(1, self.limits.block));
        let added = self.text.get(known..).unwrap_or_default();
        if let Some(end) = memchr::memrchr(b'\n', added) {
            self.lines = known + end + 1;
        }
        result
    }

    /// Returns the complete lines, or a line that was too long, if there are some.
    pub(super) fn take(&mut self, format: Option<Format>) -> Option<Part> {
        if self.dropped.is_some() {
            return self.drop_line();
        }
        let is_too_long = self.text.len() - self.lines >= self.longest;
        // Like a file whose format cannot be recognised because its beginning is too large.
        let format = format.or(is_too_long.then_some(Format::Ndjson));
        if self.lines > 0
            && let Some(format) = format
        {
            return Some(Part::Lines(self.split(self.lines), format));
        }
        if is_too_long {
            self.dropped = Some((0, Location::START));
            return self.drop_line();
        }
        None
    }

    /// Returns the rest of the file at its end: a line without a line feed, or all of it if its format is not known.
    pub(super) fn finish(mut self, format: Option<Format>) -> Option<Part> {
        if let Some((bytes, end)) = self.dropped.take() {
            return Some(Part::TooLarge { bytes, end, numbered: 1 });
        }
        let above = self.above.take();
        match format {
            Some(_) if self.text.is_empty() => None,
            Some(format) => Some(Part::LastLine(self.split(self.text.len()), format, above)),
            None => Some(Part::Whole(self.split(self.text.len()))),
        }
    }

    /// Drops a line that is too long, up to its end if that was read.
    fn drop_line(&mut self) -> Option<Part> {
        let (bytes, end) = self.dropped?;
        let stop = memchr::memchr(b'\n', &self.text).map(|at| at + 1);
        let dropped = self.split(stop.unwrap_or(self.text.len()));
        let bytes = bytes + dropped.block().bytes.len();
        let end = end.then(dropped.block().end());
        self.dropped = stop.is_none().then_some((bytes, end));
        stop.map(|_| Part::TooLarge { bytes, end, numbered: 1 })
    }

    /// Takes bytes off the front of the text.
    fn split(&mut self, len: usize) -> Buffer {
        let rest = self.text.split_off(len);
        let front = std::mem::replace(&mut self.text, rest);
        let start = self.start;
        self.start += front.len();
        self.lines = self.lines.saturating_sub(len);
        let last = kept_from(&front).and_then(|at| front.get(at..)).map(<[u8]>::trim_ascii);
        if last.is_none_or(|last| !last.is_empty()) {
            self.above = last.map(<[u8]>::to_vec);
        }
        Buffer::of(front, start)
    }
}
