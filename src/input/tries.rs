//! Whether what has often been tried in vain is tried once more.

/// Counts how often something was tried in vain.
#[derive(Debug, Default)]
pub(super) struct Tries {
    /// How often in a row it was in vain, or was not tried.
    in_vain: usize,
}

/// How often in a row something may be in vain before it is tried seldom.
const PATIENCE: usize = 4;

impl Tries {
    /// Whether to try it: after many times in vain, each twice as long after the one before.
    pub(super) fn next(&mut self) -> bool {
        let tries = self.in_vain < PATIENCE || self.in_vain.is_power_of_two();
        self.in_vain = self.in_vain.saturating_add(1);
        tries
    }

    /// It was not in vain.
    pub(super) fn succeeded(&mut self) {
        self.in_vain = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_in_vain_is_tried_seldom_until_it_is_not() {
        let mut tries = Tries::default();
        let count = (0..1_000).filter(|_| tries.next()).count();
        assert_eq!(count, 4 + 8, "at first, and at 4, 8, up to 512");
        tries.succeeded();
        assert!((0..4).all(|_| tries.next()));
    }
}
