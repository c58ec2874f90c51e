//! Finds the ends of HTTP/1.1 messages (RFC 9112) by their bytes alone, which may arrive in pieces.

use httparse::{EMPTY_HEADER, Header, ParserConfig, Status};

use sundown_exchange::Side;
use sundown_text_json::text::Span;

/// The boundaries of a message, as offsets from its beginning.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MessageFrame {
    /// Which half of an exchange it is.
    pub side: Side,
    /// The length of its head, including the empty line.
    pub head: usize,
    /// The pieces of its body: one, or one for each chunk; none without a body.
    pub pieces: Vec<Span>,
    pub end: usize,
    /// Whether the bytes end before the message does.
    pub is_cut: bool,
}

/// The result of a scan for the end of a message.
#[derive(Debug, PartialEq, Eq)]
pub enum FrameProgress {
    /// More bytes are needed.
    More,
    /// The message is complete, or no more of it will come.
    Done(MessageFrame),
    /// The bytes are not a message.
    Not,
}

/// The rule that determines the end of a message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Length {
    /// The body has this number of bytes.
    Bytes(usize),
    Chunked,
    /// The body ends with the connection.
    UntilClose,
}

/// The reason why there is no message.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FrameError {
    Malformed,
    TooManyFields,
}

/// Finds the end of a head.
enum HeadEnd {
    /// It is not in the bytes so far.
    Missing,
    /// At an empty line.
    Blank,
    /// Before the first line of another message, without an empty line.
    Before(usize),
}

/// Finds the end of one message.
#[derive(Debug)]
pub struct Framer {
    side: Side,
    head: Option<(usize, Length)>,
    /// The offset up to which the bytes have been scanned.
    at: usize,
    fault: FrameError,
    pieces: Vec<Span>,
    /// Whether the last chunk has been read, and only trailers follow.
    in_trailers: bool,
}

/// The largest head in bytes: several times what servers accept.
const MAX_HEAD: usize = 256 * 1024;

/// The initial capacity for header fields.
const FIELDS: usize = 64;

/// The largest number of header fields.
const MAX_FIELDS: usize = 4096;

/// The largest line with the size of a chunk, in bytes.
const MAX_CHUNK_LINE: usize = 4096;

/// The number of bytes in which the end of a request line is searched.
const MAX_REQUEST_LINE: usize = 16 * 1024;

/// The longest name of a method.
const MAX_METHOD: usize = 24;

impl Framer {
    pub fn new(side: Side) -> Self {
        Self {
            side,
            head: None,
            at: 0,
            fault: FrameError::Malformed,
            pieces: Vec::new(),
            in_trailers: false,
        }
    }

    /// Scans the bytes from the beginning of the message. Each call passes more of them; `ended` says that no more will
    /// come. How a response is read depends on the method of its request.
    pub fn advance(&mut self, bytes: &[u8], answers: Option<&str>, ended: bool) -> FrameProgress {
        if self.head.is_none() {
            if !could_begin(bytes, self.side) {
                return FrameProgress::Not;
            }
            match self.head_end(bytes) {
                HeadEnd::Missing if bytes.len() > MAX_HEAD => return FrameProgress::Not,
                HeadEnd::Missing if ended => return self.done(bytes.len(), true, bytes.len()),
                HeadEnd::Missing => return FrameProgress::More,
                HeadEnd::Before(end) => {
                    let is_cut = open_head(bytes.get(..end).unwrap_or(bytes), self.side)
                        .is_none_or(|head| head.has_body());
                    return self.done(end, is_cut, end);
                }
                HeadEnd::Blank => {}
            }
            match parse_head(bytes, self.side, answers) {
                Ok((length, body)) => {
                    self.head = Some((length, body));
                    self.at = length;
                }
                Err(fault) => {
                    self.fault = fault;
                    return FrameProgress::Not;
                }
            }
        }
        let Some((head, length)) = self.head else {
            return FrameProgress::Not;
        };
        match length {
            Length::Bytes(count) => {
                let end = head.saturating_add(count);
                if end <= bytes.len() {
                    self.piece(head, end);
                    self.done(head, false, end)
                } else if ended {
                    self.piece(head, bytes.len());
                    self.done(head, true, bytes.len())
                } else {
                    FrameProgress::More
                }
            }
            Length::Chunked => self.chunks(bytes, head, ended),
            Length::UntilClose if ended => {
                self.piece(head, bytes.len());
                self.done(head, false, bytes.len())
            }
            Length::UntilClose => FrameProgress::More,
        }
    }

