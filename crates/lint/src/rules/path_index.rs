//! An index of the paths of operations by their segments, so that a call is compared only with paths that may be its own.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::masks::{has_parts, is_cut, known_parts_lower};
use sundown_exchange::PatternSegment;
use sundown_text_json::text::is_digits;

/// Paths of operations as a tree of their first segments. Letter case does not count there, and all versions are one.
#[derive(Debug)]
pub(super) struct PathIndex {
    nodes: Vec<PathNode>,
    /// The number of segments of the longest path.
    pub longest: usize,
}

/// The beginning of some paths.
#[derive(Debug, Default)]
struct PathNode {
    /// The nodes of literals after it, by their keys.
    literals: HashMap<String, usize>,
    /// The node of any other segment after it.
    variable: Option<usize>,
    /// The paths that end here.
    whole: Vec<IndexedPath>,
    /// The paths that go on with segments that the index does not know.
    open: Vec<IndexedPath>,
}

/// A path of an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct IndexedPath {
    pub operation: usize,
    /// The number of segments at the beginning of the operation's path that it lacks.
    pub base: usize,
}

/// The node of paths that begin with a literal, and that of all others.
const ROOTS: [usize; 2] = [0, 1];

/// The number of segments of a path that the index knows, and after which a path in a call begins with a literal. Real paths have fewer.
pub(super) const MAX_INDEXED: usize = 16;

impl Default for PathIndex {
    fn default() -> Self {
        Self {
            nodes: ROOTS.map(|_| PathNode::default()).into(),
            longest: 0,
        }
    }
}

impl PathIndex {
    pub(super) fn insert(&mut self, segments: &[PatternSegment], operation: usize, base: usize) {
        self.longest = self.longest.max(segments.len());
        let [of_literals, of_others] = ROOTS;
        let mut at = match segments.first().and_then(PatternSegment::literal) {
            Some(_) => of_literals,
            None => of_others,
        };
        let mut is_open = segments.len() > MAX_INDEXED;
        for segment in segments.iter().take(MAX_INDEXED) {
            // Query parameters come after the path.
            let goes_on = matches!(segment, PatternSegment::Several | PatternSegment::Rest);
            if goes_on || matches!(segment, PatternSegment::Parameter(..)) {
                is_open = goes_on;
                break;
            }
            let new = self.nodes.len();
            let Some(node) = self.nodes.get_mut(at) else {
                return;
            };
            at = match segment.literal() {
                Some(text) => *node.literals.entry(key(text).into()).or_insert(new),
                None => *node.variable.get_or_insert(new),
            };
            if at == new {
                self.nodes.push(PathNode::default());
            }
        }
        if let Some(PathNode { whole, open, .. }) = self.nodes.get_mut(at) {
            if is_open { open } else { whole }.push(IndexedPath { operation, base });
        }
    }

    /// The paths that a call may have, each with the segment of the call at which it begins: one of `starts`. At the first, what is
    /// masked or cut may be any segment.
    pub(super) fn find(
        &self,
        segments: &[Cow<'_, str>],
        starts: RangeInclusive<usize>,
    ) -> Vec<(usize, IndexedPath)> {
        let mut found = Vec::new();
        let goes_on = segments.last().is_some_and(|last| is_cut(last));
        for start in starts {
            let is_first = start == 0;
            let roots = self.nodes.iter().zip(ROOTS);
            let roots = roots.filter(|(_, root)| *root == ROOTS[0] || start < MAX_INDEXED);
            let mut nodes: Vec<_> = roots.map(|(node, _)| node).collect();
            for segment in segments.iter().skip(start) {
                let open = nodes.iter().flat_map(|node| &node.open);
                found.extend(open.map(|path| (start, *path)));
                let known = known_parts_lower(segment).filter(|_| is_first);
                let after = nodes
                    .into_iter()
                    .flat_map(|node| node.after(segment, known.as_ref()));
                nodes = after.filter_map(|at| self.nodes.get(at)).collect();
                if nodes.is_empty() {
                    break;
                }
            }
            while let Some(node) = nodes.pop() {
                let paths = node.whole.iter().chain(&node.open);
                found.extend(paths.map(|path| (start, *path)));
                if is_first && goes_on {
                    let after = node.literals.values().chain(&node.variable);
                    nodes.extend(after.filter_map(|&at| self.nodes.get(at)));
                }
            }
        }
        found
    }
}

impl PathNode {
    /// The nodes after it for a segment of a call, of which only parts may be `known`.
    fn after(&self, segment: &str, known: Option<&[String; 2]>) -> Vec<usize> {
        let mut after: Vec<_> = self.variable.into_iter().collect();
        if let Some(parts) = known {
            let literals = self.literals.iter();
            // The key of versions says nothing about their text.
            let literals = literals.filter(|(key, _)| key.is_empty() || has_parts(key, parts));
            after.extend(literals.map(|(_, at)| at));
        } else {
            after.extend(self.literals.get(&*key(segment)));
        }
        after
    }
}

/// What is equal of similar segments: those that differ in letter case, and all versions.
fn key(segment: &str) -> Cow<'_, str> {
    if is_version(segment) {
        "".into()
    } else if segment.bytes().any(|byte| byte.is_ascii_uppercase()) {
        segment.to_ascii_lowercase().into()
    } else {
        segment.into()
    }
}

/// Whether a segment is a version, such as `v1`, `v2.1` or `v1beta2`.
pub(crate) fn is_version(segment: &str) -> bool {
    let Some(number) = segment.strip_prefix(['v', 'V']) else {
        return false;
    };
    let (number, stage) = match number.find(|c: char| c.is_ascii_alphabetic()) {
        Some(at) => number.split_at(at),
        None => (number, ""),
    };
    let stage = stage.to_ascii_lowercase();
    let stage = stage.trim_end_matches(|c: char| c.is_ascii_digit());
    segment.len() <= 12
        && number.split('.').all(is_digits)
        && matches!(stage, "" | "alpha" | "beta" | "rc" | "preview")
}
