//! Interprets the words after `curl` as curl does (curl's manual, everything.curl.dev).

use super::options;
use super::words::{ShellWord, UNKNOWN};
use crate::file_head::contains;
use crate::messages::{BodyContent, StoredForm};
use memchr::memchr;
use sundown_exchange::{
    Call, Exchange, FormKind, HeaderFields, MappedText, Method, Reason, Target, Unread,
};
use sundown_text_json::text::Span;

/// The number of URLs that one with alternatives makes, at most, and the length in bytes of such a one: their product is a size.
const MAX_URLS: usize = 64;
const LONGEST_GLOB: usize = 2048;

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
    /// The data that is sent, and the position of data that the command only names.
    data: Option<ShellWord>,
    elsewhere: Option<Unread>,
    /// The form of several parts that is sent, with the position of its first part.
    form: Option<(StoredForm, Span)>,
    is_json: bool,
    fields: HeaderFields<'static>,
    agent: Option<ShellWord>,
    /// The parameters that are added to the URL.
    query: MappedText,
    /// Whether brackets in a URL are text.
    is_literal: bool,
}

/// The requests of a command.
#[derive(Default)]
pub(super) struct CurlRequests<'a> {
    pub exchanges: Vec<Exchange<'a>>,
    /// The positions of URLs that are not known.
    pub unknown: Vec<Span>,
}

/// Reads the requests of a command that calls curl, one for each URL. The word at `call` names curl.
pub(super) fn requests<'a>(words: &[ShellWord], call: usize, file: &'a [u8]) -> CurlRequests<'a> {
    let (before, words) = words.split_at(call);
    let mut requests = CurlRequests::default();
    let mut transfer = Transfer::default();
    for (name, value) in options::parse(words.get(1..).unwrap_or_default()) {
        if name == "next" {
            std::mem::take(&mut transfer).finish(file, &mut requests);
        } else {
            transfer.take(&name, value);
        }
    }
    transfer.finish(file, &mut requests);
    // xargs appends the URL, which it reads.
    if requests.exchanges.is_empty() && requests.unknown.is_empty() {
        let xargs = before.iter().find(|word| word.program() == b"xargs");
        requests.unknown.extend(xargs.map(|word| word.span));
    }
    requests
}

impl Transfer {
    fn take(&mut self, name: &str, mut word: ShellWord) {
        let text = word.lossy();
        match name {
            "get" => self.mode = DataMode::Query,
            "head" => self.mode = DataMode::Head,
            "globoff" => self.is_literal = true,
            "url" => self.urls.push(word),
            // A file of options, which may have a URL.
            "config" => {
                word.text.bytes = UNKNOWN.to_vec();
                self.urls.push(word);
            }
            "request" => self.method = Some(text.into_owned()),
            "header" => {
                // A field without a value is removed.
                if let Some((name, value)) = text.split_once(':')
                    && !value.trim().is_empty()
                {
                    let inside = word.text.map.outer(Span::new(0, name.len().max(1)));
                    self.fields.add(name, inside, value);
                }
            }
            // Without an equals sign, it is the name of a file.
            "cookie" if text.contains('=') => self.fields.add("cookie", word.span, &text),
            "user-agent" => self.agent = Some(word),
            "url-query" => match text.strip_prefix('+') {
                Some(_) => self.add_query(&word.part(1, word.bytes().len())),
                None => self.add_query(&encoded(&word)),
            },
            "data-raw" => self.add(&word),
            "json" => {
                self.is_json = true;
                self.send(&word);
            }
            "data" | "data-ascii" | "data-binary" => self.send(&word),
            "data-urlencode" => {
                let data = encoded(&word);
                if data.contains(UNKNOWN) && !word.contains(UNKNOWN) {
                    self.set_elsewhere(missing(word.span));
                }
                self.add(&data);
            }
            "form" | "form-string" => {
                let new = || (StoredForm::of_client(FormKind::Multipart), word.span);
                let (form, _) = self.form.get_or_insert_with(new);
                add_part(form, &word, name == "form-string");
            }
            "upload-file" => {
                self.mode = DataMode::Upload;
                self.set_elsewhere(missing(word.span).in_file(&text));
            }
            _ => {}
        }
    }

    fn add_query(&mut self, parameters: &ShellWord) {
        self.query.push(b"&", parameters.span);
        self.query.append(&parameters.text);
    }

    /// Adds a piece of data, joined as curl joins it.
    fn add(&mut self, word: &ShellWord) {
        match &mut self.data {
            None => self.data = Some(word.clone()),
            Some(data) => {
                let joint = Span::new(word.span.start, word.span.start);
                data.push(if self.is_json { b"" } else { b"&" }, joint);
                data.text.append(&word.text);
            }
        }
    }

