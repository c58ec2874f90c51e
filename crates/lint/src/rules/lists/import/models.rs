//! LiteLLM's list of models (`model_prices_and_context_window.json`): `{"MODEL": {"litellm_provider", "deprecation_date", …}}`.

use super::collector::ListCollector;
use super::row::{Column, ListRow};
use crate::rules::{RulePlace, Sides};
use sundown_exchange::{OperationPattern, Side};
use sundown_selector::Selector;
use sundown_text_json::json::{Node, ValueKind};

/// The member that only such lists have.
const PROVIDER: &str = "litellm_provider";

/// The last day of a model.
const LAST_DAY: &str = "deprecation_date";

/// The entry that explains the members.
const EXPLANATION: &str = "sample_spec";

/// The requests that may name a model.
const OPERATION: &str = "POST /**";

/// Whether a document is such a list.
pub(super) fn is_list(root: Node<'_>) -> bool {
    root.children().any(|model| model.get(PROVIDER).is_some())
}

/// Reads the models with a day: each is a value of `model` at the top of a request.
pub(super) fn read(root: Node<'_>, collector: &mut ListCollector) {
    collector.mark_as_list();
    let parsed = OperationPattern::parse(OPERATION).ok();
    let place = parsed
        .zip(Selector::parse("$.model").ok())
        .map(|(operation, selector)| RulePlace {
            operation,
            sides: Sides::Only(Side::Request),
            selectors: vec![selector],
        });
    collector.place_all(place.into_iter().collect());
    for model in root.children() {
        let id = model.key().filter(|id| *id != EXPLANATION);
        let day = model
            .get(LAST_DAY)
            .filter(|day| day.kind() != ValueKind::Null);
        let (Some(id), Some(day)) = (id, day) else {
            continue;
        };
        let Some(text) = day.as_str() else {
            let message = format!("`{LAST_DAY}` is no text");
            collector.add_mistake(
                day.span().into(),
                message,
                "write a day, as in \"2027-01-15\"",
            );
            continue;
        };
        let span = model.key_span().unwrap_or_default().into();
        let cells = [
            (Column::Operation, OPERATION, &span),
            (Column::Kind, "enum-value", &span),
            (Column::Name, "model", &span),
            (Column::Value, id, &span),
            (Column::Removal, text, &day.span().into()),
        ];
        let mut row = ListRow::default();
        for (column, text, span) in cells {
            row.set(column, span, Some(text.to_owned()));
        }
        row.span = span;
        collector.add_row(&row);
    }
}
