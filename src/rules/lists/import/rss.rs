//! The RSS feed of deprecations.info: its facts are lines `Key: value` at the beginning of each item's description.

use roxmltree::{Document, Node, ParsingOptions, TextPos};

use super::collector::ListCollector;
use super::feed_row::FeedRow;
use crate::toml_file::{MessageText, WithSpan};

/// The most elements, texts and attributes of a feed: a hundred times as many as the real one has.
const MOST_NODES: u32 = 500_000;

/// The most declarations of namespaces. The library copies all that are in scope for each element that declares one.
const MAX_NAMESPACES: usize = 256;

/// The most attributes of an element. The library compares each with all others.
const MAX_ATTRIBUTES: usize = 256;

/// Returns whether a text is an RSS feed, by its beginning.
pub(super) fn is_feed(text: &str) -> bool {
    let start: String = text.trim_start().chars().take(4_096).collect();
    start.starts_with('<') && start.contains("<rss")
}

/// Reads the items of a feed. A document type is refused: its entities could expand without a limit.
pub(super) fn read(text: &str, collector: &mut ListCollector) -> Option<Vec<FeedRow<'static>>> {
    if let Some((at, message)) = find_excess(text) {
        collector.add_mistake(at..at, message, "this is no feed of deprecations");
        return None;
    }
    let options =
        ParsingOptions { allow_dtd: false, nodes_limit: MOST_NODES, ..ParsingOptions::default() };
    let document = match Document::parse_with_options(text, options) {
        Ok(document) => document,
        Err(error) => {
            let at = match error {
                roxmltree::Error::UnexpectedEndOfStream => text.len(),
                _ => offset(text, error.pos()),
            };
            let message = MessageText::own(format!("this is not an RSS feed: {error}"));
            collector.add_mistake(at..at, message, "check that the file is complete");
            return None;
        }
    };
    let items = document.descendants().filter(|node| node.has_tag_name("item"));
    Some(items.filter_map(row).collect())
}

fn row(item: Node<'_, '_>) -> Option<FeedRow<'static>> {
    let child = |name| item.children().find(|node| node.has_tag_name(name));
    let description = child("description")?;
    let cell = |value: &str| WithSpan { value: value.to_owned().into(), span: description.range() };
    // Prose follows after an empty line.
    let facts = description.text()?.trim_start().split("\n\n").next()?;
    let fact = |key: &str| {
        let mut lines = facts.lines();
        let value = lines.find_map(|line| line.trim().strip_prefix(key)?.strip_prefix(':'))?;
        Some(value.trim()).filter(|value| !value.is_empty()).map(cell)
    };
    let row = FeedRow {
        provider: fact("Provider")?.value,
        start: item.range().start,
        id: fact("Model ID")?,
        is_alias: false,
        introduced: fact("Deprecation Date"),
        removal: fact("Shutdown Date"),
        replacement: fact("Replacement").filter(|ids| !ids.value.contains(char::is_whitespace)),
        docs: child("link").and_then(|link| link.text()).map(|link| cell(link.trim())),
        is_not_before: false,
    };
    Some(row.without_repeated_date())
}

/// Finds the place in a text where it exceeds a limit for namespaces or attributes.
fn find_excess(text: &str) -> Option<(usize, MessageText)> {
    if let Some((at, _)) = text.match_indices("xmlns").nth(MAX_NAMESPACES) {
        let message = format!("the feed declares more than {MAX_NAMESPACES} namespaces");
        return Some((at, MessageText::own(message)));
    }
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find('<')).map(|found| at + found) {
        let rest = text.get(open..).unwrap_or_default();
        let hidden = [("<!--", "-->"), ("<![CDATA[", "]]>"), ("<?", "?>")];
        let length = match hidden.iter().find(|(begin, _)| rest.starts_with(begin)) {
            // Without an end, the parser stops here.
            Some((begin, end)) => begin.len() + rest.get(begin.len()..)?.find(end)?,
            None => match length_of_tag(rest) {
                Some(length) => length,
                None => {
                    let message = format!("an element has more than {MAX_ATTRIBUTES} attributes");
                    return Some((open, MessageText::own(message)));
                }
            },
        };
        at = open + length.max(1);
    }
    None
}

/// The length of the tag at the beginning of a text; `None` if it has too many attributes.
fn length_of_tag(text: &str) -> Option<usize> {
    let (mut attributes, mut quote) = (0, None);
    for (at, byte) in text.bytes().enumerate() {
        match (quote, byte) {
            (Some(open), _) if open == byte => quote = None,
            (None, b'"' | b'\'') => quote = Some(byte),
            (None, b'=') if attributes == MAX_ATTRIBUTES => return None,
            (None, b'=') => attributes += 1,
            (None, b'>') => return Some(at),
            _ => {}
        }
    }
    Some(text.len())
}

/// The offset of a line and a column; columns count characters.
fn offset(text: &str, at: TextPos) -> usize {
    let number = |one_based: u32| usize::try_from(one_based.saturating_sub(1)).unwrap_or_default();
    let mut lines = text.split_inclusive('\n');
    let before: usize = lines.by_ref().take(number(at.row)).map(str::len).sum();
    let line = lines.next().unwrap_or_default();
    before + line.chars().take(number(at.col)).map(char::len_utf8).sum::<usize>()
}
