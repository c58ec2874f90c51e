//! Places in code, and the part of their names that reports show.

use super::words::WORDS;
use sundown_text_json::text::truncate_text;

/// A place in a script or in a source file.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CodeLocation {
    /// The URL of a script, without user information, parameters, query and fragment, or the path of a source file.
    pub file: Box<str>,
    /// The one-based line.
    pub line: Option<u32>,
    /// The one-based column. Browsers count UTF-16 code units.
    pub column: Option<u32>,
    /// The name of the function around it.
    pub function: Option<Box<str>>,
}

/// The longest file name that is kept, in bytes.
const MAX_FILE_BYTES: usize = 1024;

/// The longest name of a function, service or recording that is kept, in bytes.
const MAX_NAME_BYTES: usize = 256;

impl CodeLocation {
    /// Creates a place in a file or in the script at a URL; `None` if that is empty, or a URL that scripts do not have.
    pub fn new(file: &str) -> Option<Self> {
        let file = shown_file(file)?;
        Some(Self {
            file: file.into(),
            line: None,
            column: None,
            function: None,
        })
    }

    /// The place of a test in the name that its runner gives it: `tests/test_orders.py::test_total[1] (call)` of pytest, or
    /// `[chromium] › orders.spec.ts:12:5 › has a total` of Playwright. Values of parameters are left out.
    pub(super) fn of_test(name: &str) -> Option<Self> {
        let parts = name.split("::").flat_map(|part| part.split(['›', '>']));
        let mut parts = parts.map(str::trim);
        let (file, line) = parts.find_map(|part| {
            let (file, line) = part.split_once(':').unwrap_or((part, ""));
            let (_, ending) = file.rsplit_once('.')?;
            let mut known = WORDS.test_endings.iter();
            known.any(|known| known == ending).then_some((file, line))
        })?;
        let test = parts.collect::<Vec<_>>().join(" › ");
        Some(Self {
            line: line.split(':').next().and_then(|line| line.parse().ok()),
            ..Self::new(file)?.in_function(test.split(['[', '(']).next()?)
        })
    }

    /// Sets the name of the function; an empty one is none.
    #[must_use]
    pub(crate) fn in_function(self, name: &str) -> Self {
        Self {
            function: shown_name(name),
            ..self
        }
    }
}

/// The name of a function, service or recording; `None` if it is empty. A long one is truncated.
pub(super) fn shown_name(name: &str) -> Option<Box<str>> {
    let name = name.trim();
    (!name.is_empty()).then(|| truncate_text(name, MAX_NAME_BYTES).into())
}

/// A path, or a URL without the parts that may be secret; `None` for URLs that are not those of scripts.
fn shown_file(file: &str) -> Option<String> {
    let file = file.trim().split(['?', '#']).next().unwrap_or_default();
    let (scheme, rest) = split_scheme(file);
    let is_script = scheme.is_empty()
        || WORDS.script_schemes.iter().any(|known| known == scheme)
        || scheme.starts_with("webpack")
        || scheme.ends_with("-extension");
    let has_authority = rest.starts_with("//");
    // `https:u:p@h` would be shown with its credentials.
    if file.is_empty() || !is_script || !(has_authority || ["", "node"].contains(&scheme)) {
        return None;
    }
    let (authority, path) = match rest.strip_prefix("//") {
        Some(rest) => rest.split_at(rest.find('/').unwrap_or(rest.len())),
        None => ("", rest),
    };
    let host = authority.rsplit('@').next().unwrap_or_default();
    // Parameters of a segment, like `;jsessionid=`, are as secret as a query.
    let path = path
        .split('/')
        .map(|segment| segment.split(';').next().unwrap_or_default())
        .collect::<Vec<_>>()
        .join("/");
    let colon = if scheme.is_empty() { "" } else { ":" };
    let slashes = if has_authority { "//" } else { "" };
    let shown = format!("{scheme}{colon}{slashes}{host}{path}");
    (!shown.is_empty()).then(|| truncate_text(&shown, MAX_FILE_BYTES).into_owned())
}

/// Splits the scheme off a URL; it is empty for a path. A single letter is the drive of a path.
fn split_scheme(file: &str) -> (&str, &str) {
    let scheme = file.split_once(':');
    scheme
        .filter(|(scheme, _)| {
            scheme.len() > 1
                && scheme
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        })
        .unwrap_or(("", file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> Option<String> {
        CodeLocation::new(url).map(|place| place.file.into_string())
    }

    #[test]
    fn urls_are_shown_without_secrets() {
        for (url, expected) in [
            (
                "https://u:p@h.example:8443/a/app.js?v=1#x",
                "https://h.example:8443/a/app.js",
            ),
            (
                "https://h/a;jsessionid=S/app.js;x=y?z",
                "https://h/a/app.js",
            ),
            ("https://h?token=S", "https://h"),
            ("/srv/app/orders.py", "/srv/app/orders.py"),
            ("C:\\app\\orders.cs", "C:\\app\\orders.cs"),
            ("webpack:///./src/a.ts?1a2b", "webpack:///./src/a.ts"),
            ("//u:pw@h/app.js;jsessionid=S", "//h/app.js"),
            ("/srv/app.js;x=S", "/srv/app.js"),
            ("chrome-extension://abc/a.js", "chrome-extension://abc/a.js"),
            ("node:internal/deps/undici", "node:internal/deps/undici"),
        ] {
            assert_eq!(shown(url).as_deref(), Some(expected));
        }
        for url in [
            "",
            " ",
            ";S",
            "data:text/javascript,f('S')",
            "javascript:f()",
            "blob:https://h/1-2",
            "mailto:S@h",
            "https:u:p@h/app.js",
            "secret://S",
        ] {
            assert_eq!(shown(url), None, "{url}");
        }
        let long = shown(&"x".repeat(9_000)).unwrap();
        assert!(long.len() < 1_100 && long.ends_with('…'));
    }
}
