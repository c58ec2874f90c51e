//! The path that was called, parsed from the text that a capture has for the URL.

use std::borrow::Cow;

use super::host::is_bare_host;
use super::{Host, MappedText, Method};
use sundown_text_json::json::string;
use sundown_text_json::text::{Span, percent_decode};

/// A captured path as decoded segments, and its query parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Target<'a> {
    /// The host, if it is known.
    pub host: Option<Host<'a>>,
    /// Whether the path is known to begin at the root. Otherwise, its first segment may be a host or a variable for a base URL:
    /// `api.example.com/v1/chat`, `{{base}}/v1/chat`.
    pub is_from_root: bool,
    /// The path's segments, normalised as [`Self::parse`] describes.
    pub segments: Vec<Cow<'a, str>>,
    /// The segments with their `;` parameters, if there are any: the literals of a rule may contain them.
    pub segments_with_parameters: Option<Vec<Cow<'a, str>>>,
    /// The query parameters.
    pub parameters: Vec<QueryParameter<'a>>,
}

/// A query parameter. Its value is compared with rules, and never reported. Two of one name and value are equal wherever they are.
#[derive(Debug, Clone, Eq)]
pub struct QueryParameter<'a> {
    /// Its name, decoded.
    pub name: Cow<'a, str>,
    /// Its value, decoded; empty if it has none, and `None` if the source does not contain it.
    pub value: Option<Cow<'a, str>>,
    /// Where it is in the file, unless that is in the URL: its name, or its name and its value.
    pub span: Option<Span>,
}

impl PartialEq for QueryParameter<'_> {
    fn eq(&self, other: &Self) -> bool {
        (&self.name, &self.value) == (&other.name, &other.value)
    }
}

impl<'a> QueryParameter<'a> {
    /// A parameter with a value.
    pub fn new(name: impl Into<Cow<'a, str>>, value: impl Into<Cow<'a, str>>) -> Self {
        Self {
            name: name.into(),
            value: Some(value.into()),
            span: None,
        }
    }

    /// Parses `name=value`, as a form writes it.
    fn parse(pair: &'a str) -> Self {
        let (name, value) = cut(pair, '=');
        Self::new(form_decode(name), form_decode(value))
    }

    /// The same, which is at a place of its own.
    #[must_use]
    pub fn at(self, span: Span) -> Self {
        Self {
            span: Some(span),
            ..self
        }
    }

    /// Copies what it borrows.
    pub fn into_owned(self) -> QueryParameter<'static> {
        QueryParameter {
            name: Cow::Owned(self.name.into_owned()),
            value: self.value.map(|value| Cow::Owned(value.into_owned())),
            span: self.span,
        }
    }
}

/// The positions of the query parameters in the text of a URL, in the order of its [`Target::parameters`]: `name=value`.
pub fn parameter_positions(url: &str) -> impl Iterator<Item = Span> {
    let (before_fragment, _) = cut(url, '#');
    let (path, query) = cut(before_fragment, '?');
    let start = path.len() + 1;
    pairs(query).map(move |(_, own)| own.shifted(start))
}

/// The pairs of a query that have a name, with their positions.
fn pairs(query: &str) -> impl Iterator<Item = (&str, Span)> {
    let mut start = 0;
    let pairs = query.split('&').map(move |written| {
        let end = start + written.len();
        start = end + 1;
        // Their separator may be written as in HTML: `&amp;`.
        let pair = written.strip_prefix("amp;").unwrap_or(written);
        (pair, Span::new(end - pair.len(), end))
    });
    pairs.filter(|(pair, _)| !cut(pair, '=').0.is_empty())
}

