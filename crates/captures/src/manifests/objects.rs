//! The objects of a document, what they refer to, and the configuration that tools stored in them.

use std::borrow::Cow;
use std::sync::Arc;

use super::api_type::{is_group_version, is_kind, resource_path};
use super::template::template_objects;
use crate::documents;
use crate::file_head::contains;
use crate::messages::{BodyContent, DecodedText, DecodedTexts, body_form};
use crate::records;
use sundown_exchange::{
    Call, Decoded, Exchange, HeaderFields, MaxExpansion, Message, Method, Reason, Record,
    RecordPlace, RecordSink, Skip, Target, Unread,
};
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, DocumentFormat, Node, ValueKind, is_value};
use sundown_text_json::text::Span;

/// The beginning of an action in a template of Helm.
pub(super) const ACTION: &[u8] = b"{{";

/// The annotations in which `kubectl apply` and kapp store the manifest that was applied last.
const APPLIED: [&str; 2] = [
    "kubectl.kubernetes.io/last-applied-configuration",
    "kapp.k14s.io/original",
];

/// The members whose objects are not sent or looked up: what the cluster says, and who wrote which members.
const REPORTED: [&str; 2] = ["status", "managedFields"];

/// The kinds with API versions of other objects that are not used: schemas, and events, which describe the past.
pub(super) const DESCRIPTIVE: [&str; 2] = ["CustomResourceDefinition", "Event"];

/// An API version and a kind, with the position of the API version in the file.
#[derive(Clone)]
struct ApiType<'d> {
    version: Cow<'d, str>,
    kind: Cow<'d, str>,
    span: Span,
}

/// Reads the objects of one document.
pub(super) struct ObjectReader<'a, 's> {
    pub place: RecordPlace<'a>,
    pub limits: Limits,
    /// The number of the next record.
    pub index: &'s mut usize,
    /// How many bytes of bodies the document may still give: each object inside another one is a part of its body, too.
    pub left: usize,
    /// Whether an object is one of several branches of a template.
    pub is_possible: bool,
    /// How many texts inside of each other may have objects.
    pub texts: usize,
    pub sink: &'s mut dyn RecordSink,
}

