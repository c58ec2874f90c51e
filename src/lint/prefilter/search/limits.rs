//! The maximum number of names.

/// The number of fields and parents up to which a search is worthwhile.
pub(super) const MOST: usize = 64;
