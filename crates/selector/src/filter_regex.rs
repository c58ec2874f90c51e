//! The regular expressions of filters. Each is compiled once, because a filter may run on every value of a body.

use jsonpath_rust::parser::model::{FnArg, Literal, TestFunction};
use regex::{Regex, RegexBuilder};

use super::filter_error::FilterError;

/// The maximum number of regular expressions of a selector. Each may take a mebibyte.
pub(super) const MAX_REGEXES: usize = 16;

/// A compiled regular expression.
#[derive(Debug, Clone)]
pub(super) struct FilterRegex {
    function: TestFunction,
    regex: Regex,
}

/// The maximum size of a compiled expression in bytes. The time to match a text grows with it.
const MAX_BYTES: usize = 1 << 20;

pub(super) const FROM_BODY: FilterError = FilterError {
    what: "a regular expression that the rule does not spell out",
    help: "one that comes from a body could be anything; write it in quotes",
};
pub(super) const MISTAKEN: FilterError = FilterError {
    what: "a regular expression with a mistake in it",
    help: "expressions are I-Regexp (RFC 9485), in quotes",
};
const TOO_LARGE: FilterError = FilterError {
    what: "a regular expression that is too large",
    help: "repeat less: {1,1000} means a thousand copies of the repeated part",
};

impl FilterRegex {
    /// Compiles the pattern of `match`, which must match all of a text, or of `search`, which must match any part.
    pub(super) fn new(function: &TestFunction, pattern: &FnArg) -> Result<Self, FilterError> {
        let pattern = match pattern {
            FnArg::Literal(Literal::String(pattern)) => translated(pattern),
            FnArg::Literal(_) => return Err(MISTAKEN),
            FnArg::Test(_) | FnArg::Filter(_) => return Err(FROM_BODY),
        };
        let mut regex = made(&pattern)?;
        if let TestFunction::Match(..) = function {
            regex = made(&format!("^(?:{pattern})$"))?;
        }
        Ok(Self {
            function: function.clone(),
            regex,
        })
    }

    /// Whether it is the expression of this function.
    pub(super) fn is_of(&self, function: &TestFunction) -> bool {
        self.function == *function
    }

    /// Whether it matches a text.
    pub(super) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

fn made(pattern: &str) -> Result<Regex, FilterError> {
    RegexBuilder::new(pattern)
        .size_limit(MAX_BYTES)
        .build()
        .map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => TOO_LARGE,
            _ => MISTAKEN,
        })
}

/// Translates an I-Regexp to the syntax of `regex`, whose dot also matches a carriage return (RFC 9485, section 5.3).
fn translated(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut is_escaped = false;
    let mut in_class = false;
    for letter in pattern.chars() {
        match letter {
            '.' if !is_escaped && !in_class => translated.push_str(r"[^\n\r]"),
            _ => translated.push(letter),
        }
        if !is_escaped {
            in_class = letter == '[' || in_class && letter != ']';
        }
        is_escaped = letter == '\\' && !is_escaped;
    }
    translated
}

#[cfg(test)]
mod tests {
    use super::*;

    type Function = fn(FnArg, FnArg) -> TestFunction;

    fn made(pattern: &str, function: Function) -> Result<FilterRegex, FilterError> {
        let pattern = FnArg::Literal(Literal::String(pattern.to_owned()));
        let subject = FnArg::Literal(Literal::Null);
        FilterRegex::new(&function(subject, pattern.clone()), &pattern)
    }

    fn fits(pattern: &str, function: Function, text: &str) -> bool {
        made(pattern, function).unwrap().is_match(text)
    }

    #[test]
    fn a_whole_text_is_matched_and_a_part_searched() {
        for (pattern, text, whole, part) in [
            ("a|b", "ab", false, true),
            ("a.c", "abc", true, true),
            ("a.c", "a\rc", false, false),
            (r"a\.c", "abc", false, false),
            (r"a[.\]]c", "a.c", true, true),
            (r"a[.\]]c", "axc", false, false),
            (r"\\.", "\\x", true, true),
            ("", "", true, true),
        ] {
            assert_eq!(
                fits(pattern, TestFunction::Match, text),
                whole,
                "{pattern} {text:?}"
            );
            assert_eq!(
                fits(pattern, TestFunction::Search, text),
                part,
                "{pattern} {text:?}"
            );
        }
    }

    #[test]
    fn what_is_mistaken_or_too_large_is_refused() {
        for (pattern, refused) in [
            ("(", MISTAKEN),
            ("a)|(b", MISTAKEN),
            ("(.{1,999}){1,999}", TOO_LARGE),
        ] {
            let made = made(pattern, TestFunction::Match);
            assert_eq!(made.map(|_| ()), Err(refused), "{pattern}");
        }
    }
}
