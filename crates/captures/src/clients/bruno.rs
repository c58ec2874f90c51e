//! Bruno's requests, one in each file: <https://docs.usebruno.com/bru-lang/overview>, and the grammar in Bruno's own
//! `@usebruno/lang`. Its examples are exchanges with their responses.
//!
//! A file consists of blocks: a name and a brace, up to a brace alone on a line with the same indentation. A block
//! contains text, pairs or blocks.

use super::open_collection;
use crate::file_head::{FileHead, blank_length, first_line, lines_of};
use crate::messages::{BodyContent, CallEmitter, StoredForm, Variables};
use crate::names::{NAMES, is_one_of};
use sundown_exchange::{
    Call, Exchange, FormKind, HeaderFields, MappedText, Message, Method, QueryParameter, Reason,
    RecordSink, Skip,
};
use sundown_text_json::Limits;
use sundown_text_json::text::{Block, Span};

/// Whether a file begins with one of Bruno's first blocks, and has a URL.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    if open_collection::sniff(head.bytes) {
        return true;
    }
    let text = head
        .bytes
        .strip_prefix(b"\xEF\xBB\xBF")
        .unwrap_or(head.bytes)
        .trim_ascii_start();
    let first = first_line(text).trim_ascii_end();
    (first == b"meta {" || is_method(first))
        && lines_of(text).any(is_method)
        && lines_of(text).any(|line| line.trim_ascii_start().starts_with(b"url:"))
}

/// Whether a line opens the block of a method.
fn is_method(line: &[u8]) -> bool {
    let line = line.strip_suffix(b"\r").unwrap_or(line);
    let name = line.strip_suffix(b" {");
    name.is_some_and(|name| is_one_of(name, &NAMES.bruno_methods))
}

pub(crate) fn read(file: Block<'_>, limits: Limits, sink: &mut dyn RecordSink) {
    if open_collection::sniff(file.bytes) {
        return open_collection::read(file, limits, sink);
    }
    let whole = Span::new(file.text_start(), file.bytes.len());
    let (entries, cut) = entries(file.bytes, whole);
    if let Some(cut) = cut {
        sink.skip(Skip::at(Reason::Truncated, cut));
    }
    let mut reading = BruReader {
        bytes: file.bytes,
        variables: Variables::default(),
        calls: CallEmitter::new(sink),
    };
    reading.define(&entries);
    for entry in &entries {
        match entry.name {
            "ws" => reading.calls.skip(Reason::WebSocket, entry.at),
            "grpc" => reading.calls.skip(Reason::NoExchange, entry.at),
            "example" => reading.example(entry),
            name if is_one_of(name, &NAMES.bruno_methods) => {
                reading.request(entry, &entries);
            }
            _ => {}
        }
    }
}

/// A name with its value.
struct BruEntry<'a> {
    /// Whether it is disabled.
    is_off: bool,
    name: &'a str,
    at: Span,
    value: Span,
    /// Whether the value is a block, rather than a text.
    is_block: bool,
}

/// The entries of a block, and the position of one that is never closed.
fn entries(bytes: &[u8], within: Span) -> (Vec<BruEntry<'_>>, Option<Span>) {
    let mut found = Vec::new();
    let mut at = within.start;
    while at < within.end {
        let line = line_at(bytes, at, within.end);
        let Some((entry, after)) = entry(bytes, line, within.end) else {
            return (found, Some(Span::new(line.start, within.end)));
        };
        found.extend(entry);
        at = after.max(line.end + 1);
    }
    (found, None)
}

/// The line that begins at `at`, without its line end.
fn line_at(bytes: &[u8], at: usize, end: usize) -> Span {
    let rest = bytes.get(at..end).unwrap_or_default();
    Span::new(
        at,
        memchr::memchr(b'\n', rest).map_or(end, |length| at + length),
    )
}

