//! The beginning of a file, as format recognition sees it.

use std::borrow::Cow;
use std::cell::OnceCell;

use sundown_text_json::json::{scan, string};
use sundown_text_json::text::Block;

/// The length of the beginning from which a file without any format is given up, for any size of blocks: damaged data can begin
/// with a stretch of garbage.
pub(crate) const DECISIVE_HEAD: usize = 1024 * 1024;

/// The length of the beginning in which a zero byte means that a file is not text.
pub(crate) const TEXT_HEAD: usize = 8 * 1024;

/// The beginning of a file, or all of it.
pub(crate) struct FileHead<'a> {
    /// The bytes that are known of the file.
    pub bytes: &'a [u8],
    /// Offset of the content, after a byte order mark and white space.
    pub start: usize,
    /// The keys at the top of a JSON object, each with the offset of its value.
    keys: OnceCell<Vec<(Cow<'a, str>, usize)>>,
}

impl<'a> FileHead<'a> {
    pub(crate) fn new(bytes: &'a [u8], start: usize) -> Self {
        Self {
            bytes,
            start,
            keys: OnceCell::new(),
        }
    }

    /// The beginning of a text, from its content on.
    pub(crate) fn of(text: Block<'a>) -> Self {
        let start = scan::skip_whitespace(text.bytes, text.text_start());
        Self::new(text.bytes, start)
    }

    /// Whether the content begins with this byte.
    pub(crate) fn begins_with(&self, byte: u8) -> bool {
        self.bytes.get(self.start) == Some(&byte)
    }

    /// Whether the text is somewhere in the known part.
    pub(crate) fn contains(&self, text: impl AsRef<[u8]>) -> bool {
        contains(self.bytes, text.as_ref())
    }

    /// Whether the file begins like an object that has this key, with a value that begins with `first`.
    pub(crate) fn has(&self, key: &str, first: u8) -> bool {
        self.at(key, first).is_some()
    }

    /// Whether the file begins like an object that has this key.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.keys().iter().any(|(name, _)| name == key)
    }

    /// Offset of the value of this key, if it begins with `first`.
    pub(crate) fn at(&self, key: &str, first: u8) -> Option<usize> {
        self.keys()
            .iter()
            .filter(|(name, _)| name == key)
            .map(|(_, value)| *value)
            .find(|&value| self.bytes.get(value) == Some(&first))
    }

    /// Offset of the value of a key in the object at `open`.
    pub(crate) fn member(&self, open: usize, name: &str) -> Option<usize> {
        let mut members = if self.bytes.get(open) == Some(&b'{') {
            scan::keys(self.bytes, open)
        } else {
            return None;
        };
        let is_it = |key| string::decode_bytes(self.bytes, key) == name;
        members.find_map(|(key, value)| is_it(key).then_some(value))
    }

    /// Scanned once, and only if a format asks for them: a file may be large.
    fn keys(&self) -> &[(Cow<'a, str>, usize)] {
        self.keys.get_or_init(|| {
            if !self.begins_with(b'{') {
                return Vec::new();
            }
            scan::keys(self.bytes, self.start)
                .map(|(key, value)| (string::decode_bytes(self.bytes, key), value))
                .collect()
        })
    }
}

/// Recognises an API description in JSON. A body may have one of these keys; a description has both.
pub(crate) fn is_description(head: &FileHead<'_>) -> bool {
    let mut versions = ["openapi", "swagger"].iter();
    let mut parts = ["paths", "info", "components", "webhooks", "definitions"].iter();
    versions.any(|key| head.has(key, b'"')) && parts.any(|key| head.has_key(key))
}

/// Whether a text is somewhere in the bytes.
pub(crate) fn contains(bytes: &[u8], text: &[u8]) -> bool {
    memchr::memmem::find(bytes, text).is_some()
}

/// The lines of a text, without their line feeds.
pub(crate) fn lines_of(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let text = rest?;
        let end = memchr::memchr(b'\n', text);
        rest = end.and_then(|end| text.get(end + 1..));
        text.get(..end.unwrap_or(text.len()))
    })
}

/// The first line of a text, without its line feed.
pub(crate) fn first_line(text: &[u8]) -> &[u8] {
    lines_of(text).next().unwrap_or_default()
}

/// The length of the white space at the beginning of a text.
pub(crate) fn blank_length(text: &[u8]) -> usize {
    text.len() - text.trim_ascii_start().len()
}

/// Whether a text begins with one of these.
pub(crate) fn begins_with_any(text: &[u8], beginnings: &[&[u8]]) -> bool {
    beginnings
        .iter()
        .any(|beginning| text.starts_with(beginning))
}

/// Returns the key at the beginning of a line, and the text after its colon.
pub(crate) fn top_level_key(line: &[u8]) -> Option<(&[u8], &[u8])> {
    let colon = memchr::memchr(b':', line)?;
    let key = line.get(..colon)?.trim_ascii_end();
    let value = line.get(colon + 1..)?;
    Some((without_quotes(key), value))
}

/// The text of a YAML scalar on one line, without quotes, a comment, an anchor and a tag.
pub(super) fn scalar(value: &[u8]) -> &[u8] {
    let comment = value
        .windows(2)
        .position(|pair| pair[0].is_ascii_whitespace() && pair[1] == b'#')
        .unwrap_or(value.len());
    let mut text = value.get(..comment).unwrap_or_default().trim_ascii();
    while text.first().is_some_and(|first| b"&!".contains(first)) {
        let end = text
            .iter()
            .position(u8::is_ascii_whitespace)
            .unwrap_or(text.len());
        text = text.get(end..).unwrap_or_default().trim_ascii_start();
    }
    without_quotes(text)
}

/// The text between the quotes of a scalar, or the scalar if it has none.
pub(crate) fn without_quotes(scalar: &[u8]) -> &[u8] {
    [b"\"", b"'"]
        .iter()
        .find_map(|&quote| scalar.strip_prefix(quote)?.strip_suffix(quote))
        .unwrap_or(scalar)
}

/// Whether a file may be text, by its beginning: binary data is not searched by lines, which it may not have. A crash leaves one block
/// of zeros in a log.
pub fn is_text(bytes: &[u8]) -> bool {
    let head = bytes.get(..TEXT_HEAD).unwrap_or(bytes);
    let Some(first) = memchr::memchr(0, head) else {
        return true;
    };
    let last = memchr::memrchr(0, head).unwrap_or(first);
    let is_block = (head.get(first..last)).is_some_and(|block| block.iter().all(|byte| *byte == 0));
    let is_plain = |byte: &u8| !byte.is_ascii_control() || byte.is_ascii_whitespace();
    let mut others = head.iter().filter(|byte| **byte != 0).peekable();
    is_block && others.peek().is_some() && others.all(is_plain)
}
