//! Reads manifests.

use super::api_type::{is_group_version, is_kind};
use super::objects::{ACTION, ObjectReader};
use super::template::{MAX_BRANCHES, TemplateObject, template_objects};
use crate::documents;
use crate::file_head::{DECISIVE_HEAD, FileHead, contains, lines_of, scalar, top_level_key};
use sundown_exchange::{Reason, RecordPlace, RecordSink, Skip};
use sundown_text_json::Limits;
use sundown_text_json::json::{Document, DocumentFormat, NoteKind, find_error, scan, string};
use sundown_text_json::text::{Block, Span};

/// The bodies of all objects of a document have at most so many times its size. Those of objects in others overlap.
const BODIES: usize = 8;

/// Documents up to this size have the limit of one of this size.
const SMALL: usize = 1024 * 1024;

/// The number of texts inside of each other in which objects are read.
const MAX_TEXTS: usize = 4;

/// Recognises a file by the API version and the kind of one of its first objects.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    let text = head.bytes.get(head.start..).unwrap_or_default();
    match text.first() {
        Some(b'{') if !text.starts_with(ACTION) && !is_flow(text) => sniff_json(head),
        Some(_) if is_helper(text) => true,
        Some(b'[') | None => false,
        Some(_) => {
            let before = head.bytes.get(..head.start).unwrap_or_default();
            let indentation = before.iter().rev().take_while(|&&byte| byte == b' ');
            let text = head.bytes.get(head.start - indentation.count()..);
            sniff_yaml(text.unwrap_or_default(), head.bytes.len() >= DECISIVE_HEAD)
        }
    }
}

/// Whether a text defines parts of the templates of a Helm chart, as `_helpers.tpl` does.
fn is_helper(text: &[u8]) -> bool {
    text.starts_with(ACTION)
        && contains(text, b" define \"")
        && [".Chart.", ".Release.", ".Values.", ".Capabilities."]
            .iter()
            .any(|object| contains(text, object.as_bytes()))
}

/// Whether a text begins with an object in the flow style of YAML, in which keys need no quotes: `{kind: Pod}`.
fn is_flow(text: &[u8]) -> bool {
    text.strip_prefix(b"{")
        .map(<[u8]>::trim_ascii_start)
        .and_then(<[u8]>::first)
        .is_some_and(|first| !b"\"{}".contains(first))
}

/// Recognises an object in flow style, which must end before what is looked at does.
fn sniff_flow(text: &[u8]) -> bool {
    let document = documents::yaml_documents(text, 0)
        .first()
        .map_or(text, |span| span.slice(text));
    // Most other files need not be parsed.
    let may_be_one = contains(document, b"apiVersion");
    let parse = || Document::parse_bytes_within(document, DocumentFormat::Yaml, Limits::default());
    may_be_one
        && parse().is_ok_and(|document| {
            let root = document.root();
            root.text_of("apiVersion").is_some_and(is_group_version)
                && root.text_of("kind").is_some_and(is_kind)
        })
}

fn sniff_json(head: &FileHead<'_>) -> bool {
    let texts = ["apiVersion", "kind"].map(|name| {
        let literal = scan::value(head.bytes, head.at(name, b'"')?).ok()?;
        Some(string::decode_bytes(head.bytes, literal))
    });
    let [Some(version), Some(kind)] = texts else {
        return false;
    };
    // Audit events are the lines of a log, and lists of them its batches.
    let is_log = version.starts_with("audit.k8s.io/") && ["Event", "EventList"].contains(&&*kind);
    is_group_version(&version) && is_kind(&kind) && !is_log
}

