//! The Common Log Format and the combined format, also with a host before the line or more fields after it, and Envoy's default
//! format.
//!
//! ```text
//! 127.0.0.1 - ann [21/Nov/2026:09:12:44 +0100] "GET /v1/chat HTTP/1.1" 200 57 "-" "curl/8"
//! api.test:443 127.0.0.1 - - [21/Nov/2026:09:12:44 +0100] "GET /v1/chat HTTP/1.1" 200 57
//! [2026-11-21T09:12:44.027Z] "GET /v1/chat HTTP/2" 200 - 0 57 3 2 "-" "curl/8" "-" "api.test" "10.0.2.1:80"
//! ```

use super::{LineFit, LinePieces, escapes};
use sundown_text_json::text::Span;

/// The pattern of a time as servers write it: `0` is a digit, `A` and `a` are letters. A `:` may be a space (Python's
/// `http.server`).
const TIME: &[u8] = b"00/Aaa/0000:00:00:00";
const ISO_TIME: &[u8] = b"0000-00-00T00:00:00";

/// The maximum number of bytes between a time and its closing bracket: a fraction and a zone.
const TIME_REST: usize = 16;

/// The number of fields after the request that are counted: status, size, referrer and user agent.
const COUNTED: usize = 4;

/// The reason why a line does not fit.
enum TimeMismatch {
    /// It ends too early.
    Ends,
    Differs,
}

/// Parses a line.
pub(super) fn read(text: &[u8]) -> LineFit<'static> {
    let (front, time) = match dated(text) {
        Ok(found) => found,
        Err(TimeMismatch::Ends) if text.contains(&b'[') => return LineFit::Cut,
        Err(TimeMismatch::Ends) => return LineFit::Begun,
        Err(TimeMismatch::Differs) => return LineFit::Not,
    };
    match request(text, time.end + 1) {
        Ok((request, status)) => LineFit::Whole(LinePieces {
            request: Some(request),
            host: host(front, text),
            started: Some(time),
            status: Some(status),
            agent: agent(text, status.end),
            ..LinePieces::default()
        }),
        Err(TimeMismatch::Ends) => LineFit::Cut,
        Err(TimeMismatch::Differs) => LineFit::Not,
    }
}

/// Finds the part before the time, and the time without its brackets.
fn dated(text: &[u8]) -> Result<(Span, Span), TimeMismatch> {
    let mut missed = TimeMismatch::Ends;
    for open in memchr::memchr_iter(b'[', text).take_while(|&open| open <= MAX_FRONT_BYTES) {
        let rest = text.get(open + 1..).unwrap_or_default();
        let front = Span::new(0, open);
        missed = TimeMismatch::Differs;
        let pattern = match open {
            0 => ISO_TIME,
            _ if words(front.slice(text)).count() >= 3 => TIME,
            _ => continue,
        };
        match time(rest, pattern) {
            Ok(length) => return Ok((front, Span::new(open + 1, open + 1 + length))),
            Err(TimeMismatch::Ends) => return Err(TimeMismatch::Ends),
            Err(TimeMismatch::Differs) => {}
        }
    }
    Err(missed)
}

/// The maximum length of host, client and user together.
const MAX_FRONT_BYTES: usize = 4 * 1024;

/// Returns the length of the time at the beginning of `text`, up to its bracket.
fn time(text: &[u8], pattern: &[u8]) -> Result<usize, TimeMismatch> {
    for (at, wanted) in pattern.iter().enumerate() {
        let byte = text.get(at).ok_or(TimeMismatch::Ends)?;
        let fits = match wanted {
            b'0' => byte.is_ascii_digit(),
            b'A' => byte.is_ascii_uppercase(),
            b'a' => byte.is_ascii_lowercase(),
            b':' => matches!(byte, b':' | b' '),
            other => byte == other,
        };
        if !fits {
            return Err(TimeMismatch::Differs);
        }
    }
    let rest = text.get(pattern.len()..).unwrap_or_default();
    let near = rest.get(..TIME_REST).unwrap_or(rest);
    match memchr::memchr(b']', near) {
        Some(end) => Ok(pattern.len() + end),
        None if near.len() == rest.len() => Err(TimeMismatch::Ends),
        None => Err(TimeMismatch::Differs),
    }
}

/// Finds the request line in quotes before a status, and the status. Some servers do not escape quotes in it, so it ends where a status
/// follows.
fn request(text: &[u8], start: usize) -> Result<(Span, Span), TimeMismatch> {
    begins_with(text.get(start..).unwrap_or_default(), b" \"")?;
    let start = start + 2;
    let rest = text.get(start..).unwrap_or_default();
    for end in memchr::memchr_iter(b'"', rest).filter(|&at| !escapes::is_escaped(rest, at)) {
        match status(rest.get(end + 1..).unwrap_or_default()) {
            Ok(status) => {
                let request = Span::new(start, start + end);
                return Ok((request, status.shifted(request.end + 1)));
            }
            Err(TimeMismatch::Ends) => return Err(TimeMismatch::Ends),
            Err(TimeMismatch::Differs) => {}
        }
    }
    Err(TimeMismatch::Ends)
}

