//! The paths in front of all paths: of `servers` (OpenAPI 3) and `basePath` (Swagger 2.0).

use std::sync::Arc;

use crate::document::{Kind, Value};

/// How many prefixes the variables of one server may make; with more, they stay variables, which match anything.
const MAX_PREFIXES: usize = 64;

/// The prefixes that a list of servers stands for, without a slash at their end; `None` where there is no server.
pub(super) fn prefixes(servers: Option<Value<'_>>) -> Option<Arc<[String]>> {
    let servers = servers.filter(|servers| servers.kind() == Kind::Array)?;
    let mut all = Vec::new();
    for server in servers.children() {
        let Some(url) = server.get("url").and_then(Value::as_str) else { continue };
        for prefix in expanded(url, server.get("variables")) {
            if !all.contains(&prefix) {
                all.push(prefix);
            }
        }
    }
    (!all.is_empty()).then(|| all.into())
}

/// The prefix that a `basePath` stands for.
pub(super) fn base_path(path: Option<Value<'_>>) -> Arc<[String]> {
    let path = path.and_then(Value::as_str).unwrap_or_default();
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

/// The URL's path with each variable's values put in: those of its `enum`, and its `default`.
fn expanded(url: &str, variables: Option<Value<'_>>) -> Vec<String> {
    let mut urls = vec![url.to_owned()];
    let members = variables.into_iter().flat_map(Value::children);
    for (variable, name) in members.filter_map(|variable| Some((variable, variable.key()?))) {
        let placeholder = format!("{{{name}}}");
        // One at the beginning may hold a path, too.
        if !path(url).contains(&placeholder) && !url.starts_with(&placeholder) {
            continue;
        }
        let listed = variable.get("enum").into_iter().flat_map(Value::children);
        let mut values: Vec<&str> =
            listed.chain(variable.get("default")).filter_map(Value::text).collect();
        values.sort_unstable();
        values.dedup();
        if values.is_empty() || urls.len() * values.len() > MAX_PREFIXES {
            continue;
        }
        let with = |url: &String| -> Vec<String> {
            values.iter().map(|value| url.replace(&placeholder, value)).collect()
        };
        urls = urls.iter().flat_map(with).collect();
    }
    urls.iter().map(|url| tidy(path(url))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::{Document, Format};

    fn of(servers: &str) -> Option<Vec<String>> {
        let document = Document::parse(servers, Format::Yaml).unwrap();
        prefixes(Some(document.root())).map(|prefixes| prefixes.to_vec())
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
}
