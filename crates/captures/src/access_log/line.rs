//! A line of an access log.

use super::line_pieces::LineFit;
use crate::Logs;
use crate::file_head::contains;
use crate::request_line::split_request;
use crate::shapes::known_formats;
use sundown_text_json::text::Span;

/// Parses a line by the formats of `logs`, or else by the known ones.
pub(crate) fn read<'f>(text: &[u8], logs: &'f Logs<'_>) -> LineFit<'f> {
    let common = std::iter::once_with(|| super::common::read(text));
    let known = known_formats().map(|format| format.read(text));
    let own = logs.formats().map(|format| format.read(text));
    let mut best = LineFit::Not;
    for fit in own.chain(common).chain(known) {
        if matches!(fit, LineFit::Whole(_)) {
            return fit;
        }
        if fit.rank() > best.rank() {
            best = fit;
        }
    }
    best
}

/// Returns whether a line belongs to an access log in a known format.
pub(crate) fn is_common(text: &[u8]) -> bool {
    // A document of many lines has none of these, and each format costs time.
    let requests: [&[u8]; 4] = [b" HTTP/", b"BADREQ", b"\"- ", b"\"-\""];
    let has_request = requests.iter().any(|sign| contains(text, sign)) || has_call(text);
    has_request && matches!(read(text, &Logs::default()), LineFit::Whole(_))
}

/// Returns whether a line of unknown format has a whole request in quotes as a field of its own. Error logs quote requests as
/// well, but with a comma after them.
pub(crate) fn quotes_request(text: &[u8]) -> bool {
    let quotes: Vec<usize> = memchr::memchr_iter(b'"', text)
        .filter(|&at| !super::escapes::is_escaped(text, at))
        .collect();
    quotes.windows(2).any(|pair| {
        let &[open, close] = pair else { return false };
        let request = Span::new(open + 1, close);
        let is_apart = matches!(
            text.get(..open).and_then(<[u8]>::last),
            None | Some(b' ' | b'\t')
        ) && matches!(text.get(close + 1), None | Some(b' ' | b'\t'));
        is_apart
            && contains(request.slice(text), b" HTTP/")
            && split_request(text, request).is_some()
    })
}

/// Returns whether a line of unknown format has a method followed by a path.
pub(crate) fn has_call(text: &[u8]) -> bool {
    let mut words = text.split(|byte| matches!(byte, b' ' | b'"')).peekable();
    while let Some(word) = words.next() {
        if word.len() >= 3
            && word.iter().all(u8::is_ascii_uppercase)
            && words.peek().is_some_and(|target| target.starts_with(b"/"))
        {
            return true;
        }
    }
    false
}

/// Returns whether the last line of a log has fewer fields than the line before it.
pub(crate) fn is_shorter(last: &[u8], before: &[u8]) -> bool {
    super::common::fields_after_request(last) < super::common::fields_after_request(before)
}
