//! Loads a [`Document`] from JSON: first the text is validated, then its index gives the tree.

use super::document::{Arena, Document, DocumentBuilder, NodeIndex, WrittenStyle};
use super::document_error::{DocumentError, DocumentErrorKind};
use super::error::{SyntaxError, SyntaxErrorKind};
use super::index::Index;
use super::quote_level::QuoteLevel;
use super::value_kind::ValueKind;
use super::walker::find_error;
use super::{scalars, scan};
use crate::text::{Span, magic};

impl<'a> Document<'a> {
    /// Reads one JSON value with all its content, nested at most `max_depth` levels deep. Duplicate keys are kept.
    pub fn parse_json(
        text: &'a (impl AsRef<[u8]> + ?Sized),
        max_depth: usize,
    ) -> Result<Self, SyntaxError> {
        let text = text.as_ref();
        load(text, 0, max_depth).map(|arena| Self::new(text.into(), arena))
    }

    /// Reads the JSON value at the beginning of `text`, and ignores the text after it.
    pub fn parse_first_value(text: &'a str, max_depth: usize) -> Result<Self, SyntaxError> {
        let bytes = text.as_bytes();
        let value = scan::value(bytes, scan::skip_whitespace(bytes, 0));
        let end = value.map_or(bytes.len(), |value| value.end);
        Self::parse_json(bytes.get(..end).unwrap_or(bytes), max_depth)
    }

    /// Makes the tree of a valid text; `opens` as for [`Self::scan`].
    pub fn of_valid(text: &'a [u8], opens: impl FnMut(Met<'_>) -> bool) -> Self {
        scan(text, 0, opens).unwrap_or_else(|| scalar(text, 0))
    }

    /// Makes a tree from quotes and brackets alone, without validation; `None` if they do not match.
    ///
    /// `opens` is asked about each value in document order, and decides which arrays and objects have their content in the tree. The
    /// document [records](Self::needs_whole_tree) whether a caller asks for other content.
    pub fn scan(text: &'a [u8], opens: impl FnMut(Met<'_>) -> bool) -> Option<Self> {
        scan(text, 0, opens)
    }
}

/// A value that becomes part of a tree.
#[derive(Debug, Clone, Copy)]
pub struct Met<'t> {
    /// The number of containers around it.
    pub levels: usize,
    /// Its raw key.
    pub key: Option<&'t [u8]>,
    pub kind: ValueKind,
    pub index: NodeIndex,
}

/// Reads the one value of a document, which may begin with a byte order mark.
pub(super) fn load_document(text: &[u8], max_depth: usize) -> Result<Arena, DocumentError> {
    let start = magic::text_start(text);
    load(text, start, max_depth).map_err(|error| {
        let kind = match error.kind {
            SyntaxErrorKind::TooDeep(limit) => DocumentErrorKind::TooDeep(limit),
            SyntaxErrorKind::TooLarge => DocumentErrorKind::TooLarge,
            kind => DocumentErrorKind::Json(kind),
        };
        DocumentError::new(error.offset, kind)
    })
}

fn load(text: &[u8], start: usize, max_depth: usize) -> Result<Arena, SyntaxError> {
    let value = text.get(start..).unwrap_or_default();
    if u32::try_from(text.len()).is_err() {
        return Err(SyntaxError::new(0, SyntaxErrorKind::TooLarge));
    }
    match find_error(value, max_depth) {
        Some(error) => Err(SyntaxError::new(start + error.offset, error.kind)),
        None => {
            let document = scan(text, start, |_| true);
            Ok(document.unwrap_or_else(|| scalar(text, start)).arena)
        }
    }
}

/// The node of a valid text that is a number or literal. [`fn@scan`] cannot know that one is complete where the text ends.
fn scalar(text: &[u8], start: usize) -> Document<'_> {
    let start = scan::skip_whitespace(text, start);
    let content = text.get(start..).unwrap_or_default().trim_ascii_end();
    let kind = content.first().copied().and_then(ValueKind::of_first_byte);
    let mut builder = DocumentBuilder::new(text);
    builder.push(
        kind.unwrap_or(ValueKind::Null),
        WrittenStyle::Json,
        Span::new(start, start + content.len()),
        None,
    );
    builder.document
}

