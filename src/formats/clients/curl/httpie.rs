//! Interprets the words after `http`, `https`, `xh` and `xhs` as HTTPie does (its documentation, "Request items").

use super::call::{ShellCalls, Transfer, add_field};
use super::options::{CURL, OptionTable, ProgramOption};
use super::request_json::{ItemValue, JsonBuilder};
use super::words::{ShellCommand, ShellWord};
use crate::formats::header_fields::HeaderFields;
use crate::formats::message::BodyContent;
use crate::formats::stored_form::StoredForm;
use crate::text::Span;
use crate::traffic::{Call, FormKind, Method, QueryParameter, Reason, Target, Unread};

/// The options of HTTPie and xh that take a value.
pub(super) const HTTPIE: OptionTable = OptionTable {
    letters: b"Aaops",
    words: &[
        "auth",
        "auth-type",
        "bearer",
        "boundary",
        "cert",
        "cert-key",
        "cert-key-pass",
        "ciphers",
        "default-scheme",
        "format-options",
        "http-version",
        "interface",
        "max-headers",
        "max-redirects",
        "output",
        "pretty",
        "print",
        "proxy",
        "raw",
        "resolve",
        "response-charset",
        "response-mime",
        "session",
        "session-read-only",
        "ssl",
        "style",
        "timeout",
    ],
    word_of: |letter| match letter {
        b'f' => "form",
        b'I' => "ignore-stdin",
        _ => "",
    },
};

/// The separators of names and values in items. Of those at one position, the longest counts.
const SEPARATORS: [(&[u8], ItemKind); 10] = [
    (b":=@", ItemKind::BodyFile),
    (b"==@", ItemKind::QueryFile),
    (b"=@", ItemKind::BodyFile),
    (b":@", ItemKind::Header),
    (b":=", ItemKind::Json),
    (b"==", ItemKind::Query),
    (b":", ItemKind::Header),
    (b"=", ItemKind::Text),
    (b"@", ItemKind::Upload),
    (b";", ItemKind::Header),
];

#[derive(Clone, Copy, PartialEq, Eq)]
enum ItemKind {
    Header,
    Query,
    /// A query parameter whose value is in a file.
    QueryFile,
    /// A string of the body.
    Text,
    /// JSON of the body.
    Json,
    /// A part of the body that is in a file.
    BodyFile,
    /// A part of a form that is in a file.
    Upload,
}

/// A request item: a name, a separator and a value.
struct RequestItem {
    kind: ItemKind,
    name: ShellWord,
    value: ShellWord,
    whole: ShellWord,
}

impl RequestItem {
    /// The query parameter, if it is one.
    fn parameter(&self) -> Option<QueryParameter<'static>> {
        let value = match self.kind {
            ItemKind::Query => Some(self.value.lossy().into_owned().into()),
            ItemKind::QueryFile => None,
            _ => return None,
        };
        Some(QueryParameter { name: self.name.lossy().into_owned().into(), value })
    }
}

/// The positional arguments: a method, a URL, and items.
struct HttpieCall {
    method: Option<String>,
    url: ShellWord,
    items: Vec<RequestItem>,
}

/// The options that decide how the body is sent.
#[derive(Default)]
struct HttpieOptions {
    is_form: bool,
    raw: Option<ShellWord>,
    headers: Vec<ShellWord>,
    /// Standard input is not the body.
    ignores_input: bool,
}

/// Reads the call of a command.
pub(super) fn calls<'a>(
    file: &'a [u8],
    words: &[ShellWord],
    scheme: &str,
    command: &ShellCommand,
) -> ShellCalls<'a> {
    let mut given = Vec::new();
    let mut options = HttpieOptions::default();
    for ProgramOption { name, value } in HTTPIE.parse(words) {
        match (&*name, value) {
            ("url", Some(word)) => given.push(word),
            ("form" | "multipart", _) => options.is_form = true,
            ("raw", text) => options.raw = text,
            ("ignore-stdin", _) => options.ignores_input = true,
            _ => {}
        }
    }
    let mut calls = ShellCalls::default();
    match HttpieCall::parse(&given) {
        Some(call) => call.finish(file, scheme, &options, command, &mut calls),
        None => calls.unknown.extend(unknown_word(&given)),
    }
    calls
}

