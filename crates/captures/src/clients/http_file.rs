//! Requests in `.http` and `.rest` files, as the editors of JetBrains and the REST Client of VS Code read them:
//! <https://github.com/JetBrains/http-request-in-editor-spec> and <https://github.com/Huachao/vscode-restclient>.
//!
//! Requests are between lines that begin with `###`. Scripts are not run, and files that are named are not opened.

use super::{curl, hurl};
use crate::file_head::{FileHead, begins_with_any, blank_length, contains};
use crate::line_spans::LineSpans;
use crate::messages::{BodyContent, CallEmitter, StoredForm, Variables};
use sundown_exchange::{
    Call, Exchange, FormField, FormFields, FormKind, HeaderFields, MappedText, Method, Reason,
    RecordSink, Target, parameter_positions,
};
use sundown_text_json::Limits;
use sundown_text_json::text::{Block, Span};

/// The separator of requests.
const SEPARATOR: &[u8] = b"###";

/// What JetBrains' client has in place of the method of a POST with GraphQL.
const GRAPHQL: &str = "GRAPHQL";

/// The words in that place for other protocols.
const OTHER_WORDS: [&str; 6] = ["WEBSOCKET", "WSS", "WS", "GRPC", "RSOCKET", "MQTT"];

/// Recognises a file whose first line, after comments and the like, is a request line.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    let mut preamble = Preamble::default();
    for line in LineSpans::of_head(head) {
        if preamble.takes(line.slice(head.bytes)) {
            continue;
        }
        let Some(request) = request_line(head.bytes, line) else {
            return false;
        };
        let url = request.url.slice(head.bytes);
        let known = request.method.is_some_and(|span| {
            let mut words = Method::common().chain(OTHER_WORDS).chain([GRAPHQL]);
            words.any(|word| word.as_bytes() == span.slice(head.bytes))
        });
        let is_separated = head.bytes.starts_with(SEPARATOR) || head.contains(b"\n###");
        let is_whole = hurl::is_absolute(url) || contains(url, b"://");
        let one_word = hurl::url_length(url) == url.len();
        return one_word
            && !hurl::is_hurl(head)
            && (known && (is_whole || is_separated && url.starts_with(b"/"))
                || is_whole && is_separated);
    }
    false
}

pub(crate) fn read(file: Block<'_>, _: Limits, sink: &mut dyn RecordSink) {
    let whole = Span::new(file.text_start(), file.bytes.len());
    read_part(file.bytes, whole, CallEmitter::new(sink));
}

/// Reads the requests in a part of a file.
pub(crate) fn read_part<'s>(bytes: &[u8], part: Span, calls: CallEmitter<'s>) -> CallEmitter<'s> {
    let mut reading = HttpFileReader {
        bytes,
        variables: Variables::default(),
        calls,
    };
    let mut sections = vec![part];
    for line in LineSpans::within(bytes, part) {
        let text = line.slice(bytes);
        reading.define(text);
        if text.starts_with(SEPARATOR) {
            if let Some(open) = sections.last_mut() {
                open.end = line.start;
            }
            sections.push(Span::new((line.end + 1).min(part.end), part.end));
        }
    }
    for section in sections {
        reading.section(section);
    }
    reading.calls
}

/// The lines before a request line.
#[derive(Default)]
struct Preamble {
    /// The end mark of the script that is open.
    script: Option<&'static [u8]>,
}

impl Preamble {
    /// Whether a line belongs here: a blank line, a comment, a variable, a script, or a command to the editor.
    fn takes(&mut self, line: &[u8]) -> bool {
        let text = line.trim_ascii();
        let (close, from): (&[u8], _) = match self.script {
            Some(close) => (close, 0),
            None if begins_with_any(text, &[b"< {%", b"<{%"]) => (b"%}", 0),
            None if opens_script(text) => (b"}}", 2),
            None => {
                return text.is_empty()
                    || is_comment(text)
                    || begins_with_any(text, &[b"@", b"< ", b"import ", b"run "]);
            }
        };
        let is_closed = contains(text.get(from..).unwrap_or_default(), close);
        self.script = (!is_closed).then_some(close);
        true
    }
}

fn is_comment(line: &[u8]) -> bool {
    line.starts_with(b"#") || line.starts_with(b"//")
}

/// Whether a line begins a script of httpYac, which is on lines of its own.
fn opens_script(line: &[u8]) -> bool {
    line == b"{{" || line.starts_with(b"{{@") || line.starts_with(b"{{+")
}

/// Whether a line is an assertion of httpYac.
fn is_assertion(line: &[u8]) -> bool {
    line.starts_with(b"??")
}

/// Whether a comment says that httpYac does not send the request.
fn is_disabled(line: &[u8]) -> bool {
    let marks = line.iter().take_while(|byte| b"#/".contains(byte)).count();
    let text = line.get(marks..).unwrap_or_default().trim_ascii();
    marks > 0 && text == b"@disabled"
}

struct RequestLine {
    method: Option<Span>,
    url: Span,
}

