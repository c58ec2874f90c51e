//! Hurl files (`.hurl`): requests, and the responses that they expect: <https://hurl.dev/docs/hurl-file.html>.
//!
//! The file is read line by line. Nothing separates its entries but the first line of the next one. Files that are named
//! are not opened, and values that earlier responses give are not known.

use std::borrow::Cow;

use crate::file_head::{FileHead, begins_with_any, blank_length, contains};
use crate::line_spans::LineSpans;
use crate::messages::{BodyContent, CallEmitter, StoredForm, Variables};
use sundown_exchange::{
    Call, Exchange, FormKind, HeaderFields, MappedText, Method, QueryParameter, Reason, RecordSink,
    Unread, decode_base64, hex_bytes,
};
use sundown_text_json::Limits;
use sundown_text_json::json::scan;
use sundown_text_json::text::{Block, Span};

/// The fence of a string of several lines.
const FENCE: &[u8] = b"```";

/// Whether a file is in this format: it begins with a request, and has a sign that request files of editors do not have.
pub(crate) fn is_hurl(head: &FileHead<'_>) -> bool {
    let lines = LineSpans::of_head(head);
    let mut requests = 0;
    let mut is_separated = false;
    for line in lines.map(|line| line.slice(head.bytes)) {
        is_separated |= line.starts_with(b"###");
        if is_blank(line) {
            continue;
        }
        let url = request_line(line).map(|(_, url)| url);
        let is_request = url.is_some_and(|url| is_absolute(url.slice(line)));
        // Messages as they were sent state a version.
        let after = url.and_then(|url| line.get(url.end..)).unwrap_or_default();
        if after.trim_ascii_start().starts_with(b"HTTP/") {
            return false;
        }
        if requests == 0 && !is_request {
            return false;
        }
        requests += usize::from(is_request);
        if is_response_line(line) || Section::parse(line).is_some() || is_encoded_body(line) {
            return true;
        }
    }
    requests > 1 && !is_separated
}

/// Whether a line is a body in base64 or hexadecimal digits.
fn is_encoded_body(line: &[u8]) -> bool {
    let digits = line
        .strip_prefix(b"base64,")
        .or_else(|| line.strip_prefix(b"hex,"))
        .and_then(|rest| without_comment(rest).trim_ascii_end().strip_suffix(b";"));
    digits.is_some_and(|digits| {
        digits
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"+/=".contains(byte))
    })
}

/// Whether a URL is not a path alone: a variable may have all of it.
pub(super) fn is_absolute(url: &[u8]) -> bool {
    begins_with_any(url, &[b"http://", b"https://", b"{{"])
}

/// Whether a line is empty or a comment.
fn is_blank(line: &[u8]) -> bool {
    matches!(line.trim_ascii().first(), None | Some(b'#'))
}

/// The positions of the method and the URL in a line that begins a request.
fn request_line(line: &[u8]) -> Option<(Span, Span)> {
    let start = blank_length(line);
    let rest = line.get(start..)?;
    let length = rest
        .iter()
        .take_while(|byte| byte.is_ascii_uppercase())
        .count();
    let after = rest.get(length..)?;
    let space = blank_length(after);
    let url = after.get(space..)?;
    let url = url.get(..url_length(url))?;
    // Old versions of Hurl guessed the scheme.
    let is_url = is_absolute(url) || url.contains(&b'/') && !url.starts_with(b":");
    if length == 0 || space == 0 || !is_url || rest.starts_with(b"HTTP ") {
        return None;
    }
    let from = start + length + space;
    Some((
        Span::new(start, start + length),
        Span::new(from, from + url.len()),
    ))
}

/// The length of a URL: it ends at white space outside of templates.
pub(super) fn url_length(text: &[u8]) -> usize {
    let mut depth = 0usize;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ if byte.is_ascii_whitespace() && depth == 0 => return at,
            _ => {}
        }
    }
    text.trim_ascii_end().len()
}

/// Whether a line begins a request or an expected response.
fn begins_message(line: &[u8]) -> bool {
    request_line(line).is_some() || is_response_line(line)
}

