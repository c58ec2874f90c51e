//! JSONPath selectors (RFC 9535) as rules write them, and their form for the automaton.

use std::num::NonZeroUsize;

use jsonpath_rust::parser::errors::JsonPathError;
use jsonpath_rust::parser::model as jsonpath;
use jsonpath_rust::parser::parse_json_path;
use pest::error::ErrorVariant;
use thiserror::Error;

use super::filter_regex::MAX_REGEXES;
use crate::automaton::{Pattern, PatternRole, SegmentTest, SelectorSegment};
use crate::{Condition, Filter};

/// A checked selector.
#[derive(Debug, Clone, PartialEq)]
pub struct Selector {
    text: String,
    segments: Vec<SelectorSegment>,
    /// The conditions that its tests of the kind [`SegmentTest::Condition`] refer to by number.
    conditions: Vec<Condition>,
}

/// The error in a selector. The author of the rule has to correct it.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{message}")]
pub struct SelectorError {
    /// The error.
    pub message: String,
    /// A replacement to suggest, if there is one.
    pub help: Option<&'static str>,
}

/// The maximum number of steps of the parser for one selector. It tries several alternatives for each bracket in a filter, so
/// the time grows exponentially with their nesting. A union of 10,000 names takes half as many steps, and the maximum takes
/// less than a second.
const MAX_STEPS: usize = 2_000_000;

/// The maximum number of steps of a selector: several times the depth of real bodies. Each step after `..` can be a part of a
/// state of the automaton, beside all others.
const MAX_SEGMENTS: usize = 512;

impl Selector {
    /// Parses a JSONPath (RFC 9535). The root alone is an error, and so are filters that [`Filter::new`] rejects.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let selector = match plain(text) {
            Some(segments) => Self {
                text: text.to_owned(),
                segments,
                conditions: Vec::new(),
            },
            None => Self::parse_any(text)?,
        };
        if selector.segments.len() > MAX_SEGMENTS {
            return Err(refused(
                "more than 512 steps",
                Some("begin at a member near the field: $..field"),
            ));
        }
        Ok(selector)
    }

    fn parse_any(text: &str) -> Result<Self, SelectorError> {
        // This limit applies to the whole process, which has no other parser of this kind.
        pest::set_call_limit(NonZeroUsize::new(MAX_STEPS));
        let query = parse_json_path(text).map_err(|error| {
            if is_limit(&error) {
                return refused(
                    "so long or so nested a selector",
                    Some("write it as several"),
                );
            }
            SelectorError {
                message: format!("`{text}` is not a JSONPath"),
                help: Some("a selector looks like $.results[*].title or $..snippet (RFC 9535)"),
            }
        })?;
        if query.segments.is_empty() {
            return Err(refused(
                "the root by itself",
                Some("it has no key; name a member: $.title"),
            ));
        }
        let mut conditions = Vec::new();
        let segments = query
            .segments
            .iter()
            .map(|step| segment(step, &mut conditions))
            .collect::<Result<_, _>>()?;
        Ok(Self {
            text: text.to_owned(),
            segments,
            conditions,
        })
    }

    /// Creates `$..name`: the name at any depth.
    pub fn anywhere(name: &str) -> Self {
        Self {
            text: format!("$..{}", step(name).trim_start_matches('.')),
            segments: vec![SelectorSegment {
                descendant: true,
                tests: vec![SegmentTest::Name(name.into())],
            }],
            conditions: Vec::new(),
        }
    }

    /// Its source text.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names that its last step selects; `None` if it selects anything else too.
    pub fn last_names(&self) -> Option<Vec<&str>> {
        fn name(test: &SegmentTest) -> Option<&str> {
            match test {
                SegmentTest::Name(name) => Some(name),
                _ => None,
            }
        }
        self.segments.last()?.tests.iter().map(name).collect()
    }

    /// The test of each segment, from the root; `None` if a segment has several, or matches at any depth.
    pub fn steps(&self) -> Option<Vec<&SegmentTest>> {
        let segments = self.segments.iter();
        let steps = segments.map(|segment| match segment.tests.as_slice() {
            [test] if !segment.descendant => Some(test),
            _ => None,
        });
        steps.collect()
    }

    /// Its segments, from the root.
    pub fn segments(&self) -> &[SelectorSegment] {
        &self.segments
    }

    /// The conditions that the tests of its pattern refer to by number. Without conditions, the path of a node decides.
    pub fn conditions(&self) -> &[Condition] {
        &self.conditions
    }

    /// The number of regular expressions in its filters.
    pub fn regexes(&self) -> usize {
        self.conditions.iter().map(Condition::regexes).sum()
    }

    /// Returns its form for the automaton.
    pub fn pattern(&self, role: PatternRole) -> Pattern {
        Pattern {
            segments: self.segments.clone(),
            role,
        }
    }
}

