//! Lists as JSON: `{"endpoints": [{"method", "path", "deprecations": [{"id", "type", "name", "message", "introduced",
//! "removal", "docs", "enumValue"}]}]}`, the format from which documentation sites generate their deprecation pages.
//!
//! `message` is a sentence for people. `replacement` and `note` give the same information in two parts; if one of them is
//! present, even as `null`, the sentence is ignored.
//!
//! The other list is LiteLLM's of models (`model_prices_and_context_window.json`): `{"MODEL": {"litellm_provider",
//! "deprecation_date", …}}`.

use super::collector::ListCollector;
use super::row::{Column, ListRow};
use crate::rules::{RulePlace, Sides};
use sundown_exchange::{OperationPattern, Side};
use sundown_files::toml_file::MessageText;
use sundown_selector::Selector;
use sundown_text_json::json::{Document, DocumentFormat, Node, ValueKind};

/// Reads a list.
pub(super) fn read(text: &str, collector: &mut ListCollector) {
    let document = match Document::parse(text, DocumentFormat::Json) {
        Ok(document) => document,
        Err(error) => {
            let at = (0..=error.offset.min(text.len()))
                .rev()
                .find(|&at| text.is_char_boundary(at))
                .unwrap_or_default();
            let message = MessageText::own(format!("not JSON: {error}"));
            collector.add_mistake(at..at, message, "check that the file is complete");
            return;
        }
    };
    let root = document.root();
    if is_list_of_models(root) {
        return read_models(root, collector);
    }
    let keys = ["endpoints", "generatedAt", "totalCount"];
    let Some([endpoints, _, count]) = members(root, "the list", keys, collector) else {
        return;
    };
    let Some(endpoints) = list(root, endpoints, keys[0], collector) else {
        return;
    };
    for endpoint in endpoints.children() {
        read_endpoint(endpoint, collector);
    }
    let read = collector.count();
    if let Some(count) = count
        && count
            .as_i64()
            .is_some_and(|count| usize::try_from(count).ok() != Some(read))
    {
        let what = format!(
            "`totalCount` is {}, but there are {read} entries",
            count.raw()
        );
        collector.remark(count.span().start, what);
    }
}

fn read_endpoint(endpoint: Node<'_>, collector: &mut ListCollector) {
    let keys = ["method", "path", "deprecations"];
    let Some([method, path, deprecations]) = members(endpoint, "an endpoint", keys, collector)
    else {
        return;
    };
    let mut row = ListRow::default();
    add_cells(&mut row, [method, path], collector);
    let start = endpoint.span().start;
    for (name, column) in [("method", Column::Method), ("path", Column::Path)] {
        if row.get(column).is_none() {
            let message = format!("the `{name}` of the endpoint is missing");
            let help =
                r#"an endpoint has a method and a path: {"method": "GET", "path": "/v1/orders"}"#;
            collector.add_mistake(start..start + 1, message, help);
        }
    }
    let Some(deprecations) = list(endpoint, deprecations, keys[2], collector) else {
        return;
    };
    collector.mark_as_list();
    for deprecation in deprecations.children() {
        read_deprecation(deprecation, row.clone(), collector);
    }
}

/// Reads an entry. `row` has the method and the path.
fn read_deprecation(deprecation: Node<'_>, mut row: ListRow, collector: &mut ListCollector) {
    const KEYS: [&str; 10] = [
        "id",
        "type",
        "name",
        "enumValue",
        "replacement",
        "note",
        "message",
        "introduced",
        "removal",
        "docs",
    ];
    let Some(found) = members(deprecation, "a deprecation", KEYS, collector) else {
        return;
    };
    let start = deprecation.span().start;
    row.span = start..start + 1;
    add_cells(&mut row, found, collector);
    if row.get(Column::Kind).is_none() {
        let message = "the `type` of the deprecation is missing";
        let help = "the types are endpoint, field, enum-value, parameter, header";
        return collector.add_mistake(row.span, message, help);
    }
    // What an endpoint lacks has already been reported.
    if row.operation().is_some() {
        collector.add_row(&row);
    }
}

/// The members of an object with these keys. Reports keys that appear twice, and makes a remark about all others.
fn members<'t, const N: usize>(
    node: Node<'t>,
    what: &str,
    keys: [&str; N],
    collector: &mut ListCollector,
) -> Option<[Option<Node<'t>>; N]> {
    if node.kind() != ValueKind::Object {
        let help = r#"{"endpoints": [{"method", "path", "deprecations": [{"type", "name", …}]}]}"#;
        collector.add_mistake(node.span().into(), format!("{what} is an object"), help);
        return None;
    }
    let mut found = [None; N];
    for member in node.children() {
        let key = member.key().unwrap_or_default();
        let span = member.key_span().unwrap_or_default();
        let place = keys.iter().position(|known| *known == key);
        let place = place.and_then(|at| found.get_mut(at));
        match place {
            Some(place @ None) => *place = Some(member),
            Some(_) => {
                let message = format!("the key `{key}` appears twice");
                collector.add_mistake(span.into(), message, "remove one of them");
            }
            None => {
                let message = format!("`{key}` is ignored: a rules file has no key for it");
                collector.remark(span.start, message);
            }
        }
    }
    Some(found)
}

/// Adds texts to a row, in the columns of their names. `null` is an empty text, but no value.
fn add_cells<'t>(
    row: &mut ListRow,
    nodes: impl IntoIterator<Item = Option<Node<'t>>>,
    collector: &mut ListCollector,
) {
    for node in nodes.into_iter().flatten() {
        let name = node.key().unwrap_or_default();
        let Some(column) = Column::of(name) else {
            continue;
        };
        let span = node.span().into();
        let text = match node.kind() {
            ValueKind::Null => (column != Column::Value).then(String::new),
            ValueKind::String => node.as_str().map(str::to_owned),
            _ => {
                let message = format!("`{name}` is a string");
                collector.add_mistake(node.span().into(), message, "put it in quotes");
                None
            }
        };
        row.set(column, &span, text);
    }
}

/// The list that is the member `name` of an object.
fn list<'t>(
    object: Node<'_>,
    member: Option<Node<'t>>,
    name: &str,
    collector: &mut ListCollector,
) -> Option<Node<'t>> {
    const HELP: &str = r#"lists are tables in Markdown or CSV, OpenAPI descriptions, and JSON: {"endpoints": [{"method", "path", "deprecations": [{"type", "name", …}]}]}, or LiteLLM's {"MODEL": {"litellm_provider", "deprecation_date", …}}"#;
    let start = object.span().start;
    let span = match member {
        Some(member) if member.kind() == ValueKind::Array => return Some(member),
        Some(member) => member.span().into(),
        None => start..start + 1,
    };
    let message = MessageText::own(format!("the list `{name}` is missing"));
    collector.add_mistake(span, message, HELP);
    None
}

/// The member that only such lists have.
const PROVIDER: &str = "litellm_provider";

/// The last day of a model.
const LAST_DAY: &str = "deprecation_date";

/// The entry that explains the members.
const EXPLANATION: &str = "sample_spec";

/// The requests that may name a model.
const OPERATION: &str = "POST /**";

/// Whether a document is such a list.
fn is_list_of_models(root: Node<'_>) -> bool {
    root.children().any(|model| model.get(PROVIDER).is_some())
}

/// Reads the models with a day: each is a value of `model` at the top of a request.
fn read_models(root: Node<'_>, collector: &mut ListCollector) {
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
