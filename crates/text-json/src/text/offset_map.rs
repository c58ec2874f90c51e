//! Maps offsets in decoded text back to the bytes from which it was decoded.

use super::Span;

/// Maps offsets in a decoded text ("inner") to its source ("outer").
///
/// It has one segment for each piece: a run copied byte for byte, or one escape, to which all its inner bytes map. It is
/// built only when a finding needs it, since most decoded bodies have none.
#[derive(Debug, Clone, Default)]
pub struct OffsetMap {
    segments: Vec<MappedRun>,
    /// Whether some piece precedes the one before it in the source: packets may arrive in any order.
    is_scattered: bool,
}

#[derive(Debug, Clone, Copy)]
struct MappedRun {
    inner: Span,
    outer: Span,
}

impl MappedRun {
    /// Whether it is copied byte for byte. An escape is always longer than its decoded text, so the lengths decide.
    fn is_verbatim(self) -> bool {
        self.inner.len() == self.outer.len()
    }
}

impl OffsetMap {
    /// Appends a piece: the next `inner_len` decoded bytes came from `outer`.
    pub fn push(&mut self, inner_len: usize, outer: Span) {
        let start = self.inner_len();
        self.is_scattered |= self
            .segments
            .last()
            .is_some_and(|last| outer.start < last.outer.end);
        if let Some(last) = self.segments.last_mut()
            && last.is_verbatim()
            && inner_len == outer.len()
            && last.outer.end == outer.start
        {
            last.inner.end += inner_len;
            last.outer.end = outer.end;
            return;
        }
        self.segments.push(MappedRun {
            inner: Span::new(start, start + inner_len),
            outer,
        });
    }

    /// The approximate size in bytes of the memory that it allocates.
    pub fn memory_size(&self) -> usize {
        self.segments.len() * size_of::<MappedRun>()
    }

    /// Appends all pieces of another map.
    pub fn extend(&mut self, other: &Self) {
        for segment in &other.segments {
            self.push(segment.inner.len(), segment.outer);
        }
    }

    /// The map to the source of a text that has itself been decoded, by `outer`, from that source.
    #[must_use]
    pub fn through(&self, outer: &Self) -> Self {
        let mut map = Self::default();
        for segment in &self.segments {
            if segment.is_verbatim() {
                map.extend(&outer.part(segment.outer));
            } else {
                map.push(segment.inner.len(), outer.outer(segment.outer));
            }
        }
        map
    }

    /// The map of a part of the decoded text.
    #[must_use]
    pub fn part(&self, inner: Span) -> Self {
        let mut map = Self::default();
        for (len, outer) in self.pieces(inner) {
            map.push(len, outer);
        }
        map
    }

    /// The pieces of a part of the decoded text: the length of each, and the outer span from which it was decoded.
    fn pieces(&self, inner: Span) -> impl DoubleEndedIterator<Item = (usize, Span)> {
        let segments = &self.segments;
        let first = segments.partition_point(|segment| segment.inner.end <= inner.start);
        let behind = segments.partition_point(|segment| segment.inner.start < inner.end);
        let touched = segments.get(first..behind).unwrap_or_default();
        let pieces = touched.iter().map(move |segment| {
            let start = segment.inner.start.max(inner.start);
            let end = segment.inner.end.min(inner.end);
            let outer = if segment.is_verbatim() {
                Span::new(start - segment.inner.start, end - segment.inner.start)
                    .shifted(segment.outer.start)
            } else {
                segment.outer
            };
            (end - start, outer)
        });
        pieces.filter(|(len, _)| *len > 0)
    }

    /// The length of the decoded text in bytes.
    pub fn inner_len(&self) -> usize {
        self.segments.last().map_or(0, |segment| segment.inner.end)
    }

    /// The outer span from which `inner` was decoded; it covers whole escapes.
    pub fn outer(&self, inner: Span) -> Span {
        // An empty span is before the byte that follows.
        let bytes = Span::new(inner.start, inner.end.max(inner.start + 1));
        let mut pieces = self.pieces(bytes).map(|(_, outer)| outer);
        let Some(first) = pieces.next() else {
            let end = self.segments.last().map_or(0, |segment| segment.outer.end);
            return Span::new(end, end);
        };
        if inner.is_empty() {
            return Span::new(first.start, first.start);
        }
        if self.is_scattered {
            return pieces.fold(first, |all, piece| {
                Span::new(all.start.min(piece.start), all.end.max(piece.end))
            });
        }
        Span::new(first.start, pieces.next_back().unwrap_or(first).end)
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
        let part = sample().part(Span::new(1, 6));
        assert_eq!(part.outer(Span::new(1, 2)), Span::new(12, 14));
        assert_eq!(part.outer(Span::new(2, 5)), Span::new(14, 22));
    }

    #[test]
    fn maps_are_put_together() {
        let mut map = sample();
        map.extend(&sample());
        assert_eq!(
            map.outer(Span::new(9, 10)),
            Span::new(12, 14),
            "as the first"
        );
    }

    #[test]
    fn pieces_in_another_order_map_to_what_holds_them_all() {
        let mut map = OffsetMap::default();
        map.push(4, Span::new(50, 54));
        map.push(4, Span::new(10, 14));
        map.push(4, Span::new(80, 84));
        assert_eq!(map.outer(Span::new(1, 3)), Span::new(51, 53));
        assert_eq!(map.outer(Span::new(2, 6)), Span::new(10, 54));
        assert_eq!(map.outer(Span::new(5, 9)), Span::new(11, 81));
        assert_eq!(map.outer(Span::new(0, 12)), Span::new(10, 84));
        let part = map.part(Span::new(2, 9));
        assert_eq!(
            (part.inner_len(), part.outer(Span::new(6, 7))),
            (7, Span::new(80, 81))
        );
        assert_eq!(part.outer(Span::new(0, 1)), Span::new(52, 53));
        assert_eq!(map.part(Span::new(5, 5)).inner_len(), 0);
    }

    #[test]
    fn a_text_decoded_twice_maps_to_its_source() {
        // `a\\nb` in the file is `a\nb`, which is `a`, a line feed and `b`.
        let mut outer = OffsetMap::default();
        outer.push(1, Span::new(10, 11));
        outer.push(1, Span::new(11, 13));
        outer.push(2, Span::new(13, 15));
        let mut inner = OffsetMap::default();
        inner.push(1, Span::new(0, 1));
        inner.push(1, Span::new(1, 3));
        inner.push(1, Span::new(3, 4));
        let map = inner.through(&outer);
        assert_eq!(map.inner_len(), 3);
        assert_eq!(map.outer(Span::new(1, 2)), Span::new(11, 14));
        assert_eq!(map.outer(Span::new(2, 3)), Span::new(14, 15));
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
