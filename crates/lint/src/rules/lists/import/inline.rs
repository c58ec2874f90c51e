//! The text of a cell, divided into code spans and plain text.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use sundown_text_json::text::markdown::BREAK;

/// The text of a cell without markup, with the ranges that were code.
#[derive(Clone, Default)]
pub(super) struct InlineText {
    pub text: String,
    /// Ranges of `text`, ascending.
    codes: Vec<Range<usize>>,
    /// The address of the last link.
    pub link: Option<String>,
}

impl InlineText {
    /// Adds what the parser found in a cell of `source`. The markers of single emphasis stay: they may be part of a name, as in
    /// `_id_` or `/a/*/b/*`.
    pub(super) fn push(&mut self, event: Event<'_>, range: Range<usize>, source: &str) {
        let mut written = source.get(range).unwrap_or_default().chars();
        match event {
            Event::Code(code) => {
                let start = self.text.len();
                self.text.push_str(&code);
                self.codes.push(start..self.text.len());
            }
            Event::Text(text) => self.text.push_str(&text),
            Event::InlineHtml(tag) if &*tag != BREAK => self.text.push_str(&tag),
            Event::Start(Tag::Link { dest_url, .. }) => self.link = Some(dest_url.into_string()),
            Event::Start(Tag::Emphasis) => self.text.extend(written.next()),
            Event::End(TagEnd::Emphasis) => self.text.extend(written.next_back()),
            _ => {}
        }
    }

    /// The texts that were code.
    pub(super) fn codes(&self) -> impl Iterator<Item = &str> {
        self.codes
            .iter()
            .filter_map(|code| self.text.get(code.clone()))
    }

    pub(super) fn has_code(&self) -> bool {
        !self.codes.is_empty()
    }

    /// The text without the code spans.
    pub(super) fn without_codes(&self) -> String {
        let mut left = String::new();
        let mut from = 0;
        for code in &self.codes {
            left.push_str(self.text.get(from..code.start).unwrap_or_default());
            left.push(' ');
            from = code.end;
        }
        left.push_str(self.text.get(from..).unwrap_or_default());
        left
    }

    /// A part of the text. It is trimmed, but not inside a code span.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let inside = self.codes.iter();
        let inside = inside.filter(|code| code.start >= range.start && code.end <= range.end);
        let part = self.text.get(range.clone()).unwrap_or_default();
        let trimmed_start = range.start + (part.len() - part.trim_start().len());
        let trimmed_end = range.start + part.trim_end().len();
        let start = inside
            .clone()
            .next()
            .map_or(trimmed_start, |code| code.start.min(trimmed_start));
        let end = inside
            .clone()
            .next_back()
            .map_or(trimmed_end, |code| code.end.max(trimmed_end))
            .max(start);
        let text = self.text.get(start..end).unwrap_or_default().to_owned();
        let codes = inside
            .map(|code| code.start - start..code.end - start)
            .collect();
        let link = None;
        Self { text, codes, link }
    }

    /// Whether the byte at an offset is in code.
    fn is_code(&self, at: usize) -> bool {
        let next = self.codes.partition_point(|code| code.end <= at);
        self.codes.get(next).is_some_and(|code| code.start <= at)
    }

    /// Splits the text at the first `separator` outside of code.
    pub(super) fn split_once(&self, separator: char) -> Option<(Self, Self)> {
        let mut found = self.text.match_indices(separator);
        let (at, separator) = found.find(|(at, _)| !self.is_code(*at))?;
        let rest = at + separator.len()..self.text.len();
        Some((self.part(0..at), self.part(rest)))
    }

    /// Splits off a final pair of parentheses: the text before it, and the text in it. The parentheses of `f(x)` do not count,
    /// because no space precedes them.
    pub(super) fn split_parenthesis(&self) -> Option<(Self, Self)> {
        let text = self.text.trim_end();
        let close = text.strip_suffix(')')?.len();
        if self.is_code(close) {
            return None;
        }
        let mut depth = 0;
        let mut characters = text.char_indices().rev();
        let (open, _) = characters.find(|&(at, character)| {
            match character {
                '(' if !self.is_code(at) => depth -= 1,
                ')' if !self.is_code(at) => depth += 1,
                _ => {}
            }
            depth == 0
        })?;
        let before = text.get(..open)?;
        let is_separate = before.ends_with(char::is_whitespace) && !before.trim().is_empty();
        is_separate.then(|| (self.part(0..open), self.part(open + 1..close)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::markdown::cell;

    #[test]
    fn code_and_text_are_distinguished() {
        let inline = cell("**a** `b\\|c` \\`d\\` `` e`f `` `g _h_ /*/i/*");
        assert_eq!(inline.text, "a b|c `d` e`f `g _h_ /*/i/*");
        assert_eq!(inline.codes().collect::<Vec<_>>(), ["b|c", "e`f"]);
        assert_eq!(inline.without_codes(), "a   `d`   `g _h_ /*/i/*");
    }

    #[test]
    fn final_parentheses_are_split_off() {
        let cut = |text: &str| {
            let (head, inside) = cell(text).split_parenthesis()?;
            Some((head.text, inside.text))
        };
        assert_eq!(cut("`x` (a (b) c)"), Some(("x".into(), "a (b) c".into())));
        assert_eq!(cut("x (a) (b)"), Some(("x (a)".into(), "b".into())));
        for none in ["f(x)", "(all)", "x `(y)`", "x)", "a (b) c", ""] {
            assert_eq!(cut(none), None, "{none}");
        }
    }
}
