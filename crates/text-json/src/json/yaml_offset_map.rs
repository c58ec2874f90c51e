//! Maps the decoded text of a YAML scalar back to its source bytes: escapes, indentation and folded lines, piece by piece
//! (YAML 1.2.2, chapters 5.7, 7.3 and 8.1).
//!
//! The parser has already decoded the text. This code follows it through the source; if the two do not match, there is no map
//! rather than a wrong one.

use std::ops::Range;

use super::document::{Node, WrittenStyle};
use super::string;
use crate::text::{OffsetMap, Span};

impl Node<'_> {
    /// Returns the map from its text to the bytes of a file in which the document begins at byte `start`; `None` if it is neither a
    /// string of a JSON document nor a scalar of a YAML document, or only white space in YAML.
    pub fn text_map(self, start: usize) -> Option<OffsetMap> {
        let value = self.resolved();
        let style = value.data()?.style;
        let whole = value.document().text();
        let Span { start: from, end } = value.span();
        let range = match style {
            WrittenStyle::Json => {
                let content = value.raw().strip_prefix('"')?.strip_suffix('"')?;
                return Some(string::offset_map(content, start + from + 1));
            }
            WrittenStyle::Alias => return None,
            WrittenStyle::Plain => from..end,
            WrittenStyle::SingleQuoted | WrittenStyle::DoubleQuoted => {
                from + 1..end.checked_sub(1)?
            }
            WrittenStyle::Literal | WrittenStyle::Folded => from..whole.len(),
        };
        let written = whole.get(..range.end)?;
        let mut way = ScalarMapper {
            written,
            at: range.start,
            start,
            text: value.text()?,
            map: OffsetMap::default(),
        };
        match style {
            WrittenStyle::Literal | WrittenStyle::Folded => way.block(style)?,
            _ => way.flow(style)?,
        }
        way.text.is_empty().then_some(way.map)
    }
}

/// A walk through source text and decoded text, side by side.
struct ScalarMapper<'t> {
    /// The source text up to the end of the scalar.
    written: &'t [u8],
    at: usize,
    /// The offset of the source text in the file.
    start: usize,
    /// The rest of the decoded text.
    text: &'t str,
    map: OffsetMap,
}

