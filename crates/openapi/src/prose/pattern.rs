//! Patterns that are compiled when they are first used.

use std::sync::LazyLock;

use regex::{Captures, Match, Regex};

/// A pattern. Letter case does not matter, except after `(?-i)`.
#[derive(Debug)]
pub(super) struct LazyPattern(LazyLock<Option<Regex>>);

/// Defines patterns: the name of each, and its text.
macro_rules! pattern {
    ($($(#[$attribute:meta])* $name:ident = $text:expr;)+) => {
        $(
            $(#[$attribute])*
            static $name: $crate::prose::pattern::LazyPattern =
                $crate::prose::pattern::LazyPattern::new(|| {
                    $crate::prose::pattern::compiled(&$text)
                });
        )+
    };
}
pub(super) use pattern;

/// Compiles the text of a pattern.
pub(super) fn compiled(text: &str) -> Option<Regex> {
    Regex::new(&format!("(?i){text}")).ok()
}

/// Compiles patterns that are alternatives.
pub(super) fn alternatives(texts: &[impl AsRef<str>]) -> Vec<Regex> {
    texts
        .iter()
        .filter_map(|text| compiled(text.as_ref()))
        .collect()
}

impl LazyPattern {
    pub(super) const fn new(compile: fn() -> Option<Regex>) -> Self {
        Self(LazyLock::new(compile))
    }

    pub(super) fn is_match(&self, text: &str) -> bool {
        self.0
            .as_ref()
            .is_some_and(|pattern| pattern.is_match(text))
    }

    pub(super) fn find_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Match<'t>> {
        self.0
            .iter()
            .flat_map(move |pattern| pattern.find_iter(text))
    }

    /// The end of the first match; 0 if there is none.
    pub(super) fn end(&self, text: &str) -> usize {
        self.0
            .as_ref()
            .and_then(|pattern| pattern.find(text))
            .map_or(0, |found| found.end())
    }

    pub(super) fn captures<'t>(&self, text: &'t str) -> Option<Captures<'t>> {
        self.0.as_ref()?.captures(text)
    }

    pub(super) fn captures_iter<'t>(&self, text: &'t str) -> impl Iterator<Item = Captures<'t>> {
        self.0
            .iter()
            .flat_map(move |pattern| pattern.captures_iter(text))
    }

    /// The text with each match replaced.
    pub(super) fn replaced(&self, text: &str, by: &str) -> String {
        self.0.as_ref().map_or_else(
            || text.to_owned(),
            |found| found.replace_all(text, by).into_owned(),
        )
    }
}
