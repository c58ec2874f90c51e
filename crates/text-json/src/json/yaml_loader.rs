//! Loads a [`Document`] from YAML 1.2 with its core schema, by the events of the parser.
//!
//! An alias shares the content of its target, so that the document is not larger than its text. The number of values that a
//! walk meets through aliases is limited, and so is the depth of that walk. Merge keys (`<<`) are applied, although YAML 1.2
//! no longer has them: a mapping's own keys win, then those of the earlier mapping.
//!
//! [`Document`]: super::Document

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use granit_parser::{ErrorKind, Event, Parser, ScalarStyle, ScanError, Tag};

use super::document::{
    Arena, DocumentBuilder, Node, NodeIndex, WrittenStyle, YamlParts, narrow, unquoted,
};
use super::document_error::{DocumentError, DocumentErrorKind};
use super::value_kind::ValueKind;
use crate::Limits;
use crate::text::Span;

/// The maximum number of values that all aliases of a document repeat: far more than authors write, but walked in a second.
const MAX_EXPANSION: usize = 4_000_000;

/// The number of bytes of a text that count as one more value.
const BYTES_OF_VALUE: usize = 8;

/// The prefix of all tags that YAML defines.
const CORE_TAG: &str = "tag:yaml.org,2002:";

/// The prefix of the tags of Python's objects. A string of a class of its own is the list of the arguments that make it.
const PYTHON_TAG: &str = "tag:yaml.org,2002:python/object/";

/// Reads the first document of `text`; an empty text is null.
pub(super) fn load(text: &str, limits: Limits) -> Result<Arena, DocumentError> {
    let mut loader = Loader {
        text,
        builder: DocumentBuilder::new(text.as_bytes()),
        key: None,
        is_in_python_key: false,
        open: Vec::new(),
        anchors: HashMap::new(),
        expanded: 0,
        limits,
    };
    loader.builder.document.arena.yaml = Some(Box::default());
    let mut documents = 0;
    let options = granit_parser::options! {
        flow_nesting_limit: limits.depth,
        block_nesting_limit: limits.depth,
        bom_inside_document_as_content: true,
    };
    for event in Parser::new_from_str_with_options(text, options) {
        let (event, span) = event.map_err(|error| syntax_error(text, &error, limits.depth))?;
        let span = span.byte_range().map_or(Span::default(), Span::from);
        if matches!(event, Event::DocumentStart(..)) {
            documents += 1;
            if documents > 1 {
                loader.yaml().further = Some(span);
                break;
            }
        }
        loader.event(event, span)?;
    }
    let arena = &loader.builder.document.arena;
    if arena.nodes.is_empty() {
        let end = Span::new(text.len(), text.len());
        loader.push(ValueKind::Null, WrittenStyle::Plain, end, false);
    }
    Ok(loader.builder.document.arena)
}

fn syntax_error(text: &str, error: &ScanError, depth: usize) -> DocumentError {
    let offset = error.marker().byte_offset().unwrap_or(text.len());
    let kind = match error.kind() {
        ErrorKind::RecursionLimitExceeded => DocumentErrorKind::TooDeep(depth),
        ErrorKind::UnknownAnchor => DocumentErrorKind::UnknownAnchor,
        // The message of the parser quotes the character, and content of inputs is never printed.
        ErrorKind::UnexpectedCharacter { .. } => {
            DocumentErrorKind::Yaml("a character that cannot begin a value".into())
        }
        kind => DocumentErrorKind::Yaml(kind.to_string().into()),
    };
    DocumentError::new(offset, kind)
}

struct Loader<'a> {
    text: &'a str,
    builder: DocumentBuilder<'a>,
    /// The span of the key of the next value, and whether decoding changes it.
    key: Option<(Span, bool)>,
    /// Whether the list is open in which Python writes a key.
    is_in_python_key: bool,
    open: Vec<OpenCollection>,
    /// Indexed by the parser's numbers.
    anchors: HashMap<usize, AnchorTarget>,
    /// The number of values that all aliases so far repeat.
    expanded: usize,
    limits: Limits,
}

