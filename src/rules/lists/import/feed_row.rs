//! A row of a feed about the ends of models.

use std::borrow::Cow;

use super::collector::ListCell;

/// A row of a feed.
pub(super) struct FeedRow<'t> {
    pub(super) provider: Cow<'t, str>,
    /// The offset of the row.
    pub(super) start: usize,
    pub(super) id: ListCell<'t>,
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