    /// Whether the message ends with its connection.
    pub fn is_until_close(&self) -> bool {
        matches!(self.head, Some((_, Length::UntilClose)))
    }

    /// The number of bytes that are still missing, if the message states its length.
    pub fn missing(&self, have: usize) -> Option<usize> {
        match self.head {
            Some((head, Length::Bytes(count))) => head.saturating_add(count).checked_sub(have),
            _ => None,
        }
    }

    /// The reason why the text is not a message.
    pub fn fault(&self) -> FrameError {
        self.fault
    }

    /// The number of bytes to skip if there is no message: the lines that have been scanned, in which no message
    /// begins.
    pub fn passed(&self, bytes: &[u8]) -> usize {
        false_start(bytes, self.side).max(self.at.min(bytes.len()))
    }

    /// Finds the end of the head, and scans each line once.
    fn head_end(&mut self, bytes: &[u8]) -> HeadEnd {
        let begin = bytes
            .iter()
            .take_while(|byte| matches!(byte, b'\r' | b'\n'))
            .count();
        let bytes = bytes.get(..MAX_HEAD).unwrap_or(bytes);
        self.at = self.at.max(begin);
        while let Some(feed) = bytes
            .get(self.at..)
            .and_then(|rest| memchr::memchr(b'\n', rest))
        {
            let next = self.at + feed + 1;
            // A header field has no white space before its colon.
            if self.at > begin && is_first_line(bytes.get(self.at..next).unwrap_or_default()) {
                return HeadEnd::Before(self.at);
            }
            match bytes.get(next..) {
                Some([b'\n', ..] | [b'\r', b'\n', ..]) => return HeadEnd::Blank,
                Some([] | [b'\r']) | None => return HeadEnd::Missing,
                Some(_) => self.at = next,
            }
        }
        HeadEnd::Missing
    }

    fn piece(&mut self, start: usize, end: usize) {
        if start < end {
            self.pieces.push(Span::new(start, end));
        }
    }

    fn done(&mut self, head: usize, is_cut: bool, end: usize) -> FrameProgress {
        let pieces = std::mem::take(&mut self.pieces);
        FrameProgress::Done(MessageFrame {
            side: self.side,
            head,
            pieces,
            end,
            is_cut,
        })
    }

    fn chunks(&mut self, bytes: &[u8], head: usize, ended: bool) -> FrameProgress {
        loop {
            let rest = bytes.get(self.at..).unwrap_or_default();
            let Some(feed) = memchr::memchr(b'\n', rest) else {
                let broken = rest.len() > MAX_CHUNK_LINE;
                return self.wait(bytes.len(), head, ended || broken);
            };
            let line = rest.get(..feed).unwrap_or_default().trim_ascii();
            let behind = self.at + feed + 1;
            if self.in_trailers {
                self.at = behind;
                if line.is_empty() {
                    return self.done(head, false, behind);
                }
                continue;
            }
            let Some(size) = chunk_size(line) else {
                // The messages after it can no longer be separated.
                return self.done(head, true, self.at);
            };
            if size == 0 {
                self.in_trailers = true;
                self.at = behind;
                continue;
            }
            let end = behind.saturating_add(size);
            let Some(after) = bytes.get(end..) else {
                if ended {
                    self.piece(behind.min(bytes.len()), bytes.len());
                }
                return self.wait(bytes.len(), head, ended);
            };
            let line_end = match after {
                [b'\r', b'\n', ..] => 2,
                [b'\n', ..] => 1,
                [] | [b'\r'] if ended => {
                    self.piece(behind, end);
                    return self.done(head, true, bytes.len());
                }
                [] | [b'\r'] => return FrameProgress::More,
                _ => {
                    self.piece(behind, end);
                    return self.done(head, true, end);
                }
            };
            self.piece(behind, end);
            self.at = end + line_end;
        }
    }

    fn wait(&mut self, have: usize, head: usize, ended: bool) -> FrameProgress {
        if ended {
            self.done(head, true, have)
        } else {
            FrameProgress::More
        }
    }
}

