//! Lists as JSON: `{"endpoints": [{"method", "path", "deprecations": [{"id", "type", "name", "message", "introduced",
//! "removal", "docs", "enumValue"}]}]}`, as documentation sites build their deprecation pages from.
//!
//! The shape has one sentence for people, `message`. Beside it, `replacement` and `note` may say the same in two parts;
//! where one of them is there (and be it `null`), they count and the sentence does not.

use std::borrow::Cow;
use std::collections::HashSet;

use super::collector::{EntryCells, ListCell, ListCollector};
use crate::json::{DEFAULT_MAX_DEPTH, NodeRef, Tree, ValueKind};
use crate::toml_file::{MessageText, WithSpan};

/// What a site's generator writes beside the list, which says nothing about deprecations.
const ABOUT_THE_FILE: [&str; 2] = ["generatedAt", "totalCount"];

/// Reads a list.
pub(super) fn read(text: &str, gathered: &mut ListCollector) {
    let tree = match Tree::parse(text, DEFAULT_MAX_DEPTH) {
        Ok(tree) => tree,
        Err(error) => {
            let at = (0..=error.offset.min(text.len())).rev().find(|&at| text.is_char_boundary(at));
            let at = at.unwrap_or_default();
            let message = MessageText::own(format!("not JSON: {error}"));
            gathered.add_mistake(at..at, message, "is the file whole?");
            return;
        }
    };
    let root = tree.root();
    let before = gathered.count();
    let mut members = JsonMembers::of(root, "the list", gathered);
    if root.kind() != ValueKind::Object {
        return;
    }
    let Some(endpoints) = members.list("endpoints", gathered) else {
        return;
    };
    let count = members.take("totalCount");
    members.finish(&ABOUT_THE_FILE, gathered);
    for endpoint in endpoints.children() {
        read_endpoint(endpoint, gathered);
    }
    let read = gathered.count() - before;
    if let Some(count) = count
        && count.as_i64().is_some_and(|count| usize::try_from(count).ok() != Some(read))
    {
        let what = format!("`totalCount` is {}, and there are {read} entries", count.raw());
        gathered.remark(count.span().start, what);
    }
}

fn read_endpoint(endpoint: NodeRef<'_>, gathered: &mut ListCollector) {
    let mut members = JsonMembers::of(endpoint, "an endpoint", gathered);
    if endpoint.kind() != ValueKind::Object {
        return;
    }
    let method = members.text("method", gathered);
    let path = members.text("path", gathered);
    let deprecations = members.list("deprecations", gathered);
    members.finish(&[], gathered);
    let span = endpoint.span();
    let operation = match (method, path) {
        (Some(method), Some(path)) => {
            let value = Cow::Owned(format!("{} {}", method.value, path.value));
            Some(WithSpan { value, span: path.span })
        }
        (method, path) => {
            let missing = [("method", method.is_none()), ("path", path.is_none())];
            for (name, _) in missing.iter().filter(|(_, missing)| *missing) {
                let what = format!("the `{name}` of the endpoint is missing");
                let help = r#"an endpoint has a method and a path: {"method": "GET", "path": "/v1/orders"}"#;
                gathered.add_mistake(span.start..span.start + 1, what, help);
            }
            None
        }
    };
    let Some(deprecations) = deprecations else { return };
    gathered.is_list();
    for deprecation in deprecations.children() {
        read_deprecation(deprecation, operation.as_ref(), gathered);
    }
}

fn read_deprecation(
    node: NodeRef<'_>,
    operation: Option<&ListCell<'_>>,
    gathered: &mut ListCollector,
) {
    let mut members = JsonMembers::of(node, "a deprecation", gathered);
    if node.kind() != ValueKind::Object {
        return;
    }
    let in_two_parts = members.has("replacement") || members.has("note");
    let start = node.span().start;
    let mut cells = EntryCells {
        span: start..start + 1,
        id: members.text("id", gathered),
        operation: operation.cloned(),
        kind: members.text("type", gathered),
        name: members.text("name", gathered),
        value: members.exact_text("enumValue", gathered),
        replacement: members.text("replacement", gathered),
        note: members.text("note", gathered),
        introduced: members.text("introduced", gathered),
        removal: members.text("removal", gathered),
        docs: members.text("docs", gathered),
    };
    let message = members.text("message", gathered);
    members.finish(&[], gathered);
    if cells.kind.is_none() {
        let help = "types are endpoint, field, enum-value, parameter, header";
        gathered.add_mistake(cells.span.clone(), "the `type` of the deprecation is missing", help);
        return;
    }
    if !in_two_parts {
        cells.replacement = message.as_ref().and_then(replacement);
        cells.note = message;
    }
    // Without its operation, the endpoint has been told of already.
    if operation.is_some() {
        gathered.take(&cells);
    }
}

