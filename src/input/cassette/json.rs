//! Cassettes in JSON, as vcrpy, VCR and betamax write them: each interaction is cut out by its brackets.

use std::ops::ControlFlow;

use super::{Recorder, Tape, truncated};
use crate::document::scan::{self, Break};
use crate::document::{Document, Format, MAX_DOCUMENT_DEPTH, earliest, mend, string, valid_prefix};
use crate::exchange::{Reason, Skip};
use crate::input::formats::Look;
use crate::source::Span;

/// Whose it is: the list's key, and what the first interaction calls the URL.
pub(super) fn recorder(look: &Look<'_>) -> Option<Recorder> {
    if let Some(open) = look.at("http_interactions", b'[') {
        let is_one =
            first_request(look.bytes, open).is_none_or(|keys| keys.contains(&"uri".into()));
        return is_one.then_some(Recorder::Vcr);
    }
    let keys = first_request(look.bytes, look.at("interactions", b'[')?)?;
    [Recorder::Vcrpy, Recorder::GoVcr]
        .into_iter()
        .find(|recorder| keys.iter().any(|key| key == recorder.url()))
}

/// The keys of the first interaction's request.
fn first_request(bytes: &[u8], open: usize) -> Option<Vec<String>> {
    let first = scan::skip_whitespace(bytes, open + 1);
    let request = member(bytes, first, "request")?;
    let keys = scan::keys(bytes, request).map(|(key, _)| string::decode_bytes(bytes, key));
    Some(keys.map(std::borrow::Cow::into_owned).collect())
}

/// Where the value of this key begins, in the object that begins at `open`.
fn member(bytes: &[u8], open: usize, name: &str) -> Option<usize> {
    if bytes.get(open) != Some(&b'{') {
        return None;
    }
    let mut keys = scan::keys(bytes, open);
    keys.find(|(key, _)| string::decode_bytes(bytes, *key) == name).map(|(_, value)| value)
}

pub(super) fn read(tape: &mut Tape<'_, '_>, start: usize) {
    let file = tape.file;
    let list = member(file, start, tape.recorder.list());
    if let Some(open) = list.filter(|&at| file.get(at) == Some(&b'['))
        && interactions(tape, open).is_break()
    {
        return;
    }
    // The object around the list.
    match scan::value(file, start) {
        Ok(root) if scan::skip_whitespace(file, root.end) < file.len() => {
            tape.skip(Skip::broken_off(Break::Malformed(root.end), file.len()));
        }
        Ok(root) if list.is_none() => tape.skip(Skip::at(Reason::NoExchange, root)),
        Ok(_) => {}
        Err(Break::Truncated(_)) => {
            tape.skip(Skip::broken_off(Break::Truncated(file.len()), file.len()));
        }
        Err(at) => tape.skip(Skip::broken_off(at, file.len())),
    }
}

/// Reads the list's elements; it breaks where nothing that follows can be read, which has been told.
fn interactions(tape: &mut Tape<'_, '_>, open: usize) -> ControlFlow<()> {
    let file = tape.file;
    for (index, element) in scan::elements(file, open).enumerate() {
        match element {
            Ok(span) => interaction(tape, index, span),
            Err(Break::Truncated(start)) if start < file.len() => {
                rest(tape, index, Span::new(start, file.len()));
                return ControlFlow::Break(());
            }
            Err(at) => {
                tape.skip(Skip::broken_off(at, file.len()));
                return ControlFlow::Break(());
            }
        }
    }
    ControlFlow::Continue(())
}

fn interaction(tape: &mut Tape<'_, '_>, index: usize, span: Span) {
    let (text, cut) = valid_prefix(span.slice(tape.file));
    if let Some(cut) = cut {
        return tape.skip(Skip::broken(cut, span));
    }
    match Document::parse(text, Format::Json) {
        Ok(document) => tape.interaction(index, document.root(), span.start),
        Err(_) => match mend(text, tape.depth()) {
            Some(mended) => tape.skip(Skip::broken(mended.error, span)),
            None => tape.skip(Skip::at(Reason::InvalidJson, span)),
        },
    }
}

/// The last interaction, which does not end: what is whole of it is read.
fn rest(tape: &mut Tape<'_, '_>, index: usize, rest: Span) {
    let start = scan::skip_whitespace(tape.file, rest.start);
    let rest = Span::new(start, rest.end);
    let (text, cut) = valid_prefix(rest.slice(tape.file));
    let Some(mended) = mend(text, tape.depth()) else { return tape.skip(truncated(rest)) };
    let error = earliest(text, Some(mended.error), cut).unwrap_or(mended.error);
    let lost = rest.len() - mended.cut;
    tape.skip(Skip { bytes: lost, ..Skip::broken(error, rest) });
    if let Ok(document) = Document::parse(mended.text, Format::Json)
        && tape.is_call(document.root())
    {
        tape.interaction(index, document.root(), start);
    }
}

impl Tape<'_, '_> {
    fn depth(&self) -> usize {
        self.limits.depth.min(MAX_DOCUMENT_DEPTH)
    }

    /// Whether there is enough of an interaction to know what is called.
    fn is_call(&self, interaction: crate::document::Value<'_>) -> bool {
        interaction.get("request").is_some_and(|request| request.get(self.recorder.url()).is_some())
    }
}
