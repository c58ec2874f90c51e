//! The part that all importers share: checks the cells of each entry, and then that the entries of a list do not contradict
//! each other.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use chrono::NaiveDate;

use super::{ImportRemark, Imported, ImportedEntry, ids};
use crate::rules::announcement::{TYPES, key};
use crate::rules::{AnnouncedFacts, Announcement, AnnouncementSite};
use crate::rules::{Element, ElementPart, RulePlace};
use sundown_exchange::OperationPattern;
use sundown_files::toml_file::{Disclosure, FileMistakes, MessageText, Mistake, WithSpan};
use sundown_text_json::text::{Block, Locations, parse_date};

/// A decoded text of the list, with its span.
pub(super) type ListCell<'t> = WithSpan<Cow<'t, str>>;

/// The unchecked cells of one entry of a list. An empty cell is absent.
#[derive(Debug, Clone, Default)]
pub(super) struct EntryCells<'t> {
    /// The span that messages about the entry as a whole show.
    pub(super) span: Range<usize>,
    pub(super) id: Option<ListCell<'t>>,
    pub(super) operation: Option<ListCell<'t>>,
    /// One of [`TYPES`]. If it is absent, an entry with a name is a field or a value, and one without a name is an endpoint.
    pub(super) kind: Option<ListCell<'t>>,
    pub(super) name: Option<ListCell<'t>>,
    pub(super) value: Option<ListCell<'t>>,
    pub(super) replacement: Option<ListCell<'t>>,
    pub(super) note: Option<ListCell<'t>>,
    pub(super) introduced: Option<ListCell<'t>>,
    pub(super) removal: Option<ListCell<'t>>,
    pub(super) docs: Option<ListCell<'t>>,
}

/// Collects the entries, mistakes and remarks of a list while it is read.
#[derive(Debug, Default)]
pub(super) struct ListCollector {
    entries: Vec<(Range<usize>, Announcement)>,
    seen: usize,
    mistakes: Vec<Mistake>,
    remarks: Vec<(usize, String)>,
    kind: ListStatus,
    /// The places of all entries, if the list says more than their operation.
    places: Arc<[RulePlace]>,
}

/// Whether a file is known to be a deprecation list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ListStatus {
    /// The file may be anything, so messages must not show its contents.
    #[default]
    Unknown,
    List,
}

impl ListCollector {
    /// Records that the file is a list, because it has something that only lists have. Messages may then show its contents.
    pub(super) fn mark_as_list(&mut self) {
        self.kind = ListStatus::List;
    }

    /// Gives all entries these places.
    pub(super) fn place_all(&mut self, places: Arc<[RulePlace]>) {
        self.places = places;
    }

    /// Records a mistake.
    pub(super) fn add_mistake(
        &mut self,
        span: Range<usize>,
        message: impl Into<MessageText>,
        help: impl Into<MessageText>,
    ) {
        self.mistakes
            .push(Mistake::new(span, message).with_help(help));
    }

    /// Records a remark about the text at `offset`.
    pub(super) fn remark(&mut self, offset: usize, message: impl Into<String>) {
        self.remarks.push((offset, message.into()));
    }

    /// Checks the header of a table: reports columns that a rules file has no key for, and columns that appear twice.
    pub(super) fn check_columns<T: AsRef<str>, C: PartialEq>(
        &mut self,
        header: &[WithSpan<T>],
        columns: &[Option<C>],
    ) {
        for (at, (cell, column)) in header.iter().zip(columns).enumerate() {
            let name = cell.value.as_ref();
            if column.is_none() {
                let message =
                    format!("the column `{name}` is ignored: a rules file has no key for it");
                self.remark(cell.span.start, message);
            } else if columns.iter().take(at).any(|earlier| earlier == column) {
                let message = format!("`{name}` is the same column as an earlier one");
                self.add_mistake(cell.span.clone(), message, "name each column once");
            }
        }
    }

    /// Reports a row that does not have a cell for each column.
    pub(super) fn add_row_mistake<T>(
        &mut self,
        row: &[WithSpan<T>],
        columns: usize,
        help: &'static str,
    ) {
        let plural = if row.len() == 1 { "" } else { "s" };
        let message = format!(
            "{} cell{plural} here, and {columns} in the header",
            row.len()
        );
        self.add_mistake(row_span(row), message, help);
    }

    /// The number of entries checked so far.
    pub(super) fn count(&self) -> usize {
        self.seen
    }

