//! The keys of one value that selectors with filters, slices or indices from the end accept, for the walk to take in.

use crate::json::SyntaxError;
use crate::selector::Queries;
use crate::selector::automaton::PatternId;
use crate::text::Span;

/// What the walk asks of a selection.
pub(super) trait Selected {
    /// The patterns that accept this key.
    fn at(&self, key: Span) -> &[PatternId];
    /// Whether some key behind `offset` was selected.
    fn goes_on_behind(&self, offset: usize) -> bool;
}

/// A selection known to be empty: asking it costs nothing.
pub(super) struct NothingSelected;

impl Selected for NothingSelected {
    #[inline]
    fn at(&self, _: Span) -> &[PatternId] {
        &[]
    }

    #[inline]
    fn goes_on_behind(&self, _: usize) -> bool {
        false
    }
}

/// What was selected, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// Where each key begins, and the patterns that accept it.
    keys: Vec<(usize, Vec<PatternId>)>,
}

impl Selection {
    /// Runs the queries over the value that begins at `start`; their patterns are numbered from `first` on.
    ///
    /// The error is what keeps them from it: a value that nests deeper than [`crate::selector::MAX_DEPTH`].
    pub(super) fn new(
        queries: &mut Queries,
        first: PatternId,
        text: &str,
        start: usize,
    ) -> Result<Self, SyntaxError> {
        let mut keys = Vec::new();
        queries.select(text, start, &mut |selected| {
            // An element of an array is no use: a use has a key.
            let patterns = || selected.patterns.iter().map(|pattern| first + pattern).collect();
            keys.extend(selected.key.map(|key| (key.start, patterns())));
        })?;
        Ok(Self { keys })
    }

    /// Whether nothing was selected.
    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }
}

impl Selected for Selection {
    fn at(&self, key: Span) -> &[PatternId] {
        match self.keys.binary_search_by_key(&key.start, |(start, _)| *start) {
            Ok(found) => self.keys.get(found).map_or(&[], |(_, patterns)| patterns),
            Err(_) => &[],
        }
    }

    fn goes_on_behind(&self, offset: usize) -> bool {
        self.keys.last().is_some_and(|(start, _)| *start > offset)
    }
}