/// Parses the size in a chunk's line (RFC 9112, section 7.1), without extensions.
fn chunk_size(line: &[u8]) -> Option<usize> {
    let digits = line.split(|&byte| byte == b';').next()?.trim_ascii();
    let text = std::str::from_utf8(digits).ok()?;
    let is_hex = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    if is_hex {
        usize::from_str_radix(text, 16).ok()
    } else {
        None
    }
}

/// The head of a message.
#[derive(Default)]
pub struct Head<'b> {
    /// The method of a request.
    pub method: Option<&'b str>,
    /// The request target as written.
    pub target: Option<&'b str>,
    /// The position of the target in the file, if the text of the message does not contain it.
    pub target_span: Option<Span>,
    /// The host that HTTP/2 names outside of the fields.
    pub authority: Option<&'b str>,
    /// The status of a response.
    pub status: u16,
    pub fields: Vec<Header<'b>>,
    /// The positions of the names of the fields in the file, if the text of the message does not contain them.
    pub name_spans: Vec<Span>,
}

/// Parses a complete head, and returns it with its length.
pub(crate) fn head_of(bytes: &[u8], side: Side) -> Option<(usize, Head<'_>)> {
    read_head(bytes, side).ok()
}

fn read_head(bytes: &[u8], side: Side) -> Result<(usize, Head<'_>), FrameError> {
    let mut room = FIELDS;
    loop {
        match head_within(bytes, side, room) {
            Err(FrameError::TooManyFields) if room < MAX_FIELDS => room *= 4,
            other => return other,
        }
    }
}

/// Parses a head with at most `room` header fields.
fn head_within(bytes: &[u8], side: Side, room: usize) -> Result<(usize, Head<'_>), FrameError> {
    let mut fields = vec![EMPTY_HEADER; room];
    let mut config = ParserConfig::default();
    config
        .allow_spaces_after_header_name_in_responses(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .allow_multiple_spaces_in_request_line_delimiters(true)
        .ignore_invalid_headers_in_requests(true)
        .ignore_invalid_headers_in_responses(true);
    let mut head = Head::default();
    let parsed = match side {
        Side::Request => {
            let mut request = httparse::Request::new(&mut fields);
            let parsed = config.parse_request(&mut request, bytes);
            (head.method, head.target) = (request.method, request.path);
            head.fields = request.headers.to_vec();
            parsed
        }
        Side::Response => {
            let mut response = httparse::Response::new(&mut fields);
            let parsed = config.parse_response(&mut response, bytes);
            head.status = response.code.unwrap_or_default();
            head.fields = response.headers.to_vec();
            parsed
        }
    };
    match parsed {
        Ok(Status::Complete(length)) => Ok((length, head)),
        Err(httparse::Error::TooManyHeaders) => Err(FrameError::TooManyFields),
        _ => Err(FrameError::Malformed),
    }
}

/// Parses a head that ends without an empty line, because the next message begins there.
pub(crate) fn open_head(bytes: &[u8], side: Side) -> Option<Head<'_>> {
    let mut lines = bytes.trim_ascii().split(|&byte| byte == b'\n');
    let mut words = std::str::from_utf8(lines.next()?)
        .ok()?
        .split_ascii_whitespace();
    let first = words.next()?;
    let second = words.next()?;
    let fields = lines.filter_map(field).take(MAX_FIELDS).collect();
    Some(match side {
        Side::Request => Head {
            method: Some(first),
            target: Some(second),
            fields,
            ..Head::default()
        },
        Side::Response => Head {
            status: second.parse().ok()?,
            fields,
            ..Head::default()
        },
    })
}

/// A line with a header field.
fn field(line: &[u8]) -> Option<Header<'_>> {
    let colon = memchr::memchr(b':', line)?;
    let (name, value) = line.split_at_checked(colon)?;
    let name = std::str::from_utf8(name).ok()?;
    let is_named = !name.is_empty()
        && name
            .as_bytes()
            .iter()
            .all(|byte| byte.is_ascii_graphic() && !b"\"(),/:;<=>?@[\\]{}".contains(byte));
    is_named.then(|| Header {
        name,
        value: value.get(1..).unwrap_or_default().trim_ascii(),
    })
}

/// Whether a line is a header field, judging by its name.
pub fn is_field(line: &[u8]) -> bool {
    field(line).is_some()
}

