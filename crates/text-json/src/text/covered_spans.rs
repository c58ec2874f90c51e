//! The union of spans of a file: each byte counts once, in however many spans it is.

use super::Span;

/// The spans that have been covered so far. If there are many, the first ones are forgotten: spans that overlap are close to
/// each other.
#[derive(Debug, Clone, Default)]
pub struct CoveredSpans {
    /// In ascending order; no two overlap or touch.
    stretches: Vec<Span>,
}

/// The maximum number of spans that are remembered.
const MAX_STRETCHES: usize = 16 * 1024;

impl CoveredSpans {
    /// Covers a span, and returns the number of its bytes that were not covered before.
    pub fn add(&mut self, stretch: Span) -> usize {
        if stretch.is_empty() {
            return 0;
        }
        let first = self
            .stretches
            .partition_point(|known| known.end < stretch.start);
        let touched = self.stretches.get(first..).unwrap_or_default();
        let count = touched
            .iter()
            .take_while(|known| known.start <= stretch.end)
            .count();
        let touched = touched.get(..count).unwrap_or_default();
        let known: usize = touched.iter().map(|known| known.common(stretch)).sum();
        let start = touched
            .first()
            .map_or(stretch.start, |known| known.start.min(stretch.start));
        let end = touched
            .last()
            .map_or(stretch.end, |known| known.end.max(stretch.end));
        self.stretches
            .splice(first..first + count, [Span::new(start, end)]);
        if self.stretches.len() > MAX_STRETCHES {
            self.stretches.drain(..MAX_STRETCHES / 2);
        }
        stretch.len() - known
    }
}

impl Span {
    /// Returns the number of bytes that it shares with another span.
    fn common(self, other: Self) -> usize {
        self.end
            .min(other.end)
            .saturating_sub(self.start.max(other.start))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn each_byte_counts_once(stretches in prop::collection::vec((0usize..60, 0usize..20), 0..20)) {
            let mut cover = CoveredSpans::default();
            let mut covered = [false; 80];
            for (start, len) in stretches {
                let stretch = &mut covered[start..start + len];
                let fresh = stretch.iter().filter(|covered| !**covered).count();
                stretch.fill(true);
                prop_assert_eq!(cover.add(Span::new(start, start + len)), fresh);
            }
        }
    }
}
