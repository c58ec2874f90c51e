//! What a stub says about its messages besides their bodies: further matchers, and templates.

use std::collections::HashMap;
use std::iter;

use sundown_text_json::json::{Document, Node};
use sundown_text_json::text::{Block, Span};

/// The stubs of a file in JSON.
#[derive(Debug)]
pub struct Stubs<'t> {
    document: Document<'t>,
    /// The offset of the document in the file.
    start: usize,
    /// The keys that were found beside bodies: about one body many questions may come.
    known: HashMap<(Span, String), Option<String>>,
}

impl<'t> Stubs<'t> {
    /// Reads a file, which must be valid.
    pub fn of_valid(file: &'t [u8]) -> Self {
        let start = Block::whole(file).text_start();
        let text = file.get(start..).unwrap_or_default();
        Self {
            document: Document::of_valid(text, |_| true),
            start,
            known: HashMap::new(),
        }
    }

    /// The key of the first part of a stub that names a word beside the body at `body` and the URL at `url`: a part of the same
    /// message, or a template in another part.
    pub fn find_beside(&mut self, body: Span, url: Span, word: &str) -> Option<String> {
        let known = self.known.entry((body, word.to_owned()));
        known
            .or_insert_with(|| {
                let part = part_beside(&self.document, self.start, [body, url], word);
                let key = iter::successors(part, |node| node.parent()).find_map(Node::key);
                key.map(str::to_owned)
            })
            .clone()
    }
}

/// The first part of a stub with a word beside two pieces of it. The document begins at `start`.
fn part_beside<'d>(
    document: &'d Document<'_>,
    start: usize,
    pieces: [Span; 2],
    word: &str,
) -> Option<Node<'d>> {
    let content = document.value_at(pieces[0].start.checked_sub(start)?)?;
    let mut around = iter::successors(Some(content), |node| node.parent());
    let message = around.find(|node| {
        node.parent()
            .is_some_and(|record| record.get("request").is_some())
    })?;
    let is_piece = |node: Node<'_>| pieces.contains(&node.span().shifted(start));
    let found = first_with(message, &is_piece, &|text| has_word(text, word));
    found.or_else(|| {
        let is_template = |text: &str| text.contains("{{") && has_word(text, word);
        first_with(
            around.next()?,
            &|node| node.index() == message.index(),
            &is_template,
        )
    })
}

/// The first value with such a key or text, the node itself or inside of it. The nesting limit of documents bounds the recursion.
fn first_with<'d>(
    node: Node<'d>,
    is_left_out: &dyn Fn(Node<'_>) -> bool,
    is_wanted: &dyn Fn(&str) -> bool,
) -> Option<Node<'d>> {
    if is_left_out(node) {
        return None;
    }
    let mut texts = [node.key(), node.as_str()].into_iter().flatten();
    if texts.any(is_wanted) {
        return Some(node);
    }
    node.children()
        .find_map(|inner| first_with(inner, is_left_out, is_wanted))
}

/// Whether a text has a word as a whole: as a member, or as a step of a path.
fn has_word(text: &str, word: &str) -> bool {
    text.contains(word)
        && (word.contains(ends_word) || text.split(ends_word).any(|part| part == word))
}

/// Whether a character is outside of words.
fn ends_word(c: char) -> bool {
    !c.is_alphanumeric() && !"_-".contains(c)
}
