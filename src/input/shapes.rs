//! Where exchanges keep their pieces, remembered by the shapes of records: a log has a few, and thousands of records of each.

use std::cell::Cell;
use std::collections::HashMap;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

use super::envelope::{self, Located};
use crate::document::{NodeRef, Tree};

/// The shapes that have been met.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    /// By a hash that nobody can foresee: no two shapes can be made to share one.
    known: HashMap<u64, Shape<usize>>,
    hasher: RandomState,
    /// The numbers of the nodes that make up the shape of the record at hand.
    visited: Vec<usize>,
}

/// What a record of one shape is.
#[derive(Debug, Clone)]
pub(super) enum Shape<N> {
    /// An exchange, whose pieces are these nodes.
    Exchange(Box<Located<N>>),
    /// No exchange.
    Other,
    /// More than its shape must be looked at.
    Unclear,
}

/// How many shapes are remembered.
const MOST: usize = 4_096;

impl Shapes {
    /// What a record is by its outline.
    pub(super) fn of<'t>(&mut self, outline: &'t Tree<'_>) -> Shape<NodeRef<'t>> {
        let signature = self.signature(outline.root());
        if self.known.len() >= MOST && !self.known.contains_key(&signature) {
            self.known.clear();
        }
        // Among all nodes their numbers shift with the number of header fields; among those of the shape they do not.
        let visited = &self.visited;
        match self.known.entry(signature).or_insert_with(|| learn(outline, visited)) {
            Shape::Unclear => Shape::Unclear,
            Shape::Other => Shape::Other,
            Shape::Exchange(located) => {
                let node = |number: usize| outline.node(*visited.get(number)?);
                located.map(node).map_or(Shape::Unclear, |nodes| Shape::Exchange(Box::new(nodes)))
            }
        }
    }

    /// A hash of all names and kinds of nodes, those of header fields left out: they differ from call to call, and say
    /// nothing about the shape.
    fn signature(&mut self, root: NodeRef<'_>) -> u64 {
        self.visited.clear();
        self.visited.push(root.index());
        let mut hasher = self.hasher.build_hasher();
        let mut write = |node: NodeRef<'_>| {
            let key = node.raw_key().unwrap_or_default();
            hasher.write_u64((key.len() as u64) << 8 | node.kind() as u64);
            hasher.write(key);
        };
        let mut open: Vec<_> = vec![root.children()];
        write(root);
        while let Some(children) = open.last_mut() {
            let Some(node) = children.next() else {
                open.pop();
                // The end of a level is part of the shape.
                write(root);
                continue;
            };
            write(node);
            self.visited.push(node.index());
            let is_list_of_headers = node.raw_key() == Some(b"headers");
            if !is_list_of_headers && node.is_open() {
                open.push(node.children());
            }
        }
        hasher.finish()
    }
}

fn learn(outline: &Tree<'_>, visited: &[usize]) -> Shape<usize> {
    let by_value = Cell::new(false);
    let record = outline.root();
    let is_plain = envelope::is_plain(record);
    let located = envelope::locate(record, &by_value);
    if !is_plain || by_value.get() || outline.was_asked_deeper() {
        return Shape::Unclear;
    }
    let Some(located) = located else { return Shape::Other };
    let number = |node: NodeRef<'_>| visited.binary_search(&node.index()).ok();
    located.map(number).map_or(Shape::Unclear, |located| Shape::Exchange(Box::new(located)))
}

#[cfg(test)]
mod tests {
    use super::super::envelope::Detail;
    use super::super::fields::Place;
    use super::*;
    use crate::document::raw::Level;
    use crate::document::{Spare, Structure};

    /// Records of many shapes, some of which differ in little.
    const RECORDS: [&str; 14] = [
        r#"{"req":{"method":"POST","url":"/a","headers":{"a":"1"},"body":{"x":1}},"res":{"body":"[]"},"time":1795046400027}"#,
        r#"{"req":{"method":"GET","url":"/b","headers":{"a":"1","b":"2"},"body":{"x":2}},"res":{"body":"{}"},"time":1795046400028}"#,
        r#"{"req":{"method":"-","url":"/b","headers":{},"body":{"x":2}},"res":{"body":"{}"},"time":1795046400028}"#,
        r#"{"method":"PUT","req":{"method":"-","url":"/c"},"url":"/d"}"#,
        r#"{"method":"PUT","req":{"method":"GET","url":"/c"},"url":"/d"}"#,
        r#"{"method":"PUT","req":{"method":7,"url":"/c"},"url":"/d"}"#,
        r#"{"level":30,"msg":"no exchange"}"#,
        r#"{"level":30,"msg":"url"}"#,
        r#"{"http":{"request":{"method":"POST","body":{"content":"{}"}}},"url":{"path":"/e"}}"#,
        r#"{"http":{"request":{"method":"POST","body":{"bytes":7}}},"url":{"path":"/e"}}"#,
        r#"{"attributes":[{"key":"http.method","value":{"stringValue":"GET"}},{"key":"http.url","value":{"stringValue":"/f"}}]}"#,
        r#"{"request":{"method":"POST","url":"/g","postData":{"text":"{}"}},"response":{"content":{}}}"#,
        r#"{"resourceSpans":[{"scopeSpans":[{"spans":[{"method":"GET","url":"/h"}]}]}]}"#,
        r#"{"method":"POST","url":"/i?x=1","status":200,"body":{"a":[1]},"re\u0071":{"headers":[]}}"#,
    ];

    #[test]
    fn records_are_what_they_are_whether_their_shape_is_known_or_not() {
        let mut shapes = Shapes::default();
        let mut told = 0;
        for text in RECORDS.iter().chain(&RECORDS) {
            let place = Place { file: text.as_bytes(), start: 0 };
            let mut structure = Structure::default();
            structure.read(text.as_bytes(), Level::Document);
            let outer = |levels, _: &[u8]| levels < 3;
            let outline = Tree::skim(text.as_bytes(), &structure, outer, Spare::default()).unwrap();
            let by_shape = match shapes.of(&outline) {
                Shape::Unclear => continue,
                Shape::Other => None,
                Shape::Exchange(located) => {
                    // A method that is none makes a record another.
                    let Some(built) = envelope::build(&located, place, Detail::All) else {
                        continue;
                    };
                    Some(built)
                }
            };
            told += 1;
            let tree = Tree::parse(text, 99).unwrap();
            let mut parts = envelope::parts(tree.root(), place);
            let expected = parts.pop().and_then(Result::ok);
            assert!(parts.is_empty(), "{text}");
            assert_eq!(format!("{by_shape:?}"), format!("{expected:?}"), "{text}");
        }
        assert!(told >= 12, "{told} of {}", 2 * RECORDS.len());
    }
}