/// Whether the parser reached its limit, so that the selector may be valid or not.
fn is_limit(error: &JsonPathError) -> bool {
    let JsonPathError::PestError(error) = error else {
        return false;
    };
    matches!(&error.variant, ErrorVariant::CustomError { .. })
}

fn segment(
    segment: &jsonpath::Segment,
    conditions: &mut Vec<Condition>,
) -> Result<SelectorSegment, SelectorError> {
    let (descendant, step) = match segment {
        jsonpath::Segment::Descendant(inner) => (true, &**inner),
        step => (false, step),
    };
    let tests = match step {
        jsonpath::Segment::Descendant(_) => return Err(refused("`..` twice in a row", None)),
        jsonpath::Segment::Selector(selector) => vec![test(selector, conditions)?],
        jsonpath::Segment::Selectors(selectors) => selectors
            .iter()
            .map(|selector| test(selector, conditions))
            .collect::<Result<_, _>>()?,
    };
    Ok(SelectorSegment { descendant, tests })
}

fn test(
    selector: &jsonpath::Selector,
    conditions: &mut Vec<Condition>,
) -> Result<SegmentTest, SelectorError> {
    let condition = match selector {
        jsonpath::Selector::Name(name) => return Ok(SegmentTest::Name(name.as_str().into())),
        jsonpath::Selector::Wildcard => return Ok(SegmentTest::Wildcard),
        jsonpath::Selector::Index(index) => match usize::try_from(*index) {
            Ok(index) => return Ok(SegmentTest::Index(index)),
            Err(_) => Condition::Slice {
                start: Some(*index),
                end: (*index < -1).then(|| index + 1),
                step: 1,
            },
        },
        jsonpath::Selector::Slice(start, end, step) => Condition::Slice {
            start: *start,
            end: *end,
            step: step.unwrap_or(1),
        },
        jsonpath::Selector::Filter(filter) => Condition::Filter(
            Filter::new(filter).map_err(|found| refused(found.what, Some(found.help)))?,
        ),
    };
    conditions.push(condition);
    let has_more = conditions.last().is_some_and(|last| last.regexes() > 0);
    if has_more && conditions.iter().map(Condition::regexes).sum::<usize>() > MAX_REGEXES {
        return Err(refused(
            "so many regular expressions",
            Some("join those of one place with `|`"),
        ));
    }
    Ok(SegmentTest::Condition(conditions.len() - 1))
}

