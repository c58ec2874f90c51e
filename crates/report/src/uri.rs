//! File names and links as URIs (RFC 3986).

use std::fmt::Write as _;
use std::path::PathBuf;

use sundown_text_json::text::percent_decode;

/// A file name as a URI reference: relative if the name is, with reserved characters percent-encoded.
pub fn of_file(name: &str) -> String {
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

/// The path that a `file:` URI leads to on this machine, as editors write it; `None` if it is another URI.
pub fn to_path(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = percent_decode(rest.strip_prefix("localhost").unwrap_or(rest));
    let below = path.strip_prefix('/')?;
    let is_drive = below.get(1..3) == Some(":/");
    Some(PathBuf::from(if is_drive { below } else { &path }))
}

/// The URL of a script or the path of a source file as a URI reference. What a URI cannot contain is percent-encoded.
pub(super) fn of_code(file: &str) -> String {
    if !file.split_once("://").is_some_and(|(scheme, _)| {
        scheme.starts_with(|first: char| first.is_ascii_alphabetic())
            && scheme
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    }) {
        return of_file(&file.replace('\\', "/"));
    }
    let path = file
        .split_once("://")
        .and_then(|(scheme, rest)| rest.find('/').map(|path| scheme.len() + "://".len() + path));
    let mut uri = String::new();
    for (at, byte) in file.bytes().enumerate() {
        let is_kept = match byte {
            b'%' => {
                let digits = file.as_bytes().get(at + 1..at + 3);
                digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit))
            }
            // Around the address of a host (IPv6).
            b'[' | b']' => path.is_none_or(|path| at < path),
            _ => byte.is_ascii_alphanumeric() || b"-._~:/@!$&'()*+,;=".contains(&byte),
        };
        if is_kept {
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
        let rest = text
            .strip_prefix("https://")
            .or_else(|| text.strip_prefix("http://"));
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
    fn uris_of_files_lead_to_paths_and_no_others_do() {
        for (uri, path) in [
            ("file:///tmp/a%20b/%C3%A9.har", Some("/tmp/a b/é.har")),
            ("file://localhost/x", Some("/x")),
            ("file:///c%3A/x%20y.har", Some("c:/x y.har")),
            ("file://server/share", None),
            ("untitled:Untitled-1", None),
            ("file:", None),
        ] {
            assert_eq!(to_path(uri), path.map(PathBuf::from), "{uri}");
        }
    }

    #[test]
    fn places_in_code_become_references() {
        for (file, uri) in [
            (
                "https://h.example:8080/a%20b/c d.js",
                "https://h.example:8080/a%20b/c%20d.js",
            ),
            ("webpack:///./src/a.ts", "webpack:///./src/a.ts"),
            ("src/a b.ts", "src/a%20b.ts"),
            ("C:\\app\\a.cs", "file:///C:/app/a.cs"),
            ("a b://x", "a%20b%3A//x"),
            (
                "https://[::1]:80/100%/[x]/%5b/%4",
                "https://[::1]:80/100%25/%5Bx%5D/%5b/%254",
            ),
        ] {
            assert_eq!(of_code(file), uri);
        }
    }

    #[test]
    fn only_web_addresses_are_links() {
        assert_eq!(
            link(Some("https://a.example/b?c#d")),
            Some("https://a.example/b?c#d")
        );
        for text in [
            "javascript:alert(1)",
            "see the docs",
            "https://",
            "https://a b",
            "https://a/<b>",
        ] {
            assert_eq!(link(Some(text)), None, "{text}");
        }
    }
}
