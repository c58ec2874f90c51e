//! Puts windows into the few sets that can be searched at once. Within a set, mixtures of its windows are found, too.

use super::sample::Sample;
use sundown_text_json::json::teddy::{SETS, Window, Windows};

/// Puts windows into sets so that few mixtures are found.
pub(super) fn in_sets(windows: impl Iterator<Item = Window>, sample: &Sample) -> Windows {
    let mut wanted: Vec<_> = windows.collect();
    wanted.sort_unstable();
    wanted.dedup();
    let mut sets: [Vec<Window>; SETS] = Default::default();
    for window in wanted {
        let all = sets.iter_mut().map(|set| {
            let more = set.iter().copied().chain([window]);
            let dearer = mixtures(more, sample) - mixtures(set.iter().copied(), sample);
            (dearer, set)
        });
        if let Some((_, set)) = all.min_by(|(a, _), (b, _)| a.total_cmp(b)) {
            set.push(window);
        }
    }
    let mut windows = Windows::default();
    for (number, set) in sets.iter().enumerate() {
        for &window in set {
            windows.add(window, number);
        }
    }
    windows
}

/// The likelihood that a position is found by a set, by single bytes.
fn mixtures(set: impl Iterator<Item = Window>, sample: &Sample) -> f64 {
    let mut all = Window::default();
    for window in set {
        for (all, bytes) in all.iter_mut().zip(window) {
            *all = all.and(bytes);
        }
    }
    all.iter().map(|bytes| sample.likelihood(*bytes)).product()
}