impl ScalarMapper<'_> {
    /// Maps `piece` to the source text up to `end`.
    fn means(&mut self, piece: &str, end: usize) -> Option<()> {
        self.text = self.text.strip_prefix(piece)?;
        self.map.push(
            piece.len(),
            Span::new(self.start + self.at, self.start + end),
        );
        self.at = end;
        Some(())
    }

    /// Maps the source text up to `end` to itself.
    fn copy(&mut self, end: usize) -> Option<()> {
        if end == self.at {
            return Some(());
        }
        let piece = std::str::from_utf8(self.written.get(self.at..end)?).ok()?;
        self.means(piece, end)
    }

    /// Returns the offset of the first byte from `at` on that is not `wanted`.
    fn behind(&self, at: usize, wanted: impl Fn(u8) -> bool) -> usize {
        let rest = self.written.get(at..).unwrap_or_default();
        at + rest.iter().take_while(|&&byte| wanted(byte)).count()
    }

    /// Returns the offset after the line break at `at`, if there is one.
    fn behind_break(&self, at: usize) -> Option<usize> {
        match self.written.get(at..)? {
            [b'\r', b'\n', ..] => Some(at + 2),
            [b'\r' | b'\n', ..] => Some(at + 1),
            _ => None,
        }
    }

    // ---- plain and in quotes ----

    fn flow(&mut self, style: WrittenStyle) -> Option<()> {
        while let Some(&byte) = self.written.get(self.at) {
            match byte {
                b'\\' if style == WrittenStyle::DoubleQuoted => self.escape()?,
                b'\'' if style == WrittenStyle::SingleQuoted => self.means("'", self.at + 2)?,
                b' ' | b'\t' | b'\r' | b'\n' => self.white()?,
                _ => {
                    let end = self.behind(self.at, |byte| !b"\\' \t\r\n".contains(&byte));
                    // A backslash or quote that is not special here.
                    self.copy(end.max(self.at + 1))?;
                }
            }
        }
        Some(())
    }

    /// Maps white space. It is kept unless it contains line breaks: one break is a space, and of several all but one are kept.
    fn white(&mut self) -> Option<()> {
        let end = self.behind(self.at, |byte| b" \t\r\n".contains(&byte));
        let breaks = self.breaks(self.at..end);
        match breaks.len() {
            0 => self.copy(end),
            1 => self.means(" ", end),
            _ => self.line_feeds(breaks.get(1..)?, end),
        }
    }

    /// Returns the offsets after all line breaks in white space.
    fn breaks(&self, white: Range<usize>) -> Vec<usize> {
        let mut at = white.start;
        let mut breaks = Vec::new();
        while at < white.end {
            at = match self.behind_break(at) {
                Some(behind) => {
                    breaks.push(behind);
                    behind
                }
                None => at + 1,
            };
        }
        breaks
    }

    /// Maps a line feed to each of these breaks; the last one extends to `end`.
    fn line_feeds(&mut self, breaks: &[usize], end: usize) -> Option<()> {
        let last = breaks.len().checked_sub(1)?;
        for (index, &behind) in breaks.iter().enumerate() {
            self.means("\n", if index == last { end } else { behind })?;
        }
        Some(())
    }

    fn escape(&mut self) -> Option<()> {
        let code = self.at + 1;
        if let Some(behind) = self.behind_break(code) {
            // An escaped break is dropped, but the empty lines after it are not.
            let end = self.behind(behind, |byte| b" \t\r\n".contains(&byte));
            self.at = behind;
            let breaks = self.breaks(behind..end);
            if !breaks.is_empty() {
                return self.line_feeds(&breaks, end);
            }
            self.at = end;
            return Some(());
        }
        let digits = match self.written.get(code)? {
            b'x' => 2,
            b'u' => 4,
            b'U' => 8,
            _ => 0,
        };
        let mut meant = [0; 4];
        let character = self.text.chars().next()?;
        self.means(character.encode_utf8(&mut meant), code + 1 + digits)
    }

    // ---- blocks ----

    fn block(&mut self, style: WrittenStyle) -> Option<()> {
        let indent = self.begin_block()?;
        while !self.text.is_empty() {
            self.skip_indent(indent);
            let end = self.behind(self.at, |byte| byte != b'\r' && byte != b'\n');
            self.copy(end)?;
            if self.text.is_empty() {
                break;
            }
            match style {
                WrittenStyle::Folded => self.folded_break(indent)?,
                _ => self.means("\n", self.behind_break(self.at)?)?,
            }
        }
        Some(())
    }

    /// Moves to the first line of content, and returns the indentation.
    fn begin_block(&mut self) -> Option<usize> {
        let blank = self.text.len() - self.text.trim_start_matches([' ', '\n']).len();
        let blank = self.text.get(..blank)?;
        let feeds = memchr::memchr_iter(b'\n', blank.as_bytes()).count();
        let spaces = blank.rsplit('\n').next().map_or(0, str::len);
        let first = self.behind(self.at, |byte| b" \r\n".contains(&byte));
        let mut line = self.line_start(first);
        let indent = (first - line).checked_sub(spaces)?;
        for _ in 0..feeds {
            line = self.line_start(line.checked_sub(1)?);
        }
        self.at = line;
        Some(indent)
    }

    fn line_start(&self, at: usize) -> usize {
        let before = self.written.get(..at).unwrap_or_default();
        memchr::memrchr(b'\n', before).map_or(0, |feed| feed + 1)
    }

    fn skip_indent(&mut self, indent: usize) {
        self.at = self.indented(self.at, indent);
    }

    /// Returns the offset after the indentation of the line that begins at `line`, or after the part of it that exists.
    fn indented(&self, line: usize, indent: usize) -> usize {
        self.behind(line, |byte| byte == b' ').min(line + indent)
    }

    /// Maps the end of a line in a folded block: to a space, or to line feeds for it and the empty lines after it, or only for the
    /// latter.
    fn folded_break(&mut self, indent: usize) -> Option<()> {
        let behind = self.behind_break(self.at)?;
        if self.text.starts_with(' ') {
            return self.means(" ", self.indented(behind, indent));
        }
        let mut breaks = vec![behind];
        while let Some(next) = self.behind_break(self.indented(*breaks.last()?, indent)) {
            breaks.push(next);
        }
        let feeds = self.text.len() - self.text.trim_start_matches('\n').len();
        let kept = breaks.get(breaks.len().checked_sub(feeds)?..)?;
        self.line_feeds(kept, *breaks.last()?)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::{Document, DocumentFormat};

    /// What each character of the value under `k` is written as.
    fn pieces(yaml: &str) -> Option<Vec<(char, String)>> {
        let document = Document::parse(yaml, DocumentFormat::Yaml).ok()?;
        let value = document.root().get("k")?;
        let text = value.as_str().filter(|text| !text.trim().is_empty())?;
        let map = value
            .text_map(0)
            .unwrap_or_else(|| panic!("no map for {yaml:?}: {text:?}"));
        assert_eq!(map.inner_len(), text.len());
        let piece = |(at, character): (usize, char)| {
            let span = map.outer((at..at + character.len_utf8()).into());
            (character, yaml[span.start..span.end].to_owned())
        };
        Some(text.char_indices().map(piece).collect())
    }

    fn written(yaml: &str) -> Vec<String> {
        pieces(yaml)
            .unwrap()
            .into_iter()
            .map(|(_, written)| written)
            .collect()
    }

    #[test]
    fn every_style_leads_back() {
        assert_eq!(written("k: a b"), ["a", " ", "b"]);
        assert_eq!(
            written("k: a\n  b\n\n  c"),
            ["a", "\n  ", "b", "\n\n  ", "c"]
        );
        assert_eq!(written("k: 'a''b'"), ["a", "''", "b"]);
        assert_eq!(
            written(r#"k: "\"\u00e9\x41é""#),
            ["\\\"", "\\u00e9", "\\x41", "é"]
        );
        assert_eq!(written("k: \"a\\\n  \\ b\""), ["a", "\\ ", "b"]);
        assert_eq!(
            written("k: |\n  a\n   b\nx: 1"),
            ["a", "\n", " ", "b", "\n"]
        );
        assert_eq!(
            written("k: |2-\n\n   \"a\"\n"),
            ["\n", " ", "\"", "a", "\""]
        );
        assert_eq!(
            written("k: >-\n  a\n  b\n\n  c\n   d"),
            ["a", "\n  ", "b", "\n\n", "c", "\n", " ", "d"]
        );
        assert_eq!(
            written("k: |\r\n  a\r\n  b\r\n"),
            ["a", "\r\n", "b", "\r\n"]
        );
    }

    #[test]
    fn an_alias_leads_to_its_target_and_json_to_its_string() {
        let document = Document::parse("a: &x 'b''c'\nk: *x", DocumentFormat::Yaml).unwrap();
        let map = document.at("/k").unwrap().text_map(100).unwrap();
        assert_eq!(map.outer((0..1).into()), (107..108).into());
        let json = Document::parse("{\"k\": \"\\na\"}", DocumentFormat::Json).unwrap();
        let map = json.at("/k").unwrap().text_map(100).unwrap();
        assert_eq!(map.outer((1..2).into()), (109..110).into());
        assert!(json.root().text_map(0).is_none());
    }

    /// Whether what is written can mean the character.
    fn can_mean(written: &str, character: char, escapes: bool) -> bool {
        let is_break = written.contains(['\n', '\r']) && written.trim().is_empty();
        let alone = written.chars().eq([character]);
        match character {
            ' ' | '\n' if is_break => true,
            '\'' if written == "''" => true,
            _ if escapes && written.starts_with('\\') => written.len() > 1,
            _ => alone,
        }
    }

    proptest! {
        #[test]
        fn every_character_is_written_where_the_map_says(
            (open, close) in prop::sample::select(
                &[("", ""), ("'", "'"), ("\"", "\""), ("|\n  ", ""), ("|2-\n  ", ""), ("|+\n  ", ""), (">\n  ", ""), (">2-\n  ", ""), (">+\n  ", "")][..]
            ),
            lines in prop::collection::vec("[ ]{0,3}([ab:#é\"]|''|\\\\\"|\\\\n|\\\\u00e9|\\\\){0,5}[ ]{0,2}", 1..6),
            line_break in prop::sample::select(&["\n", "\r\n"][..]),
        ) {
            let value = lines.join("\n  ");
            let yaml = format!("k: {open}{value}{close}\nx: 1\n").replace('\n', line_break);
            // A plain scalar that begins with a quote is none.
            let escapes = yaml["k:".len()..].trim_start().starts_with('"');
            let mut before = 0;
            for (character, written) in pieces(&yaml).unwrap_or_default() {
                prop_assert!(can_mean(&written, character, escapes), "{yaml:?}: {character:?} as {written:?}");
                let at = yaml[before..].find(&written).map(|at| before + at);
                prop_assert!(at.is_some(), "in order");
                before = at.unwrap() + written.len();
            }
        }
    }
}
