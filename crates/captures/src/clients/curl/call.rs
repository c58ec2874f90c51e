//! Interprets the words after `curl` as curl does (curl's manual, everything.curl.dev).

use super::options::{self, CurlOption};
use super::words::{ShellCommand, ShellWord, UNKNOWN};
use crate::file_head::contains;
use crate::messages::{BodyContent, StoredForm};
use memchr::memchr;
use sundown_exchange::{
    Call, Exchange, FormKind, HeaderFields, MappedText, Method, QueryParameter, Reason, Target,
    Unread,
};
use sundown_text_json::text::Span;

/// The words that only speak of a program after them, or print it.
const SPEAKS_OF: [&[u8]; 9] = [
    b"install", b"add", b"which", b"type", b"echo", b"printf", b"hash", b"alias", b"man",
];

/// How the data is sent, and which method is the default.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum DataMode {
    /// It is the body of a POST; without any it is a GET.
    #[default]
    Send,
    /// It goes to the query of a GET.
    Query,
    Head,
    /// A file is the body of a PUT.
    Upload,
}

/// One request's worth of options: those up to `--next`.
#[derive(Default)]
struct Transfer {
    urls: Vec<ShellWord>,
    method: Option<String>,
    mode: DataMode,
    /// The pieces of data that are sent.
    data: Vec<ShellWord>,
    /// The position of data that the command only names.
    elsewhere: Option<Unread>,
    /// The form of several parts that is sent, with the position of its first part.
    form: Option<(StoredForm, Span)>,
    is_json: bool,
    headers: Vec<ShellWord>,
    agent: Option<ShellWord>,
    parameters: Vec<QueryParameter<'static>>,
}

/// The requests of a command.
#[derive(Default)]
pub(super) struct CurlRequests<'a> {
    pub(super) exchanges: Vec<Exchange<'a>>,
    /// The positions of URLs that are not known.
    pub(super) unknown: Vec<Span>,
}

/// A command that calls curl.
pub(super) struct CurlCall<'c> {
    command: &'c ShellCommand,
    /// The index of the word that names curl.
    at: usize,
}

/// Whether the words before the name of a program only speak of it.
pub(super) fn is_only_mentioned(before: &[ShellWord]) -> bool {
    // `command -v curl`
    before
        .last()
        .is_some_and(|word| matches!(&*word.text, b"-v" | b"-V"))
        || before
            .iter()
            .any(|word| SPEAKS_OF.contains(&word.text.as_slice()))
}

impl<'c> CurlCall<'c> {
    /// The call in a command; `None` if it does not call curl, or only speaks of it.
    pub(super) fn of(command: &'c ShellCommand) -> Option<Self> {
        let at = command
            .words
            .iter()
            .position(|word| matches!(word.program(), b"curl" | b"curl.exe"))?;
        (!is_only_mentioned(command.words.get(..at)?)).then_some(Self { command, at })
    }

    /// Reads the requests, one for each URL.
    pub(super) fn requests<'a>(&self, file: &'a [u8]) -> CurlRequests<'a> {
        let (before, words) = self.command.words.split_at(self.at);
        let mut requests = CurlRequests::default();
        let mut transfer = Transfer::default();
        for CurlOption { name, value } in options::parse(words.get(1..).unwrap_or_default()) {
            if name == "next" {
                std::mem::take(&mut transfer).finish(file, &mut requests);
            } else {
                transfer.take(&name, value, self.command.input.as_ref());
            }
        }
        transfer.finish(file, &mut requests);
        // xargs appends the URL, which it reads.
        let is_appended = before.iter().any(|word| word.program() == b"xargs");
        if is_appended && requests.exchanges.is_empty() && requests.unknown.is_empty() {
            requests
                .unknown
                .extend(before.first().map(|word| word.span));
        }
        requests
    }
}

