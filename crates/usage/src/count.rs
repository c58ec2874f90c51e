//! Counts that are added without an overflow.

/// The largest count: more calls than anyone has, and the sum of the counts of all days or callers does not overflow.
pub(super) const MAX_COUNT: u64 = 1 << 46;

/// Adds a count. The sum has a limit, so that damaged partial results cannot overflow it.
pub(super) fn add_count(to: &mut u64, more: u64) {
    *to = to.saturating_add(more).min(MAX_COUNT);
}

/// The sum of counts of any number of elements or callers, which may be more than [`MAX_COUNT`].
pub(super) fn sum_counts(counts: impl IntoIterator<Item = u64>) -> u64 {
    counts.into_iter().fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_limits() {
        let mut count = MAX_COUNT - 1;
        add_count(&mut count, u64::MAX);
        assert_eq!(count, MAX_COUNT);
        let elements = 1 << 19;
        assert_eq!(
            sum_counts(std::iter::repeat_n(MAX_COUNT, elements)),
            u64::MAX
        );
        assert_eq!(sum_counts([2, 3]), 5);
    }
}
