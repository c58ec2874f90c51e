//! The content of a file in TOML.

use super::key_counts::KeyCounts;
use super::message::MessageText;
use super::mistake::{Mistake, MistakeCertainty};
use super::table_reader::{TableReader, WithSpan};
use std::cell::RefCell;
use std::collections::HashSet;
use toml::de::DeTable;

/// The result of reading a file.
pub struct TomlContent<R> {
    /// The result of the reader.
    pub value: R,
    /// All mistakes, including those of syntax.
    pub mistakes: Vec<Mistake>,
    /// Its keys, counted.
    pub keys: KeyCounts,
}

/// Reads the keys of a file with `read`.
pub fn read_table<R>(text: &str, read: impl FnOnce(TableReader<'_>) -> R) -> TomlContent<R> {
    let (document, syntax) = DeTable::parse_recoverable(text);
    let mistakes = RefCell::default();
    let table = WithSpan {
        value: document.get_ref(),
        // Something that the whole file lacks is shown at its first line.
        span: 0..text.find('\n').unwrap_or(text.len()),
    };
    let value = read(TableReader::new(table, &mistakes));
    let mut mistakes = mistakes.take();
    let keys = KeyCounts::of(document.get_ref(), &mistakes);
    let pardoned: HashSet<_> = mistakes
        .extract_if(.., |mistake| mistake.certainty == MistakeCertainty::Pardon)
        .map(|mistake| mistake.span)
        .collect();
    let errors: Vec<_> = syntax
        .iter()
        .map(|error| {
            // The messages of the parser name characters, but do not quote content.
            let message = MessageText::own(format!("not TOML: {}", error.message()));
            Mistake::new(error.span().unwrap_or(0..0), message)
        })
        .filter(|error| !pardoned.contains(&error.span))
        .collect();
    if !errors.is_empty() {
        keep_certain(text, errors, &mut mistakes);
    }
    TomlContent {
        value,
        mistakes,
        keys,
    }
}

/// Adds syntax errors, and drops mistakes that may only follow from them: those on the same lines, and those about something
/// missing.
fn keep_certain(text: &str, errors: Vec<Mistake>, mistakes: &mut Vec<Mistake>) {
    // Either may be on every line.
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
    let line = |mistake: &Mistake| ends.partition_point(|end| *end < mistake.span.start);
    let broken: HashSet<usize> = errors.iter().map(line).collect();
    mistakes.retain(|mistake| {
        mistake.certainty == MistakeCertainty::Certain && !broken.contains(&line(mistake))
    });
    mistakes.extend(errors);
}
