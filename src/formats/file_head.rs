//! The beginning of a file, as format recognition sees it.

use std::borrow::Cow;

use crate::json::{scan, string};

/// The beginning of a file, or all of it, in the eyes of those who recognise formats.
pub(in crate::formats) struct FileHead<'a> {
    /// What there is of the file.
    pub(in crate::formats) bytes: &'a [u8],
    /// Where it begins, behind a mark and white space.
    pub(in crate::formats) start: usize,
    /// The keys at the top, and where the value of each begins, where the file begins like an object.
    keys: Vec<(Cow<'a, str>, usize)>,
}

impl<'a> FileHead<'a> {
    pub(in crate::formats) fn new(bytes: &'a [u8], start: usize) -> Self {
        let mut keys = Vec::new();
        if bytes.get(start) == Some(&b'{') {
            let all = scan::keys(bytes, start);
            keys.extend(all.map(|(key, value)| (string::decode_bytes(bytes, key), value)));
        }
        Self { bytes, start, keys }
    }

    /// Whether the file begins like an object that has this key, with a value that begins with `first`.
    pub(in crate::formats) fn has(&self, key: &str, first: u8) -> bool {
        self.at(key, first).is_some()
    }

    /// The same, whatever its value.
    pub(in crate::formats) fn has_key(&self, key: &str) -> bool {
        self.keys.iter().any(|(name, _)| name == key)
    }

    /// Where the value of this key begins, if it begins with `first`.
    pub(in crate::formats) fn at(&self, key: &str, first: u8) -> Option<usize> {
        let mut values = self.keys.iter().filter(|(name, _)| name == key).map(|(_, value)| *value);
        values.find(|&value| self.bytes.get(value) == Some(&first))
    }
}
