//! Insomnia's exports: v4 and earlier, a list of resources in JSON or YAML, and v5, a tree in YAML. Insomnia's source defines both
//! (`packages/insomnia/src/common/import-v5-parser.ts` and `importers/insomnia-4`).
//!
//! Neither contains responses.

use crate::Limits;
use crate::body_content::BodyContent;
use crate::file_head::{FileHead, contains};
use crate::parsed_document::{self, ParsedDocument};
use crate::pieces;
use crate::placeholders::{Variables, emit};
use crate::spec::{
    FormatFamily, FormatReader, FormatSpec, Keeps, MarkSign, Recognition, common, distinctive,
};
use crate::stored_form::StoredForm;
use crate::yaml;
use sundown_exchange::RecordPlace;
use sundown_exchange::{
    Call, Exchange, FormKind, Message, Method, Reason, Record, RecordSink, Skip,
};
use sundown_exchange::{HeaderFields, is_disabled};
use sundown_text_json::json::{Node, ValueKind};
use sundown_text_json::text::Block;

/// Insomnia exports, v4 and earlier.
pub(crate) const INSOMNIA: FormatSpec = FormatSpec {
    name: "insomnia",
    title: "Insomnia exports, v4 (JSON or YAML)",
    family: FormatFamily::Clients,
    recognised: "`_type`, `__export_format` and `resources` at the top; in YAML, lines of `_type: export` and `__export_format`",
    recognition: Recognition::Sniff(sniff_v4),
    reader: FormatReader::Records(read_v4),
    keeps: Keeps::Requests,
    reads: "requests, with the variables that environments in the file define",
    limits: "Insomnia exports no responses.",
    is_binary: false,
    endings: &["json", "yaml", "yml"],
    marks: &[
        distinctive(
            MarkSign::Key("__export_format"),
            "`__export_format` at the top",
        ),
        common(MarkSign::Key("_type"), "`_type` at the top"),
        distinctive(MarkSign::List("resources"), "list `resources` at the top"),
    ],
    sample: "formats/insomnia/v4.json",
};

/// Insomnia files, v5 (YAML).
pub(crate) const INSOMNIA_YAML: FormatSpec = FormatSpec {
    name: "insomnia-v5",
    title: "Insomnia files, v5 (YAML)",
    family: FormatFamily::Clients,
    recognised: "a first line like `type: collection.insomnia.rest/5.0`",
    recognition: Recognition::Sniff(sniff_v5),
    reader: FormatReader::Records(read_v5),
    keeps: Keeps::Requests,
    reads: "requests, with the variables that environments in the file define",
    limits: "Insomnia stores no responses. YAML has no end mark: a cut between two lines cannot be detected.",
    is_binary: false,
    endings: &["yaml", "yml"],
    marks: &[
        distinctive(
            MarkSign::Text(&[".insomnia.rest/5"]),
            "`type` of `.insomnia.rest/5` at the top",
        ),
        common(MarkSign::Key("collection"), "`collection` at the top"),
    ],
    sample: "formats/insomnia/v5.yaml",
};

/// The end of the type of a v5 file, before its version.
const V5: &[u8] = b".insomnia.rest/5";

/// Recognises a v4 export.
fn sniff_v4(head: &FileHead<'_>) -> bool {
    head.has("resources", b'[') && head.has("_type", b'"') && head.contains(b"\"__export_format\"")
        || is_v4_yaml(head.bytes)
}

fn is_v4_yaml(bytes: &[u8]) -> bool {
    let marks = ["_type: export", "__export_format:"];
    // The lists and objects of an export may also be written in lines.
    let has = |line: &[u8], mark: &str| {
        line.starts_with(mark.as_bytes())
            || line.starts_with(b"{") && contains(line, mark.as_bytes())
    };
    let mut marks = marks.iter();
    marks.all(|mark| first_lines(bytes).any(|line| has(line, mark)))
}

