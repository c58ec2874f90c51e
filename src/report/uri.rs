//! File names and links as URIs (RFC 3986).

use std::fmt::Write as _;

/// A file name as a URI reference: relative if the name is, with reserved characters percent-encoded.
pub(super) fn of_file(name: &str) -> String {
    let drive = name.as_bytes().get(1) == Some(&b':') && name.get(2..3) == Some("/");
    let mut uri = match (name.starts_with('/'), drive) {
        (true, _) => "file://".to_owned(),
        // The colon of a drive is not encoded.
        (false, true) => format!("file:///{}:", name.get(..1).unwrap_or_default()),
        (false, false) => String::new(),
    };
    for byte in name.bytes().skip(if drive { 2 } else { 0 }) {
        if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

/// The text if it is a web address without unusual characters, so that it is safe as a link.
pub(super) fn link(text: Option<&str>) -> Option<&str> {
    let is_plain =
        |byte: u8| byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=%".contains(&byte);
    text.filter(|text| {
        let rest = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
        rest.is_some_and(|rest| !rest.is_empty()) && text.bytes().all(is_plain)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn file_names_become_references() {
        for (name, uri) in [
            ("a/b.har", "a/b.har"),
            ("a b/é:1%.har", "a%20b/%C3%A9%3A1%25.har"),
            ("/tmp/x.har", "file:///tmp/x.har"),
            ("C:/x y.har", "file:///C:/x%20y.har"),
            ("../x.har", "../x.har"),
            ("-", "-"),
        ] {
            assert_eq!(of_file(name), uri);
        }
    }

    #[test]
    fn only_web_addresses_are_links() {
        assert_eq!(link(Some("https://a.example/b?c#d")), Some("https://a.example/b?c#d"));
        for text in
            ["javascript:alert(1)", "see the docs", "https://", "https://a b", "https://a/<b>"]
        {
            assert_eq!(link(Some(text)), None, "{text}");
        }
    }
}
