//! What shows that a name in a text is that of a member, whatever the notation: as programs print objects, in forms, XML and tables. Each
//! looks at what is before the name and after it.

use memchr::memmem;

use super::net::MAX_URL;

/// The end of the text before a name that may belong to it.
fn end_of(before: &[u8]) -> &[u8] {
    before.rchunks(MAX_URL).next().unwrap_or_default()
}

/// Whether what is around a name shows that a value is assigned to it.
pub(super) fn is_assigned(before: &[u8], after: &[u8], is_record: bool) -> bool {
    let begins_line = |before: &[u8]| {
        let before = before.trim_ascii_end();
        let ends: [&[u8]; 5] = [b"\"", br"\n", b"-", b"{", b"("];
        before.is_empty() || ends.iter().any(|end| before.ends_with(end))
    };
    match (before, after) {
        // A variable of a route.
        ([.., b'/', b'{'], _) => false,
        // YAML has a space there, Go has none. In a sentence, it would be an ordinary word.
        (_, [b':', next, ..]) => {
            !next.is_ascii_whitespace()
                || begins_line(before)
                || is_record && before.ends_with(b", ")
        }
        // As objects of Java, Python, Ruby, Scala, PHP and C# are printed.
        ([.., b'(' | b'[' | b'{' | b',' | b':'] | [.., b',' | b'{', b' '], _) => {
            let after = after
                .strip_prefix(b"] ")
                .unwrap_or(after)
                .trim_ascii_start();
            after.starts_with(b"=") || after.starts_with(b"->")
        }
        _ => false,
    }
}

/// Whether a quote follows a name. In a path, it is a segment.
pub(super) fn is_quoted(before: &[u8], after: &[u8]) -> bool {
    let quotes: [&[u8]; 3] = [b"\"", b"'", b"&quot;"];
    !before.ends_with(b"/") && quotes.iter().any(|quote| after.starts_with(quote))
}

/// Whether a byte ends a text in a line.
fn ends_text(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\"'".contains(&byte)
}

/// Whether a name is one of a form: the first in a text in quotes, or after another field. In a URL, it is that of a parameter.
pub(super) fn is_in_form(before: &[u8], after: &[u8]) -> bool {
    let near = end_of(before);
    let form = near
        .rsplit(|byte| ends_text(*byte))
        .next()
        .unwrap_or_default();
    let mut ends = after.iter().filter(|byte| ends_text(**byte));
    let is_first = form.is_empty() && near.ends_with(b"\"") && ends.next() == Some(&b'"');
    let nested = after.strip_prefix(b"]").filter(|_| form.ends_with(b"["));
    (is_first || nested.is_some() || form.ends_with(b"&"))
        && nested.unwrap_or(after).starts_with(b"=")
        && !form.iter().any(|byte| b"?/".contains(byte))
}

/// Whether a name is that of an element of XML, at its end or if it is empty, or of an attribute. What begins an element may be a
/// placeholder.
pub(super) fn is_in_markup(before: &[u8], after: &[u8]) -> bool {
    let near = end_of(before);
    let open = near.iter().rposition(|byte| b"<>".contains(byte));
    match near.split_at(open.unwrap_or_default()).1 {
        [b'<', b'/'] | [b'<', b'/', .., b':'] => after.starts_with(b">"),
        [b'<'] | [b'<', .., b':'] => after.trim_ascii_start().starts_with(b"/>"),
        [b'<', first, .., last] => {
            first.is_ascii_alphabetic() && last.is_ascii_whitespace() && after.starts_with(b"=")
        }
        _ => false,
    }
}

/// Whether a text is a page, whose tags have the names of many things.
pub(super) fn is_page(text: &[u8]) -> bool {
    let tags = ["<html", "<HTML", "<!doctype", "<!DOCTYPE"];
    tags.iter()
        .any(|tag| memmem::find(text, tag.as_bytes()).is_some())
}

/// Whether a byte is of the names of columns, or separates them.
fn is_of_columns(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_-.,;\t\"".contains(&byte)
}

/// Whether a name is that of a column: in the first line of several, between separators.
pub(super) fn is_column(before: &[u8], after: &[u8]) -> bool {
    let near = after.get(..MAX_URL).unwrap_or(after);
    let line = near.split(|byte| b"\n\r\\".contains(byte)).next();
    let line = line.filter(|line| line.len() < near.len());
    before.len() < MAX_URL
        && before.iter().copied().all(is_of_columns)
        && line.is_some_and(|line| {
            let beside = line.first().or(before.last());
            beside.is_some_and(|byte| b",;\t".contains(byte))
        })
}

/// Whether a text as it is written ends inside of brackets in a string: what is printed has some, and a sentence has none.
pub(super) fn is_in_brackets(before: &[u8]) -> bool {
    let near = end_of(before);
    let ends_string = |pair: &&[u8]| matches!(pair, [before, b'"'] if *before != b'\\');
    let mut string = near.windows(2).rev().take_while(|pair| !ends_string(pair));
    string.any(|pair| pair.last().is_some_and(|byte| b"([{".contains(byte)))
}
