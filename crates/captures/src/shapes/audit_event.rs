//! What is special about the audit events of a Kubernetes API server: verbs in place of methods, several events for a call, and
//! annotations that announce deprecations.

use crate::file_head::contains;
use crate::names::{NAMES, is_one_of};
use crate::pieces;
use sundown_exchange::{
    HeaderFields, Lazy, Message, Method, RecordPlace, Signal, SignalField, SignalKind,
    plain_release,
};
use sundown_text_json::json::Node;

/// The annotation of a call of an API version that is deprecated; its value is `true`.
const DEPRECATED: &str = "k8s.io/deprecated";

/// The annotation with the first release that no longer serves the API version.
const REMOVED_RELEASE: &str = "k8s.io/removed-release";

/// Parses the verb of an event. That of a call without a resource is the method of HTTP, in lower case.
pub(crate) fn method(verb: Node<'_>) -> Option<Method> {
    let method = match verb.as_str()? {
        "get" | "list" | "watch" => "GET",
        "create" => "POST",
        "update" => "PUT",
        "delete" | "deletecollection" => "DELETE",
        _ => return pieces::method(verb),
    };
    Method::parse(method)
}

/// Whether another event of the same call counts: each ends with `ResponseComplete` or `Panic` in Kubernetes, and with
/// `request_finished` or `request_failed` in django-structlog; k6 counts it in `http_reqs`, beside other metrics.
pub(crate) fn is_earlier_stage(stage: Node<'_>) -> bool {
    stage.as_str().is_some_and(|stage| {
        is_one_of(stage, &NAMES.earlier_stages) || stage.starts_with("http_req_")
    })
}

/// Adds to a response without header fields what annotations announce.
pub(super) fn announcing<'a>(
    response: &Message<'a>,
    annotations: Node<'_>,
    place: RecordPlace<'a>,
) -> Message<'a> {
    let annotations = place.value(annotations);
    let text = annotations.raw();
    let fields = Lazy::of(annotations, |annotations| HeaderFields {
        signals: annotations.read(signals_of),
        ..HeaderFields::default()
    });
    let body = response.raw_body().cloned();
    let response = Message::new(fields, body, response.unread());
    // Keys may be written with escapes.
    let has_escapes = memchr::memchr(b'\\', text).is_some();
    response.with_other_announcements(has_escapes || contains(text, b"deprecated"))
}

fn signals_of(annotations: Node<'_>, place: RecordPlace<'_>) -> Vec<Signal> {
    let deprecated = annotations.get(DEPRECATED);
    let deprecated = deprecated.filter(|value| value.as_str() == Some("true"));
    let Some(key) = deprecated.and_then(Node::key_span) else {
        return Vec::new();
    };
    let span = key.shifted(place.start);
    let release = annotations.get(REMOVED_RELEASE).and_then(Node::as_str);
    let release = release.and_then(plain_release).map(SignalKind::RemovedIn);
    [Some(SignalKind::Deprecated(None)), release]
        .into_iter()
        .flatten()
        .map(|kind| Signal {
            field: SignalField::AuditAnnotation,
            span,
            kind,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sundown_text_json::json::Document;

    fn in_text<T>(text: &str, read: impl FnOnce(Node<'_>, RecordPlace<'_>) -> T) -> T {
        let document = Document::parse_json(text, 99).unwrap();
        read(
            document.root(),
            RecordPlace {
                file: text.as_bytes(),
                start: 0,
            },
        )
    }

    #[test]
    fn every_verb_is_the_method_that_it_was_called_with() {
        for (verb, expected) in [
            ("get", Some("GET")),
            ("list", Some("GET")),
            ("watch", Some("GET")),
            ("create", Some("POST")),
            ("update", Some("PUT")),
            ("patch", Some("PATCH")),
            ("delete", Some("DELETE")),
            ("deletecollection", Some("DELETE")),
            ("post", Some("POST")),
            ("options", Some("OPTIONS")),
            ("", None),
            ("-", None),
        ] {
            let found = in_text(&format!("\"{verb}\""), |node, _| method(node));
            assert_eq!(found.as_ref().map(Method::as_str), expected, "{verb}");
        }
    }

    #[test]
    fn only_a_true_annotation_announces_and_only_a_number_is_a_release() {
        let said = |text: &str| {
            in_text(text, |node, place| {
                let response = announcing(&Message::default(), node, place);
                assert!(response.may_announce() || response.signals().is_empty());
                let signals = response.signals().iter();
                signals
                    .map(|signal| signal.kind.clone())
                    .collect::<Vec<_>>()
            })
        };
        let release = |text: &str| SignalKind::RemovedIn(text.to_owned());
        for (text, expected) in [
            (
                r#"{"k8s.io/deprecated":"true"}"#,
                vec![SignalKind::Deprecated(None)],
            ),
            (
                r#"{"a":"b","k8s.io/removed-release":"1.25","k8s.io/deprec\u0061ted":"true"}"#,
                vec![SignalKind::Deprecated(None), release("1.25")],
            ),
            (
                r#"{"k8s.io/deprecated":"true","k8s.io/removed-release":"<b>"}"#,
                vec![SignalKind::Deprecated(None)],
            ),
            (
                r#"{"k8s.io/deprecated":"false","k8s.io/removed-release":"1.25"}"#,
                vec![],
            ),
            (r#"{"k8s.io/removed-release":"1.25"}"#, vec![]),
            (r#"{"note":"k8s.io/deprecated"}"#, vec![]),
            ("{}", vec![]),
        ] {
            assert_eq!(said(text), expected, "{text}");
        }
    }
}
