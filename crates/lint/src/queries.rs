//! The keys of one value that selectors with filters, slices or indices from the end accept.

use super::value_tree::ValueTree;
use sundown_selector::Queries;
use sundown_selector::automaton::PatternId;
use sundown_text_json::json::SyntaxError;
use sundown_text_json::text::Span;

/// The questions of the walk to a selection.
pub(super) trait Selected {
    /// The patterns that accept this key.
    fn at(&self, key: Span) -> &[PatternId];
    /// Whether a key after `offset` was selected.
    fn has_any_after(&self, offset: usize) -> bool;
}

/// A selection known to be empty, which costs nothing.
pub(super) struct NothingSelected;

impl Selected for NothingSelected {
    #[inline]
    fn at(&self, _: Span) -> &[PatternId] {
        &[]
    }

    #[inline]
    fn has_any_after(&self, _: usize) -> bool {
        false
    }
}

/// The selected keys, in the order of the text.
#[derive(Debug, Default)]
pub(super) struct Selection {
    /// The offset of each key, and the patterns that accept it.
    keys: Vec<(usize, Vec<PatternId>)>,
}

impl Selection {
    /// Runs the queries over a value. Their patterns are numbered from `first` on.
    ///
    /// Fails on a value that is not valid, is too long for a tree, or nests deeper than [`Queries`] allow.
    pub(super) fn new(
        queries: &mut Queries,
        first: PatternId,
        tree: &ValueTree<'_>,
    ) -> Result<Self, SyntaxError> {
        let mut keys = Vec::new();
        queries.select(tree.document()?, tree.value.start, &mut |selected| {
            // An element of an array is not a use: a use has a key.
            if let Some(key) = selected.key {
                let patterns = selected.patterns.iter().map(|pattern| first + pattern);
                keys.push((key.start, patterns.collect()));
            }
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
        match self
            .keys
            .binary_search_by_key(&key.start, |(start, _)| *start)
        {
            Ok(found) => self.keys.get(found).map_or(&[], |(_, patterns)| patterns),
            Err(_) => &[],
        }
    }

    fn has_any_after(&self, offset: usize) -> bool {
        self.keys.last().is_some_and(|(start, _)| *start > offset)
    }
}
