//! Finds rules that can never match, and rules that are probably wrong.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use chrono::NaiveDate;

use super::{Element, ElementPart, MemberCondition, Rule, Sides, ValueTest};
use sundown_exchange::{Method, OperationPattern, PatternSegment};
use sundown_files::toml_file::{Mistake, TableReader};
use sundown_selector::automaton::{Automaton, PatternRole, SegmentTest, SelectorSegment, Walk};
use sundown_selector::{Selector, path_meant_by};
use sundown_text_json::text::did_you_mean;
use sundown_text_json::text::toml::string as toml_string;

/// Checks a path: in the templates of other tools, variables look like literals of this one.
pub(super) fn check_path(
    operation: &OperationPattern,
    span: &Range<usize>,
    fields: &TableReader<'_>,
) {
    let segments = operation.segments.iter();
    for literal in segments.filter_map(PatternSegment::literal) {
        if matches!(literal, "." | "..") {
            let message = format!("`{literal}` is in no path: it is removed from calls first");
            fields.refuse(span.clone(), message, "write the path without it");
        }
        let Some(own) = foreign_variable(literal) else {
            continue;
        };
        let message = format!("`{literal}` is matched literally; no request path contains it");
        let help = format!("write a variable as `{own}`");
        fields.refuse(span.clone(), message, help);
    }
}

/// A segment with a variable in the notation of another tool (`:id`, `:id:run` or `<id>`), as this one writes it.
fn foreign_variable(literal: &str) -> Option<String> {
    let (name, rest) = match literal.strip_prefix(':') {
        Some(after) => after.split_at(after.find(|c| !is_in_name(c)).unwrap_or(after.len())),
        None => {
            let inside = literal.strip_prefix('<')?.strip_suffix('>')?;
            // Flask writes the type in front of the name.
            (inside.split(':').next_back()?, "")
        }
    };
    (!name.is_empty() && name.chars().all(is_in_name)).then(|| format!("{{{name}}}{rest}"))
}

/// Whether a character may be in the name of a variable.
fn is_in_name(c: char) -> bool {
    c.is_alphanumeric() || matches!(c, '_' | '-')
}

/// Doubts a method that is not registered.
pub(super) fn doubt_method(
    operation: &OperationPattern,
    span: &Range<usize>,
    fields: &TableReader<'_>,
) {
    let Some(method) = operation
        .method
        .as_ref()
        .filter(|method| !method.is_registered())
    else {
        return;
    };
    let message = format!("`{}` is not a registered method of HTTP", method.as_str());
    let help = did_you_mean(method.as_str(), Method::common()).map_or_else(
        || "check the spelling; `*` is any method".to_owned(),
        |near| format!("did you mean `{near}`?"),
    );
    fields.add_mistake(Mistake::doubt(span.clone(), message).with_help(help));
}

/// Doubts a field whose name is a path of another notation: it is taken for the name of one member. Returns whether it is one.
pub(super) fn doubt_name(element: Option<&Element>, fields: &TableReader<'_>) -> bool {
    let name = element.and_then(Element::field_name);
    let name = name.filter(|_| !fields.has("at") && !fields.has("schema"));
    let Some((message, help)) = name.and_then(path_as_name) else {
        return false;
    };
    let mistake = Mistake::doubt(fields.label("field"), message);
    fields.add_mistake(mistake.with_help(help));
    true
}

/// What is wrong with a path in place of a name, and the remedy; `None` if it is no path.
pub(super) fn path_as_name(name: &str) -> Option<(String, String)> {
    let (path, last) = path_meant_by(name)?;
    let message = format!("`{name}` is the name of one member, and not a path");
    let [last, path, any] = [&*last, &*path, Selector::anywhere(name).text()].map(toml_string);
    let help = format!(
        "for a path, write field = {last} and at = [{path}]; for a member of this name, write at = [{any}]"
    );
    Some((message, help))
}

/// Doubts dates that contradict each other.
pub(super) fn doubt_dates(rule: &Rule, fields: &TableReader<'_>) {
    let dates = rule.introduced.zip(rule.removal);
    let span = fields.span_of("removal");
    if dates.is_some_and(|(introduced, removal)| introduced > removal)
        && let Some(span) = span.or_else(|| fields.span_of("introduced"))
    {
        let mistake = Mistake::doubt(span, "`removal` is before `introduced`");
        fields.add_mistake(
            mistake
                .with_help("an element is deprecated on `introduced` and works through `removal`"),
        );
    }
}

/// Checks that selectors can match: `except` and `opaque` may exclude all that `at` selects.
pub(super) fn check_selectors(rule: &Rule, opaque: &[Selector], fields: &TableReader<'_>) {
    let mut selectors: Vec<_> = rule
        .places
        .iter()
        .flat_map(|place| &place.selectors)
        .collect();
    // The operations of a group have the same ones.
    selectors.dedup_by_key(|selector| selector.text());
    for selector in selectors {
        let is_plain = rule
            .exceptions
            .iter()
            .chain(opaque)
            .chain([selector])
            .all(|selector| selector.conditions().is_empty());
        if !is_plain || may_match(selector, &rule.exceptions, opaque) {
            continue;
        }
        let (key, help) = if may_match(selector, &[], opaque) {
            (
                "except",
                "remove the exception, or make it more specific than the selector",
            )
        } else {
            (
                "opaque",
                "a selector reaches into a map if another selector of the rule names the map",
            )
        };
        let span = fields
            .span_of("except")
            .filter(|_| key == "except")
            .unwrap_or_else(|| fields.label("at"));
        let message = format!(
            "`{key}` excludes everything that `{}` selects",
            selector.text()
        );
        fields.refuse(span, message, help);
        return;
    }
}

