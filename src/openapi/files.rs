//! How a description gets at the further files it points to, and how one file's references name another.

use std::io;

use crate::json::DocumentLimits;
use crate::text::percent_decode;

/// Gives the bytes of local files. The library opens none itself.
pub trait FileSource {
    /// The bytes of the file of this name: the name that the description was loaded by, or one joined to it from a
    /// relative reference. Slashes separate folders; `..` may stand in front only.
    fn read(&self, name: &str) -> io::Result<Vec<u8>>;

    /// How far what they hold may go.
    fn bounds(&self) -> DocumentLimits {
        DocumentLimits::default()
    }
}

impl<F: Fn(&str) -> io::Result<Vec<u8>>> FileSource for F {
    fn read(&self, name: &str) -> io::Result<Vec<u8>> {
        self(name)
    }
}

/// The name of the local file that a reference's path (percent-encoded, without its fragment) stands for in the file called
/// `base`; `None` where it is on the network.
pub fn local_name(base: &str, path: &str) -> Option<String> {
    (!has_scheme(path)).then(|| join(base, &percent_decode(path)))
}

/// Whether a reference begins with a scheme (RFC 3986, section 3.1), or with a host; one letter is a drive.
pub(super) fn has_scheme(path: &str) -> bool {
    let is_scheme = |text: &str| {
        text.len() > 1
            && text.starts_with(|first: char| first.is_ascii_alphabetic())
            && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    path.starts_with("//") || path.split_once(':').is_some_and(|(scheme, _)| is_scheme(scheme))
}

/// The name of the file that `reference`, a relative path, stands for in the file called `base` (RFC 3986, section 5.2,
/// for paths alone).
pub(super) fn join(base: &str, reference: &str) -> String {
    let is_absolute = reference.starts_with('/');
    let folder = base.rsplit_once('/').map(|(folder, _)| folder);
    let start = folder.filter(|_| !is_absolute);
    let root = if is_absolute || base.starts_with('/') { "/" } else { "" };
    let mut segments: Vec<&str> = Vec::new();
    for segment in start.unwrap_or_default().split('/').chain(reference.split('/')) {
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
    fn references_are_relative_to_the_file_they_stand_in() {
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