/// A list or mapping that is being read.
struct OpenCollection {
    kind: ValueKind,
    anchor: usize,
    node: NodeIndex,
    extent: WalkSize,
    /// Whether the next value in a mapping is a key.
    next: Expected,
    merges: Vec<NodeIndex>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Expected {
    Key,
    /// The value of a merge key, or of another key.
    Value {
        is_merge: bool,
    },
}

/// The number of values and the depth that a walk through a value meets.
#[derive(Clone, Copy)]
struct WalkSize {
    values: usize,
    depth: usize,
}

const ONE: WalkSize = WalkSize {
    values: 1,
    depth: 0,
};

/// The value of an anchor; while it is open, it has no extent.
#[derive(Clone)]
enum AnchorTarget {
    Value(NodeIndex, Option<WalkSize>),
    Key(ValueKind, String),
}

impl<'a> Loader<'a> {
    fn event(&mut self, event: Event<'a>, span: Span) -> Result<(), DocumentError> {
        if self.is_in_python_key && (event == Event::SequenceEnd) == self.is_key() {
            return refuse(span, DocumentErrorKind::KeyIsNoScalar);
        }
        match event {
            Event::SequenceEnd if self.is_in_python_key => {
                self.is_in_python_key = false;
                Ok(())
            }
            Event::Scalar(text, style, anchor, tag) => {
                let style = written_style(style);
                let is_block = matches!(style, WrittenStyle::Literal | WrittenStyle::Folded);
                let span = if is_block {
                    without_blank_end(self.text, span)
                } else {
                    span
                };
                let scalar = Scalar {
                    text,
                    style,
                    tag: tag.as_deref().map(Tag::to_string),
                    span,
                };
                self.scalar(&scalar, anchor);
                Ok(())
            }
            Event::SequenceStart(_, anchor, tag) => {
                self.start(ValueKind::Array, span, anchor, tag.as_deref())
            }
            Event::MappingStart(_, anchor, tag) => {
                self.start(ValueKind::Object, span, anchor, tag.as_deref())
            }
            Event::SequenceEnd | Event::MappingEnd => self.end(span),
            Event::Alias(anchor) => self.alias(anchor, span),
            _ => Ok(()),
        }
    }

    /// Whether a key is expected; afterwards, its value is.
    fn is_key(&self) -> bool {
        self.open
            .last()
            .is_some_and(|open| open.kind == ValueKind::Object && open.next == Expected::Key)
    }

    fn yaml(&mut self) -> &mut YamlParts {
        self.builder.document.arena.yaml.get_or_insert_default()
    }

    /// Adds a value with the key that is before it. `is_decoded` if decoding changes its text.
    fn push(
        &mut self,
        kind: ValueKind,
        style: WrittenStyle,
        span: Span,
        is_decoded: bool,
    ) -> NodeIndex {
        let key = self.key.take();
        let node = self
            .builder
            .push(kind, style, span, key.map(|(key, _)| key));
        if let Some(data) = self.builder.data(node) {
            data.has_decoded_key = key.is_some_and(|(_, is_decoded)| is_decoded);
            data.has_decoded_text = is_decoded;
        }
        node
    }

    /// Keeps the decoded text of a key or scalar at `span`.
    fn decoded(&mut self, span: Span, text: String) {
        let decoded = &self.builder.document.arena.decoded;
        decoded.insert(narrow(span.start), text);
    }

    fn scalar(&mut self, scalar: &Scalar<'a>, anchor: usize) {
        let is_decoded = !scalar.is_as_written(self.text);
        if is_decoded {
            self.decoded(scalar.span, scalar.text.clone().into_owned());
        }
        if self.is_key() {
            if anchor > 0 {
                let text = scalar.text.clone().into_owned();
                self.anchors
                    .insert(anchor, AnchorTarget::Key(scalar.kind(), text));
            }
            return self.expect_value(scalar.span, is_decoded, scalar.is_merge_key());
        }
        let node = self.push(scalar.kind(), scalar.style, scalar.span, is_decoded);
        if let Some(tag) = &scalar.tag {
            self.yaml().tags.push((node, tag.as_str().into()));
        }
        // The work for a text grows with its length.
        let extent = WalkSize {
            values: 1 + scalar.text.len() / BYTES_OF_VALUE,
            depth: 0,
        };
        self.anchor(anchor, node, Some(extent));
        self.value(node, extent);
    }

    fn anchor(&mut self, anchor: usize, node: NodeIndex, extent: Option<WalkSize>) {
        if anchor > 0 {
            self.anchors
                .insert(anchor, AnchorTarget::Value(node, extent));
        }
    }

