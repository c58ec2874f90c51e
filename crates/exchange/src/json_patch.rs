//! Recognises JSON Patch (RFC 6902), whose paths name members that the body does not have.

use serde::Deserialize;

use super::byte_text::first_name;

/// The kind of an operation.
#[derive(PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum PatchKind {
    Add,
    Replace,
    Move,
    Copy,
    Remove,
    Test,
}

#[derive(Deserialize)]
struct PatchOperation {
    op: PatchKind,
    path: String,
}

/// Whether a text is a JSON Patch with an operation that writes a member.
pub fn writes_members(text: &[u8]) -> bool {
    let operations = serde_json::from_slice::<Vec<PatchOperation>>(text).unwrap_or_default();
    operations
        .iter()
        .all(|one| one.path.is_empty() || one.path.starts_with('/'))
        && (operations.iter()).any(|one| ![PatchKind::Remove, PatchKind::Test].contains(&one.op))
}

/// Whether a text may be a JSON Patch, by its first key. `quote` is how it writes quotes.
pub fn may_be_json_patch(text: &[u8], quote: &[u8]) -> bool {
    let key = first_name(text, quote);
    [&b"op"[..], b"path", b"value", b"from"].iter().any(|name| {
        key.strip_prefix(*name)
            .is_some_and(|rest| rest.starts_with(quote))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patches_that_write_are_told_from_other_lists() {
        for (text, may_be, is_one) in [
            (
                r#"[{"op":"add","path":"/a/0","value":{"d":1}}]"#,
                true,
                true,
            ),
            (
                r#"[{"path":"","op":"remove"},{"op":"move","path":"/f","from":"/g"}]"#,
                true,
                true,
            ),
            (r#"[{"op":"remove","path":"/a"}]"#, true, false),
            (r#"[{"op":"add"}]"#, true, false),
            ("[ {\n\"path\":\"/\"}]", true, false),
            (r#"[{"op":"add","path":"a"}]"#, true, false),
            (r#"[{"op":"sum","path":"/a"}]"#, true, false),
            (r#"[{"op":"add","path":"/a"},{"a":1}]"#, true, false),
            (r#"[{"open":1}]"#, false, false),
            (r#"{"op":1}"#, false, false),
            ("[]", false, false),
        ] {
            assert_eq!(may_be_json_patch(text.as_bytes(), b"\""), may_be, "{text}");
            assert_eq!(writes_members(text.as_bytes()), is_one, "{text}");
        }
    }
}