fn scan(text: &[u8], start: usize, mut opens: impl FnMut(Met<'_>) -> bool) -> Option<Document<'_>> {
    u32::try_from(text.len()).ok()?;
    let mut at = scan::skip_whitespace(text, start);
    // Without a container, there is nothing to index.
    if !matches!(text.get(at)?, b'{' | b'[') {
        return None;
    }
    let mut index = Index::default();
    index.make(text, QuoteLevel::Document);
    let mut builder = DocumentBuilder::new(text);
    let mut key: Option<Span> = None;
    loop {
        let start = at;
        let kind = ValueKind::of_first_byte(*text.get(at)?)?;
        let is_container = matches!(kind, ValueKind::Object | ValueKind::Array);
        let met = Met {
            levels: builder.depth(),
            key: key.map(|key| Span::new(key.start + 1, key.end - 1).slice(text)),
            kind,
            index: builder.next(),
        };
        let goes_in = opens(met) && is_container;
        let end = match kind {
            _ if goes_in => scan::skip_whitespace(text, at + 1),
            ValueKind::Object | ValueKind::Array => index.container_end(at)?,
            ValueKind::String => index.string_end(at)?,
            _ => scan::scalar_end(text, at)?,
        };
        let node = builder.push(kind, WrittenStyle::Json, Span::new(start, end), key.take());
        if goes_in {
            builder.open(node);
        } else if is_container {
            builder.data(node)?.is_left_out = true;
        }
        if goes_in && !matches!(text.get(end), Some(b'}' | b']')) {
            (key, at) = member(&index, text, end, kind)?;
            continue;
        }
        // A value has ended.
        at = scan::skip_whitespace(text, end);
        loop {
            let Some(parent) = builder.innermost() else {
                return (at == text.len()).then_some(builder.document);
            };
            let kind = parent.kind();
            match *text.get(at)? {
                b',' => {
                    (key, at) = member(&index, text, scan::skip_whitespace(text, at + 1), kind)?;
                    break;
                }
                byte if byte == scalars::closing(kind == ValueKind::Object) => {
                    builder.close(Some(at + 1));
                    at = scan::skip_whitespace(text, at + 1);
                }
                _ => return None,
            }
        }
    }
}

/// Returns the key of the member or element that begins at `at`, if it has one, and the offset of its value.
#[inline]
fn member(
    index: &Index,
    text: &[u8],
    at: usize,
    parent: ValueKind,
) -> Option<(Option<Span>, usize)> {
    if parent != ValueKind::Object {
        return Some((None, at));
    }
    let is_key = text.get(at) == Some(&b'"');
    let key = Span::new(at, index.string_end(at).filter(|_| is_key)?);
    let colon = scan::skip_whitespace(text, key.end);
    let is_colon = text.get(colon) == Some(&b':');
    is_colon.then(|| (Some(key), scan::skip_whitespace(text, colon + 1)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::document::Node;
    use super::*;

    #[test]
    fn nodes_keep_order_keys_and_spans() {
        let text = r#"{"a":[1,{"b":"x\n"}],"\u0063":-7,"a":null}"#;
        let document = Document::parse_json(text, 9).unwrap();
        let root = document.root();
        assert_eq!(root.raw(), text);
        let keys: Vec<_> = root.children().filter_map(Node::key).collect();
        assert_eq!(keys, ["a", "c", "a"], "duplicates are kept");
        let list = root.get("a").unwrap();
        assert_eq!(list.raw(), r#"[1,{"b":"x\n"}]"#);
        let second = list.element(1).unwrap();
        assert_eq!(second.text_of("b"), Some("x\n"));
        assert_eq!(root.get("c").unwrap().as_i64(), Some(-7));
        assert_eq!(list.children().count(), 2);
        assert!(root.get("missing").is_none() && list.get("a").is_none());
    }

    #[test]
    fn of_two_errors_the_first_is_reported() {
        use crate::json::SyntaxErrorKind::{Expected, InvalidUtf8, UnexpectedEnd};
        let error = |bytes: &[u8]| {
            Document::parse_json(bytes, 9)
                .err()
                .map(|error| (error.offset, error.kind))
        };
        assert_eq!(error(b"[nope, \"\xFF\"]"), Some((1, Expected("a value"))));
        assert_eq!(error(b"[1, \"\xFF\", nope]"), Some((5, InvalidUtf8)));
        assert_eq!(error(b"[1, \"\xC3"), Some((5, UnexpectedEnd)));
        assert_eq!(error(b"[1] \xFF"), Some((4, InvalidUtf8)));
        assert_eq!(error(b"[1]"), None);
    }

    #[test]
    fn text_after_the_first_value_is_ignored() {
        for text in ["[1] x", " {\"a\":2}, 3", "7", "\"x\"]"] {
            assert!(Document::parse_first_value(text, 9).is_ok(), "{text}");
        }
        for (text, offset) in [("[1} 2", 2), ("[nope]", 1), ("{", 1)] {
            let error = Document::parse_first_value(text, 9).unwrap_err();
            assert_eq!(error.offset, offset, "{text}");
        }
    }

    #[test]
    fn a_scalar_document_has_no_children() {
        let document = Document::parse_json(" 3 ", 9).unwrap();
        assert_eq!(document.root().children().count(), 0);
    }

    fn scan(text: &str, levels: usize) -> Option<Document<'_>> {
        let opens = |met: Met<'_>| met.levels < levels;
        Document::scan(text.as_bytes(), opens)
    }

    type Listing = Vec<(ValueKind, Span, Option<Span>)>;

    /// The kinds and spans of a value and of all values inside it, down to this depth.
    fn listing(node: Node<'_>, levels: usize) -> Listing {
        let own = (node.kind(), node.span(), node.key_span());
        let inside =
            (levels > 0).then(|| node.children().flat_map(|child| listing(child, levels - 1)));
        [own]
            .into_iter()
            .chain(inside.into_iter().flatten())
            .collect()
    }

    proptest! {
        #[test]
        fn content_that_is_left_out_changes_nothing_around_it(
            values in prop::collection::vec(crate::json::tests::value(), 0..4),
            levels in 0usize..4,
        ) {
            let text = format!(" {{\"a\": [{}], \"\\u0062\":{{}}, \"c\" :-1.5}} ", values.join(" , "));
            let whole = Document::parse_json(&text, 99).unwrap();
            let outer = scan(&text, levels);
            prop_assert!(outer.is_some(), "{}", text);
            let outer = outer.unwrap();
            prop_assert_eq!(listing(outer.root(), levels), listing(whole.root(), levels));
            prop_assert!(!outer.needs_whole_tree());
        }
    }

    #[test]
    fn quotes_and_brackets_that_do_not_fit_are_no_tree() {
        for text in [
            "",
            "{",
            "{}}",
            "[1}",
            "{\"a\":1]",
            "{\"a\" 1}",
            "{\"a\":\"}",
            "[1 2]",
            "{} {}",
            "nope",
            "{1:2}",
        ] {
            assert!(scan(text, 9).is_none(), "{text}");
        }
    }
}
