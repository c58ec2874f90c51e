//! Before a body is walked: whether it can hold a use at all, by a search of its raw bytes.
//!
//! Never wrong, in that it rules out only bodies in which nothing can match. A selector matches a key only if the key is
//! written there, below the key that the selector names before it; and a key that is written otherwise than letter by
//! letter (`"track\\u0069ngToken"`), or a body that is encoded as more than a JSON string, is never ruled out.

use aho_corasick::packed::{self, Config, Searcher};
use aho_corasick::{AhoCorasick, Input, Match, MatchKind};
use memchr::memmem::Finder;

use crate::automaton::{Pattern, Role, Segment, Test};
use crate::document::raw::{self, Level, Members};
use crate::exchange::{Body, Encoding};

/// What the bodies of one side of an operation must have in them for a rule to match.
#[derive(Debug)]
pub(super) struct Filter {
    /// Find the names of the needs with the quote behind them, in documents as they are and in those in strings.
    fields: [Names; 2],
    needs: Vec<Need>,
}

/// A field that some pattern ends in.
#[derive(Debug)]
struct Need {
    name: Vec<u8>,
    /// Of which one must stand around it, and how many lists or objects between; empty where some pattern names none.
    parents: Vec<(Around, usize)>,
}

/// What a field must stand in.
#[derive(Debug)]
enum Around {
    /// The body itself.
    Root,
    /// The value of this key.
    Key(Box<Finder<'static>>),
}

impl Filter {
    /// What the patterns that are uses need; `None` where no search can rule anything out.
    pub(super) fn new(patterns: &[Pattern]) -> Option<Self> {
        let mut needs: Vec<(String, Option<Vec<Parent>>)> = Vec::new();
        for pattern in patterns.iter().filter(|pattern| matches!(pattern.role, Role::Use { .. })) {
            let (fields, parents) = ends(&pattern.segments)?;
            for field in fields {
                match needs.iter_mut().find(|(name, _)| *name == field) {
                    Some((_, known)) => match (known.as_mut(), &parents) {
                        (Some(known), Some(parents)) => known.extend(parents.iter().cloned()),
                        _ => *known = None,
                    },
                    None => needs.push((field, parents.clone())),
                }
            }
        }
        let names: Vec<_> = needs.iter().map(|(name, _)| name.as_str()).collect();
        let fields = [Names::new(&names, Level::Document)?, Names::new(&names, Level::String)?];
        let needs = needs.into_iter().map(|(name, parents)| {
            let mut parents = parents.unwrap_or_default();
            parents.sort_unstable();
            parents.dedup();
            let parents = parents
                .iter()
                .map(|(name, lists)| match name {
                    Some(name) => (Around::Key(Box::new(Finder::new(name).into_owned())), *lists),
                    None => (Around::Root, *lists),
                })
                .collect();
            Need { name: name.into_bytes(), parents }
        });
        Some(Self { needs: needs.collect(), fields })
    }

    /// Whether nothing in the body can match, whatever it says.
    pub(super) fn rules_out(&self, body: &Body<'_>) -> bool {
        let (level, text) = match body.encoding {
            Encoding::Plain => (Level::Document, body.raw()),
            Encoding::JsonString => (Level::String, raw::content(body.raw())),
            Encoding::Base64JsonString => return false,
        };
        let [plain, nested] = &self.fields;
        let fields = if level == Level::Document { plain } else { nested };
        if body.may_be_cut() || !raw::is_enclosed(text) || raw::hides_names(text) {
            return false;
        }
        // Of fields that must stand inside others, the first key of each is enough to look for those.
        let mut members = Members::of(text, level);
        let mut seen = Numbers::default();
        let mut at = 0;
        while let Some(found) = fields.find(text, at) {
            at = found.end();
            let number = found.pattern().as_usize();
            if seen.has(number) {
                continue;
            }
            let Some(need) = self.needs.get(number) else { return false };
            if !raw::is_key(text, found.start(), found.start() + need.name.len(), level) {
                continue;
            }
            seen.insert(number);
            if need.may_match(text, level, &mut members) {
                return false;
            }
        }
        true
    }
}

/// A search for names with the quote that ends them.
#[derive(Debug)]
enum Names {
    /// For as many as fit.
    Packed(Searcher),
    /// For any number, at a tenth of the speed.
    Any(AhoCorasick),
}

impl Names {
    fn new(names: &[&str], level: Level) -> Option<Self> {
        let names = names.iter().map(|name| format!("{name}{}", level.quote()));
        let mut config = Config::new();
        config.match_kind(packed::MatchKind::LeftmostLongest);
        let mut builder = config.builder();
        builder.extend(names.clone());
        if let Some(searcher) = builder.build() {
            return Some(Self::Packed(searcher));
        }
        let mut builder = AhoCorasick::builder();
        builder.match_kind(MatchKind::LeftmostLongest).build(names).ok().map(Self::Any)
    }

