//! WireMock stub mappings: <https://wiremock.org/docs/stubbing/> and its JSON Schema of a stub mapping.
//!
//! A mapping has the pattern of a request, and the response to it. If the pattern requires a body that is equal to, or
//! contains, some JSON, that JSON is the body that a client sends.

use crate::chunks::RecordList;
use crate::file_head::{FileHead, contains};
use crate::messages::{BodyContent, StoredForm};
use crate::names::NAMES;
use crate::pieces;
use crate::records::Parts;
use crate::request_patterns;
use sundown_exchange::{
    Call, Exchange, FormKind, HeaderFields, MappedText, Message, Method, Reason, RecordPlace,
    RecordSink, Target, Unread,
};
use sundown_text_json::Limits;
use sundown_text_json::json::{Node, ValueKind, scan};
use sundown_text_json::text::Block;

/// The folder of bodies, beside that of the mappings.
const BODY_FILES: &str = "__files/";

/// Recognises a mapping, or a file of them; other objects with `request` and `response` have other keys for the URL.
pub(crate) fn sniff(head: &FileHead<'_>) -> bool {
    if head.has("mappings", b'[') {
        return head.contains(b"\"request\"");
    }
    // A log may go on with other records.
    let stub = scan::value(head.bytes, head.start);
    let stub = stub.map_or(head.bytes, |stub| stub.slice(head.bytes));
    let named = |key: &str| contains(stub, format!("\"{key}\"").as_bytes());
    let has_request = head.has("request", b'{');
    let has_response = head.has("response", b'{');
    // A stub without a response has comparisons with a request.
    has_request
        && if has_response {
            NAMES.wiremock_marks.iter().any(|key| named(key))
        } else {
            named("bodyPatterns")
        }
}

/// The list of a file of mappings.
const MAPPINGS: RecordList<'_> = RecordList {
    path: &["mappings"],
    is_record: |mapping, _, _| {
        let request = mapping.get("request");
        request.is_some_and(|request| {
            NAMES
                .wiremock_urls
                .iter()
                .any(|key| request.get(key).is_some())
        })
    },
    empty: ["a file of stubs without a list `mappings`", ""],
};

pub(crate) fn read(file: Block<'_>, limits: Limits, sink: &mut dyn RecordSink) {
    let list = if FileHead::of(file).has("mappings", b'[') {
        MAPPINGS
    } else {
        RecordList {
            path: &[],
            ..MAPPINGS
        }
    };
    list.read(
        file,
        limits,
        &|mapping, place| exchanges(mapping, place).unwrap_or_default(),
        sink,
    );
}

fn exchanges<'a>(mapping: Node<'_>, place: RecordPlace<'a>) -> Option<Parts<'a>> {
    let request = mapping.get("request")?;
    let mut urls = NAMES
        .wiremock_urls
        .iter()
        .filter_map(|key| request.get(key));
    let (url, text) = urls.find_map(|url| Some((url, url.text()?)))?;
    // `ANY` is WireMock's word for every method.
    let method = request.text_of("method");
    let method = method
        .filter(|method| !method.eq_ignore_ascii_case("any"))
        .and_then(Method::parse);
    let is_pattern = url.key().is_some_and(|key| key.ends_with("Pattern"));
    let mut paths = if is_pattern {
        request_patterns::targets_of_regex(text)
    } else {
        vec![Target::parse(text).into_owned()]
    };
    for variable in request.children_of("pathParameters") {
        let value = request_patterns::exact_value(variable).unwrap_or_default();
        let name = variable.key().unwrap_or_default();
        for path in &mut paths {
            path.fill(name, &value);
        }
    }
    let mut target = Target::default();
    let query = request.get("queryParameters").into_iter();
    target
        .parameters
        .extend(query.flat_map(|query| request_patterns::query_parameters(query, place)));
    let answer = mapping.get("response");
    let exchange = Exchange {
        call: Call::new(method, target, Some(place.span_of(url))),
        request: sent(request, place),
        response: answer
            .map(|answer| response(answer, place))
            .unwrap_or_default(),
        ..Exchange::default()
    };
    Some(request_patterns::with_paths(&exchange, paths))
}