/// Recognises a v5 file by the type on its first line.
fn sniff_v5(head: &FileHead<'_>) -> bool {
    first_lines(head.bytes)
        .find(|line| !line.trim_ascii().is_empty() && !line.starts_with(b"#"))
        .is_some_and(|line| line.starts_with(b"type:") && contains(line, V5))
}

fn first_lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes
        .split(|&byte| byte == b'\n')
        .take(16)
        .map(|line| line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(line))
}

/// Reads a v4 export.
fn read_v4<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    let held = if is_v4_yaml(file.bytes) {
        yaml::read(file, limits, sink)
    } else {
        parsed_document::json(file, limits, sink)
    };
    ClientReader::read(held, sink, |reading, root| {
        let of_type = |name| {
            let resources = root.children_of("resources");
            resources.filter(move |one| one.text_of("_type") == Some(name))
        };
        for resource in of_type("environment") {
            reading.define(resource.get("data"), "");
        }
        for resource in of_type("request_group") {
            reading.define(resource.get("environment"), "");
        }
        for resource in of_type("request") {
            reading.request(resource, None);
        }
    });
}

/// Reads a v5 file.
fn read_v5<'a>(file: Block<'a>, limits: Limits, sink: &mut dyn RecordSink<'a>) {
    ClientReader::read(yaml::read(file, limits, sink), sink, |reading, root| {
        if let Some(base) = root.get("environments") {
            reading.define(base.get("data"), "");
            for environment in base.children_of("subEnvironments") {
                reading.define(environment.get("data"), "");
            }
        }
        if let Some(collection) = root.get("collection") {
            reading.folder(collection);
        }
    });
}

/// Reads the requests of clients that describe each part of a request in a list of objects with a `name` and a `value`.
pub(super) struct ClientReader<'r, 'a> {
    pub(super) place: RecordPlace<'a>,
    variables: Variables,
    pub(super) sink: &'r mut dyn RecordSink<'a>,
    index: usize,
    /// The position where the file is cut off, if it is. A value that ends there may be incomplete.
    cut: Option<usize>,
}

impl<'r, 'a> ClientReader<'r, 'a> {
    /// Reads a document, as far as it is whole.
    pub(super) fn read(
        held: Option<ParsedDocument<'a>>,
        sink: &'r mut dyn RecordSink<'a>,
        read: impl FnOnce(&mut Self, Node<'_>),
    ) {
        let Some(held) = held else { return };
        let cut = held.broken_line();
        let ParsedDocument {
            document, place, ..
        } = held;
        let mut reading = Self {
            place,
            variables: Variables::default(),
            sink,
            index: 0,
            cut,
        };
        read(&mut reading, document.root());
    }
}

impl<'a> ClientReader<'_, 'a> {
    fn is_whole(&self, value: Node<'_>) -> bool {
        self.cut
            .is_none_or(|cut| self.place.span(value.span()).end < cut)
    }