    fn find(&self, text: &[u8], at: usize) -> Option<Match> {
        match self {
            Self::Packed(searcher) => searcher.find_in(text, (at..text.len()).into()),
            Self::Any(automaton) => automaton.find(Input::new(text).range(at..)),
        }
    }
}

/// A set of numbers, most of which are small.
#[derive(Default)]
struct Numbers {
    small: u64,
    others: Vec<usize>,
}

impl Numbers {
    fn has(&self, number: usize) -> bool {
        match number {
            0..64 => self.small >> number & 1 == 1,
            _ => self.others.contains(&number),
        }
    }

    fn insert(&mut self, number: usize) {
        match number {
            0..64 => self.small |= 1 << number,
            _ => self.others.push(number),
        }
    }
}

impl Need {
    /// Whether the field may stand inside one of its parents.
    fn may_match(&self, text: &[u8], level: Level, members: &mut Members<'_>) -> bool {
        let mut is_in = |around: &Around, lists: usize| match around {
            Around::Root => members.may_be_at(0, &self.name, lists),
            Around::Key(key) => key.find_iter(text).any(|start| {
                let end = start + key.needle().len();
                raw::is_key(text, start, end, level)
                    && members.may_be_in_key(end, &self.name, lists)
            }),
        };
        self.parents.is_empty() || self.parents.iter().any(|(around, lists)| is_in(around, *lists))
    }
}

/// The name of a key, or `None` for the root, and how many lists or objects stand between its value and what is inside.
type Parent = (Option<String>, usize);

/// The names a pattern ends in, and those of which one stands around them; `None` where it may end in any name, or in one
/// that cannot be searched for.
fn ends(segments: &[Segment]) -> Option<(Vec<String>, Option<Vec<Parent>>)> {
    let (last, before) = segments.split_last()?;
    let fields = names(last)?;
    let parents = || {
        if last.descendant {
            return None;
        }
        let (names, lists) = match before.split_last() {
            None => return Some(vec![(None, 0)]),
            Some((parent, before)) => match (names(parent), before.last()) {
                (Some(names), _) => (names, 0),
                // Any element or member of something that is named.
                (None, Some(named)) if !parent.descendant => (names(named)?, 1),
                _ => return None,
            },
        };
        Some(names.into_iter().map(|name| (Some(name), lists)).collect())
    };
    Some((fields, parents()))
}

/// The names of a segment that goes to nothing else, all of them written with plain characters.
fn names(segment: &Segment) -> Option<Vec<String>> {
    let name = |test: &Test| match test {
        Test::Name(name) if !name.is_empty() && name.bytes().all(raw::is_plain) => {
            Some(name.to_string())
        }
        _ => None,
    };
    segment.tests.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Selector;
    use crate::source::Span;

    #[test]
    fn any_number_of_fields_rules_out_what_has_none_of_them() {
        for count in [1, 64, 65, 300] {
            let role = Role::Use { owner: 0, scope: 0 };
            let selector = |number| Selector::parse(&format!("$..field{number}x")).unwrap();
            let patterns: Vec<_> =
                (0..count).map(|number| selector(number).pattern(role)).collect();
            let filter = Filter::new(&patterns).unwrap();
            let rules_out = |text: &str| {
                let whole = Span::new(0, text.len());
                filter.rules_out(&Body::new(text.as_bytes(), whole, Encoding::Plain))
            };
            assert!(rules_out(r#"{"field":1,"other":["field0x"]}"#), "{count}");
            assert!(!rules_out(&format!(r#"{{"a":{{"field{}x":1}}}}"#, count - 1)), "{count}");
        }
    }
}
