//! Texts as parts of ids.

use sundown_text_json::text::join;

/// A text as part of an id: its letters and digits in lower case, separated by `-`.
pub(super) fn id_words(text: &str) -> String {
    let words = text.split(|character: char| !character.is_ascii_alphanumeric());
    join(words.filter(|word| !word.is_empty()), "-").to_ascii_lowercase()
}
