//! The texts of an object that describe its element.

use sundown_text_json::json::Node;

/// A text that describes an element.
#[derive(Debug, Clone, Copy)]
pub struct ProseText<'d> {
    /// The member that holds it.
    pub member: Node<'d>,
    /// The decoded text.
    pub text: &'d str,
    pub(crate) place: TextPlace,
}

/// Where a text is in its element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TextPlace {
    /// In `summary` or `title`: a few words, which may have a tag.
    Title,
    /// In `description`: sentences.
    Description,
}

/// The keys of texts, the most detailed first.
const KEYS: [(&str, TextPlace); 3] = [
    ("description", TextPlace::Description),
    ("summary", TextPlace::Title),
    ("title", TextPlace::Title),
];

/// The texts of an object, the most detailed first.
pub fn prose_texts(holder: Node<'_>) -> impl Iterator<Item = ProseText<'_>> {
    KEYS.into_iter().filter_map(move |(key, place)| {
        let member = holder.get(key)?;
        Some(ProseText {
            member,
            text: member.as_str()?,
            place,
        })
    })
}

/// Whether a key holds a text.
pub(crate) fn is_text_key(key: &str) -> bool {
    KEYS.iter().any(|(known, _)| *known == key)
}
