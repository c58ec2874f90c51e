//! The static table of HPACK (RFC 7541, appendix A).

use std::sync::LazyLock;

/// The entries: each a name, and after a space its value.
static ENTRIES: LazyLock<Vec<(&str, &str)>> = LazyLock::new(|| {
    let lines = include_str!("static-table.txt").lines();
    lines
        .map(|line| line.split_once(' ').unwrap_or((line, "")))
        .collect()
});

/// The number of entries.
pub(super) fn length() -> usize {
    ENTRIES.len()
}

/// Returns the name and the value at an index, which counts from 1.
pub(super) fn entry(index: usize) -> Option<(&'static str, &'static str)> {
    ENTRIES.get(index.checked_sub(1)?).copied()
}
