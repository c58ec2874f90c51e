//! Limits of what a description may make the program do.

/// The maximum number of different patterns of keys in a description. Each may take a mebibyte.
pub(super) const MAX_PATTERNS: usize = 256;

/// The most parts of a composed schema of which the markers are found.
pub(super) const MAX_PARTS: usize = 2_000;

/// The limit for visits of path items, operations, parameters, headers, bodies and examples, where a shared one counts each
/// time: this many for each value of the description, and [`MAX_SHARED`] more. That is far more than the largest known
/// descriptions need, and bounds those that are made to multiply.
pub(super) const MAX_PER_VALUE: usize = 8;

/// See [`MAX_PER_VALUE`].
pub(super) const MAX_SHARED: usize = 500_000;
