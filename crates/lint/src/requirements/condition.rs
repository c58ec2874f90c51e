//! The result of a condition, and the places where it was decided.

use std::sync::Arc;

use crate::findings::{ExcerptParts, ExchangePart, Observation};
use crate::rules::{MASK_MARKS, MASK_WORDS, PartTest};
use sundown_exchange::{Exchange, HeaderValue, Side};
use sundown_text_json::json::pointer::Pointers;
use sundown_text_json::text::Span;

/// A place of an exchange at which a condition holds or fails.
pub(super) struct ConditionSite {
    pub part: ExchangePart,
    /// Its position in the file; `None` is that of the URL.
    pub span: Option<Span>,
    pub pointer: Option<Pointers>,
    pub shown: ExcerptParts,
    /// The header field, if it is about one.
    pub header: String,
    /// What is there instead.
    pub observed: Option<Observation>,
}

/// How many sites of one condition are kept, of those at which it holds and of those at which it fails. The sites of a
/// condition differ in array elements and duplicate keys only, so that reports fold them, and a hostile body has millions.
const MAX_SITES: usize = 100;

/// The sites at which a condition holds, and at which it fails. Without any, the capture does not show what it is about.
#[derive(Default)]
pub(super) struct ConditionResult {
    pub holds: Vec<ConditionSite>,
    pub fails: Vec<ConditionSite>,
}

impl ConditionResult {
    pub(super) fn of(holds: bool, site: ConditionSite) -> Self {
        let mut result = Self::default();
        result.add(holds, site);
        result
    }

    pub(super) fn add(&mut self, holds: bool, site: ConditionSite) {
        let sites = if holds {
            &mut self.holds
        } else {
            &mut self.fails
        };
        if sites.len() < MAX_SITES {
            sites.push(site);
        }
    }
}

impl ConditionSite {
    /// The call as a whole.
    pub(super) fn of_call(observed: Option<Observation>) -> Self {
        Self {
            part: ExchangePart::Operation,
            span: None,
            pointer: None,
            shown: ExcerptParts::default(),
            header: String::new(),
            observed,
        }
    }

    /// A message or its header field.
    pub(super) fn of_message(side: Side, header: &str, observed: Option<Observation>) -> Self {
        let part = ExchangePart::Message(side);
        Self {
            part,
            header: header.to_owned(),
            ..Self::of_call(observed)
        }
    }

    /// Distinguishes it from other sites of the exchange.
    pub(super) fn place(&self) -> (ExchangePart, Option<Span>, String, Option<Arc<str>>) {
        let pointer = self.pointer.as_ref().map(|pointer| pointer.exact.clone());
        (self.part, self.span, self.header.clone(), pointer)
    }
}

/// Tests the header fields of this name.
pub(super) fn header(
    exchange: &Exchange<'_>,
    side: Side,
    name: &str,
    test: &PartTest,
) -> ConditionResult {
    let headers = exchange.message(side).headers();
    let mut result = ConditionResult::default();
    let mut is_absent = true;
    for field in headers
        .iter()
        .filter(|field| field.name.eq_ignore_ascii_case(name))
    {
        is_absent = false;
        let site = |observed| ConditionSite {
            span: Some(field.span),
            shown: ExcerptParts {
                // Readers give names in lower case.
                key: Some(name.to_owned()),
                ..ExcerptParts::default()
            },
            ..ConditionSite::of_message(side, name, observed)
        };
        match test.present {
            Some(false) => result.add(false, site(Some(Observation::Present))),
            _ if !test.is_about_value() => result.add(true, site(None)),
            _ => {
                for value in field.value.texts().iter().filter(|value| !is_masked(value)) {
                    let holds = has_value(value.trim(), test);
                    result.add(holds, site((!holds).then_some(Observation::OtherValue)));
                }
            }
        }
    }
    // A list without a field proves that it was absent only if the source records all fields.
    if let Some(present) = test.present
        && is_absent
        && !headers.is_empty()
        && headers
            .iter()
            .all(|field| !matches!(field.value, HeaderValue::Unknown))
    {
        let observed = present.then_some(Observation::Missing);
        result.add(!present, ConditionSite::of_message(side, name, observed));
    }
    result
}

/// Whether a value passes the tests of values.
fn has_value(value: &str, test: &PartTest) -> bool {
    test.equals
        .as_ref()
        .is_none_or(|wanted| value.eq_ignore_ascii_case(wanted.trim()))
        && test.starts_with.as_ref().is_none_or(|start| {
            value
                .get(..start.len())
                .is_some_and(|beginning| beginning.eq_ignore_ascii_case(start))
        })
}

/// Whether a text replaces the real value: what recorders and API clients write in place of secrets and variables.
pub(super) fn is_masked(text: &str) -> bool {
    let text = text.trim();
    let lower = text.to_ascii_lowercase();
    let mut words = MASK_WORDS.iter().chain(&["{{", "{%", "${"]);
    text.is_empty()
        || text.starts_with('{') && text.ends_with('}')
        || text.starts_with('<') && text.ends_with('>')
        || MASK_MARKS.iter().any(|mark| text.contains(mark))
        || words.any(|word| lower.contains(word))
}
