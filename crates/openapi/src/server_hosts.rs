//! The hosts of a description, from `servers` (OpenAPI 3) and `host` (Swagger 2.0).

use super::server::{from_authority, holds_path, placeholders, substitute_variable};
use crate::node::string_of;
use sundown_text_json::json::Node;

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
