//! Lists as JSON: `{"endpoints": [{"method", "path", "deprecations": [{"id", "type", "name", "message", "introduced",
//! "removal", "docs", "enumValue"}]}]}`, the format from which documentation sites generate their deprecation pages.
//!
//! `message` is a sentence for people. `replacement` and `note` give the same information in two parts; if one of them is
//! present, even as `null`, the sentence is ignored.

use std::borrow::Cow;
use std::collections::HashSet;

use super::collector::{EntryCells, ListCell, ListCollector};
use super::models;
use sundown_files::toml_file::{MessageText, WithSpan};
use sundown_text_json::json::{
    DEFAULT_MAX_DEPTH, Document, DocumentFormat, DocumentLimits, Node, ValueKind,
};

/// Members that a site generator adds to the list and that are not about deprecations.
const METADATA: [&str; 2] = ["generatedAt", "totalCount"];

/// Reads a list.
pub(super) fn read(text: &str, collector: &mut ListCollector) {
    let limits = DocumentLimits {
        depth: DEFAULT_MAX_DEPTH,
        ..DocumentLimits::default()
    };
    let document = match Document::parse_within(text, DocumentFormat::Json, limits) {
        Ok(document) => document,
        Err(error) => {
            let at = (0..=error.offset.min(text.len()))
                .rev()
                .find(|&at| text.is_char_boundary(at))
                .unwrap_or_default();
            let message = MessageText::own(format!("not JSON: {error}"));
            collector.add_mistake(at..at, message, "check that the file is complete");
            return;
        }
    };
    let root = document.root();
    if models::is_list(root) {
        return models::read(root, collector);
    }
    let mut members = JsonMembers::of(root, "the list", collector);
    if root.kind() != ValueKind::Object {
        return;
    }
    let Some(endpoints) = members.list("endpoints", collector) else {
        return;
    };
    let count = members.take("totalCount");
    members.finish(&METADATA, collector);
    for endpoint in endpoints.children() {
        read_endpoint(endpoint, collector);
    }
    let read = collector.count();
    if let Some(count) = count
        && count
            .as_i64()
            .is_some_and(|count| usize::try_from(count).ok() != Some(read))
    {
        let what = format!(
            "`totalCount` is {}, but there are {read} entries",
            count.raw()
        );
        collector.remark(count.span().start, what);
    }
}

fn read_endpoint(endpoint: Node<'_>, collector: &mut ListCollector) {
    let mut members = JsonMembers::of(endpoint, "an endpoint", collector);
    if endpoint.kind() != ValueKind::Object {
        return;
    }
    let method = members.text("method", collector);
    let path = members.text("path", collector);
    let deprecations = members.list("deprecations", collector);
    members.finish(&[], collector);
    let span = endpoint.span();
    let operation = match (method, path) {
        (Some(method), Some(path)) => {
            let value = Cow::Owned(format!("{} {}", method.value, path.value));
            Some(WithSpan {
                value,
                span: path.span,
            })
        }
        (method, path) => {
            let missing = [("method", method.is_none()), ("path", path.is_none())];
            for (name, _) in missing.iter().filter(|(_, missing)| *missing) {
                let what = format!("the `{name}` of the endpoint is missing");
                let help = r#"an endpoint has a method and a path: {"method": "GET", "path": "/v1/orders"}"#;
                collector.add_mistake(span.start..span.start + 1, what, help);
            }
            None
        }
    };
    let Some(deprecations) = deprecations else {
        return;
    };
    collector.mark_as_list();
    for deprecation in deprecations.children() {
        read_deprecation(deprecation, operation.as_ref(), collector);
    }
}

fn read_deprecation(
    node: Node<'_>,
    operation: Option<&ListCell<'_>>,
    collector: &mut ListCollector,
) {
    let mut members = JsonMembers::of(node, "a deprecation", collector);
    if node.kind() != ValueKind::Object {
        return;
    }
    let in_two_parts = members.has("replacement") || members.has("note");
    let start = node.span().start;
    let mut cells = EntryCells {
        span: start..start + 1,
        id: members.text("id", collector),
        operation: operation.cloned(),
        kind: members.text("type", collector),
        name: members.text("name", collector),
        value: members.exact_text("enumValue", collector),
        replacement: members.text("replacement", collector),
        note: members.text("note", collector),
        introduced: members.text("introduced", collector),
        removal: members.text("removal", collector),
        docs: members.text("docs", collector),
    };
    let message = members.text("message", collector);
    members.finish(&[], collector);
    if cells.kind.is_none() {
        let help = "the types are endpoint, field, enum-value, parameter, header";
        collector.add_mistake(
            cells.span.clone(),
            "the `type` of the deprecation is missing",
            help,
        );
        return;
    }
    if !in_two_parts {
        cells.replacement = message.as_ref().and_then(replacement);
        cells.note = message;
    }
    // An endpoint without an operation has already been reported.
    if operation.is_some() {
        collector.add_entry(&cells);
    }
}

