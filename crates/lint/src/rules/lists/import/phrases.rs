//! The phrases of lists: for deprecated elements, for replacements, and for absent information; and the text of a cell, divided into
//! code spans and plain text.

use std::ops::Range;

use pulldown_cmark::{Event, Tag, TagEnd};

use sundown_text_json::text::join;
use sundown_text_json::text::markdown::BREAK;

/// Whether the text states that there is no information.
pub(super) fn is_absent(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    [
        "",
        "-",
        "–",
        "—",
        "none",
        "none stated",
        "not stated",
        "not announced",
        "n/a",
    ]
    .contains(&text.as_str())
}

/// Whether the text refers to the row above.
pub(super) fn is_same(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    ["same", "same as above", "ditto", "\"", "〃"].contains(&text.as_str())
}

/// The deprecated elements of a row.
pub(super) struct ListedItem {
    /// The type of the elements, as in other lists.
    pub kind: &'static str,
    /// The names of the elements; empty for an endpoint.
    pub names: Vec<String>,
    /// The value, for an enum value.
    pub value: Option<String>,
    /// The rest of the cell.
    pub note: Option<String>,
}

/// Words at the beginning of an item, longest first, and their types.
const KINDS: [(&str, &str); 15] = [
    ("whole endpoint", "endpoint"),
    ("whole operation", "endpoint"),
    ("enum values", "enum-value"),
    ("enum value", "enum-value"),
    ("parameters", "parameter"),
    ("parameter", "parameter"),
    ("operation", "endpoint"),
    ("endpoint", "endpoint"),
    ("headers", "header"),
    ("segment", "segment"),
    ("values", "enum-value"),
    ("fields", "field"),
    ("header", "header"),
    ("field", "field"),
    ("value", "enum-value"),
];

impl ListedItem {
    /// Parses an item such as ``fields `a`, `b` ``. The error is a message.
    pub(super) fn parse(cell: &InlineText) -> Result<Self, String> {
        let (cell, remark) = without_remark(cell.clone());
        let lower = cell.text.to_lowercase();
        let found = KINDS.iter().find(|(word, _)| {
            let after = lower.strip_prefix(word);
            after.is_some_and(|after| !after.starts_with(char::is_alphanumeric))
        });
        let Some(&(word, kind)) = found else {
            return Err(match cell.text.as_str() {
                "" => "what is deprecated is missing".to_owned(),
                text => format!("`{text}` does not say what is deprecated"),
            });
        };
        let rest = cell.part(word.len()..cell.text.len());
        let (mut names, mut left) = names(&rest, kind);
        let mut kind = kind;
        let mut value = None;
        if kind == "enum-value" {
            let Ok([first, of]) = <[String; 2]>::try_from(names) else {
                return Err("an enum value is one value of one field".to_owned());
            };
            (value, names) = (Some(first), vec![of]);
            let mut words = left.iter().flat_map(|left| left.split_whitespace());
            kind = match words.find(|word| !["of", "the"].contains(word)) {
                Some("parameter") => "parameter",
                Some("header") => "header",
                Some("segment") => "segment",
                _ => kind,
            };
            let of = ["of", "the", "field", "parameter", "header", "segment"];
            left = left.and_then(|left| without_words(&left, &of));
        }
        if names.is_empty() && kind != "endpoint" {
            return Err(format!("the name of the {kind} is missing"));
        }
        Ok(Self {
            kind,
            names,
            value,
            note: joined([left, remark]),
        })
    }
}

/// Splits off a remark in parentheses at the end.
fn without_remark(cell: InlineText) -> (InlineText, Option<String>) {
    match cell.split_parenthesis() {
        Some((head, inside)) => (head, Some(inside.text)),
        None => (cell, None),
    }
}

/// The notes as one.
pub(super) fn joined(notes: impl IntoIterator<Item = Option<String>>) -> Option<String> {
    Some(join(notes.into_iter().flatten(), "; ")).filter(|note| !note.is_empty())
}

/// The names in an item, and the rest of it. Names are code spans, or else separated by commas.
fn names(rest: &InlineText, kind: &str) -> (Vec<String>, Option<String>) {
    if rest.has_code() && kind != "endpoint" {
        let left = without_words(&rest.without_codes(), &["and", "or", ","]);
        return (rest.codes().map(str::to_owned).collect(), left);
    }
    let rest = rest.text.trim_start_matches(':').trim();
    if kind == "endpoint" {
        return (
            Vec::new(),
            Some(rest.to_owned()).filter(|rest| !rest.is_empty()),
        );
    }
    let names = rest.split(',').map(|name| name.trim().to_owned());
    (names.filter(|name| !name.is_empty()).collect(), None)
}

fn without_words(text: &str, words: &[&str]) -> Option<String> {
    let spaced = text.replace(',', " , ").replace(':', " ");
    let left = spaced
        .split_whitespace()
        .filter(|word| !words.contains(word));
    Some(join(left, " ")).filter(|left| !left.is_empty())
}

