//! Tables that several formats write.

use std::borrow::Cow;

use crate::report::{UsageReport, ValueState};
use crate::tally::ElementId;
use sundown_report::{Cell, ColumnKind, Table, printable};

/// The columns about an element.
pub(super) const ELEMENT: [(ColumnKind, &str); 3] = [
    (ColumnKind::Name, "rule"),
    (ColumnKind::Name, "operation"),
    (ColumnKind::Text, "side"),
];

/// The cells of [`ELEMENT`].
pub(super) fn element_cells(id: &ElementId) -> [Cell; 3] {
    [
        (&*id.rule).into(),
        (&*id.operation).into(),
        id.part.name().into(),
    ]
}

/// The values that were called, with what rules say about them.
pub(super) fn inventory_table<'r>(
    report: &'r UsageReport<'_>,
) -> (Table, impl Iterator<Item = [Cell; 6]> + 'r) {
    let table = Table::new([
        (ColumnKind::Text, "api"),
        (ColumnKind::Name, "element"),
        (ColumnKind::Text, "side"),
        (ColumnKind::Name, "value"),
        (ColumnKind::Number, "calls"),
        (ColumnKind::Text, "state"),
    ]);
    let rows = report.inventory.iter().map(|(value, calls)| {
        let state = match value.state {
            ValueState::Ends(day, _) => report.last_day(Some(day)).unwrap_or_default(),
            ValueState::Undated(_) => "deprecated, without a last day".to_owned(),
            ValueState::Unknown if value.value.is_none() => "no rule; not shown".to_owned(),
            ValueState::Unknown => "no rule".to_owned(),
        };
        let name = value.value.as_deref().map(printable);
        [
            (&*printable(value.api)).into(),
            (&*printable(value.name)).into(),
            value.side.into(),
            name.map(Cow::into_owned).into(),
            (*calls).into(),
            state.into(),
        ]
    });
    (table, rows)
}
