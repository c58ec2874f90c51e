//! The words of `words.toml`: the extensions of vendors and generators that mark an element as deprecated or give details, the keys
//! of their objects, and the states of elements.

use std::collections::HashMap;
use std::sync::LazyLock;

use sundown_text_json::text::spelling::is_spelled;
use toml::de::{DeTable, DeValue};

/// What an extension contains, as `words.toml` says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ExtensionContent {
    Entries,
    End,
    Dates,
    Details,
    Version,
    State,
    Removal,
    Values,
    Introduced,
    /// One of [`TEXTS`].
    Text(&'static str),
}

/// The facts about a deprecation that are texts.
pub(super) const TEXTS: [&str; 3] = ["message", "replacement", "docs"];

/// The facts in an object about a deprecation, by the lists of their keys.
const FACTS: [&str; 7] = [
    "message",
    "replacement",
    "introduced",
    "removal",
    "docs",
    "version",
    "state",
];

/// The lists of the file.
static WORDS: LazyLock<HashMap<String, Vec<String>>> = LazyLock::new(|| {
    let (file, _) = DeTable::parse_recoverable(include_str!("words.toml"));
    let lists = file.into_inner().into_iter().map(|(key, list)| {
        let words = match list.into_inner() {
            DeValue::Array(words) => words.into_iter().collect(),
            _ => Vec::new(),
        };
        let texts = words.iter().filter_map(|word| word.get_ref().as_str());
        (key.into_inner().into(), texts.map(str::to_owned).collect())
    });
    lists.collect()
});

/// The extensions, and what each contains.
pub(super) static EXTENSIONS: LazyLock<Vec<(&str, ExtensionContent)>> = LazyLock::new(|| {
    use ExtensionContent::{
        Dates, Details, End, Entries, Introduced, Removal, State, Text, Values, Version,
    };
    let lists = [
        ("x-entries", Entries),
        ("x-end", End),
        ("x-dates", Dates),
        ("x-details", Details),
        ("x-version", Version),
        ("x-state", State),
        ("x-removal", Removal),
        ("x-values", Values),
        ("x-introduced", Introduced),
        ("x-message", Text("message")),
        ("x-replacement", Text("replacement")),
        ("x-docs", Text("docs")),
    ];
    lists
        .into_iter()
        .flat_map(|(list, content)| words(list).iter().map(move |name| (name.as_str(), content)))
        .collect()
});

/// The words of a list, in the order in which they are used.
pub(super) fn words(list: &str) -> &'static [String] {
    debug_assert!(WORDS.contains_key(list), "{list}");
    WORDS.get(list).map_or(&[], Vec::as_slice)
}

/// Whether a key is in a list.
pub(crate) fn is_one_of(key: &str, list: &str) -> bool {
    words(list).iter().any(|known| known == key)
}

/// Whether a key of an object about a deprecation gives a fact.
pub(crate) fn is_fact(key: &str) -> bool {
    let names = FACTS
        .iter()
        .flat_map(|fact| words(fact))
        .map(String::as_str);
    names
        .chain(["id", "display"])
        .any(|name| is_spelled(key, name))
}

/// Whether a state is that of a deprecated element.
pub(super) fn is_deprecated_state(text: &str) -> bool {
    words("states")
        .iter()
        .any(|state| text.eq_ignore_ascii_case(state))
}

/// Whether an extension looks like a mark of deprecation or a detail of one, or a key like the mark itself.
pub(crate) fn looks_like_mark(key: &str) -> bool {
    has_part(key, "mark-parts", |word| word == "eol")
        || words("flags").iter().any(|flag| is_spelled(key, flag))
}

/// Whether an extension's name says that its value is the end of something.
pub(super) fn names_end(key: &str) -> bool {
    has_part(key, "end-parts", |word| {
        word.starts_with("eol") || word == "eos"
    })
}

/// Whether the name of an extension has a part in a list, or such a word.
pub(crate) fn has_part(key: &str, list: &str, is_it: fn(&str) -> bool) -> bool {
    let key = key.to_ascii_lowercase();
    let mut parts = key.split(['-', '_']);
    parts.next() == Some("x") && {
        let plain: String = parts.clone().collect();
        parts.any(is_it) || words(list).iter().any(|part| plain.contains(part))
    }
}
