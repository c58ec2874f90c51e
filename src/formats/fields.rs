//! Pieces that captures write alike, whatever their shape: bodies, header fields, query parameters, points in time.

use std::borrow::Cow;

use chrono::{DateTime, NaiveDate, TimeDelta, Utc};

use crate::json::{NodeRef, Outline, Spare, ValueKind, is_value, is_value_except};
use crate::text::Span;
use crate::traffic::{
    Body, Encoding, HeaderName, Host, Method, Signal, Target, may_be_signal, may_hold_signal,
    signals,
};

/// The position of the text of a tree.
#[derive(Debug, Clone, Copy)]
pub(super) struct RecordPlace<'a> {
    /// The whole file.
    pub(super) file: &'a [u8],
    /// The offset of the tree's text.
    pub(super) start: usize,
}

/// Reads a node with its content, which a layout may leave out; `None` if its brackets do not fit together.
pub(super) fn with_content<'a, T>(
    node: NodeRef<'_>,
    place: RecordPlace<'a>,
    read: impl FnOnce(NodeRef<'_>, RecordPlace<'a>) -> T,
) -> Option<T> {
    if !node.is_left_out() {
        return Some(read(node, place));
    }
    let tree = Outline::scan(node.raw_bytes(), |_, _| true, Spare::default())?;
    Some(read(tree.root(), RecordPlace { start: place.start + node.span().start, ..place }))
}

/// Returns whether a record at `start` is valid. The bodies at the given positions in the file are not read.
pub(super) fn is_valid_record(text: &[u8], start: usize, bodies: &[Span], depth: usize) -> bool {
    if bodies.is_empty() {
        return is_value(text, depth);
    }
    let inside = |at: usize| at.saturating_sub(start);
    let holes: Vec<_> =
        bodies.iter().map(|body| Span::new(inside(body.start), inside(body.end))).collect();
    is_value_except(text, &holes, depth)
}

/// A body is nested as JSON, or a string with its text.
pub(super) fn body<'a>(node: NodeRef<'_>, place: RecordPlace<'a>) -> Body<'a> {
    let encoding =
        if node.kind() == ValueKind::String { Encoding::JsonString } else { Encoding::Plain };
    Body::new(place.file, node.span().shifted(place.start), encoding)
}

/// The useful parts of header fields.
#[derive(Debug, Default)]
pub(super) struct Headers<'a> {
    /// All names.
    pub(super) names: Vec<HeaderName<'a>>,
    /// The deprecations that they announce.
    pub(super) signals: Vec<Signal>,
    /// The media type of the body.
    pub(super) media_type: Option<String>,
    /// Whether `content-length` promises a body.
    pub(super) promise_body: bool,
    /// Whether `content-encoding` says that the body was compressed.
    pub(super) encoded: bool,
}

/// Reads header fields from an object (`{name: value}`), a list of objects (`{name, value}`), or a list of pairs.
pub(super) fn headers<'a>(node: NodeRef<'_>, place: RecordPlace<'a>) -> Headers<'a> {
    with_content(node, place, headers_of).unwrap_or_default()
}

fn headers_of<'a>(node: NodeRef<'_>, place: RecordPlace<'a>) -> Headers<'a> {
    let mut headers = Headers { names: Vec::with_capacity(16), ..Headers::default() };
    for child in node.children() {
        let Some(Header { name, value }) = header(child) else { continue };
        let span = match name {
            Named::ByKey(node) => node.key_span(),
            Named::ByValue(node) => Some(node.span()),
        };
        let Some(span) = span.map(|span| span.shifted(place.start)) else { continue };
        let decoded = || {
            let name = match name {
                Named::ByKey(node) => node.key(),
                Named::ByValue(node) => node.as_str(),
            };
            name.map(|name| Cow::Owned(name.to_ascii_lowercase()))
        };
        let Some(name) = in_lower_case(place.file, span).or_else(decoded) else { continue };
        if may_be_signal(&name) {
            let values = value.map(texts_of).unwrap_or_default();
            headers.signals.extend(values.iter().flat_map(|value| signals(&name, value, span)));
        }
        let value = || value.and_then(text_of).unwrap_or_default();
        match &*name {
            "content-type" => headers.media_type = bare_media_type(&value()),
            "content-length" => {
                headers.promise_body = value().parse::<u64>().is_ok_and(|length| length > 0);
            }
            "content-encoding" => {
                let value = value();
                headers.encoded = !value.is_empty() && value != "identity";
            }
            _ => {}
        }
        headers.names.push(HeaderName { name, span });
    }
    headers
}

