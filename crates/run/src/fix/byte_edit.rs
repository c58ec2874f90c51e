//! The bytes of a file that the edit of a rule changes.
//!
//! A key may be written in a JSON document, in a YAML one, in a form, or in a JSON text that is itself a string of another document,
//! with one level of backslashes more for each. Old and new texts consist of characters that all of these write as they are, so that
//! an edit replaces just these bytes, whatever is around them. What would need escapes is refused.

use thiserror::Error;

use sundown_exchange::CallPiece;
use sundown_lint::findings::{Finding, ReplacementState};
use sundown_lint::rules::{Edit, ElementPart, RuleFix, ValueTest};
use sundown_text_json::json::scan;
use sundown_text_json::text::Span;

/// Bytes of a file, and what takes their place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ByteEdit {
    /// Where the bytes begin.
    pub start: usize,
    /// Where they end.
    pub end: usize,
    /// What takes their place.
    pub new: String,
}

impl ByteEdit {
    pub(super) fn span(&self) -> Span {
        Span::new(self.start, self.end)
    }
}

/// Why a use is left as it is. The message follows the edit.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum EditRefusal {
    /// The edit may change the meaning.
    #[error("it may change the meaning: `--fix unsafe` does it")]
    Unsafe,
    /// A person has to make it, for this reason.
    #[error("{0}: by hand")]
    ByHand(&'static str),
    /// The place is recorded traffic, which is evidence.
    #[error("{0}: record it again")]
    Recorded(&'static str),
    /// The object has a member with the new name.
    #[error("`{0}` is there, too: by hand")]
    Present(String),
    /// It is not known whether the object has a member with the new name.
    #[error("whether the new name is there already is not known: by hand")]
    Unsearched,
    /// The file has escapes, a template or something else in its place.
    #[error("the file writes it in another way: by hand")]
    WrittenOtherwise,
    /// The new text would need escapes.
    #[error("the new text would have to be escaped: by hand")]
    NeedsEscapes,
    /// Another part of a stub names what the edit takes away.
    #[error("`{0}` of the same stub names it, too: by hand")]
    NamedBeside(String),
    /// A patch has only files of the project.
    #[error("the file is outside of the project, and so of the patch: `--write` changes it")]
    OutsideProject,
    /// The changed file would have another finding, of this rule.
    #[error("the changed file would have a finding of `{0}`: by hand")]
    Finding(String),
    /// Something in the changed file could not be checked.
    #[error("the changed file could not be checked: by hand")]
    Unchecked,
    /// The version in git lacks other changes of the file.
    #[error("the file has changes that are not committed: commit them, or add --allow-dirty")]
    Uncommitted,
    /// The file cannot be written.
    #[error("{0}")]
    System(String),
}

/// The change of bytes that makes an edit of a finding's rule.
pub(super) fn byte_edit(
    file: &[u8],
    finding: &Finding,
    fix: &RuleFix,
) -> Result<ByteEdit, EditRefusal> {
    let found = &finding.found;
    if found.shown.in_other_file {
        return Err(EditRefusal::ByHand("another file has the body"));
    }
    if found.shown.encoded {
        return Err(EditRefusal::ByHand("the body is encoded"));
    }
    let element = &finding.rule.element;
    let name = element.name().ok_or(EditRefusal::WrittenOtherwise)?;
    let key = plain_text(file, found.span, name, &element.part);
    let key = key.ok_or(EditRefusal::WrittenOtherwise)?;
    match &fix.edit {
        Edit::Rename(new) => match finding.replacement {
            ReplacementState::Present | ReplacementState::Null => {
                Err(EditRefusal::Present(new.clone()))
            }
            ReplacementState::Unknown => Err(EditRefusal::Unsearched),
            ReplacementState::Absent => {
                let is_quoted = key.len() < found.span.len();
                let is_text = is_quoted || ScalarKind::of(new.as_bytes()) == ScalarKind::Text;
                let may = is_plain(new) && is_text;
                may.then(|| replace(key, new))
                    .ok_or(EditRefusal::NeedsEscapes)
            }
        },
        Edit::Set(new) => {
            let test = element.value.as_ref();
            let old = test
                .and_then(|test| value_after(file, key.end, test, &element.part))
                .ok_or(EditRefusal::WrittenOtherwise)?;
            if !is_plain(new) {
                return Err(EditRefusal::NeedsEscapes);
            }
            let kind = ScalarKind::of(old.span.slice(file));
            if !old.is_quoted && kind != ScalarKind::of(new.as_bytes()) {
                return Err(EditRefusal::ByHand("the new value has another type"));
            }
            Ok(replace(old.span, new))
        }
        Edit::Remove => member_around(file, key),
    }
}

/// The file with the changes, which are in order and apart from each other.
pub(super) fn apply(old: &[u8], changes: &[ByteEdit]) -> Vec<u8> {
    let mut new = Vec::with_capacity(old.len());
    let mut done = 0;
    for change in changes {
        new.extend_from_slice(old.get(done..change.start).unwrap_or_default());
        new.extend_from_slice(change.new.as_bytes());
        done = change.end;
    }
    new.extend_from_slice(old.get(done..).unwrap_or_default());
    new
}

/// Where a file may list a parameter of the call with the URL at an offset: its name in quotes, before `:` or `=`, or after `name:`.
/// From the URL to the end of the record, or to the next of the URLs.
pub(super) fn listed_names(file: &[u8], at: usize, urls: &[CallPiece], name: &str) -> Vec<Span> {
    let number = urls.partition_point(|url| url.span.start <= at);
    let Some(own) = number.checked_sub(1).and_then(|own| urls.get(own)) else {
        return Vec::new();
    };
    let next = urls.get(number).map(|url| url.span.start);
    let end = own.record_end.or(next).unwrap_or(file.len());
    let text = file.get(..end).unwrap_or_default();
    let rest = text.get(own.span.end..).unwrap_or_default();
    let found = memchr::memmem::find_iter(rest, name).map(|at| own.span.end + at);
    let spans = found.map(|start| Span::new(start, start + name.len()));
    spans
        .filter(|span| {
            let before = text.get(..span.start).unwrap_or_default();
            let begins = before
                .last()
                .is_some_and(|byte| b" \t\n\"'~?&=".contains(byte));
            begins
                && match text.get(span.end) {
                    Some(b'"' | b'\'' | b':' | b'=') => true,
                    Some(b'\r' | b'\n') | None => before.trim_ascii_end().ends_with(b"name:"),
                    _ => false,
                }
        })
        .collect()
}

pub(super) fn replace(span: Span, new: &str) -> ByteEdit {
    ByteEdit {
        start: span.start,
        end: span.end,
        new: new.to_owned(),
    }
}

/// Whether JSON, YAML, forms, URLs and shells all write a text as it is.
fn is_plain(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphanumeric() || c == '_')
        && text
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | '/'))
}