fn begins_with(text: &[u8], literal: &[u8]) -> Result<(), TimeMismatch> {
    if text.starts_with(literal) {
        return Ok(());
    }
    Err(if literal.starts_with(text) {
        TimeMismatch::Ends
    } else {
        TimeMismatch::Differs
    })
}

/// Finds the word of three digits, or the dash, that follows a space.
fn status(text: &[u8]) -> Result<Span, TimeMismatch> {
    begins_with(text, b" ")?;
    let word = words(text).next().ok_or(TimeMismatch::Ends)?;
    let is_ended = word.len() + 1 < text.len();
    let start = text.iter().take_while(|byte| **byte == b' ').count();
    let found = Span::new(start, start + word.len());
    match word {
        b"-" => Ok(found),
        _ if !word.iter().all(u8::is_ascii_digit) || word.len() > 3 => Err(TimeMismatch::Differs),
        _ if word.len() == 3 => Ok(found),
        _ if is_ended => Err(TimeMismatch::Differs),
        _ => Err(TimeMismatch::Ends),
    }
}

/// Finds the user agent: the second of the fields in quotes after the status, in the combined format and in that of Envoy.
fn agent(text: &[u8], after: usize) -> Option<Span> {
    let mut at = after;
    for number in 0..2 {
        let rest = text.get(at..)?;
        let open = memchr::memchr(b'"', rest)? + 1;
        let inner = rest.get(open..)?;
        let close =
            memchr::memchr_iter(b'"', inner).find(|&quote| !escapes::is_escaped(inner, quote))?;
        if number == 1 {
            return Some(Span::new(at + open, at + open + close));
        }
        at += open + close + 1;
    }
    None
}

fn words(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|&byte| byte == b' ')
        .filter(|word| !word.is_empty())
}

/// Returns the virtual host before the client's address.
fn host(front: Span, text: &[u8]) -> Option<Span> {
    let mut words = words(front.slice(text));
    let host = words.next()?;
    let client = words.next()?;
    let is_address = client.iter().any(|byte| matches!(byte, b'.' | b':'));
    (is_address && words.count() >= 2).then(|| Span::new(0, host.len()))
}

/// Counts the fields after the request of a line, up to a maximum; an unterminated field in quotes does not count.
pub(super) fn fields_after_request(text: &[u8]) -> usize {
    let LineFit::Whole(LinePieces {
        request: Some(request),
        ..
    }) = read(text)
    else {
        return 0;
    };
    let mut rest = text.get(request.end + 1..).unwrap_or_default().trim_ascii();
    let mut count = 0;
    while count < COUNTED && !rest.is_empty() {
        let length = match rest.strip_prefix(b"\"") {
            None => memchr::memchr(b' ', rest).unwrap_or(rest.len()),
            Some(inner) => {
                let mut quotes = memchr::memchr_iter(b'"', inner);
                match quotes.find(|&at| !escapes::is_escaped(inner, at)) {
                    Some(end) => end + 2,
                    None => break,
                }
            }
        };
        count += 1;
        rest = rest.get(length..).unwrap_or_default().trim_ascii_start();
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    const COMBINED: &str = r#"127.0.0.1 - - [21/Nov/2026:09:12:44 +0100] "GET /v1/chat?a=1 HTTP/1.1" 200 57 "-" "curl/8""#;

    fn pieces(text: &str) -> Option<(&str, &str, Option<&str>)> {
        let LineFit::Whole(pieces) = read(text.as_bytes()) else {
            return None;
        };
        let part = |span: Span| &text[span.start..span.end];
        Some((
            part(pieces.request?),
            part(pieces.started?),
            pieces.host.map(part),
        ))
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
                (get, "2026-11-21T09:12:44.027Z", None),
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
                std::mem::discriminant(&read(line.as_bytes())),
                std::mem::discriminant(&LineFit::Whole(LinePieces::default())),
                "{line}"
            );
        }
    }

    #[test]
    fn a_line_that_is_cut_is_no_other_and_seen_to_be_shorter() {
        let whole = COMBINED.find("200").unwrap() + 3;
        let bracket = COMBINED.find('[').unwrap();
        for cut in 1..COMBINED.len() {
            let text = &COMBINED.as_bytes()[..cut];
            match read(text) {
                LineFit::Begun => assert!(cut <= bracket, "{cut}"),
                LineFit::Cut => assert!(cut > bracket && cut < whole, "{cut}"),
                LineFit::Whole(_) => {
                    assert!(cut >= whole && is_shorter_than_whole(text), "{cut}");
                }
                LineFit::Unfit | LineFit::Not => panic!("{cut}"),
            }
        }
    }

    fn is_shorter_than_whole(text: &[u8]) -> bool {
        fields_after_request(text) < fields_after_request(COMBINED.as_bytes())
    }
}
