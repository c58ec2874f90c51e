//! Hosts of calls, and patterns for them.

use std::borrow::Cow;
use std::fmt;

use super::words::WORDS;

/// A host as a capture names it; never a placeholder (`{{host}}`) or a redacted name. A recorder may have redacted a part before
/// the domain: `run.<REGION>.example.com`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Host<'a> {
    /// The name in lower case, without a dot at the end.
    name: Cow<'a, str>,
    /// The port, explicit or implied by the scheme.
    port: Option<u16>,
}

/// A host, all hosts below a domain, or the hosts of all regions of a service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostPattern {
    /// Its labels in lower case. A `*` in one replaces a part that is not empty: `bedrock-runtime.*.amazonaws.com`.
    labels: Vec<String>,
    /// Whether further labels precede them.
    is_below: bool,
    /// The only port, if one is given.
    port: Option<u16>,
}

/// The ports that a `Host` without a port may mean, depending on the scheme.
const DEFAULT_PORTS: [u16; 2] = [80, 443];

impl<'a> Host<'a> {
    /// Parses the text between a scheme and the path (RFC 3986, section 3.2), or a `Host` field (RFC 9110, section
    /// 7.2).
    pub fn parse(authority: &'a str, scheme: Option<&str>) -> Option<Self> {
        let authority = authority.trim();
        let host = authority
            .rsplit_once('@')
            .map_or(authority, |(_, host)| host);
        let (name, port) = split_port(host);
        let port = match port {
            None | Some("") => default_port(scheme),
            Some(port) => Some(port.parse().ok()?),
        };
        (is_name(name) || is_partial_name(name)).then(|| Self {
            name: lower(name),
            port,
        })
    }

    /// Whether a recorder redacted a part of the name, so that only patterns with a `*` in its place match it.
    pub fn is_partial(&self) -> bool {
        self.name.contains('<')
    }

    /// Its name, in lower case.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The port, explicit or implied by the scheme.
    pub fn port(&self) -> Option<u16> {
        self.port
    }

    /// Detaches it from the text it was parsed from.
    pub fn into_owned(self) -> Host<'static> {
        Host {
            name: Cow::Owned(self.name.into_owned()),
            port: self.port,
        }
    }
}

impl HostPattern {
    /// Parses `api.example.com`, `*.example.com` or `api-*.example.com`, each with or without a port. The error says what to write.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        if text.contains('/') {
            return Err("a host has neither a scheme nor a path: api.example.com");
        }
        let (name, port) = split_port(text);
        let port = match port.map(str::parse) {
            None => None,
            Some(Ok(port)) => Some(port),
            Some(Err(_)) => {
                return Err(
                    "the text after the colon is not a port; write an IPv6 address in brackets: [::1]",
                );
            }
        };
        if !name.is_ascii() {
            return Err(
                "write the host in ASCII, as it is sent: xn--bcher-kva.example for bücher.example",
            );
        }
        let name = name.strip_suffix('.').unwrap_or(name);
        let below = name.strip_prefix("*.");
        let bare = below.unwrap_or(name);
        if !is_name(&bare.replace('*', "")) || !(bare.starts_with('[') || has_labels(bare)) {
            return Err("hosts look like api.example.com or *.example.com");
        }
        if below.is_some() && !bare.contains('.') && !is_private(bare) {
            return Err(
                "every host of a top-level domain would match; name the domain: *.example.com",
            );
        }
        let mut labels = bare.split('.').rev();
        if labels.clone().take(2).any(|label| label.contains('*'))
            || labels.any(|label| label.matches('*').count() > 1)
        {
            return Err(
                "`*` replaces the beginning of a host, or once a part of a label before the last two: *.example.com, api-*.example.com",
            );
        }
        Ok(Self {
            labels: lower(bare).split('.').map(str::to_owned).collect(),
            is_below: below.is_some(),
            port,
        })
    }

    /// Whether the pattern covers the host. A pattern without a port covers every port.
    pub fn matches(&self, host: &Host<'_>) -> bool {
        let mut own = host.name.rsplit('.');
        let mut wanted = self.labels.iter().rev();
        let fits = wanted.all(|wanted| own.next().is_some_and(|label| fits_label(wanted, label)))
            && own.next().is_some() == self.is_below
            && !host.name.starts_with('.');
        fits && self.port.is_none_or(|wanted| match host.port {
            Some(port) => port == wanted,
            None => DEFAULT_PORTS.contains(&wanted),
        })
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.is_below { "*." } else { "" })?;
        f.write_str(&self.labels.join("."))?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// Whether a label is the wanted one, in which a `*` replaces any part that is not empty.
fn fits_label(wanted: &str, label: &str) -> bool {
    let Some((start, end)) = wanted.split_once('*') else {
        return wanted == label;
    };
    label.len() > start.len() + end.len() && label.starts_with(start) && label.ends_with(end)
}

/// Whether a text consists of labels that a host may have (RFC 1123, section 2.1). A `*` replaces characters.
fn has_labels(name: &str) -> bool {
    name.split('.')
        .all(|label| !label.is_empty() && !label.starts_with('-') && !label.ends_with('-'))
}