    /// Checks one entry and adds it.
    pub(super) fn add_entry(&mut self, cells: &EntryCells<'_>) {
        self.seen += 1;
        let operation = self.operation(cells);
        let element = self.element(cells);
        let facts = AnnouncedFacts {
            replacement: text(cells.replacement.as_ref()),
            note: text(cells.note.as_ref()),
            introduced: self.date("the date of introduction", cells.introduced.as_ref()),
            removal: self.date("the removal date", cells.removal.as_ref()),
            docs: text(cells.docs.as_ref()),
            is_possible: false,
        };
        let id = cells.id.as_ref().and_then(|id| self.id(id));
        if let (Some(operation), Some(element)) = (operation, element) {
            if let ElementPart::Segment(name) = &element.part
                && operation.variable(name).is_none()
            {
                let message = format!("`{operation}` has no variable `{{{name}}}`");
                let help = "a segment has the name of a variable in the path";
                return self.add_mistake(cells.span.clone(), message, help);
            }
            let site = AnnouncementSite::Operation(operation);
            let announcement = Announcement {
                id,
                site,
                element,
                facts,
            };
            self.entries.push((cells.span.clone(), announcement));
        }
    }

    fn operation(&mut self, cells: &EntryCells<'_>) -> Option<OperationPattern> {
        const HELP: &str = "write the method and the path: POST /v1/orders/{id}";
        let Some(cell) = &cells.operation else {
            self.add_mistake(cells.span.clone(), "the operation is missing", HELP);
            return None;
        };
        match OperationPattern::parse(&cell.value) {
            Ok(operation) => Some(operation),
            Err(error) => {
                self.add_mistake(
                    cell.span.clone(),
                    format!("`{}`: {error}", cell.value),
                    HELP,
                );
                None
            }
        }
    }

    fn element(&mut self, cells: &EntryCells<'_>) -> Option<Element> {
        let name = cells.name.as_ref();
        let kind = match &cells.kind {
            Some(kind) => kind.value.trim().to_lowercase(),
            None if name.is_none() => "endpoint".to_owned(),
            None if cells.value.is_some() => "enum-value".to_owned(),
            None => "field".to_owned(),
        };
        let span = cells
            .kind
            .as_ref()
            .map_or(cells.span.clone(), |kind| kind.span.clone());
        if !TYPES.contains(&kind.as_str()) {
            let help = MessageText::own(format!("the types are {}", TYPES.join(", ")));
            self.add_mistake(span, format!("`{kind}` is not a type of deprecation"), help);
            return None;
        }
        if kind == "endpoint" {
            self.remark_superfluous_cells(cells);
            return Some(Element::ENDPOINT);
        }
        let Some(name) = name.map(|name| name.value.clone().into_owned()) else {
            let help = "give its name, or set the type to endpoint";
            self.add_mistake(span, format!("the name of the {kind} is missing"), help);
            return None;
        };
        if kind == "parameter" && is_parameter_number(&name) {
            let message = format!(
                "`{name}` is the number of a parameter, not its name; the entry is ignored"
            );
            self.remark(cells.span.start, message);
            return None;
        }
        self.named(&kind, name, cells, span)
    }

    fn named(
        &mut self,
        kind: &str,
        name: String,
        cells: &EntryCells<'_>,
        span: Range<usize>,
    ) -> Option<Element> {
        let cell = cells.value.as_ref();
        let value = cell.map(|cell| cell.value.clone().into_owned());
        match (kind, cell) {
            ("enum-value", Some(_)) => Some(Element::field(name).with_value(value)),
            ("segment", Some(_)) => Some(Element::segment(name).with_value(value)),
            ("enum-value" | "segment", None) => {
                let help = "say which value is deprecated";
                self.add_mistake(
                    span,
                    format!("the deprecated value of `{name}` is missing"),
                    help,
                );
                None
            }
            ("parameter", _) => Some(Element::parameter(name).with_value(value)),
            ("header", _) => Some(Element::header(name).with_value(value)),
            (_, Some(cell)) => {
                let help = "remove the value, or set the type to enum-value";
                self.add_mistake(cell.span.clone(), format!("a {kind} has no value"), help);
                None
            }
            _ => Some(Element::field(name)),
        }
    }

    /// Records remarks about cells that an endpoint does not have. A name that repeats the operation is accepted.
    fn remark_superfluous_cells(&mut self, cells: &EntryCells<'_>) {
        let operation = cells
            .operation
            .as_ref()
            .map(|operation| operation.value.trim());
        for cell in [&cells.name, &cells.value].into_iter().flatten() {
            if Some(cell.value.trim()) != operation {
                let message = format!(
                    "`{}` does not belong to an endpoint and is ignored",
                    cell.value
                );
                self.remark(cell.span.start, message);
            }
        }
    }

    fn date(&mut self, what: &str, cell: Option<&ListCell<'_>>) -> Option<NaiveDate> {
        let cell = cell?;
        let written = cell.value.trim();
        let Some(stated) = parse_date(written) else {
            let help = "write the year, month and day, as in 2027-01-15; leave the cell empty if no date was announced";
            self.add_mistake(
                cell.span.clone(),
                format!("{what} `{written}` is not a date"),
                help,
            );
            return None;
        };
        let date = stated.last_day();
        if stated.day().is_none() {
            let message = format!(
                "{what} `{written}` names no day: the last day of that time, {date}, is used"
            );
            self.remark(cell.span.start, message);
        }
        Some(date)
    }