    /// Adds a complete value to its container.
    fn value(&mut self, node: NodeIndex, extent: WalkSize) {
        let Some(open) = self.open.last_mut() else {
            return;
        };
        open.extent.values = open.extent.values.saturating_add(extent.values);
        open.extent.depth = open.extent.depth.max(extent.depth + 1);
        if open.next == (Expected::Value { is_merge: true }) {
            open.merges.push(node);
        }
        if open.kind == ValueKind::Object {
            open.next = Expected::Key;
        }
    }

    fn start(
        &mut self,
        kind: ValueKind,
        span: Span,
        anchor: usize,
        tag: Option<&Tag>,
    ) -> Result<(), DocumentError> {
        if self.is_key() {
            let is_python = tag.is_some_and(|tag| tag.to_string().starts_with(PYTHON_TAG));
            if kind == ValueKind::Array && is_python && !self.is_in_python_key {
                self.is_in_python_key = true;
                return Ok(());
            }
            return refuse(span, DocumentErrorKind::KeyIsNoScalar);
        }
        if self.open.len() >= self.limits.depth {
            return refuse(span, DocumentErrorKind::TooDeep(self.limits.depth));
        }
        let node = self.push(kind, WrittenStyle::Json, span, false);
        self.builder.open(node);
        if let Some(tag) = tag {
            self.yaml().tags.push((node, tag.to_string().into()));
        }
        self.anchor(anchor, node, None);
        self.open.push(OpenCollection {
            kind,
            anchor,
            node,
            extent: ONE,
            next: Expected::Key,
            merges: Vec::new(),
        });
        Ok(())
    }

    fn end(&mut self, span: Span) -> Result<(), DocumentError> {
        let Some(open) = self.open.pop() else {
            return Ok(());
        };
        // A flow collection ends with a bracket, a block collection after its last value.
        let is_bracket = matches!(span.slice(self.text.as_bytes()), b"]" | b"}");
        self.builder.close(is_bracket.then_some(span.end));
        if !open.merges.is_empty() {
            self.merge(open.node, &open.merges)?;
        }
        self.anchor(open.anchor, open.node, Some(open.extent));
        self.value(open.node, open.extent);
        Ok(())
    }

    fn alias(&mut self, anchor: usize, span: Span) -> Result<(), DocumentError> {
        let (node, extent) = match self.anchors.get(&anchor).cloned() {
            Some(AnchorTarget::Value(node, extent)) => (node, extent),
            Some(AnchorTarget::Key(kind, text)) => {
                self.alias_of_key(kind, text, span);
                return Ok(());
            }
            // The parser itself reports unknown anchors.
            None => return Ok(()),
        };
        let Some(extent) = extent else {
            return refuse(span, DocumentErrorKind::AliasInsideItself);
        };
        if self.is_key() {
            let Some(text) = self.builder.document.node(node).text() else {
                return refuse(span, DocumentErrorKind::KeyIsNoScalar);
            };
            let text = text.to_owned();
            self.alias_as_key(text, span);
            return Ok(());
        }
        self.expanded = self.expanded.saturating_add(extent.values);
        let most = self.limits.expansion.times(MAX_EXPANSION);
        if self.expanded > most {
            return refuse(span, DocumentErrorKind::TooManyAliases(most));
        }
        if self.open.len() + extent.depth > self.limits.depth {
            return refuse(span, DocumentErrorKind::TooDeep(self.limits.depth));
        }
        let kind = self.builder.document.node(node).kind();
        let alias = self.push(kind, WrittenStyle::Alias, span, false);
        self.yaml().aliases.push((alias, node));
        self.value(alias, extent);
        Ok(())
    }

    fn alias_as_key(&mut self, text: String, span: Span) {
        self.decoded(span, text);
        self.expect_value(span, true, false);
    }

    /// Keeps a key until its value comes.
    fn expect_value(&mut self, key: Span, is_decoded: bool, is_merge: bool) {
        self.key = Some((key, is_decoded));
        if let Some(open) = self.open.last_mut() {
            open.next = Expected::Value { is_merge };
        }
    }

    fn alias_of_key(&mut self, kind: ValueKind, text: String, span: Span) {
        if self.is_key() {
            return self.alias_as_key(text, span);
        }
        self.decoded(span, text);
        let node = self.push(kind, WrittenStyle::Plain, span, true);
        self.value(node, ONE);
    }

