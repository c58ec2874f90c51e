//! What lists say in words: what is deprecated, what to use instead, that nothing was stated.

use super::inline::InlineText;

/// Whether the words say that there is nothing to say.
pub(super) fn is_nothing(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    let words = ["", "-", "–", "—", "none", "none stated", "not stated", "not announced", "n/a"];
    words.contains(&text.as_str())
}

/// Whether the words mean the row above.
pub(super) fn is_same(text: &str) -> bool {
    let text = text.trim().to_lowercase();
    ["same", "same as above", "ditto", "\"", "〃"].contains(&text.as_str())
}

/// What a row is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ListedItem {
    /// One of the types of lists.
    pub(super) kind: &'static str,
    /// None for an endpoint.
    pub(super) names: Vec<String>,
    /// For an enum value.
    pub(super) value: Option<String>,
    /// What else the cell says.
    pub(super) note: Option<String>,
}

/// Words at the beginning of an item, longest first, and the types that they stand for.
const KINDS: [(&str, &str); 14] = [
    ("whole endpoint", "endpoint"),
    ("whole operation", "endpoint"),
    ("enum values", "enum-value"),
    ("enum value", "enum-value"),
    ("parameters", "parameter"),
    ("parameter", "parameter"),
    ("operation", "endpoint"),
    ("endpoint", "endpoint"),
    ("headers", "header"),
    ("values", "enum-value"),
    ("fields", "field"),
    ("header", "header"),
    ("field", "field"),
    ("value", "enum-value"),
];

impl ListedItem {
    /// Reads ``fields `a`, `b` `` and the like; the error says what is wrong.
    pub(super) fn parse(cell: &InlineText) -> Result<Self, String> {
        let (cell, bracket) = match cell.bracket() {
            Some((head, inside)) => (head, Some(inside.text)),
            None => (cell.clone(), None),
        };
        let lower = cell.text.to_lowercase();
        let begins = |word: &str| {
            let behind = lower.strip_prefix(word)?;
            (!behind.starts_with(char::is_alphanumeric)).then_some(word.len())
        };
        let found = KINDS.iter().find_map(|(word, kind)| Some((begins(word)?, *kind)));
        let Some((length, kind)) = found else {
            return Err(match cell.text.as_str() {
                "" => "what is deprecated is missing".to_owned(),
                text => format!("`{text}` does not say what is deprecated"),
            });
        };
        let rest = cell.part(length..cell.text.len());
        let (mut names, mut left) = names(&rest, kind);
        let value = match kind {
            "enum-value" if names.len() == 2 => {
                left = left.and_then(|left| without_words(&left, &["of", "the", "field"]));
                names.truncate(2);
                let field = names.pop();
                std::mem::replace(&mut names, field.into_iter().collect()).pop()
            }
            "enum-value" => {
                return Err("an enum value is one value of one field".to_owned());
            }
            _ => None,
        };
        if names.is_empty() && kind != "endpoint" {
            return Err(format!("the name of the {kind} is missing"));
        }
        let notes: Vec<_> = [left, bracket].into_iter().flatten().collect();
        let note = Some(notes.join("; ")).filter(|note| !note.is_empty());
        Ok(Self { kind, names, value, note })
    }
}

/// The names in an item, and what is left of it: names stand as code, or else with commas between.
fn names(rest: &InlineText, kind: &str) -> (Vec<String>, Option<String>) {
    if rest.has_code() && kind != "endpoint" {
        let left = without_words(&rest.without_codes(), &["and", "or", ","]);
        return (rest.codes().map(str::to_owned).collect(), left);
    }
    let rest = rest.text.trim_start_matches(':').trim();
    if kind == "endpoint" {
        return (Vec::new(), Some(rest.to_owned()).filter(|rest| !rest.is_empty()));
    }
    let names = rest.split(',').map(|name| name.trim().to_owned());
    (names.filter(|name| !name.is_empty()).collect(), None)
}

fn without_words(text: &str, words: &[&str]) -> Option<String> {
    let spaced = text.replace(',', " , ").replace(':', " ");
    let left: Vec<_> = spaced.split_whitespace().filter(|word| !words.contains(word)).collect();
    Some(left.join(" ")).filter(|left| !left.is_empty())
}

/// What to use instead, and what else is said.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct ListedAdvice {
    pub(super) replacement: Option<String>,
    pub(super) note: Option<String>,
    /// Replacements of further entries for the same element.
    pub(super) seconds: Vec<String>,
}

impl ListedAdvice {
    /// Of a cell that may hold a replacement, a note, or both with `;` between. A replacement names something, so it has
    /// code in it; a note may do without.
    pub(super) fn of_both(cell: &InlineText) -> Self {
        let (head, seconds) = second_entries(cell);
        let (head, bracket) = match head.bracket() {
            Some((head, inside)) => (head, Some(inside.text)),
            None => (head, None),
        };
        let (first, rest) = match head.split_once(';') {
            Some((first, rest)) => (first, Some(rest.text)),
            None => (head.clone(), None),
        };
        let (replacement, note) = if is_nothing(&first.text) {
            (None, rest)
        } else if first.has_code() {
            (Some(first.text), rest)
        } else {
            (None, Some(head.text))
        };
        let notes: Vec<_> = [note, bracket].into_iter().flatten().collect();
        let note = Some(notes.join("; ")).filter(|note| !note.is_empty());
        Self { replacement, note, seconds }
    }

    /// Of a cell that holds a replacement only.
    pub(super) fn of_replacement(cell: &InlineText) -> Self {
        let (head, seconds) = second_entries(cell);
        let replacement = Some(head.text).filter(|text| !is_nothing(text));
        Self { replacement, note: None, seconds }
    }
}

/// Cuts off `(a second entry for the same field names … as replacement)`.
fn second_entries(cell: &InlineText) -> (InlineText, Vec<String>) {
    if let Some((head, inside)) = cell.bracket() {
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
    use super::*;

    fn item(cell: &str) -> (&'static str, Vec<String>, Option<String>, Option<String>) {
        let item = ListedItem::parse(&InlineText::of(cell))
            .unwrap_or_else(|error| panic!("{cell}: {error}"));
        (item.kind, item.names, item.value, item.note)
    }

    #[test]
    fn items_say_what_is_deprecated() {
        let names = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(item("field `a`"), ("field", names(&["a"]), None, None));
        assert_eq!(item("Fields `a`, `b` and `c`"), ("field", names(&["a", "b", "c"]), None, None));
        assert_eq!(item("fields a, b"), ("field", names(&["a", "b"]), None, None));
        assert_eq!(item("whole endpoint"), ("endpoint", vec![], None, None));
        assert_eq!(
            item("parameter `p` (query)"),
            ("parameter", names(&["p"]), None, Some("query".into()))
        );
        assert_eq!(
            item("value `OLD` of the field `kind`"),
            ("enum-value", names(&["kind"]), Some("OLD".into()), None)
        );
        assert_eq!(item("field `a` in requests").3, Some("in requests".into()));
        for bad in ["", "`a`", "fieldset `a`", "field", "value `a`", "header ()"] {
            assert!(ListedItem::parse(&InlineText::of(bad)).is_err(), "{bad}");
        }
    }

    #[test]
    fn advice_is_parted_into_replacement_and_note() {
        let advice = |cell: &str| {
            let advice = ListedAdvice::of_both(&InlineText::of(cell));
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
        assert_eq!(advice("`a` (since May)"), (some("a"), some("since May"), vec![]));
        assert_eq!(
            advice("`a` (a second entry names `b` as replacement)"),
            (some("a"), None, vec!["b".to_owned()])
        );
    }
}