/// Reads the calls of curlie, which has the options of curl and the arguments of HTTPie.
pub(super) fn calls_of_curlie<'a>(
    file: &'a [u8],
    words: &[ShellWord],
    command: &ShellCommand,
) -> ShellCalls<'a> {
    let mut calls = ShellCalls::default();
    let mut transfer = Transfer::default();
    let mut given = Vec::new();
    for ProgramOption { name, value } in CURL.parse(words) {
        match value {
            Some(word) if name == "url" => given.push(word),
            value => transfer.take(&name, value, command.input.as_ref()),
        }
    }
    let Some(call) = HttpieCall::parse(&given) else {
        calls.unknown.extend(unknown_word(&given));
        return calls;
    };
    if transfer.sends() {
        transfer.method = transfer.method.or(call.method);
        transfer.take("url", Some(call.url), None);
        transfer.finish(file, &mut calls);
    } else {
        let method = transfer.method.or(call.method);
        let options = HttpieOptions { headers: transfer.headers, ..HttpieOptions::default() };
        HttpieCall { method, ..call }.finish(file, "http", &options, command, &mut calls);
    }
    calls
}

/// The first word that is not known and may be an item or a URL.
fn unknown_word(given: &[ShellWord]) -> Option<Span> {
    given.iter().find(|word| word.begins_unknown()).map(|word| word.span)
}

impl HttpieCall {
    /// Parses the positional arguments; `None` if they are not those of a call.
    fn parse(words: &[ShellWord]) -> Option<Self> {
        let (first, more) = words.split_first()?;
        let is_method = !more.is_empty() && first.text.iter().all(u8::is_ascii_alphabetic);
        let (method, url, items) = if is_method {
            let (url, items) = more.split_first()?;
            (Some(first.lossy().into_owned()), url, items)
        } else {
            (None, first, more)
        };
        let looks_like_url = url.text.iter().any(|byte| b"./:$".contains(byte))
            || matches!(url.text.as_slice(), b"localhost");
        let items = items.iter().map(RequestItem::parse).collect::<Option<Vec<_>>>()?;
        looks_like_url.then(|| Self { method, url: url.clone(), items })
    }