    /// Replaces the merge keys of a mapping with the members of the merged mappings.
    fn merge(&mut self, mapping: NodeIndex, merges: &[NodeIndex]) -> Result<(), DocumentError> {
        let document = &self.builder.document;
        let mut members: Vec<NodeIndex> = document
            .node(mapping)
            .children()
            .map(Node::index)
            .filter(|index| merges.binary_search(index).is_err())
            .collect();
        let mut names: HashSet<&str> = members
            .iter()
            .filter_map(|&index| document.node(index).key())
            .collect();
        for &index in merges {
            let source = document.node(index);
            let mappings: Vec<_> = match source.kind() {
                ValueKind::Array => source.children().collect(),
                _ => vec![source],
            };
            if let Some(other) = mappings
                .iter()
                .find(|mapping| mapping.kind() != ValueKind::Object)
            {
                return refuse(other.span(), DocumentErrorKind::MergeOfNoMapping);
            }
            let theirs = mappings.into_iter().flat_map(Node::children);
            members.extend(
                theirs
                    .filter(|member| names.insert(member.key().unwrap_or_default()))
                    .map(Node::index),
            );
        }
        // Mappings end from the inside out.
        let known = &mut self.yaml().merged;
        let at = known.partition_point(|(other, _)| *other < mapping);
        known.insert(at, (mapping, members.into()));
        Ok(())
    }
}

/// The error at a value.
fn refuse<T>(at: Span, kind: DocumentErrorKind) -> Result<T, DocumentError> {
    Err(DocumentError::new(at.start, kind))
}

/// Trims the span of a block scalar, which the parser extends to the next token.
fn without_blank_end(text: &str, span: Span) -> Span {
    let kept = text
        .get(span.start..span.end)
        .unwrap_or_default()
        .trim_end_matches([' ', '\t', '\n', '\r'])
        .len();
    Span::new(span.start, span.start + kept)
}

struct Scalar<'a> {
    text: Cow<'a, str>,
    style: WrittenStyle,
    /// In full.
    tag: Option<String>,
    span: Span,
}

fn written_style(style: ScalarStyle) -> WrittenStyle {
    match style {
        ScalarStyle::Plain => WrittenStyle::Plain,
        ScalarStyle::SingleQuoted => WrittenStyle::SingleQuoted,
        ScalarStyle::DoubleQuoted => WrittenStyle::DoubleQuoted,
        ScalarStyle::Literal => WrittenStyle::Literal,
        ScalarStyle::Folded => WrittenStyle::Folded,
    }
}

impl Scalar<'_> {
    /// Whether decoding leaves its text unchanged.
    fn is_as_written(&self, source: &str) -> bool {
        let inside = unquoted(self.span, self.style);
        inside.slice(source.as_bytes()) == self.text.as_bytes()
    }

    fn is_merge_key(&self) -> bool {
        self.style == WrittenStyle::Plain && self.tag.is_none() && self.text == "<<"
    }

    /// Returns its kind by the core schema (YAML 1.2.2, section 10.3.2).
    fn kind(&self) -> ValueKind {
        let tag = self.tag.as_deref();
        match tag.map(|tag| tag.strip_prefix(CORE_TAG).unwrap_or(tag)) {
            Some("null") => ValueKind::Null,
            Some("bool") => ValueKind::Bool,
            Some("int" | "float") => ValueKind::Number,
            Some(_) => ValueKind::String,
            None if self.style == WrittenStyle::Plain => plain_kind(&self.text),
            None => ValueKind::String,
        }
    }
}

/// Returns the kind of a plain scalar by the core schema: `no` and `on` are strings, and so are dates.
fn plain_kind(text: &str) -> ValueKind {
    match text {
        "" | "~" | "null" | "Null" | "NULL" => ValueKind::Null,
        "true" | "True" | "TRUE" | "false" | "False" | "FALSE" => ValueKind::Bool,
        _ if is_number(text) => ValueKind::Number,
        _ => ValueKind::String,
    }
}