impl<'a> Target<'a> {
    /// Parses a URL (RFC 3986, section 3) or a part of it, such as an absolute path.
    ///
    /// The path is normalised as servers commonly do: percent-encodings are decoded and dot segments removed (RFC 3986,
    /// section 6.2.2), and empty segments, the `;` parameters of segments and encoded spaces at the end are left out. An
    /// encoded slash does not separate segments, unless all of them are encoded. What texts have around a URL is none of it:
    /// quotes, brackets, and the rest of a request line.
    pub fn parse(url: &'a str) -> Self {
        let url = without_surroundings(url);
        let (before_fragment, _) = cut(url, '#');
        let (path, query) = cut(before_fragment, '?');
        let parse_with = |written: &str| {
            let rest = url.get(path.len()..).unwrap_or_default();
            Target::parse(&format!("{written}{rest}")).into_owned()
        };
        if !path.contains('/') && path.contains('%') {
            let decoded = percent_decode(path);
            if decoded.starts_with('/') || decoded.contains("://") {
                return parse_with(&decoded);
            }
        }
        if path.contains('\\') && (has_web_scheme(path) || path.starts_with("\\/")) {
            // JSON in a string may escape slashes. Clients send others as slashes (WHATWG URL Standard, section 4.4).
            return parse_with(&path.replace("\\/", "/").replace('\\', "/"));
        }
        let (host, after_authority) = split_authority(path);
        let is_from_root = after_authority.len() < path.len() || path.starts_with('/');
        let path = after_authority;
        let mut segments = normalize(path.split('/').map(percent_decode));
        let mut segments_with_parameters = None;
        if path.contains(';') {
            let bare = path.split('/').map(|segment| cut(segment, ';').0);
            let bare = normalize(bare.map(percent_decode));
            segments_with_parameters = Some(std::mem::replace(&mut segments, bare));
        }
        Self {
            host,
            is_from_root,
            segments,
            segments_with_parameters,
            parameters: pairs(query)
                .map(|(pair, _)| QueryParameter::parse(pair))
                .collect(),
        }
    }

    /// Parses the parameters of a query outside of a URL, with or without its question mark.
    pub fn parse_query(query: &MappedText) -> Vec<QueryParameter<'static>> {
        let text = query.lossy();
        // Of a text that is not UTF-8, the positions count other bytes.
        let is_exact = matches!(text, Cow::Borrowed(_));
        let bare = text.strip_prefix('?').unwrap_or(&text);
        let start = text.len() - bare.len();
        let parameters = pairs(cut(bare, '#').0).map(|(pair, own)| {
            let exact = || query.map.outer(own.shifted(start));
            let place = if is_exact { exact() } else { query.outer() };
            QueryParameter::parse(pair).into_owned().at(place)
        });
        parameters.collect()
    }

    /// Whether a value in JSON is a query, perhaps after this path, with a parameter that `is_named`.
    pub fn has_query(&self, value: &[u8], is_named: impl Fn(&str) -> bool) -> bool {
        let is_text = value.starts_with(b"\"") && !value.iter().any(|byte| b" ;".contains(byte));
        if !is_text || !value.contains(&b'=') {
            return false;
        }
        let text = string::decode_bytes(value, Span::new(0, value.len()));
        let mark = if text.contains('?') { "" } else { "?" };
        let url = format!("{mark}{text}");
        let other = Target::parse(&url);
        let is_own = url.starts_with('?') || other.segments == self.segments;
        is_own && other.parameters.iter().any(|one| is_named(&one.name))
    }

    /// Whether the URL names no host, or one with a redacted part, so that the host elsewhere in the capture counts.
    pub fn lacks_host(&self) -> bool {
        self.host.as_ref().is_none_or(Host::is_partial)
    }

    /// Puts the value of a variable of the path in its place: `:name` or `{name}`.
    pub fn fill(&mut self, name: &str, value: &str) {
        for segment in &mut self.segments {
            let variable = segment
                .strip_prefix(':')
                .or_else(|| segment.strip_prefix('{')?.strip_suffix('}'));
            if variable == Some(name) && !value.is_empty() {
                *segment = value.to_owned().into();
            }
        }
    }

    /// Takes the host that the capture names elsewhere, if the URL lacks it.
    pub fn complete_host(&mut self, elsewhere: impl FnOnce() -> Option<Host<'a>>) {
        if self.lacks_host()
            && let Some(host) = elsewhere()
        {
            self.host = Some(host);
        }
    }

    /// Detaches it from the text it was parsed from.
    pub fn into_owned(self) -> Target<'static> {
        let host = self.host.map(Host::into_owned);
        Target {
            host,
            is_from_root: self.is_from_root,
            segments: into_owned(self.segments),
            segments_with_parameters: self.segments_with_parameters.map(into_owned),
            parameters: self
                .parameters
                .into_iter()
                .map(QueryParameter::into_owned)
                .collect(),
        }
    }
}