    /// Adds data, or with an `@` the name of its file.
    fn send(&mut self, word: &ShellWord) {
        match word.lossy().strip_prefix('@') {
            Some(name) => self.set_elsewhere(missing(word.span).in_file(name)),
            None => self.add(word),
        }
    }

    /// Notes data that is elsewhere. One of several files is not the whole body.
    fn set_elsewhere(&mut self, unread: Unread) {
        let first = self.elsewhere.take();
        self.elsewhere = Some(first.map_or(unread, |first| missing(first.span)));
    }

    fn finish<'a>(mut self, file: &'a [u8], requests: &mut CurlRequests<'a>) {
        let is_unknown = |url: &mut ShellWord| url.is_unknown();
        let unknown = self.urls.extract_if(.., is_unknown);
        let unknown: Vec<Span> = unknown.map(|url| url.span).collect();
        let sends = self.data.is_some() || self.elsewhere.is_some() || self.form.is_some();
        let default = match self.mode {
            DataMode::Head => "HEAD",
            DataMode::Upload => "PUT",
            DataMode::Send if sends => "POST",
            DataMode::Send | DataMode::Query => "GET",
        };
        let mut method = Method::parse(self.method.as_deref().unwrap_or(default));
        if self.urls.is_empty() {
            requests.unknown.extend(unknown);
        } else if let Some(&arguments) = unknown.first().filter(|_| !sends) {
            // Beside a URL, they are mostly options: `curl "${options[@]}" https://…`.
            self.elsewhere = Some(missing(arguments));
            method = self.method.as_deref().and_then(Method::parse);
        }
        let mut fields = std::mem::take(&mut self.fields);
        let mut names = fields.list.iter().map(|field| &*field.name);
        if let Some(agent) = self.agent.take()
            && !agent.bytes().is_empty()
            && !names.any(|name| name == "user-agent")
        {
            fields.add("User-Agent", agent.span, &agent.lossy());
        }
        let fields = match self.mode {
            _ if self.is_json => fields.or_json(),
            DataMode::Send if self.form.is_none() => fields.or_form(),
            _ => fields,
        };
        if self.mode == DataMode::Query
            && let Some(data) = self.data.take()
        {
            self.add_query(&data);
        }
        let query = Target::parse_query(&self.query);
        let content = match self.mode {
            DataMode::Head => BodyContent::default(),
            _ => self.content(file),
        };
        let request = content.into_message(fields);
        for url in &self.urls {
            let text = url.lossy();
            let (texts, is_all) = if self.is_literal {
                (vec![text.into_owned()], true)
            } else {
                globbed(&text)
            };
            requests.unknown.extend((!is_all).then_some(url.span));
            for text in texts {
                let mut target = Target::parse(&text).into_owned();
                target.parameters.extend_from_slice(&query);
                requests.exchanges.push(Exchange {
                    call: Call::new(method.clone(), target, Some(url.span)),
                    request: request.clone(),
                    ..Exchange::default()
                });
            }
        }
    }

    /// Builds the body. In a file, it is not known, and neither are parameters.
    fn content<'a>(&mut self, file: &'a [u8]) -> BodyContent<'a> {
        if let Some((form, span)) = self.form.take() {
            return form.into_content(file, span);
        }
        let elsewhere = self.elsewhere.take();
        let Some(data) = self.data.take() else {
            return BodyContent {
                body: None,
                unread: elsewhere,
            };
        };
        // What is joined to other data is not the whole body.
        let elsewhere = elsewhere.map(|unread| missing(unread.span));
        let start = data.bytes().trim_ascii_start().first();
        let may_be_form =
            data.bytes().starts_with(UNKNOWN) || !matches!(start, Some(b'{' | b'[' | b'"' | b'<'));
        let unread = match elsewhere {
            Some(unread) if !may_be_form => return unread.into(),
            None if may_be_form => {
                unknown_name(data.bytes()).map(|at| missing(data.text.map.outer(at)))
            }
            elsewhere => elsewhere,
        };
        let content = BodyContent::decoded(file, data.span, data.text.bytes, Some(data.text.map));
        BodyContent {
            unread: unread.or(content.unread),
            ..content
        }
    }
}

/// The URLs that curl makes of one with alternatives, and whether these are all.
fn globbed(url: &str) -> (Vec<String>, bool) {
    let mut urls = vec![String::new()];
    let mut is_all = true;
    let mut rest = url;
    let next = |rest: &str| {
        let mut brackets = rest.match_indices(['{', '[']);
        brackets.find_map(|(at, _)| Some((at, alternatives(rest.get(at..)?)?)))
    };
    while is_all
        && url.len() <= LONGEST_GLOB
        && let Some((at, (length, mut choices))) = next(rest)
    {
        if urls.len() * choices.len() > MAX_URLS {
            choices.truncate(1);
            is_all = false;
        }
        let (before, group) = rest.split_at(at);
        let longer = urls.iter().flat_map(|url| {
            let choices = choices.iter();
            choices.map(move |choice| format!("{url}{before}{choice}"))
        });
        urls = longer.collect();
        rest = group.get(length..).unwrap_or_default();
    }
    (urls.into_iter().map(|url| url + rest).collect(), is_all)
}