/// Whether a line begins an expected response: `HTTP 200`, `HTTP/1.1 200`, `HTTP *`.
fn is_response_line(line: &[u8]) -> bool {
    let Some(rest) = line.trim_ascii_start().strip_prefix(b"HTTP") else {
        return false;
    };
    let version = rest
        .iter()
        .take_while(|byte| !byte.is_ascii_whitespace())
        .count();
    let (version, status) = rest.split_at(version);
    let is_version = version.is_empty() || version.starts_with(b"/");
    let status = without_comment(status).trim_ascii();
    is_version && (status == b"*" || !status.is_empty() && status.iter().all(u8::is_ascii_digit))
}

/// The text up to a `#` that is not escaped.
fn without_comment(text: &[u8]) -> &[u8] {
    up_to(text, b'#')
}

/// The text up to a sign that is not escaped.
fn up_to(text: &[u8], sign: u8) -> &[u8] {
    let mut is_escaped = false;
    let mut parts = text.split(|byte| {
        let is_plain = !is_escaped;
        is_escaped = *byte == b'\\' && is_plain;
        *byte == sign && is_plain
    });
    parts.next().unwrap_or_default()
}

/// The meaning of the lines in a part of an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Section {
    Headers,
    Query,
    Form,
    Multipart,
    Cookies,
    BasicAuth,
    Options,
    /// `[Captures]` and `[Asserts]`.
    Checks,
}

impl Section {
    /// The section that a line like `[Query]` begins.
    fn parse(line: &[u8]) -> Option<Self> {
        let name = without_comment(line)
            .trim_ascii()
            .strip_prefix(b"[")?
            .strip_suffix(b"]")?;
        match name {
            b"Query" | b"QueryStringParams" => Some(Self::Query),
            b"Form" | b"FormParams" => Some(Self::Form),
            b"Multipart" | b"MultipartFormData" => Some(Self::Multipart),
            b"Cookies" => Some(Self::Cookies),
            b"BasicAuth" => Some(Self::BasicAuth),
            b"Options" => Some(Self::Options),
            b"Captures" | b"Asserts" => Some(Self::Checks),
            _ => None,
        }
    }
}

pub(crate) fn read(file: Block<'_>, _: Limits, sink: &mut dyn RecordSink) {
    let bytes = file.bytes;
    let whole = Span::new(file.text_start(), bytes.len());
    let mut reader = HurlReader {
        bytes,
        lines: LineSpans::within(bytes, whole),
        variables: Variables::default(),
        calls: CallEmitter::new(sink),
        unknown: vec![],
    };
    while let Some(line) = reader.next_line() {
        match request_line(line.slice(bytes)) {
            Some((method, url)) => {
                reader.entry(method.shifted(line.start), url.shifted(line.start));
            }
            None => reader.unknown.push(line),
        }
        for line in reader.unknown.drain(..) {
            reader.calls.skip(Reason::NoExchange, line);
        }
    }
}

struct HurlReader<'a, 's> {
    bytes: &'a [u8],
    /// The lines that are still to be read.
    lines: LineSpans<'a>,
    variables: Variables,
    calls: CallEmitter<'s>,
    /// Lines that belong to no part of an entry.
    unknown: Vec<Span>,
}

/// A request or an expected response, after its first line.
#[derive(Default)]
struct HurlMessage<'a> {
    fields: HeaderFields<'a>,
    body: BodyContent<'a>,
    /// The form in place of a body, with its position.
    form: Option<(StoredForm, Span)>,
    /// The query parameters that are not in the URL.
    parameters: Vec<QueryParameter<'static>>,
    /// The entry is disabled.
    is_skipped: bool,
}

impl HurlMessage<'_> {
    /// Records the header fields and the body that the section of this line implies.
    fn begin_section(&mut self, section: Section, line: Span) {
        let kind = match section {
            Section::Form => FormKind::UrlEncoded,
            Section::Multipart => FormKind::Multipart,
            Section::Cookies => return self.fields.add("cookie", line, ""),
            Section::BasicAuth => return self.fields.add("authorization", line, ""),
            Section::Headers | Section::Query | Section::Options | Section::Checks => return,
        };
        self.form.get_or_insert((StoredForm::of_client(kind), line));
    }
}

