//! Tables that several formats write.

use crate::comparison::ScanComparison;
use crate::tally::ElementId;
use sundown_report::{Cell, ColumnKind, Table};

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

/// What changed since an earlier scan: a row for each element, and one for each of its callers with a change.
pub(super) fn changes_table<'s>(
    comparison: &'s ScanComparison<'_>,
) -> (Table, impl Iterator<Item = [Cell; 7]> + 's) {
    let table = Table::new(ELEMENT.into_iter().chain([
        (ColumnKind::Name, "caller"),
        (ColumnKind::Text, "change"),
        (ColumnKind::Number, "calls before"),
        (ColumnKind::Number, "calls now"),
    ]));
    let rows = comparison.elements.iter().flat_map(|element| {
        element.with_callers().map(|(caller, change, before, now)| {
            let [rule, operation, side] = element_cells(element.id);
            let caller = caller.map(ToString::to_string).into();
            let change = change.name().into();
            [
                rule,
                operation,
                side,
                caller,
                change,
                before.into(),
                now.into(),
            ]
        })
    });
    (table, rows)
}
