//! Reads what the texts of an object say about its deprecation.

use super::{MarkedElement, MarkerDate, MarkerSource, MarkerText};
use crate::json::{ValueRef, pointer};
use crate::openapi::prose::{ProseSubject, SubjectKind, TextPlace, says_deprecated, stated_dates};
use crate::text::Span;

/// The texts of an object, the most detailed first.
const TEXTS: [(&str, TextPlace); 3] = [
    ("description", TextPlace::Description),
    ("summary", TextPlace::Title),
    ("title", TextPlace::Title),
];

/// The text that says that the element is deprecated.
pub(super) fn statement(
    value: ValueRef<'_>,
    element: MarkedElement,
) -> Option<(MarkerSource, Span)> {
    let names = Names::of(value, element);
    let mut texts = texts(value);
    let (found, ..) = texts
        .find(|(_, text, place)| names.with(|subject| says_deprecated(text, *place, subject)))?;
    Some((MarkerSource::Prose, found.label()))
}

/// The first date of introduction and the first end that the texts of an object state, its messages before the others.
pub(super) fn dates(
    value: ValueRef<'_>,
    element: MarkedElement,
    messages: &[MarkerText],
) -> (Option<MarkerDate>, Option<MarkerDate>) {
    let names = Names::of(value, element);
    let messages = messages.iter().map(|one| (one.text.as_str(), one.span, one.source));
    let texts = texts(value).map(|(member, text, _)| (text, member.span(), MarkerSource::Prose));
    let (mut introduced, mut removal) = (None, None);
    for (text, span, source) in messages.chain(texts) {
        let stated = names.with(|subject| stated_dates(text, subject));
        let dated = |date| MarkerDate { date, span, source };
        introduced = introduced.or_else(|| stated.introduced.map(dated));
        removal = removal.or_else(|| stated.removal.map(dated));
    }
    (introduced, removal)
}

fn texts(value: ValueRef<'_>) -> impl Iterator<Item = (ValueRef<'_>, &str, TextPlace)> {
    let text = move |(key, place)| {
        let member = value.get(key)?;
        Some((member, member.as_str()?, place))
    };
    TEXTS.into_iter().filter_map(text)
}

/// The names by which the texts of an object may call its element.
struct Names {
    kind: SubjectKind,
    names: Vec<String>,
}

impl Names {
    fn of(value: ValueRef<'_>, element: MarkedElement) -> Self {
        let pointer = value.pointer();
        let tokens = pointer.split('/').skip(1);
        let tokens: Vec<String> =
            tokens.map(|token| pointer::unescape(token).into_owned()).collect();
        let text = |key| value.get(key).and_then(ValueRef::as_str).map(str::to_owned);
        if matches!(element, MarkedElement::Operation | MarkedElement::PathItem) {
            let path = tokens.into_iter().find(|token| token.starts_with('/'));
            let names = [text("operationId"), path].into_iter().flatten().collect();
            return Self { kind: SubjectKind::Operation, names };
        }
        let is_name = |token: &&String| {
            !matches!(token.as_str(), "allOf" | "schema" | "items") && token.parse::<u32>().is_err()
        };
        let key = tokens.iter().rev().find(is_name).cloned();
        let named = text("name").filter(|_| element == MarkedElement::Parameter);
        Self { kind: SubjectKind::Part, names: named.or(key).into_iter().collect() }
    }

    fn with<T>(&self, read: impl FnOnce(ProseSubject<'_>) -> T) -> T {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        read(ProseSubject { kind: self.kind, names: &names })
    }
}
