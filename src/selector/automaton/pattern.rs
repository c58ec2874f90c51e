//! Selectors in the form the automaton runs.

/// A selector: where to go from the root, segment by segment, and what reaching its end means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The way from the root.
    pub segments: Vec<SelectorSegment>,
    /// What a node at its end is.
    pub role: PatternRole,
}

/// One step of a selector (RFC 9535, section 2.5).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorSegment {
    /// `..`: the step may be taken from any descendant as well.
    pub descendant: bool,
    /// The step is allowed where any of these holds.
    pub tests: Vec<SegmentTest>,
}

/// What one step goes to (RFC 9535, section 2.3), as far as an automaton can decide it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SegmentTest {
    /// A member of this name.
    Name(Box<str>),
    /// Any member or element.
    Wildcard,
    /// The element of this zero-based index.
    Index(usize),
    /// Any member or element of which this holds. The automaton cannot tell: the walk says so with each step.
    Condition(ConditionId),
}

/// The number of a condition, which means something to whoever made the pattern.
pub type ConditionId = usize;

/// What a pattern is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PatternRole {
    /// A node at its end is a use, on behalf of `owner`, which belongs to `scope`.
    Use {
        /// Number of the rule.
        owner: usize,
        /// Number of the rule's table.
        scope: usize,
    },
    /// A node at its end is no use of `owner`.
    Exception {
        /// Number of the rule.
        owner: usize,
    },
    /// A node at its end is a free-form map: uses of `scope` do not reach into it.
    Barrier {
        /// Number of the table.
        scope: usize,
    },
}

/// How closely a selector says what it means; the greater wins where several select one key.
///
/// More names first, then fewer `..`, then fewer wildcards.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Specificity {
    names: usize,
    descendants: std::cmp::Reverse<usize>,
    wildcards: std::cmp::Reverse<usize>,
}

impl Specificity {
    /// That of a place in a schema, which no selector tells closer.
    pub const OF_SCHEMA: Self = Self {
        names: usize::MAX,
        descendants: std::cmp::Reverse(0),
        wildcards: std::cmp::Reverse(0),
    };
}

impl Pattern {
    /// How closely it says what it means.
    pub fn specificity(&self) -> Specificity {
        let count = |holds: fn(&SelectorSegment) -> bool| {
            self.segments.iter().filter(|segment| holds(segment)).count()
        };
        Specificity {
            names: count(|segment| {
                segment.tests.iter().all(|test| matches!(test, SegmentTest::Name(_)))
            }),
            descendants: std::cmp::Reverse(count(|segment| segment.descendant)),
            wildcards: std::cmp::Reverse(count(|segment| {
                segment.tests.contains(&SegmentTest::Wildcard)
            })),
        }
    }
}