/// The request body: the first one with which a request is compared as a whole. The first other comparison is reported.
fn sent<'a>(request: Node<'_>, place: RecordPlace<'a>) -> Message<'a> {
    let mut fields = HeaderFields::default();
    for field in request.children_of("headers") {
        if let (Some(name), Some(span)) = (field.key(), field.key_span())
            && !request_patterns::is_absent(field)
        {
            let value = field.text_of("equalTo").unwrap_or_default();
            fields.add(name, place.span(span), value);
        }
    }
    let (mut bodies, mut in_part) = (Vec::new(), Vec::new());
    for pattern in request.children_of("bodyPatterns") {
        compared(pattern, &mut bodies, &mut in_part);
    }
    let parts = request.children_of("multipartPatterns");
    for part in parts.filter(|part| part.get("name").is_none()) {
        compared(part, &mut Vec::new(), &mut in_part);
    }
    let mut bodies = bodies.into_iter();
    let body = bodies.next().map(|(body, is_base64)| {
        if is_base64 {
            BodyContent::of_base64(body, place)
        } else {
            BodyContent::of_value(body, place)
        }
    });
    let reason = if body.is_some() {
        Reason::UnreadPiece
    } else {
        Reason::BodyMissing
    };
    let message = body
        .unwrap_or_else(|| compared_form(request, place))
        .into_message(fields);
    let further = bodies.map(|(body, _)| body).chain(in_part).next();
    message.or_unread(further.map(|at| Unread::at(reason, place.span_of(at))))
}

/// The form whose fields a request's are compared with. A value that is not compared as a whole is not known.
fn compared_form<'a>(request: Node<'_>, place: RecordPlace<'a>) -> BodyContent<'a> {
    let mut form = StoredForm::recorded(FormKind::Multipart);
    let parameters = request.children_of("formParameters");
    for field in parameters.filter(|field| !request_patterns::is_absent(*field)) {
        let (Some(name), Some(at)) = (field.key(), field.key_span()) else {
            continue;
        };
        let name = MappedText::all_at(name.as_bytes().to_vec(), place.span(at));
        add_field(&mut form, name, field, place);
    }
    for part in request.children_of("multipartPatterns") {
        if let Some(name) = part.get("name") {
            let pattern = part.children_of("bodyPatterns").next().unwrap_or(part);
            add_field(&mut form, pieces::mapped_text(name, place), pattern, place);
        }
    }
    form.into_content(place.file, place.span_of(request))
}

/// Adds a field with the value that its pattern compares it with.
fn add_field(form: &mut StoredForm, name: MappedText, pattern: Node<'_>, place: RecordPlace<'_>) {
    let mut values = Vec::new();
    compared(pattern, &mut values, &mut Vec::new());
    match values.first() {
        Some(&(value, false)) if value.kind() == ValueKind::String => {
            form.add(name, pieces::mapped_text(value, place));
        }
        _ => form.add_file(name),
    }
}

/// The bodies of a pattern, and of those that it joins, with which one is compared as a whole, each with whether it is base64; and the
/// patterns for a part of a body, as a JSONPath.
fn compared<'v>(
    pattern: Node<'v>,
    bodies: &mut Vec<(Node<'v>, bool)>,
    in_part: &mut Vec<Node<'v>>,
) {
    let text = pattern.get("equalToJson");
    let text = text.or_else(|| pattern.get("equalTo"));
    let encoded = pattern.get("binaryEqualTo");
    let joined: Vec<_> = ["and", "or"]
        .iter()
        .filter_map(|key| pattern.get(key))
        .collect();
    // The pattern at the end of a file that is cut off may be empty.
    let is_known =
        text.or(encoded).is_some() || !joined.is_empty() || request_patterns::is_absent(pattern);
    if !is_known && pattern.children().len() > 0 {
        in_part.push(pattern);
    }
    bodies.extend(text.map(|body| (body, false)));
    bodies.extend(encoded.map(|body| (body, true)));
    // No deeper than the document nests.
    for pattern in joined.into_iter().flat_map(Node::children) {
        compared(pattern, bodies, in_part);
    }
}

fn response<'a>(response: Node<'_>, place: RecordPlace<'a>) -> Message<'a> {
    let fields = response
        .get("headers")
        .map(|all| HeaderFields::of(all, place))
        .unwrap_or_default();
    let text = response.get("body");
    let text = text.filter(|body| body.kind() == ValueKind::String);
    let content = if let Some(value) = response.get("jsonBody").or(text) {
        BodyContent::of_value(value, place)
    } else if let Some(body) = response.get("base64Body") {
        BodyContent::of_base64(body, place)
    } else if let Some(file) = response.get("bodyFileName") {
        let name = format!("{BODY_FILES}{}", file.text().unwrap_or_default());
        BodyContent::in_file(&name, place.span_of(file))
    } else {
        BodyContent::default()
    };
    content.into_message(fields)
}
