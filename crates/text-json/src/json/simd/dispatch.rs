//! Calls the variant of each function for which the processor has instructions.

#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::plain;
use super::word::Word;
use crate::json::quote_level::QuoteLevel;

/// Defines functions that call the AVX2 variant if the processor has the instructions, else the plain one.
macro_rules! dispatch {
    ($($(#[$about:meta])* fn $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?;)*) => {$(
        $(#[$about])*
        #[inline]
        pub(in crate::json) fn $name($($argument: $type),*) $(-> $result)? {
            #[cfg(target_arch = "x86_64")]
            if has_avx2() {
                // SAFETY: the processor has the instructions that the function is compiled for.
                return unsafe { avx2::$name($($argument),*) };
            }
            plain::$name($($argument),*)
        }
    )*};
}

dispatch! {
    /// Returns the offset after the string whose content begins at `from`.
    fn string_end(bytes: &[u8], from: usize) -> Option<usize>;

    /// Validates the string whose content begins at `from` (RFC 8259, section 7), and returns the offset after it; or that of what is
    /// wrong: a control character, an escape, or the end.
    fn string(bytes: &[u8], from: usize) -> Result<usize, usize>;

    /// Returns the offset after the array or object whose content begins at `from`. Kinds of brackets are not distinguished: a
    /// mismatch is for the strict walker to report, and must not hide what follows.
    fn container_end(bytes: &[u8], from: usize) -> Option<usize>;

    /// Decodes the content of a string from its byte `at` on into `text` at `len`, up to the end of one of them, an uncommon escape
    /// or a control character. Returns both positions. Bytes of `text` after the decoded ones are undefined.
    fn unescape(bytes: &[u8], at: usize, text: &mut [u8], len: usize) -> (usize, usize);

    /// Counts the escapes, and lists the offsets of those that begin with `\u`.
    fn escapes(bytes: &[u8], unicode: &mut Vec<usize>) -> usize;

    /// Lists the marks of each 64 bytes.
    fn index(bytes: &[u8], level: QuoteLevel, words: &mut Vec<Word>);
}

/// Whether the processor has AVX2 and what comes with it, which is detected once.
#[cfg(target_arch = "x86_64")]
#[inline]
fn has_avx2() -> bool {
    static FOUND: LazyLock<bool> = LazyLock::new(|| {
        is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("pclmulqdq")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("popcnt")
    });
    *FOUND
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Brackets, quotes and runs of backslashes over several blocks of 64 bytes.
    fn text() -> impl Strategy<Value = Vec<u8>> {
        let piece = prop::sample::select(
            &[
                "{",
                "}",
                "[",
                "]",
                "\"",
                "\\",
                "\\\\",
                "\\\"",
                "\"a\"",
                "\"a\":",
                "\\\"a\\\" :",
                "abcdefghijklmnop",
                ",",
                "\"\\\\\\\"}{\"",
                "{\"k\":[1,2]}",
                "\n",
                "\\u0061",
                "\\n",
                "\\t\\r",
                "\\/",
                "\\b",
                "\\x",
                "\\u00g0",
                "\u{1}",
                "é",
            ][..],
        );
        prop::collection::vec(piece, 0..80).prop_map(|pieces| pieces.concat().into_bytes())
    }

    /// Holds the results of a function and its plain variant equal.
    macro_rules! assert_plain {
        ($name:ident($($argument:expr),*)) => {
            prop_assert_eq!($name($($argument),*), plain::$name($($argument),*));
        };
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        #[test]
        fn wide_and_plain_find_the_same_ends(text in text(), from in 0usize..70) {
            let text = [text.as_slice(), b"}"].concat();
            let from = from.min(text.len());
            assert_plain!(string_end(&text, from));
            assert_plain!(string(&text, from));
            assert_plain!(container_end(&text, from));
        }

        #[test]
        fn wide_and_plain_find_the_same_escapes(text in text()) {
            let escapes = |way: fn(&[u8], &mut Vec<usize>) -> usize| {
                let mut unicode = vec![7];
                (way(&text, &mut unicode), unicode)
            };
            prop_assert_eq!(escapes(super::escapes), escapes(plain::escapes));
        }

        #[test]
        fn wide_and_plain_unescape_alike(text in text(), extra in 0usize..80) {
            type Way = fn(&[u8], usize, &mut [u8], usize) -> (usize, usize);
            let unescaped = |way: Way| {
                let mut decoded = vec![0; text.len() + extra];
                let (at, len) = way(&text, 0, &mut decoded, 0);
                decoded.truncate(len);
                (at, decoded)
            };
            prop_assert_eq!(unescaped(unescape), unescaped(plain::unescape));
        }

        #[test]
        fn wide_and_plain_give_the_same_index(text in prop_oneof![text(), prop::collection::vec(0u8..=255, 0..300)]) {
            for level in [QuoteLevel::Document, QuoteLevel::String] {
                let words = |way: fn(&[u8], QuoteLevel, &mut Vec<Word>)| {
                    let mut words = vec![Word::default()];
                    way(&text, level, &mut words);
                    words
                };
                prop_assert_eq!(words(index), words(plain::index));
            }
        }
    }
}
