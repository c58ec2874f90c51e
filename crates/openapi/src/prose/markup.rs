//! Removes markup (Markdown and HTML) from the prose of descriptions, and marks all quoted names alike.

use std::sync::LazyLock;

use regex::Regex;

use super::words::{DEPRECATED, ENDED, PREPOSITION};

/// In this order. Names in code, links, quotes and emphasis become names in backticks, but not sentences; block elements become line breaks; what is
/// no prose is left out.
static REWRITES: LazyLock<Vec<(Regex, &str)>> = LazyLock::new(|| {
    let cause = "and|because|due to|in favou?r|please|use|see";
    let stated = format!(
        r"(?i)\b(is|are|was|were|be|been|being|now|as) `({DEPRECATED}|{ENDED})`(\s*(?:[.!;:)\n]|$)|,? (?:(?:{cause})\b|{PREPOSITION}))"
    );
    let rewrites = [
        (r"\r\n?", "\n"),
        // Comments, blocks of code, and what is struck through.
        (r"(?s)<!--.*?-->", " "),
        (
            r"(?m)^[ \t]*```[^`\n]*\n(?:[^\n]*\n)*?[ \t]*```[ \t]*$",
            "\n",
        ),
        (r"~~[^~\n]+~~", " "),
        (r"(?m)^[ \t]*> ?", ""),
        // A single line break is white space; an empty line, a list item and a heading begin a paragraph.
        // So does a line that begins with `Deprecated:`, as in comments of Go.
        (
            r"\n([ \t]*(?:\n|[-*+] |[0-9]+\. |#|[*_]*(?:Deprecated|DEPRECATED)\b[*_]*(?:[:.,!]|[ \t]*(?:\n|$))))",
            "\u{85}$1",
        ),
        (r"\n", " "),
        ("\u{85}", "\n"),
        (
            r"(?i)</?(?:p|br|li|ul|ol|div|h[1-6]|aside|important|note)\b[^<>]*>",
            "\n",
        ),
        (
            r"(?i)<(?:code|a|i|em)\b[^<>]*>\s*([^<>\n]{0,99}?[^<>\n.\s])\s*</(?:code|a|i|em)>",
            "`$1`",
        ),
        (r"</?[A-Za-z][^<>]*>", ""),
        (
            r"\[[^\[\]\n]*\]\(#(?:operation|tag/[^/()]+/operation)/([\w.-]+)\)",
            "`$1`",
        ),
        (r"\[\s*`?([^\[\]\n`]{1,100}?)`?\s*\]\([^()\s]*\)", "`$1`"),
        (r#"["“”]([^"“”\n`]{1,100})["“”]"#, "`$1`"),
        (r"(^|[\s(])['‘]([^'‘’\n`]{1,100})['’]", "$1`$2`"),
        (r"(^|\s)_([^_\n`]{2,99}[^_\n`.])_([\s.,;:)]|$)", "$1`$2`$3"),
        (r"(^|\s)_([^_\n`]{3,100}\.)_(\s|$)", "$1$2$3"),
        (r"\*+", ""),
        (r"(^|\s)__", "$1"),
        (r"__([\s.,;:!]|$)", "$1"),
        (r"`{2,}", "`"),
        (r"&#58;", ":"),
        (r"&(?:#39|apos);", "'"),
        (r"&(?:#34|quot);", "`"),
        (r"&amp;", "&"),
        (r"\\([@_`])", "$1"),
        (r"\n[ \t]*#+[ \t]*", "\n"),
        (r"[ \t]+", " "),
        // In code, a link or emphasis, but no value: `is [deprecated](…) and …`.
        (&stated, "$1 $2$3"),
    ];
    rewrites
        .into_iter()
        .filter_map(|(pattern, by)| Some((Regex::new(pattern).ok()?, by)))
        .collect()
});

/// The text without markup. Names that were set apart are in backticks.
pub(super) fn plain(text: &str) -> String {
    REWRITES
        .iter()
        .fold(text.to_owned(), |text, (pattern, by)| {
            pattern.replace_all(&text, *by).into_owned()
        })
}
