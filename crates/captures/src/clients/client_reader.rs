//! What the documents of API clients say of a request, whatever their names for it: its URL as a text or in parts, lists of
//! header fields and parameters, a body of one of several kinds, variables in all of them, and the response of an example.

use crate::documents::ParsedDocument;
use crate::messages::{BodyContent, CallEmitter, StoredForm, Variables};
use crate::pieces;
use sundown_exchange::{
    Call, CallRecord, Exchange, FormKind, HeaderFields, Message, Method, Reason, RecordPlace,
    RecordSink, Target, is_disabled, is_off,
};
use sundown_text_json::json::{Node, ValueKind};
use sundown_text_json::text::Span;

/// Reads the requests of a document.
pub(super) struct ClientReader<'r, 'a> {
    place: RecordPlace<'a>,
    variables: Variables,
    calls: CallEmitter<'r>,
    /// The position where the file is cut off, if it is. A value that ends there may be incomplete.
    cut: Option<usize>,
}

impl<'r, 'a> ClientReader<'r, 'a> {
    /// Reads a document, as far as it is whole.
    pub(super) fn read(
        held: Option<ParsedDocument<'a>>,
        sink: &'r mut dyn RecordSink,
        read: impl FnOnce(&mut Self, Node<'_>),
    ) {
        let Some(held) = held else { return };
        let mut reading = Self {
            place: held.place,
            variables: Variables::default(),
            calls: CallEmitter::new(sink),
            cut: held.broken_line(),
        };
        read(&mut reading, held.document.root());
    }
}

impl<'a> ClientReader<'_, 'a> {
    fn is_whole(&self, value: Node<'_>) -> bool {
        self.cut
            .is_none_or(|cut| self.place.span_of(value).end < cut)
    }

    /// Defines the variables of an environment. Members of objects are named with dots.
    pub(super) fn define(&mut self, data: Option<Node<'_>>, prefix: &str) {
        for value in data.into_iter().flat_map(Node::children) {
            let Some(key) = value.key() else { continue };
            let name = format!("{prefix}{key}");
            match value.text() {
                _ if !self.is_whole(value) => {}
                Some(text) => self.variables.define(&name, text),
                // Variables in URLs do not nest deeper than this.
                None if prefix.len() < 256 => self.define(Some(value), &format!("{name}.")),
                None => {}
            }
        }
    }

    /// Defines the variables in a list.
    pub(super) fn define_list(&mut self, list: Option<Node<'_>>) {
        let variables = list.into_iter().flat_map(Node::children);
        for variable in variables.filter(|variable| !is_disabled(*variable)) {
            let name = first_of(variable, &["key", "name", "id"]).and_then(Node::text);
            if let (Some(name), Some(value)) = (name, variable.get("value"))
                && let Some(text) = value.text().filter(|_| self.is_whole(value))
            {
                self.variables.define(name, text);
            }
        }
    }

    /// Reports a value that should be a request and is none.
    pub(super) fn nothing(&mut self, value: Node<'_>) {
        let span = self.place.span_of(value);
        self.calls.skip(Reason::NoExchange, span);
    }

    /// Reads a request, and the response that an example has.
    pub(super) fn request(&mut self, request: Node<'_>, response: Option<Node<'_>>) {
        let url = request.get("url");
        if url.is_some_and(|url| !self.is_whole(url)) {
            return;
        }
        let has_url = url
            .and_then(Node::as_str)
            .is_some_and(|url| !url.is_empty());
        match self.call(request).filter(|_| has_url) {
            Some((call, sent)) => {
                let exchange = Exchange {
                    call,
                    request: sent,
                    response: response.map_or_else(Message::default, |answer| self.message(answer)),
                    ..Exchange::default()
                };
                self.emit(exchange, request);
            }
            None => self.nothing(request),
        }
    }

    /// Emits the call of an object. What is cut off, or has the responses of other calls or bodies beside that which is sent, is no
    /// record of one.
    pub(super) fn emit(&mut self, exchange: Exchange<'a>, object: Node<'_>) {
        let RecordPlace { file, .. } = self.place;
        let has_others = exchange.request.raw_body().is_some() || object.get("responses").is_some();
        let is_sent = !object.get("body").is_some_and(is_disabled);
        let is_record = self.cut.is_none() && !has_others && is_sent;
        let extent = is_record.then(|| self.place.span_of(object));
        self.calls.emit(Exchange {
            record: extent.map(|own| CallRecord::new(file, own)),
            extent,
            ..exchange
        });
    }

