//! The patterns of `patterns.toml`, and what matches them with the sentences of a text.

use std::sync::LazyLock;

use regex::{Captures, Regex};
use toml::de::{DeTable, DeValue};

/// Defines topics, which are compiled when they are first asked for.
macro_rules! topics {
    ($($name:ident: $key:literal,)+) => {
        $(pub(super) static $name: LazyLock<Topic> = LazyLock::new(|| Topic::read($key));)+
    };
}

topics! {
    DEPRECATED: "deprecated",
    SINCE: "since",
    UNTIL: "until",
    REPLACEMENT: "replacement",
    NAME: "name",
    ANNOUNCEMENT: "announcement",
    LAST_VERSION: "last-version",
    PART_OF_CALL: "part-of-call",
    MARKUP: "markup",
    SENTENCE: "sentence",
}

/// The most bytes of a text that are read.
const MAX_READ: usize = 20_000;

/// How many times a word is made of other words.
const MAX_DEPTH: usize = 6;

/// A topic of the file.
#[derive(Debug)]
pub(super) struct Topic {
    hint: Vec<SentencePattern>,
    rewrite: Vec<SentencePattern>,
    unless: Vec<SentencePattern>,
    find: Vec<SentencePattern>,
}

/// A pattern, and the second member of its pair.
#[derive(Debug)]
struct SentencePattern {
    regex: Regex,
    /// What a rewrite puts in its place.
    by: String,
    /// What a sentence must have, too.
    with: Option<Regex>,
}

impl Topic {
    /// Reads a table of the file. A test compiles all patterns, so none is left out here.
    fn read(name: &str) -> Self {
        let (file, _) = DeTable::parse_recoverable(include_str!("patterns.toml"));
        let table = |name: &str| file.get_ref().get(name)?.get_ref().as_table();
        let list = |key: &str| {
            let value = table(name).and_then(|topic| topic.get(key));
            let entries = value.and_then(|value| value.get_ref().as_array());
            let entries = entries.into_iter().flatten();
            let patterns =
                entries.map(|entry| SentencePattern::read(entry.get_ref(), table("words")));
            patterns.flatten().collect()
        };
        Self {
            hint: list("hint"),
            rewrite: list("rewrite"),
            unless: list("unless"),
            find: list("find"),
        }
    }

    /// Whether a text may say something, whatever that is.
    pub(super) fn is_hinted(&self, text: &str) -> bool {
        is_any(&self.hint, text)
    }

    /// Reads the matches in the sentences of a text without markup, until one gives a value.
    pub(super) fn find_map<T>(
        &self,
        text: &str,
        mut read: impl FnMut(&str, &Captures<'_>) -> Option<T>,
    ) -> Option<T> {
        let text = self.rewritten(text.to_owned());
        let sentences = SENTENCE
            .find
            .iter()
            .flat_map(|one| one.regex.find_iter(&text));
        let mut sentences = sentences.map(|sentence| sentence.as_str().trim());
        sentences.find_map(|sentence| {
            if is_any(&self.unless, sentence) {
                return None;
            }
            let applies = |one: &&SentencePattern| {
                one.with.as_ref().is_none_or(|with| with.is_match(sentence))
            };
            self.find.iter().filter(applies).find_map(|one| {
                let mut found = one.regex.captures_iter(sentence);
                found.find_map(|found| read(sentence, &found))
            })
        })
    }

    /// A text after all rewrites.
    fn rewritten(&self, text: String) -> String {
        self.rewrite.iter().fold(text, |text, one| {
            one.regex.replace_all(&text, &one.by).into_owned()
        })
    }
}

impl SentencePattern {
    fn read(entry: &DeValue<'_>, words: Option<&DeTable<'_>>) -> Option<Self> {
        let second = entry.get(1).and_then(|by| by.get_ref().as_str());
        let first = entry.get(0).map_or(entry, |pattern| pattern.get_ref());
        Some(Self {
            regex: compiled(first.as_str()?, words)?,
            by: second.unwrap_or_default().to_owned(),
            with: second.and_then(|with| compiled(with, words)),
        })
    }
}

/// Puts words into a pattern, and compiles it.
fn compiled(pattern: &str, words: Option<&DeTable<'_>>) -> Option<Regex> {
    let mut pattern = format!("(?i){pattern}");
    for _ in 0..MAX_DEPTH {
        for (name, word) in words.into_iter().flatten() {
            let word = word.get_ref().as_str()?;
            pattern = pattern.replace(&format!("{{{}}}", name.get_ref()), word);
        }
    }
    Regex::new(&pattern).ok()
}

fn is_any(patterns: &[SentencePattern], text: &str) -> bool {
    patterns.iter().any(|one| one.regex.is_match(text))
}

/// The text without markup. Names that were set apart are in backticks.
pub(super) fn plain(text: &str) -> String {
    MARKUP.rewritten(beginning(text, MAX_READ).to_owned())
}

/// The text up to a length in bytes, without a part of a character.
pub(super) fn beginning(text: &str, most: usize) -> &str {
    let end = (0..=most.min(text.len()))
        .rev()
        .find(|&end| text.is_char_boundary(end));
    text.get(..end.unwrap_or_default()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pattern_of_the_file_compiles() {
        let file = DeTable::parse(include_str!("patterns.toml")).unwrap();
        let words = file.get_ref().get("words").unwrap().get_ref().as_table();
        for (topic, value) in file.get_ref() {
            for key in ["hint", "rewrite", "unless", "find"] {
                let entries = value
                    .get_ref()
                    .get(key)
                    .and_then(|list| list.get_ref().as_array());
                for entry in entries.into_iter().flatten() {
                    let pattern = SentencePattern::read(entry.get_ref(), words);
                    let has_second = entry.get_ref().get(1).is_some() && key == "find";
                    let is_whole = pattern.is_some_and(|read| read.with.is_some() || !has_second);
                    assert!(is_whole, "{}: {:?}", topic.get_ref(), entry.get_ref());
                }
            }
        }
    }
}
