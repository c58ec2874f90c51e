//! Text as XML or HTML in which nothing is markup.

use std::fmt::Write as _;

use super::escape_unsafe;

/// Escapes text for XML and HTML, content and attribute values alike (XML 1.0, section 2.4); line ends stay.
pub fn escape(text: &str) -> String {
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
                // XML has no notation for two of these (section 2.2), and in HTML all of them are errors; `escape_unsafe` spells
                // out the other such characters.
                _ if is_noncharacter(character) => {
                    let _ = write!(written, "\\u{{{:x}}}", u32::from(character));
                }
                plain => written.push(plain),
            }
        }
    }
    written
}

/// Whether Unicode reserves the code point for internal use.
fn is_noncharacter(character: char) -> bool {
    let code = u32::from(character);
    code & 0xfffe == 0xfffe || (0xfdd0..=0xfdef).contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_in_text_is_markup() {
        assert_eq!(
            escape("]]></a>&\"'\n\u{1b}\u{ffff}\u{1fffe}"),
            "]]&gt;&lt;/a&gt;&amp;&quot;&apos;\n\\u{1b}\\u{ffff}\\u{1fffe}"
        );
    }
}
