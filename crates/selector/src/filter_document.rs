//! A body as filters see it.
//!
//! A filter may look up the same member of the root for every node of a body. So that a large object is not searched each
//! time, its members are indexed once.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use sundown_text_json::json::{Document, Node, NodeIndex, NoteKind, ValueKind};

/// Objects and arrays with more members than this get an index.
const MAX_SCANNED_MEMBERS: usize = 16;

/// Numbers of more bytes than this are parsed only once.
const MAX_REPARSED_NUMBER: usize = 32;

/// A document in which filters look up members by name.
///
/// Inside a filter a name means one member: the last one of that name.
#[derive(Debug)]
pub(super) struct FilterDocument<'d> {
    document: &'d Document<'d>,
    has_duplicate_keys: bool,
    indices: RefCell<HashMap<NodeIndex, Rc<MemberIndex>>>,
    numbers: RefCell<HashMap<NodeIndex, f64>>,
}

/// The last member of each name in one object, or the elements of an array.
#[derive(Debug)]
struct MemberIndex {
    /// Sorted by name; empty for an array.
    by_name: Vec<NodeIndex>,
    /// Sorted by position.
    by_position: Vec<NodeIndex>,
}

/// A value without values inside it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum FilterScalar<'v> {
    Null,
    Bool(bool),
    /// A double, which is how filters compare numbers; one that is too large is infinite.
    Number(f64),
    String(&'v str),
}

impl<'d> FilterDocument<'d> {
    /// Wraps a document that was read from JSON.
    pub(super) fn new(document: &'d Document<'d>) -> Self {
        Self {
            document,
            has_duplicate_keys: document
                .notes()
                .iter()
                .any(|note| matches!(note.kind, NoteKind::DuplicateKey(_))),
            indices: RefCell::default(),
            numbers: RefCell::default(),
        }
    }