/// The replacement and the note of a row.
#[derive(Default)]
pub(super) struct ListedAdvice {
    pub replacement: Option<String>,
    pub note: Option<String>,
    /// Replacements of additional entries for the same element.
    pub seconds: Vec<String>,
}

impl ListedAdvice {
    /// Parses a cell with a replacement, a note, or both separated by `;`. A replacement names an element and therefore
    /// contains code; a note need not.
    pub(super) fn of_both(cell: &InlineText) -> Self {
        let (head, seconds) = second_entries(cell);
        let (head, remark) = without_remark(head);
        let (first, rest) = match head.split_once(';') {
            Some((first, rest)) => (first, Some(rest.text)),
            None => (head.clone(), None),
        };
        let (replacement, note) = if is_absent(&first.text) {
            (None, rest)
        } else if first.has_code() {
            (Some(first.text), rest)
        } else {
            (None, Some(head.text))
        };
        Self {
            replacement,
            note: joined([note, remark]),
            seconds,
        }
    }

    /// Parses a cell that holds only a replacement.
    pub(super) fn of_replacement(cell: &InlineText) -> Self {
        let (head, seconds) = second_entries(cell);
        let replacement = Some(head.text).filter(|text| !is_absent(text));
        Self {
            replacement,
            note: None,
            seconds,
        }
    }
}

/// Splits off `(a second entry for the same field names … as replacement)`.
fn second_entries(cell: &InlineText) -> (InlineText, Vec<String>) {
    if let Some((head, inside)) = cell.split_parenthesis() {
        let says_so = ["second entry", "another entry", "further entry"]
            .iter()
            .any(|words| inside.text.to_lowercase().contains(words));
        if says_so && inside.has_code() {
            return (head, inside.codes().map(str::to_owned).collect());
        }
    }
    (cell.clone(), Vec::new())
}

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
    fn codes(&self) -> impl Iterator<Item = &str> {
        self.codes
            .iter()
            .filter_map(|code| self.text.get(code.clone()))
    }

    fn has_code(&self) -> bool {
        !self.codes.is_empty()
    }

    /// The text without the code spans.
    fn without_codes(&self) -> String {
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
    fn part(&self, range: Range<usize>) -> Self {
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
    fn split_once(&self, separator: char) -> Option<(Self, Self)> {
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
    use super::super::markdown::{cell, cell as written};
    use super::*;

    fn item(cell: &str) -> (&'static str, Vec<String>, Option<String>, Option<String>) {
        let item =
            ListedItem::parse(&written(cell)).unwrap_or_else(|error| panic!("{cell}: {error}"));
        (item.kind, item.names, item.value, item.note)
    }

    #[test]
    fn items_name_deprecated_elements() {
        let names = |names: &[&str]| {
            names
                .iter()
                .map(|&name| name.to_owned())
                .collect::<Vec<_>>()
        };
        assert_eq!(item("field `a`"), ("field", names(&["a"]), None, None));
        assert_eq!(
            item("Fields `a`, `b` and `c`"),
            ("field", names(&["a", "b", "c"]), None, None)
        );
        assert_eq!(
            item("fields a, b"),
            ("field", names(&["a", "b"]), None, None)
        );
        assert_eq!(item("whole endpoint"), ("endpoint", vec![], None, None));
        assert_eq!(
            item("parameter `p` (query)"),
            ("parameter", names(&["p"]), None, Some("query".into()))
        );
        for kind in ["parameter", "header", "segment"] {
            assert_eq!(
                item(&format!("value `OLD` of the {kind} `v`")),
                (kind, names(&["v"]), Some("OLD".into()), None)
            );
        }
        assert_eq!(
            item("value `OLD` of the field `kind`"),
            ("enum-value", names(&["kind"]), Some("OLD".into()), None)
        );
        assert_eq!(item("field `a` in requests").3, Some("in requests".into()));
        for bad in ["", "`a`", "fieldset `a`", "field", "value `a`", "header ()"] {
            assert!(ListedItem::parse(&written(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn advice_is_split_into_replacement_and_note() {
        let advice = |cell: &str| {
            let advice = ListedAdvice::of_both(&written(cell));
            (advice.replacement, advice.note, advice.seconds)
        };
        let some = |text: &str| Some(text.to_owned());
        assert_eq!(advice("none stated"), (None, None, vec![]));
        assert_eq!(advice("none; gone"), (None, some("gone"), vec![]));
        assert_eq!(
            advice("boards are gone; and so on"),
            (None, some("boards are gone; and so on"), vec![])
        );
        assert_eq!(advice("`a.b`"), (some("a.b"), None, vec![]));
        assert_eq!(
            advice("x via `a;b`; still there"),
            (some("x via a;b"), some("still there"), vec![])
        );
        assert_eq!(
            advice("`a` (since May)"),
            (some("a"), some("since May"), vec![])
        );
        assert_eq!(
            advice("`a` (a second entry names `b` as replacement)"),
            (some("a"), None, vec!["b".to_owned()])
        );
    }

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
