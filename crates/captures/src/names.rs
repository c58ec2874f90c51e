//! The names of members that show what an object in a record is: those of `names.toml`.

use std::sync::LazyLock;

use sundown_files::toml_file::read_table;

/// Lists of names.
#[derive(Debug)]
pub(crate) struct Names {
    /// Members of messages besides bodies, in any spelling.
    pub message_parts: Vec<String>,
    /// Members that only the entries of route tables have, in any spelling.
    pub route_members: Vec<String>,
    /// Other members of such entries, in any spelling.
    pub route_details: Vec<String>,
    /// Members with the text of a body.
    pub body_texts: Vec<String>,
    /// Members that describe a body, in any spelling.
    pub body_descriptions: Vec<String>,
}

/// The lists.
pub(crate) static NAMES: LazyLock<Names> = LazyLock::new(|| {
    let content = read_table(include_str!("../names.toml"), |mut file| {
        let mut list = |key| {
            let names = file.one_or_more(key).unwrap_or_default();
            names.iter().map(|name| name.value.to_owned()).collect()
        };
        Names {
            message_parts: list("message-parts"),
            route_members: list("route-members"),
            route_details: list("route-details"),
            body_texts: list("body-texts"),
            body_descriptions: list("body-descriptions"),
        }
    });
    debug_assert!(content.mistakes.is_empty(), "{:?}", content.mistakes);
    content.value
});
