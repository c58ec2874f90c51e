//! Places in code, and the part of their names that reports show.

use crate::text::truncate_text;

/// A place in a script or in a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodePlace {
    /// The URL of a script, without user information, parameters, query and fragment, or the path of a source file.
    pub file: Box<str>,
    /// The one-based line.
    pub line: Option<u32>,
    /// The one-based column. Browsers and source maps count UTF-16 code units.
    pub column: Option<u32>,
    /// The name of the function around it.
    pub function: Option<Box<str>>,
}

/// The longest file name that is kept, in bytes.
const LONGEST_FILE: usize = 1024;

/// The longest name of a function, service or recording that is kept, in bytes.
const LONGEST_NAME: usize = 256;

impl CodePlace {
    /// Creates a place in a file or in the script at a URL; `None` if that is empty, or contains the code itself.
    pub fn new(file: &str) -> Option<Self> {
        let file = shown_file(file)?;
        Some(Self { file: file.into(), line: None, column: None, function: None })
    }

    /// Sets the name of the function; an empty one is none.
    #[must_use]
    pub fn in_function(self, name: &str) -> Self {
        Self { function: shown_name(name), ..self }
    }
}

/// The name of a function, service or recording; `None` if it is empty. A long one is truncated.
fn shown_name(name: &str) -> Option<Box<str>> {
    let name = name.trim();
    (!name.is_empty()).then(|| truncate_text(name, LONGEST_NAME).into())
}

/// A path, or a URL without the parts that may be secret; `None` for URLs that contain code or data.
fn shown_file(file: &str) -> Option<String> {
    let file = file.trim();
    let file = file.split(['?', '#']).next().unwrap_or_default();
    let scheme = file.split_once(':').map_or("", |(scheme, _)| scheme);
    let has_code = ["data", "javascript", "blob", "about"];
    if file.is_empty() || has_code.iter().any(|name| scheme.eq_ignore_ascii_case(name)) {
        return None;
    }
    let shown = match file.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
            let host = authority.rsplit('@').next().unwrap_or_default();
            // Parameters of a segment, like `;jsessionid=`, are as secret as a query.
            let segments: Vec<_> = path
                .split('/')
                .map(|segment| segment.split(';').next().unwrap_or_default())
                .collect();
            format!("{scheme}://{host}{}", segments.join("/"))
        }
        None => file.to_owned(),
    };
    Some(truncate_text(&shown, LONGEST_FILE).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> Option<String> {
        CodePlace::new(url).map(|place| place.file.into_string())
    }

    #[test]
    fn urls_are_shown_without_secrets() {
        for (url, expected) in [
            ("https://u:p@h.example:8443/a/app.js?v=1#x", "https://h.example:8443/a/app.js"),
            ("https://h/a;jsessionid=S/app.js;x=y?z", "https://h/a/app.js"),
            ("https://h?token=S", "https://h"),
            ("/srv/app/orders.py", "/srv/app/orders.py"),
            ("C:\\app\\orders.cs", "C:\\app\\orders.cs"),
            ("webpack:///./src/a.ts?1a2b", "webpack:///./src/a.ts"),
        ] {
            assert_eq!(shown(url).as_deref(), Some(expected));
        }
        for url in ["", " ", "data:text/javascript,f('S')", "javascript:f()", "blob:https://h/1-2"]
        {
            assert_eq!(shown(url), None);
        }
        let long = shown(&"x".repeat(9_000)).unwrap();
        assert!(long.len() < 1_100 && long.ends_with('…'));
    }
}
