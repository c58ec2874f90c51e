//! A row of a feed about the ends of models.

use std::borrow::Cow;

use chrono::DateTime;

use super::collector::ListCell;
use crate::toml_file::WithSpan;

/// A row of a feed.
pub(super) struct FeedRow<'t> {
    pub(super) provider: Cow<'t, str>,
    /// The offset of the row.
    pub(super) start: usize,
    pub(super) id: ListCell<'t>,
    /// Whether the id is a second name of a model that has an id of its own.
    pub(super) is_alias: bool,
    pub(super) introduced: Option<ListCell<'t>>,
    pub(super) removal: Option<ListCell<'t>>,
    pub(super) replacement: Option<ListCell<'t>>,
    pub(super) docs: Option<ListCell<'t>>,
    /// Whether the removal date is only a day before which the model does not end.
    pub(super) is_not_before: bool,
}

impl FeedRow<'_> {
    /// Removes the day of the announcement if it is the removal date, which deprecations.info repeats where a page has none.
    pub(super) fn without_repeated_date(mut self) -> Self {
        let day = |cell: &Option<ListCell<'_>>| cell.as_ref().map(|cell| cell.value.to_string());
        if day(&self.introduced) == day(&self.removal) {
            self.introduced = None;
        }
        self
    }
}

/// The day that a date or a time (RFC 3339, with or without a zone) is written with; a month or a year is none.
pub(super) fn day(cell: &ListCell<'_>) -> Option<ListCell<'static>> {
    let written = cell.value.trim();
    let completed = ["", "Z", "T00:00:00Z"].map(|missing| format!("{written}{missing}"));
    let time = completed.iter().find_map(|time| DateTime::parse_from_rfc3339(time).ok())?;
    Some(WithSpan { value: time.date_naive().to_string().into(), span: cell.span.clone() })
}