/// The alternatives that a text begins with, and their length: `{a,b}`, `[1-3]`, `[001-100:10]`, `[a-z]`. A variable has none.
fn alternatives(group: &str) -> Option<(usize, Vec<String>)> {
    let end = group.find(['}', ']'])?;
    let inside = group.get(1..end)?;
    let choices: Vec<_> = if group.starts_with('{') {
        let is_list = inside.contains(',') && !inside.contains(['{', '"']);
        is_list.then(|| inside.split(',').map(str::to_owned).collect())?
    } else {
        let (range, step) = inside.split_once(':').unwrap_or((inside, "1"));
        let (first, last) = range.split_once('-')?;
        let step = step.parse().ok().filter(|step| *step > 0)?;
        match (first.parse::<u32>(), last.parse()) {
            (Ok(from), Ok(to)) => {
                let width = first.len();
                let numbers = (from..=to).step_by(step).take(MAX_URLS + 1);
                numbers.map(|number| format!("{number:0width$}")).collect()
            }
            _ => {
                let (from, to) = (first.parse().ok()?, last.parse::<char>().ok()?);
                let letters = ('A'..='z').filter(char::is_ascii_alphabetic);
                let letters = letters.filter(|letter| (from..=to).contains(letter));
                letters.step_by(step).map(String::from).collect()
            }
        }
    };
    (!choices.is_empty()).then_some((end + 1, choices))
}

fn missing(span: Span) -> Unread {
    Unread::at(Reason::BodyMissing, span)
}

/// Encodes data as curl does: `content`, `=content`, `name=content`, `@file` or `name@file`.
fn encoded(word: &ShellWord) -> ShellWord {
    let sign = |sign| memchr(sign, word.bytes());
    let Some(at) = sign(b'=').or_else(|| sign(b'@')) else {
        // The name may be in what is not known, and then it is not encoded.
        return if word.contains(UNKNOWN) {
            word.clone()
        } else {
            word.percent_encoded()
        };
    };
    let mut data = word.part(0, at);
    if at > 0 {
        data.push(b"=", word.text.map.outer(Span::new(at, at + 1)));
    }
    let content = word.part(at + 1, word.bytes().len());
    if word.bytes().get(at) == Some(&b'=') {
        data.text.append(&content.percent_encoded().text);
    } else {
        data.push(UNKNOWN, content.span);
    }
    data.span = word.span;
    data
}

/// Adds the part that a value of `--form` describes: `name=content`, `name=@file`, `name=<file`, each with attributes after
/// semicolons. In `--form-string`, the content is everything after the name.
fn add_part(form: &mut StoredForm, word: &ShellWord, is_verbatim: bool) {
    let Some(equals) = memchr(b'=', word.bytes()) else {
        return form.add_unread(Reason::BadEncoding, word.span);
    };
    let name = word.part(0, equals).text;
    let start = equals + 1;
    let rest = word.bytes().get(start..).unwrap_or_default();
    match rest.first() {
        Some(b'@' | b'<') if !is_verbatim => form.add_file(name),
        // A part of several parts, which has no name, or their end.
        Some(b'(' | b')') if equals == 0 => {}
        Some(b'"') if !is_verbatim => form.add(name, unquoted(word, start + 1)),
        _ => {
            let length = memchr(b';', rest).filter(|_| !is_verbatim);
            let end = start + length.unwrap_or(rest.len());
            form.add(name, word.part(start, end).text);
        }
    }
}

/// The content in quotes that begins at `start`. A backslash escapes a quote or a backslash.
fn unquoted(word: &ShellWord, start: usize) -> MappedText {
    let mut content = ShellWord::default();
    let mut at = start;
    while let Some(&byte) = word.bytes().get(at) {
        let (byte, length) = match (byte, word.bytes().get(at + 1)) {
            (b'"', _) => break,
            (b'\\', Some(&escaped @ (b'"' | b'\\'))) => (escaped, 2),
            _ => (byte, 1),
        };
        content.push(&[byte], word.text.map.outer(Span::new(at, at + length)));
        at += length;
    }
    content.text
}

/// The position of the first field in the data of a form whose name is not known.
fn unknown_name(data: &[u8]) -> Option<Span> {
    let mut start = 0;
    data.split(|&byte| byte == b'&').find_map(|pair| {
        let name = pair.split(|&byte| byte == b'=').next().unwrap_or_default();
        let span = Span::new(start, start + name.len());
        start += pair.len() + 1;
        contains(name, UNKNOWN).then_some(span)
    })
}
