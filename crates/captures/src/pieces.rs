//! The pieces of a call that a record or document has as values: request lines, URLs, query parameters, points in time.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use crate::request_patterns::is_regex;

use chrono::{DateTime, Datelike, Utc};
use sundown_exchange::{
    CallSource, Host, Lazy, MappedText, Method, NamedNode, QueryParameter, RecordPlace,
    RecordValue, StatusCode, Target, host, pseudo_header,
};
use sundown_text_json::json::{Node, ValueKind, string};
use sundown_text_json::text::{Span, StatedDate, parse_date, parse_log_time};

/// A value that is read of a located one when someone asks for it.
pub(crate) fn lazy<'a, T: Default>(
    value: Option<RecordValue<'a>>,
    read: fn(RecordValue<'a>) -> T,
) -> Lazy<'a, T> {
    value.map_or_else(Lazy::default, |value| Lazy::of(value, read))
}

/// A value of a record that is read when someone asks for it, or at once if only its document can be read.
pub(crate) fn located<'a, T: Default>(
    node: Option<Node<'_>>,
    place: RecordPlace<'a>,
    now: impl FnOnce(Node<'_>) -> T,
    later: fn(RecordValue<'a>) -> T,
) -> Lazy<'a, T> {
    match node {
        Some(node) if !is_in_file(node, place) => now(node).into(),
        node => lazy(node.map(|node| place.value(node)), later),
    }
}

/// Whether a value is JSON that its file has as its document does, which may be repaired.
fn is_in_file(node: Node<'_>, place: RecordPlace<'_>) -> bool {
    !node.document().is_yaml() && std::ptr::eq(place.value(node).raw(), node.raw_bytes())
}

/// The elements of a list; another value is itself.
pub(crate) fn elements(value: Node<'_>) -> Vec<Node<'_>> {
    match value.kind() {
        ValueKind::Array => value.children().collect(),
        _ => vec![value],
    }
}

/// Whether a value is an object or a list.
pub(crate) fn is_container(node: Node<'_>) -> bool {
    matches!(node.kind(), ValueKind::Object | ValueKind::Array)
}

/// The text of a scalar with its positions in the file; of a list or an object, its JSON.
pub(crate) fn mapped_text(value: Node<'_>, place: RecordPlace<'_>) -> MappedText {
    let json = || (!value.document().is_yaml()).then(|| value.raw());
    let text = value.text().or_else(json).unwrap_or_default();
    let bytes = text.as_bytes().to_vec();
    match value.text_map(place.start) {
        Some(map) if value.kind() == ValueKind::String => MappedText { bytes, map },
        _ => MappedText::all_at(bytes, place.span_of(value)),
    }
}

/// Parses a method, which may be before a path or the name of a route; `None` if it is none.
pub(crate) fn method(node: Node<'_>) -> Option<Method> {
    // The text before a byte that is not UTF-8 may be another method.
    std::str::from_utf8(node.raw_bytes()).ok()?;
    let text = node.as_str()?;
    let before = text.split_once(' ').map(|(method, _)| method);
    let before = before.filter(|method| method.bytes().all(|byte| byte.is_ascii_uppercase()));
    Method::parse(before.unwrap_or(text))
}

/// The methods of nearly all calls with bodies, as request lines begin with them.
pub(crate) const METHODS: [&[u8]; 5] = [b"POST ", b"GET ", b"PUT ", b"PATCH ", b"DELETE "];

/// What ends a request line in all common formats of logs.
pub(crate) const REQUEST_END: &[u8] = b" HTTP/";

/// Returns the method and the position of the target of a request line (RFC 9112, section 3). The target may contain spaces if
/// a version follows; else, what follows a space is none of it: HTTP/0.9 has no version, and some servers write `1.1` alone.
pub(crate) fn split_request(line: &[u8], request: Span) -> Option<(Method, Span)> {
    let text = request.slice(line);
    let first = memchr::memchr(b' ', text)?;
    let rest = text.get(first + 1..)?;
    let version = memchr::memrchr(b' ', rest).filter(|&at| {
        rest.get(at + 1..)
            .is_some_and(|word| word.starts_with(b"HTTP/"))
    });
    let end = version.or_else(|| rest.iter().position(u8::is_ascii_whitespace));
    let target = rest.get(..end.unwrap_or(rest.len()))?;
    if target.is_empty() || version.is_none() && !target.starts_with(b"/") {
        return None;
    }
    let method = parse_method(line, Span::new(request.start, request.start + first))?;
    let start = request.start + first + 1;
    Some((method, Span::new(start, start + target.len())))
}

/// Parses the method at a position in a line.
pub(crate) fn parse_method(line: &[u8], span: Span) -> Option<Method> {
    Method::parse(std::str::from_utf8(span.slice(line)).ok()?)
}

/// The URL of a record in JSON with the query and the host beside it, borrowed from the file if it needs no decoding.
pub(crate) fn target<'a>(source: &CallSource<'a>) -> Target<'a> {
    complete(target_of_url(source.url), source)
}

