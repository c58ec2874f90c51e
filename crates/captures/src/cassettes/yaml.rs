//! Cassettes in YAML, read item by item.

use std::ops::ControlFlow;

use super::list;
use super::recorder::{CassetteReader, Recorder, truncated};
use crate::yaml::{detail, reason};
use sundown_exchange::{Reason, Skip};
use sundown_text_json::json::{
    Document, DocumentError, DocumentErrorKind, DocumentFormat, Node, SyntaxErrorKind, ValueKind,
    valid_prefix,
};
use sundown_text_json::text::Span;

/// Identifies the recorder by the list's key and the first interaction's key for the URL.
pub(super) fn recorder(bytes: &[u8], start: usize) -> Option<Recorder> {
    list::recorder_of(bytes, list::find(bytes, start)?)
}

pub(super) fn read(cassette: &mut CassetteReader<'_, '_>, start: usize) {
    let list = list::find(cassette.file, start);
    let Some((list, block)) = list.and_then(|list| Some((list, list.block?))) else {
        return whole(cassette, start);
    };
    let items = list::items(cassette.file, block);
    let first = items
        .spans
        .first()
        .map(|span| span.slice(cassette.file))
        .unwrap_or_default();
    let ends = match items.marked {
        true if cassette.recorder != Recorder::GoVcr => CassetteEnd::Sure,
        _ if list.marked => CassetteEnd::Unsure,
        _ => CassetteEnd::without_mark(cassette.recorder, first),
    };
    if let Some(at) = items.further {
        let further = Skip::at(Reason::InvalidYaml, Span::new(at, cassette.file.len()));
        cassette.skip(further.because("a further document behind the first"));
    }
    let count = items.spans.len();
    let mut reader = ItemReader {
        cassette,
        start,
        shared: None,
    };
    for (index, &span) in items.spans.iter().enumerate() {
        let end = if index + 1 == count {
            ends
        } else {
            CassetteEnd::Sure
        };
        if reader.item(index, span, end).is_break() {
            return;
        }
    }
    rest(cassette, ends);
}

/// The evidence that the file is complete.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CassetteEnd {
    /// The list is followed by the text that recorders write last.
    Sure,
    /// The recorder, or a serializer of the team's own, writes nothing after the list.
    Unsure,
    /// The text that recorders write last is missing.
    Missing,
}

impl CassetteEnd {
    /// The evidence by the first item, if no mark is before or after the list.
    fn without_mark(recorder: Recorder, first: &[u8]) -> Self {
        match recorder {
            Recorder::GoVcr => Self::Unsure,
            _ if !list::is_as_recorded(first, recorder) => Self::Unsure,
            _ => Self::Missing,
        }
    }
}

/// Reports that nothing, or not enough, follows the items.
fn rest(cassette: &mut CassetteReader<'_, '_>, end: CassetteEnd) {
    let length = cassette.file.len();
    let is_cut = match end {
        CassetteEnd::Sure => false,
        CassetteEnd::Missing => true,
        CassetteEnd::Unsure => !cassette.file.ends_with(b"\n"),
    };
    if is_cut {
        cassette.skip(truncated(Span::new(length, length)));
    }
}

/// Reads the items of a cassette one by one.
struct ItemReader<'c, 'a, 's> {
    cassette: &'c mut CassetteReader<'a, 's>,
    /// The offset of the cassette's text.
    start: usize,
    /// The whole cassette, as soon as an item needs it.
    shared: Option<AnchoredCassette>,
}

impl ItemReader<'_, '_, '_> {
    /// Reads one item, as a list of one. It breaks off if the file ends inside the item, which has been reported.
    fn item(&mut self, index: usize, span: Span, end: CassetteEnd) -> ControlFlow<()> {
        let Self {
            cassette,
            start,
            shared,
        } = self;
        let written = span.slice(cassette.file);
        if end != CassetteEnd::Sure
            && !list::is_whole(written, cassette.recorder)
            && !has_last_member(cassette, written)
        {
            cassette.skip(truncated(span));
            return ControlFlow::Break(());
        }
        let (text, cut) = valid_prefix(written);
        if let Some(cut) = cut {
            cassette.skip(Skip::broken(cut, span));
            let is_end = cut.kind == SyntaxErrorKind::UnexpectedEnd && end != CassetteEnd::Sure;
            return if is_end {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            };
        }
        match Document::parse_within(text, DocumentFormat::Yaml, cassette.limits.bounds()) {
            Ok(document) => {
                let interaction = document.root().element(0).unwrap_or(document.root());
                cassette.interaction(index, interaction, span.start);
            }
            Err(error) if error.kind == DocumentErrorKind::UnknownAnchor => {
                let shared = shared.get_or_insert_with(|| AnchoredCassette::read(cassette, *start));
                match shared.interaction(cassette, index) {
                    Some(interaction) => cassette.interaction(index, interaction, *start),
                    None => cassette.skip(refused(&shared.reason(error), span)),
                }
            }
            // The file ends within the last line.
            Err(_) if end != CassetteEnd::Sure && !written.ends_with(b"\n") => {
                cassette.skip(truncated(span));
                return ControlFlow::Break(());
            }
            Err(error) => cassette.skip(refused(&error, span)),
        }
        ControlFlow::Continue(())
    }
}