/// Recognises a YAML stream, of which a document has both keys. Any other text at the beginning of a line is of another format:
/// pages and scripts contain manifests, too. The keys are in alphabetical order in what `kubectl get` prints, so `kind` may come
/// after more text than is looked at: then the API version of a group, or `v1` with `items`, is enough.
fn sniff_yaml(text: &[u8], is_cut_off: bool) -> bool {
    let mut keys = TopKeys::default();
    let mut next = 0;
    let mut is_in_action = false;
    let last_end = memchr::memmem::rfind(text, b"}}").unwrap_or_default();
    for line in lines_of(text) {
        let start = next;
        next += line.len() + 1;
        // The lines of a comment are none of the document.
        if is_in_action || line.trim_ascii_start().starts_with(ACTION) {
            is_in_action = !contains(line, b"}}") && next <= last_end;
            continue;
        }
        if documents::is_separator(line) {
            if keys.are_complete() {
                return true;
            }
            keys = TopKeys::default();
            if is_flow(line.get(3..).unwrap_or_default().trim_ascii_start()) {
                return sniff_flow(text.get(start + 3..).unwrap_or_default());
            }
            continue;
        }
        let content = line.trim_ascii_start();
        let depth = line.len() - content.len();
        if keys.depth.is_none() && content.starts_with(b"- ") {
            keys = TopKeys {
                depth: Some(depth),
                is_other: true,
                ..TopKeys::default()
            };
        }
        if content.first().is_none_or(|first| b"#%-]}".contains(first)) {
            continue;
        }
        if keys.depth.is_none() && is_flow(content) {
            return sniff_flow(text.get(start..).unwrap_or_default());
        }
        if !keys.is_at_top(depth) {
            continue;
        }
        match top_level_key(content).filter(|(key, _)| is_name(key)) {
            Some((key, value)) => keys.add(key, scalar(value)),
            None if depth == 0 && !content.starts_with(b"- ") => return false,
            None => keys.is_other = true,
        }
        // Pages contain indented manifests, so what follows one decides.
        if depth == 0 && keys.are_complete() {
            return true;
        }
    }
    // The values of a chart have objects among others.
    keys.are_complete()
        || is_cut_off && keys.may_be_completed()
        || template_objects(Span::new(0, text.len()), text)
            .iter()
            .any(TemplateObject::is_object)
}

/// Whether a key may be that of a manifest or of the values beside one.
fn is_name(key: &[u8]) -> bool {
    !key.is_empty()
        && key
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || b"_-./$".contains(byte))
}

/// What the keys at the top of a document say so far.
#[derive(Default)]
struct TopKeys<'t> {
    /// The indentation of the document: a whole one may be indented.
    depth: Option<usize>,
    version: Option<&'t [u8]>,
    has_kind: bool,
    has_items: bool,
    /// Whether there is other text among the keys: it is no object.
    is_other: bool,
}

impl<'t> TopKeys<'t> {
    /// Whether both keys of a manifest are there.
    fn are_complete(&self) -> bool {
        self.version.is_some() && self.has_kind && !self.is_other
    }

    /// Whether the other key may follow.
    fn may_be_completed(&self) -> bool {
        // `apps/v1` is the version of a group.
        let version = self.version.unwrap_or_default();
        (version.contains(&b'/') || !version.is_empty() && self.has_items) && !self.is_other
    }

    /// Whether a line with this indentation has a key at the top. With less indentation than before, another document may
    /// start, because lines of a template may come before.
    fn is_at_top(&mut self, depth: usize) -> bool {
        if self.depth.is_none_or(|own| depth < own) {
            *self = Self {
                depth: Some(depth),
                ..Self::default()
            };
        }
        self.depth == Some(depth)
    }

    fn add(&mut self, key: &[u8], value: &'t [u8]) {
        let fits = |is_one: fn(&str) -> bool| {
            value.starts_with(ACTION) || std::str::from_utf8(value).is_ok_and(is_one)
        };
        match key {
            b"apiVersion" if fits(is_group_version) => self.version = Some(value),
            b"kind" => self.has_kind |= fits(is_kind),
            b"items" => self.has_items = true,
            _ => {}
        }
    }
}

/// Reads the documents one by one, so that a broken one affects no other.
pub(crate) fn read(file: Block<'_>, limits: Limits, sink: &mut dyn RecordSink) {
    let bytes = file.bytes;
    let start = scan::skip_whitespace(bytes, file.text_start());
    let text = bytes.get(start..).unwrap_or_default();
    let is_yaml = text.starts_with(ACTION) || is_flow(text);
    let is_json = matches!(text.first(), Some(b'{' | b'[')) && !is_yaml;
    let mut reader = ManifestReader {
        file: bytes,
        limits,
        index: 0,
        sink,
    };
    let documents = documents::yaml_documents(bytes, file.text_start());
    // JSON is YAML, too, and no line of it begins like a separator.
    if !is_json || documents.len() > 1 {
        for document in documents {
            reader.document(document, DocumentFormat::Yaml);
        }
        return;
    }
    for element in scan::list_or_row(bytes, start) {
        match element {
            Ok(element) => reader.document(element, DocumentFormat::Json),
            Err(at) => reader.sink.skip(Skip::broken_off(at, bytes.len())),
        }
    }
}

