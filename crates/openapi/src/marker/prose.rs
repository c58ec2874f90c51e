//! Reads what the texts of an object say about its deprecation.

use std::iter::successors;

use super::reader::MarkerText;
use crate::prose::{ProseSubject, mentions_deprecation, says_deprecated, stated_dates};
use crate::{MarkedElement, MarkerDate, MarkerSource, prose_texts};
use sundown_text_json::json::Node;
use sundown_text_json::text::Span;

/// The text that says that the element is deprecated.
pub(super) fn statement(value: Node<'_>, element: MarkedElement) -> Option<(MarkerSource, Span)> {
    let (member, _) = prose_texts(value).find(|(_, text)| {
        mentions_deprecation(text) && says_deprecated(text, &subject(value, element))
    })?;
    Some((MarkerSource::Prose, member.label()))
}

/// The first date of introduction and the first end that the texts of an object state, its messages before the others.
pub(super) fn dates(
    value: Node<'_>,
    element: MarkedElement,
    texts: &[MarkerText],
) -> (Option<MarkerDate>, Option<MarkerDate>) {
    let subject = subject(value, element);
    let messages = texts
        .iter()
        .filter(|one| one.fact == "message")
        .map(|one| (one.text.as_str(), one.span, one.source));
    let texts = prose_texts(value).map(|(member, text)| (text, member.span(), MarkerSource::Prose));
    let mut introduced = None;
    let mut removal = None;
    for (text, span, source) in messages.chain(texts) {
        let stated = stated_dates(text, &subject);
        let [since, until] = [stated.introduced, stated.removal].map(|date| {
            Some(MarkerDate {
                date: date?,
                span,
                source,
            })
        });
        introduced = introduced.or(since);
        removal = removal.or(until);
    }
    (introduced, removal)
}

/// The element of an object, with the names by which its texts may call it.
fn subject(value: Node<'_>, element: MarkedElement) -> ProseSubject {
    let mut keys = successors(Some(value), |value| value.parent()).filter_map(Node::key);
    let text = |key| value.get(key).and_then(Node::as_str);
    if matches!(element, MarkedElement::Operation | MarkedElement::PathItem) {
        let path = keys.filter(|key| key.starts_with('/')).last();
        return ProseSubject::operation(text("operationId").into_iter().chain(path));
    }
    let named = text("name").filter(|_| element == MarkedElement::Parameter);
    ProseSubject::part(named.or_else(|| {
        keys.find(|key| {
            !matches!(*key, "allOf" | "schema" | "items") && key.parse::<u32>().is_err()
        })
    }))
}
