//! The path prefixes of operations, from `servers` (OpenAPI 3) and `basePath` (Swagger 2.0).

use std::sync::Arc;

use crate::node::string_of;
use sundown_text_json::json::{Node, ValueKind};
use sundown_text_json::text::ExpansionFactor;

/// The most prefixes of one list of servers, all of which apply to every operation. If the variables of one server expand to
/// more, they stay variables, which match anything, so nothing is left out.
pub(super) const MAX_PREFIXES: usize = 64;

/// The most bytes of all prefixes of a list together, and of one URL: far more than in real descriptions.
pub(super) const MAX_BYTES: usize = 4096;

/// Reads the path prefixes of a list of servers: those that differ, in their order, without a slash at the end. Returns them, and
/// whether the list has more than the limit.
pub(super) fn read(servers: Node<'_>, expansion: ExpansionFactor) -> (Arc<[String]>, bool) {
    let (most, most_bytes) = (expansion.times(MAX_PREFIXES), expansion.times(MAX_BYTES));
    let mut prefixes = Vec::new();
    let mut bytes = 0;
    let mut is_cut = false;
    let list = Some(servers).filter(|list| list.kind() == ValueKind::Array);
    for server in list.into_iter().flat_map(Node::children) {
        let Some(url) = string_of(server, "url") else {
            continue;
        };
        let Some(expanded) = expanded(url, server.get("variables"), most_bytes) else {
            is_cut = true;
            continue;
        };
        for prefix in expanded {
            if prefixes.contains(&prefix) {
                continue;
            }
            if prefixes.len() == most || bytes + prefix.len() > most_bytes {
                is_cut = true;
                continue;
            }
            bytes += prefix.len();
            prefixes.push(prefix);
        }
    }
    (prefixes.into(), is_cut)
}

/// Reads the prefix in a `basePath`.
pub(super) fn base_path(path: Option<Node<'_>>) -> Arc<[String]> {
    let path = path.and_then(Node::as_str).unwrap_or_default();
    [tidy(path)].into()
}

/// The part of a URL from its authority on; `None` for a relative URL. The scheme may be a variable.
pub(super) fn from_authority(url: &str) -> Option<&str> {
    match url.split_once("://") {
        Some((_, rest)) => Some(rest),
        None => url.strip_prefix("//"),
    }
}

/// The path of a URL; a relative URL is relative to the root. Scheme and host may be variables.
fn path(url: &str) -> &str {
    let path = match from_authority(url) {
        Some(rest) => rest
            .find('/')
            .and_then(|at| rest.get(at..))
            .unwrap_or_default(),
        None => url,
    };
    path.split(['?', '#']).next().unwrap_or_default()
}

fn tidy(path: &str) -> String {
    path.split('/')
        .filter(|segment| !matches!(*segment, "" | "." | ".."))
        .fold(String::new(), |tidy, segment| tidy + "/" + segment)
}

/// Expands each variable in a URL's path to its values, from `enum` and `default`. One without `enum` may have any value (OpenAPI,
/// "Server Variable Object"), so it also stays, and matches one segment. Returns `None` if the URL is too long.
fn expanded(url: &str, variables: Option<Node<'_>>, most_bytes: usize) -> Option<Vec<String>> {
    if url.len() > most_bytes {
        return None;
    }
    let mut urls = vec![url.to_owned()];
    for (variable, placeholder) in placeholders(variables) {
        // A variable at the start, or directly after the host, may contain a path as well.
        let is_start = url.starts_with(&placeholder);
        if !path(url).contains(&placeholder) && !is_start && !holds_path(variable) {
            continue;
        }
        let is_any =
            !is_start && path(url).contains(&placeholder) && variable.get("enum").is_none();
        let default = string_of(variable, "default");
        let default = default.unwrap_or_default().trim_matches('/');
        // The variable alone matches a default of one segment, too.
        if is_any && !default.is_empty() && !default.contains('/') {
            continue;
        }
        let has_room = urls.len() * 2 <= MAX_PREFIXES;
        let kept = if is_any && has_room {
            urls.clone()
        } else {
            Vec::new()
        };
        urls = substitute_variable(urls, &placeholder, variable, MAX_BYTES);
        urls.extend(kept);
    }
    Some(urls.iter().map(|url| tidy(path(url))).collect())
}

/// The variables of a server with what they replace.
pub(super) fn placeholders(
    variables: Option<Node<'_>>,
) -> impl Iterator<Item = (Node<'_>, String)> {
    let members = variables.into_iter().flat_map(Node::children);
    members.filter_map(|variable| Some((variable, format!("{{{}}}", variable.key()?))))
}

/// The first segment of a relative URL if that looks like the name of a host: `api.example.com/v1`, `localhost:8080`.
pub(super) fn host_as_path(url: &str) -> Option<&str> {
    let first = url.split('/').next()?;
    let name = first.split(':').next()?;
    let (label, top) = name.rsplit_once('.').unwrap_or_default();
    let is_top = top.len() > 1 && top.bytes().all(|byte| byte.is_ascii_alphabetic());
    let is_file = matches!(
        top,
        "json" | "yaml" | "yml" | "php" | "aspx" | "html" | "cgi"
    );
    let is_host = name == "localhost" || is_top && !is_file && !label.contains(['{', '}']);
    (is_host && !url.contains("://") && !label.ends_with('.')).then_some(first)
}