fn is_number(text: &str) -> bool {
    let all = |digits: &str, is_digit: fn(&u8) -> bool| {
        !digits.is_empty() && digits.as_bytes().iter().all(is_digit)
    };
    if let Some(digits) = text.strip_prefix("0o") {
        return all(digits, |byte| matches!(byte, b'0'..=b'7'));
    }
    if let Some(digits) = text.strip_prefix("0x") {
        return all(digits, u8::is_ascii_hexdigit);
    }
    if matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let unsigned = text.strip_prefix(['-', '+']).unwrap_or(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") {
        return true;
    }
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let mut digits = whole.bytes().chain(fraction.bytes());
    digits.all(|byte| byte.is_ascii_digit())
        && !(whole.is_empty() && fraction.is_empty())
        && exponent.is_none_or(|text| {
            all(
                text.strip_prefix(['-', '+']).unwrap_or(text),
                u8::is_ascii_digit,
            )
        })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use proptest::prelude::*;

    use super::super::document::{Document, MAX_DOCUMENT_DEPTH, Note, NoteKind};
    use super::super::load::DocumentFormat;
    use super::*;

    fn read(text: &str) -> Document<'_> {
        Document::parse(text, DocumentFormat::Yaml)
            .unwrap_or_else(|error| panic!("{error} in {text}"))
    }

    fn refused(text: &str) -> (usize, DocumentErrorKind) {
        let error = Document::parse(text, DocumentFormat::Yaml).expect_err(text);
        assert!(!error.kind.help().is_empty());
        (error.offset, error.kind)
    }

    fn kinds(text: &str) -> Vec<ValueKind> {
        read(text).root().children().map(Node::kind).collect()
    }

    #[test]
    fn plain_scalars_are_what_the_core_schema_says() {
        let strings = "[no, on, off, yes, y, n, 2024-01-31, 1_000, 0b1, 1:30, 0o8, 0x, '1', \"true\", -, .e1, +, e1, .]";
        assert!(
            kinds(&strings.replace(" -,", ""))
                .iter()
                .all(|kind| *kind == ValueKind::String)
        );
        assert_eq!(kinds("[~, null, Null, NULL, ]"), [ValueKind::Null; 4]);
        assert_eq!(
            kinds("[true, True, TRUE, false, False, FALSE]"),
            [ValueKind::Bool; 6]
        );
        let numbers = "[0, 012, -1, +1, 0o17, 0xFf, .5, 5., 1e3, -1.5E-7, .inf, -.Inf, .NAN]";
        assert!(kinds(numbers).iter().all(|kind| *kind == ValueKind::Number));
        let document = read("a:\nb: ~");
        assert_eq!(
            document
                .root()
                .children()
                .map(Node::kind)
                .collect::<Vec<_>>(),
            [ValueKind::Null; 2]
        );
        assert_eq!(
            read("[True, FALSE]")
                .root()
                .children()
                .map(Node::as_bool)
                .collect::<Vec<_>>(),
            [Some(true), Some(false)]
        );
        assert_eq!(
            read("200: x").root().children().next().unwrap().key(),
            Some("200")
        );
    }

    #[test]
    fn tags_overrule_and_are_kept() {
        let document = read("- !!str 1\n- !!binary aGk=\n- !!int '7'\n- !own x\n- !!map {}\n- 1");
        let tags: Vec<_> = document
            .root()
            .children()
            .map(|value| (value.kind(), value.tag()))
            .collect();
        assert_eq!(
            tags,
            [
                (ValueKind::String, Some("tag:yaml.org,2002:str")),
                (ValueKind::String, Some("tag:yaml.org,2002:binary")),
                (ValueKind::Number, Some("tag:yaml.org,2002:int")),
                (ValueKind::String, Some("!own")),
                (ValueKind::Object, Some("tag:yaml.org,2002:map")),
                (ValueKind::Number, None),
            ]
        );
    }

    /// Every value's pointer, bytes and text, and its key's bytes.
    fn listing(value: Node<'_>) -> Vec<(String, String, String)> {
        let key = value
            .key_span()
            .map(|key| String::from_utf8_lossy(key.slice(value.document().text())).into_owned());
        let own = (
            value.pointer(),
            key.unwrap_or_default(),
            value.raw().to_owned(),
        );
        [own]
            .into_iter()
            .chain(value.children().flat_map(listing))
            .collect()
    }

    #[test]
    fn spans_are_bytes_whatever_the_style() {
        let text = "\u{feff}# ü\nä:\n  'q u': \"é\\u0041\"  # end\n  ? k\n  : - |-\n      one ö\n       two\n\n    - >\n      fold\n      ed\n\n    - [ü, {z: 1}]\nend: plain\n  more\n";
        let document = read(text);
        insta::assert_debug_snapshot!(listing(document.root()));
        assert_eq!(document.at("/ä/k/0").unwrap().as_str(), Some("one ö\n two"));
        assert_eq!(document.at("/ä/k/1").unwrap().as_str(), Some("fold ed\n"));
        assert_eq!(document.at("/ä/q u").unwrap().as_str(), Some("éA"));
        assert_eq!(document.at("/end").unwrap().as_str(), Some("plain more"));
    }

    #[test]
    fn carriage_returns_end_lines() {
        let document = read("a: |\r\n  x\r\n  y\r\nb: é\r\nc:\r\n  - 1\r\n");
        assert_eq!(document.at("/a").unwrap().as_str(), Some("x\ny\n"));
        assert_eq!(document.at("/b").unwrap().raw(), "é");
        assert_eq!(document.at("/c").unwrap().raw(), "- 1");
    }

    #[test]
    fn aliases_share_what_they_stand_for() {
        let document = read("a: &x {k: [1]}\nb: *x\n&y c: *y\n*y : 5\n");
        let alias = document.at("/b").unwrap();
        assert_eq!((alias.kind(), alias.raw()), (ValueKind::Object, "*x"));
        assert_eq!(alias.resolved().raw(), "{k: [1]}");
        let inner = document.at("/b/k/0").unwrap();
        assert_eq!((inner.raw(), inner.pointer().as_str()), ("1", "/a/k/0"));
        assert_eq!(document.at("/c").unwrap().as_str(), Some("c"));
    }

    #[test]
    fn merge_keys_are_carried_out_and_own_keys_win() {
        let document = read(
            "b: &b {x: 1, y: 1}\nc: &c {y: 2, z: 2}\nd:\n  <<: [*b, *c]\n  x: 3\ne: {<<: *b, '<<': 1}\n",
        );
        let members = |at: &str| -> Vec<_> {
            let value = document.at(at).unwrap();
            value
                .children()
                .map(|member| format!("{}{}", member.key().unwrap(), member.raw()))
                .collect()
        };
        assert_eq!(members("/d"), ["x3", "y1", "z2"]);
        assert_eq!(members("/e"), ["<<1", "x1", "y1"]);
        assert_eq!(
            refused("a: {<<: 3}"),
            (8, DocumentErrorKind::MergeOfNoMapping)
        );
    }

    #[test]
    fn aliases_that_grow_or_circle_are_refused() {
        let mut bomb = "a0: &a0 [x,x,x,x,x,x,x,x,x]\n".to_owned();
        for level in 1..12 {
            let inside = vec![format!("*a{}", level - 1); 9].join(",");
            let _ = writeln!(bomb, "a{level}: &a{level} [{inside}]");
        }
        assert_eq!(
            refused(&bomb).1,
            DocumentErrorKind::TooManyAliases(MAX_EXPANSION)
        );
        assert_eq!(
            refused("a: &a [*a]"),
            (7, DocumentErrorKind::AliasInsideItself)
        );
        assert_eq!(refused("a: *b"), (3, DocumentErrorKind::UnknownAnchor));
        let mut deep = "a0: &a0 []\n".to_owned();
        for level in 1..MAX_DOCUMENT_DEPTH + 9 {
            let _ = writeln!(deep, "a{level}: &a{level} [*a{}]", level - 1);
        }
        assert_eq!(
            refused(&deep).1,
            DocumentErrorKind::TooDeep(MAX_DOCUMENT_DEPTH)
        );
    }

    #[test]
    fn what_is_hardly_meant_is_told() {
        let document = read("a: 1\nb: 2\na: 3\n");
        assert_eq!(document.at("/a").unwrap().raw(), "1", "the first wins");
        let duplicate = NoteKind::DuplicateKey(Span::new(0, 1));
        assert_eq!(
            document.notes(),
            [Note {
                span: Span::new(10, 11),
                kind: duplicate
            }]
        );
        let several = read("---\na: 1\n---\nb: 2\n");
        assert_eq!(several.root().children().count(), 1);
        assert_eq!(
            several.notes(),
            [Note {
                span: Span::new(9, 12),
                kind: NoteKind::FurtherDocument
            }]
        );
        let many: Vec<_> = (0..20).map(|n| format!("k{}: {n}\n", n % 19)).collect();
        assert_eq!(read(&many.concat()).notes().len(), 1);
    }

    #[test]
    fn broken_text_is_told_with_its_place() {
        for (text, at) in [
            ("a:\n\t- b: 1", 3),
            ("a: [1, 2", 3),
            ("a: 'x", 3),
            ("a: b: c", 4),
            ("ü: @x", 4),
        ] {
            let (offset, kind) = refused(text);
            assert!(
                offset >= at && matches!(kind, DocumentErrorKind::Yaml(_)),
                "{text}: {offset} {kind:?}"
            );
        }
        assert_eq!(refused("? [a]\n: b").1, DocumentErrorKind::KeyIsNoScalar);
        let deep = "[".repeat(100_000);
        assert_eq!(
            refused(&deep).1,
            DocumentErrorKind::TooDeep(MAX_DOCUMENT_DEPTH)
        );
        let deep: Vec<_> = (0..MAX_DOCUMENT_DEPTH + 5)
            .map(|n| {
                format!(
                    "{}a:
",
                    " ".repeat(n)
                )
            })
            .collect();
        assert_eq!(
            refused(&deep.concat()).1,
            DocumentErrorKind::TooDeep(MAX_DOCUMENT_DEPTH)
        );
        let parse =
            |bytes| Document::parse_bytes_within(bytes, DocumentFormat::Yaml, Limits::default());
        let bytes = parse(&b"a: \xFF"[..]).unwrap_err();
        assert_eq!(
            (bytes.offset, bytes.kind),
            (3, DocumentErrorKind::InvalidUtf8)
        );
        let wide = parse(&b"\xFF\xFEa\0"[..]).unwrap_err();
        assert_eq!(wide.kind, DocumentErrorKind::Utf16);
    }

    #[test]
    fn a_key_that_python_writes_as_an_object_is_its_text() {
        let document = read(
            "h:\n  ? !!python/object/apply:multidict._multidict.istr\n  - Content-Type\n  : - a\n  b: 1\n  ? !!python/object/new:x.istr [Accept]\n  : 2\n",
        );
        assert_eq!(document.at("/h/Content-Type/0").unwrap().raw(), "a");
        assert_eq!(document.at("/h/Accept").unwrap().raw(), "2");
        for text in [
            "? !!python/object/apply:x [a, b]\n: 1",
            "? !!python/object/apply:x []\n: 1",
            "? !!python/object/apply:x [[a]]\n: 1",
            "? !!python/object/apply:x [!!python/object/apply:x [a]]\n: 1",
            "? !!python/object/apply:x {a: b}\n: 1",
            "? !own [a]\n: 1",
        ] {
            assert_eq!(refused(text).1, DocumentErrorKind::KeyIsNoScalar, "{text}");
        }
    }

    #[test]
    fn an_empty_text_is_null() {
        for text in ["", "# nothing\n", "---\n", "\u{feff}"] {
            assert_eq!(read(text).root().kind(), ValueKind::Null, "{text:?}");
        }
    }

    #[test]
    fn json_in_a_yaml_file_is_read_as_what_it_is() {
        assert_eq!(read("{\"a\": 1}").at("/a").unwrap().raw(), "1");
        assert_eq!(read("{a: 1, # comment\n}").at("/a").unwrap().raw(), "1");
    }

    fn tree(value: Node<'_>) -> Vec<(ValueKind, Option<&str>, Option<&str>, Span)> {
        let own = (value.kind(), value.key(), value.text(), value.span());
        [own]
            .into_iter()
            .chain(value.children().flat_map(tree))
            .collect()
    }

    proptest! {
        #[test]
        fn json_is_the_same_read_as_yaml(value in crate::json::tests::value()) {
            // YAML 1.2 has it that a key and its colon may stand together only behind a quote.
            let json = Document::parse(value.as_str(), DocumentFormat::Json).unwrap();
            let parts = load(&value, Limits::default());
            prop_assert!(parts.is_ok(), "{} {:?}", value, parts.err());
            let yaml = Document::new(value.as_bytes().into(), parts.unwrap());
            prop_assert_eq!(tree(json.root()), tree(yaml.root()));
        }

        #[test]
        fn no_text_breaks_the_reader(text in "[-a:{}\\[\\],&*|>'\"#! \n\t<~éß]{0,40}") {
            if let Ok(document) = Document::parse(text.as_str(), DocumentFormat::Yaml) {
                for value in document.root().children() {
                    let span = value.span();
                    prop_assert!(text.get(span.start..span.end).is_some());
                    prop_assert!(value.key_span().is_none_or(|key| text.get(key.start..key.end).is_some()));
                }
            }
        }
    }
}