    fn finish<'a>(
        self,
        file: &'a [u8],
        scheme: &str,
        options: &HttpieOptions,
        command: &ShellCommand,
        calls: &mut ShellCalls<'a>,
    ) {
        if self.url.is_unknown() {
            return calls.unknown.push(self.url.span);
        }
        let mut fields = HeaderFields::default();
        let headers = self.items.iter().filter(|item| item.kind == ItemKind::Header);
        for word in headers.map(|item| &item.whole).chain(&options.headers) {
            add_field(&mut fields, word);
        }
        let content = self.content(file, options, command);
        let sends = !matches!(content, BodyContent::Nothing);
        let method = self.method.as_deref().unwrap_or(if sends { "POST" } else { "GET" });
        let mut target = self.target(scheme);
        target.parameters.extend(self.items.iter().filter_map(RequestItem::parameter));
        let fields = if options.is_form { fields } else { fields.or_json() };
        let call = Call { method: Method::parse(method), target, url_span: Some(self.url.span) };
        calls.push(call, content.into_message(fields));
    }

    /// The URL; the scheme and `localhost` may be left out.
    fn target(&self, scheme: &str) -> Target<'static> {
        let url = self.url.lossy();
        let whole = match url.strip_prefix(':') {
            Some(rest) if rest.starts_with("//") => format!("{scheme}:{rest}"),
            Some(rest) if rest.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("{scheme}://localhost:{rest}")
            }
            Some(rest) => format!("{scheme}://localhost/{rest}"),
            None if url.contains("://") || url.starts_with(['{', '/']) => url.into_owned(),
            None => format!("{scheme}://{url}"),
        };
        Target::parse(&whole).into_owned()
    }

    fn content<'a>(
        &self,
        file: &'a [u8],
        options: &HttpieOptions,
        command: &ShellCommand,
    ) -> BodyContent<'a> {
        let is_body = |item: &&RequestItem| {
            !matches!(item.kind, ItemKind::Header | ItemKind::Query | ItemKind::QueryFile)
        };
        let mut items = self.items.iter().filter(is_body);
        let Some(first) = items.clone().next() else {
            let reads_input = !options.ignores_input;
            let input = command.input.as_ref().filter(|_| reads_input);
            let unread = command.unread_input.filter(|_| reads_input);
            return match (options.raw.as_ref().or(input), unread) {
                (Some(text), _) => {
                    BodyContent::decoded(file, text.span, text.text.clone(), Some(text.map.clone()))
                }
                (None, Some(span)) => BodyContent::external(span),
                (None, None) => BodyContent::Nothing,
            };
        };
        if options.is_form || items.clone().any(|item| item.kind == ItemKind::Upload) {
            return form(file, first.whole.span, items);
        }
        if let Some(file) = items.find(|item| item.kind == ItemKind::BodyFile) {
            return BodyContent::external(file.whole.span);
        }
        let last =
            self.items.iter().rfind(is_body).map_or(first.whole.span, |item| item.whole.span);
        let span = Span::new(first.whole.span.start, last.end.max(first.whole.span.end));
        let mut body = JsonBuilder::default();
        for item in self.items.iter().filter(is_body) {
            let value = if item.kind == ItemKind::Json { ItemValue::Json } else { ItemValue::Text };
            if !body.insert(&item.name, &item.value, value) {
                let span = item.whole.span;
                return BodyContent::Unread(Unread::at(Reason::InvalidJson, span));
            }
        }
        let (text, map) = body.finish();
        BodyContent::decoded(file, span, text, Some(map))
    }
}

/// The body of a form, which begins at `span`.
fn form<'a, 'i>(
    file: &'a [u8],
    span: Span,
    items: impl Iterator<Item = &'i RequestItem>,
) -> BodyContent<'a> {
    let mut form = StoredForm::of_client(FormKind::UrlEncoded);
    for RequestItem { kind, name, value, .. } in items {
        match kind {
            // The body is a file.
            ItemKind::Upload if name.text.is_empty() => {
                form.add_unread(Reason::BodyMissing, value.span);
            }
            ItemKind::Upload | ItemKind::BodyFile => form.add_file(name.clone().into_text()),
            _ => form.add(name.clone().into_text(), value.clone().into_text()),
        }
    }
    form.into_content(file, span)
}

impl RequestItem {
    /// Splits an item at its separator. A backslash before a separator makes it a part of the name.
    fn parse(word: &ShellWord) -> Option<Self> {
        let mut name = ShellWord::default();
        let mut at = 0;
        while let Some(&byte) = word.text.get(at) {
            let rest = word.text.get(at..)?;
            let next = word.text.get(at + 1);
            if byte == b'\\' && next.is_some_and(|next| b":=@;\\[]".contains(next)) {
                // Brackets keep their backslash, which the path of the name needs.
                let kept = if next.is_some_and(|next| b"[]".contains(next)) { at } else { at + 1 };
                let escaped = word.text.get(kept..at + 2)?;
                name.push(escaped, word.map.outer(Span::new(at, at + 2)));
                at += 2;
                continue;
            }
            if let Some((separator, kind)) =
                SEPARATORS.iter().find(|(separator, _)| rest.starts_with(separator))
            {
                name.span = word.map.outer(Span::new(0, at));
                let value = word.part(at + separator.len(), word.text.len());
                return Some(Self { kind: *kind, name, value, whole: word.clone() });
            }
            name.push(&[byte], word.map.outer(Span::new(at, at + 1)));
            at += 1;
        }
        None
    }
}
