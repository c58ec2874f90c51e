//! Removes markup (Markdown and HTML) from the prose of descriptions, and marks all quoted names alike.

use std::sync::LazyLock;

use regex::Regex;

/// A rewrite of one kind of markup.
struct Rewrite {
    pattern: Option<Regex>,
    replacement: &'static str,
}

/// In this order. Names in code, links, quotes and emphasis become names in backticks; block elements become line breaks.
static REWRITES: LazyLock<Vec<Rewrite>> = LazyLock::new(|| {
    let rewrite =
        |pattern: &str, replacement| Rewrite { pattern: Regex::new(pattern).ok(), replacement };
    vec![
        rewrite(r"\r\n?", "\n"),
        // A single line break is white space; an empty line, a list item and a heading begin a paragraph.
        rewrite(r"\n([ \t]*(?:\n|[-*+] |[0-9]+\. |#))", "\u{85}$1"),
        rewrite(r"\n", " "),
        rewrite("\u{85}", "\n"),
        rewrite(r"(?i)</?(?:p|br|li|ul|ol|div|h[1-6]|aside|important|note)\b[^<>]*>", "\n"),
        rewrite(r"(?i)<(?:code|a|i|em)\b[^<>]*>\s*([^<>\n]{1,100}?)\s*</(?:code|a|i|em)>", "`$1`"),
        rewrite(r"</?[A-Za-z][^<>]*>", ""),
        rewrite(r"\[[^\[\]\n]*\]\(#(?:operation|tag/[^/()]+/operation)/([\w.-]+)\)", "`$1`"),
        rewrite(r"\[\s*`?([^\[\]\n`]{1,100}?)`?\s*\]\([^()\s]*\)", "`$1`"),
        rewrite(r#"["“”]([^"“”\n`]{1,100})["“”]"#, "`$1`"),
        rewrite(r"(^|[\s(])['‘]([^'‘’\n`]{1,100})['’]", "$1`$2`"),
        rewrite(r"(^|\s)_([^_\n`]{3,100})_([\s.,;:)]|$)", "$1`$2`$3"),
        rewrite(r"\*+", ""),
        rewrite(r"(^|\s)__", "$1"),
        rewrite(r"__([\s.,;]|$)", "$1"),
        rewrite(r"`{2,}", "`"),
        rewrite(r"&#58;", ":"),
        rewrite(r"&(?:#39|apos);", "'"),
        rewrite(r"&(?:#34|quot);", "`"),
        rewrite(r"&amp;", "&"),
        rewrite(r"\\([@_`])", "$1"),
        rewrite(r"\n[ \t]*#+[ \t]*", "\n"),
        rewrite(r"[ \t]+", " "),
    ]
});

/// The text without markup. Names that were set apart are in backticks.
pub(super) fn plain(text: &str) -> String {
    let mut plain = text.to_owned();
    for Rewrite { pattern, replacement } in REWRITES.iter() {
        if let Some(pattern) = pattern {
            plain = pattern.replace_all(&plain, *replacement).into_owned();
        }
    }
    plain
}