    /// The call of a request, and what it sends. A request may be just its URL; without a method it is a GET.
    pub(super) fn call(&self, request: Node<'_>) -> Option<(Call<'a>, Message<'a>)> {
        let (mut target, span) = self.url(request.get("url").unwrap_or(request))?;
        let lists = ["parameters", "params"].into_iter();
        let lists = lists.filter_map(|name| request.get(name));
        target
            .parameters
            .extend(lists.flat_map(|list| pieces::parameters(list, self.place)));
        let of_url = request.get("url").and_then(|url| url.get("variable"));
        let lists = [of_url, request.get("pathParameters"), request.get("params")];
        let variables = lists.into_iter().flatten().flat_map(Node::children);
        for variable in variables.filter(|it| !is_off(*it) && it.text_of("type") != Some("query")) {
            let name = first_of(variable, &["key", "name"]).and_then(Node::text);
            let value = variable.text_of("value").unwrap_or_default();
            target.fill(name.unwrap_or_default(), &self.variables.resolve(value));
        }
        let method = request.text_of("method").unwrap_or("GET");
        let call = Call::new(Method::parse(method), target, Some(span));
        Some((call, self.message(request)))
    }

    /// Parses a URL, with its position: that of the text, or otherwise that of the path.
    fn url(&self, url: Node<'_>) -> Option<(Target<'static>, Span)> {
        let whole = url.get("raw").unwrap_or(url);
        if let Some(text) = whole.as_str() {
            let span = self.place.span_of(whole);
            return Some((self.variables.resolve_url(text), span));
        }
        let at = first_of(url, &["path", "host"])?;
        let host = joined(url.get("host"), ".");
        let path = joined(url.get("path"), "/");
        let is_name = !host.is_empty() && !host.contains("{{");
        let scheme = if is_name { "http://" } else { "" };
        let text = format!("{scheme}{host}/{path}");
        let mut target = self.variables.resolve_url(&text);
        let named = url.get("query").into_iter();
        let named = named.flat_map(|list| pieces::parameters(list, self.place));
        target.parameters.extend(named);
        Some((target, self.place.span_of(at)))
    }

