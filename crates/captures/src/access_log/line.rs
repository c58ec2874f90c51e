//! A line that may be one of an access log, whatever its format.

use crate::names::NAMES;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use crate::pieces::REQUEST_END;

/// Whether a line may belong to an access log in a known format: a document of many lines has none of these, and each format
/// costs time.
pub(crate) fn may_be_common(text: &[u8]) -> bool {
    static SIGNS: LazyLock<[Finder<'static>; 4]> =
        LazyLock::new(|| [REQUEST_END, b"BADREQ", b"\"- ", b"\"-\""].map(Finder::new));
    SIGNS.iter().any(|sign| sign.find(text).is_some()) || has_call(text)
}

/// Whether a line of unknown format has a method followed by a path or a URL.
pub(crate) fn has_call(text: &[u8]) -> bool {
    memchr::memchr_iter(b'/', text).any(|slash| {
        let before = text.get(..slash).unwrap_or_default();
        let is_url = text.get(slash + 1) == Some(&b'/');
        let mut schemes = ["http:", "https:"].iter().filter(|_| is_url);
        let scheme = schemes.find_map(|scheme| before.strip_suffix(scheme.as_bytes()));
        let before = scheme.unwrap_or(before);
        let end = before
            .iter()
            .rposition(|byte| !is_between(*byte))
            .map_or(0, |at| at + 1);
        let word = before.get(..end).unwrap_or_default();
        let method = word
            .iter()
            .rev()
            .take_while(|byte| byte.is_ascii_uppercase())
            .count();
        let around = word.get(..word.len() - method).and_then(<[u8]>::last);
        end < before.len() && method >= 3 && around.is_none_or(|byte| is_between(*byte))
    })
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| is_between(*byte))
        .filter(|word| !word.is_empty())
}

/// Whether a byte separates the words of a line.
fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || b"\"'[(|,;=".contains(&byte)
}