/// Parses `METHOD URL HTTP/1.1`, in which only the URL is required.
fn request_line(bytes: &[u8], line: Span) -> Option<RequestLine> {
    let raw = line.slice(bytes);
    let blank = blank_length(raw);
    let text = raw.trim_ascii();
    let start = line.start + blank;
    if hurl::is_absolute(text) || text.starts_with(b"/") {
        return Some(RequestLine {
            method: None,
            url: Span::new(start, start + length_without_version(text)),
        });
    }
    let length = text
        .iter()
        .take_while(|byte| byte.is_ascii_uppercase() || **byte == b'-')
        .count();
    let rest = text.get(length..)?;
    let space = blank_length(rest);
    let url = rest.trim_ascii();
    let from = start + length + space;
    (length > 0 && space > 0 && !url.is_empty()).then(|| RequestLine {
        method: Some(Span::new(start, start + length)),
        url: Span::new(from, from + length_without_version(url)),
    })
}

/// The length of a request line without the version of HTTP at its end.
fn length_without_version(text: &[u8]) -> usize {
    let at = memchr::memmem::rfind(text, b" HTTP/");
    text.get(..at.unwrap_or(text.len()))
        .unwrap_or_default()
        .trim_ascii_end()
        .len()
}

struct HttpFileReader<'a, 's> {
    bytes: &'a [u8],
    variables: Variables,
    calls: CallEmitter<'s>,
}