impl Transfer {
    fn take(&mut self, name: &str, value: Option<ShellWord>, input: Option<&ShellWord>) {
        match (name, value) {
            ("get", _) => self.mode = DataMode::Query,
            ("head", _) => self.mode = DataMode::Head,
            ("url", Some(url)) => self.urls.push(url),
            // A file of options, which may have a URL.
            ("config", Some(file)) => {
                self.urls.push(ShellWord {
                    text: UNKNOWN.to_vec(),
                    ..file
                });
            }
            ("request", Some(word)) => self.method = Some(word.lossy().into_owned()),
            ("header", Some(word)) => self.headers.push(word),
            ("user-agent", Some(word)) => self.agent = Some(word),
            ("url-query", Some(word)) => self.parameters.extend(parameter(&word)),
            ("data-raw", Some(word)) => self.data.push(word),
            ("json", Some(word)) => {
                self.is_json = true;
                self.send(word, input);
            }
            ("data" | "data-ascii" | "data-binary", Some(word)) => self.send(word, input),
            ("data-urlencode", Some(word)) => self.encode(&word, input),
            ("form" | "form-string", Some(word)) => {
                let (form, _) = self
                    .form
                    .get_or_insert_with(|| (StoredForm::of_client(FormKind::Multipart), word.span));
                add_part(form, &word, name == "form-string");
            }
            ("upload-file", Some(word)) => {
                self.mode = DataMode::Upload;
                let read = input.filter(|_| matches!(word.text.as_slice(), b"-" | b"."));
                match read {
                    Some(input) => self.data.push(input.clone()),
                    None => self.set_elsewhere(in_file(&word, &word.lossy())),
                }
            }
            _ => {}
        }
    }

    /// Adds data, or with an `@` the name of its file.
    fn send(&mut self, word: ShellWord, input: Option<&ShellWord>) {
        match (word.text.as_slice(), input) {
            (b"@-" | b"@/dev/stdin", Some(input)) => self.data.push(input.clone()),
            ([b'@', ..], _) => {
                self.set_elsewhere(in_file(&word, word.lossy().get(1..).unwrap_or_default()));
            }
            _ => self.data.push(word),
        }
    }

    /// Notes data that is elsewhere. One of several files is not the whole body.
    fn set_elsewhere(&mut self, unread: Unread) {
        self.elsewhere = Some(match self.elsewhere.take() {
            Some(first) => Unread::at(Reason::BodyMissing, first.span),
            None => unread,
        });
    }

    /// Adds data that curl encodes: `content`, `=content`, `name=content`, `@file` or `name@file`.
    fn encode(&mut self, word: &ShellWord, input: Option<&ShellWord>) {
        let at = [b'=', b'@']
            .iter()
            .find_map(|sign| word.text.iter().position(|byte| byte == sign));
        let Some(at) = at else {
            // The name may be in what is not known, and then it is not encoded.
            let is_known = !word.contains(UNKNOWN);
            return self.data.push(if is_known {
                word.percent_encoded()
            } else {
                word.clone()
            });
        };
        let content = word.part(at + 1, word.text.len());
        let is_file = word.text.get(at) == Some(&b'@');
        let content = match (is_file, input) {
            (false, _) => Some(&content),
            (true, Some(input)) if content.text == b"-" => Some(input),
            (true, _) => None,
        };
        let mut data = word.part(0, at);
        if at > 0 {
            data.push(b"=", word.map.outer(Span::new(at, at + 1)));
        }
        match content.map(ShellWord::percent_encoded) {
            Some(content) => data.append(&content),
            None => self.set_elsewhere(Unread::at(Reason::BodyMissing, word.span)),
        }
        if !data.text.is_empty() {
            self.data.push(ShellWord {
                span: word.span,
                ..data
            });
        }
    }