    fn id(&mut self, cell: &ListCell<'_>) -> Option<String> {
        let id = ids::kebab(&cell.value);
        if id != cell.value {
            let instead = if id.is_empty() {
                "a derived id".to_owned()
            } else {
                format!("`{id}`")
            };
            let message = format!(
                "`{}` is not a rule id (lower-case words joined by `-`); {instead} is used instead",
                cell.value
            );
            self.remark(cell.span.start, message);
        }
        Some(id).filter(|id| !id.is_empty())
    }

    /// Returns the list, or all its mistakes.
    pub(super) fn finish(mut self, name: &str, text: &str) -> Result<Imported, FileMistakes> {
        let starts = self.entries.iter().map(|(span, _)| span.start);
        let remarked = self.remarks.iter().map(|(offset, _)| *offset);
        let offsets = starts.chain(remarked).collect();
        let locations = Locations::of(Block::whole(text.as_bytes()), offsets);
        self.find_collisions(&locations);
        if self.entries.is_empty() && self.mistakes.is_empty() && self.remarks.is_empty() {
            let end = text.find('\n').unwrap_or(text.len());
            self.add_mistake(
                0..end,
                "this list contains no deprecations",
                "check that this is the right file",
            );
        }
        if !self.mistakes.is_empty() {
            let sight = match self.kind {
                ListStatus::List => Disclosure::Plain,
                ListStatus::Unknown => Disclosure::Masked,
            };
            return Err(FileMistakes::new(sight, "list", name, text, self.mistakes));
        }
        self.remarks.sort_by_key(|(offset, _)| *offset);
        Ok(Imported {
            description: None,
            name: name.to_owned(),
            entries: self
                .entries
                .into_iter()
                .map(|(span, announcement)| ImportedEntry {
                    location: locations.get(span.start),
                    announcement,
                    places: Arc::clone(&self.places),
                })
                .collect(),
            remarks: self
                .remarks
                .into_iter()
                .map(|(offset, message)| ImportRemark {
                    location: locations.get(offset),
                    message,
                })
                .collect(),
        })
    }

    /// Finds entries about one element that nothing distinguishes, and ids that are used twice.
    fn find_collisions(&mut self, locations: &Locations) {
        let mut by_key: HashMap<_, Vec<usize>> = HashMap::new();
        let mut by_id: HashMap<_, usize> = HashMap::new();
        let mut found = Vec::new();
        for (number, (span, announcement)) in self.entries.iter().enumerate() {
            let earlier = by_key.entry(announcement.key()).or_default();
            let same = earlier.iter().find(|&&other| {
                self.entries
                    .get(other)
                    .is_some_and(|(_, other)| are_contradictory(other, announcement))
            });
            if let Some(&other) = same {
                let line = self.line_of(other, locations);
                let rest = format!(" appears twice in this list, first in line {line}");
                let message = MessageText::about(&announcement.subject(), &rest);
                let help = "keep one of them, or give each its own id and replacement";
                found.push(Mistake::new(span.clone(), message).with_help(help));
            }
            earlier.push(number);
            let Some(id) = &announcement.id else { continue };
            let in_operation = (id, key(&announcement.site, &Element::ENDPOINT));
            let first = *by_id.entry(in_operation).or_insert(number);
            let is_other = self
                .entries
                .get(first)
                .is_some_and(|(_, first)| first.key() != announcement.key());
            if is_other {
                let line = self.line_of(first, locations);
                let message =
                    format!("the id `{id}` is already used for another element in line {line}");
                let help = "give each entry of an operation its own id";
                found.push(Mistake::new(span.clone(), message).with_help(help));
            }
        }
        self.mistakes.extend(found);
    }

    fn line_of(&self, entry: usize, locations: &Locations) -> usize {
        self.entries
            .get(entry)
            .map_or(0, |(span, _)| locations.get(span.start).line)
    }
}

/// Whether two announcements about one element contradict each other: neither their ids nor their replacements
/// distinguish them, or their removal dates differ.
fn are_contradictory(one: &Announcement, other: &Announcement) -> bool {
    if let (Some(one), Some(other)) = (&one.id, &other.id)
        && one != other
    {
        return false;
    }
    let one = &one.facts;
    let other = &other.facts;
    one.replacement == other.replacement || one.removal != other.removal
}

/// The span from the first to the last cell of a row.
pub(super) fn row_span<T>(row: &[WithSpan<T>]) -> Range<usize> {
    let start = row.first().map_or(0, |cell| cell.span.start);
    start..row.last().map_or(start, |cell| cell.span.end)
}

fn text(cell: Option<&ListCell<'_>>) -> Option<String> {
    cell.map(|cell| cell.value.clone().into_owned())
}

/// Whether a name has the form `param[3]`, which generators write if they do not know the name of a parameter.
fn is_parameter_number(name: &str) -> bool {
    let inside = name
        .strip_prefix("param[")
        .and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(|inside| !inside.is_empty() && inside.bytes().all(|b| b.is_ascii_digit()))
}
