//! Hoverfly's simulations, versions 1 to 5 of their schema:
//! <https://docs.hoverfly.io/en/latest/pages/reference/simulationschema.html>.
//!
//! A pair has the pattern of a request, and the response to it. Each part of its request is a text (version 1), an object with one text for
//! each kind of comparison (2 to 4), or a list of comparisons (5).

use crate::chunks::RecordList;
use crate::file_head::FileHead;
use crate::messages::BodyContent;
use crate::records::Parts;
use crate::request_patterns;
use sundown_exchange::{
    Call, Exchange, HeaderFields, Host, Message, Method, QueryParameter, Reason, RecordPlace,
    RecordSink, Target, Unread,
};
use sundown_text_json::Limits;
use sundown_text_json::json::{Node, ValueKind, scan};
use sundown_text_json::text::Block;

/// Pairs, and the version of their schema.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    head.at("data", b'{')
        .and_then(|data| head.member(data, "pairs"))
        .is_some_and(|at| head.bytes.get(at) == Some(&b'['))
        && (head.has("meta", b'{') || scan::value(head.bytes, head.start).is_err())
}

/// The pairs of a simulation.
const PAIRS: RecordList<'_> = RecordList {
    path: &["data", "pairs"],
    is_record: |pair, _, _| pair.get("request").is_some() && pair.get("response").is_some(),
    empty: ["a simulation without a list `data.pairs`", ""],
};

pub(crate) fn read(file: Block<'_>, limits: Limits, sink: &mut dyn RecordSink) {
    PAIRS.read(
        file,
        limits,
        &|pair, place| exchanges(pair, place).unwrap_or_default(),
        sink,
    );
}

/// The matcher of a part of a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Comparison {
    Exact,
    Glob,
    Expression,
    /// With JSON, wholly or in part.
    Json,
    Other,
}

/// One comparison of a part, and the value to compare with.
struct Matcher<'d> {
    by: Comparison,
    value: Node<'d>,
}

impl Matcher<'_> {
    /// Whether it matches everything.
    fn is_any(&self) -> bool {
        matches!(
            (self.by, self.value.text()),
            (_, Some("")) | (Comparison::Glob, Some("*")) | (Comparison::Expression, Some(".*"))
        )
    }
}

