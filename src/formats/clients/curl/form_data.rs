//! The forms that curl's options describe: `--form` (curl's manual) and the data of `--data` and related options.

use memchr::memchr;

use super::words::{ShellWord, UNKNOWN};
use crate::formats::stored_form::StoredForm;
use crate::text::Span;
use crate::traffic::{MappedText, Reason};

/// Adds the part that a value of `--form` describes: `name=content`, `name=@file`, `name=<file`, each with attributes after
/// semicolons. In `--form-string`, the content is everything after the name.
pub(super) fn add_part(form: &mut StoredForm, word: &ShellWord, is_verbatim: bool) {
    let Some(equals) = memchr(b'=', &word.text) else {
        return form.add_unread(Reason::BadEncoding, word.span);
    };
    let name = word.part(0, equals).into_text();
    let start = equals + 1;
    let end = word.text.len();
    let rest = word.text.get(start..).unwrap_or_default();
    match rest.first() {
        _ if is_verbatim => form.add(name, word.part(start, end).into_text()),
        Some(b'@' | b'<') => form.add_file(name),
        // A part of several parts, which has no name, or their end.
        Some(b'(' | b')') if equals == 0 => {}
        Some(b'"') => form.add(name, unquoted(word, start + 1)),
        _ => {
            let end = start + memchr(b';', rest).unwrap_or(rest.len());
            form.add(name, word.part(start, end).into_text());
        }
    }
}

/// The content in quotes that begins at `start`. A backslash escapes a quote or a backslash.
fn unquoted(word: &ShellWord, start: usize) -> MappedText {
    let mut content = ShellWord::default();
    let mut at = start;
    while let Some(&byte) = word.text.get(at) {
        let (byte, length) = match (byte, word.text.get(at + 1)) {
            (b'"', _) => break,
            (b'\\', Some(&escaped @ (b'"' | b'\\'))) => (escaped, 2),
            _ => (byte, 1),
        };
        content.push(&[byte], word.map.outer(Span::new(at, at + length)));
        at += length;
    }
    content.into_text()
}

/// Returns whether data may be that of a form, rather than JSON or XML.
pub(super) fn may_be_form(data: &[u8]) -> bool {
    let is_unknown = data.trim_ascii_start().starts_with(UNKNOWN);
    is_unknown || !matches!(data.trim_ascii_start().first(), Some(b'{' | b'[' | b'"' | b'<'))
}

/// The position of the first field in the data of a form whose name is not known.
pub(super) fn unknown_name(data: &[u8]) -> Option<Span> {
    if !may_be_form(data) {
        return None;
    }
    let mut start = 0;
    for pair in data.split(|&byte| byte == b'&') {
        let name = pair.get(..memchr(b'=', pair).unwrap_or(pair.len())).unwrap_or_default();
        if memchr::memmem::find(name, UNKNOWN).is_some() {
            return Some(Span::new(start, start + name.len()));
        }
        start += pair.len() + 1;
    }
    None
}
