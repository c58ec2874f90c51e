//! Request lines of HTTP/1 (RFC 9112, section 3), as logs have them.

use sundown_exchange::Method;
use sundown_text_json::text::Span;

/// What ends a request line in all common formats of logs.
pub(super) const REQUEST_END: &[u8] = b" HTTP/";

/// Returns the method and the position of the target of a request line (RFC 9112, section 3). The target may contain spaces if
/// a version follows; else, what follows a space is none of it: HTTP/0.9 has no version, and some servers write `1.1` alone.
pub(super) fn split_request(line: &[u8], request: Span) -> Option<(Method, Span)> {
    let text = request.slice(line);
    let first = memchr::memchr(b' ', text)?;
    let rest = text.get(first + 1..)?;
    let version = memchr::memrchr(b' ', rest).filter(|&at| {
        rest.get(at + 1..)
            .is_some_and(|word| word.starts_with(b"HTTP/"))
    });
    let end = version.or_else(|| rest.iter().position(u8::is_ascii_whitespace));
    let target = rest.get(..end.unwrap_or(rest.len()))?;
    let is_target = match target.first() {
        None => false,
        Some(b'/') => true,
        Some(_) => version.is_some(),
    };
    if !is_target {
        return None;
    }
    let method = parse_method(line, Span::new(request.start, request.start + first))?;
    let start = request.start + first + 1;
    Some((method, Span::new(start, start + target.len())))
}

/// Parses the method at a position in a line.
pub(super) fn parse_method(line: &[u8], span: Span) -> Option<Method> {
    Method::parse(std::str::from_utf8(span.slice(line)).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(request: &str) -> Option<(String, &str)> {
        let (method, target) = split_request(request.as_bytes(), Span::new(0, request.len()))?;
        Some((
            method.as_str().to_owned(),
            &request[target.start..target.end],
        ))
    }

    #[test]
    fn request_lines_are_split_into_method_and_target() {
        for (request, (method, target)) in [
            ("GET / HTTP/1.1", ("GET", "/")),
            ("POST /a b?c d HTTP/2.0", ("POST", "/a b?c d")),
            ("GET http://h.test/x HTTP/1.0", ("GET", "http://h.test/x")),
            ("OPTIONS * HTTP/1.1", ("OPTIONS", "*")),
            ("GET /old", ("GET", "/old")),
            ("GET /x 2", ("GET", "/x")),
            ("GET /x 1.1", ("GET", "/x")),
        ] {
            assert_eq!(
                split(request),
                Some((method.to_owned(), target)),
                "{request}"
            );
        }
    }

    #[test]
    fn other_texts_are_not_requests() {
        for request in [
            "-",
            "",
            "\\x16\\x03\\x01",
            "GET",
            "GET ",
            "HELO mail.test",
            "\\x00 / HTTP/1.1",
            " / HTTP/1.1",
            "- / HTTP/1.1",
        ] {
            assert_eq!(split(request), None, "{request}");
        }
    }
}