/// Whether a selector matches one of its examples. One with unions is not examined.
fn may_match(selector: &Selector, exceptions: &[Selector], opaque: &[Selector]) -> bool {
    let segments = selector.segments();
    if segments.iter().any(|segment| segment.tests.len() != 1) {
        return true;
    }
    // Exceptions of a fixed length reach no example that is deeper than all of them.
    let around = exceptions.iter().chain(opaque);
    let deepest = around
        .map(|it| it.segments().len())
        .max()
        .unwrap_or_default()
        + 1;
    let owner = 0;
    let uses = selector.pattern(PatternRole::Use { owner, scope: 0 });
    let exceptions = exceptions
        .iter()
        .map(|selector| selector.pattern(PatternRole::Exception { owner }));
    let opaque = opaque
        .iter()
        .map(|selector| selector.pattern(PatternRole::Barrier { scope: 0 }));
    let patterns = [uses].into_iter().chain(exceptions).chain(opaque).collect();
    let mut walk = Walk::new(Arc::new(Automaton::new(patterns)));
    [0, deepest]
        .into_iter()
        .any(|depth| accepts_example(segments, depth, &mut walk))
}

/// Whether the automaton accepts an example of a selector, in which each `..` is a path of so many other members.
fn accepts_example(segments: &[SelectorSegment], depth: usize, walk: &mut Walk) -> bool {
    // Names and an index that hardly any other selector has.
    const OTHER: &[u8] = b"\xFFother";
    const FAR: usize = 1_000_003;
    let mut state = walk.start();
    for segment in segments {
        for _ in 0..if segment.descendant { depth } else { 0 } {
            state = walk.step_key(state, OTHER);
        }
        state = match segment.tests.first() {
            Some(SegmentTest::Name(name)) => walk.step_key(state, name.as_bytes()),
            Some(SegmentTest::Index(index)) => walk.step_index(state, *index),
            Some(SegmentTest::Wildcard | SegmentTest::Condition(_)) | None => {
                walk.step_index(state, FAR)
            }
        };
    }
    !walk.accepts(state).is_empty()
}

/// The rules by what they are about. Two rules about the same are doubtful if their dates differ.
#[derive(Default)]
pub(super) struct KnownPlaces {
    /// The places, numbered.
    places: HashMap<PlaceKey, usize>,
    /// The tests of values, numbered.
    tests: HashMap<Option<ValueTest>, usize>,
    /// The id and the last day of each rule.
    rules: Vec<(String, Option<NaiveDate>)>,
    /// The index of the first rule about the values of a test in a place.
    first: HashMap<(usize, usize), usize>,
}

/// A place with the part of a call that rules are about there, whatever its value.
type PlaceKey = (
    (Option<Method>, Vec<PatternSegment>),
    ElementPart,
    Sides,
    Vec<String>,
    Vec<MemberCondition>,
);

impl KnownPlaces {
    /// Doubts an entry if a rule about the same element as one of its rules has another date. The rules of an entry differ only
    /// in their values and facts.
    pub(super) fn add(
        &mut self,
        rules: &[Rule],
        span: Option<&Range<usize>>,
        fields: &TableReader<'_>,
    ) {
        let places: Vec<_> = rules
            .first()
            .map(|rule| self.places_of(rule))
            .unwrap_or_default();
        self.first.reserve(rules.len() * places.len());
        for rule in rules {
            let tests = self.tests.len();
            let test = *self
                .tests
                .entry(rule.element.value.clone())
                .or_insert(tests);
            let index = self.rules.len();
            self.rules.push((rule.id.clone(), rule.removal));
            let differing = places
                .iter()
                .map(|&place| *self.first.entry((place, test)).or_insert(index))
                .filter_map(|first| self.rules.get(first))
                .find(|(_, removal)| *removal != rule.removal);
            if let Some(((other, _), span)) = differing.zip(span) {
                let message =
                    format!("`{other}` is about the same element, with another `removal`");
                let help =
                    "remove one of the rules, or let them differ in `at`, `sides` or `value`";
                fields.add_mistake(Mistake::doubt(span.clone(), message).with_help(help));
            }
        }
    }

    /// The numbers of a rule's places.
    fn places_of(&mut self, rule: &Rule) -> Vec<usize> {
        let numbers = rule.places.iter().map(|place| {
            let texts = place.selectors.iter().map(|one| one.text().to_owned());
            let mut texts: Vec<_> = texts.collect();
            texts.sort_unstable();
            let operation = &place.operation;
            let key = (
                (operation.method.clone(), operation.segments.clone()),
                rule.element.part.clone(),
                place.sides,
                texts,
                rule.when.clone(),
            );
            let next = self.places.len();
            *self.places.entry(key).or_insert(next)
        });
        numbers.collect()
    }
}
