//! Keys in whose values fields may stand, and what of those stands in such a value.

use memchr::memmem::{Finder, find_iter};

use super::Seen;
use crate::document::Literal;
use crate::document::raw::{self, Level};
use crate::document::{Ends, Structure};
use crate::lint::field::Field;
use crate::source::Span;

/// A key in whose value fields may stand.
#[derive(Debug)]
pub(super) struct Parent {
    /// Its name and the quote before it.
    quoted: Finder<'static>,
    wants: Vec<Want>,
    /// The ends of their names.
    ends: Vec<Ends>,
    /// Whether it is searched for, or only looked for where one of its fields was found.
    pub(super) is_needle: bool,
}

/// What of a text has been looked at for the keys of one name.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Looked {
    /// How many bytes their values have, some of which may be counted more than once.
    bytes: usize,
    /// That no field that may stand in them has a key anywhere.
    has_no_key: bool,
}

/// How many times each byte of a text may be looked at for the keys of one name, at most.
const MOST_TIMES: usize = 8;

/// A field that may stand in the value of a key.
#[derive(Debug)]
struct Want {
    /// Its number.
    field: usize,
    depth: Depth,
    /// Its name and the quote before it.
    quoted: Literal,
}

/// How far inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// In the value.
    Value,
    /// In an element or member of it.
    Part,
}

/// All keys that a field may stand in.
pub(super) fn parents(field: &Field) -> impl Iterator<Item = (&[u8], Depth)> {
    let keys = field.in_keys.iter().map(|name| (&**name, Depth::Value));
    keys.chain(field.in_parts_of_keys.iter().map(|name| (&**name, Depth::Part)))
}

/// The keys around all fields, each with those that it is around.
pub(super) fn all_parents(fields: &[Field]) -> Vec<Parent> {
    let mut all: Vec<Parent> = Vec::new();
    for (number, field) in fields.iter().enumerate() {
        for (name, depth) in parents(field) {
            let quoted = Literal::in_quote(name);
            let ends = Ends::of(&field.name);
            let want = Want { field: number, depth, quoted: Literal::in_quote(&field.name) };
            match all.iter_mut().find(|parent| parent.quoted() == quoted.bytes()) {
                Some(parent) => {
                    parent.wants.push(want);
                    parent.ends.extend(ends.filter(|ends| !parent.ends.contains(ends)));
                }
                None => all.push(Parent {
                    quoted: Finder::new(quoted.bytes()).into_owned(),
                    wants: vec![want],
                    ends: ends.into_iter().collect(),
                    is_needle: false,
                }),
            }
        }
    }
    all
}

impl Parent {
    /// Its name and the quote before it.
    pub(super) fn quoted(&self) -> &[u8] {
        self.quoted.needle()
    }

    /// Whether the field of this number may stand in it.
    pub(super) fn is_around(&self, field: usize) -> bool {
        self.wants.iter().any(|want| want.field == field)
    }

    /// A field that stands where it may match in the value of some key of this name in a text.
    pub(super) fn seen_in_any(
        &self,
        text: &[u8],
        level: Level,
        marks: &mut Structure,
    ) -> Option<Seen> {
        let mut looked = Looked::default();
        self.quoted.find_iter(text).find_map(|start| {
            let end = start + self.quoted().len();
            let open = raw::value_of_key(text, start + 1, end, level)?;
            self.seen_in(text, open, level, &mut looked, marks)
        })
    }

    /// A field that stands where it may match in the value that begins at `open`. `looked` is what was looked at before in the
    /// same text, from its beginning on; `marks` is memory.
    pub(super) fn seen_in(
        &self,
        text: &[u8],
        open: usize,
        level: Level,
        looked: &mut Looked,
        marks: &mut Structure,
    ) -> Option<Seen> {
        if looked.has_no_key || !matches!(text.get(open), Some(b'{' | b'[')) {
            return None;
        }
        let value = text.get(open..).unwrap_or_default();
        let end = if looked.bytes / MOST_TIMES > text.len() {
            None
        } else {
            marks.read_container(value, &self.ends, level)
        };
        let Some(end) = end else {
            // It does not end, or there are too many, one in another: then any key of their names may be meant.
            looked.has_no_key = !self.wants.iter().any(|want| want.has_key(text, level));
            return (!looked.has_no_key).then_some(Seen::Somewhere);
        };
        looked.bytes = looked.bytes.saturating_add(end);
        marks.alike().iter().find_map(|&quote| {
            let rest = value.get(quote..end).unwrap_or_default();
            let is_there = |want: &&Want| {
                want.quoted.begins(rest)
                    && raw::is_key(value, quote + 1, quote + want.quoted.len(), level)
                    && want.depth.is_that_of(quote, marks)
            };
            let want = self.wants.iter().find(is_there)?;
            Some(Seen::At(Span::new(quote + 1, quote + want.quoted.len()).shifted(open)))
        })
    }
}

impl Want {
    /// Whether the field has a key anywhere in a text.
    fn has_key(&self, text: &[u8], level: Level) -> bool {
        let (quoted, len) = (self.quoted.bytes(), self.quoted.len());
        find_iter(text, quoted).any(|start| raw::is_key(text, start + 1, start + len, level))
    }
}

impl Depth {
    /// Whether a key at `at` in the value of another stands so deep in it.
    fn is_that_of(self, at: usize, value: &Structure) -> bool {
        let around = value.around(at);
        match self {
            Self::Value => around == Some(0),
            Self::Part => {
                let outer = around.filter(|&open| open > 0).and_then(|open| value.around(open));
                outer == Some(0)
            }
        }
    }
}