fn is_private(domain: &str) -> bool {
    WORDS
        .private_domains
        .iter()
        .any(|private| domain.eq_ignore_ascii_case(private))
}

/// Whether the beginning of a URL without a scheme is certainly a host: it has a port, or it is an IPv4 address or
/// a name in a well-known domain. Other text with dots, such as `index.php`, may be a segment of a path.
pub(super) fn is_bare_host(text: &str) -> bool {
    if !text.contains(['.', ':']) || Host::parse(text, None).is_none() {
        return false;
    }
    let (name, port) = split_port(text);
    if let Some(port) = port {
        return (2..=5).contains(&port.len()) && port.bytes().all(|byte| byte.is_ascii_digit());
    }
    let labels: Vec<&str> = name.split('.').collect();
    let last = labels.last().copied().unwrap_or_default();
    // In a shorter name, two letters may be the ending of a file: `main.py`.
    let is_country = last.len() == 2 && labels.len() > 2;
    let is_domain = last.bytes().all(|byte| byte.is_ascii_alphabetic())
        && labels.len() > 1
        && !labels.contains(&"")
        && (is_country
            || WORDS
                .common_domains
                .iter()
                .any(|domain| last.eq_ignore_ascii_case(domain)));
    is_domain || name.parse::<std::net::Ipv4Addr>().is_ok()
}

/// Splits off the text after the colon that follows the name. The colons of an IPv6 address are in brackets.
fn split_port(host: &str) -> (&str, Option<&str>) {
    let bracket = host.find(']').filter(|_| host.starts_with('['));
    let (address, rest) = host.split_at(bracket.unwrap_or_default());
    let Some((before, port)) = rest.split_once(':') else {
        return (host, None);
    };
    let name = host.get(..address.len() + before.len());
    (name.unwrap_or_default(), Some(port))
}

fn default_port(scheme: Option<&str>) -> Option<u16> {
    let (_, port) = [("https", 443), ("wss", 443), ("http", 80), ("ws", 80)]
        .into_iter()
        .find(|(name, _)| scheme.is_some_and(|it| it.eq_ignore_ascii_case(name)))?;
    Some(port)
}

/// Whether a text can be the name of a host, rather than a placeholder or a redaction.
fn is_name(name: &str) -> bool {
    if let Some(address) = name.strip_prefix('[') {
        let inside = address.strip_suffix(']').unwrap_or_default();
        return !inside.is_empty()
            && inside
                .chars()
                .all(|c| c.is_ascii_hexdigit() || matches!(c, ':' | '.'));
    }
    name.chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '_'))
        && name.contains(char::is_alphanumeric)
}

/// Whether a text is the name of a host with placeholders, as recorders write them: `<REGION>`. Its last two labels must
/// be as they were sent.
fn is_partial_name(name: &str) -> bool {
    let labels: Vec<&str> = name.split('.').collect();
    let Some((before, domain)) = labels.split_last_chunk::<2>() else {
        return false;
    };
    domain.iter().all(|label| is_name(label))
        && before.iter().any(|label| label.contains('<'))
        && before.iter().all(|label| {
            let text = label.replace(['<', '>'], "");
            is_name(&text) && label.matches('<').count() == label.matches('>').count()
        })
}