/// Whether a line is a complete request line or status line.
pub fn is_first_line(line: &[u8]) -> bool {
    let line = line.trim_ascii_end();
    if let Some(rest) = line.strip_prefix(b"HTTP/1.") {
        return matches!(rest, [b'0' | b'1', b' ', b'1'..=b'5', b'0'..=b'9', b'0'..=b'9', reason @ ..] if matches!(reason.first(), None | Some(b' ')));
    }
    let Some(front) = [&b" HTTP/1.1"[..], b" HTTP/1.0"]
        .iter()
        .find_map(|version| line.strip_suffix(*version))
    else {
        return false;
    };
    let method = front.iter().take_while(|&&byte| is_method(byte)).count();
    let target = front
        .get(method..)
        .and_then(|rest| rest.strip_prefix(b" "))
        .unwrap_or_default()
        .trim_ascii();
    let is_target = !target.is_empty() && !target.iter().any(|&byte| byte <= b' ');
    (1..=MAX_METHOD).contains(&method) && is_target
}

fn is_method(byte: u8) -> bool {
    byte.is_ascii_uppercase() || matches!(byte, b'-' | b'_')
}

impl<'b> Head<'b> {
    /// The values of the header fields of this name that are UTF-8.
    pub fn values(&self, name: &str) -> impl Iterator<Item = &'b str> {
        self.fields
            .iter()
            .filter(move |field| field.name.eq_ignore_ascii_case(name))
            .filter_map(|field| std::str::from_utf8(field.value).ok())
            .map(str::trim)
    }

    /// Whether the head announces a body.
    fn has_body(&self) -> bool {
        let is_long = self
            .list("content-length")
            .first()
            .is_some_and(|length| length != "0");
        is_long || !self.list("transfer-encoding").is_empty()
    }

    /// The items that the fields of this name list, in order and in lower case.
    pub fn list(&self, name: &str) -> Vec<String> {
        self.values(name)
            .flat_map(|value| value.split(','))
            .map(|part| part.trim().to_ascii_lowercase())
            .filter(|part| !part.is_empty())
            .collect()
    }
}

/// Returns the length of a head, and the rule for the end of the body (RFC 9112, section 6.3).
fn parse_head(
    bytes: &[u8],
    side: Side,
    answers: Option<&str>,
) -> Result<(usize, Length), FrameError> {
    let (length, head) = read_head(bytes, side)?;
    let codings = head.list("transfer-encoding");
    let is_bodiless = side == Side::Response
        && (matches!(head.status, 100..=199 | 204 | 304)
            || answers == Some("HEAD")
            || answers == Some("CONNECT") && matches!(head.status, 200..=299));
    let body = if is_bodiless {
        Length::Bytes(0)
    } else if codings.last().is_some_and(|coding| coding == "chunked") {
        Length::Chunked
    } else if let Some(count) = head.list("content-length").first() {
        // A length that no body can have counts as a cut message.
        Length::Bytes(if count.bytes().all(|byte| byte.is_ascii_digit()) {
            count.parse().unwrap_or(usize::MAX)
        } else {
            return Err(FrameError::Malformed);
        })
    } else if side == Side::Request {
        Length::Bytes(0)
    } else {
        Length::UntilClose
    };
    Ok((length, body))
}

/// Whether a message of this side could begin with these bytes.
pub fn could_begin(bytes: &[u8], side: Side) -> bool {
    let bytes = bytes.trim_ascii_start();
    match side {
        Side::Response => {
            let mark = b"HTTP/1.";
            let known = mark.len().min(bytes.len());
            bytes.get(..known) == mark.get(..known)
        }
        Side::Request => {
            let method = bytes.iter().take_while(|&&byte| is_method(byte)).count();
            if method > MAX_METHOD || bytes.starts_with(b"PRI * HTTP/2") {
                return false;
            }
            match bytes.get(method) {
                None => true,
                Some(b' ') if method > 0 => request_line(bytes),
                Some(_) => false,
            }
        }
    }
}

