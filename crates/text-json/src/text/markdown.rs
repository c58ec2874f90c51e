//! Escapes text for GitHub Flavored Markdown, so that it is shown literally.

use super::escape_unsafe;

/// Writes a code span: with more backticks around it than in any row inside. Nothing in it is markup, a link or a mention.
pub fn code(text: &str) -> String {
    let text = escape_unsafe(text);
    let longest = text
        .split(|character| character != '`')
        .map(str::len)
        .max()
        .unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    let pad = text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) || text.is_empty();
    let pad = if pad { " " } else { "" };
    format!("{fence}{pad}{text}{pad}{fence}")
}

/// An invisible comment. GitHub looks for mentions and references in each run of text by itself.
pub const BREAK: &str = "<!-- -->";

/// Escapes all markup, and what GitHub makes a mention (`@name`) or a reference (`#1`, `GH-1`).
pub fn plain(text: &str) -> String {
    escape(text, Some(0))
}

/// Escapes text whose first word begins at this offset; `None` if it continues the word before the text.
fn escape(text: &str, mut word: Option<usize>) -> String {
    let text = escape_unsafe(text);
    let mut written = String::new();
    for (at, character) in text.char_indices() {
        let after = text.get(at + character.len_utf8()..).unwrap_or_default();
        if character.is_whitespace() {
            word = Some(at + character.len_utf8());
        }
        if "\\`*_<>[]|&~".contains(character) {
            written.push('\\');
        }
        written.push(character);
        let word = word.and_then(|word| text.get(word..at + character.len_utf8()));
        if !word.is_some_and(is_link) && begins_reference(&written, after) {
            written.push_str(BREAK);
        }
    }
    written
}

/// Whether GitHub makes a link of a word up to here, in which it sees no mentions: its host has a dot, and no `<` ends it.
fn is_link(word: &str) -> bool {
    let rest = word
        .strip_prefix("https://")
        .or_else(|| word.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#', ':']).next());
    let is_host = host.is_some_and(|host| {
        host.contains('.')
            && host.split('.').all(|label| {
                !label.is_empty()
                    && label
                        .chars()
                        .all(|part| part.is_ascii_alphanumeric() || part == '-')
            })
    });
    is_host && !word.contains('<')
}

/// Whether GitHub sees a mention or a reference between these texts.
fn begins_reference(before: &str, after: &str) -> bool {
    let is_number = after.starts_with(|next: char| next.is_ascii_digit());
    let is_name = after.starts_with(|next: char| next.is_ascii_alphanumeric());
    before.ends_with('@') && is_name
        || is_number
            && ["#", "GH-", "gh-"]
                .iter()
                .any(|sign| before.ends_with(sign))
}

/// Escapes all markup but code spans in backticks, which contain names.
pub fn prose(text: &str) -> String {
    prose_with(text, code)
}

/// Escapes prose for a table cell, where even code must not contain an unescaped `|`.
pub fn prose_cell(text: &str) -> String {
    prose_with(text, code_cell)
}

fn prose_with(text: &str, code: fn(&str) -> String) -> String {
    let parts: Vec<&str> = text.split('`').collect();
    if parts.len().is_multiple_of(2) {
        return plain(text);
    }
    parts
        .iter()
        .enumerate()
        .map(|(index, part)| match (index % 2, *part) {
            (0, part) => escape(part, (index == 0).then_some(0)),
            (_, part) => code(part),
        })
        .collect()
}

/// Writes a code span for a table cell, where even code must not contain an unescaped `|`.
pub fn code_cell(text: &str) -> String {
    code(text).replace('|', "\\|")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn code_is_fenced_by_more_backticks_than_it_holds() {
        assert_eq!(code("a"), "`a`");
        assert_eq!(code("a``b`"), "``` a``b` ```");
        assert_eq!(code(""), "`  `");
        assert_eq!(code_cell("a|b"), "`a\\|b`");
        assert_eq!(prose_cell("c|d `a|b`"), "c\\|d `a\\|b`");
    }

    #[test]
    fn prose_keeps_names_as_code_and_nothing_else() {
        assert_eq!(prose("`a_b` in _this_"), "`a_b` in \\_this\\_");
        assert_eq!(plain("@a #1 GH-2"), "@<!-- -->a #<!-- -->1 GH-<!-- -->2");
        assert_eq!(prose("`@a #1`"), "`@a #1`");
        assert_eq!(
            plain("see https://h.x/@a#1 # @"),
            "see https://h.x/@a#1 # @"
        );
        for text in [
            "http://@a",
            "http://h/@a",
            "http://h.x@a",
            "https://h.x/<@a",
            "http://./@a",
        ] {
            assert!(plain(text).ends_with("@<!-- -->a"), "{}", plain(text));
        }
        assert_eq!(prose("`a`http://h.x/@b"), "`a`http://h.x/@<!-- -->b");
        assert_eq!(prose("one ` <b>"), "one \\` \\<b\\>");
    }
}
