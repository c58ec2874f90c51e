//! Sessions of Charles in JSON (`.chlsj`): a list of transactions, which are records.
//!
//! Charles publishes no schema. `shapes/charles.toml` is that of sessions that its users have published.

use crate::file_head::FileHead;
use crate::names::{NAMES, is_one_of};
use sundown_text_json::json::{scan, string};

/// A list whose first transaction has a host, a scheme or a path, and keys of Charles's own.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    let first = scan::skip_whitespace(head.bytes, head.start + 1);
    if !head.begins_with(b'[') || head.bytes.get(first) != Some(&b'{') {
        return false;
    }
    let mut has_host = false;
    let mut own = 0;
    for (key, _) in scan::keys(head.bytes, first) {
        let key = string::decode_bytes(head.bytes, key);
        has_host |= key == "host";
        own += usize::from(is_one_of(&*key, &NAMES.charles_keys));
    }
    has_host && own > 1
}