impl<'a> HurlReader<'a, '_> {
    /// The next line that is neither empty nor a comment.
    fn next_line(&mut self) -> Option<Span> {
        let bytes = self.bytes;
        self.lines.find(|line| !is_blank(line.slice(bytes)))
    }

    fn text(&self, span: Span) -> Cow<'a, str> {
        String::from_utf8_lossy(span.slice(self.bytes))
    }

    /// Reads an entry after its first line, and emits its call unless it is disabled.
    fn entry(&mut self, method: Span, url: Span) {
        let request = self.message();
        let next = self.lines.peek();
        let has_response = next.is_some_and(|line| is_response_line(line.slice(self.bytes)));
        let response = if has_response {
            self.lines.next();
            self.message()
        } else {
            HurlMessage::default()
        };
        if request.is_skipped {
            return;
        }
        let mut target = self.variables.resolve_url(&self.mapped(url).lossy());
        target.parameters.extend(request.parameters);
        let call = Call::new(Method::parse(&self.text(method)), target, Some(url));
        self.calls.emit(Exchange {
            call,
            request: request.body.into_message(request.fields),
            response: response.body.into_message(response.fields),
            ..Exchange::default()
        });
    }

    /// Reads header fields, sections and the body, up to the first line of the next request or response.
    fn message(&mut self) -> HurlMessage<'a> {
        let mut message = HurlMessage::default();
        let mut section = Section::Headers;
        let mut has_body = false;
        while let Some(line) = self.lines.peek() {
            let text = line.slice(self.bytes);
            if begins_message(text) {
                break;
            }
            self.lines.next();
            if is_blank(text) {
                continue;
            }
            if let Some(next) = Section::parse(text) {
                section = next;
                message.begin_section(section, line);
            } else if !has_body && begins_body(text) {
                has_body = true;
                let start = line.start + blank_length(text);
                let (body, is_json) = self.body(start);
                message.body = body;
                if is_json {
                    message.fields = std::mem::take(&mut message.fields).or_json();
                }
            } else {
                self.pair(section, line, &mut message);
            }
        }
        if let Some((form, span)) = message.form.take() {
            message.body = form.into_content(self.bytes, span);
        }
        message
    }

    /// Reads a line `name: value` of a section.
    fn pair(&mut self, section: Section, line: Span, message: &mut HurlMessage<'a>) {
        let text = line.slice(self.bytes);
        self.skip_string(text);
        if section == Section::Checks {
            self.skip_quoted(text);
        }
        let Some(colon) = name_end(text) else {
            if section != Section::Checks {
                self.unknown.push(line);
            }
            return;
        };
        let name = text.get(..colon).unwrap_or_default();
        let start = line.start + blank_length(name);
        let span = Span::new(start, start + name.trim_ascii().len());
        let rest = text.get(colon + 1..).unwrap_or_default();
        let value = without_comment(rest).trim_ascii();
        let start = line.end - rest.trim_ascii_start().len();
        let is_file = value.starts_with(b"file,");
        let value = self.mapped(Span::new(start, start + value.len()));
        let name = self.mapped(span);
        if let (Section::Form | Section::Multipart, Some((form, whole))) =
            (section, &mut message.form)
        {
            whole.end = line.end;
            return match section {
                Section::Multipart if is_file => form.add_file(name),
                _ => form.add(name, value),
            };
        }
        let [name, value] = [name, value].map(|text| text.lossy().into_owned());
        match (section, name.as_str()) {
            (Section::Headers, name) => message.fields.add(name, span, &value),
            (Section::Query, _) => {
                let value = value.trim().to_owned();
                message
                    .parameters
                    .push(QueryParameter::new(name, value).at(span));
            }
            (Section::Options, "skip") => message.is_skipped |= value == "true",
            (Section::Options, "variable") => {
                if let Some((name, value)) = value.split_once('=') {
                    self.variables.define(name, value.trim().trim_matches('"'));
                }
            }
            (Section::Options, "header") => {
                if let Some((name, value)) = value.split_once(':') {
                    message.fields.add(name, span, value);
                }
            }
            _ => {}
        }
    }

    /// Skips the lines of a string that begins in this line and ends in a later one.
    fn skip_string(&mut self, line: &[u8]) {
        if memchr::memmem::find_iter(line, FENCE)
            .count()
            .is_multiple_of(2)
        {
            return;
        }
        let mut ahead = self.lines.clone();
        if ahead.any(|line| contains(line.slice(self.bytes), FENCE)) {
            self.lines = ahead;
        }
    }

    /// Skips the lines of a string in double quotes that begins in this line of a check and ends in a later one. A single
    /// quote, as in a regular expression, begins none: its end is not in the same section.
    fn skip_quoted(&mut self, line: &[u8]) {
        if !has_open_quote(without_comment(line)) {
            return;
        }
        let mut ahead = self.lines.clone();
        while let Some(line) = ahead.next().map(|line| line.slice(self.bytes)) {
            if Section::parse(line).is_some() || begins_message(line) {
                return;
            }
            if has_open_quote(line) {
                self.lines = ahead;
                return;
            }
        }
    }

    /// Reads the body at `start`, up to the end of its last line. Returns whether its notation says that it is JSON, too.
    fn body(&mut self, start: usize) -> (BodyContent<'a>, bool) {
        let rest = self.bytes.get(start..self.lines.end).unwrap_or_default();
        let line_end = start + memchr::memchr(b'\n', rest).unwrap_or(rest.len());
        let line = Span::new(start, line_end);
        let (body, is_json, end) = match rest {
            [b'`', b'`', b'`', ..] => self.fenced(start),
            [b'`', ..] => {
                let open = start + 1;
                let text = up_to(Span::new(open, line_end).slice(self.bytes), b'`');
                let body = self.unescaped(Span::new(open, open + text.len()));
                (body, false, line_end)
            }
            [b'{' | b'[', ..] if !is_template(rest) => {
                let most = self.message_end(start);
                let text = self.bytes.get(..most).unwrap_or_default();
                // One whose brackets do not match ends before the next request or response.
                let span = scan::value(text, start).unwrap_or(Span::new(start, most));
                (self.json(span), true, span.end)
            }
            [b'<', ..] => {
                let end = self.message_end(start);
                (BodyContent::not_json(Span::new(start, end)), false, end)
            }
            _ if rest.starts_with(b"file,") => {
                let text = self.text(line);
                let name = text.get(5..).and_then(|name| name.split(';').next());
                let body = BodyContent::in_file(name.unwrap_or_default().trim(), line);
                (body, false, line_end)
            }
            _ if rest.starts_with(b"base64,") => self.encoded(start + 7, decode_base64),
            _ if rest.starts_with(b"hex,") => {
                self.encoded(start + 4, |text| hex_bytes(text.trim().as_bytes()))
            }
            _ => {
                let scalar = match line.slice(self.bytes) {
                    string @ [b'"', ..] => string,
                    other => without_comment(other),
                };
                let span = Span::new(start, start + scalar.trim_ascii_end().len());
                (self.json(span), true, line_end)
            }
        };
        self.lines.at = end;
        // A comment may follow.
        self.lines.next();
        (body, is_json)
    }

    /// Reads a string between fences, up to the offset after it: the language and the options are in its first line, if it has
    /// several.
    fn fenced(&self, start: usize) -> (BodyContent<'a>, bool, usize) {
        let open = start + FENCE.len();
        let rest = self.bytes.get(open..self.lines.end).unwrap_or_default();
        let length = memchr::memmem::find(rest, FENCE);
        // A string that never ends must not hide the next entries.
        let end = length.map_or_else(|| self.message_end(open), |length| open + length);
        let inside = Span::new(open, end);
        let after = end + length.map_or(0, |_| FENCE.len());
        let Some(break_at) = memchr::memchr(b'\n', inside.slice(self.bytes)) else {
            return (BodyContent::verbatim(self.bytes, inside), false, after);
        };
        let head = self.text(Span::new(open, open + break_at));
        let words: Vec<_> = head.split(',').map(str::trim).collect();
        let content = Span::new(open + break_at + 1, end);
        let body = match words.as_slice() {
            ["graphql" | "xml", ..] => BodyContent::not_json(content),
            words if words.contains(&"escape") => self.unescaped(content),
            _ => BodyContent::verbatim(self.bytes, content),
        };
        (body, words.contains(&"json"), after)
    }

    /// A body in JSON, in which Hurl undoes one escape that is not JSON: `\u{…}`.
    fn json(&self, span: Span) -> BodyContent<'a> {
        let text = MappedText::verbatim(self.bytes, span).decoded(|text| {
            let (meant, length) = escape(text)?;
            let in_json = match meant.as_slice() {
                _ if !text.starts_with(b"\\u{") => text.get(..length)?.to_vec(),
                quote @ (b"\"" | b"\\") => [&b"\\"[..], quote].concat(),
                [control @ 0..0x20] => format!("\\u{control:04x}").into_bytes(),
                _ => meant,
            };
            Some((in_json, length))
        });
        BodyContent::decoded(self.bytes, span, text.bytes, Some(text.map))
    }

    /// A body with escapes.
    fn unescaped(&self, span: Span) -> BodyContent<'a> {
        let MappedText { bytes, map } = self.mapped(span);
        BodyContent::decoded(self.bytes, span, bytes, Some(map))
    }

    /// The text at `span` with its escapes undone.
    fn mapped(&self, span: Span) -> MappedText {
        MappedText::verbatim(self.bytes, span).decoded(escape)
    }

    /// Reads encoded bytes from `start` up to a semicolon.
    fn encoded(
        &self,
        start: usize,
        decode: impl Fn(&str) -> Option<Vec<u8>>,
    ) -> (BodyContent<'a>, bool, usize) {
        let rest = self.bytes.get(start..self.lines.end).unwrap_or_default();
        let Some(length) = memchr::memchr(b';', rest) else {
            let end = self.message_end(start);
            let unread = Unread::at(Reason::Truncated, Span::new(start, end));
            return (unread.into(), false, end);
        };
        let span = Span::new(start, start + length);
        let body = match decode(&self.text(span)) {
            Some(text) => BodyContent::decoded(self.bytes, span, text, None),
            None => Unread::at(Reason::BadEncoding, span).into(),
        };
        (body, false, span.end)
    }

    /// The end of the last line before the next request or response, without white space.
    fn message_end(&self, start: usize) -> usize {
        let rest = Span::new(start, self.lines.end);
        let end = LineSpans::within(self.bytes, rest)
            .find(|line| line.start > start && begins_message(line.slice(self.bytes)))
            .map_or(self.lines.end, |line| line.start);
        start
            + Span::new(start, end)
                .slice(self.bytes)
                .trim_ascii_end()
                .len()
    }
}

