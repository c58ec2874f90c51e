//! Text as TOML.

use std::fmt::Write as _;

use serde::Deserialize;

use super::sanitize::with_safety;

/// Reads a file that is compiled into the program. Texts without escapes can be borrowed. A mistake in it fails every test that comes
/// here.
pub fn read_own<'t, T: Deserialize<'t> + Default>(text: &'t str) -> T {
    let read: Result<T, _> = toml::from_str(text);
    debug_assert!(read.is_ok(), "{:?}", read.err());
    read.unwrap_or_default()
}

/// Makes a static with lists of words and, after a semicolon, of pairs of them. The file that has them says what each is.
#[macro_export]
macro_rules! word_lists {
    ($words:ident: $Words:ident = $file:expr; $($list:ident),*; $($pairs:ident),*) => {
        #[derive(Debug, Default, serde::Deserialize)]
        #[serde(rename_all = "kebab-case", deny_unknown_fields)]
        #[allow(missing_docs, reason = "the file of the words describes them")]
        pub(crate) struct $Words {
            $(pub $list: Vec<String>,)*
            $(pub $pairs: Vec<[String; 2]>,)*
        }

        /// The lists.
        pub(crate) static $words: std::sync::LazyLock<$Words> =
            std::sync::LazyLock::new(|| $crate::text::toml::read_own($file));
    };
}

/// Writes a basic string of TOML 1.0 on one line. What a terminal or a build log would interpret is escaped, too.
pub fn string(text: &str) -> String {
    let mut written = String::with_capacity(text.len() + 2);
    written.push('"');
    for (character, is_safe) in with_safety(text) {
        match character {
            '"' => written.push_str("\\\""),
            '\\' => written.push_str("\\\\"),
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            _ if is_safe => written.push(character),
            _ => {
                let _ = write!(written, "\\U{:08X}", u32::from(character));
            }
        }
    }
    written.push('"');
    written
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn every_text_survives_toml(text in any::<String>()) {
            let line = format!("key = {}", string(&text));
            prop_assert!(!line.chars().any(crate::text::is_unsafe) && !line.contains("##"), "{}", line);
            let table: toml::Table = line.parse().unwrap();
            prop_assert_eq!(table["key"].as_str(), Some(text.as_str()));
        }
    }
}