/// The URL as a string in JSON writes it, without quotes.
fn target_of_url(url: &[u8]) -> Target<'_> {
    match String::from_utf8_lossy(url) {
        Cow::Borrowed(text) if !text.contains('\\') => target_of_text(text),
        text => target_of_text(&string::unescape(&text)).into_owned(),
    }
}

/// The target of a URL. Each alternative of a regular expression is a call of its own, which its reader makes.
pub(crate) fn target_of_text(url: &str) -> Target<'_> {
    if is_regex(url) {
        Target::default()
    } else {
        Target::parse(url)
    }
}

/// Adds the query and the host that a record has beside the URL.
pub(crate) fn complete<'a>(mut target: Target<'a>, source: &CallSource<'a>) -> Target<'a> {
    if !source.queries.is_empty() {
        let queries = source.queries.iter();
        let queries = queries.flat_map(|query| query.read(parameters));
        add_query(&mut target, queries.collect());
    }
    let may_be_url = |host: &RecordValue<'_>| memchr::memchr(b'/', host.raw()).is_some();
    let base = source
        .host
        .filter(may_be_url)
        .filter(|_| target.host.is_none());
    if let Some(base) = base.and_then(|base| base.read(|node, _| base_url(node))) {
        let own = std::mem::take(&mut target.segments);
        target.segments = base.segments.into_iter().chain(own).collect();
        target.is_from_root = true;
        target.host = base.host;
    }
    target.complete_host(|| other_host(source));
    target
}

/// The URL in the place of the host, to which that of the call is relative.
fn base_url(node: Node<'_>) -> Option<Target<'static>> {
    let target = Target::parse(node.as_str()?);
    target.host.is_some().then(|| target.into_owned())
}

/// Adds the parameters of a separate query. Those of a name that the URL has as often are the same, perhaps written otherwise.
pub(crate) fn add_query(target: &mut Target<'_>, mut query: Vec<QueryParameter<'static>>) {
    let count = |parameters: &[QueryParameter<'_>]| {
        let mut counts: HashMap<String, usize> = HashMap::new();
        for parameter in parameters {
            *counts.entry(parameter.name.to_string()).or_default() += 1;
        }
        counts
    };
    let (written, listed) = (count(&target.parameters), count(&query));
    let pairs = target.parameters.iter();
    let pairs: HashSet<_> = pairs
        .map(|one| (&*one.name, one.value.as_deref()))
        .collect();
    query.retain(|parameter| {
        let of = |counts: &HashMap<String, usize>| counts.get(&*parameter.name).copied();
        let pair = (&*parameter.name, parameter.value.as_deref());
        of(&listed) > of(&written) && !pairs.contains(&pair)
    });
    target.parameters.extend(query);
}

/// The host that a record in JSON has beside the URL.
pub(crate) fn other_host<'a>(source: &CallSource<'a>) -> Option<Host<'a>> {
    let parse = |node: Node<'_>| Host::parse(node.as_str()?, None).map(Host::into_owned);
    let own = source
        .host
        .and_then(|host| host.read(|node, _| parse(node)));
    own.or_else(|| source.headers?.read(|node, _| host(node)))
}

