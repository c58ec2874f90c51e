//! Recognises the formats of files as a check does, without checking them.

use std::io::Read;

use super::check_options::CheckOptions;
use sundown_captures::{
    BlockReader, Buffer, Chunk, Format, Gauge, InputFile, LargeFiles, Sniffed, Task, has_exchange,
};
use sundown_exchange::Reason;
use sundown_text_json::text::Block;

/// A file, and its format or the reason why it has none.
#[derive(Debug)]
pub struct RecognisedFile {
    /// The name in reports.
    pub name: String,
    /// The format, or why there is none.
    pub format: Result<Format, Reason>,
    /// The name of its compression.
    pub compression: Option<&'static str>,
}

/// Recognises all files that the options name, by as much of their beginnings as that takes.
pub fn recognise_files(
    options: &CheckOptions<'_>,
    stdin: &mut (dyn Read + Send),
) -> Vec<RecognisedFile> {
    let found = options.discover();
    let passed_over = found.passed_over.iter().map(|path| RecognisedFile {
        name: path.name.shown.to_string(),
        format: Err(path.skip.reason),
        compression: None,
    });
    let files = found.files.iter();
    passed_over
        .chain(files.map(|file| recognise(options, file, stdin)))
        .collect()
}

pub(super) fn recognise(
    options: &CheckOptions<'_>,
    found: &InputFile,
    stdin: &mut (dyn Read + Send),
) -> RecognisedFile {
    let gauge = Gauge::default();
    let files = std::slice::from_ref(found);
    let large = LargeFiles {
        decide: &|found, head| options.decide(found, head),
        is_searched: &|_| false,
    };
    let feed = BlockReader::new(
        files,
        &options.access,
        stdin,
        large,
        &options.logs,
        options.settings.limits,
        &gauge,
    );
    let first = match feed.next(&mut Buffer::default()) {
        Some(Task::Files(mut batch, _)) => batch.open(Buffer::default()),
        _ => None,
    };
    let work = first.or_else(|| match feed.next(&mut Buffer::default()) {
        Some(Task::Chunk(work)) => Some(work),
        _ => None,
    });
    let compression = work.as_ref().and_then(|work| work.compression);
    let sniffed = match work.map(|work| work.chunk) {
        None => Sniffed::Empty,
        Some(Chunk::Whole(buffer)) => recognise_text(options, found, buffer.block()),
        Some(Chunk::Not(reason, _, detail)) => Sniffed::Not(reason, detail),
        Some(Chunk::TooLarge { .. }) => Sniffed::Not(Reason::TooLarge, None),
        Some(chunk) => chunk.format().map_or(Sniffed::Empty, Sniffed::Format),
    };
    let format = match sniffed {
        Sniffed::Format(format) => Ok(format),
        Sniffed::Empty => Err(Reason::Empty),
        Sniffed::Not(reason, _) => Err(reason),
    };
    RecognisedFile {
        name: found.name.shown.to_string(),
        format,
        compression,
    }
}

/// Recognises the format of a whole file by its content.
pub(super) fn recognise_text(
    options: &CheckOptions<'_>,
    found: &InputFile,
    text: Block<'_>,
) -> Sniffed {
    options.with_hints(found, |hints| match hints.choose(text) {
        // Lines without an exchange are a body of several values.
        Sniffed::Format(Format::Ndjson)
            if options.format.is_none()
                && !has_exchange(text, options.settings.limits, &hints.logs) =>
        {
            Sniffed::Format(Format::Body)
        }
        sniffed => sniffed,
    })
}
