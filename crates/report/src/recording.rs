//! The name of a recorded test, as the file of its recording has it.

/// The endings of compressed files, then those of cassettes.
const ENDINGS: [&[&str]; 2] = [
    &[".gz", ".zst", ".br", ".xz", ".bz2"],
    &[".yml", ".yaml", ".json"],
];

/// The name of the test whose recording has this path: the part below the folder of cassettes, or else the file's own name,
/// without its ending. `None` for standard input.
pub(super) fn recorded_test(path: &str) -> Option<&str> {
    let mut start = path.rfind('/').map_or(0, |slash| slash + 1);
    for (slash, _) in path.match_indices('/') {
        let folder = path.get(..slash)?.rsplit('/').next().unwrap_or_default();
        if folder.to_ascii_lowercase().ends_with("cassettes") {
            start = slash + 1;
            break;
        }
    }
    let mut name = path.get(start..)?;
    for endings in ENDINGS {
        name = endings
            .iter()
            .find_map(|ending| name.strip_suffix(ending))
            .unwrap_or(name);
    }
    Some(name).filter(|name| !name.is_empty() && *name != "-")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recordings_are_named_after_tests() {
        for (path, test) in [
            (
                "tests/cassettes/test_orders/test_total[1.5].yaml",
                "test_orders/test_total[1.5]",
            ),
            (
                "spec/fixtures/vcr_cassettes/Orders/has_a_total.yml",
                "Orders/has_a_total",
            ),
            ("Orders_total.json.gz", "Orders_total"),
            ("recorded/orders.yaml", "orders"),
            ("cassettes/a/cassettes/b.yml", "a/cassettes/b"),
        ] {
            assert_eq!(recorded_test(path), Some(test));
        }
        assert_eq!(recorded_test("-"), None);
        assert_eq!(recorded_test("cassettes/.yml"), None);
    }
}
