//! Finds members of log records by other names than the known ones: in other spellings, beside a body, or twice.

use sundown_text_json::json::{Node, ValueKind};

/// The members beside a body that say whether it is base64, without `_` and in lower case.
const BASE64_SIGNS: [&str; 5] = [
    "isbase64encoded",
    "isbase64",
    "base64encoded",
    "encoding",
    "bodyencoding",
];

/// Names of members that may be bodies, besides those that contain `body`.
const BODY_NAMES: [&str; 24] = [
    "data",
    "json",
    "content",
    "payload",
    "input",
    "output",
    "postdata",
    "requestdata",
    "reqdata",
    "requestjson",
    "reqjson",
    "requestcontent",
    "requesttext",
    "requestpayload",
    "reqpayload",
    "responsedata",
    "resdata",
    "respdata",
    "responsejson",
    "resjson",
    "responsecontent",
    "responsetext",
    "responsepayload",
    "respayload",
];

/// Returns whether two names are the same but for case, `_` and `-`.
pub(super) fn is_spelled(key: &str, name: &str) -> bool {
    letters(key).eq(letters(name))
}

/// The bytes of a name that matter in any spelling.
pub(super) fn letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes()
        .filter(|byte| !b"_-".contains(byte))
        .map(|byte| byte.to_ascii_lowercase())
}

fn is_spelled_as_one_of(node: Node<'_>, names: &[&str]) -> bool {
    node.key()
        .is_some_and(|key| names.iter().any(|name| is_spelled(key, name)))
}

/// Returns whether a value is one of the methods that nearly all calls have.
pub(super) fn is_common_method(node: Node<'_>) -> bool {
    const COMMON: [&str; 7] = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"];
    node.kind() == ValueKind::String
        && node.as_str().is_some_and(|method| {
            COMMON
                .iter()
                .any(|known| known.eq_ignore_ascii_case(method))
        })
}

/// Finds the member beside a string that says whether it is base64.
pub(super) fn find_base64_sign<'t>(record: Node<'t>, body: Node<'t>) -> Option<Node<'t>> {
    if body.kind() != ValueKind::String {
        return None;
    }
    path_to(record, body).pop()?.children().find(|node| {
        matches!(node.kind(), ValueKind::Bool | ValueKind::String)
            && is_spelled_as_one_of(*node, &BASE64_SIGNS)
    })
}

/// The values around a value, from the record on.
fn path_to<'t>(record: Node<'t>, inner: Node<'t>) -> Vec<Node<'t>> {
    let mut path = Vec::new();
    let mut at = record;
    while at.index() != inner.index() {
        path.push(at);
        let start = inner.span().start;
        let end = inner.span().end;
        let Some(child) = at
            .children()
            .find(|child| child.span().start <= start && end <= child.span().end)
        else {
            return Vec::new();
        };
        at = child;
    }
    path
}

/// The values with the same path of names as a value, itself included: parsers differ in which of several members they keep.
pub(super) fn find_all_named<'t>(record: Node<'t>, node: Node<'t>) -> Vec<Node<'t>> {
    let mut path = path_to(record, node);
    path.push(node);
    let mut found = vec![record];
    for step in path.into_iter().skip(1) {
        found = match step.key() {
            Some(key) => found
                .into_iter()
                .flat_map(|node| node.children().filter(|child| child.is_called(key)))
                .collect(),
            None => vec![step],
        };
    }
    found
}

/// Finds a member that may be the body of a message, also in an object beside the message, where loggers keep what a program adds.
/// `begins` selects its side by the beginning of its name.
pub(super) fn find_unknown_body(
    record: Node<'_>,
    begins: impl Fn(&str) -> bool,
) -> Option<Node<'_>> {
    let mut inside = record.children().filter(|node| {
        node.kind() == ValueKind::Object
            && node.is_open()
            && node
                .key()
                .is_some_and(|key| !key.to_ascii_lowercase().contains("header"))
    });
    find_own_unknown_body(record, &begins)
        .or_else(|| inside.find_map(|node| find_own_unknown_body(node, &begins)))
}

fn find_own_unknown_body(record: Node<'_>, begins: impl Fn(&str) -> bool) -> Option<Node<'_>> {
    record.children().find(|node| {
        let has_content = matches!(
            node.kind(),
            ValueKind::Object | ValueKind::Array | ValueKind::String
        );
        let name = node
            .key()
            .unwrap_or_default()
            .to_ascii_lowercase()
            .replace(['_', '-'], "");
        has_content && begins(&name) && may_name_body(&name)
    })
}

fn may_name_body(name: &str) -> bool {
    let is_about = [
        "size",
        "length",
        "bytes",
        "hash",
        "type",
        "encoding",
        "truncated",
        "id",
    ];
    name.contains("body") && !is_about.iter().any(|end| name.ends_with(end))
        || BODY_NAMES.contains(&name)
}
