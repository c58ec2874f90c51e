//! Texts as parts of ids.

/// A text as part of an id: its letters and digits in lower case, separated by `-`.
pub(super) fn id_words(text: &str) -> String {
    let words: Vec<_> = text
        .split(|character: char| !character.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    words.join("-").to_ascii_lowercase()
}
