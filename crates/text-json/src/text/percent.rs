//! Percent-decoding (RFC 3986, section 2.1) of request paths and of references between files.

use std::borrow::Cow;

use percent_encoding::percent_decode_str;

/// Decodes escapes such as `%41`. Other text is unchanged, and bytes that are not UTF-8 become U+FFFD.
pub fn percent_decode(text: &str) -> Cow<'_, str> {
    // Most text has no escape, and nothing of it needs to be validated again.
    if !text.contains('%') {
        return Cow::Borrowed(text);
    }
    percent_decode_str(text).decode_utf8_lossy()
}
