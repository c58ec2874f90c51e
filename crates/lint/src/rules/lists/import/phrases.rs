//! The phrases of lists: for deprecated elements, for replacements, and for absent information.

use super::inline::InlineText;
use sundown_text_json::text::join;

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

#[cfg(test)]
mod tests {
    use super::super::markdown::cell as written;
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
}