impl<'a> ObjectReader<'a, '_> {
    /// Reads the objects of the document at `span`.
    pub(super) fn document(&mut self, root: Node<'_>, span: Span) {
        if root.kind() == ValueKind::Null || self.objects(root) {
            return;
        }
        let is_template = ["apiVersion", "kind"].into_iter().any(|name| {
            let value = root.get(name).map(Node::raw).unwrap_or_default();
            let bare = value.trim_start_matches(['"', '\'']);
            bare.as_bytes().starts_with(ACTION)
        });
        let at = self.place.span_of(root);
        let mut skip = if is_template {
            Skip::at(Reason::Template, at)
        } else {
            Skip::at(Reason::NoExchange, at)
                .because("a document without the `apiVersion` and `kind` of an object")
        };
        skip.bytes = span.len();
        self.sink.skip(skip);
    }

    /// Reads an object, the objects in its list, or those in a document that is none, such as the values of a chart. Returns whether
    /// there is one.
    fn objects(&mut self, root: Node<'_>) -> bool {
        let Some(api) = api_type(root, self.place) else {
            let before = *self.index;
            self.inner_objects("", root, None);
            return *self.index > before;
        };
        let items = root
            .get("items")
            .filter(|items| items.kind() == ValueKind::Array);
        match (api.kind.strip_suffix("List"), items) {
            (Some(kind), Some(items)) if items.children().len() > 0 => {
                for item in items.children() {
                    // Lists of one kind have it only at the top.
                    let api = api_type(item, self.place).or_else(|| {
                        (!kind.is_empty()).then(|| ApiType {
                            kind: kind.into(),
                            ..api.clone()
                        })
                    });
                    match api {
                        Some(api) => self.object(&api, item),
                        None => self.sink.skip(
                            Skip::at(Reason::NoExchange, self.place.span_of(item))
                                .because("an item without `apiVersion` and `kind`"),
                        ),
                    }
                }
            }
            _ => self.object(&api, root),
        }
        true
    }

    /// Reads the objects in a text: in the data of a `ConfigMap`, in a patch of a kustomization, or in the values of a chart. Of a text
    /// that is not YAML, such as a script, literal ones are read.
    fn text(&mut self, text: Node<'_>) {
        let may_have = contains(text.raw_bytes(), b"apiVersion");
        let kept = DecodedTexts::default();
        let source = DecodedText::of(text, self.place, &kept).filter(|_| may_have);
        let Some(source) = source else { return };
        let Some(texts) = self.texts.checked_sub(1) else {
            let skip = Skip::at(Reason::TooDeep, source.whole);
            return self
                .sink
                .skip(skip.because("too many texts inside of each other"));
        };
        let file = source.text.as_bytes();
        let (outer, map) = (&mut *self.sink, source.map.get());
        let mut sink = |record: Record<'_>| {
            let part = match record {
                Record::Exchange(exchange) => Ok(exchange),
                Record::Skip(skip) => Err(skip),
                Record::Body(_) => return,
            };
            for part in records::parts_in_file(vec![part], &Arc::clone(map).into()) {
                outer.record(part.map_or_else(Record::Skip, Record::Exchange));
            }
        };
        let mut reader = ObjectReader {
            place: RecordPlace { file, start: 0 },
            limits: self.limits,
            index: self.index,
            left: self.left,
            is_possible: self.is_possible,
            texts,
            sink: &mut sink,
        };
        for span in documents::yaml_documents(file, 0) {
            reader.place.start = span.start;
            let text = source.text.get(span.start..span.end).unwrap_or_default();
            let document = Document::parse_within(text, DocumentFormat::Yaml, self.limits);
            let is_read = document.is_ok_and(|document| reader.objects(document.root()));
            if !is_read {
                let objects = template_objects(span, file);
                for object in objects {
                    object.emit(&mut reader);
                }
            }
        }
        self.left = reader.left;
    }

    /// Reads an object of which only the API version and the kind are known.
    pub(super) fn literal(&mut self, method: &str, version: &str, kind: &str, span: Span) {
        if is_group_version(version) && is_kind(kind) {
            let api = ApiType {
                version: version.into(),
                kind: kind.into(),
                span,
            };
            self.emit(&api, method, None, Message::default());
        }
    }

    fn object(&mut self, api: &ApiType<'_>, object: Node<'_>) {
        let metadata = object.get("metadata");
        let namespace = metadata.and_then(|it| it.text_of("namespace"));
        let message = self.message(object);
        self.emit(api, "POST", namespace, message);
        let annotations = metadata.and_then(|metadata| metadata.get("annotations"));
        for applied in APPLIED.iter().filter_map(|name| annotations?.get(name)) {
            if let Some(applied) = self.applied(applied)
                && (&applied.version, &applied.kind) != (&api.version, &api.kind)
            {
                self.emit(&applied, "POST", namespace, Message::default());
            }
        }
        if !DESCRIPTIVE.contains(&&*api.kind) {
            self.inner_objects(&api.kind, object, namespace);
        }
    }

    /// The API version and the kind in a manifest that an annotation keeps as text.
    fn applied(&self, annotation: Node<'_>) -> Option<ApiType<'static>> {
        let kept = DecodedTexts::default();
        let source = DecodedText::of(annotation, self.place, &kept)?;
        let document = Document::parse_json(source.text, self.limits.depth).ok()?;
        let api = api_type(document.root(), source.place())?;
        Some(ApiType {
            version: api.version.into_owned().into(),
            kind: api.kind.into_owned().into(),
            span: source.map.get().outer(api.span),
        })
    }

    /// Reads the objects inside of an object: those that it contains, and those that it refers to.
    fn inner_objects(&mut self, outer: &str, object: Node<'_>, namespace: Option<&str>) {
        let mut open: Vec<_> = object.children().collect();
        open.reverse();
        while let Some(value) = open.pop() {
            let is_one_of = |names: &[&str]| value.key().is_some_and(|key| names.contains(&key));
            if is_one_of(&REPORTED) {
                continue;
            }
            if value.kind() == ValueKind::String && !is_one_of(&APPLIED) {
                self.text(value);
            }
            if outer == "Kustomization" && is_one_of(&["target"]) {
                // The objects that a patch changes.
                let [group, version, kind] = ["group", "version", "kind"]
                    .map(|name| value.text_of(name).unwrap_or_default());
                let span = self.place.span(value.label());
                self.literal("GET", &[group, version].join("/"), kind, span);
            }
            if outer == "Config"
                && is_one_of(&["exec"])
                && let Some(version) = value.get("apiVersion")
            {
                // A kubeconfig names the version of what a plugin prints.
                let span = self.place.span(version.label());
                let name = version.text().unwrap_or_default();
                self.literal("GET", name, "ExecCredential", span);
            }
            if let Some(inner) = api_type(value, self.place) {
                let is_whole = value.get("metadata").is_some() || value.get("spec").is_some();
                if is_whole {
                    let message = self.message(value);
                    self.emit(&inner, "POST", namespace, message);
                } else if !is_looked_up_in_any_version(outer, value, &inner) {
                    self.emit(&inner, "GET", namespace, Message::default());
                }
            }
            // What aliases and merge keys share is read in its own place.
            let first = open.len();
            open.extend(value.children().filter(|child| {
                child
                    .parent()
                    .is_some_and(|parent| parent.index() == value.index())
            }));
            // The last one is the next.
            open.get_mut(first..).unwrap_or_default().reverse();
        }
    }

    fn message(&mut self, object: Node<'_>) -> Message<'a> {
        self.body(object).into_message(HeaderFields::default())
    }

    /// The object in JSON, as it is sent.
    fn body(&mut self, object: Node<'_>) -> BodyContent<'a> {
        let expands_too_far = Unread::at(Reason::ExpandsTooFar, self.place.span_of(object));
        let size = object.raw().len();
        if size > self.left {
            return expands_too_far.into();
        }
        if is_value(object.raw().as_bytes(), self.limits.depth) {
            self.left -= size;
            return body_form::body(object, self.place).body.into();
        }
        let most = MaxExpansion::of(size, self.limits).bytes().min(self.left);
        let json = object.to_json_text(self.place.start, most);
        self.left -= json
            .as_ref()
            .map_or(most, |json| json.bytes.len().max(size).min(self.left));
        let Some(json) = json else {
            return expands_too_far.into();
        };
        let decoded = Decoded {
            bytes: json.bytes,
            map: Some(json.map),
        };
        body_form::decoded(object, decoded, self.place).into()
    }

    fn emit(
        &mut self,
        api: &ApiType<'_>,
        method: &str,
        namespace: Option<&str>,
        request: Message<'a>,
    ) {
        let path = resource_path(&api.version, &api.kind, namespace);
        let target = Target::parse(&path).into_owned();
        let mut call = Call::new(Method::parse(method), target, Some(api.span));
        call.is_possible = self.is_possible;
        let exchange = Exchange {
            index: *self.index,
            call,
            request,
            ..Exchange::default()
        };
        *self.index += 1;
        self.sink.record(Record::Exchange(exchange));
    }
}

/// The API version and the kind of an object.
fn api_type<'d>(object: Node<'d>, place: RecordPlace<'_>) -> Option<ApiType<'d>> {
    let [version, kind] = ["apiVersion", "kind"].map(|name| {
        let value = object.get(name);
        value.filter(|value| value.kind() == ValueKind::String)
    });
    let version = version?;
    let name = version.text()?;
    let kind = kind?.text()?;
    let mut span = version.label();
    if version.resolved().index() == version.index() {
        span.end = version.resolved().span().end;
    }
    (is_group_version(name) && is_kind(kind)).then(|| ApiType {
        version: name.into(),
        kind: kind.into(),
        span: place.span(span),
    })
}

/// Whether the controller looks up the object in any version of its group: that of a `HorizontalPodAutoscaler` does. Then
/// only a group without the kind matters, and the kinds of `extensions` are all in other groups now.
fn is_looked_up_in_any_version(outer: &str, reference: Node<'_>, inner: &ApiType<'_>) -> bool {
    outer == "HorizontalPodAutoscaler"
        && reference.key() == Some("scaleTargetRef")
        && !inner.version.starts_with("extensions/")
}