/// Reads the entry that begins on a line, and returns the offset after it; `None` at an entry without an end.
fn entry(bytes: &[u8], line: Span, end: usize) -> Option<(Option<BruEntry<'_>>, usize)> {
    let raw = line.slice(bytes);
    let text = raw.trim_ascii();
    let indent = blank_length(raw);
    let begin = line.start + indent;
    let name = text
        .strip_suffix(b"{")
        .or_else(|| text.strip_suffix(b"["))
        .map(|name| {
            name.trim_ascii_end()
                .strip_suffix(b":")
                .unwrap_or(name)
                .trim_ascii()
        });
    if let Some(name) =
        name.filter(|name| !name.is_empty() && !name.contains(&b' ') && !name.contains(&b'{'))
    {
        let closer = if text.ends_with(b"{") { b'}' } else { b']' };
        let close = closing(bytes, line, end, indent, closer)?;
        let inside = Span::new((line.end + 1).min(close.start), close.start);
        return Some((named(name, begin, inside, true), close.end + 1));
    }
    // An annotation belongs to the next entry.
    let colon = pair_colon(text).filter(|_| !(text.starts_with(b"@") && text.ends_with(b")")));
    let Some(colon) = colon else {
        return Some((None, line.end));
    };
    let name = text.get(..colon).unwrap_or_default();
    let value = text.get(colon + 1..).unwrap_or_default();
    let blank = blank_length(value);
    let from = begin + colon + 1 + blank;
    if value.trim_ascii().starts_with(b"'''") {
        let inside = bytes.get(from + 3..end).unwrap_or_default();
        let length = memchr::memmem::find(inside, b"'''")?;
        let span = Span::new(from + 3, from + 3 + length);
        let after = line_at(bytes, span.end, end).end;
        return Some((named(name, begin, span, false), after + 1));
    }
    let span = Span::new(from, from + value.trim_ascii().len());
    Some((named(name, begin, span, false), line.end + 1))
}

/// Finds the colon after a key, which may be quoted.
fn pair_colon(text: &[u8]) -> Option<usize> {
    let key = text.strip_prefix(b"~").unwrap_or(text);
    let off = text.len() - key.len();
    let from = key
        .strip_prefix(b"\"")
        .and_then(|rest| memchr::memchr(b'"', rest))
        .map_or(0, |length| length + 2);
    memchr::memchr(b':', key.get(from..)?).map(|colon| off + from + colon)
}

fn named(name: &[u8], at: usize, value: Span, is_block: bool) -> Option<BruEntry<'_>> {
    let is_off = name.starts_with(b"~");
    let bare = name.strip_prefix(b"~").unwrap_or(name);
    let inner = bare
        .strip_prefix(b"\"")
        .and_then(|rest| rest.strip_suffix(b"\""));
    let text = std::str::from_utf8(inner.unwrap_or(bare)).ok()?.trim();
    let start = at + usize::from(is_off);
    Some(BruEntry {
        is_off,
        name: text,
        at: Span::new(start, start + bare.len()),
        value,
        is_block,
    })
}

/// Finds the line that closes a block: a bracket alone, with the indentation of the block's first line.
fn closing(bytes: &[u8], open: Span, end: usize, indent: usize, closer: u8) -> Option<Span> {
    let mut at = open.end + 1;
    while at < end {
        let line = line_at(bytes, at, end);
        let text = line.slice(bytes);
        let is_it = text.get(indent) == Some(&closer)
            && text
                .get(..indent)
                .is_some_and(|blank| blank.trim_ascii().is_empty());
        // At the top level, Bruno requires only the bracket.
        if is_it && (indent == 0 || text.trim_ascii().len() == 1) {
            return Some(line);
        }
        at = line.end + 1;
    }
    None
}

struct BruReader<'a, 's> {
    bytes: &'a [u8],
    variables: Variables,
    calls: CallEmitter<'s>,
}

