//! Selectors in the form that the automaton runs.

use std::cmp::Reverse;

/// A selector: its segments from the root, and its role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The segments from the root.
    pub segments: Vec<SelectorSegment>,
    /// The meaning of a node at its end.
    pub role: PatternRole,
}

/// One step of a selector (RFC 9535, section 2.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorSegment {
    /// `..`: the step may also start from any descendant.
    pub descendant: bool,
    /// The step matches if any of these does.
    pub tests: Vec<SegmentTest>,
}

/// The target of a step (RFC 9535, section 2.3), as far as an automaton can decide it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SegmentTest {
    /// The member with this name.
    Name(Box<str>),
    /// Any member or element.
    Wildcard,
    /// The element at this zero-based index.
    Index(usize),
    /// Any member or element for which this condition holds. The caller of a walk decides it at each step.
    Condition(ConditionId),
}

/// The number of a condition. The creator of the pattern defines its meaning.
pub type ConditionId = usize;

/// The role of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternRole {
    /// A node at its end is a use, on behalf of `owner`, which belongs to `scope`.
    Use {
        /// Number of the rule.
        owner: usize,
        /// Number of the rule's table.
        scope: usize,
    },
    /// A node at its end is not a use of `owner`.
    Exception {
        /// Number of the rule.
        owner: usize,
    },
    /// A node at its end is a free-form map, which uses of `scope` do not enter.
    Barrier {
        /// Number of the table.
        scope: usize,
    },
}

/// The specificity of a selector. If several select one key, the greatest wins.
///
/// More names first, then fewer `..`, then fewer wildcards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specificity {
    names: usize,
    descendants: Reverse<usize>,
    wildcards: Reverse<usize>,
}

impl Specificity {
    /// The specificity of a position in a schema, which is greater than that of any selector.
    pub const OF_SCHEMA: Self = Self {
        names: usize::MAX,
        descendants: Reverse(0),
        wildcards: Reverse(0),
    };
}

impl Pattern {
    /// Returns its specificity.
    pub fn specificity(&self) -> Specificity {
        Specificity {
            names: self.count(|segment| {
                segment
                    .tests
                    .iter()
                    .all(|test| matches!(test, SegmentTest::Name(_)))
            }),
            descendants: Reverse(self.count(|segment| segment.descendant)),
            wildcards: Reverse(
                self.count(|segment| segment.tests.contains(&SegmentTest::Wildcard)),
            ),
        }
    }

    /// The number of its segments for which this holds.
    fn count(&self, holds: fn(&SelectorSegment) -> bool) -> usize {
        let segments = self.segments.iter();
        segments.filter(|segment| holds(segment)).count()
    }
}