    fn finish<'a>(mut self, file: &'a [u8], requests: &mut CurlRequests<'a>) {
        let unknown: Vec<Span> = self
            .urls
            .extract_if(.., |url| url.is_unknown())
            .map(|url| url.span)
            .collect();
        let mut method = self.method();
        if self.urls.is_empty() {
            requests.unknown.extend(unknown);
        } else if let Some(&arguments) = unknown.first().filter(|_| !self.sends()) {
            // Beside a URL, they are mostly options: `curl "${options[@]}" https://…`.
            self.elsewhere = Some(Unread::at(Reason::BodyMissing, arguments));
            method = self.method.as_deref().and_then(Method::parse);
        }
        let mut fields = HeaderFields::default();
        for word in &self.headers {
            add_field(&mut fields, word);
        }
        let agent = self.agent.as_ref().filter(|agent| !agent.text.is_empty());
        if let Some(agent) = agent.filter(|_| !self.has_header("user-agent")) {
            fields.add("User-Agent", agent.span, &agent.lossy());
        }
        let fields = match self.mode {
            _ if self.is_json => fields.or_json(),
            DataMode::Send if self.form.is_none() => fields.or_form(),
            _ => fields,
        };
        let sent = match self.mode {
            DataMode::Send | DataMode::Upload => self.content(file),
            // Parameters in a file are not known.
            DataMode::Query => self
                .elsewhere
                .take()
                .map_or(BodyContent::Nothing, BodyContent::Unread),
            DataMode::Head => BodyContent::Nothing,
        };
        let request = sent.into_message(fields);
        let is_query = self.mode == DataMode::Query;
        for url in &self.urls {
            let mut target = Target::parse(&url.lossy()).into_owned();
            target.parameters.extend(self.parameters.iter().cloned());
            if is_query {
                for word in &self.data {
                    let query = format!("?{}", word.lossy());
                    target
                        .parameters
                        .extend(Target::parse(&query).into_owned().parameters);
                }
            }
            let call = Call::new(method.clone(), target, Some(url.span));
            let request = request.clone();
            requests.exchanges.push(Exchange {
                call,
                request,
                ..Exchange::default()
            });
        }
    }

    /// Whether a header field is given by its name, or removed.
    fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|word| {
            word.lossy()
                .split([':', ';'])
                .next()
                .is_some_and(|it| it.eq_ignore_ascii_case(name))
        })
    }

    /// Whether a body is sent.
    fn sends(&self) -> bool {
        !self.data.is_empty() || self.elsewhere.is_some() || self.form.is_some()
    }

    fn method(&self) -> Option<Method> {
        let sends = self.sends();
        let name = match (&self.method, self.mode) {
            (Some(name), _) => name,
            (None, DataMode::Head) => "HEAD",
            (None, DataMode::Upload) => "PUT",
            (None, DataMode::Send) if sends => "POST",
            (None, DataMode::Send | DataMode::Query) => "GET",
        };
        Method::parse(name)
    }

    /// Builds the body from the pieces of data, joined as curl joins them.
    fn content<'a>(&mut self, file: &'a [u8]) -> BodyContent<'a> {
        if let Some((form, span)) = self.form.take() {
            return form.into_content(file, span);
        }
        let elsewhere = self.elsewhere.take();
        let Some((first, more)) = self.data.split_first() else {
            return elsewhere.map_or(BodyContent::Nothing, BodyContent::Unread);
        };
        // What is joined to other data is not the whole body.
        let elsewhere = elsewhere.map(|unread| Unread::at(unread.reason, unread.span));
        if let Some(unread) = elsewhere.clone().filter(|_| !may_be_form(&first.text)) {
            return BodyContent::Unread(unread);
        }
        let mut data = first.clone();
        for word in more {
            if !self.is_json {
                data.push(b"&", Span::new(word.span.start, word.span.start));
            }
            data.append(word);
        }
        let unknown = unknown_name(&data.text).map(|name| data.map.outer(name));
        let content = BodyContent::decoded(file, data.span, data.text, Some(data.map));
        let unknown = unknown.map(|span| Unread::at(Reason::BodyMissing, span));
        match elsewhere.or(unknown) {
            Some(unread) => content.with_unread(unread),
            None => content,
        }
    }
}