impl<'a> BruReader<'a, '_> {
    fn text(&self, span: Span) -> &'a str {
        std::str::from_utf8(span.slice(self.bytes)).unwrap_or_default()
    }

    fn inside(&self, entry: &BruEntry<'a>) -> Vec<BruEntry<'a>> {
        let block = entry.is_block.then_some(entry.value);
        block.map_or_else(Vec::new, |span| entries(self.bytes, span).0)
    }

    /// The entries of the first block with this name.
    fn part(&self, entries: &[BruEntry<'a>], name: &str) -> Vec<BruEntry<'a>> {
        let block = entries.iter().find(|entry| entry.name == name);
        block.map_or_else(Vec::new, |entry| self.inside(entry))
    }

    /// The text of the pair with this name.
    fn value(&self, pairs: &[BruEntry<'a>], name: &str) -> Option<&'a str> {
        get(pairs, name).map(|value| self.text(value))
    }

    fn define(&mut self, all: &[BruEntry<'a>]) {
        for entry in self.sent(all, "vars:pre-request") {
            self.variables.define(entry.name, self.text(entry.value));
        }
    }

    fn request(&mut self, http: &BruEntry<'a>, all: &[BruEntry<'a>]) {
        let pairs = self.inside(http);
        let method = match http.name {
            "http" => self.value(&pairs, "method").unwrap_or("GET"),
            name => name,
        };
        let request = self.message(all, self.value(&pairs, "body"));
        self.emit(&pairs, all, http.at, method, [request, Message::default()]);
    }

    fn example(&mut self, example: &BruEntry<'a>) {
        let parts = self.inside(example);
        let [request, response] = ["request", "response"].map(|name| self.part(&parts, name));
        let method = self.value(&request, "method").unwrap_or("GET");
        let sent = self.message(&request, self.value(&request, "mode"));
        let answer = self.answer(&response);
        self.emit(&request, &request, example.at, method, [sent, answer]);
    }

    /// The entries of the blocks of a name that are not disabled.
    fn sent(&self, all: &[BruEntry<'a>], name: &str) -> Vec<BruEntry<'a>> {
        let blocks = all.iter().filter(|entry| entry.name == name);
        let mut entries: Vec<_> = blocks.flat_map(|block| self.inside(block)).collect();
        entries.retain(|entry| !entry.is_off);
        entries
    }

    /// Emits the call of a request, whose blocks are `all`, with its messages, or reports the request at `at` if it has no URL.
    fn emit(
        &mut self,
        pairs: &[BruEntry<'a>],
        all: &[BruEntry<'a>],
        at: Span,
        method: &str,
        [request, response]: [Message<'a>; 2],
    ) {
        let Some(url) = get(pairs, "url").filter(|url| !url.is_empty()) else {
            return self.calls.skip(Reason::NoExchange, at);
        };
        let mut target = self.variables.resolve_url(self.text(url));
        for variable in self.sent(all, "params:path") {
            let value = self.variables.resolve(self.text(variable.value));
            target.fill(variable.name, &value);
        }
        // What the table of parameters states and the URL lacks is declared, as in a collection in YAML.
        let mut queries = self.sent(all, "params:query");
        queries.retain(|query| target.parameters.iter().all(|own| own.name != query.name));
        for query in queries {
            let value = self.variables.resolve(self.text(query.value));
            let parameter = QueryParameter::new(query.name, value);
            target.parameters.push(parameter.into_owned().at(query.at));
        }
        // Other bodies are not sent.
        let is_alone = request.raw_body().is_none();
        // What follows the bodies are scripts, notes and other calls.
        let own = all.iter().take_while(|entry| {
            let kind = entry.name.split(':').next().unwrap_or_default();
            !is_one_of(kind, &NAMES.bruno_rest)
        });
        let end = own.last().map_or(at.end, |last| last.value.end);
        self.calls.emit(Exchange {
            call: Call::new(Method::parse(method), target, Some(url)),
            extent: is_alone.then(|| Span::new(at.start, end)),
            request,
            response,
            ..Exchange::default()
        });
    }

    /// The body that is sent: of several, the one that the request selects.
    fn message(&self, all: &[BruEntry<'a>], mode: Option<&str>) -> Message<'a> {
        let fields = self.fields(all);
        let mode = mode.unwrap_or("json");
        let kind = match mode {
            "formUrlEncoded" => "form-urlencoded",
            "multipartForm" => "multipart-form",
            mode => mode,
        };
        let Some(entry) = all
            .iter()
            .find(|entry| entry.name == format!("body:{kind}") || entry.name == "body")
            .filter(|_| mode != "none")
        else {
            return BodyContent::default().into_message(fields);
        };
        let content = match mode {
            "json" | "text" | "xml" | "sparql" => self.content(entry.value),
            "file" => self.file(entry),
            "formUrlEncoded" => self.form(entry, FormKind::UrlEncoded),
            "multipartForm" => self.form(entry, FormKind::Multipart),
            _ => BodyContent::not_json(entry.at),
        };
        let fields = if mode == "json" {
            fields.or_json()
        } else {
            fields
        };
        content.into_message(fields)
    }

    /// A body in the file that a block selects: `file: @file(orders.json) @contentType(application/json)`. `~` marks those that it
    /// does not select.
    fn file(&self, block: &BruEntry<'a>) -> BodyContent<'a> {
        let files = self.inside(block);
        let file = files.iter().find(|file| !file.is_off);
        let span = file.map_or(block.at, |file| file.value);
        let name = self.text(span).split(['(', ')']).nth(1);
        BodyContent::in_file(name.unwrap_or_default(), span)
    }

    /// A body that is a block of fields. Annotations may follow a value: `x: 1 @contentType(text/plain)`.
    fn form(&self, block: &BruEntry<'a>, kind: FormKind) -> BodyContent<'a> {
        let mut form = StoredForm::of_client(kind);
        for field in self.inside(block).iter().filter(|field| !field.is_off) {
            let raw = field.at.slice(self.bytes).trim_ascii_end();
            let is_quoted = raw.len() > 1 && raw.starts_with(b"\"") && raw.ends_with(b"\"");
            let quotes = usize::from(is_quoted);
            let end = field.at.start + raw.len();
            let name = Span::new(field.at.start + quotes, end - quotes);
            let name = MappedText::verbatim(self.bytes, name);
            let value = field.value;
            let text = value.slice(self.bytes);
            if text.starts_with(b"@file(") {
                form.add_file(name);
                continue;
            }
            let length = memchr::memmem::rfind(text, b" @contentType(").unwrap_or(text.len());
            let value = Span::new(value.start, value.start + length);
            form.add(name, MappedText::verbatim(self.bytes, value));
        }
        form.into_content(self.bytes, block.value)
    }

    fn answer(&self, response: &[BruEntry<'a>]) -> Message<'a> {
        let parts = self.part(response, "body");
        let content = get(&parts, "content").map(|value| self.content(value));
        content
            .unwrap_or_default()
            .into_message(self.fields(response))
    }

    /// Removes the common indentation: event streams are recognised by the beginnings of their lines.
    fn content(&self, span: Span) -> BodyContent<'a> {
        let text = span.slice(self.bytes);
        let lines = text.split_inclusive(|&byte| byte == b'\n');
        let indent = lines
            .clone()
            .filter(|line| !line.trim_ascii().is_empty())
            .map(indentation)
            .min()
            .unwrap_or_default();
        let mut bare = MappedText::default();
        let mut at = span.start;
        for line in lines {
            let off = indent.min(indentation(line));
            let kept = Span::new(at + off, at + line.len());
            bare.push(kept.slice(self.bytes), kept);
            at += line.len();
        }
        BodyContent::decoded(self.bytes, span, bare.bytes, Some(bare.map))
    }

    fn fields(&self, all: &[BruEntry<'a>]) -> HeaderFields<'a> {
        let mut fields = HeaderFields::default();
        for entry in self.sent(all, "headers") {
            fields.add(entry.name, entry.at, self.text(entry.value));
        }
        fields
    }
}

/// The number of spaces before the content of a line.
fn indentation(line: &[u8]) -> usize {
    line.iter().take_while(|byte| **byte == b' ').count()
}

fn get(pairs: &[BruEntry<'_>], name: &str) -> Option<Span> {
    pairs
        .iter()
        .find(|entry| entry.name == name && !entry.is_off)
        .map(|entry| entry.value)
}
