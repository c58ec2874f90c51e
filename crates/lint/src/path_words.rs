//! Words that are common in the paths of APIs, and say nothing about a person or a customer; and those that are common in records.

use std::sync::LazyLock;

use sundown_files::toml_file::read_table;

/// Whether a segment of a path consists of common words: `orders`, `bulk-upload`, `listOrders`.
///
/// Such a segment may be shown, even if it is a value: it could be that of anyone. How often a segment occurs does not count,
/// because that of a user or a customer occurs in many calls, too.
pub(super) fn is_common(segment: &str) -> bool {
    if segment.len() > MAX_SEGMENT_BYTES
        || !segment
            .chars()
            .all(|character| character.is_ascii_alphabetic() || "-_.".contains(character))
    {
        return false;
    }
    let words = words_of(segment);
    (1..=MAX_WORDS).contains(&words.len())
        && words.iter().all(|word| is_in(word, &PATH_WORDS.common))
}

/// Whether a value probably follows a segment: the name of someone, or an id.
pub(super) fn precedes_value(segment: &str) -> bool {
    segment.ends_with('s')
        || segment.len() <= MAX_SEGMENT_BYTES
            && words_of(segment)
                .last()
                .is_some_and(|word| is_in(word, &PATH_WORDS.owners))
}

/// Whether records of calls have members of this name, too.
pub(super) fn is_of_records(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_lowercase()) && is_in(name, &PATH_WORDS.records)
}

/// The length of a segment in bytes up to which it is shown.
const MAX_SEGMENT_BYTES: usize = 32;

/// The number of its words up to which it is shown. More words could be a passphrase.
const MAX_WORDS: usize = 2;

/// The words of `path-words.toml`, in order.
struct PathWords {
    /// People and organisations.
    owners: Vec<String>,
    /// Common words.
    common: Vec<String>,
    /// The names of members of records.
    records: Vec<String>,
}

static PATH_WORDS: LazyLock<PathWords> = LazyLock::new(|| {
    let content = read_table(include_str!("../path-words.toml"), |file| {
        let list = |key| {
            let words = file.required_string(key).map_or("", |words| words.value);
            words.split_whitespace().map(str::to_owned).collect()
        };
        PathWords {
            owners: list("owners"),
            common: list("words"),
            records: list("records"),
        }
    });
    debug_assert!(content.mistakes.is_empty(), "{:?}", content.mistakes);
    content.value
});

/// Splits a segment at hyphens, underscores and dots, and before capital letters.
fn words_of(segment: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_lower = false;
    for character in segment.chars() {
        let is_end = !character.is_ascii_alphabetic();
        if is_end || was_lower && character.is_ascii_uppercase() {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| !is_end) {
            word.push(character.to_ascii_lowercase());
        }
        was_lower = character.is_ascii_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether a word is in a list, in the singular or the plural.
fn is_in(word: &str, list: &[String]) -> bool {
    let is_listed = |word: &str| {
        list.binary_search_by(|known| known.as_str().cmp(word))
            .is_ok()
    };
    is_listed(word)
        || ["s", "es"]
            .iter()
            .any(|end| word.strip_suffix(end).is_some_and(is_listed))
        || word
            .strip_suffix("ies")
            .is_some_and(|stem| is_listed(&format!("{stem}y")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_words_are_sorted() {
        let PathWords {
            common,
            owners,
            records,
        } = &*PATH_WORDS;
        for list in [common, owners, records] {
            assert!(list.is_sorted_by(|a, b| a < b));
        }
    }

    #[test]
    fn segments_of_common_words_are_recognised() {
        for segment in [
            "orders",
            "bulk-upload",
            "listOrders",
            "search_results",
            "policies",
            "addresses",
            "API",
        ] {
            assert!(is_common(segment), "{segment}");
        }
    }

    #[test]
    fn names_ids_and_topics_are_not_common() {
        for segment in [
            "",
            "-",
            "ann",
            "mary-ann",
            "user-ann",
            "u1",
            "order7",
            "smith.report",
            "zürich",
            "a@b.test",
            "diabetes",
            "acme",
            "grant-price",
            "target",
            "record-metric-wallet",
            "3f2504e0",
            "x",
            "reportAnn",
            "sk_live_1",
            "{{base}}",
        ] {
            assert!(!is_common(segment), "{segment}");
        }
        assert!(!is_common(&"report-".repeat(10_000)));
    }
}
