//! The path prefixes and the hosts of operations, from `servers` (OpenAPI 3) and `basePath` and `host` (Swagger 2.0).

use std::sync::Arc;

use crate::string_of;
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
fn from_authority(url: &str) -> Option<&str> {
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
fn placeholders(variables: Option<Node<'_>>) -> impl Iterator<Item = (Node<'_>, String)> {
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
fn holds_path(variable: Node<'_>) -> bool {
    let default = string_of(variable, "default");
    default.is_some_and(|default| default.starts_with('/'))
}

/// Replaces a placeholder in all texts by each value of its variable, from `enum` and `default`. Beyond [`MAX_PREFIXES`] texts,
/// or `most_bytes` in one of them, the texts stay as they are.
fn substitute_variable(
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

/// The hosts of a description's servers.
#[derive(Debug, Default)]
pub(super) struct ServerHosts {
    /// Hosts such as `api.example.com` and `*.example.com`, without ports.
    patterns: Vec<String>,
    /// Whether a server may be on any host.
    has_any: bool,
}

/// The most hosts of one description: those of all its servers together.
const MAX_HOSTS: usize = 1_000;

/// The length in bytes of the longest host name (RFC 1035, section 2.3.4).
const MAX_HOST_BYTES: usize = 255;

/// Names of the developer's own machine, which say nothing about the service.
const LOOPBACK: [&str; 4] = ["localhost", "127.0.0.1", "0.0.0.0", "[::1]"];

impl ServerHosts {
    /// The patterns; none if a server may be on any host.
    pub(super) fn into_patterns(self) -> Vec<String> {
        if self.has_any {
            Vec::new()
        } else {
            self.patterns
        }
    }

    /// Adds a server that may be on any host.
    pub(super) fn add_any(&mut self) {
        self.has_any = true;
    }

    /// Adds the hosts of a list of servers.
    pub(super) fn add_servers(&mut self, servers: Node<'_>) {
        for server in servers.children() {
            let Some(url) = string_of(server, "url") else {
                continue;
            };
            match authority(url) {
                Some(authority) => self.add_authority(authority, server.get("variables")),
                // The URL is relative to that of the description, which is unknown.
                None => self.has_any = true,
            }
        }
    }

    fn add_authority(&mut self, authority: &str, variables: Option<Node<'_>>) {
        if authority.len() > MAX_HOST_BYTES {
            return self.add_any();
        }
        let mut authorities = vec![authority.to_owned()];
        for (variable, placeholder) in placeholders(variables) {
            let is_used = authorities.iter().any(|one| one.contains(&placeholder));
            let mut listed = variable.children_of("enum");
            // Without a list of its values, the variable stays, and matches any.
            if is_used && (listed.next().is_some() || holds_path(variable)) {
                authorities =
                    substitute_variable(authorities, &placeholder, variable, MAX_HOST_BYTES);
            }
        }
        for authority in &authorities {
            // A variable directly after the host begins with a path.
            self.add_host(authority.split('/').next().unwrap_or_default());
        }
    }

    /// Adds the host of a URL's authority. A label with a variable, and those before it, match any.
    pub(super) fn add_host(&mut self, authority: &str) {
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        let end = host.find(']').map_or(0, |at| at + 1);
        let port = host
            .get(end..)
            .and_then(|rest| rest.rfind(':'))
            .map(|at| end + at);
        let host = host.get(..port.unwrap_or(host.len())).unwrap_or_default();
        let pattern = match host.rsplit_once('}') {
            None => host.to_owned(),
            Some((_, rest)) => match rest.split_once('.') {
                Some((_, domain)) => format!("*.{domain}"),
                None => return self.add_any(),
            },
        };
        if LOOPBACK.contains(&pattern.as_str()) || self.patterns.contains(&pattern) {
            return;
        }
        if pattern.is_empty() || self.patterns.len() == MAX_HOSTS {
            return self.add_any();
        }
        self.patterns.push(pattern);
    }
}

/// The authority of a URL (RFC 3986, section 3.2); `None` for a relative URL, and if it may be part of a variable.
fn authority(url: &str) -> Option<&str> {
    let authority = from_authority(url)?.split(['/', '?', '#']).next();
    authority.filter(|authority| !authority.is_empty())
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

    fn hosts(servers: &str) -> Vec<String> {
        let document = Document::parse(servers, DocumentFormat::Yaml).unwrap();
        let mut hosts = ServerHosts::default();
        hosts.add_servers(document.root());
        hosts.into_patterns()
    }

    #[test]
    fn a_server_is_on_its_host_whatever_its_port() {
        for (url, expected) in [
            ("https://api.example.com/v1", &["api.example.com"][..]),
            ("https://user@api.example.com:8443?x", &["api.example.com"]),
            ("//api.example.com", &["api.example.com"]),
            ("https://[2001:db8::1]:80/", &["[2001:db8::1]"]),
            ("https://{tenant}.example.com", &["*.example.com"]),
            (
                "https://api.{region}-1.example.com:{port}",
                &["*.example.com"],
            ),
            ("https://api.{domain}", &[]),
            ("'{server}/v1'", &[]),
            ("/v1", &[]),
            ("http://localhost:8080/v1", &[]),
        ] {
            assert_eq!(hosts(&format!("- url: {url}")), expected, "{url}");
        }
    }

    #[test]
    fn a_listed_variable_takes_its_values_and_one_with_a_default_matches_any() {
        let path: Vec<_> = (0..60).map(|at| format!("v{at}")).collect();
        let variables = format!(
            "variables: {{path: {{enum: [{}]}}, site: {{enum: [a.test, b.test], default: c.test}}, name: {{default: api}}}}",
            path.join(", ")
        );
        let servers = format!("- url: 'https://{{name}}.{{site}}/{{path}}'\n  {variables}");
        assert_eq!(hosts(&servers), ["*.a.test", "*.b.test", "*.c.test"]);
        let after_host = "- url: 'https://api.test{base}'\n  variables: {base: {default: /v1}}";
        assert_eq!(hosts(after_host), ["api.test"]);
    }

    #[test]
    fn variables_that_contain_variables_stay_short() {
        let nested = |name: &str, inside: &str| {
            format!(
                "{name}: {{enum: ['{}']}}",
                format!("{{{inside}}}").repeat(80)
            )
        };
        let variables = [
            nested("a", "b"),
            nested("b", "c"),
            nested("c", "d"),
            nested("d", "e"),
        ];
        let url = format!("https://{}.test/v1", "{a}".repeat(80));
        let servers = format!("- url: '{url}'\n  variables: {{{}}}", variables.join(", "));
        assert_eq!(hosts(&servers), ["*.test"]);
    }

    #[test]
    fn a_relative_server_allows_all_hosts_and_a_local_one_is_ignored() {
        let servers = |more: &str| hosts(&format!("- url: https://api.example.com\n- url: {more}"));
        assert_eq!(servers("/v1"), [""; 0]);
        assert_eq!(servers("http://127.0.0.1:3000"), ["api.example.com"]);
        assert_eq!(servers("https://api.example.com/v2"), ["api.example.com"]);
        assert_eq!(
            servers(&format!("https://{}.test", "x".repeat(300))),
            [""; 0]
        );
    }
}
