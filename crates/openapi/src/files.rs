//! The files of a description: how they are read, and how references name them.

use std::io;

use sundown_text_json::Limits;
use sundown_text_json::text::percent_decode;

/// Reads local files for the library, which opens none itself.
pub trait FileSource {
    /// Reads the file of this name: the name under which the description was loaded, or a relative reference joined to it.
    /// Folders are separated by slashes; `..` only occurs at the start.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;

    /// The limits for their contents.
    fn limits(&self) -> Limits {
        Limits::default()
    }
}

impl<F: Fn(&str) -> io::Result<Vec<u8>>> FileSource for F {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self(name)
    }
}

/// Resolves the path of a reference (percent-encoded, without its fragment) in the file `base` to the name of a local file.
/// Returns `None` for an address on the network.
pub fn local_name(base: &str, path: &str) -> Option<String> {
    (!has_scheme(path)).then(|| join(base, &percent_decode(path)))
}

/// Whether a reference starts with a scheme (RFC 3986, section 3.1) or a host. A single letter is a drive.
pub(super) fn has_scheme(path: &str) -> bool {
    path.starts_with("//")
        || path.split_once(':').is_some_and(|(scheme, _)| {
            scheme.len() > 1
                && scheme.starts_with(|first: char| first.is_ascii_alphabetic())
                && scheme
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
        })
}

/// Resolves a relative path in the file `base` to a file name (RFC 3986, section 5.2, for paths only).
pub(super) fn join(base: &str, reference: &str) -> String {
    let is_absolute = reference.starts_with('/');
    let start = base
        .rsplit_once('/')
        .map(|(folder, _)| folder)
        .filter(|_| !is_absolute);
    let root = if is_absolute || base.starts_with('/') {
        "/"
    } else {
        ""
    };
    let mut segments: Vec<&str> = Vec::new();
    for segment in start
        .unwrap_or_default()
        .split('/')
        .chain(reference.split('/'))
    {
        match segment {
            "" | "." => {}
            ".." if segments.last().is_some_and(|last| *last != "..") => {
                segments.pop();
            }
            other => segments.push(other),
        }
    }
    format!("{root}{}", segments.join("/"))
}

#[cfg(test)]
mod tests {
    use super::join;

    #[test]
    fn references_are_relative_to_their_own_file() {
        for (base, reference, joined) in [
            ("api.yaml", "x.yaml", "x.yaml"),
            ("a/b/api.yaml", "../c/./x.yaml", "a/c/x.yaml"),
            ("api.yaml", "../../x.yaml", "../../x.yaml"),
            ("../api.yaml", "../x.yaml", "../../x.yaml"),
            ("/srv/api.yaml", "x.yaml", "/srv/x.yaml"),
            ("a/api.yaml", "/etc/x.yaml", "/etc/x.yaml"),
            ("/api.yaml", "x.yaml", "/x.yaml"),
        ] {
            assert_eq!(join(base, reference), joined, "{base} + {reference}");
        }
    }
}
