//! Before a body is walked: whether it can hold a use at all, by a search of its raw bytes.
//!
//! Never wrong, in that it rules out only bodies in which nothing can match. A selector matches a key only if the key is
//! written there; where it is, the keys around it are taken to the automaton. A key that is written otherwise than letter by
//! letter (`"track\\u0069ngToken"`), or a body that is encoded as more than a JSON string, is never ruled out.

use aho_corasick::packed::{self, Config, Searcher};
use aho_corasick::{AhoCorasick, Input, Match, MatchKind};

use crate::automaton::{Pattern, Role, Segment, StateId, Test, Walk};
use crate::document::raw::{self, Level, Under};
use crate::document::{Bracket, Structure, Surveyed};
use crate::exchange::{Body, Encoding};
use crate::source::Span;

/// What the bodies of one side of an operation must have in them for a rule to match.
#[derive(Debug)]
pub(super) struct Filter {
    /// Find the names with the quote behind them, in documents as they are and in those in strings.
    fields: [Names; 2],
    /// How long each name is.
    lengths: Vec<usize>,
}

/// Memory for what is found in a body.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    /// The keys that have been found, without their quotes.
    keys: Vec<Span>,
    /// Where quotes and brackets stand in a body that stands in a string.
    inner: Structure,
    frames: Vec<Frame>,
}

/// An array or object that is open.
#[derive(Debug)]
struct Frame {
    /// Where its bracket stands.
    open: usize,
    /// The state of the automaton in it; looked up when first asked for.
    state: StateId,
}

impl Filter {
    /// What the patterns that are uses need; `None` where no search can rule anything out.
    pub(super) fn new(patterns: &[Pattern]) -> Option<Self> {
        let mut names: Vec<&str> = Vec::new();
        for pattern in patterns.iter().filter(|pattern| matches!(pattern.role, Role::Use { .. })) {
            names.extend(last_names(&pattern.segments)?);
        }
        names.sort_unstable();
        names.dedup();
        let fields = [Names::new(&names, Level::Document)?, Names::new(&names, Level::String)?];
        Some(Self { fields, lengths: names.iter().map(|name| name.len()).collect() })
    }

    /// Whether nothing in the body can match, whatever it says. It stands in the stretch that has been `surveyed`.
    pub(super) fn rules_out(
        &self,
        body: &Body<'_>,
        surveyed: Surveyed<'_>,
        walk: &mut Walk,
        scratch: &mut Scratch,
    ) -> bool {
        let [plain, nested] = &self.fields;
        let (level, text, fields) = match body.encoding {
            Encoding::Plain => (Level::Document, body.raw(), plain),
            Encoding::JsonString => (Level::String, raw::content(body.raw()), nested),
            Encoding::Base64JsonString => return false,
        };
        let hides_names = || surveyed.structure.has_unicode_escape() && raw::hides_names(text);
        if body.may_be_cut() || !raw::is_enclosed(text) || hides_names() {
            return false;
        }
        let Scratch { keys, inner, frames } = scratch;
        self.find_keys(fields, text, level, keys);
        if keys.is_empty() {
            return true;
        }
        let nesting = match level {
            Level::Document => {
                let Some(before) = body.span.start.checked_sub(surveyed.start) else {
                    return false;
                };
                Nesting { structure: surveyed.structure, before, text, level }
            }
            Level::String => {
                inner.read(text, level);
                Nesting { structure: inner, before: 0, text, level }
            }
        };
        nesting.holds_no_use(keys, walk, frames) == Some(true)
    }

    /// All places in which one of the names may be a key.
    fn find_keys(&self, fields: &Names, text: &[u8], level: Level, keys: &mut Vec<Span>) {
        keys.clear();
        let mut at = 0;
        while let Some(found) = fields.find(text, at) {
            at = found.end();
            let length = self.lengths.get(found.pattern().as_usize()).copied().unwrap_or(0);
            let name = Span::new(found.start(), found.start() + length);
            if raw::is_key(text, name.start, name.end, level) {
                keys.push(name);
            }
        }
    }
}