/// Whether the first line is that of a request, as far as it is present.
fn request_line(bytes: &[u8]) -> bool {
    let line = bytes
        .split(|&byte| byte == b'\n')
        .next()
        .unwrap_or_default();
    let is_whole = line.len() < bytes.len();
    if line.len() > MAX_REQUEST_LINE || line.iter().any(|&byte| byte < b' ' && byte != b'\r') {
        return false;
    }
    !is_whole || {
        let line = line.trim_ascii_end();
        line.ends_with(b" HTTP/1.1") || line.ends_with(b" HTTP/1.0")
    }
}

/// Returns the side of the message with which the bytes begin.
pub fn side_at(bytes: &[u8]) -> Side {
    if bytes.trim_ascii_start().starts_with(b"HTTP/") {
        Side::Response
    } else {
        Side::Request
    }
}

/// Finds the next message of one of these sides from an offset on, by its complete first line, which may be anywhere.
pub fn next_start(bytes: &[u8], from: usize, sides: &[Side]) -> Option<usize> {
    let mut at = from;
    loop {
        let found = at + memchr::memmem::find(bytes.get(at..)?, b"HTTP/1.")?;
        // Bounded by the longest line, so that the search stays linear.
        let near = bytes.get(found..bytes.len().min(found + MAX_REQUEST_LINE))?;
        let feed = memchr::memchr(b'\n', near);
        let line = near.get(..feed.unwrap_or(near.len()))?;
        let is_whole = feed.is_some();
        let rest = line.get(7..).unwrap_or_default().trim_ascii_end();
        match rest {
            // A version at the end of its line, after a method and a target.
            [b'0' | b'1'] if is_whole && sides.contains(&Side::Request) => {
                let start = request_start(bytes, from, found);
                if start.is_some() {
                    return start;
                }
            }
            [
                b'0' | b'1',
                b' ',
                b'1'..=b'5',
                b'0'..=b'9',
                b'0'..=b'9',
                reason @ ..,
            ] if is_whole
                && sides.contains(&Side::Response)
                && matches!(reason.first(), None | Some(b' '))
                && !reason
                    .iter()
                    .any(|byte| matches!(byte, b'"' | b'\\') || *byte < b' ') =>
            {
                return Some(found);
            }
            _ => {}
        }
        at = found + 1;
    }
}

/// The number of bytes to skip if no message begins here: the whole line if it looks like one, because its rest may,
/// too.
pub(crate) fn false_start(bytes: &[u8], side: Side) -> usize {
    let line = memchr::memchr(b'\n', bytes).map_or(bytes.len(), |feed| feed + 1);
    if could_begin(bytes, side) {
        line.max(1)
    } else {
        1
    }
}