/// The host in header fields: `Host`, or `:authority` in HTTP/2.
pub(super) fn host(headers: NodeRef<'_>) -> Option<Host<'static>> {
    fn named(child: NodeRef<'_>) -> Option<Host<'static>> {
        let Header { name, value } = header(child)?;
        let name = match name {
            Named::ByKey(node) => node.key(),
            Named::ByValue(node) => node.as_str(),
        }?;
        let is_host = ["host", ":authority"].iter().any(|host| name.eq_ignore_ascii_case(host));
        Host::parse(&value.filter(|_| is_host).and_then(text_of)?, None).map(Host::into_owned)
    }
    let place = RecordPlace { file: &[], start: 0 };
    with_content(headers, place, |headers, _| headers.children().find_map(named)).flatten()
}

/// The text between the quotes at `literal`, if it is in lower case and needs no decoding.
fn in_lower_case(file: &[u8], literal: Span) -> Option<Cow<'_, str>> {
    let raw = file.get(literal.start + 1..literal.end - 1)?;
    let plain = |byte: &u8| matches!(byte, b'a'..=b'z' | b'0'..=b'9' | b'-' | b'_');
    raw.iter().all(plain).then(|| std::str::from_utf8(raw).ok().map(Cow::Borrowed)).flatten()
}

/// Parses a method; `None` if it is none.
pub(super) fn method(node: NodeRef<'_>) -> Option<Method> {
    // The text before a byte that is not UTF-8 may be another method.
    std::str::from_utf8(node.raw_bytes()).ok()?;
    Method::parse(&node.as_str()?)
}

/// The URL in the string at `literal`, borrowed from the file if it needs no decoding.
pub(super) fn target<'a>(url: NodeRef<'_>, place: RecordPlace<'a>) -> Option<Target<'a>> {
    let literal = url.span().shifted(place.start);
    let raw = place.file.get(literal.start + 1..literal.end - 1)?;
    if !raw.contains(&b'\\')
        && let Ok(text) = std::str::from_utf8(raw)
    {
        return Some(Target::parse(text));
    }
    Some(Target::parse(&url.as_str()?).into_owned())
}

/// A header field in a list or object.
struct Header<'t> {
    name: Named<'t>,
    value: Option<NodeRef<'t>>,
}

