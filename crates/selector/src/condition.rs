//! The conditions of a selector that depend on more than the path of a node.

use super::filter::Filter;
use super::filter_document::FilterDocument;
use super::slice::in_slice;
use sundown_text_json::json::Node;

/// A requirement of a selector step for a node, besides its name or index.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The elements of a slice (RFC 9535, section 2.3.4): `[start:end:step]`. An index from the end is a slice of one.
    Slice {
        /// The first index, from the end if negative.
        start: Option<i64>,
        /// The index after the last, from the end if negative.
        end: Option<i64>,
        /// The distance to the next index, backwards if negative. A step of 0 selects nothing.
        step: i64,
    },
    /// The members or elements that pass a filter: `[?@.kind == 'old']`.
    Filter(Filter),
}

/// The position of a node in its parent.
#[derive(Debug, Clone, Copy)]
pub(super) enum NodePosition {
    /// In an object.
    Member,
    /// In an array of this length.
    Element { index: usize, of: usize },
}

impl Condition {
    /// The number of regular expressions in it.
    pub(super) fn regexes(&self) -> usize {
        match self {
            Self::Filter(filter) => filter.regexes(),
            Self::Slice { .. } => 0,
        }
    }

    /// Whether it holds for `node`, a value of `document`.
    pub(super) fn holds<'d>(
        &self,
        node: Node<'d>,
        position: NodePosition,
        document: &FilterDocument<'d>,
    ) -> bool {
        match (self, position) {
            (Self::Filter(filter), _) => filter.holds(node, document),
            (Self::Slice { .. }, NodePosition::Member) => false,
            (&Self::Slice { start, end, step }, NodePosition::Element { index, of }) => {
                in_slice(index, of, start, end, step)
            }
        }
    }
}