/// Finds the beginning of the request line with its version at `version`.
fn request_start(bytes: &[u8], from: usize, version: usize) -> Option<usize> {
    let before = bytes.get(from..version)?.strip_suffix(b" ")?;
    let near = before.len().saturating_sub(MAX_REQUEST_LINE);
    let space = near + memchr::memrchr(b' ', before.get(near..)?)?;
    let target = before.get(space + 1..)?;
    let is_target = target
        .first()
        .is_some_and(|&byte| byte == b'/' || byte == b'*' || byte.is_ascii_alphanumeric())
        && target
            .iter()
            .all(|byte| byte.is_ascii_graphic() || !byte.is_ascii());
    let method = before
        .get(..space)?
        .iter()
        .rev()
        .take_while(|byte| byte.is_ascii_uppercase() || **byte == b'-')
        .count();
    (is_target && (3..=MAX_METHOD).contains(&method)).then(|| from + space - method)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(bytes: &[u8], side: Side, answers: Option<&str>) -> FrameProgress {
        Framer::new(side).advance(bytes, answers, true)
    }

    /// The result does not depend on the sizes of the pieces.
    fn bit_by_bit(bytes: &[u8], side: Side, answers: Option<&str>) -> FrameProgress {
        let mut framer = Framer::new(side);
        for end in 1..bytes.len() {
            match framer.advance(&bytes[..end], answers, false) {
                FrameProgress::More => {}
                done => return done,
            }
        }
        framer.advance(bytes, answers, true)
    }

    fn frame(bytes: &[u8], side: Side, answers: Option<&str>) -> (Vec<String>, usize, bool) {
        let done = whole(bytes, side, answers);
        assert_eq!(bit_by_bit(bytes, side, answers), done);
        let FrameProgress::Done(frame) = done else {
            panic!("{done:?}")
        };
        let text = |span: &Span| String::from_utf8(span.slice(bytes).to_vec()).unwrap();
        (
            frame.pieces.iter().map(text).collect(),
            frame.end,
            frame.is_cut,
        )
    }

    #[test]
    fn bodies_end_where_their_heads_say() {
        let ask = b"POST /a HTTP/1.1\r\nContent-Length: 3\r\n\r\nabcGET";
        assert_eq!(
            frame(ask, Side::Request, None),
            (vec!["abc".into()], ask.len() - 3, false)
        );
        let bare = b"GET /a HTTP/1.1\n\nGET /b";
        assert_eq!(frame(bare, Side::Request, None), (vec![], 17, false));
        let open = b"HTTP/1.0 200 OK\r\n\r\nall of it";
        assert_eq!(
            frame(open, Side::Response, None),
            (vec!["all of it".into()], open.len(), false)
        );
        for (status, method) in [
            ("204 No", "GET"),
            ("304 Not", "GET"),
            ("100 Continue", "POST"),
            ("200 OK", "HEAD"),
        ] {
            let answer = format!("HTTP/1.1 {status}\r\nContent-Length: 9\r\n\r\nHTTP");
            let (pieces, end, cut) = frame(answer.as_bytes(), Side::Response, Some(method));
            assert_eq!(
                (pieces.len(), end, cut),
                (0, answer.len() - 4, false),
                "{status}"
            );
        }
    }

    #[test]
    fn chunks_are_pieces_and_trailers_end_them() {
        let answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\n\r\n3\r\nabc\r\nA;x=1\r\n0123456789\r\n0\r\nT: 1\r\n\r\nHTTP";
        let (pieces, end, cut) = frame(answer, Side::Response, None);
        assert_eq!(
            (pieces, end, cut),
            (
                vec!["abc".into(), "0123456789".into()],
                answer.len() - 4,
                false
            )
        );
    }

    #[test]
    fn what_is_cut_says_so_wherever_it_is() {
        let answer = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n";
        for end in 1..answer.len() {
            assert!(frame(&answer[..end], Side::Response, None).2, "{end}");
        }
    }

    #[test]
    fn lengths_that_lie_are_borne() {
        for head in [
            "Content-Length: 99999999999999999999999",
            "Content-Length: 18446744073709551615",
        ] {
            let ask = format!("POST /a HTTP/1.1\r\n{head}\r\n\r\nabc");
            assert!(frame(ask.as_bytes(), Side::Request, None).2, "{head}");
        }
        for size in ["FFFFFFFFFFFFFFFF", "FFFFFFFFFFFFFFFFFFFF", "-1", "zz"] {
            let answer =
                format!("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n{size}\r\nabc\r\n");
            assert!(frame(answer.as_bytes(), Side::Response, None).2, "{size}");
        }
        let odd = b"POST /a HTTP/1.1\r\nContent-Length: -1\r\n\r\nabc";
        assert_eq!(whole(odd, Side::Request, None), FrameProgress::Not);
    }

    #[test]
    fn bytes_that_are_not_a_message_are_refused_early() {
        for bytes in [
            &b"\x16\x03\x01\x02"[..],
            b"PRI * HTTP/2.0\r\n\r\n",
            b"SSH-2.0-x\r\n",
            b"get / HTTP/1.1\r\n",
            b"GET /a\0",
        ] {
            assert!(!could_begin(bytes, Side::Request), "{bytes:?}");
        }
        assert!(!could_begin(b"\x16\x03", Side::Response) && could_begin(b"HTT", Side::Response));
    }

    #[test]
    fn the_next_message_is_found_behind_anything() {
        let both = [Side::Request, Side::Response];
        let text =
            b"xx\"a\": \"HTTP/1.1 200 OK\"}POST /a?b HTTP/1.1\r\nHost: x\r\n\r\nHTTP/1.1 200\r\n";
        assert_eq!(next_start(text, 0, &both), Some(25));
        assert_eq!(
            next_start(text, 30, &both),
            memchr::memmem::find(text, b"HTTP/1.1 200\r")
        );
        assert_eq!(
            next_start(text, 0, &[Side::Response]),
            next_start(text, 30, &both)
        );
        assert_eq!(next_start(b"GET /a HTTP/1.1", 0, &both), None);
    }
}