/// What JSON or YAML reads a text without quotes as.
#[derive(Debug, PartialEq, Eq)]
enum ScalarKind {
    Text,
    Number,
    /// A truth value, or none.
    Word,
}

impl ScalarKind {
    fn of(text: &[u8]) -> Self {
        let text = text.to_ascii_lowercase();
        let words: [&[u8]; 9] = [
            b"true", b"false", b"null", b"yes", b"no", b"on", b"off", b"y", b"n",
        ];
        if words.contains(&&*text) {
            Self::Word
        } else if text.first().is_some_and(u8::is_ascii_digit) || text.starts_with(b".") {
            // Perhaps a number of several bases, or a date.
            Self::Number
        } else {
            Self::Text
        }
    }
}

/// Where a span has just this name, with nothing around it but quotes and the backslashes before them.
fn plain_text(file: &[u8], span: Span, name: &str, part: &ElementPart) -> Option<Span> {
    let bytes = file.get(span.start..span.end)?;
    let before = bytes.iter().take_while(|byte| is_around(**byte)).count();
    let rest = bytes.get(before..)?;
    let is_field = matches!(part, ElementPart::Field(_));
    let head = rest.get(..name.len())?;
    let has_name = if matches!(part, ElementPart::Header(_)) {
        head.eq_ignore_ascii_case(name.as_bytes())
    } else {
        head == name.as_bytes()
    };
    let after = rest.get(name.len()..)?;
    // The span of a parameter goes on with its value.
    let ends = if is_field {
        after.iter().copied().all(is_around)
    } else {
        !after.first().is_some_and(u8::is_ascii_alphanumeric)
    };
    let start = span.start + before;
    (has_name && ends).then(|| Span::new(start, start + name.len()))
}

/// Whether a byte is a quote, or a backslash before one.
fn is_around(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'' | b'\\')
}

/// A value as a file writes it.
struct WrittenValue {
    span: Span,
    is_quoted: bool,
}

/// The deprecated value after a name; `None` unless it is all of the value.
fn value_after(
    file: &[u8],
    name_end: usize,
    test: &ValueTest,
    part: &ElementPart,
) -> Option<WrittenValue> {
    let mut rest = Cursor {
        bytes: file,
        at: name_end,
    };
    rest.quotes();
    rest.space();
    rest.key_of_value();
    rest.one_of(b":=")?;
    rest.space();
    let quote = rest.quotes();
    let start = rest.at;
    let length = file
        .get(start..)?
        .iter()
        .take_while(|byte| !ends_value(**byte))
        .count();
    let span = Span::new(start, start + length);
    let after = file.get(span.end..)?;
    let is_whole = match &quote {
        Some(quote) => after.starts_with(quote.slice(file)),
        // The end of an address is none of its parameter's.
        None if matches!(part, ElementPart::Parameter(_)) => true,
        None => {
            let mut after = after.iter().copied();
            let next = after.find(|byte| !matches!(byte, b' ' | b'\t'));
            next.is_none_or(ends_value)
        }
    };
    let written = std::str::from_utf8(span.slice(file)).ok()?;
    (is_whole && test.holds(written)).then_some(WrittenValue {
        span,
        is_quoted: quote.is_some(),
    })
}

