//! Patterns of JSON Pointers, with which users select positions in bodies.

use std::str::FromStr;

use crate::step_match::matches_steps;
use sundown_text_json::text::is_digits;

/// A JSON Pointer (RFC 6901) in which `*` matches any one step and `**` any number of steps.
///
/// A number matches every index, because findings of all elements of a list are folded into one; it also matches a member
/// of that name. A member that is itself named `*` is written `~2`, as in findings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PointerPattern(Vec<String>);

const NO_SLASH: &str = "a pointer begins with `/`";
const BARE_TILDE: &str = "in a pointer, `~` is written `~0`, and `/` in a name `~1`";
const STAR_IN_NAME: &str = "a step is `*` or `**` alone, or has no `*`";

impl FromStr for PointerPattern {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let steps = text.strip_prefix('/').ok_or(NO_SLASH)?.split('/');
        for step in steps.clone() {
            let mut tildes = step.split('~').skip(1);
            if tildes.any(|after| !after.starts_with(['0', '1', '2'])) {
                return Err(BARE_TILDE);
            }
            if step.contains('*') && !matches!(step, "*" | "**") {
                return Err(STAR_IN_NAME);
            }
        }
        Ok(Self(steps.map(str::to_owned).collect()))
    }
}

impl PointerPattern {
    /// Returns whether it matches a pointer in which indices are starred.
    pub fn matches(&self, starred: &str) -> bool {
        let steps: Vec<&str> = starred.split('/').skip(1).collect();
        matches_steps(
            &self.0,
            &steps,
            |own| own == "**",
            |own, step| fits(own, step),
        )
    }
}

/// Returns whether a part of a pattern matches a step.
fn fits(own: &str, step: &str) -> bool {
    own == step || own == "*" || step == "*" && is_digits(own)
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
    fn naive(pattern: &[String], steps: &[&str]) -> bool {
        match pattern.split_first() {
            None => steps.is_empty(),
            Some((own, rest)) if own == "**" => {
                (0..=steps.len()).any(|taken| naive(rest, &steps[taken..]))
            }
            Some((own, rest)) => steps
                .split_first()
                .is_some_and(|(step, steps)| fits(own, step) && naive(rest, steps)),
        }
    }

    proptest! {
        #[test]
        fn it_matches_what_trying_everything_matches(
            pattern in "(/(a|b|0|\\*|\\*\\*)){1,6}", starred in "(/(a|b|\\*)){0,7}"
        ) {
            let pattern = pattern.parse::<PointerPattern>().unwrap();
            let steps: Vec<&str> = starred.split('/').skip(1).collect();
            prop_assert_eq!(pattern.matches(&starred), naive(&pattern.0, &steps));
        }
    }
}
