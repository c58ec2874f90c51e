//! Postman collections, v2.0 and v2.1: <https://schema.postman.com/collection/json/v2.1.0/draft-07/docs/index.html>.
//!
//! The JSON report of a run (Newman) has the calls that were made beside the collection. Folders nest. A request may be just its URL, and a URL a text or its parts. A saved response is an exchange of its
//! own, with the request that it answered.

use crate::Limits;
use crate::body_content::BodyContent;
use crate::file_head::FileHead;
use crate::items::member;
use crate::parsed_document::{self, ParsedDocument};
use crate::pieces;
use crate::placeholders::{Variables, emit};
use crate::spec::{
    FormatFamily, FormatReader, FormatSpec, Keeps, MarkSign, Recognition, common, distinctive,
};
use crate::stored_form::StoredForm;
use sundown_exchange::RecordPlace;
use sundown_exchange::{
    Call, Exchange, FormKind, Message, Method, Reason, Record, RecordSink, Skip, Target,
};
use sundown_exchange::{HeaderFields, is_disabled};
use sundown_text_json::json::{Node, ValueKind, scan};
use sundown_text_json::text::{Block, Span};

/// Postman collections (v2.0 and v2.1), with saved responses.
pub(crate) const POSTMAN: FormatSpec = FormatSpec {
    name: "postman",
    title: "Postman collections (v2.0 and v2.1), with saved responses, and reports of Newman",
    family: FormatFamily::Clients,
    recognised: "`info` and `item` at the top (or in `collection`), and Postman's schema or `_postman_id`",
    recognition: Recognition::Sniff(sniff),
    reader: FormatReader::Records(read),
    keeps: Keeps::Exchanges,
    reads: "folders, URLs as text or in parts, forms, saved responses with the request that they answer; the variables of the collection; of a report, the calls that were made",
    limits: "Environments are separate files, so their variables are not known. Scripts and collections v1 are not read.",
    is_binary: false,
    endings: &["json"],
    marks: &[
        common(MarkSign::Object("info"), "object `info` at the top"),
        distinctive(MarkSign::List("item"), "list `item` at the top"),
        distinctive(
            MarkSign::Text(&["postman.com/", "\"_postman_id\""]),
            "Postman schema",
        ),
    ],
    sample: "formats/postman/collection.json",
};

/// Recognises a collection, also in the wrapper of Postman's own API. The member that identifies it may be last, and
/// cut off.
fn sniff(head: &FileHead<'_>) -> bool {
    let is_collection = head.has("info", b'{') && head.has("item", b'[');
    (is_collection || head.has("collection", b'{') && head.contains("\"item\""))
        && (head.contains("postman.com/") || head.contains("\"_postman_id\""))
        || is_beginning(head)
}

/// Recognises the beginning of a collection: a list of requests or folders.
fn is_beginning(head: &FileHead<'_>) -> bool {
    let Some(open) = head.at("item", b'[') else {
        return false;
    };
    let first = scan::skip_whitespace(head.bytes, open + 1);
    ["request", "item"]
        .iter()
        .any(|key| member(head.bytes, first, key).is_some())
        && scan::value(head.bytes, head.start).is_err()
}

fn read<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    let Some(ParsedDocument {
        document, place, ..
    }) = parsed_document::json(file, limits, sink)
    else {
        return;
    };
    let root = document.root().get("collection").unwrap_or(document.root());
    let mut collection = Collection {
        place,
        variables: variables(root),
        sink,
        index: 0,
    };
    // The report of a run has the collection beside what was sent and received.
    let run = document.root().get("run");
    match run.and_then(|run| run.get("executions")) {
        Some(executions) => executions
            .children()
            .for_each(|execution| collection.execution(execution)),
        None => collection.items(root),
    }
}

fn variables(root: Node<'_>) -> Variables {
    let mut variables = Variables::default();
    for variable in root.children_of("variable") {
        let text = |key| variable.text_of(key);
        if let (Some(name), Some(value)) = (text("key").or_else(|| text("id")), text("value")) {
            variables.define(name, value);
        }
    }
    variables
}

struct Collection<'c, 'a> {
    place: RecordPlace<'a>,
    variables: Variables,
    sink: &'c mut dyn RecordSink<'a>,
    index: usize,
}