/// A body and its brackets.
struct Nesting<'n> {
    structure: &'n Structure,
    /// How many bytes the structure has in front of the body.
    before: usize,
    text: &'n [u8],
    level: Level,
}

impl Nesting<'_> {
    /// Whether the automaton accepts none of the keys, which stand in their order; `None` where that cannot be told.
    fn holds_no_use(
        &self,
        keys: &[Span],
        walk: &mut Walk,
        frames: &mut Vec<Frame>,
    ) -> Option<bool> {
        let start = walk.start();
        frames.clear();
        // How many of the frames have had their state looked up.
        let mut known = 0;
        let mut brackets = self.structure.brackets_from(self.before);
        let mut next = brackets.next();
        for key in keys {
            if !self.is_in_quotes(*key) {
                continue;
            }
            while let Some(bracket) = next.filter(|next| next.offset() < self.before + key.start) {
                match bracket {
                    Bracket::Open(at) => {
                        frames.push(Frame { open: at - self.before, state: StateId::DEAD });
                    }
                    Bracket::Close(_) => {
                        frames.pop()?;
                        known = known.min(frames.len());
                    }
                }
                next = brackets.next();
            }
            while let Some(frame) = frames.get(known) {
                let around = known.checked_sub(1).and_then(|around| frames.get(around));
                let state = match around {
                    None => start,
                    Some(around) => self.step(around.state, frame.open, walk)?,
                };
                frames.get_mut(known)?.state = state;
                known += 1;
            }
            let reached = walk.step_key(frames.last()?.state, key.slice(self.text));
            if !walk.accepts(reached).is_empty() {
                return Some(false);
            }
        }
        Some(true)
    }

    /// Whether the quotes around a key are such as begin and end strings.
    fn is_in_quotes(&self, key: Span) -> bool {
        let closing = key.end + self.level.quote().len() - 1;
        key.start > 0
            && self.structure.is_quote(self.before + key.start - 1)
            && self.structure.is_quote(self.before + closing)
    }

    /// The state of the automaton behind the bracket at `open`.
    fn step(&self, around: StateId, open: usize, walk: &mut Walk) -> Option<StateId> {
        if around == StateId::DEAD {
            return Some(around);
        }
        let Nesting { structure, before, text, level } = *self;
        match raw::under(text, structure, before, open, level) {
            Under::Key(name) => Some(walk.step_key(around, name.slice(text))),
            // Which element it is has not been counted.
            Under::Element => walk.step_any_index(around),
            Under::Unclear => None,
        }
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

/// The names a pattern ends in; `None` where it may end in any name, or in one that cannot be searched for.
fn last_names(segments: &[Segment]) -> Option<Vec<&str>> {
    let name = |test| match test {
        &Test::Name(ref name) if !name.is_empty() && name.bytes().all(raw::is_plain) => {
            Some(&**name)
        }
        _ => None,
    };
    segments.last()?.tests.iter().map(name).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::automaton::Automaton;
    use crate::rule::Selector;

    #[test]
    fn any_number_of_fields_rules_out_what_has_none_of_them() {
        for count in [1, 64, 65, 300] {
            let role = Role::Use { owner: 0, scope: 0 };
            let selector = |number| Selector::parse(&format!("$..field{number}x")).unwrap();
            let patterns: Vec<_> =
                (0..count).map(|number| selector(number).pattern(role)).collect();
            let filter = Filter::new(&patterns).unwrap();
            let mut walk = Walk::new(Arc::new(Automaton::new(patterns)));
            let mut rules_out = |text: &str| {
                let body = Body::new(text.as_bytes(), Span::new(0, text.len()), Encoding::Plain);
                let mut structure = Structure::default();
                structure.read(text.as_bytes(), Level::Document);
                let surveyed = Surveyed { structure: &structure, start: 0 };
                filter.rules_out(&body, surveyed, &mut walk, &mut Scratch::default())
            };
            assert!(rules_out(r#"{"field":1,"other":["field0x"]}"#), "{count}");
            assert!(!rules_out(&format!(r#"{{"a":{{"field{}x":1}}}}"#, count - 1)), "{count}");
        }
    }
}
