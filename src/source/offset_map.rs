//! From offsets in decoded text back to the bytes it was decoded from.

use super::Span;

/// Maps offsets in a decoded text ("inner") to the text that held it ("outer").
///
/// One segment for each piece: a run copied byte for byte, or one escape, whose inner bytes all stand for the whole
/// escape. Built only when a finding needs it, since most decoded bodies hold none.
#[derive(Debug, Clone, Default)]
pub struct OffsetMap {
    segments: Vec<Segment>,
}

#[derive(Debug, Clone, Copy)]
struct Segment {
    inner: Span,
    outer: Span,
}

impl Segment {
    /// Copied byte for byte. An escape is always longer than what it stands for, so lengths tell the two apart.
    fn is_verbatim(self) -> bool {
        self.inner.len() == self.outer.len()
    }
}

impl OffsetMap {
    /// Appends a piece: the next `inner_len` decoded bytes came from `outer`.
    pub fn push(&mut self, inner_len: usize, outer: Span) {
        let start = self.inner_len();
        if let Some(last) = self.segments.last_mut()
            && last.is_verbatim()
            && inner_len == outer.len()
            && last.outer.end == outer.start
        {
            last.inner.end += inner_len;
            last.outer.end = outer.end;
            return;
        }
        self.segments.push(Segment { inner: Span::new(start, start + inner_len), outer });
    }

    /// Appends all pieces of another map.
    pub fn extend(&mut self, other: &Self) {
        for segment in &other.segments {
            self.push(segment.inner.len(), segment.outer);
        }
    }

    /// The map of the first `inner_len` decoded bytes.
    #[must_use]
    pub fn truncated(&self, inner_len: usize) -> Self {
        let mut map = Self::default();
        for segment in &self.segments {
            let length = segment.inner.end.min(inner_len).saturating_sub(segment.inner.start);
            if length == segment.inner.len() {
                map.push(length, segment.outer);
            } else if length > 0 {
                let end = segment.outer.start + length;
                let verbatim = Span::new(segment.outer.start, end.min(segment.outer.end));
                map.push(length, if segment.is_verbatim() { verbatim } else { segment.outer });
            }
        }
        map
    }

    /// The decoded text's length in bytes.
    pub fn inner_len(&self) -> usize {
        self.segments.last().map_or(0, |segment| segment.inner.end)
    }

    /// The outer bytes that `inner` was decoded from, escapes whole.
    pub fn outer(&self, inner: Span) -> Span {
        let start = self.outer_start(inner.start);
        let end = if inner.is_empty() { start } else { self.outer_end(inner.end) };
        Span { start, end: end.max(start) }
    }

    /// Offset of the outer byte where the inner byte at `offset` begins.
    fn outer_start(&self, offset: usize) -> usize {
        match self.segment_holding(offset) {
            Some(segment) if segment.is_verbatim() => {
                segment.outer.start + (offset - segment.inner.start)
            }
            Some(segment) => segment.outer.start,
            None => self.segments.last().map_or(0, |segment| segment.outer.end),
        }
    }

    /// Offset behind the outer bytes of the inner byte just before `offset`.
    fn outer_end(&self, offset: usize) -> usize {
        match self.segment_holding(offset - 1) {
            Some(segment) if segment.is_verbatim() => {
                segment.outer.start + (offset - segment.inner.start)
            }
            Some(segment) => segment.outer.end,
            None => self.segments.last().map_or(0, |segment| segment.outer.end),
        }
    }

    fn segment_holding(&self, offset: usize) -> Option<Segment> {
        let index = self.segments.partition_point(|segment| segment.inner.end <= offset);
        self.segments.get(index).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The map of `ab\né\u0041c` at offset 10 of a file.
    fn sample() -> OffsetMap {
        let mut map = OffsetMap::default();
        map.push(2, Span::new(10, 12)); // ab
        map.push(1, Span::new(12, 14)); // \n
        map.push(2, Span::new(14, 16)); // é
        map.push(1, Span::new(16, 22)); // \u0041
        map.push(1, Span::new(22, 23)); // c
        map
    }

    #[test]
    fn verbatim_runs_map_byte_for_byte() {
        assert_eq!(sample().outer(Span::new(0, 2)), Span::new(10, 12));
        assert_eq!(sample().outer(Span::new(1, 2)), Span::new(11, 12));
        assert_eq!(sample().outer(Span::new(6, 7)), Span::new(22, 23));
    }

    #[test]
    fn an_escape_maps_whole() {
        assert_eq!(sample().outer(Span::new(2, 3)), Span::new(12, 14));
        assert_eq!(sample().outer(Span::new(5, 6)), Span::new(16, 22));
        assert_eq!(sample().outer(Span::new(1, 6)), Span::new(11, 22));
    }

    #[test]
    fn an_empty_span_and_the_end_map_to_a_point() {
        assert_eq!(sample().outer(Span::new(2, 2)), Span::new(12, 12));
        assert_eq!(sample().outer(Span::new(7, 7)), Span::new(23, 23));
        assert_eq!(OffsetMap::default().outer(Span::new(0, 0)), Span::new(0, 0));
    }

    #[test]
    fn maps_are_put_together_and_cut_off() {
        let mut map = sample();
        map.extend(&sample());
        assert_eq!(map.outer(Span::new(9, 10)), Span::new(12, 14), "as the first");
        let cut = sample().truncated(4);
        assert_eq!(cut.inner_len(), 4);
        assert_eq!(cut.outer(Span::new(0, 4)), sample().outer(Span::new(0, 4)));
    }

    #[test]
    fn neighbouring_verbatim_runs_are_one_segment() {
        let mut map = OffsetMap::default();
        map.push(1, Span::new(3, 4));
        map.push(2, Span::new(4, 6));
        assert_eq!(map.segments.len(), 1);
        assert_eq!(map.outer(Span::new(0, 3)), Span::new(3, 6));
    }
}