impl<'a> Collection<'_, 'a> {
    /// Reads the requests of a folder, and the folders in it. The nesting limit of documents bounds the recursion.
    fn items(&mut self, folder: Node<'_>) {
        for item in folder.children_of("item") {
            match item.get("request") {
                Some(request) => self.item(item, request),
                None if item.get("item").is_some() => self.items(item),
                None => self.nothing(item),
            }
        }
    }

    fn nothing(&mut self, value: Node<'_>) {
        let span = self.place.span(value.span());
        self.sink.skip(Skip::at(Reason::NoExchange, span));
    }

    fn item(&mut self, item: Node<'_>, request: Node<'_>) {
        let Some((call, sent)) = self.request(request) else {
            return self.nothing(item);
        };
        self.exchange(call.clone(), sent, Message::default());
        for answer in item.children_of("response") {
            let (call, sent) = answer
                .get("originalRequest")
                .and_then(|sent| self.request(sent))
                .unwrap_or_else(|| (call.clone(), Message::default()));
            let answer = self.response(answer);
            self.exchange(call, sent, answer);
        }
    }

    /// Reads a call that was made in a run.
    fn execution(&mut self, execution: Node<'_>) {
        let request = execution.get("request");
        let Some((call, sent)) = request.and_then(|request| self.request(request)) else {
            return self.nothing(execution);
        };
        let answer = execution.get("response");
        let status = answer.and_then(|answer| pieces::status_of(answer.get("code")?));
        let answer = answer.map(|answer| self.response(answer));
        let exchange = Exchange {
            index: self.index,
            call,
            status: status.into(),
            request: sent,
            response: answer.unwrap_or_default(),
            ..Exchange::default()
        };
        self.index += 1;
        emit(Record::Exchange(exchange), self.sink);
    }

    fn exchange(&mut self, call: Call<'a>, request: Message<'a>, response: Message<'a>) {
        let index = self.index;
        self.index += 1;
        let exchange = Exchange {
            index,
            call,
            request,
            response,
            ..Exchange::default()
        };
        emit(Record::Exchange(exchange), self.sink);
    }

    fn request(&self, request: Node<'_>) -> Option<(Call<'a>, Message<'a>)> {
        let url = request.get("url").unwrap_or(request);
        let (target, span) = self.url(url)?;
        // A request without a method is a GET.
        let method = request.text_of("method").unwrap_or("GET");
        let call = Call::new(Method::parse(method), target, Some(span));
        let fields = request
            .get("header")
            .map(|all| self.fields(all))
            .unwrap_or_default();
        let body = request.get("body").filter(|body| !is_disabled(*body));
        let Some(body) = body else {
            return Some((call, BodyContent::Nothing.into_message(fields)));
        };
        let language = body
            .get("options")
            .and_then(|all| all.get("raw")?.text_of("language"));
        let mode = body.text_of("mode").unwrap_or("raw");
        let fields = match mode {
            "raw" if language == Some("json") => fields.or_json(),
            "urlencoded" => fields.or_form(),
            _ => fields,
        };
        Some((call, self.body(body, mode).into_message(fields)))
    }

    fn response(&self, response: Node<'_>) -> Message<'a> {
        let fields = response
            .get("header")
            .map(|all| self.fields(all))
            .unwrap_or_default();
        let text = response.get("body").map(|body| self.string(body));
        let bytes = || Some(BodyContent::of_value(response.get("stream")?, self.place));
        text.or_else(bytes).unwrap_or_default().into_message(fields)
    }

    /// Parses a URL, with its position: that of the text, or otherwise that of the path.
    fn url(&self, url: Node<'_>) -> Option<(Target<'static>, Span)> {
        let whole = url.get("raw").unwrap_or(url);
        if let Some(text) = whole.as_str() {
            return Some((
                self.variables.resolve_url(text),
                self.place.span(whole.span()),
            ));
        }
        let path = url.get("path");
        let at = path.or_else(|| url.get("host"))?;
        let joined = |value: Node<'_>, by: &str| match value.text() {
            Some(text) => text.to_owned(),
            None => value
                .children()
                .filter_map(segment)
                .collect::<Vec<_>>()
                .join(by),
        };
        let host = url
            .get("host")
            .map(|host| joined(host, "."))
            .unwrap_or_default();
        let path = path.map(|path| joined(path, "/")).unwrap_or_default();
        let mut target = self.variables.resolve_url(&format!("http://{host}"));
        if host.contains("{{") {
            target = self.variables.resolve_url(&host);
        }
        let path = self.variables.resolve_url(&format!("/{path}"));
        target.segments_with_parameters = path
            .segments_with_parameters
            .map(|path| [target.segments.clone(), path].concat());
        target.segments.extend(path.segments);
        let named = url.get("query").into_iter().flat_map(pieces::parameters);
        target.parameters.extend(named);
        Some((target, self.place.span(at.span())))
    }

    /// Reads header fields: a list, or in old collections a text of lines.
    fn fields(&self, list: Node<'_>) -> HeaderFields<'a> {
        let mut fields = HeaderFields::of(list, self.place);
        let lines = list.as_str().unwrap_or_default().lines();
        for (name, value) in lines.filter_map(|line| line.split_once(':')) {
            fields.add(name, self.place.span(list.span()), value);
        }
        fields
    }

    fn body(&self, body: Node<'_>, mode: &str) -> BodyContent<'a> {
        let Some(content) = body.get(mode) else {
            return BodyContent::Nothing;
        };
        let span = self.place.span(content.span());
        match mode {
            "raw" => self.string(content),
            "urlencoded" if content.kind() == ValueKind::String => self.string(content),
            "urlencoded" => self.form(content, FormKind::UrlEncoded),
            "formdata" => self.form(content, FormKind::Multipart),
            "file" => match content.get("src") {
                Some(name) => BodyContent::in_file_of(name, self.place),
                None => BodyContent::external(span),
            },
            _ if content.children().len() == 0 => BodyContent::Nothing,
            // GraphQL is sent as JSON too, but its members are not those of the service.
            _ => BodyContent::not_json(span),
        }
    }

    /// A body that is a list of fields.
    fn form(&self, list: Node<'_>, kind: FormKind) -> BodyContent<'a> {
        let mut form = StoredForm::of_client(kind);
        for field in list.children() {
            form.add_object(field, "key", self.place);
        }
        form.into_content(self.place.file, self.place.span(list.span()))
    }

    /// A body that is a string's content.
    fn string(&self, value: Node<'_>) -> BodyContent<'a> {
        let Some(text) = value.as_str() else {
            return BodyContent::Nothing;
        };
        let span = self.place.span(value.span());
        let map = value.text_map(self.place.start);
        BodyContent::decoded(self.place.file, span, text.into(), map)
    }
}

/// A segment of a path: a text, or an object that holds one.
fn segment(value: Node<'_>) -> Option<&str> {
    value.text().or_else(|| value.text_of("value"))
}