/// The parameters in a separate query: a text, an object, or a list of names and values.
pub(crate) fn parameters(query: Node<'_>, place: RecordPlace<'_>) -> Vec<QueryParameter<'static>> {
    match query.kind() {
        // A text with white space or braces is another query: of a search, or in GraphQL.
        ValueKind::String => query
            .as_str()
            .filter(|text| !text.contains(|c: char| c.is_whitespace() || "{}".contains(c)))
            .map(|_| Target::parse_query(&mapped_text(query, place)))
            .unwrap_or_default(),
        // So is an object of objects.
        ValueKind::Object
            if query
                .children()
                .all(|value| value.kind() == ValueKind::Object) =>
        {
            Vec::new()
        }
        ValueKind::Object | ValueKind::Array => query
            .children()
            .filter_map(NamedNode::of)
            .flat_map(|named| parameters_named(named, place, scalar_text))
            .collect(),
        _ => Vec::new(),
    }
}

/// The parameters of a name with its value, or with each value of a list, as `read` returns it.
pub(crate) fn parameters_named<'t>(
    named: NamedNode<'t>,
    place: RecordPlace<'_>,
    read: impl Fn(Node<'t>) -> Option<String>,
) -> Vec<QueryParameter<'static>> {
    let values: Vec<_> = match named.value {
        Some(list) if list.kind() == ValueKind::Array && list.children().next().is_some() => {
            list.children().map(Some).collect()
        }
        value => vec![value],
    };
    let parameters = values.into_iter().map(|value| QueryParameter {
        name: Cow::Owned(named.name.to_owned()),
        value: value.and_then(&read).map(Cow::Owned),
        span: Some(place.span(named.name_span)),
    });
    parameters.collect()
}

/// The text of a scalar that is not null.
fn scalar_text(value: Node<'_>) -> Option<String> {
    let text = value.text().filter(|_| value.kind() != ValueKind::Null);
    text.map(str::to_owned)
}

/// A point in time, as a string or number.
pub(crate) fn started(value: RecordValue<'_>) -> Option<DateTime<Utc>> {
    value.read(|node, _| time_of(node))
}

/// A point in time, as a string or number.
pub(crate) fn time_of(node: Node<'_>) -> Option<DateTime<Utc>> {
    time(node.text()?)
}

/// The status of a response, as a number or string; `None` if it is none.
pub(crate) fn status(value: RecordValue<'_>) -> Option<StatusCode> {
    value.read(|node, _| status_of(node))
}

/// The status of a response in its header fields, as HTTP/2 sends it (RFC 9113, section 8.3.2).
pub(crate) fn status_among_headers(headers: RecordValue<'_>) -> Option<StatusCode> {
    headers.read(|headers, place| {
        let (status, _) = pseudo_header(headers, place, ":status")?;
        StatusCode::parse(status.as_bytes())
    })
}

/// The status of a response, as a number or string; `None` if it is none.
pub(crate) fn status_of(node: Node<'_>) -> Option<StatusCode> {
    match node.kind() {
        ValueKind::Number | ValueKind::String => StatusCode::parse(node.text()?.as_bytes()),
        _ => None,
    }
}

