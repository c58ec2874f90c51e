//! Files that people write in TOML (rules, configuration): read key by key, with every mistake in them at its place.

mod excerpt;
mod message;
mod mistake;
mod table_reader;

pub use excerpt::{Disclosure, Excerpt};
pub use message::MessageText;
pub use mistake::{FileMistakes, Mistake};
pub use table_reader::{TableReader, WithSpan};

use std::collections::HashSet;

use mistake::MistakeCertainty;

use toml::de::DeTable;

/// Reads a file's keys with `read`, and gives what that makes of them, and all mistakes: its own and those of syntax.
pub fn read_table<R>(text: &str, read: impl FnOnce(TableReader<'_, '_>) -> R) -> (R, Vec<Mistake>) {
    let (document, syntax) = DeTable::parse_recoverable(text);
    let mut mistakes = Vec::new();
    // Something that is missing from the file as a whole is shown at its first line.
    let first_line = 0..text.find('\n').unwrap_or(text.len());
    let result = read(TableReader::new(document.get_ref(), first_line, &mut mistakes));
    let pardoned: HashSet<_> = mistakes
        .extract_if(.., |mistake| mistake.weight == MistakeCertainty::Pardon)
        .map(|mistake| mistake.span)
        .collect();
    let errors: Vec<_> = syntax
        .iter()
        .map(|error| {
            // The parser speaks of signs, and of nothing that stands there.
            let message = MessageText::own(format!("not TOML: {}", error.message()));
            Mistake::new(error.span().unwrap_or(0..0), message)
        })
        .filter(|error| !pardoned.contains(&error.span))
        .collect();
    if !errors.is_empty() {
        keep_certain(text, errors, &mut mistakes);
    }
    (result, mistakes)
}

/// Adds the errors of syntax, and drops what may only follow from them: what is missing, and what stands on their lines.
fn keep_certain(text: &str, errors: Vec<Mistake>, mistakes: &mut Vec<Mistake>) {
    // Either may be on every line.
    let ends: Vec<usize> = memchr::memchr_iter(b'\n', text.as_bytes()).collect();
    let line = |mistake: &Mistake| ends.partition_point(|end| *end < mistake.span.start);
    let broken: HashSet<usize> = errors.iter().map(line).collect();
    mistakes.retain(|mistake| {
        mistake.weight == MistakeCertainty::Certain && !broken.contains(&line(mistake))
    });
    mistakes.extend(errors);
}