/// Extracts `total` from `Use total instead.`, only if the replacement is a single word and thus unambiguous.
fn replacement<'t>(message: &ListCell<'t>) -> Option<ListCell<'t>> {
    let (_, after) = message.value.rsplit_once("Use ")?;
    let (word, _) = after.split_once(" instead")?;
    let word = word.trim_matches('`');
    let is_word = !word.is_empty() && !word.contains(char::is_whitespace);
    is_word.then(|| WithSpan {
        value: Cow::Owned(word.to_owned()),
        span: message.span.clone(),
    })
}

/// The members of an object that have not been read by name, so that unknown members can be reported.
struct JsonMembers<'t> {
    members: Vec<Node<'t>>,
    /// The offset of the object.
    start: usize,
}

impl<'t> JsonMembers<'t> {
    fn of(node: Node<'t>, what: &str, collector: &mut ListCollector) -> Self {
        let start = node.span().start;
        if node.kind() != ValueKind::Object {
            let help =
                r#"{"endpoints": [{"method", "path", "deprecations": [{"type", "name", …}]}]}"#;
            collector.add_mistake(start..node.span().end, format!("{what} is an object"), help);
            return Self {
                members: Vec::new(),
                start,
            };
        }
        let mut members: Vec<Node<'t>> = Vec::new();
        let mut known = HashSet::new();
        for member in node.children() {
            let key = member.key().unwrap_or_default();
            if !known.insert(key) {
                let span = member.key_span().unwrap_or_default();
                let what = format!("the key `{key}` appears twice");
                collector.add_mistake(span.into(), what, "remove one of them");
                continue;
            }
            members.push(member);
        }
        Self { members, start }
    }

    fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.key() == Some(name))
    }

    fn take(&mut self, name: &str) -> Option<Node<'t>> {
        let at = self
            .members
            .iter()
            .position(|member| member.key() == Some(name))?;
        Some(self.members.swap_remove(at))
    }

    /// The text under `name`; `null` and an empty one count as none.
    fn text(&mut self, name: &str, collector: &mut ListCollector) -> Option<ListCell<'t>> {
        self.exact_text(name, collector)
            .filter(|text| !text.value.trim().is_empty())
    }

    /// Like [`Self::text`], but keeps an empty text.
    fn exact_text(&mut self, name: &str, collector: &mut ListCollector) -> Option<ListCell<'t>> {
        let node = self.take(name)?;
        match node.as_str() {
            Some(value) => Some(WithSpan {
                value: value.into(),
                span: node.span().into(),
            }),
            None if node.kind() == ValueKind::Null => None,
            None => {
                let what = format!("`{name}` is a string");
                collector.add_mistake(node.span().into(), what, "put it in quotes");
                None
            }
        }
    }

    fn list(&mut self, name: &str, collector: &mut ListCollector) -> Option<Node<'t>> {
        const HELP: &str = r#"the format is {"endpoints": [{"method", "path", "deprecations": [{"type", "name", …}]}]}, or LiteLLM's {"MODEL": {"litellm_provider", "deprecation_date", …}}"#;
        let node = self.take(name);
        let span = match node {
            Some(node) if node.kind() == ValueKind::Array => return Some(node),
            Some(node) => node.span().into(),
            None => self.start..self.start + 1,
        };
        collector.add_mistake(span, format!("the list `{name}` is missing"), HELP);
        None
    }

    /// Records remarks about the members that have not been read and are not in `known`.
    fn finish(mut self, known: &[&str], collector: &mut ListCollector) {
        self.members.sort_by_key(|member| member.span().start);
        for member in self.members {
            let key = member.key().unwrap_or_default();
            if !known.contains(&key) {
                let start = member.key_span().unwrap_or_default().start;
                collector.remark(
                    start,
                    format!("`{key}` is ignored: a rules file has no key for it"),
                );
            }
        }
    }
}
