//! The answer of a search, the memory that searches share, and the maximum number of names.

use sundown_text_json::json::Container;
use sundown_text_json::json::teddy::Hits;

/// The answer of a search.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::prefilter) enum Verdict {
    /// Nothing can match, if the body is one value.
    Nothing,
    /// Something may match.
    MayMatch,
    /// That depends on the fields with keys in the body: see [`super::Search::may_match`].
    Open,
}

/// Memory for a search.
#[derive(Debug, Default)]
pub(in crate::prefilter) struct SearchScratch {
    pub windows: Vec<Hits>,
    /// The content of the value of a key.
    pub value: Container,
    /// The number of searches with a sample.
    pub samples: usize,
}

/// The number of fields and parents up to which a search is worthwhile.
pub(super) const MAX_FIELDS: usize = 64;