/// Whether the number of quotes that are not escaped is odd.
fn has_open_quote(text: &[u8]) -> bool {
    let mut is_open = false;
    let mut is_escaped = false;
    for byte in text {
        is_open ^= *byte == b'"' && !is_escaped;
        is_escaped = *byte == b'\\' && !is_escaped;
    }
    is_open
}

/// Whether a line outside of strings begins a body.
fn begins_body(line: &[u8]) -> bool {
    let text = line.trim_ascii();
    if is_template(text) {
        return name_end(text).is_none();
    }
    let bare = without_comment(text).trim_ascii();
    matches!(text.first(), Some(b'{' | b'[' | b'"' | b'<' | b'`'))
        || begins_with_any(text, &[b"base64,", b"hex,", b"file,"])
        || matches!(bare, b"true" | b"false" | b"null")
        || !bare.is_empty()
            && bare
                .iter()
                .all(|byte| byte.is_ascii_digit() || b"+-.eE".contains(byte))
}

/// Whether the text begins with a template rather than an object in an object, which is no JSON.
fn is_template(text: &[u8]) -> bool {
    text.starts_with(b"{{")
}

/// The offset of the colon after a name, outside of templates.
fn name_end(text: &[u8]) -> Option<usize> {
    let mut depth = 0usize;
    let mut is_escaped = false;
    for (at, byte) in text.iter().enumerate() {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            b':' if depth == 0 => return Some(at),
            b'#' if depth == 0 => return None,
            _ => {}
        }
    }
    None
}

/// The meaning and the length of the escape that the text begins with.
fn escape(text: &[u8]) -> Option<(Vec<u8>, usize)> {
    let [b'\\', kind, rest @ ..] = text else {
        return None;
    };
    let byte = match kind {
        b'n' => b'\n',
        b'r' => b'\r',
        b't' => b'\t',
        b'b' => 8,
        b'f' => 12,
        b'"' | b'\\' | b'`' | b'#' | b':' | b'/' => *kind,
        b'u' => {
            let digits = rest.strip_prefix(b"{")?;
            let length = memchr::memchr(b'}', digits.get(..9).unwrap_or(digits))?;
            let digits = std::str::from_utf8(digits.get(..length)?).ok()?;
            let character = char::from_u32(u32::from_str_radix(digits, 16).ok()?)?;
            return Some((character.to_string().into_bytes(), length + 4));
        }
        _ => return None,
    };
    Some((vec![byte], 2))
}