    /// The request or the response that an object describes. Version 1 of Postman's format has the members of a body in the request,
    /// and reports of runs have the bytes of one.
    pub(super) fn message(&self, object: Node<'_>) -> Message<'a> {
        let fields = first_of(object, &["headerData", "headers", "header"]);
        let fields = fields.map(|all| self.fields(all)).unwrap_or_default();
        let in_itself = first_of(object, &["dataMode", "rawModeData"]).map(|_| object);
        let body = first_of(object, &["body", "text"]).or(in_itself);
        let Some(body) = body.map(selected).filter(|body| !is_disabled(*body)) else {
            let bytes = object.get("stream");
            let content = bytes.map(|bytes| BodyContent::of_value(bytes, self.place));
            return content.unwrap_or_default().into_message(fields);
        };
        let kind = kind(body);
        let fields = if kind.contains("json") {
            fields.or_json()
        } else if kind.contains("urlencoded") {
            fields.or_form()
        } else {
            fields
        };
        self.body(body, kind).into_message(fields)
    }

    /// Reads header fields: a list, or in old collections a text of lines.
    fn fields(&self, list: Node<'_>) -> HeaderFields<'a> {
        let mut fields = HeaderFields::of(list, self.place);
        let lines = list.as_str().unwrap_or_default().lines();
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            fields.add(name, self.place.span_of(list), value);
        }
        fields
    }

    fn body(&self, body: Node<'_>, kind: &str) -> BodyContent<'a> {
        if let Some(name) = body.get("fileName").filter(|name| name.text() != Some("")) {
            return BodyContent::in_file_of(name, self.place);
        }
        let mode = body.text_of("mode").unwrap_or("raw");
        let names = [
            mode,
            "text",
            "rawModeData",
            "graphqlModeData",
            "data",
            "params",
        ]
        .into_iter();
        let mut contents = names.filter_map(|name| body.get(name));
        let content = match body.kind() {
            // Before v3, Insomnia's exports had the text alone.
            ValueKind::String => Some(body),
            _ => contents.find(|content| !is_empty(*content)),
        };
        let Some(content) = content else {
            // A file without a name, or one that version 1 of Postman's format does not name.
            let is_file = kind == "binary" || kind == "file" && body.get("file").is_some();
            return if is_file {
                BodyContent::external(self.place.span_of(body))
            } else {
                BodyContent::default()
            };
        };
        let span = self.place.span_of(content);
        match content.kind() {
            _ if kind == "file" && content.kind() != ValueKind::String => {
                match first_of(chosen(content), &["src", "filePath"]) {
                    Some(name) => BodyContent::in_file_of(name, self.place),
                    None => BodyContent::external(span),
                }
            }
            ValueKind::Array => self.form(content, kind),
            // GraphQL is sent as JSON too, but its members are not those of the service.
            _ if kind.ends_with("graphql") => BodyContent::not_json(span),
            _ if !self.is_whole(content) => BodyContent::default(),
            _ => self.text(content),
        }
    }

    /// A body that is a list of fields.
    fn form(&self, list: Node<'_>, kind: &str) -> BodyContent<'a> {
        let is_multipart = ["multipart", "formdata", "params"].iter();
        let is_multipart = is_multipart.into_iter().any(|name| kind.starts_with(name));
        let mut form = StoredForm::of_client(if is_multipart {
            FormKind::Multipart
        } else {
            FormKind::UrlEncoded
        });
        for field in list.children().filter(|field| self.is_whole(*field)) {
            let name = if field.get("key").is_some() {
                "key"
            } else {
                "name"
            };
            form.add_object(field, name, self.place);
        }
        form.into_content(self.place.file, self.place.span_of(list))
    }

    /// A body that is a string's content.
    fn text(&self, value: Node<'_>) -> BodyContent<'a> {
        let (Some(text), ValueKind::String) = (value.as_str(), value.kind()) else {
            return match value.kind() {
                ValueKind::Null => BodyContent::default(),
                // In YAML, JSON that is not in quotes is YAML.
                _ => BodyContent::verbatim(self.place.file, self.place.span_of(value)),
            };
        };
        let span = self.place.span_of(value);
        let map = value.text_map(self.place.start);
        BodyContent::decoded(self.place.file, span, text.into(), map)
    }
}

/// The kind of a body in the words of its client: the language of a text, a mode, or a media type.
fn kind(body: Node<'_>) -> &str {
    let mode = first_of(body, &["mode", "dataMode", "mimeType", "type"]).and_then(Node::text);
    let options = first_of(body, &["options", "dataOptions"]).and_then(|all| all.get("raw"));
    let kind = match mode {
        None | Some("raw") => options.and_then(|raw| raw.text_of("language")).or(mode),
        Some(_) => mode,
    };
    kind.unwrap_or_default()
}

/// Of several bodies under their titles, the one that is sent.
fn selected(body: Node<'_>) -> Node<'_> {
    chosen(body).get("body").unwrap_or(body)
}

/// The selected element of a list, or else the first that is not left out; another value is itself.
fn chosen(list: Node<'_>) -> Node<'_> {
    let is =
        |element: &Node<'_>, flag| element.get("selected").and_then(Node::as_bool) == Some(flag);
    let mut elements = list.children().filter(|_| list.kind() == ValueKind::Array);
    let others = elements.clone().find(|element| !is(element, false));
    let selected = elements.find(|element| is(element, true));
    selected.or(others).unwrap_or(list)
}

fn is_empty(content: Node<'_>) -> bool {
    match content.kind() {
        ValueKind::Object | ValueKind::Array => content.children().len() == 0,
        kind => kind == ValueKind::Null || content.is_empty_text(),
    }
}

/// The text of a URL's part: itself, or its segments, each a text or an object that holds one.
fn joined(part: Option<Node<'_>>, by: &str) -> String {
    let text = part.and_then(Node::text).map(str::to_owned);
    let segments = part.into_iter().flat_map(Node::children);
    let segments = segments.filter_map(|one| one.text().or_else(|| one.text_of("value")));
    text.unwrap_or_else(|| segments.collect::<Vec<_>>().join(by))
}

/// The first member that an object has of these.
fn first_of<'d>(object: Node<'d>, names: &[&str]) -> Option<Node<'d>> {
    names.iter().find_map(|name| object.get(name))
}