    /// The outermost value.
    pub(super) fn root(&self) -> Node<'d> {
        self.document.root()
    }

    /// The member with this name.
    pub(super) fn member(&self, object: Node<'d>, name: &str) -> Option<Node<'d>> {
        if object.kind() != ValueKind::Object {
            return None;
        }
        if object.children().len() <= MAX_SCANNED_MEMBERS {
            return object
                .children()
                .filter(|member| member.is_called(name))
                .last();
        }
        let index = self.index(object);
        let found = index
            .by_name
            .binary_search_by(|&id| self.key(id).cmp(name))
            .ok()?;
        index.by_name.get(found).map(|&id| self.document.node(id))
    }

    /// The element at this index; a negative index counts from the end.
    pub(super) fn element(&self, array: Node<'d>, index: i64) -> Option<Node<'d>> {
        if array.kind() != ValueKind::Array {
            return None;
        }
        let distance = usize::try_from(index.unsigned_abs()).ok()?;
        let len = array.children().len();
        let at = if index < 0 {
            len.checked_sub(distance)?
        } else {
            distance
        };
        if len <= MAX_SCANNED_MEMBERS {
            return array.element(at);
        }
        let index = self.index(array);
        index.by_position.get(at).map(|&at| self.document.node(at))
    }

    /// The elements of an array, or the member of each name in an object, in the order of the text.
    pub(super) fn children(&self, node: Node<'d>) -> Vec<Node<'d>> {
        if node.kind() == ValueKind::Object && self.has_duplicate_keys {
            return self
                .index(node)
                .by_position
                .iter()
                .map(|&id| self.document.node(id))
                .collect();
        }
        node.children().collect()
    }

    /// The number of characters, elements or names (RFC 9535, section 2.4.4); `None` for other values.
    pub(super) fn length(&self, node: Node<'d>) -> Option<usize> {
        match node.kind() {
            ValueKind::String => Some(node.text()?.chars().count()),
            ValueKind::Object if self.has_duplicate_keys => Some(self.index(node).by_name.len()),
            ValueKind::Array | ValueKind::Object => Some(node.children().len()),
            _ => None,
        }
    }

    /// The value; `None` for an array or object.
    pub(super) fn scalar(&self, node: Node<'d>) -> Option<FilterScalar<'d>> {
        match node.kind() {
            ValueKind::Null => Some(FilterScalar::Null),
            ValueKind::Bool => node.as_bool().map(FilterScalar::Bool),
            ValueKind::Number => self.number(node).map(FilterScalar::Number),
            ValueKind::String => node.as_str().map(FilterScalar::String),
            ValueKind::Array | ValueKind::Object => None,
        }
    }

    /// Whether two values are equal (RFC 9535, section 2.3.5.2.2): numbers by value, objects in any order.
    pub(super) fn are_equal(&self, a: Node<'d>, b: Node<'d>) -> bool {
        match (a.kind(), b.kind()) {
            (ValueKind::Array, ValueKind::Array) => {
                a.children().len() == b.children().len()
                    && a.children()
                        .zip(b.children())
                        .all(|(a, b)| self.are_equal(a, b))
            }
            (ValueKind::Object, ValueKind::Object) => {
                self.length(a) == self.length(b)
                    && self.children(a).into_iter().all(|member| {
                        let other = self.member(b, member.key().unwrap_or_default());
                        other.is_some_and(|other| self.are_equal(member, other))
                    })
            }
            _ => match (self.scalar(a), self.scalar(b)) {
                (Some(a), Some(b)) => a == b,
                _ => false,
            },
        }
    }

    fn number(&self, node: Node<'d>) -> Option<f64> {
        let digits = node.text()?;
        let parse = || digits.parse().unwrap_or_default();
        if digits.len() <= MAX_REPARSED_NUMBER {
            return Some(parse());
        }
        Some(
            *self
                .numbers
                .borrow_mut()
                .entry(node.index())
                .or_insert_with(parse),
        )
    }

    fn key(&self, id: NodeIndex) -> &'d str {
        self.document.node(id).key().unwrap_or_default()
    }

    fn index(&self, container: Node<'d>) -> Rc<MemberIndex> {
        let mut indices = self.indices.borrow_mut();
        let index = indices
            .entry(container.index())
            .or_insert_with(|| Rc::new(self.make_index(container)));
        Rc::clone(index)
    }

    fn make_index(&self, container: Node<'d>) -> MemberIndex {
        let mut by_name: Vec<NodeIndex> = container.children().map(Node::index).collect();
        if container.kind() == ValueKind::Array {
            return MemberIndex {
                by_name: Vec::new(),
                by_position: by_name,
            };
        }
        by_name.sort_by(|&a, &b| self.key(a).cmp(self.key(b)).then(b.cmp(&a)));
        by_name.dedup_by(|next, kept| self.key(*next) == self.key(*kept));
        let mut by_position = by_name.clone();
        by_position.sort_unstable();
        MemberIndex {
            by_name,
            by_position,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn the_last_member_of_each_name_is_found_however_many_there_are(
            names in prop::collection::vec("[a-d]{1,2}", 0..60),
        ) {
            let members: Vec<_> =
                names.iter().enumerate().map(|(at, name)| format!("\"{name}\":{at}")).collect();
            let text = format!("{{{}}}", members.join(","));
            let document = Document::parse_first_value(&text, 9).unwrap();
            let document = FilterDocument::new(&document);
            let last: BTreeMap<_, _> =
                names.iter().enumerate().map(|(at, name)| (name.as_str(), at)).collect();
            let root = document.root();
            prop_assert_eq!(document.length(root), Some(last.len()));
            prop_assert_eq!(document.children(root).len(), last.len());
            for name in ["a", "bb", "cd", "x"].into_iter().chain(last.keys().copied()) {
                let found = document.member(root, name).and_then(Node::text);
                let expected = last.get(name).map(ToString::to_string);
                prop_assert_eq!(found, expected.as_deref());
            }
        }
    }
}