/// Data in a file that the word names.
fn in_file(word: &ShellWord, name: &str) -> Unread {
    Unread::at(Reason::BodyMissing, word.span).in_file(name)
}

/// Adds the header field `Name: value`, unless it has no value.
fn add_field(fields: &mut HeaderFields<'_>, word: &ShellWord) {
    let text = word.lossy();
    if let Some((name, value)) = text
        .split_once(':')
        .filter(|(_, value)| !value.trim().is_empty())
    {
        let inside = word.map.outer(Span::new(0, name.len().max(1)));
        fields.add(name, inside, value);
    }
}

/// Returns the parameter in `name=content` or `name@file`. Only after a `+`, the content is encoded.
fn parameter(word: &ShellWord) -> Option<QueryParameter<'static>> {
    let text = word.lossy();
    if let Some(encoded) = text.strip_prefix('+')
        && encoded.contains('=')
    {
        return Target::parse(&format!("?{encoded}"))
            .into_owned()
            .parameters
            .into_iter()
            .next();
    }
    let text = text.trim_start_matches('+');
    let (name, content) = text.split_at_checked(text.find(['=', '@'])?)?;
    let value = content
        .strip_prefix('=')
        .map(|value| value.to_owned().into());
    (!name.is_empty()).then(|| QueryParameter {
        name: name.to_owned().into(),
        value,
    })
}

/// Adds the part that a value of `--form` describes: `name=content`, `name=@file`, `name=<file`, each with attributes after
/// semicolons. In `--form-string`, the content is everything after the name.
fn add_part(form: &mut StoredForm, word: &ShellWord, is_verbatim: bool) {
    let Some(equals) = memchr(b'=', &word.text) else {
        return form.add_unread(Reason::BadEncoding, word.span);
    };
    let name = word.part(0, equals).into_text();
    let start = equals + 1;
    let end = word.text.len();
    let rest = word.text.get(start..).unwrap_or_default();
    match rest.first() {
        _ if is_verbatim => form.add(name, word.part(start, end).into_text()),
        Some(b'@' | b'<') => form.add_file(name),
        // A part of several parts, which has no name, or their end.
        Some(b'(' | b')') if equals == 0 => {}
        Some(b'"') => form.add(name, unquoted(word, start + 1)),
        _ => {
            let end = start + memchr(b';', rest).unwrap_or(rest.len());
            form.add(name, word.part(start, end).into_text());
        }
    }
}

/// The content in quotes that begins at `start`. A backslash escapes a quote or a backslash.
fn unquoted(word: &ShellWord, start: usize) -> MappedText {
    let mut content = ShellWord::default();
    let mut at = start;
    while let Some(&byte) = word.text.get(at) {
        let (byte, length) = match (byte, word.text.get(at + 1)) {
            (b'"', _) => break,
            (b'\\', Some(&escaped @ (b'"' | b'\\'))) => (escaped, 2),
            _ => (byte, 1),
        };
        content.push(&[byte], word.map.outer(Span::new(at, at + length)));
        at += length;
    }
    content.into_text()
}

/// Whether data may be that of a form, rather than JSON or XML.
fn may_be_form(data: &[u8]) -> bool {
    let is_unknown = data.trim_ascii_start().starts_with(UNKNOWN);
    is_unknown
        || !matches!(
            data.trim_ascii_start().first(),
            Some(b'{' | b'[' | b'"' | b'<')
        )
}

/// The position of the first field in the data of a form whose name is not known.
fn unknown_name(data: &[u8]) -> Option<Span> {
    if !may_be_form(data) {
        return None;
    }
    let mut start = 0;
    for pair in data.split(|&byte| byte == b'&') {
        let name = pair
            .get(..memchr(b'=', pair).unwrap_or(pair.len()))
            .unwrap_or_default();
        if contains(name, UNKNOWN) {
            return Some(Span::new(start, start + name.len()));
        }
        start += pair.len() + 1;
    }
    None
}
