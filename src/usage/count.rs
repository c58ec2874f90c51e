//! Counts that are added without an overflow.

/// The largest count: more calls than anyone has, and the sum of the counts of all days or callers does not overflow.
pub(super) const MOST_COUNT: u64 = 1 << 46;

/// Adds a count. The sum has a limit, so that damaged partial results cannot overflow it.
pub(super) fn add_count(to: &mut u64, more: u64) {
    *to = to.saturating_add(more).min(MOST_COUNT);
}
