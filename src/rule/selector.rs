//! JSONPath selectors (RFC 9535) as rules write them, and their form for the automaton.

use std::fmt;

use jsonpath_rust::parser::model as jsonpath;
use jsonpath_rust::parser::parse_json_path;

use crate::automaton::{Pattern, Role, Segment, Test};

/// A checked selector.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    text: String,
    segments: Vec<Segment>,
}

/// What is wrong with a selector. The writer's fault.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SelectorError {
    /// What is wrong.
    pub message: String,
    /// What to write instead, where that can be said.
    pub help: Option<&'static str>,
}

impl fmt::Display for SelectorError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for SelectorError {}

impl Selector {
    /// Reads names, wildcards, indices from the front, unions and `..`; anything else of RFC 9535 is refused by name.
    pub fn parse(text: &str) -> Result<Self, SelectorError> {
        let query = parse_json_path(text).map_err(|_| SelectorError {
            message: format!("`{text}` is not a JSONPath"),
            help: Some("a selector looks like $.results[*].title or $..snippet (RFC 9535)"),
        })?;
        let segments = query.segments.iter().map(segment).collect::<Result<_, _>>()?;
        Ok(Self { text: text.to_owned(), segments })
    }

    /// `$..name`: the name at any depth.
    pub fn anywhere(name: &str) -> Self {
        let plain = name.starts_with(|c: char| c.is_alphabetic() || c == '_')
            && name.chars().all(|c| c.is_alphanumeric() || c == '_');
        let text = if plain {
            format!("$..{name}")
        } else {
            format!("$..['{}']", name.replace('\\', "\\\\").replace('\'', "\\'"))
        };
        Self {
            text,
            segments: vec![Segment { descendant: true, tests: vec![Test::Name(name.into())] }],
        }
    }

    /// As it was written.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The names its last step goes to; `None` where it goes to something else too.
    pub fn last_names(&self) -> Option<Vec<&str>> {
        fn name(test: &Test) -> Option<&str> {
            match test {
                Test::Name(name) => Some(name),
                _ => None,
            }
        }
        self.segments.last()?.tests.iter().map(name).collect()
    }

    /// Its segments, from the root on.
    pub(super) fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// Its form for the automaton.
    pub fn pattern(&self, role: Role) -> Pattern {
        Pattern { segments: self.segments.clone(), role }
    }
}

fn segment(segment: &jsonpath::Segment) -> Result<Segment, SelectorError> {
    let tests =
        |selectors: &[jsonpath::Selector]| selectors.iter().map(test).collect::<Result<_, _>>();
    match segment {
        jsonpath::Segment::Descendant(inner) => match &**inner {
            jsonpath::Segment::Descendant(_) => Err(refused("`..` twice in a row", None)),
            jsonpath::Segment::Selector(selector) => {
                Ok(Segment { descendant: true, tests: vec![test(selector)?] })
            }
            jsonpath::Segment::Selectors(selectors) => {
                Ok(Segment { descendant: true, tests: tests(selectors)? })
            }
        },
        jsonpath::Segment::Selector(selector) => {
            Ok(Segment { descendant: false, tests: vec![test(selector)?] })
        }
        jsonpath::Segment::Selectors(selectors) => {
            Ok(Segment { descendant: false, tests: tests(selectors)? })
        }
    }
}

fn test(selector: &jsonpath::Selector) -> Result<Test, SelectorError> {
    match selector {
        jsonpath::Selector::Name(name) => Ok(Test::Name(name.as_str().into())),
        jsonpath::Selector::Wildcard => Ok(Test::Wildcard),
        jsonpath::Selector::Index(index) => {
            usize::try_from(*index).map(Test::Index).map_err(|_| {
                refused(
                    &format!("[{index}]: an index from the end"),
                    Some("use [*], or an index from the front"),
                )
            })
        }
        jsonpath::Selector::Slice(..) => {
            Err(refused("a slice", Some("use [*] for all elements, or name the indices: [0,1]")))
        }
        jsonpath::Selector::Filter(_) => Err(refused(
            "a filter",
            Some("use [*] for all elements, and `except` for those to leave out"),
        )),
    }
}

fn refused(what: &str, help: Option<&'static str>) -> SelectorError {
    SelectorError { message: format!("{what} cannot be used in a rule's selector"), help }
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
        assert_eq!(last("$['a b','c']"), Some(vec!["a b".to_owned(), "c".to_owned()]));
        assert_eq!(last("$.a[*]"), None);
        assert_eq!(last("$.a[0]"), None);
        assert_eq!(last("$"), None);
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
    fn what_an_automaton_cannot_decide_is_refused_by_name() {
        for (text, part) in [
            ("a.b", "not a JSONPath"),
            ("$[1:3]", "a slice"),
            ("$[?@.a]", "a filter"),
            ("$[-1]", "an index from the end"),
        ] {
            assert!(Selector::parse(text).unwrap_err().message.contains(part), "{text}");
        }
    }
}