/// The same names, which borrow nothing.
fn into_owned(names: Vec<Cow<'_, str>>) -> Vec<Cow<'static, str>> {
    names
        .into_iter()
        .map(|name| Cow::Owned(name.into_owned()))
        .collect()
}

/// Removes the empty segments and the dot segments of a path (RFC 3986, section 5.2.4), and the spaces at its end.
fn normalize<'a>(decoded: impl Iterator<Item = Cow<'a, str>>) -> Vec<Cow<'a, str>> {
    let mut segments: Vec<Cow<'a, str>> = Vec::with_capacity(8);
    for segment in decoded {
        match &*segment {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            _ => segments.push(segment),
        }
    }
    while let Some(last) = segments.last_mut().filter(|last| last.ends_with(' ')) {
        let text = last.trim_end_matches(' ');
        if !text.is_empty() {
            *last = Cow::Owned(text.to_owned());
            break;
        }
        segments.pop();
    }
    segments
}

/// The sign that closes what another one opens around a URL.
fn closing(open: char) -> Option<char> {
    Some(match open {
        '<' => '>',
        '(' => ')',
        '[' => ']',
        '"' | '\'' | '`' => open,
        _ => return None,
    })
}

/// The URL in a text that has it in quotes or brackets, after a word, or in a request line: `<https://api.example.com/x>`, `"/x"`,
/// `GET /x HTTP/1.1`.
fn without_surroundings(text: &str) -> &str {
    let mut url = text.trim();
    let is_method = |word| Method::parse(word).is_some_and(|method| method.is_common());
    let before = url.split_once("://").map_or("", |(before, _)| before);
    let word = before.trim_end_matches(|c: char| c.is_ascii_alphanumeric() || "+-.".contains(c));
    if word.len() < before.len() && !word.contains(['/', '?']) {
        let rest = url.get(word.len()..).unwrap_or_default();
        if let Some(close) = word.chars().next_back().and_then(closing) {
            // A URL may have some signs, but not before a space.
            let mut ends = rest.match_indices(close).map(|(at, _)| rest.split_at(at));
            let end = ends.find(|(_, end)| {
                let after = end.get(1..2).unwrap_or(" ");
                ">\"`".contains(close) || " ,;".contains(after)
            });
            return end.map_or(rest, |(inside, _)| inside);
        }
        if word.ends_with(' ') && !is_method(word.trim_end()) {
            return rest.split(' ').next().unwrap_or_default();
        }
    }
    if let Some(open) = url.chars().next()
        && let Some(close) = closing(open)
        && let Some(inside) = url
            .strip_prefix(open)
            .and_then(|rest| rest.strip_suffix(close))
        && inside.contains('/')
        && !inside.contains([open, close])
    {
        url = inside;
    }
    if let Some((before, version)) = url.rsplit_once(' ')
        && version.starts_with("HTTP/")
    {
        url = before;
    }
    let line = url.split_once(' ');
    line.filter(|(word, _)| is_method(word))
        .map_or(url, |(_, after)| after)
}