impl<'a> HttpFileReader<'a, '_> {
    fn text(&self, span: Span) -> std::borrow::Cow<'a, str> {
        String::from_utf8_lossy(span.slice(self.bytes))
    }

    /// Defines the variable of a line `@name = value`, for the whole file.
    fn define(&mut self, line: &[u8]) {
        let pair = std::str::from_utf8(line)
            .unwrap_or_default()
            .strip_prefix('@')
            .and_then(|rest| rest.split_once('='));
        if let Some((name, value)) = pair {
            self.variables.define(name, value);
        }
    }

    fn section(&mut self, section: Span) {
        let mut lines = LineSpans::within(self.bytes, section);
        let mut preamble = Preamble::default();
        let mut is_sent = true;
        let first = lines.find(|line| {
            let text = line.slice(self.bytes);
            is_sent &= !is_disabled(text);
            !preamble.takes(text)
        });
        let Some(first) = first.filter(|_| is_sent) else {
            return;
        };
        if first
            .slice(self.bytes)
            .trim_ascii_start()
            .starts_with(b"curl ")
        {
            let script = Span::new(first.start, section.end);
            return curl::read_script(self.bytes, script, &mut self.calls);
        }
        let Some(request) = request_line(self.bytes, first) else {
            return self.calls.skip(Reason::NoExchange, first);
        };
        let target = self.target(request.url, first, &mut lines);
        let method = request.method.map_or("GET".into(), |span| self.text(span));
        let is_graphql = method == GRAPHQL;
        if OTHER_WORDS.contains(&&*method) {
            return self.calls.skip(Reason::WebSocket, request.url);
        }
        let method = Method::parse(if is_graphql { "POST" } else { &method });
        let (fields, is_graphql) = self.fields(&mut lines, is_graphql);
        let body = self.body(Span::new(lines.at, section.end));
        let content = match body {
            Some(span) if is_graphql => BodyContent::not_json(span),
            Some(span) => self.content(span, &fields),
            None => BodyContent::default(),
        };
        self.calls.emit(Exchange {
            call: Call::new(method, target, Some(request.url)),
            request: content.into_message(fields),
            ..Exchange::default()
        });
    }

    /// Reads the URL in a request line, which may continue on the next lines if no version ends it.
    fn target(&self, url: Span, line: Span, lines: &mut LineSpans<'_>) -> Target<'static> {
        let mut text = MappedText::verbatim(self.bytes, url);
        let is_last = url.end == line.start + line.slice(self.bytes).trim_ascii_end().len();
        while let Some(line) = lines.peek() {
            let written = line.slice(self.bytes);
            let bare = written.trim_ascii();
            let goes_on = is_last && matches!(written.first(), Some(b' ' | b'\t' | b'?' | b'&'));
            if bare.is_empty() || is_assertion(bare) || !goes_on {
                break;
            }
            let start = line.start + blank_length(written);
            text.push(bare, Span::new(start, start + bare.len()));
            lines.next();
        }
        let whole = text.lossy();
        let mut target = self.variables.resolve_url(&whole);
        // A variable may write several parameters, which are all at its place.
        let places = parameter_positions(&whole).flat_map(|own| {
            let pair = whole.get(own.start..own.end).unwrap_or_default();
            let written = format!("?{}", self.variables.resolve(pair));
            let count = parameter_positions(&written).count();
            std::iter::repeat_n(text.map.outer(own), count)
        });
        let places: Vec<_> = places.collect();
        // Of a text that is not UTF-8, the positions count other bytes.
        let is_exact = whole.len() == text.bytes.len() && places.len() == target.parameters.len();
        if is_exact && whole.len() > url.len() {
            for (parameter, place) in target.parameters.iter_mut().zip(places) {
                parameter.span = Some(place);
            }
        }
        target
    }

    /// Reads the header fields up to a blank line, and returns whether they say that the body is GraphQL.
    fn fields(&self, lines: &mut LineSpans<'_>, mut is_graphql: bool) -> (HeaderFields<'a>, bool) {
        let mut fields = HeaderFields::default();
        while let Some(line) = lines.peek() {
            let text = self.text(line);
            let begins_body = text.starts_with(['{', '[', '<', '>']) && !text.starts_with("{{");
            if begins_body {
                break;
            }
            lines.next();
            if text.trim().is_empty() {
                break;
            }
            let Some((name, value)) = text
                .find(':')
                .filter(|_| !is_comment(text.trim().as_bytes()) && !is_assertion(text.as_bytes()))
                .and_then(|end| Some((text.get(..end)?, text.get(end + 1..)?)))
            else {
                continue;
            };
            is_graphql |= name.eq_ignore_ascii_case("x-request-type")
                && value.trim().eq_ignore_ascii_case("graphql");
            // Replacing bytes that are not UTF-8 changes the length.
            let end = (line.start + name.len()).min(line.end);
            let start = line.start + blank_length(name.as_bytes());
            fields.add(name.trim_start(), Span::new(start.min(end), end), value);
        }
        (fields, is_graphql)
    }

    /// Finds the body: up to the instructions for the response, without blank lines and comments around it.
    fn body(&self, rest: Span) -> Option<Span> {
        let mut start = None;
        let mut end = rest.start;
        for line in LineSpans::within(self.bytes, rest) {
            let text = line.slice(self.bytes);
            if begins_with_any(text, &[b"> ", b">> ", b">>! ", b"<> ", b">{%"])
                || start.is_some() && opens_script(text.trim_ascii())
            {
                break;
            }
            let text = text.trim_ascii();
            let is_comment = is_comment(text) && (start.is_none() || text.starts_with(b"#"));
            if text.is_empty() || is_comment || is_assertion(text) {
                continue;
            }
            start.get_or_insert(line.start);
            end = line.end;
        }
        start.map(|start| Span::new(start, end))
    }

    /// Reads a body that is written out, or the name of its file.
    fn content(&self, span: Span, fields: &HeaderFields<'a>) -> BodyContent<'a> {
        let kind = fields.media_type.as_deref().unwrap_or_default();
        if kind == "multipart/form-data"
            && let Some(form) = FormKind::Multipart.parse(span.slice(self.bytes))
        {
            return self.form(form, span);
        }
        if kind.starts_with("multipart/") || kind == "application/graphql" {
            return BodyContent::not_json(span);
        }
        let name_of_file = LineSpans::within(self.bytes, span)
            .find(|line| begins_with_any(line.slice(self.bytes), &[b"< ", b"<@"]));
        match name_of_file {
            Some(line) => {
                let text = self.text(line);
                // After `<@`, the encoding may follow without a space.
                let name = text.split_once(' ').map_or("", |(_, name)| name.trim());
                BodyContent::in_file(name, line)
            }
            None => BodyContent::verbatim(self.bytes, span),
        }
    }

    /// A form of several parts at `span`, some of which may be files.
    fn form(&self, fields: FormFields, span: Span) -> BodyContent<'a> {
        let at = MappedText::verbatim(self.bytes, span).map;
        let mut form = StoredForm::of_client(FormKind::Multipart);
        for FormField {
            mut name,
            mut value,
        } in fields.named
        {
            name.map = name.map.through(&at);
            value.map = value.map.through(&at);
            if begins_with_any(&value.bytes, &[b"< ", b"<@"]) {
                form.add_file(name);
            } else {
                form.add(name, value);
            }
        }
        for (part, reason) in [
            (fields.unnamed, Reason::NotJson),
            (fields.undecoded, Reason::BadEncoding),
        ] {
            if let Some(part) = part {
                form.add_unread(reason, part.shifted(span.start));
            }
        }
        form.into_content(self.bytes, span)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_one(text: &str) -> bool {
        sniff(&FileHead::of(Block::whole(text.as_bytes())))
    }

    #[test]
    fn files_of_requests_are_told_from_prose_logs_and_messages() {
        for text in [
            "GET https://h/x\n",
            "\u{feff}### One\r\n# @name one\r\nPOST {{base}}/x HTTP/1.1\r\n\r\n{}",
            "@base = https://h\n\n// c\n< {%\n  request.x\n%}\nDELETE {{base}}/x/{{ id }}\n",
            "GET /x HTTP/1.1\nHost: h\n\n###\n\nGET /y\n",
            "###\nhttps://h/x\n\n###\n",
        ] {
            assert!(is_one(text), "{text}");
        }
        for text in [
            "GET /x HTTP/1.1\r\nHost: h\r\n\r\n",
            "GET https://h/x 200 12ms\nGET https://h/y 200 1ms\n",
            "# Title\n\nSome prose.\n\n### GET https://h\n",
            "https://h/x\nhttps://h/y\n",
            "name: x\n",
            "{\"a\": 1}\n",
            "// GET https://h\nfn main() {}\n",
            "",
        ] {
            assert!(!is_one(text), "{text}");
        }
    }
}