/// The form in which names are compared: in lower case, and without a dot at the end.
fn lower(name: &str) -> Cow<'_, str> {
    let name = name.strip_suffix('.').unwrap_or(name);
    if name.contains(|c: char| c.is_ascii_uppercase()) {
        return Cow::Owned(name.to_ascii_lowercase());
    }
    Cow::Borrowed(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, authority: &str, scheme: Option<&str>) -> Option<bool> {
        let pattern = HostPattern::parse(pattern).unwrap();
        Some(pattern.matches(&Host::parse(authority, scheme)?))
    }

    #[test]
    fn hosts_match_by_name_whatever_their_case_port_and_user() {
        for authority in [
            "api.example.com",
            "API.Example.com.",
            "user:pw@api.example.com:8443",
            " api.example.com: ",
        ] {
            assert_eq!(
                matches("Api.example.com", authority, None),
                Some(true),
                "{authority}"
            );
        }
        for authority in [
            "example.com",
            "xapi.example.com",
            "api.example.com.evil.test",
            "api",
        ] {
            assert_eq!(
                matches("api.example.com", authority, None),
                Some(false),
                "{authority}"
            );
        }
        assert_eq!(matches("[::1]", "[::1]:80", None), Some(true));
        let ascii = matches("XN--bcher-kva.example", "xn--bcher-kva.example", None);
        assert_eq!(ascii, Some(true));
    }

    #[test]
    fn a_star_stands_for_what_is_in_front() {
        for (host, expected) in [
            ("a.example.com", true),
            ("a.b.Example.com", true),
            ("example.com", false),
            (".example.com", false),
            ("aexample.com", false),
        ] {
            assert_eq!(
                matches("*.example.com", host, None),
                Some(expected),
                "{host}"
            );
        }
    }

    #[test]
    fn all_hosts_of_a_private_domain_are_a_pattern() {
        assert_eq!(matches("*.internal", "orders.internal", None), Some(true));
        assert_eq!(
            matches("*.svc.cluster.local.", "a.b.svc.cluster.local", None),
            Some(true)
        );
    }

    #[test]
    fn a_star_in_a_label_stands_for_a_part_of_it() {
        for (pattern, host, expected) in [
            ("run.*.example.com", "run.us-east-1.example.com", true),
            ("run.*.example.com", "run.example.com", false),
            ("run.*.example.com", "run.a.b.example.com", false),
            ("run.*.example.com", "x.run.us-east-1.example.com", false),
            ("*-run.example.com", "US-run.example.com", true),
            ("*-run.example.com", "-run.example.com", false),
            ("*-run.example.com", "us-run.example.org", false),
            ("*.run.*.example.com", "a.b.run.c.example.com", true),
            ("*.run.*.example.com", "run.c.example.com", false),
        ] {
            assert_eq!(
                matches(pattern, host, None),
                Some(expected),
                "{pattern} {host}"
            );
            assert_eq!(HostPattern::parse(pattern).unwrap().to_string(), pattern);
        }
    }

    #[test]
    fn a_redacted_part_of_a_name_matches_a_star_alone() {
        let host = |text| Host::parse(text, Some("https"));
        for (pattern, expected) in [
            ("run.*.example.com", true),
            ("*.example.com", true),
            ("run.eu.example.com", false),
            ("r*.eu.example.com", false),
            ("run.*.example.org", false),
        ] {
            let found = matches(pattern, "run.<REGION>.example.com", None);
            assert_eq!(found, Some(expected), "{pattern}");
        }
        assert!(host("run.<REGION>.example.com").is_some_and(|host| host.is_partial()));
        assert!(host("run.eu.example.com").is_some_and(|host| !host.is_partial()));
        for text in [
            "<HOST>",
            "<HOST>.com",
            "run.<DOMAIN>.com",
            "run.<HOST",
            "{{host}}.a.example.com",
            "<>.a.com",
        ] {
            assert_eq!(host(text), None, "{text}");
        }
    }

    #[test]
    fn a_port_counts_where_the_pattern_has_one() {
        for (authority, scheme, expected) in [
            ("h.test:8443", Some("https"), true),
            ("h.test:8444", Some("https"), false),
            ("h.test", Some("https"), false),
        ] {
            assert_eq!(
                matches("h.test:8443", authority, scheme),
                Some(expected),
                "{authority}"
            );
        }
        for (scheme, expected) in [
            (Some("HTTPS"), true),
            (Some("http"), false),
            (Some("ws"), false),
            (None, true),
        ] {
            assert_eq!(
                matches("h.test:443", "h.test", scheme),
                Some(expected),
                "{scheme:?}"
            );
        }
    }

    #[test]
    fn what_stands_for_a_host_is_none() {
        for authority in [
            "{{host}}",
            "${HOST}",
            "<redacted>",
            "***",
            "",
            "host:port",
            "[",
            "[::1",
            "a b",
        ] {
            assert_eq!(Host::parse(authority, None), None, "{authority}");
        }
    }

    #[test]
    fn a_bare_host_is_recognised_only_if_it_is_unmistakable() {
        for host in [
            "api.example.com",
            "other.test",
            "shop.example.de",
            "backend:8080",
            "10.0.0.1",
            "h.test:443",
            "[::1]:8080",
        ] {
            assert!(is_bare_host(host), "{host}");
        }
        for text in [
            "teams",
            "index.php",
            "main.py",
            "v1.0",
            "1.2.3",
            "a:b",
            "teams:5",
            "{{host}}",
            ".com",
            "..",
            "a..com",
            "data.json",
            "x.y.json",
            "localhost",
            "h:",
            "",
        ] {
            assert!(!is_bare_host(text), "{text}");
        }
    }

    #[test]
    fn patterns_that_are_none_say_what_to_write() {
        for (text, part) in [
            ("https://api.example.com", "neither a scheme"),
            ("api.example.com/x", "neither a scheme"),
            ("api.*.com", "beginning of a host"),
            ("api.exam*", "beginning of a host"),
            ("*-a-*.example.com", "beginning of a host"),
            ("*", "look like"),
            ("*.", "look like"),
            ("api.*.com.", "beginning of a host"),
            ("a..b.com", "look like"),
            ("api.example.com..", "look like"),
            (".example.com", "look like"),
            ("-.com", "look like"),
            ("api-.example.com", "look like"),
            ("*.com", "top-level"),
            ("*.com.", "top-level"),
            ("b\u{fc}cher.example.com", "xn--"),
            ("*.b\u{fc}cher.example.com", "xn--"),
            ("a b", "look like"),
            ("h:http", "not a port"),
            ("::1", "brackets"),
            ("", "look like"),
        ] {
            let error = HostPattern::parse(text).expect_err(text);
            assert!(error.contains(part), "{text}: {error}");
        }
    }
}