/// Whether a line has a time, a level or a status, as lines of logs do.
pub(crate) fn has_log_field(text: &[u8]) -> bool {
    words(text).any(|word| {
        let end = word.iter().rposition(u8::is_ascii_alphanumeric);
        let word = word.get(..end.map_or(0, |end| end + 1)).unwrap_or_default();
        let digits = word.iter().filter(|byte| byte.is_ascii_digit()).count();
        let is_time = digits >= 8 || digits >= 4 && word.contains(&b':');
        let is_status = digits == 3 && matches!(word, [b'1'..=b'5', _, _]);
        word.first().is_some_and(u8::is_ascii_digit) && (is_time || is_status)
            || NAMES
                .levels
                .iter()
                .any(|level| word.eq_ignore_ascii_case(level.as_bytes()))
    })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::line_pieces::{LineFit, LineMiss, LinePieces};
    use super::*;
    use crate::shapes::Logs;
    use sundown_text_json::text::Span;

    const COMBINED: &str = r#"127.0.0.1 - - [21/Nov/2026:09:12:44 +0100] "GET /v1/chat?a=1 HTTP/1.1" 200 57 "-" "curl/8""#;

    fn pieces(text: &str) -> Option<(&str, &str, Option<&str>)> {
        let logs = Logs::default();
        let LineFit::Whole(pieces) = logs.read_line(text.as_bytes()) else {
            return None;
        };
        let part = |span: Span| &text[span.start..span.end];
        Some((
            part(pieces.request?),
            part(pieces.started?),
            pieces.host.map(part),
        ))
    }

    proptest! {
        #[test]
        fn a_call_is_a_word_in_capitals_before_one_that_begins_like_an_address(
            pieces in prop::collection::vec(
                prop::sample::select(&["GET", "PUT", "x", "IT", " ", "\t\"", "/", "//", "http:", "https:", "=", "é"][..]),
                0..12,
            ),
        ) {
            let text = pieces.concat();
            let words: Vec<_> = words(text.as_bytes()).collect();
            let is_method = |word: &[u8]| word.len() >= 3 && word.iter().all(u8::is_ascii_uppercase);
            let starts: [&[u8]; 3] = [b"/", b"http://", b"https://"];
            let begins = |word: &[u8]| starts.iter().any(|start| word.starts_with(start));
            let expected = words.windows(2).any(|pair| is_method(pair[0]) && begins(pair[1]));
            prop_assert_eq!(has_call(text.as_bytes()), expected, "{:?}", text);
        }
    }

    #[test]
    fn lines_of_many_servers_are_known() {
        let time = "21/Nov/2026:09:12:44 +0100";
        let get = "GET / HTTP/1.1";
        for (line, expected) in [
            (COMBINED, ("GET /v1/chat?a=1 HTTP/1.1", time, None)),
            (
                r#"::1 - ann [21/Nov/2026:09:12:44 +0100] "GET / HTTP/1.1" 304 -"#,
                (get, time, None),
            ),
            (
                r#"api.test:443 10.0.0.1 - - [21/Nov/2026:09:12:44 +0100] "GET / HTTP/1.1" 200 5"#,
                (get, time, Some("api.test:443")),
            ),
            (
                r#"10.0.0.1 - Ann Other [21/Nov/2026:09:12:44 +0100] "GET / HTTP/1.1" 200 5 0.003 0.001"#,
                (get, time, None),
            ),
            (
                r#"127.0.0.1 - - [21/Nov/2026 09:12:44] "GET / HTTP/1.1" 200 -"#,
                (get, "21/Nov/2026 09:12:44", None),
            ),
            (
                r#"[2026-11-21T09:12:44.027Z] "GET / HTTP/1.1" 204 - 154 0 226 100 "-" "a" "b" "c" "d""#,
                (get, "2026-11-21T09:12:44.027Z", Some("c")),
            ),
            (
                r#"h - - [21/Nov/2026:09:12:44 +0100] "\x16\x03\"" 400 0"#,
                (r#"\x16\x03\""#, time, None),
            ),
            (
                r#"h - - [21/Nov/2026:09:12:44 +0100] "GET /a"b HTTP/1.1" 400 0"#,
                (r#"GET /a"b HTTP/1.1"#, time, None),
            ),
            (
                r#"h - - [21/Nov/2026:09:12:44 +0100] "-" 408 0"#,
                ("-", time, None),
            ),
        ] {
            assert_eq!(pieces(line), Some(expected), "{line}");
        }
    }

    #[test]
    fn other_lines_are_not() {
        for line in [
            "starting at [21/Nov/2026:09:12:44 +0100] \"x\" 200",
            "a b c [21/Nov/2026:09:12:44 +0100] GET / 200",
            "a b c [21/11/2026:09:12:44 +0100] \"GET / HTTP/1.1\" 200 1",
            "a b c [21/Nov/2026:09:12:44 +0100] \"GET / HTTP/1.1\" ok 1 ",
            "[1, 2]",
            "[error] 7#7: *1 open() failed",
        ] {
            assert_ne!(
                std::mem::discriminant(&Logs::default().read_line(line.as_bytes())),
                std::mem::discriminant(&LineFit::Whole(LinePieces::default())),
                "{line}"
            );
        }
    }

    #[test]
    fn a_line_that_is_cut_before_its_status_ends_is_no_other() {
        let whole = COMBINED.find("200").unwrap() + 3;
        let bracket = COMBINED.find('[').unwrap();
        for cut in 1..COMBINED.len() {
            let text = &COMBINED.as_bytes()[..cut];
            match Logs::default().read_line(text) {
                LineFit::Missed(LineMiss::Begun) => assert!(cut <= bracket, "{cut}"),
                LineFit::Missed(LineMiss::Cut) => assert!(cut > bracket && cut < whole, "{cut}"),
                LineFit::Whole(_) => assert!(cut >= whole, "{cut}"),
                LineFit::Missed(LineMiss::Not) => panic!("{cut}"),
            }
        }
    }
}
