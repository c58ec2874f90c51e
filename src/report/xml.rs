//! Text as XML in which nothing is markup.

use std::fmt::Write as _;

use crate::text::escape_unsafe;

/// Escapes text for XML content and attribute values alike (XML 1.0, section 2.4); line ends stay.
pub(super) fn escape(text: &str) -> String {
    let mut written = String::new();
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            written.push('\n');
        }
        for character in escape_unsafe(line).chars() {
            match character {
                '&' => written.push_str("&amp;"),
                '<' => written.push_str("&lt;"),
                '>' => written.push_str("&gt;"),
                '"' => written.push_str("&quot;"),
                '\'' => written.push_str("&apos;"),
                // XML has no notation for these two (section 2.2); `escape_unsafe` spells out the other such characters.
                '\u{fffe}' | '\u{ffff}' => {
                    let _ = write!(written, "\\u{{{:x}}}", u32::from(character));
                }
                plain => written.push(plain),
            }
        }
    }
    written
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_text_is_markup() {
        assert_eq!(
            escape("]]></a>&\"'\n\u{1b}\u{ffff}"),
            "]]&gt;&lt;/a&gt;&amp;&quot;&apos;\n\\u{1b}\\u{ffff}"
        );
    }
}
