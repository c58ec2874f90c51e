//! One condition of a selector: of which members or elements it holds.

use super::filter::Filter;
use super::slice::in_slice;
use super::value::Value;

/// What a step of a selector asks of the node it goes to, beyond its name or its index.
#[derive(Debug, Clone, PartialEq)]
pub enum Condition {
    /// The element of this number from the end, the last being 1: `[-1]`.
    FromEnd(usize),
    /// The elements of a slice (RFC 9535, section 2.3.4): `[start:end:step]`.
    Slice {
        /// The first index, from the end if negative.
        start: Option<i64>,
        /// The index behind the last, from the end if negative.
        end: Option<i64>,
        /// How many indices on to the next; backwards if negative. No element is in steps of 0.
        step: i64,
    },
    /// The members or elements that pass a filter: `[?@.kind == 'old']`.
    Filter(Filter),
}

/// Where a node stands in its parent.
#[derive(Debug, Clone, Copy)]
pub(super) enum NodePosition {
    /// In an object.
    Member,
    /// In an array of so many elements.
    Element { index: usize, of: usize },
}

impl Condition {
    /// Whether it holds of a node in the document `root`.
    pub(super) fn holds(&self, node: &Value, place: NodePosition, root: &Value) -> bool {
        match (self, place) {
            (Self::Filter(filter), _) => filter.holds(node, root),
            (_, NodePosition::Member) => false,
            (Self::FromEnd(number), NodePosition::Element { index, of }) => index + number == of,
            (&Self::Slice { start, end, step }, NodePosition::Element { index, of }) => {
                in_slice(index, of, start, end, step)
            }
        }
    }
}