/// Whether a byte is none of a value without quotes, but follows one.
fn ends_value(byte: u8) -> bool {
    byte.is_ascii_whitespace()
        || matches!(
            byte,
            b'"' | b'\'' | b'\\' | b',' | b'}' | b']' | b'&' | b'#'
        )
}

/// Reads what is between a key and its value, at any depth of strings in strings.
struct Cursor<'f> {
    bytes: &'f [u8],
    at: usize,
}

impl Cursor<'_> {
    fn peek(&self, ahead: usize) -> Option<u8> {
        self.bytes.get(self.at + ahead).copied()
    }

    /// Skips a quote with the backslashes before it, and returns where it is; `None` if there is none.
    fn quotes(&mut self) -> Option<Span> {
        let start = self.at;
        let backslashes = self.backslashes();
        let is_quote = matches!(self.peek(backslashes), Some(b'"' | b'\''));
        is_quote.then(|| {
            self.at += backslashes + 1;
            Span::new(start, self.at)
        })
    }

    /// Skips white space, also as escapes.
    fn space(&mut self) {
        loop {
            let backslashes = self.backslashes();
            match self.peek(backslashes) {
                Some(b' ' | b'\t' | b'\r' | b'\n') if backslashes == 0 => self.at += 1,
                Some(b'n' | b't' | b'r') if backslashes > 0 => self.at += backslashes + 1,
                _ => return,
            }
        }
    }

    /// Skips the next key, `value`, of an object that has a name as a value, too: `"key": "X-Old", "value": "1"`.
    fn key_of_value(&mut self) {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let key = rest.strip_prefix(b",").unwrap_or(rest).trim_ascii_start();
        let key = key.strip_prefix(b"\"").unwrap_or(key);
        if let Some(after) = key.strip_prefix(b"value") {
            self.at = self.bytes.len() - after.len();
            self.quotes();
            self.space();
        }
    }

    fn one_of(&mut self, wanted: &[u8]) -> Option<()> {
        let found = self.peek(0).filter(|byte| wanted.contains(byte));
        self.at += 1;
        found.map(|_| ())
    }

    fn backslashes(&self) -> usize {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        rest.iter().take_while(|byte| **byte == b'\\').count()
    }
}

/// The bytes of a whole member of a JSON object: with the comma and the white space after it, or, for the last member, before it.
fn member_around(file: &[u8], name: Span) -> Result<ByteEdit, EditRefusal> {
    let before_name = name
        .start
        .checked_sub(1)
        .ok_or(EditRefusal::WrittenOtherwise)?;
    if file.get(before_name) != Some(&b'"') {
        return Err(EditRefusal::WrittenOtherwise);
    }
    if before_name > 0 && file.get(before_name - 1) == Some(&b'\\') {
        return Err(EditRefusal::ByHand("the body is written as a string"));
    }
    let mut rest = Cursor {
        bytes: file,
        at: name.end,
    };
    rest.quotes();
    rest.space();
    rest.one_of(b":").ok_or(EditRefusal::WrittenOtherwise)?;
    rest.space();
    let value = scan::value(file, rest.at).map_err(|_| EditRefusal::WrittenOtherwise)?;
    let value_end = value.end;
    rest.at = value_end;
    rest.space();
    match rest.peek(0) {
        Some(b',') => {
            rest.at += 1;
            rest.space();
            Ok(cut(before_name, rest.at))
        }
        Some(b'}') => {
            let head = file.get(..before_name).unwrap_or_default();
            let space = head
                .iter()
                .rev()
                .take_while(|byte| byte.is_ascii_whitespace())
                .count();
            let at = before_name - space;
            match at.checked_sub(1).and_then(|at| file.get(at)) {
                Some(b',') => Ok(cut(at - 1, value_end)),
                Some(b'{') => Ok(cut(at, rest.at)),
                _ => Err(EditRefusal::WrittenOtherwise),
            }
        }
        _ => Err(EditRefusal::WrittenOtherwise),
    }
}

/// The edit that removes these bytes.
fn cut(start: usize, end: usize) -> ByteEdit {
    replace(Span::new(start, end), "")
}
