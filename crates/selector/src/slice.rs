//! Slices of arrays.

/// Whether a slice of an array of `len` elements contains the one at `index` (RFC 9535, section 2.3.4.2.2).
pub(super) fn in_slice(
    index: usize,
    len: usize,
    start: Option<i64>,
    end: Option<i64>,
    step: i64,
) -> bool {
    let (Ok(index), Ok(len)) = (i64::try_from(index), i64::try_from(len)) else {
        return false;
    };
    if step > 0 {
        let lower = from_front(len, start.unwrap_or(0)).clamp(0, len);
        let upper = from_front(len, end.unwrap_or(len)).clamp(0, len);
        (lower..upper).contains(&index) && (index - lower) % step == 0
    } else if step < 0 && len > 0 {
        let upper = from_front(len, start.unwrap_or(len - 1)).clamp(-1, len - 1);
        let lower = end
            .map_or(-1, |end| from_front(len, end))
            .clamp(-1, len - 1);
        lower < index && index <= upper && (upper - index) % step == 0
    } else {
        false
    }
}

fn from_front(len: i64, index: i64) -> i64 {
    if index < 0 {
        len.saturating_add(index)
    } else {
        index
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slice(start: Option<i64>, end: Option<i64>, step: i64) -> Vec<usize> {
        (0..5)
            .filter(|&index| in_slice(index, 5, start, end, step))
            .collect()
    }

    #[test]
    fn slices_count_from_both_ends_and_in_both_directions() {
        assert_eq!(slice(None, None, 1), [0, 1, 2, 3, 4]);
        assert_eq!(slice(Some(1), Some(3), 1), [1, 2]);
        assert_eq!(slice(Some(-2), None, 1), [3, 4]);
        assert_eq!(slice(Some(-5), Some(-4), 1), [0]);
        assert!(slice(Some(-6), Some(-5), 1).is_empty());
        assert_eq!(slice(None, None, -2), [0, 2, 4]);
        assert_eq!(slice(Some(-2), Some(0), -1), [1, 2, 3]);
        assert_eq!(slice(Some(9), Some(-9), -3), [1, 4]);
        assert!(slice(Some(3), Some(1), 1).is_empty());
        assert!(slice(None, None, 0).is_empty());
    }
}
