//! The places of a field in which a rule may match it, as far as its two nearest ancestors decide.

use crate::rule_choice::RulesByValue;
use sundown_openapi::PropertyParents;
use sundown_selector::automaton::{SegmentTest, SelectorSegment};
use sundown_text_json::json::key_context::{self, QuoteLevel};
use sundown_text_json::json::teddy::STEP;
use sundown_text_json::text::Span;

/// A field, and its possible parents.
#[derive(Debug, Default)]
pub(super) struct Field {
    pub name: Box<[u8]>,
    /// Its parent may be anything.
    pub anywhere: bool,
    /// Its parent may be the body.
    pub at_root: bool,
    /// Its parent may be the value of one of these keys.
    pub in_keys: Vec<Box<[u8]>>,
    /// Its parent may be an element or member of the value of one of these keys.
    pub in_parts_of_keys: Vec<Box<[u8]>>,
    /// The rules about it, if only some of its values are uses.
    pub values: Option<RulesByValue>,
}

impl Field {
    /// Whether the key whose name is at `name` has a value that is no use.
    pub(super) fn has_other_value(&self, text: &[u8], name: Span, level: QuoteLevel) -> bool {
        self.values
            .as_ref()
            .is_some_and(|values| !values.may_be_value_of(text, name, level))
    }

    /// Whether only all of its ancestors decide: its parent may be anything, or the body.
    pub(super) fn needs_ancestors(&self) -> bool {
        self.anywhere || self.at_root
    }

    pub(super) fn name(&self) -> &str {
        std::str::from_utf8(&self.name).unwrap_or_default()
    }

    /// Adds the parents that a description knows. Names that are too short to be searched for are not worthwhile.
    pub(super) fn add_parents(&mut self, parents: &PropertyParents<'_>) {
        match parents {
            PropertyParents::Only(named)
                if named
                    .keys
                    .iter()
                    .chain(&named.keys_of_lists)
                    .all(|name| is_plain(name) && name.len() >= STEP) =>
            {
                self.at_root |= named.may_be_body;
                self.in_keys
                    .extend(named.keys.iter().map(|name| name.as_bytes().into()));
                let lists = named
                    .keys_of_lists
                    .iter()
                    .map(|name| name.as_bytes().into());
                self.in_parts_of_keys.extend(lists);
            }
            PropertyParents::Only(_) | PropertyParents::Any => self.anywhere = true,
        }
    }

    /// Adds a pattern that ends in its name.
    pub(super) fn add(&mut self, segments: &[SelectorSegment]) {
        let Some((last, before)) = segments.split_last() else {
            return;
        };
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
            // Any element or member of a named value.
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
    !name.is_empty() && name.bytes().all(key_context::is_plain)
}

/// The names of a segment, if it selects nothing else and all of them can be searched for.
pub(super) fn plain_names(segment: &SelectorSegment) -> Option<Vec<&str>> {
    fn name(test: &SegmentTest) -> Option<&str> {
        match test {
            SegmentTest::Name(name) if is_plain(name) => Some(name),
            _ => None,
        }
    }
    segment.tests.iter().map(name).collect()
}