/// Reads the documents of a file.
struct ManifestReader<'a, 's> {
    file: &'a [u8],
    limits: Limits,
    /// The number of the next record.
    index: usize,
    sink: &'s mut dyn RecordSink,
}

impl<'a> ManifestReader<'a, '_> {
    /// Reports the keys that a mapping has twice. Parsers differ in which they keep, and the first names the object here. JSON is
    /// YAML, too, and the tools of Kubernetes read it as such.
    fn duplicate_keys(&mut self, document: &Document<'_>, place: RecordPlace<'_>) {
        let mut duplicates = document.notes();
        duplicates.retain(|note| matches!(note.kind, NoteKind::DuplicateKey(_)));
        if let Some(first) = duplicates.first() {
            let mut skip = Skip::at(Reason::InvalidYaml, place.span(first.span));
            skip.count = duplicates.len();
            let skip = skip.because("a key occurs twice in one mapping");
            self.sink.skip(skip);
        }
    }

    fn document(&mut self, span: Span, format: DocumentFormat) {
        let bytes = span.slice(self.file);
        let Ok(text) = std::str::from_utf8(bytes) else {
            return self.sink.skip(Skip::at(Reason::InvalidUtf8, span));
        };
        if format == DocumentFormat::Json
            && let Some(error) = find_error(bytes, self.limits.depth)
        {
            return self.sink.skip(Skip::broken(error, span));
        }
        let place = RecordPlace {
            file: self.file,
            start: span.start,
        };
        match Document::parse_within(text, format, self.limits) {
            Ok(document) => {
                self.duplicate_keys(&document, place);
                let size = span.len().max(SMALL).saturating_mul(BODIES);
                let left = self.limits.expansion.times(size);
                self.objects(place, left).document(document.root(), span);
            }
            Err(error) => {
                // Those of Helm and Jinja, of ERB, and of Terraform.
                let actions = [ACTION, b"<%", b"%{"];
                let mut found = actions
                    .iter()
                    .filter_map(|it| memchr::memmem::find(bytes, it));
                let mut skip = match found.next() {
                    Some(action) => {
                        let skip =
                            Skip::at(Reason::Template, Span::new(span.start + action, span.end));
                        let detail = format!("only {MAX_BRANCHES} branches of an object are read");
                        let has_more = self.template(span, place);
                        Skip {
                            detail: has_more.then_some(detail),
                            ..skip
                        }
                    }
                    None => documents::skip_of(documents::reason(&error), &error, span),
                };
                skip.bytes = span.len();
                self.sink.skip(skip);
            }
        }
    }

    /// Reads the objects of a template whose API version and kind are literal. If it chooses among several, each is possible. Returns
    /// whether it chooses among more than are read.
    fn template(&mut self, document: Span, place: RecordPlace<'a>) -> bool {
        let mut objects = self.objects(place, 0);
        let mut has_more = false;
        for object in template_objects(document, place.file) {
            has_more |= object.emit(&mut objects);
        }
        has_more
    }

    /// The reader of the objects of a document, which may give so many bytes of bodies.
    fn objects(&mut self, place: RecordPlace<'a>, left: usize) -> ObjectReader<'a, '_> {
        ObjectReader {
            place,
            limits: self.limits,
            index: &mut self.index,
            left,
            is_possible: false,
            texts: MAX_TEXTS,
            sink: self.sink,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_manifest(text: &str) -> bool {
        let bytes = text.as_bytes();
        sniff(&FileHead::new(bytes, scan::skip_whitespace(bytes, 0)))
    }

    #[test]
    fn manifests_are_known_by_their_keys() {
        for text in [
            "apiVersion: v1\nkind: Pod\n",
            "# ours\n---\nkind: \"Pod\" # x\nmetadata:\n  name: x\n- a\napiVersion: 'apps/v1beta1'\r\n",
            "%YAML 1.2\n---\napiVersion: example.com/v2alpha1\nkind: Cron2Tab",
            "replicas: 1\n---\napiVersion: v1\nkind: Pod\n",
            "{{- if .Values.on }}\napiVersion: {{ include \"x\" . }}\nkind: Pod\n{{- end }}\n",
            r#"{"kind":"Pod","apiVersion":"v1"}"#,
            r#"{"apiVersion":"v1","items":[{}],"kind":"List"}"#,
            r#"{"kind":"Policy","apiVersion":"audit.k8s.io/v1"}"#,
            r#"{"kind":"PodDisruptionBudget","apiVersion":"policy\/v1beta1"}"#,
            "{apiVersion: extensions/v1beta1, kind: Ingress}",
            "---\n{ apiVersion: v1,\n  kind: Pod }\n---\nx: [\n",
            "# ours\n{'kind': Pod, apiVersion: v1}",
            "  apiVersion: v1\n  kind: Pod\n  metadata:\n    name: x\n",
            "\n\n  # ours\n  metadata:\n    kind: x\n  kind: Pod\n\n  apiVersion: v1",
            "# ours\n{{- /*\nA licence, in words.\n*/}}\napiVersion: v1\nkind: Pod\n",
            "{{- $x := dict\n  \"a\" 1 }}\napiVersion: v1\nkind: Pod\n",
            "apiVersion: &v policy/v1beta1\t# old\nkind: !!str PodDisruptionBudget\n",
            "--- {apiVersion: policy/v1beta1, kind: PodDisruptionBudget}\n",
            "  kind: Pod\n  apiVersion: v1\n---\nA text\n",
        ] {
            assert!(is_manifest(text), "{text}");
        }
    }

    #[test]
    fn large_lists_and_objects_are_known_before_their_kind() {
        let padded = |text: &str| format!("{text}{}kind: List\n", "- a: 1\n".repeat(200_000));
        assert!(is_manifest(&padded("apiVersion: v1\nitems:\n")));
        let head = |text: &str| padded(text)[..DECISIVE_HEAD].to_owned();
        assert!(is_manifest(&head("apiVersion: v1\nitems:\n")));
        assert!(is_manifest(&head("apiVersion: policy/v1beta1\nitems:\n")));
        assert!(
            !is_manifest(&head("apiVersion: v1\nentries:\n")),
            "an index of Helm charts"
        );
        assert!(!is_manifest("apiVersion: policy/v1beta1\n"));
    }

    #[test]
    fn other_files_with_these_words_are_none() {
        for text in [
            "apiVersion: v2\nname: chart\n",
            "kind: Pod\n---\napiVersion: v1\n",
            "a:\n  apiVersion: v1\n  kind: Pod\n",
            "# Pods\n\nA page:\n```yaml\napiVersion: v1\nkind: Pod\n```\n",
            "#!/bin/sh\nkubectl apply -f - <<EOF\napiVersion: v1\nkind: Pod\nEOF\n",
            "apiVersion: 1\nkind: Pod\n",
            "apiVersion: 2024-01-01\nkind: Pod\n",
            "apiVersion: v1\nkind: youtube#video\n",
            "apiVersion: v1\nkind: pod\n",
            "{apiVersion: v1, spec: {kind: Pod}}",
            "{apiVersion: v1, kind: Pod",
            "{x: {apiVersion: v1, kind: Pod}}",
            "  a:\n    apiVersion: v1\n    kind: Pod\n",
            "  apiVersion: v1\n---\n  kind: Pod\n",
            "  apiVersion: v1\n kind: Pod\n",
            "A page:\n\n    apiVersion: v1\n    kind: Pod\n",
            "    apiVersion: v1\n    kind: Pod\n\nThis page shows a pod.\n",
            "  A pod\n  -----\n\n  apiVersion: v1\n  kind: Pod\n",
            "  apiVersion: v1\n  kind: Pod\n\n  Then wait.\n",
            "    $ kubectl apply -f - <<EOF\n    apiVersion: v1\n    kind: Pod\n    EOF\n",
            "  - item\n  apiVersion: v1\n  kind: Pod\n",
            r#"{"apiVersion":"v1","kind":"list#all"}"#,
            r#"{"apiVersion":"v1"}"#,
            r#"{"apiVersion":"audit.k8s.io/v1","kind":"Event","auditID":"1"}"#,
            r#"{"apiVersion":"audit.k8s.io/v1","kind":"EventList","items":[]}"#,
            r#"[{"apiVersion":"v1","kind":"Pod"}]"#,
            r#"{"x":{"apiVersion":"v1","kind":"Pod"}}"#,
            "",
        ] {
            assert!(!is_manifest(text), "{text}");
        }
    }
}