/// Returns whether the complete lines of an item have the member that the recorder writes last, in any style of YAML. If another
/// tool wrote the item, a response is enough.
fn has_last_member(cassette: &CassetteReader<'_, '_>, item: &[u8]) -> bool {
    let lines = std::str::from_utf8(list::whole_lines(item)).unwrap_or_default();
    let bounds = cassette.limits.bounds();
    let Ok(document) = Document::parse_within(lines, DocumentFormat::Yaml, bounds) else {
        return false;
    };
    let interaction = document.root().element(0);
    interaction
        .and_then(|interaction| interaction.get("response"))
        .is_some_and(|response| match cassette.recorder {
            Recorder::Vcr if list::is_as_recorded(item, Recorder::Vcr) => false,
            Recorder::Vcr if response.kind() == ValueKind::Null => !response.raw().is_empty(),
            Recorder::Vcr => response.get("status").is_some() && response.get("body").is_some(),
            Recorder::Vcrpy => response
                .get("status")
                .is_some_and(|status| status.get("message").is_some()),
            // Only the duration follows, which hands leave out.
            Recorder::GoVcr => response.get("code").is_some(),
        })
}

/// The whole cassette, for items with anchors in other items; or the reason why it cannot be parsed, if it is text.
struct AnchoredCassette(Result<Document<'static>, Option<DocumentError>>);

impl AnchoredCassette {
    fn read(cassette: &CassetteReader<'_, '_>, start: usize) -> Self {
        let (text, cut) = valid_prefix(cassette.file.get(start..).unwrap_or_default());
        if cut.is_some() {
            return Self(Err(None));
        }
        let document = Document::parse_within(text, DocumentFormat::Yaml, cassette.limits.bounds());
        Self(document.map(Document::into_owned).map_err(Some))
    }

    /// The reason why an item with this error cannot be read. If all items together expand too far, that is the better
    /// reason.
    fn reason(&self, own: DocumentError) -> DocumentError {
        match &self.0 {
            Err(Some(DocumentError {
                kind: kind @ DocumentErrorKind::TooManyAliases(_),
                ..
            })) => DocumentError {
                kind: kind.clone(),
                ..own
            },
            _ => own,
        }
    }

    fn interaction(&self, cassette: &CassetteReader<'_, '_>, index: usize) -> Option<Node<'_>> {
        self.0
            .as_ref()
            .ok()?
            .root()
            .get(cassette.recorder.list())?
            .element(index)
    }
}

/// A cassette whose list is not written line by line.
fn whole(cassette: &mut CassetteReader<'_, '_>, start: usize) {
    let all = Span::new(start, cassette.file.len());
    let (text, cut) = valid_prefix(all.slice(cassette.file));
    if let Some(cut) = cut {
        return cassette.skip(Skip::broken(cut, all));
    }
    let document =
        match Document::parse_within(text, DocumentFormat::Yaml, cassette.limits.bounds()) {
            Ok(document) => document,
            Err(error) if error.offset >= text.trim_end().len() => {
                return cassette.skip(truncated(all));
            }
            Err(error) => return cassette.skip(refused(&error, all)),
        };
    match document.root().get(cassette.recorder.list()) {
        // The list that should follow is cut off.
        Some(list) if list.kind() != ValueKind::Array => cassette.skip(truncated(all)),
        Some(list) => {
            for (index, interaction) in list.children().enumerate() {
                cassette.interaction(index, interaction, start);
            }
        }
        None => cassette.skip(Skip::at(Reason::NoExchange, all)),
    }
}

/// Returns the skip for a piece that is not YAML, or for YAML that is not supported.
fn refused(error: &DocumentError, piece: Span) -> Skip {
    let reason = reason(error);
    let at = (piece.start + error.offset).min(piece.end);
    Skip {
        bytes: piece.len(),
        ..Skip::at(reason, Span::new(at, piece.end))
    }
    .because(detail(error))
}
