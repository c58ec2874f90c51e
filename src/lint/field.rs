//! Where a field must stand for any rule to match it, as far as two steps tell.

use crate::json::raw;
use crate::selector::automaton::{PatternSegment, SegmentTest};

/// A field, and what it may stand in.
#[derive(Debug, Default)]
pub(super) struct Field {
    pub(super) name: Box<[u8]>,
    /// It may stand in anything.
    pub(super) anywhere: bool,
    /// It may stand in the body itself.
    pub(super) at_root: bool,
    /// It may stand in the value of one of these keys.
    pub(super) in_keys: Vec<Box<[u8]>>,
    /// It may stand in an element or member of the value of one of these.
    pub(super) in_parts_of_keys: Vec<Box<[u8]>>,
}

impl Field {
    /// Whether only the way to it tells whether it may match: it may stand in anything, or in the body itself.
    pub(super) fn is_told_by_way(&self) -> bool {
        self.anywhere || self.at_root
    }

    /// Takes in a pattern that ends in its name.
    pub(super) fn may_stand(&mut self, segments: &[PatternSegment]) {
        let Some((last, before)) = segments.split_last() else { return };
        if last.descendant {
            self.anywhere = true;
            return;
        }
        let Some((parent, before)) = before.split_last() else {
            self.at_root = true;
            return;
        };
        match (plain_names(parent), before.last().map(plain_names)) {
            (Some(names), _) => self.in_keys.extend(owned(&names)),
            // Any element or member of something that is named.
            (None, Some(Some(names))) if !parent.descendant => {
                self.in_parts_of_keys.extend(owned(&names));
            }
            _ => self.anywhere = true,
        }
    }
}

fn owned(names: &[&str]) -> impl Iterator<Item = Box<[u8]>> {
    names.iter().map(|name| name.as_bytes().into())
}

/// Whether a name can be searched for.
pub(super) fn is_plain(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(raw::is_plain)
}

/// The names of a segment that goes to nothing else, all of them written with plain characters.
pub(super) fn plain_names(segment: &PatternSegment) -> Option<Vec<&str>> {
    fn name(test: &SegmentTest) -> Option<&str> {
        match test {
            SegmentTest::Name(name) if is_plain(name) => Some(name),
            _ => None,
        }
    }
    segment.tests.iter().map(name).collect()
}