/// `total` from `Use total instead.`: only where the sentence names one word, so that it cannot be misread.
fn replacement<'t>(message: &ListCell<'t>) -> Option<ListCell<'t>> {
    let (_, behind) = message.value.rsplit_once("Use ")?;
    let (word, _) = behind.split_once(" instead")?;
    let word = word.trim_matches('`');
    let is_word = !word.is_empty() && !word.contains(char::is_whitespace);
    is_word.then(|| WithSpan { value: Cow::Owned(word.to_owned()), span: message.span.clone() })
}

/// The members of an object, each asked for by name, so that what nobody asks for can be told.
struct JsonMembers<'t> {
    members: Vec<NodeRef<'t>>,
    /// Where the object stands.
    start: usize,
}

impl<'t> JsonMembers<'t> {
    fn of(node: NodeRef<'t>, what: &str, gathered: &mut ListCollector) -> Self {
        let start = node.span().start;
        if node.kind() != ValueKind::Object {
            let help =
                r#"{"endpoints": [{"method", "path", "deprecations": [{"type", "name", …}]}]}"#;
            gathered.add_mistake(start..node.span().end, format!("{what} is an object"), help);
            return Self { members: Vec::new(), start };
        }
        let mut members: Vec<NodeRef<'t>> = Vec::new();
        let mut known = HashSet::new();
        for member in node.children() {
            let key = member.key().unwrap_or_default();
            if !known.insert(key.clone()) {
                let span = member.key_span().unwrap_or_default();
                let what = format!("the key `{key}` stands here twice");
                gathered.add_mistake(span.into(), what, "keep one of the two");
                continue;
            }
            members.push(member);
        }
        Self { members, start }
    }

    fn has(&self, name: &str) -> bool {
        self.members.iter().any(|member| member.is_called(name))
    }

    fn take(&mut self, name: &str) -> Option<NodeRef<'t>> {
        let at = self.members.iter().position(|member| member.is_called(name))?;
        Some(self.members.swap_remove(at))
    }

    /// The text under `name`; `null` and an empty one count as none.
    fn text(&mut self, name: &str, gathered: &mut ListCollector) -> Option<ListCell<'t>> {
        self.exact_text(name, gathered).filter(|text| !text.value.trim().is_empty())
    }

    /// The same, where an empty text counts.
    fn exact_text(&mut self, name: &str, gathered: &mut ListCollector) -> Option<ListCell<'t>> {
        let node = self.take(name)?;
        match node.as_str() {
            Some(value) => Some(WithSpan { value, span: node.span().into() }),
            None if node.kind() == ValueKind::Null => None,
            None => {
                let what = format!("`{name}` is a string");
                gathered.add_mistake(node.span().into(), what, "put it in quotes");
                None
            }
        }
    }

    fn list(&mut self, name: &str, gathered: &mut ListCollector) -> Option<NodeRef<'t>> {
        const HELP: &str = r#"the shape is {"endpoints": [{"method", "path", "deprecations": [{"type", "name", …}]}]}"#;
        let node = self.take(name);
        let span = match node {
            Some(node) if node.kind() == ValueKind::Array => return Some(node),
            Some(node) => node.span().into(),
            None => self.start..self.start + 1,
        };
        gathered.add_mistake(span, format!("there is no list `{name}` here"), HELP);
        None
    }

    /// Tells of what nobody asked for.
    fn finish(mut self, known: &[&str], gathered: &mut ListCollector) {
        self.members.sort_by_key(|member| member.span().start);
        for member in self.members {
            let key = member.key().unwrap_or_default();
            if !known.contains(&&*key) {
                let start = member.key_span().unwrap_or_default().start;
                gathered.remark(start, format!("`{key}` has no place in a rules file: left out"));
            }
        }
    }
}