/// Whether the values of a variable begin with a path.
pub(super) fn holds_path(variable: Node<'_>) -> bool {
    let default = string_of(variable, "default");
    default.is_some_and(|default| default.starts_with('/'))
}

/// Replaces a placeholder in all texts by each value of its variable, from `enum` and `default`. Beyond [`MAX_PREFIXES`] texts,
/// or `most_bytes` in one of them, the texts stay as they are.
pub(super) fn substitute_variable(
    texts: Vec<String>,
    placeholder: &str,
    variable: Node<'_>,
    most_bytes: usize,
) -> Vec<String> {
    let mut values: Vec<&str> = variable
        .children_of("enum")
        .chain(variable.get("default"))
        .filter_map(Node::text)
        .collect();
    values.sort_unstable();
    values.dedup();
    let longest = values.iter().map(|value| value.len()).max().unwrap_or(0);
    if values.is_empty()
        || texts.len() * values.len() > MAX_PREFIXES
        || texts
            .iter()
            .map(|text| text.len() + text.matches(placeholder).count() * longest)
            .max()
            > Some(most_bytes)
    {
        return texts;
    }
    texts
        .iter()
        .flat_map(|text| -> Vec<String> {
            values
                .iter()
                .map(|value| text.replace(placeholder, value))
                .collect()
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_text_json::json::{Document, DocumentFormat};

    fn of(servers: &str) -> Vec<String> {
        let document = Document::parse(servers, DocumentFormat::Yaml).unwrap();
        let servers = read(document.root(), ExpansionFactor::default());
        servers.0.to_vec()
    }

    #[test]
    fn the_path_of_a_server_is_the_prefix() {
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
            assert_eq!(of(&format!("- url: {url}")), [prefix], "{url}");
        }
        for (url, host) in [
            ("api.example.com/v1", Some("api.example.com")),
            ("localhost:8080", Some("localhost:8080")),
            ("https://api.example.com", None),
            ("v1.0", None),
            ("api/v1.x", None),
            ("./v1", None),
            ("../api", None),
            ("index.php", None),
            ("{host}.example.com", None),
        ] {
            assert_eq!(host_as_path(url), host, "{url}");
        }
        assert!(of("[]").is_empty());
        assert!(of("- description: none").is_empty());
    }

    #[test]
    fn variables_take_all_their_values() {
        let servers = "- url: 'https://{host}/{base}/{more}'\n  variables: {host: {default: h}, base: {default: v1, enum: [v1, v2]}, more: {default: a/b}}\n- url: /v1/a/b";
        assert_eq!(
            of(servers),
            ["/v1/a/b", "/v2/a/b", "/v1/{more}", "/v2/{more}"]
        );
        for (variable, prefixes) in [
            ("{default: /b, enum: [/b, /c/d]}", vec!["/b", "/c/d"]),
            ("{default: /b}", vec!["/b"]),
        ] {
            let after_host =
                format!("- url: https://api.test{{base}}\n  variables: {{base: {variable}}}");
            assert_eq!(of(&after_host), prefixes);
        }
        let whole =
            "- url: '{server}/v1'\n  variables: {server: {default: 'https://example.com/x'}}";
        assert_eq!(of(whole), ["/x/v1"]);
    }

    #[test]
    fn servers_beyond_the_limit_are_reported_as_cut() {
        let cut = |servers: &str| {
            let document = Document::parse(servers, DocumentFormat::Yaml).unwrap();
            let (prefixes, is_cut) = read(document.root(), ExpansionFactor::default());
            (prefixes.len(), is_cut)
        };
        let list = |count: usize, url: &str| {
            let of = |at: usize| format!("- url: {url}{at}/v{at}");
            (0..count).map(of).collect::<Vec<_>>().join("\n")
        };
        assert_eq!(cut(&list(64, "/")), (64, false));
        assert_eq!(cut(&list(65, "/")), (64, true));
        // Hosts do not count as prefixes, and a repeated prefix counts once.
        let hosts = list(500, "https://h").replace("/v", "/v1?");
        assert_eq!(cut(&hosts), (1, false));
        let long = "x".repeat(4000);
        assert_eq!(cut(&format!("- url: /{long}\n- url: /y")), (2, false));
        assert_eq!(cut(&format!("- url: /{long}{long}\n- url: /y")), (1, true));
        assert_eq!(
            cut(&format!("- url: /{long}\n- url: /y{long}\n- url: /z")),
            (2, true)
        );
        let value = format!("- url: '/{{a}}/{{a}}'\n  variables: {{a: {{default: {long}}}}}");
        assert_eq!(cut(&value), (1, false), "it stays a variable");
    }
}
