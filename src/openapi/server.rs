//! The paths in front of all paths: of `servers` (OpenAPI 3) and `basePath` (Swagger 2.0).

use std::sync::Arc;

use crate::json::{ValueKind, ValueRef};
use crate::text::ExpansionFactor;

/// How many prefixes the servers of a list may make: every operation has each of them. Where the variables of one server
/// alone make more, they stay variables, which match anything, whatever is raised: nothing is left out by that.
pub(super) const MOST_PREFIXES: usize = 64;

/// How many bytes these may have together, and one URL by itself: far more than real ones have.
pub(super) const MOST_BYTES: usize = 4096;

struct PrefixLimits {
    prefixes: usize,
    bytes: usize,
}

impl PrefixLimits {
    fn of(expansion: ExpansionFactor) -> Self {
        Self { prefixes: expansion.times(MOST_PREFIXES), bytes: expansion.times(MOST_BYTES) }
    }
}

/// What a list of servers stands for.
pub(super) struct Servers {
    /// The different prefixes, in their order, without a slash at their end.
    pub(super) prefixes: Arc<[String]>,
    /// Whether there are more than are read.
    pub(super) is_cut: bool,
}

/// The prefixes that a list of servers stands for; `None` where there is no server.
pub(super) fn read(servers: ValueRef<'_>, expansion: ExpansionFactor) -> Option<Servers> {
    if servers.kind() != ValueKind::Array {
        return None;
    }
    let most = PrefixLimits::of(expansion);
    let (mut prefixes, mut bytes, mut is_cut) = (Vec::new(), 0, false);
    for server in servers.children() {
        let Some(url) = server.get("url").and_then(ValueRef::as_str) else { continue };
        let Some(expanded) = expanded(url, server.get("variables"), &most) else {
            is_cut = true;
            continue;
        };
        for prefix in expanded {
            if prefixes.contains(&prefix) {
                continue;
            }
            if prefixes.len() == most.prefixes || bytes + prefix.len() > most.bytes {
                is_cut = true;
                continue;
            }
            bytes += prefix.len();
            prefixes.push(prefix);
        }
    }
    (is_cut || !prefixes.is_empty()).then(|| Servers { prefixes: prefixes.into(), is_cut })
}

/// The prefix that a `basePath` stands for.
pub(super) fn base_path(path: Option<ValueRef<'_>>) -> Arc<[String]> {
    let path = path.and_then(ValueRef::as_str).unwrap_or_default();
    [tidy(path)].into()
}

/// A URL's path; a relative one is taken from the root. Variables may stand for scheme and host.
fn path(url: &str) -> &str {
    let behind_scheme = match url.split_once("://") {
        Some((_, rest)) => Some(rest),
        None => url.strip_prefix("//"),
    };
    let path = match behind_scheme {
        Some(rest) => rest.find('/').and_then(|at| rest.get(at..)).unwrap_or_default(),
        None => url,
    };
    path.split(['?', '#']).next().unwrap_or_default()
}

fn tidy(path: &str) -> String {
    let segments = path.split('/').filter(|segment| !matches!(*segment, "" | "." | ".."));
    segments.fold(String::new(), |tidy, segment| tidy + "/" + segment)
}

/// The URL's path with each variable's values put in: those of its `enum`, and its `default`; `None` where it is too long.
fn expanded(
    url: &str,
    variables: Option<ValueRef<'_>>,
    most: &PrefixLimits,
) -> Option<Vec<String>> {
    if url.len() > most.bytes {
        return None;
    }
    let mut urls = vec![url.to_owned()];
    let members = variables.into_iter().flat_map(ValueRef::children);
    for (variable, name) in members.filter_map(|variable| Some((variable, variable.key()?))) {
        let placeholder = format!("{{{name}}}");
        // One at the beginning may hold a path, too.
        if !path(url).contains(&placeholder) && !url.starts_with(&placeholder) {
            continue;
        }
        let listed = variable.get("enum").into_iter().flat_map(ValueRef::children);
        let mut values: Vec<&str> =
            listed.chain(variable.get("default")).filter_map(ValueRef::text).collect();
        values.sort_unstable();
        values.dedup();
        if values.is_empty() || urls.len() * values.len() > MOST_PREFIXES {
            continue;
        }
        let longest = values.iter().map(|value| value.len()).max().unwrap_or(0);
        let longer = |url: &String| url.len() + url.matches(&placeholder).count() * longest;
        if urls.iter().map(longer).max() > Some(MOST_BYTES) {
            continue;
        }
        let with = |url: &String| -> Vec<String> {
            values.iter().map(|value| url.replace(&placeholder, value)).collect()
        };
        urls = urls.iter().flat_map(with).collect();
    }
    Some(urls.iter().map(|url| tidy(path(url))).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::{Document, DocumentFormat};

    fn of(servers: &str) -> Option<Vec<String>> {
        let document = Document::parse(servers, DocumentFormat::Yaml).unwrap();
        read(document.root(), ExpansionFactor::default()).map(|servers| servers.prefixes.to_vec())
    }

    #[test]
    fn a_servers_path_stands_in_front() {
        for (url, prefix) in [
            ("https://api.example.com/v1/", "/v1"),
            ("https://api.example.com", ""),
            ("'{scheme}://{host}/x/v2'", "/x/v2"),
            ("/", ""),
            ("v1", "/v1"),
            ("./v1", "/v1"),
            ("//example.com/a//b?x#y", "/a/b"),
            ("https://api.example.com/{tenant}", "/{tenant}"),
            ("'{server}/v1'", "/{server}/v1"),
        ] {
            assert_eq!(of(&format!("- url: {url}")).unwrap(), [prefix], "{url}");
        }
        assert_eq!(of("[]"), None);
        assert_eq!(of("- description: none"), None);
    }

    #[test]
    fn variables_take_all_their_values() {
        let servers = "- url: 'https://{host}/{base}/{more}'\n  variables: {host: {default: h}, base: {default: v1, enum: [v1, v2]}, more: {default: a/b}}\n- url: /v1/a/b";
        assert_eq!(of(servers).unwrap(), ["/v1/a/b", "/v2/a/b"]);
        let whole =
            "- url: '{server}/v1'\n  variables: {server: {default: 'https://example.com/x'}}";
        assert_eq!(of(whole).unwrap(), ["/x/v1"]);
    }

    #[test]
    fn more_servers_than_any_service_has_are_told_to_be_cut() {
        let cut = |servers: &str| {
            let document = Document::parse(servers, DocumentFormat::Yaml).unwrap();
            let servers = read(document.root(), ExpansionFactor::default()).unwrap();
            (servers.prefixes.len(), servers.is_cut)
        };
        let list = |count: usize, url: &str| {
            let of = |at: usize| format!("- url: {url}{at}/v{at}");
            (0..count).map(of).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(cut(&list(64, "/")), (64, false));
        assert_eq!(cut(&list(65, "/")), (64, true));
        // Hosts are no prefixes, and what stands there twice counts once.
        let hosts = list(500, "https://h").replace("/v", "/v1?");
        assert_eq!(cut(&hosts), (1, false));
        let long = "x".repeat(4000);
        assert_eq!(cut(&format!("- url: /{long}\n- url: /y")), (2, false));
        assert_eq!(cut(&format!("- url: /{long}{long}\n- url: /y")), (1, true));
        assert_eq!(cut(&format!("- url: /{long}\n- url: /y{long}\n- url: /z")), (2, true));
        let value = format!("- url: '/{{a}}/{{a}}'\n  variables: {{a: {{default: {long}}}}}");
        assert_eq!(cut(&value), (1, false), "it stays a variable");
    }
}
