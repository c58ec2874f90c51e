//! Calls the variant of each function for which the processor has instructions.

#[cfg(target_arch = "x86_64")]
use std::sync::LazyLock;

#[cfg(target_arch = "x86_64")]
use super::avx2;
use super::plain;
use super::token_list::{Reading, TokenList, Word};
use crate::json::marks::{Ends, Innermost, QuoteLevel};
use crate::json::teddy::{Hits, Windows};

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

    /// Returns the offset after the array or object whose content begins at `from`. Kinds of brackets are not distinguished: a
    /// mismatch is for the strict walker to report, and must not hide what follows.
    fn container_end(bytes: &[u8], from: usize) -> Option<usize>;

    /// Lists the tokens of the next stretch, up to its end or to a byte that is invalid in a string. Tokens are brackets, colons,
    /// commas, strings, and runs of all other bytes but white space.
    fn tokens(bytes: &[u8], reading: &mut Reading, list: &mut TokenList);

    /// Decodes the content of a string from its byte `at` on into `text` at `len`, up to the end of one of them, an uncommon escape
    /// or a control character. Returns both positions. Bytes of `text` after the decoded ones are undefined.
    fn unescape(bytes: &[u8], at: usize, text: &mut [u8], len: usize) -> (usize, usize);

    /// Counts the escapes, and lists the offsets of those that begin with `\u`.
    fn escapes(bytes: &[u8], unicode: &mut Vec<usize>) -> usize;

    /// Lists the quotes after which a key may end, one bit each: those that begin or end a string and are followed by a colon, white
    /// space, or a backslash that may belong to white space.
    fn key_ends(bytes: &[u8], level: QuoteLevel, words: &mut Vec<u64>);

    /// Lists the quotes and brackets of the array or object at the beginning, and returns the offset after it; `None` if it does not
    /// end. `alike` receives the opening quotes of strings that have the ends of one of the names at the right distance.
    fn marks_of_container(bytes: &[u8], level: QuoteLevel, names: &[Ends], words: &mut Vec<Word>, alike: &mut Vec<usize>) -> Option<usize>;

    /// Whether bytes that begin with a bracket are exactly one array or object, by its brackets.
    fn is_one_container(bytes: &[u8], level: QuoteLevel) -> bool;

    /// Lists the offsets at which one of the windows may begin: all at which one does, and some more.
    fn windows(bytes: &[u8], wanted: &Windows, found: &mut Vec<Hits>);

    /// Returns the container that is open at `at`, which is not inside a string, by the bytes down to `floor`.
    fn open_before(bytes: &[u8], at: usize, floor: usize, level: QuoteLevel) -> Innermost;
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
    use crate::json::teddy::Bytes;
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
        fn wide_and_plain_list_the_same_tokens(
            text in prop_oneof![text(), prop::collection::vec(0u8..=255, 0..300)],
            from in 0usize..70,
            more in 0usize..1100,
        ) {
            // Long enough for several stretches.
            let text = [vec![b' '; more], text].concat();
            let from = from.min(text.len());
            let tokens = |way: fn(&[u8], &mut Reading, &mut TokenList)| {
                let mut reading = Reading::from(from);
                let mut list = TokenList::default();
                let mut all = Vec::new();
                while reading.is_within(&text) {
                    way(&text, &mut reading, &mut list);
                    let places: Vec<_> = (0..list.count).map(|number| list.at(number)).collect();
                    let first: Vec<_> = (0..=list.len()).map(|number| list.first(number)).collect();
                    all.push((list.start, places, first, list.with_backslash));
                }
                all
            };
            prop_assert_eq!(tokens(super::tokens), tokens(plain::tokens));
        }

        #[test]
        fn wide_and_plain_write_down_the_same_ends_of_keys(text in text()) {
            for level in [QuoteLevel::Document, QuoteLevel::String] {
                let ends = |way: fn(&[u8], QuoteLevel, &mut Vec<u64>)| {
                    let mut words = vec![7];
                    way(&text, level, &mut words);
                    words
                };
                prop_assert_eq!(ends(key_ends), ends(plain::key_ends));
            }
        }

        #[test]
        fn wide_and_plain_write_down_the_same_of_a_container(text in text(), from in 0usize..70) {
            type Way = fn(&[u8], QuoteLevel, &[Ends], &mut Vec<Word>, &mut Vec<usize>) -> Option<usize>;
            let text = [b"{", &text[from.min(text.len())..], b"}"].concat();
            let names = [&b"a"[..], b"k", b"abcde", b"\\\"a"];
            let names: Vec<_> = names.into_iter().filter_map(Ends::of).collect();
            let both = [QuoteLevel::Document, QuoteLevel::String].into_iter();
            let of_both = both.flat_map(|level| names.windows(2).map(move |names| (level, names)));
            for (level, names) in of_both {
                let marks = |way: Way| {
                    let (mut words, mut alike) = (vec![Word::default()], vec![7]);
                    let end = way(&text, level, names, &mut words, &mut alike);
                    end.map(|end| (end, words, alike))
                };
                prop_assert_eq!(marks(marks_of_container), marks(plain::marks_of_container));
            }
            for level in [QuoteLevel::Document, QuoteLevel::String] {
                let (mut words, mut alike) = (Vec::new(), Vec::new());
                let end = plain::marks_of_container(&text, level, &[], &mut words, &mut alike);
                // What is behind it makes it no whole.
                for text in [&text[..], &text[..end.unwrap_or(text.len())]] {
                    assert_plain!(is_one_container(text, level));
                }
            }
        }

        #[test]
        fn wide_and_plain_see_the_same_bracket_before_a_place(
            text in text(),
            more in prop_oneof![2 => Just(0), 1 => 0usize..200],
            far in prop_oneof![2 => 0usize..130, 1 => Just(usize::MAX)],
        ) {
            let text = [text, vec![b'\\'; more], b"\"a\":{\"".to_vec()].concat();
            for level in [QuoteLevel::Document, QuoteLevel::String] {
                for at in 0..=text.len() {
                    assert_plain!(open_before(&text, at, at.saturating_sub(far), level));
                }
            }
        }

        #[test]
        fn windows_are_found_where_they_stand_and_where_wide_and_plain_say(
            text in prop_oneof![
                text(),
                prop::collection::vec(0u8..=255, 0..300),
                prop::collection::vec(text(), 30).prop_map(|texts| texts.concat()),
            ],
            inserted in prop::collection::vec((prop::sample::select(vec!["\\00", "\":]", "ace", "jln", "{:?", "aa1", "\\?6", "k1}"]), 0usize..8), 0..9),
        ) {
            let mut wanted = Windows::default();
            let bytes = |byte| if byte == b'?' { Bytes::ALL } else { Bytes::of(&[byte, b'1']) };
            for (window, set) in &inserted {
                let window = window.as_bytes();
                wanted.add([bytes(window[0]), bytes(window[1]), bytes(window[2])], *set);
            }
            let found = |way: fn(&[u8], &Windows, &mut Vec<Hits>)| {
                let mut found = Vec::new();
                way(&text, &wanted, &mut found);
                assert!(found.iter().all(|hits| hits.offsets().next().is_some()));
                found.into_iter().flat_map(Hits::offsets).collect::<Vec<_>>()
            };
            let expected = found(plain::windows);
            for (window, _) in inserted {
                let fits = |(byte, wanted): (&u8, &u8)| {
                    byte.is_ascii() && (*wanted == b'?' || byte == wanted || *byte == b'1')
                };
                let is_it = |at: &[u8]| at.iter().step_by(2).zip(window.as_bytes()).all(fits);
                let all = text.windows(5).enumerate().filter(|(_, at)| is_it(at));
                all.for_each(|(at, _)| assert!(expected.contains(&at), "{at}"));
            }
            prop_assert_eq!(found(windows), expected);
        }
    }
}
