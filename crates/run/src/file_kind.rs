//! Classifies a file by its beginning, as a check would.

use std::path::Path;

use super::check_options::ending_of;
use sundown_captures::{
    Format, InputFile, Logs, PathOrigin, ReadOptions, Sniffed, beginning, has_exchange,
    is_yaml_description, read, sniff, sniff_head,
};
use sundown_exchange::Record;
use sundown_files::FileAccess;
use sundown_files::Names;
use sundown_text_json::Limits;
use sundown_text_json::text::Block;

/// The number of bytes that classify a file reliably.
pub(super) const CLASSIFIED_BYTES: u64 = 16 << 20;

/// The content of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentKind {
    /// Exchanges, in this format.
    Exchanges(Format),
    /// An API description; whether it marks something as deprecated.
    Description { deprecates: bool },
    /// JSON without exchanges: a body, or anything else.
    Json,
}

/// Classifies a file by its first bytes; `None` if it cannot be read, or has nothing to check.
pub(super) fn classify_file(found: &InputFile, max_bytes: u64) -> Option<ContentKind> {
    let head = beginning(found, &FileAccess::default(), max_bytes).ok()?;
    let block = Block::whole(&head);
    let may_be_yaml = ["yaml", "yml"].contains(&ending_of(found));
    let is_whole = u64::try_from(head.len()).is_ok_and(|length| length < max_bytes);
    let recognised = if is_yaml_description(block, may_be_yaml) {
        Sniffed::Format(Format::OpenApi)
    } else if is_whole {
        sniff(block)
    } else {
        sniff_head(block).unwrap_or(Sniffed::Format(Format::Json))
    };
    let Sniffed::Format(format) = recognised else {
        return None;
    };
    Some(match format {
        Format::OpenApi => ContentKind::Description {
            deprecates: has_marks(&head),
        },
        Format::Ndjson if has_exchange(block, Limits::default(), &Logs::default()) => {
            ContentKind::Exchanges(format)
        }
        Format::Json if is_exchange(block) => ContentKind::Exchanges(format),
        Format::Json | Format::Ndjson | Format::Body => ContentKind::Json,
        format => ContentKind::Exchanges(format),
    })
}

/// Whether the file contains exchanges or an API description.
pub fn holds_traffic(path: &Path) -> bool {
    let found = InputFile::new(path, Names::default().of(path), PathOrigin::Walked);
    classify_file(&found, CLASSIFIED_BYTES).is_some_and(|kind| kind != ContentKind::Json)
}

fn is_exchange(document: Block<'_>) -> bool {
    let mut found = false;
    read(
        document,
        Format::Json,
        &ReadOptions::new(&Logs::default()),
        &mut |record: Record<'_>| found |= matches!(record, Record::Exchange(_)),
    );
    found
}

fn has_marks(description: &[u8]) -> bool {
    let marks = [
        &b"deprecated: true"[..],
        b"deprecated\": true",
        b"deprecated\":true",
    ];
    marks
        .iter()
        .any(|mark| memchr::memmem::find(description, mark).is_some())
}