/// A point in time: RFC 3339, the format of access logs, another date with a time, in UTC if it has no zone, as databases write
/// them, or a number of seconds, milliseconds, microseconds or nanoseconds since 1970, distinguished by size. A number beyond the
/// years of captures is none: a `[[log]]` table may name the number of an account as the time, and reports show times.
pub(crate) fn time(text: &str) -> Option<DateTime<Utc>> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    if text.contains(':') {
        let of_access_log = parse_log_time(text.trim_start_matches('['));
        return of_access_log.or_else(|| match parse_date(text)? {
            StatedDate::Moment(moment) => Some(moment.and_utc()),
            StatedDate::Day(_) | StatedDate::Period(_) => None,
        });
    }
    let whole: i64 = text.split('.').next()?.parse().ok()?;
    let time = match whole {
        ..100_000_000_000 => DateTime::from_timestamp(whole, 0),
        100_000_000_000..100_000_000_000_000 => DateTime::from_timestamp_millis(whole),
        100_000_000_000_000..100_000_000_000_000_000 => DateTime::from_timestamp_micros(whole),
        _ => Some(DateTime::from_timestamp_nanos(whole)),
    };
    time.filter(|time| YEARS_OF_CAPTURES.contains(&time.year()))
}

/// The years in which captures are made. As seconds or microseconds, they are no numbers of cards or phones in most countries.
const YEARS_OF_CAPTURES: std::ops::Range<i32> = 2000..2040;

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_text_json::json::Document;

    #[test]
    fn points_in_time_are_read_in_every_unit() {
        for text in [
            r#""2026-11-19T09:12:44+01:00""#,
            "1795075964",
            "1795075964000",
            "1795075964.25",
            r#""1795075964000000000""#,
            r#""19/Nov/2026:09:12:44 +0100""#,
            r#""[19/Nov/2026:09:12:44.027 +0100]""#,
            r#""19/Nov/2026:03:42:44 -0430""#,
            r#""19/Nov/2026:08:12:44.655""#,
            r#""2026-11-19 08:12:44""#,
            r#""2026-11-19 08:12:44.123""#,
            r#""2026-11-19 09:12:44.5+01""#,
            r#""2026-11-19T08:12:44""#,
            r#""2026-11-19 08:12:44.000 UTC""#,
            r#""2026/11/19 08:12:44""#,
            r#""Thu, 19 Nov 2026 08:12:44 GMT""#,
        ] {
            let document = format!("{{\"t\":{text}}}");
            let tree = Document::parse_json(&document, 99).unwrap();
            let time = time_of(tree.root().get("t").unwrap()).unwrap();
            assert_eq!(
                time.format("%Y-%m-%dT%H:%M:%S").to_string(),
                "2026-11-19T08:12:44",
                "{text}"
            );
        }
    }

    #[test]
    fn a_day_or_a_time_alone_is_no_point_in_time() {
        for text in [
            "2026-11-19",
            "08:12:44",
            "8:12",
            "a:b",
            "127.0.0.1:8080",
            "2026-11-19 8",
        ] {
            assert_eq!(time(text), None, "{text}");
        }
    }

    fn split(request: &str) -> Option<(String, &str)> {
        let (method, target) = split_request(request.as_bytes(), Span::new(0, request.len()))?;
        Some((
            method.as_str().to_owned(),
            &request[target.start..target.end],
        ))
    }

    #[test]
    fn request_lines_are_split_into_method_and_target() {
        for (request, (method, target)) in [
            ("GET / HTTP/1.1", ("GET", "/")),
            ("POST /a b?c d HTTP/2.0", ("POST", "/a b?c d")),
            ("GET http://h.test/x HTTP/1.0", ("GET", "http://h.test/x")),
            ("OPTIONS * HTTP/1.1", ("OPTIONS", "*")),
            ("GET /old", ("GET", "/old")),
            ("GET /x 2", ("GET", "/x")),
            ("GET /x 1.1", ("GET", "/x")),
        ] {
            assert_eq!(
                split(request),
                Some((method.to_owned(), target)),
                "{request}"
            );
        }
    }

    #[test]
    fn other_texts_are_not_requests() {
        for request in [
            "-",
            "",
            "\\x16\\x03\\x01",
            "GET",
            "GET ",
            "HELO mail.test",
            "\\x00 / HTTP/1.1",
            " / HTTP/1.1",
            "- / HTTP/1.1",
        ] {
            assert_eq!(split(request), None, "{request}");
        }
    }
}