/// A name as a step: `.name` or `['other name']`.
fn step(name: &str) -> String {
    let plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_');
    if plain {
        format!(".{name}")
    } else {
        format!("['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))
    }
}

/// The JSONPath that a path means (`owner.zip`, `crew[].zip`, `/owner/zip` or a JSONPath), and the name at its end; `None` if the text
/// is no path to a name. `[]` at the end is left out: it selects the elements of the array.
pub fn path_meant_by(text: &str) -> Option<(String, String)> {
    let sign = if text.starts_with('/') { '/' } else { '.' };
    if !text.contains([sign, '[']) {
        return None;
    }
    let mut path = String::from("$");
    let ends = ["[]", "[*]", ".*"];
    let to_name = ends
        .iter()
        .fold(text, |name, end| name.trim_end_matches(end));
    let parts = to_name.split(sign).skip_while(|part| *part == "$");
    for (number, part) in parts.enumerate() {
        let (name, index) = part.split_at(part.find('[').unwrap_or(part.len()));
        let step = match name {
            // In a JSONPath, two dots are a step to any depth; one, or a slash, may begin a path.
            "" if number == 0 => continue,
            "" if index.is_empty() => ".".to_owned(),
            "*" => "[*]".to_owned(),
            _ if name.bytes().all(|byte| byte.is_ascii_digit()) => format!("[{name}]"),
            _ => step(name),
        };
        path += &step;
        let key = index
            .strip_prefix('[')
            .and_then(|key| key.strip_suffix(']'));
        let is_key = |key: &&str| key.starts_with(char::is_alphabetic);
        match key.filter(is_key) {
            Some(key) => path += &self::step(key),
            None => path += &index.replace("[]", "[*]"),
        }
    }
    let meant = Selector::parse(text).or_else(|_| Selector::parse(&path));
    let selector = meant.ok()?;
    let name = (*selector.last_names()?.first()?).to_owned();
    Some((selector.text, name))
}

fn refused(what: &str, help: Option<&'static str>) -> SelectorError {
    SelectorError {
        message: format!("{what} cannot be used in a rule's selector"),
        help,
    }
}

/// Parses the most common selectors, such as `$.results[*].title` and `$..snippet`, quickly: tables have thousands.
fn plain(text: &str) -> Option<Vec<SelectorSegment>> {
    let mut rest = text.strip_prefix('$').filter(|rest| !rest.is_empty())?;
    let mut segments = Vec::with_capacity(4);
    while !rest.is_empty() {
        if let Some(behind) = rest.strip_prefix("[*]") {
            segments.push(SelectorSegment {
                descendant: false,
                tests: vec![SegmentTest::Wildcard],
            });
            rest = behind;
            continue;
        }
        let descendant = rest.starts_with("..");
        rest = rest.strip_prefix(if descendant { ".." } else { "." })?;
        let length = rest
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
            .count();
        let (name, behind) = rest.split_at_checked(length)?;
        if name.is_empty() || name.starts_with(|first: char| first.is_ascii_digit()) {
            return None;
        }
        segments.push(SelectorSegment {
            descendant,
            tests: vec![SegmentTest::Name(name.into())],
        });
        rest = behind;
    }
    Some(segments)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn last(text: &str) -> Option<Vec<String>> {
        Selector::parse(text)
            .unwrap()
            .last_names()
            .map(|names| names.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn the_last_step_is_known_by_its_names() {
        assert_eq!(last("$.a..b"), Some(vec!["b".to_owned()]));
        assert_eq!(
            last("$['a b','c']"),
            Some(vec!["a b".to_owned(), "c".to_owned()])
        );
        assert_eq!(last("$.a[*]"), None);
        assert_eq!(last("$.a[0]"), None);
        assert_eq!(last("$.a[?@.b]"), None);
    }

    #[test]
    fn names_with_quotes_are_found_anywhere() {
        for name in ["plain", "with space", "it's", r"back\slash", "1st", "a.b"] {
            let anywhere = Selector::anywhere(name);
            let parsed = Selector::parse(anywhere.text()).unwrap();
            assert_eq!(parsed.segments, anywhere.segments, "{}", anywhere.text());
        }
    }

    #[test]
    fn what_is_more_than_a_way_becomes_a_condition() {
        let selector = Selector::parse("$.a[-1,0]..[?@.b,1:3].c").unwrap();
        let tests: Vec<_> = selector
            .segments
            .iter()
            .map(|segment| segment.tests.clone())
            .collect();
        assert_eq!(tests[1], [SegmentTest::Condition(0), SegmentTest::Index(0)]);
        assert_eq!(
            tests[2],
            [SegmentTest::Condition(1), SegmentTest::Condition(2)]
        );
        assert_eq!(
            selector.conditions[0],
            Condition::Slice {
                start: Some(-1),
                end: None,
                step: 1
            }
        );
        assert_eq!(
            selector.conditions[2],
            Condition::Slice {
                start: Some(1),
                end: Some(3),
                step: 1
            }
        );
        assert_eq!(selector.last_names(), Some(vec!["c"]));
    }

    #[test]
    fn what_the_grammar_would_take_for_ever_over_is_refused() {
        let nested = "$[?value(value(value(($[?value(value(".repeat(9);
        let error = Selector::parse(&nested).unwrap_err();
        assert!(error.message.contains("so long or so nested"), "{error}");
        let names: Vec<_> = (0..10_000)
            .map(|number| format!("'name{number}'"))
            .collect();
        let union = Selector::parse(&format!("$..[{}]", names.join(", "))).unwrap();
        assert_eq!(union.last_names().map(|names| names.len()), Some(10_000));
    }

    #[test]
    fn what_cannot_be_decided_is_refused_by_name() {
        for (text, part) in [
            ("a.b", "not a JSONPath"),
            ("$", "the root by itself"),
            ("$[?@[?@.a]]", "a filter inside a filter"),
            (
                "$[?count($..a) > 1]",
                "searches several nodes from the root",
            ),
        ] {
            assert!(
                Selector::parse(text).unwrap_err().message.contains(part),
                "{text}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn plain_selectors_are_what_the_full_grammar_makes_of_them(
            text in r"\$?((\.\.?|\[\*\]|\[)?([a-zA-Z_][a-z0-9_]{0,2}|\*|[0-9]| )?){0,5}",
        ) {
            if let Some(segments) = plain(&text) {
                let full = Selector::parse_any(&text);
                proptest::prop_assert_eq!(full.map(|full| full.segments), Ok(segments), "{}", text);
            }
        }
    }

    #[test]
    fn the_selectors_of_the_built_in_tables_are_mostly_plain() {
        for text in ["$.a", "$..a", "$.results[*].title", "$..b_1[*][*].c"] {
            assert!(plain(text).is_some(), "{text}");
        }
    }
}