    /// Defines the variables of an environment. Members of objects are named with dots.
    fn define(&mut self, data: Option<Node<'_>>, prefix: &str) {
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
            if let (Some(name), Some(value)) = (variable.text_of("name"), variable.get("value"))
                && let Some(text) = value.text().filter(|_| self.is_whole(value))
            {
                self.variables.define(name, text);
            }
        }
    }

    fn folder(&mut self, folder: Node<'_>) {
        for item in folder.children() {
            self.define(item.get("environment"), "");
            match item.get("children") {
                Some(children) => self.folder(children),
                None => self.request(item, None),
            }
        }
    }

    /// Reads a request, and the response that an example has.
    pub(super) fn request(&mut self, request: Node<'_>, response: Option<Node<'_>>) {
        let url = request
            .get("url")
            .filter(|url| url.text().is_some_and(|text| !text.is_empty()));
        if url.is_some_and(|url| !self.is_whole(url)) {
            return;
        }
        let Some(url) = url else {
            let span = self.place.span(request.span());
            return self.sink.skip(Skip::at(Reason::NoExchange, span));
        };
        let mut target = self.variables.resolve_url(url.text().unwrap_or_default());
        let queries = ["parameters", "params"].into_iter();
        let named = queries
            .filter_map(|name| request.get(name))
            .flat_map(pieces::parameters);
        target.parameters.extend(named);
        let method = request.text_of("method").unwrap_or("GET");
        let exchange = Exchange {
            index: self.index,
            call: Call::new(
                Method::parse(method),
                target,
                Some(self.place.span(url.span())),
            ),
            request: self.message(request),
            response: response.map_or_else(Message::default, |answer| self.message(answer)),
            ..Exchange::default()
        };
        self.index += 1;
        emit(Record::Exchange(exchange), self.sink);
    }

    fn message(&self, request: Node<'_>) -> Message<'a> {
        let headers = request.get("headers");
        let fields = headers.map(|list| HeaderFields::of(list, self.place));
        let fields = fields.unwrap_or_default();
        let Some(body) = request.get("body") else {
            return BodyContent::Nothing.into_message(fields);
        };
        let kind = body.text_of("mimeType").or_else(|| body.text_of("type"));
        let kind = kind.unwrap_or_default();
        let fields = if kind.contains("json") {
            fields.or_json()
        } else {
            fields
        };
        self.body(body, kind).into_message(fields)
    }

    fn body(&self, body: Node<'_>, kind: &str) -> BodyContent<'a> {
        // Before v3, exports had the text alone.
        if body.kind() == ValueKind::String && self.is_whole(body) {
            return self.text(body);
        }
        if let Some(name) = body.get("fileName").filter(|name| name.text() != Some("")) {
            return BodyContent::in_file_of(name, self.place);
        }
        let text = body.get("text").or_else(|| body.get("data"));
        let list = body.get("params").filter(|_| text.is_none()).or(text);
        match list.filter(|list| list.children().len() > 0 && list.kind() == ValueKind::Array) {
            Some(files) if kind == "file" => {
                let is_on =
                    |file: &Node<'_>| file.get("selected").and_then(Node::as_bool) != Some(false);
                let files = files.children().filter(is_on);
                let mut named = files.filter_map(|file| file.get("filePath"));
                let missing = || BodyContent::external(self.place.span(body.span()));
                return named
                    .next()
                    .map_or_else(missing, |name| BodyContent::in_file_of(name, self.place));
            }
            Some(list) => return self.form(list, kind),
            None => {}
        }
        match text {
            Some(text) if kind.ends_with("graphql") => {
                BodyContent::not_json(self.place.span(text.span()))
            }
            Some(text) if !self.is_whole(text) => BodyContent::Nothing,
            Some(text) => self.text(text),
            None => BodyContent::Nothing,
        }
    }

    /// A body that is a list of fields.
    fn form(&self, list: Node<'_>, kind: &str) -> BodyContent<'a> {
        let is_multipart = kind.starts_with("multipart");
        let kind = if is_multipart {
            FormKind::Multipart
        } else {
            FormKind::UrlEncoded
        };
        let mut form = StoredForm::of_client(kind);
        for field in list.children().filter(|field| self.is_whole(*field)) {
            form.add_object(field, "name", self.place);
        }
        form.into_content(self.place.file, self.place.span(list.span()))
    }

    /// A body that is a string's content.
    fn text(&self, value: Node<'_>) -> BodyContent<'a> {
        let (Some(text), ValueKind::String) = (value.as_str(), value.kind()) else {
            return match value.kind() {
                ValueKind::Null => BodyContent::Nothing,
                // In YAML, JSON that is not in quotes is YAML.
                _ => BodyContent::verbatim(self.place.file, self.place.span(value.span())),
            };
        };
        let span = self.place.span(value.span());
        let map = value.text_map(self.place.start);
        BodyContent::decoded(self.place.file, span, text.into(), map)
    }
}