/// The node with the name of a header field.
#[derive(Clone, Copy)]
enum Named<'t> {
    /// As its key.
    ByKey(NodeRef<'t>),
    /// As its string.
    ByValue(NodeRef<'t>),
}

fn header(node: NodeRef<'_>) -> Option<Header<'_>> {
    if node.key_span().is_some() {
        return Some(Header { name: Named::ByKey(node), value: Some(node) });
    }
    let (name, value) = match node.kind() {
        ValueKind::Object => (node.get("name")?, node.get("value")),
        ValueKind::Array => (node.children().next()?, node.children().nth(1)),
        _ => return None,
    };
    (name.kind() == ValueKind::String).then_some(Header { name: Named::ByValue(name), value })
}

/// The value of a header field, which some write as a list.
fn text_of(node: NodeRef<'_>) -> Option<Cow<'_, str>> {
    if node.kind() == ValueKind::Array { node.children().next()?.as_str() } else { node.as_str() }
}

/// All values of a header field, which some write as a list. A value that is not text is present all the same.
fn texts_of(node: NodeRef<'_>) -> Vec<Cow<'_, str>> {
    if node.kind() == ValueKind::Array {
        return node.children().filter_map(NodeRef::as_str).collect();
    }
    vec![node.as_str().unwrap_or_default()]
}

/// Returns whether header fields may announce a deprecation, by their raw text.
pub(super) fn may_announce(headers: Option<NodeRef<'_>>, place: RecordPlace<'_>) -> bool {
    headers.is_some_and(|list| may_hold_signal(list.span().shifted(place.start).slice(place.file)))
}

/// `text/html` from `Text/HTML; charset=utf-8`.
pub(super) fn bare_media_type(value: &str) -> Option<String> {
    let bare = value.split(';').next()?.trim().to_ascii_lowercase();
    (!bare.is_empty()).then_some(bare)
}

/// The names of the parameters in a separate query: a text, an object, or a list of names and values.
pub(super) fn parameters(query: NodeRef<'_>) -> Vec<Cow<'static, str>> {
    let place = RecordPlace { file: &[], start: 0 };
    with_content(query, place, |query, _| parameters_of(query)).unwrap_or_default()
}

fn parameters_of(query: NodeRef<'_>) -> Vec<Cow<'static, str>> {
    let owned = |name: Cow<'_, str>| Cow::Owned(name.into_owned());
    match query.kind() {
        ValueKind::String => query
            .as_str()
            .map(|text| Target::parse(&format!("?{text}")).into_owned().parameters)
            .unwrap_or_default(),
        ValueKind::Object => query.children().filter_map(NodeRef::key).map(owned).collect(),
        ValueKind::Array => {
            let names = query.children().filter_map(|entry| entry.get("name")?.as_str());
            names.map(owned).collect()
        }
        _ => Vec::new(),
    }
}

/// A point in time, as a string or number.
pub(super) fn started(node: NodeRef<'_>) -> Option<DateTime<Utc>> {
    time(&node.as_str().unwrap_or(Cow::Borrowed(node.raw())))
}

/// A point in time: RFC 3339, the format of access logs, or a number of seconds, milliseconds, microseconds or nanoseconds
/// since 1970, distinguished by size.
pub(super) fn time(text: &str) -> Option<DateTime<Utc>> {
    if let Ok(time) = DateTime::parse_from_rfc3339(text) {
        return Some(time.to_utc());
    }
    if text.contains('/') {
        return of_access_log(text.trim_start_matches('['));
    }
    let whole: i64 = text.split('.').next()?.parse().ok()?;
    match whole {
        ..100_000_000 => None,
        100_000_000..100_000_000_000 => DateTime::from_timestamp(whole, 0),
        100_000_000_000..100_000_000_000_000 => DateTime::from_timestamp_millis(whole),
        100_000_000_000_000..100_000_000_000_000_000 => DateTime::from_timestamp_micros(whole),
        _ => Some(DateTime::from_timestamp_nanos(whole)),
    }
}

/// `19/Nov/2026:09:12:44 +0100`, to the second. Parsed by hand: each line of a log has one.
fn of_access_log(text: &str) -> Option<DateTime<Utc>> {
    const MONTHS: [&str; 12] =
        ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let number = |start: usize, length: usize| -> Option<u32> {
        text.get(start..start + length)?.bytes().try_fold(0, |number, byte| {
            byte.is_ascii_digit().then(|| number * 10 + u32::from(byte - b'0'))
        })
    };
    let month = MONTHS.iter().position(|month| text.get(3..6) == Some(*month))? + 1;
    let year = i32::try_from(number(7, 4)?).ok()?;
    let date = NaiveDate::from_ymd_opt(year, u32::try_from(month).ok()?, number(0, 2)?)?;
    let local = date.and_hms_opt(number(12, 2)?, number(15, 2)?, number(18, 2)?)?;
    let sign = text.find(['+', '-'])?;
    let east = i64::from(number(sign + 1, 2)? * 60 + number(sign + 3, 2)?);
    let offset = TimeDelta::minutes(if text.get(sign..=sign) == Some("-") { -east } else { east });
    Some(local.and_utc() - offset)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::Outline;

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
        ] {
            let document = format!("{{\"t\":{text}}}");
            let tree = Outline::parse(&document, 99).unwrap();
            let time = started(tree.root().get("t").unwrap()).unwrap();
            assert_eq!(
                time.format("%Y-%m-%dT%H:%M:%S").to_string(),
                "2026-11-19T08:12:44",
                "{text}"
            );
        }
    }

    #[test]
    fn header_names_are_found_in_every_form() {
        for text in [
            r#"{"Content-Type":"Application/JSON; charset=utf-8","X-A":"1"}"#,
            r#"[{"name":"Content-Type","value":"application/json"},{"name":"x-a","value":"1"}]"#,
            r#"[["Content-Type","application/json"],["X-A","1"]]"#,
            r#"{"content-type":["application/json"],"x-a":[]}"#,
        ] {
            let tree = Outline::parse(text, 99).unwrap();
            let place = RecordPlace { file: text.as_bytes(), start: 0 };
            let Headers { names, media_type, .. } = headers(tree.root(), place);
            let names: Vec<_> = names.iter().map(|header| &*header.name).collect();
            assert_eq!(
                (names, media_type.as_deref()),
                (vec!["content-type", "x-a"], Some("application/json")),
                "{text}"
            );
        }
    }
}
