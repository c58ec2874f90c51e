//! Patterns of JSON Pointers, with which users select positions in bodies.

use std::str::FromStr;

use crate::step_match::matches_steps;
use sundown_text_json::text::is_digits;

/// A JSON Pointer (RFC 6901) in which `*` matches any one step and `**` any number of steps.
///
/// A number matches every index, because findings of all elements of a list are folded into one; it also matches a member
/// of that name. A member that is itself named `*` is written `~2`, as in findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointerPattern(Vec<PatternStep>);

#[derive(Debug, Clone, PartialEq, Eq)]
enum PatternStep {
    /// This name, escaped as in pointers.
    Name(String),
    /// An index, or a member of this name.
    Number(String),
    AnyOne,
    AnyNumber,
}

const NO_SLASH: &str = "a pointer begins with `/`";
const BARE_TILDE: &str = "in a pointer, `~` is written `~0`, and `/` in a name `~1`";
const STAR_IN_NAME: &str = "a step is `*` or `**` alone, or has no `*`";

impl FromStr for PointerPattern {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        text.strip_prefix('/')
            .ok_or(NO_SLASH)?
            .split('/')
            .map(PatternStep::parse)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl PatternStep {
    fn parse(text: &str) -> Result<Self, &'static str> {
        let tildes = text.split('~').skip(1);
        if tildes
            .into_iter()
            .any(|after| !after.starts_with(['0', '1', '2']))
        {
            return Err(BARE_TILDE);
        }
        match text {
            "*" => Ok(Self::AnyOne),
            "**" => Ok(Self::AnyNumber),
            _ if text.contains('*') => Err(STAR_IN_NAME),
            _ if is_digits(text) => Ok(Self::Number(text.to_owned())),
            _ => Ok(Self::Name(text.to_owned())),
        }
    }

    fn matches(&self, step: &str) -> bool {
        match self {
            Self::Name(name) => name == step,
            Self::Number(number) => step == "*" || number == step,
            Self::AnyOne | Self::AnyNumber => true,
        }
    }
}

impl PointerPattern {
    /// Returns whether it matches a pointer in which indices are starred.
    pub fn matches(&self, starred: &str) -> bool {
        let steps: Vec<&str> = starred.split('/').skip(1).collect();
        let is_open = |step: &PatternStep| *step == PatternStep::AnyNumber;
        matches_steps(&self.0, &steps, is_open, |own, step| own.matches(step))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, starred: &str) -> bool {
        pattern.parse::<PointerPattern>().unwrap().matches(starred)
    }

    #[test]
    fn a_pattern_matches_the_positions_that_it_names() {
        for (pattern, starred) in [
            ("/a/*/b", "/a/*/b"),
            ("/a/0/b", "/a/*/b"),
            ("/a/17/b", "/a/17/b"),
            ("/a/*/b", "/a/name/b"),
            ("/**", ""),
            ("/**", "/a/b"),
            ("/**/b", "/b"),
            ("/**/b", "/b/b/*/b"),
            ("/a/**/b/*", "/a/b/c/b/d"),
            ("/a~1b/~2", "/a~1b/~2"),
            ("/", "/"),
        ] {
            assert!(matches(pattern, starred), "{pattern} {starred}");
        }
        for (pattern, starred) in [
            ("/a", "/a/b"),
            ("/a", ""),
            ("/a/*", "/a"),
            ("/a/0", "/a/1"),
            ("/a/b", "/a/*"),
            ("/~2", "/*"),
            ("/a/**/b", "/a/c"),
            ("/", ""),
        ] {
            assert!(!matches(pattern, starred), "{pattern} {starred}");
        }
    }

    #[test]
    fn an_invalid_pattern_is_explained() {
        for (text, error) in [
            ("a/b", NO_SLASH),
            ("", NO_SLASH),
            ("/a~b", BARE_TILDE),
            ("/a/b*", STAR_IN_NAME),
            ("/***", STAR_IN_NAME),
        ] {
            assert_eq!(text.parse::<PointerPattern>(), Err(error), "{text}");
        }
    }

    /// Matches by trying every possibility.
    fn naive(tokens: &[PatternStep], steps: &[&str]) -> bool {
        match tokens.split_first() {
            None => steps.is_empty(),
            Some((PatternStep::AnyNumber, rest)) => {
                (0..=steps.len()).any(|taken| naive(rest, &steps[taken..]))
            }
            Some((token, rest)) => steps
                .split_first()
                .is_some_and(|(step, steps)| token.matches(step) && naive(rest, steps)),
        }
    }

    proptest! {
        #[test]
        fn it_matches_what_trying_everything_matches(
            pattern in "(/(a|b|0|\\*|\\*\\*)){1,6}", starred in "(/(a|b|\\*)){0,7}"
        ) {
            let tokens = pattern.parse::<PointerPattern>().unwrap();
            let steps: Vec<&str> = starred.split('/').skip(1).collect();
            prop_assert_eq!(tokens.matches(&starred), naive(&tokens.0, &steps));
        }
    }
}