/// The comparisons of a part of a request.
fn matchers(part: Node<'_>) -> Vec<Matcher<'_>> {
    match part.kind() {
        ValueKind::String => vec![Matcher {
            by: Comparison::Exact,
            value: part,
        }],
        ValueKind::Object => part.children().filter_map(by_key).collect(),
        ValueKind::Array => part.children().filter_map(by_name).collect(),
        _ => Vec::new(),
    }
}

/// A comparison of the versions 2 to 4, which is a member.
fn by_key(member: Node<'_>) -> Option<Matcher<'_>> {
    let by = comparison(member.key()?.strip_suffix("Match")?);
    (member.kind() != ValueKind::Null).then_some(Matcher { by, value: member })
}

/// A comparison of version 5, which is an object; without a name it is an exact one.
fn by_name(object: Node<'_>) -> Option<Matcher<'_>> {
    let by = object
        .text_of("matcher")
        .filter(|name| !name.is_empty())
        .map_or(Comparison::Exact, comparison);
    Some(Matcher {
        by,
        value: object.get("value")?,
    })
}

fn comparison(name: &str) -> Comparison {
    match name.to_ascii_lowercase().as_str() {
        "exact" => Comparison::Exact,
        "glob" => Comparison::Glob,
        "regex" => Comparison::Expression,
        "json" | "jsonpartial" => Comparison::Json,
        _ => Comparison::Other,
    }
}

/// The value with which a part is compared exactly.
fn exact_value(part: Node<'_>) -> Option<Node<'_>> {
    let mut matchers = matchers(part).into_iter();
    let exact = matchers.find(|matcher| matcher.by == Comparison::Exact)?;
    Some(exact.value)
}

/// The text with which a part is compared exactly.
fn exact<'d>(request: Node<'d>, part: &str) -> Option<&'d str> {
    let text = exact_value(request.get(part)?)?.text();
    text.filter(|text| !text.is_empty())
}

fn exchanges<'a>(pair: Node<'_>, place: RecordPlace<'a>) -> Option<Parts<'a>> {
    let request = pair.get("request")?;
    let path = matchers(request.get("path")?)
        .into_iter()
        .find(|matcher| matcher.value.text().is_some())?;
    let mut target = Target::default();
    let scheme = exact(request, "scheme");
    let host = exact(request, "destination");
    target.host = host.and_then(|host| Host::parse(host, scheme).map(Host::into_owned));
    let queries = ["query", "queriesWithMatchers"]
        .into_iter()
        .filter_map(|key| request.get(key));
    target
        .parameters
        .extend(queries.flat_map(|query| parameters(query, place)));
    let answer = pair.get("response");
    let exchange = Exchange {
        call: Call::new(
            exact(request, "method").and_then(Method::parse),
            target,
            Some(place.span_of(path.value)),
        ),
        request: sent(request, place),
        response: answer
            .map(|answer| response(answer, place))
            .unwrap_or_default(),
        ..Exchange::default()
    };
    Some(request_patterns::with_paths(&exchange, paths(&path)))
}

/// The paths that a matcher describes; none if it is one of another kind.
fn paths(path: &Matcher<'_>) -> Vec<Target<'static>> {
    let text = path.value.text().unwrap_or_default();
    match path.by {
        Comparison::Exact => vec![Target::parse(text).into_owned()],
        Comparison::Glob => vec![request_patterns::target_of_glob(text)],
        Comparison::Expression => request_patterns::targets_of_regex(text),
        Comparison::Json | Comparison::Other => Vec::new(),
    }
}

/// The query as one text, or each parameter by its name.
fn parameters(query: Node<'_>, place: RecordPlace<'_>) -> Vec<QueryParameter<'static>> {
    let whole = query.children().any(|member| by_key(member).is_some());
    match exact_value(query) {
        Some(text) => request_patterns::query_parameters(text, place),
        None if whole => Vec::new(),
        None => request_patterns::query_parameters(query, place),
    }
}

/// Reads the body that a request must have.
fn sent<'a>(request: Node<'_>, place: RecordPlace<'a>) -> Message<'a> {
    let mut fields = HeaderFields::default();
    let headers = ["headers", "headersWithMatchers"]
        .into_iter()
        .filter_map(|key| request.get(key));
    for headers in headers {
        fields.list.extend(HeaderFields::of(headers, place).list);
    }
    let matchers = request.get("body").map(matchers).unwrap_or_default();
    let is_whole =
        |matcher: &&Matcher<'_>| matches!(matcher.by, Comparison::Exact | Comparison::Json);
    // Only a part of the body is known, as in a JSONPath.
    let in_part = matchers
        .iter()
        .find(|matcher| !is_whole(matcher) && !matcher.is_any());
    let content = match (matchers.iter().find(is_whole), in_part) {
        (Some(body), _) => BodyContent::of_value(body.value, place),
        (None, Some(part)) => BodyContent::external(place.span_of(part.value)),
        (None, None) => BodyContent::default(),
    };
    let in_part = in_part.map(|part| Unread::at(Reason::UnreadPiece, place.span_of(part.value)));
    content.into_message(fields).or_unread(in_part)
}

fn response<'a>(response: Node<'_>, place: RecordPlace<'a>) -> Message<'a> {
    let fields = response
        .get("headers")
        .map(|all| HeaderFields::of(all, place))
        .unwrap_or_default();
    let is_encoded = response.get("encodedBody").and_then(Node::as_bool) == Some(true);
    let file = response
        .get("bodyFile")
        .filter(|name| name.text().is_some_and(|it| !it.is_empty()));
    let content = match (response.get("body"), file) {
        (_, Some(file)) => BodyContent::in_file_of(file, place),
        (Some(body), None) if is_encoded => BodyContent::of_base64(body, place),
        (Some(body), None) => BodyContent::of_value(body, place),
        (None, None) => BodyContent::default(),
    };
    content.into_message(fields)
}
