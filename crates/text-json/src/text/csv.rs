//! Cells of comma-separated values (RFC 4180) that a terminal, a build log and a spreadsheet show literally.

use std::borrow::Cow;

use super::escape_unsafe;

/// How formulas begin, also in the wide characters that Japanese keyboards write.
const FORMULA_STARTS: [char; 8] = ['=', '+', '-', '@', '＝', '＋', '－', '＠'];

/// Writes a cell. A spreadsheet would run a text that begins like a formula: it gets a `'`. [`decode`] reads the text again.
pub fn cell(text: &str) -> String {
    // Text that looks like an escape stays what it is.
    let text = text.replace("\\u{", "\\u{5c}u{");
    let text = escape_unsafe(&text);
    let formula = if is_formula(text.trim_start_matches('\'')) {
        "'"
    } else {
        ""
    };
    if formula.is_empty() && !text.contains(['"', ',', ';', '\t', '\r', '\n']) {
        return text.into_owned();
    }
    quoted(&format!("{formula}{text}"))
}

/// Writes a cell in quotes.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('"', "\"\""))
}

/// The text of a cell that [`cell`] wrote, after its quotes were removed.
pub fn decode(cell: Cow<'_, str>) -> Cow<'_, str> {
    let is_guarded = cell.starts_with('\'') && is_formula(cell.trim_start_matches('\''));
    if !is_guarded && !cell.contains("\\u{") {
        return cell;
    }
    let mut rest = cell.get(usize::from(is_guarded)..).unwrap_or_default();
    let mut decoded = String::with_capacity(rest.len());
    while let Some((before, after)) = rest.split_once("\\u{") {
        decoded.push_str(before);
        let character = after.split_once('}').and_then(|(code, after)| {
            Some((char::from_u32(u32::from_str_radix(code, 16).ok()?)?, after))
        });
        match character {
            Some((character, after)) => {
                decoded.push(character);
                rest = after;
            }
            None => {
                decoded.push_str("\\u{");
                rest = after;
            }
        }
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

fn is_formula(text: &str) -> bool {
    text.trim_start().starts_with(FORMULA_STARTS)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn no_cell_is_a_formula() {
        assert_eq!(cell("=1+1"), "\"'=1+1\"");
        assert_eq!(cell(" @SUM(A1)"), "\"' @SUM(A1)\"");
        assert_eq!(cell("＝1+1"), "\"'＝1+1\"");
        assert_eq!(cell("a \"b\", c"), "\"a \"\"b\"\", c\"");
        assert_eq!(cell("\u{1b}[31m\n"), "\\u{1b}[31m\\u{a}");
        assert_eq!(cell("POST /v1/orders"), "POST /v1/orders");
    }

    proptest! {
        #[test]
        fn a_text_is_read_as_it_was(text in "[\\\\u{}5c'=@ :#\u{1b}\u{9b}a]{0,12}") {
            let written = cell(&text);
            let inner = written.strip_prefix('"').and_then(|text| text.strip_suffix('"'));
            let inner = inner.map_or(written.clone(), |inner| inner.replace("\"\"", "\""));
            prop_assert_eq!(decode(inner.into()), text);
        }
    }
}