/// Splits a text at the first `separator` outside of `{…}`; variables may contain any character.
fn cut(text: &str, separator: char) -> (&str, &str) {
    if !text.contains('{') {
        return text.split_once(separator).unwrap_or((text, ""));
    }
    let mut depth = 0usize;
    let mut parts = text.splitn(2, |character| {
        match character {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == separator && depth == 0
    });
    let before = parts.next().unwrap_or_default();
    (before, parts.next().unwrap_or_default())
}

/// Splits `https://host`, `//host` and `api.example.com` off the path.
fn split_authority(path: &str) -> (Option<Host<'_>>, &str) {
    let (scheme, after_scheme) = match path.split_once("://") {
        Some((scheme, rest)) if is_scheme(scheme) => (Some(scheme), rest),
        _ => match path.strip_prefix("//") {
            // Two slashes and a host are a reference without scheme; without a dot or port it is a path with a slash too many.
            Some(rest)
                if rest
                    .split('/')
                    .next()
                    .is_some_and(|host| host.contains(['.', ':'])) =>
            {
                (None, rest)
            }
            None if path.split('/').next().is_some_and(is_bare_host) => (None, path),
            _ => return (None, path),
        },
    };
    let end = after_scheme.find('/').unwrap_or(after_scheme.len());
    let (authority, rest) = after_scheme.split_at(end);
    (Host::parse(authority, scheme), rest)
}

/// Whether a URL begins with a scheme of the web.
fn has_web_scheme(url: &str) -> bool {
    let scheme = url.split(':').next().unwrap_or_default();
    ["http", "https", "ws", "wss"]
        .iter()
        .any(|name| scheme.eq_ignore_ascii_case(name))
}

/// RFC 3986, section 3.1; it may be a variable.
fn is_scheme(scheme: &str) -> bool {
    let is_variable = scheme.starts_with('{') && scheme.ends_with('}');
    let is_plain = scheme
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.'));
    !scheme.is_empty() && (is_variable || is_plain)
}

/// In a query, `+` is a space too (HTML forms).
fn form_decode(text: &str) -> Cow<'_, str> {
    if text.contains('+') {
        return Cow::Owned(percent_decode(&text.replace('+', " ")).into_owned());
    }
    percent_decode(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(url: &str) -> String {
        Target::parse(url).segments.join("/")
    }

    #[test]
    fn scheme_host_query_fragment_and_slashes_fall_away() {
        for url in [
            "https://api.example.com/rest/v1/chat?a=1#stream",
            "//api.example.com/rest/v1/chat/",
            "/rest/v1/chat#top?x",
            "rest/v1/chat",
            "/rest//v1/ch%61t",
            "https://user:pw@[::1]:8080/rest/v1/chat",
            "{{scheme}}://{{host}}/rest/v1/chat",
            " /rest/v1/chat ",
        ] {
            assert_eq!(path(url), "rest/v1/chat", "{url}");
        }
        assert_eq!(
            path("{{base?url#x}}/rest/v1/chat"),
            "{{base?url#x}}/rest/v1/chat"
        );
        assert_eq!(path("https://host"), "");
        assert_eq!(path("/redirect/http://x/y"), "redirect/http:/x/y");
    }

    #[test]
    fn what_texts_have_around_a_url_falls_away() {
        for url in [
            "<https://api.example.com/v1/chat>",
            "\"https://api.example.com/v1/chat\"",
            "URL(https://api.example.com/v1/chat)",
            "url: 'https://api.example.com/v1/chat' [200]",
            "(/v1/chat)",
            "GET https://api.example.com/v1/chat",
            "GET /v1/chat?a=b HTTP/1.1",
            "/v1/chat HTTP/2",
            "https%3A%2F%2Fapi.example.com%2Fv1%2Fchat%3Fa=1",
            "%2Fv1%2Fchat",
            "<https://api.example.com/v1/chat?filter[state]=open>",
            "'https://api.example.com/v1/chat?q=it's'",
            "URL(https://api.example.com/v1/chat?a=(b)) took 5 ms (ok)",
            "Fetching https://api.example.com/v1/chat",
            "GET https://api.example.com/v1/chat?q=a b HTTP/1.1",
            "\\/v1\\/chat",
            "https:\\/\\/api.example.com\\/v1\\/chat",
        ] {
            assert_eq!(path(url), "v1/chat", "{url}");
        }
        assert_eq!(path("<base>/v1/<id>"), "<base>/v1/<id>");
        assert_eq!(path("<base>"), "<base>");
        assert_eq!(path("group%2Fproject"), "group/project");
        assert_eq!(path("orders?next=https%3A%2F%2Fa%2Fb%26c%3Dd"), "orders");
    }

    #[test]
    fn the_host_is_kept_where_it_is_known() {
        let host = |url: &str| {
            let host = Target::parse(url).host?.into_owned();
            Some((host.name().to_owned(), host.port()))
        };
        let api = |port| Some(("api.example.com".to_owned(), port));
        assert_eq!(host("https://API.example.com/x?a#b"), api(Some(443)));
        assert_eq!(host("http://u:p@api.example.com?a"), api(Some(80)));
        assert_eq!(host("//api.example.com:81/x"), api(Some(81)));
        assert_eq!(host("api.example.com/x"), api(None));
        assert_eq!(host("api.example.com:81"), api(Some(81)));
        for url in [
            "/x",
            "x/y",
            "{{base}}/x",
            "https://{{host}}/x",
            "https:///x",
            "/api.example.com/x",
            "index.php/x",
        ] {
            assert_eq!(host(url), None, "{url}");
        }
    }

    #[test]
    fn a_path_is_normalised_as_servers_do() {
        for url in [
            "/rest/./v1/x/../chat",
            "/../rest/v1/%2e/a/%2E%2e/chat",
            "//rest///v1/chat//",
            "./rest/v1/chat/.",
            "/rest/v1/a/b/../../chat",
            "/rest;a=1/v1;/chat;jsessionid=7",
            "/rest/v1/chat/;jsessionid=7",
            "/rest/v1/x/..;/chat",
            "/rest/v1/chat%20%20",
            "/rest/v1/chat/%20/",
            "https://h.test/rest/v1/chat/x/..",
            "https:\\\\h.test\\rest/v1\\chat?a=\\b",
        ] {
            assert_eq!(path(url), "rest/v1/chat", "{url}");
        }
        assert_eq!(path("/a/../../.."), "");
        assert_eq!(path("/a%3Bb/...;x/{{a;b}}/c%20d"), "a;b/.../{{a;b}}/c d");
        assert_eq!(path("/a\\b"), "a\\b");
    }

    #[test]
    fn parameters_of_segments_are_kept_apart() {
        let target = Target::parse("/a;v=1/b%3Bc");
        assert_eq!(target.segments_with_parameters.unwrap(), ["a;v=1", "b;c"]);
        assert_eq!(Target::parse("/a%3Bv/b").segments_with_parameters, None);
    }

    #[test]
    fn an_encoded_slash_stays_inside_its_segment() {
        assert_eq!(Target::parse("/a%2Fb/c%zz").segments, ["a/b", "c%zz"]);
    }

    #[test]
    fn positions_of_parameters_have_their_numbers() {
        let url = " {{base?a=b}}/x?=v&a%20b=1&&flag&c+d={{x&y}}#e=f";
        let names = Target::parse(url).parameters;
        let of = |number: usize| {
            let Span { start, end } = parameter_positions(url).nth(number)?;
            Some(&url[start..end])
        };
        let texts: Vec<_> = (0..names.len()).map(of).collect();
        assert_eq!(texts, ["a%20b=1", "flag", "c+d={{x", "y}}"].map(Some));
        assert_eq!(of(names.len()), None);
    }

    #[test]
    fn names_and_values_of_parameters_are_decoded() {
        let target = Target::parse("/x?token=abc&amp;a%20b=1=2&flag&=v&c+d=%2B+%C3%A4#a=b");
        let pairs = [
            ("token", "abc"),
            ("a b", "1=2"),
            ("flag", ""),
            ("c d", "+ ä"),
        ];
        assert_eq!(
            target.parameters,
            pairs.map(|(name, value)| QueryParameter::new(name, value))
        );
    }
}
