//! The positions of the pieces of an exchange by the shape of its record: a log has few shapes, and thousands of records of
//! each.

use std::cell::Cell;
use std::collections::{HashMap, VecDeque};
use std::rc::Rc;

use super::envelope;
use super::located::LocatedRecord;
use sundown_text_json::json::{Document, Node, NodeIndex};

/// The known shapes.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    known: HashMap<Vec<u8>, Rc<RecordShape<usize>>>,
    /// Those of the last records, which most records have.
    last: VecDeque<(Vec<u8>, Rc<RecordShape<usize>>)>,
    /// Those of the last layouts, by their numbers. Here, the numbers of pieces count all nodes.
    by_outline: VecDeque<(usize, RecordShape<NodeIndex>)>,
    /// The shape of the current record: names and kinds of nodes.
    written: Vec<u8>,
    /// The indexes of those nodes.
    visited: Vec<NodeIndex>,
}

/// The meaning of a shape.
#[derive(Debug, Clone)]
pub(super) enum RecordShape<N> {
    /// An exchange with these nodes as its pieces.
    Exchange(Box<LocatedRecord<N>>),
    /// No exchange.
    Other,
    /// Unknown: more than the shape matters.
    Unclear,
}

impl<N: Copy> RecordShape<N> {
    /// Maps it to other nodes; unclear if one has no counterpart.
    fn map<M>(&self, node: impl Fn(N) -> Option<M>) -> RecordShape<M> {
        match self {
            Self::Unclear => RecordShape::Unclear,
            Self::Other => RecordShape::Other,
            Self::Exchange(located) => located.map(node).map_or(RecordShape::Unclear, |nodes| {
                RecordShape::Exchange(Box::new(nodes))
            }),
        }
    }
}

/// The number of shapes that are remembered.
const MAX_SHAPES: usize = 4_096;

/// The length in bytes of the longest shape that is remembered.
const MAX_SHAPE_BYTES: usize = 4_096;

/// The number of shapes that are compared one by one before all others are looked up.
const AT_HAND: usize = 8;

impl Shapes {
    /// Returns the shape of a record by its layout. Layouts with the same nodes have the same `number`.
    pub(super) fn of_numbered<'t>(
        &mut self,
        document: &'t Document<'_>,
        number: usize,
    ) -> RecordShape<Node<'t>> {
        let known = self.by_outline.iter().find(|(known, _)| *known == number);
        if let Some((_, shape)) = known {
            return shape.map(|index| Some(document.node(index)));
        }
        let shape = self.of(document);
        self.by_outline.truncate(AT_HAND - 1);
        self.by_outline
            .push_front((number, shape.map(|node| Some(node.index()))));
        shape
    }

    /// Returns the shape of a record by its document.
    pub(super) fn of<'t>(&mut self, document: &'t Document<'_>) -> RecordShape<Node<'t>> {
        self.write(document.root());
        if self.written.len() > MAX_SHAPE_BYTES {
            return RecordShape::Unclear;
        }
        let shape = match self
            .last
            .iter()
            .find(|(written, _)| *written == self.written)
        {
            Some((_, shape)) => Rc::clone(shape),
            None => self.look_up(document),
        };
        // Indexes among all nodes depend on the number of header fields; those among the nodes of the shape do not.
        shape.map(|number| Some(document.node(*self.visited.get(number)?)))
    }

    fn look_up(&mut self, document: &Document<'_>) -> Rc<RecordShape<usize>> {
        let shape = match self.known.get(&self.written) {
            Some(shape) => Rc::clone(shape),
            None => {
                let shape = Rc::new(learn(document, &self.visited));
                if self.known.len() >= MAX_SHAPES {
                    self.known.clear();
                }
                self.known.insert(self.written.clone(), Rc::clone(&shape));
                shape
            }
        };
        self.last.truncate(AT_HAND - 1);
        self.last
            .push_front((self.written.clone(), Rc::clone(&shape)));
        shape
    }

    /// Writes the names and kinds of all nodes but header fields, which differ from call to call and say nothing about the
    /// shape.
    fn write(&mut self, root: Node<'_>) {
        /// Not a kind.
        const END: u8 = 0;
        let Self {
            written, visited, ..
        } = self;
        written.clear();
        visited.clear();
        visited.push(root.index());
        written.push(root.kind() as u8 + 1);
        let mut open: Vec<_> = Vec::with_capacity(4);
        open.push(root.children());
        while let Some(children) = open.last_mut() {
            let Some(node) = children.next() else {
                open.pop();
                written.push(END);
                continue;
            };
            let key = node.raw_key().unwrap_or_default();
            written.push(node.kind() as u8 + 1);
            written.extend_from_slice(&(key.len() as u64).to_le_bytes());
            written.extend_from_slice(key);
            visited.push(node.index());
            if key != b"headers" && node.is_open() {
                open.push(node.children());
            }
        }
    }
}

fn learn(document: &Document<'_>, visited: &[NodeIndex]) -> RecordShape<usize> {
    let by_value = Cell::new(false);
    let record = document.root();
    let is_plain = envelope::is_plain(record);
    let located = envelope::locate(record, &by_value);
    if !is_plain || by_value.get() || document.missed_content() {
        return RecordShape::Unclear;
    }
    let Some(located) = located else {
        return RecordShape::Other;
    };
    located
        .map(|node| visited.binary_search(&node.index()).ok())
        .map_or(RecordShape::Unclear, |located| {
            RecordShape::Exchange(Box::new(located))
        })
}

#[cfg(test)]
mod tests {
    use super::super::Logs;
    use super::*;
    use sundown_exchange::RecordPlace;
    use sundown_exchange::{Exchange, RecordedOrigin};
    use sundown_text_json::json::NodeBuffer;

    /// Records of many shapes, some of which differ in little.
    const RECORDS: [&str; 18] = [
        r#"{"request":{"method":"POST","host":"a.test:81","uri":"/v1/chat"},"status":200}"#,
        r#"{"request":{"method":"POST","host":7,"uri":"/v1/chat"},"status":200}"#,
        r#"{"method":"POST","url":"/a","request":{"host":"body","x":1},"url.domain":"b.test"}"#,
        r#"{"req":{"method":"POST","url":"/a","headers":{"Host":"c.test"}},"res":{}}"#,
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
        let mut compared = 0;
        for text in RECORDS.iter().chain(&RECORDS) {
            let place = RecordPlace {
                file: text.as_bytes(),
                start: 0,
            };
            let outer = |levels, _: &[u8]| levels < 3;
            let document = Document::scan(text.as_bytes(), outer, NodeBuffer::default()).unwrap();
            let by_shape = match shapes.of(&document) {
                RecordShape::Unclear => continue,
                RecordShape::Other => None,
                RecordShape::Exchange(located) => {
                    // A method that is none makes a record another.
                    let Some(built) = located.build(place) else {
                        continue;
                    };
                    Some(built)
                }
            };
            compared += 1;
            let tree = Document::parse_json(text, 99).unwrap();
            let mut parts = envelope::parts(tree.root(), place, &Logs::default());
            let expected = parts.pop().and_then(Result::ok);
            // The reader of records adds the origin and the record.
            let origin = RecordedOrigin::default();
            let expected = expected.map(|exchange| Exchange {
                origin,
                record: None,
                ..exchange
            });
            assert!(parts.is_empty(), "{text}");
            assert_eq!(format!("{by_shape:?}"), format!("{expected:?}"), "{text}");
        }
        assert!(compared >= 18, "{compared} of {}", 2 * RECORDS.len());
    }
}
