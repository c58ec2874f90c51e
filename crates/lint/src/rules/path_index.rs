//! An index of the paths of operations by their literals, so that a call is compared only with paths that may be its own.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::hash::{DefaultHasher, Hasher as _};

use sundown_exchange::PatternSegment;
use sundown_text_json::text::is_digits;

/// Paths of operations, each with an item. It knows each path by one of its literals and by what follows it, and then by all its
/// literals, without letter case and versions.
#[derive(Debug)]
pub(super) struct PathIndex<T> {
    by_literal: HashMap<String, PathsByEnd<T>>,
    /// The items of paths without literals.
    without_literal: Vec<T>,
    /// The number of segments of the longest path.
    pub longest: usize,
}

/// Paths by the number of segments after their literal; `None` if it may be any.
type PathsByEnd<T> = HashMap<Option<usize>, BTreeMap<LiteralPositions, PathsByLiterals<T>>>;

/// The position of the literal in a path, and those of all its literals.
type LiteralPositions = (usize, Vec<usize>);

/// Paths by the hash of their literals, as [`hash_literals`] makes it.
type PathsByLiterals<T> = HashMap<u64, Vec<T>>;

impl<T> Default for PathIndex<T> {
    fn default() -> Self {
        Self {
            by_literal: HashMap::new(),
            without_literal: Vec::new(),
            longest: 0,
        }
    }
}

impl<T> PathIndex<T> {
    pub(super) fn insert(&mut self, segments: &[PatternSegment], item: T) {
        self.longest = self.longest.max(segments.len());
        let end = segments.iter().position(|segment| {
            matches!(
                segment,
                PatternSegment::Several | PatternSegment::Rest | PatternSegment::Parameter(..)
            )
        });
        let (segments, rest) = segments.split_at(end.unwrap_or(segments.len()));
        let is_open = !matches!(rest.first(), None | Some(PatternSegment::Parameter(..)));
        let positions = segments.iter().enumerate();
        let literals = positions.filter_map(|(position, one)| Some((position, one.literal()?)));
        // The last literal; a version only if there is no other, because it may differ.
        let found = literals
            .clone()
            .max_by_key(|(position, text)| (!is_version(text), *position));
        let Some((position, literal)) = found else {
            return self.without_literal.push(item);
        };
        let after = (!is_open).then(|| segments.len() - 1 - position);
        let hash = hash_literals(literals.clone().map(|(_, text)| text));
        let positions = (position, literals.map(|(position, _)| position).collect());
        self.by_literal
            .entry(literal.to_ascii_lowercase())
            .or_default()
            .entry(after)
            .or_default()
            .entry(positions)
            .or_default()
            .entry(hash)
            .or_default()
            .push(item);
    }

    /// The items of the paths that a call may have, each with the segment of the call at which it begins. There is one list for
    /// each look-up, which may be empty.
    pub(super) fn find(&self, segments: &[Cow<'_, str>]) -> impl Iterator<Item = (usize, &[T])> {
        segments.iter().enumerate().flat_map(move |(at, segment)| {
            let paths = self.by_literal.get(&segment.to_ascii_lowercase());
            let after = segments.len() - 1 - at;
            let paths = [Some(after), None]
                .into_iter()
                .filter_map(move |end| paths?.get(&end))
                .flatten();
            paths.filter_map(move |((position, literals), by_literals)| {
                let start = at.checked_sub(*position)?;
                let hash = hash_at(segments.get(start..)?, literals)?;
                Some((start, by_literals.get(&hash).map_or(&[][..], Vec::as_slice)))
            })
        })
    }

    /// The items of paths without literals, which [`Self::find`] leaves out.
    pub(super) fn without_literal(&self) -> &[T] {
        &self.without_literal
    }
}

/// The hash of the segments at the positions of the literals of a path; `None` if there are fewer segments.
fn hash_at(segments: &[Cow<'_, str>], literals: &[usize]) -> Option<u64> {
    segments.get(literals.last().copied().unwrap_or_default())?;
    let literals = literals
        .iter()
        .filter_map(|&position| segments.get(position));
    Some(hash_literals(literals.map(|segment| &**segment)))
}

/// Hashes the literals of a path so that similar ones are equal: those that differ in letter case, and all versions.
fn hash_literals<'t>(literals: impl Iterator<Item = &'t str>) -> u64 {
    let mut hasher = DefaultHasher::new();
    for literal in literals {
        if !is_version(literal) {
            literal
                .bytes()
                .for_each(|byte| hasher.write_u8(byte.to_ascii_lowercase()));
        }
        hasher.write_u8(b'/');
    }
    hasher.finish()
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
