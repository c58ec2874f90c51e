//! A document that is open in the editor, with its positions as the protocol counts them: lines and characters from zero, in units of
//! UTF-16, which every client knows.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use memchr::memchr2_iter;
use serde::{Deserialize, Serialize};

use sundown_files::full_path;
use sundown_report::uri;
use sundown_run::config::CONFIG_NAME;
use sundown_text_json::text::{Location, Span};

/// The size of the largest document that is checked, in bytes.
const MAX_DOCUMENT: usize = 4 << 20;

/// A document.
pub(super) struct OpenDocument {
    pub uri: String,
    pub path: PathBuf,
    /// Its text; `None` if it is too large.
    pub index: Option<TextIndex>,
}

/// The open documents, by their URIs.
pub(super) type Documents = BTreeMap<String, OpenDocument>;

impl OpenDocument {
    /// Takes the text of a document; `None` if it is no file.
    pub(super) fn new(uri: &str, text: &str) -> Option<Self> {
        let is_small = text.len() <= MAX_DOCUMENT;
        Some(Self {
            uri: uri.to_owned(),
            path: full_path(&uri::to_path(uri)?)?,
            index: is_small.then(|| TextIndex::new(text.to_owned())),
        })
    }

    /// Whether it is a list of rules or something else that is not checked as an input.
    pub(super) fn is_table(&self) -> bool {
        self.path.extension().is_some_and(|ending| ending == "toml")
    }
}

/// Whether a file is a configuration.
pub(super) fn is_configuration(path: &Path) -> bool {
    path.ends_with(CONFIG_NAME)
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct TextPosition {
    line: usize,
    character: usize,
}

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub(super) struct Range {
    start: TextPosition,
    end: TextPosition,
}

/// How many bytes apart the offsets are whose units are counted once, so that long lines are not counted again for each position.
const STEP: usize = 4096;

/// A text and its positions.
#[derive(Debug)]
pub(super) struct TextIndex {
    pub text: String,
    /// Where lines begin. They end with CR, LF, or both.
    lines: Vec<usize>,
    /// The number of units before each multiple of [`STEP`].
    units: Vec<usize>,
}

impl TextIndex {
    pub(super) fn new(text: String) -> Self {
        let bytes = text.as_bytes();
        let mut lines = vec![0];
        for end in memchr2_iter(b'\n', b'\r', bytes) {
            if bytes.get(end..end + 2) != Some(b"\r\n") {
                lines.push(end + 1);
            }
        }
        let mut units = vec![0];
        let mut before = 0;
        for step in bytes.chunks(STEP) {
            before += count_units(step);
            units.push(before);
        }
        Self { text, lines, units }
    }

    /// The range between two offsets.
    pub(super) fn range(&self, start: usize, end: usize) -> Range {
        Range {
            start: self.position(start),
            end: self.position(end),
        }
    }

    /// The bytes of a range. What is beyond a line or the text is its end, as the protocol demands.
    pub(super) fn span(&self, range: Range) -> Span {
        Span::new(self.offset(range.start), self.offset(range.end))
    }

    /// The offset of a location of a report, whose lines end with LF alone.
    pub(super) fn offset_at(&self, at: Location) -> usize {
        let before = self.text.split_inclusive('\n').take(at.line - 1);
        before.map(str::len).sum::<usize>() + at.byte_column - 1
    }

    fn position(&self, offset: usize) -> TextPosition {
        let line = self.lines.partition_point(|start| *start <= offset) - 1;
        let start = self.lines.get(line).copied().unwrap_or_default();
        TextPosition {
            line,
            character: self.units_before(offset) - self.units_before(start),
        }
    }

    fn units_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let step = offset / STEP;
        let rest = self.text.as_bytes().get(step * STEP..offset);
        let counted = self.units.get(step).copied();
        counted.unwrap_or_default() + count_units(rest.unwrap_or_default())
    }

    fn offset(&self, position: TextPosition) -> usize {
        let Some(&start) = self.lines.get(position.line) else {
            return self.text.len();
        };
        let rest = self.text.get(start..).unwrap_or_default();
        let line = rest.split(['\r', '\n']).next().unwrap_or_default();
        let mut units = 0;
        let before = line.chars().take_while(|character| {
            let is_before = units < position.character;
            units += character.len_utf16();
            is_before
        });
        start + before.map(char::len_utf8).sum::<usize>()
    }
}

/// The line of a location of a report.
impl From<Location> for Range {
    fn from(location: Location) -> Self {
        Self {
            start: TextPosition {
                line: location.line - 1,
                character: 0,
            },
            end: TextPosition {
                line: location.line,
                character: 0,
            },
        }
    }
}

/// The number of units in bytes, where a character counts with its first.
fn count_units(bytes: &[u8]) -> usize {
    let units = bytes.iter().map(|byte| match byte {
        // It continues a character.
        0x80..0xc0 => 0,
        0xf0.. => 2,
        _ => 1,
    });
    units.sum()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn lines_end_with_cr_lf_or_both() {
        let index = TextIndex::new("a\r\nb\rc\n".to_owned());
        let lines: Vec<_> = (0..=7).map(|offset| index.position(offset).line).collect();
        assert_eq!(lines, [0, 0, 0, 1, 1, 2, 2, 3]);
    }

    #[test]
    fn what_is_beyond_a_line_is_its_end() {
        let index = TextIndex::new("ab\r\nc".to_owned());
        let offset = |line, character| index.offset(TextPosition { line, character });
        assert_eq!(
            [offset(0, 9), offset(1, 1), offset(1, 9), offset(9, 0)],
            [2, 5, 5, 5]
        );
    }

    proptest! {
        #[test]
        fn positions_and_offsets_agree(text in "([a-zé😀\u{2028}\u{301}]{0,9}(\r\n|\r|\n)?){0,9}", repeats in 1usize..400) {
            let text = text.repeat(repeats);
            let index = TextIndex::new(text.clone());
            for (offset, _) in text.char_indices().step_by(repeats).chain([(text.len(), ' ')]) {
                let is_inside = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                let position = index.position(offset);
                let line = text[..offset].rfind(['\r', '\n']).map_or(0, |end| end + 1);
                if !is_inside {
                    prop_assert_eq!(index.offset(position), offset);
                    prop_assert_eq!(position.character, text[line..offset].encode_utf16().count());
                }
            }
        }
    }
}
