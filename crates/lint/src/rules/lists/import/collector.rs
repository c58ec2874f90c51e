//! The part that all importers share: checks the cells of each row, and then that the entries of a list do not contradict each
//! other.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use chrono::NaiveDate;

use super::row::{Column, ListCell, ListRow};
use super::{ImportRemark, Imported, ImportedEntry, ids};
use crate::rules::lists::element_names::{TYPES, named};
use crate::rules::{Element, ElementPart, Rule, RulePlace, in_backticks};
use sundown_exchange::OperationPattern;
use sundown_files::toml_file::{Disclosure, FileMistakes, MessageText, Mistake};
use sundown_text_json::text::{Block, Locations, is_digits, parse_date};

/// The span of an entry, and its rule, whose id is empty if the list gives none.
type ListEntry = (Range<usize>, Rule);

/// Collects the entries, mistakes and remarks of a list while it is read.
#[derive(Default)]
pub(super) struct ListCollector {
    entries: Vec<ListEntry>,
    seen: usize,
    mistakes: Vec<Mistake>,
    remarks: Vec<(usize, String)>,
    /// Whether the file is known to be a list. Else it may be anything, so messages must not show its contents.
    is_list: bool,
    /// The places of all entries, if the list says more than their operation.
    places: Arc<[RulePlace]>,
}

impl ListCollector {
    /// Records that the file is a list, because it has something that only lists have. Messages may then show its contents.
    pub(super) fn mark_as_list(&mut self) {
        self.is_list = true;
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
    pub(super) fn check_columns(&mut self, header: &[ListCell], columns: &[Option<Column>]) {
        let names_elements =
            columns.contains(&Some(Column::Name)) || columns.contains(&Some(Column::Item));
        for (at, (cell, column)) in header.iter().zip(columns).enumerate() {
            let name = &cell.value;
            if column.is_none() && !names_elements && is_of_elements(name) {
                let message = format!(
                    "the column `{name}` is not read, so each row would be about a whole endpoint"
                );
                let help = "write the element in two columns: type and name";
                self.add_mistake(cell.span.clone(), message, help);
            } else if column.is_none() {
                let message =
                    format!("the column `{name}` is ignored: a rules file has no key for it");
                self.remark(cell.span.start, message);
            } else if columns.iter().take(at).any(|earlier| earlier == column) {
                let message = format!("`{name}` is the same column as an earlier one");
                self.add_mistake(cell.span.clone(), message, "name each column once");
            }
        }
    }

    /// The number of rows checked so far.
    pub(super) fn count(&self) -> usize {
        self.seen
    }

    /// Checks a row and adds its entry.
    pub(super) fn add_row(&mut self, row: &ListRow) {
        self.seen += 1;
        let operation = self.operation(row);
        let element = self.element(row);
        let is_in_two_parts = row.has(Column::Replacement) || row.has(Column::Note);
        let message = row.text(Column::Message).filter(|_| !is_in_two_parts);
        let replacement = message.as_deref().and_then(named_replacement);
        let facts = Rule {
            replacement: row.text(Column::Replacement).or(replacement),
            note: row.text(Column::Note).or(message),
            introduced: self.date("the date of introduction", row.get(Column::Introduced)),
            removal: self.date("the removal date", row.get(Column::Removal)),
            docs: row.text(Column::Docs),
            places: Arc::clone(&self.places),
            ..Rule::default()
        };
        let id = row.get(Column::Id).map(|id| self.id(id));
        if let (Some(operation), Some(element)) = (operation, element) {
            if let ElementPart::Segment(name) = &element.part
                && operation.variable(name).is_none()
            {
                let message = format!("`{operation}` has no variable `{{{name}}}`");
                let help = "a segment has the name of a variable in the path";
                return self.add_mistake(row.span.clone(), message, help);
            }
            let rule = Rule {
                id: id.unwrap_or_default(),
                announced: Some(operation),
                element,
                ..facts
            };
            self.entries.push((row.span.clone(), rule));
        }
    }

    fn operation(&mut self, row: &ListRow) -> Option<OperationPattern> {
        const HELP: &str = "write the method and the path: POST /v1/orders/{id}";
        let Some(ListCell { value, span }) = row.operation() else {
            self.add_mistake(row.span.clone(), "the operation is missing", HELP);
            return None;
        };
        match OperationPattern::parse(&value) {
            Ok(operation) => Some(operation),
            Err(error) => {
                self.add_mistake(span, format!("`{value}`: {error}"), HELP);
                None
            }
        }
    }

    /// The element of a row. Without a type, a row with a name is about a field or a value, and one without a name about an
    /// endpoint.
    fn element(&mut self, row: &ListRow) -> Option<Element> {
        let (name, value) = (row.text(Column::Name), row.text(Column::Value));
        let given = row.get(Column::Kind);
        let kind = match given {
            Some(kind) => kind.value.trim().to_lowercase(),
            None if name.is_none() => "endpoint".to_owned(),
            None if value.is_some() => "enum-value".to_owned(),
            None => "field".to_owned(),
        };
        let span = given.map_or(row.span.clone(), |kind| kind.span.clone());
        if !TYPES.contains(&kind.as_str()) {
            let help = MessageText::own(format!("the types are {}", TYPES.join(", ")));
            self.add_mistake(span, format!("`{kind}` is not a type of deprecation"), help);
            return None;
        }
        if kind == "endpoint" {
            self.remark_superfluous_cells(row);
            return Some(Element::ENDPOINT);
        }
        let Some(name) = name else {
            let help = "give its name, or set the type to endpoint";
            self.add_mistake(span, format!("the name of the {kind} is missing"), help);
            return None;
        };
        if kind == "parameter" && is_parameter_number(&name) {
            let message = format!(
                "`{name}` is the number of a parameter, not its name; the entry is ignored"
            );
            self.remark(row.span.start, message);
            return None;
        }
        match (kind.as_str(), value) {
            ("enum-value" | "segment", None) => {
                let message = format!("the deprecated value of `{name}` is missing");
                self.add_mistake(span, message, "say which value is deprecated");
                None
            }
            ("field", Some(_)) => {
                let span = row
                    .get(Column::Value)
                    .map_or(span, |cell| cell.span.clone());
                let help = "remove the value, or set the type to enum-value";
                self.add_mistake(span, "a field has no value", help);
                None
            }
            ("segment", value) => Some(Element::segment(name).with_value(value)),
            ("parameter", value) => Some(Element::parameter(name).with_value(value)),
            ("header", value) => Some(Element::header(name).with_value(value)),
            (_, value) => Some(Element::field(name).with_value(value)),
        }
    }

    /// Records remarks about cells that an endpoint does not have. A name that repeats the operation is accepted.
    fn remark_superfluous_cells(&mut self, row: &ListRow) {
        let operation = row.operation();
        let operation = operation.as_ref().map(|cell| cell.value.trim());
        for column in [Column::Name, Column::Value] {
            let cell = row.get(column);
            if let Some(cell) = cell.filter(|cell| Some(cell.value.trim()) != operation) {
                let name = &cell.value;
                let message = format!("`{name}` does not belong to an endpoint and is ignored");
                self.remark(cell.span.start, message);
            }
        }
    }

    fn date(&mut self, what: &str, cell: Option<&ListCell>) -> Option<NaiveDate> {
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

    /// The id in a cell, which is empty if the cell has no words.
    fn id(&mut self, cell: &ListCell) -> String {
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
        id
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
            let disclosure = if self.is_list {
                Disclosure::Plain
            } else {
                Disclosure::Masked
            };
            return Err(FileMistakes::new(
                disclosure,
                "list",
                name,
                text,
                self.mistakes,
            ));
        }
        self.remarks.sort_by_key(|(offset, _)| *offset);
        Ok(Imported {
            description: None,
            name: name.to_owned(),
            entries: self
                .entries
                .into_iter()
                .map(|(span, rule)| ImportedEntry {
                    location: locations.get(span.start),
                    rule,
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
        let mut by_subject: HashMap<_, Vec<&ListEntry>> = HashMap::new();
        let mut by_id = HashMap::new();
        let line_of = |(span, _): &ListEntry| locations.get(span.start).line;
        for entry in &self.entries {
            let (span, rule) = entry;
            let earlier = by_subject.entry(ids::subject(rule)).or_default();
            let mut same = earlier.iter();
            if let Some(other) = same.find(|(_, other)| are_contradictory(other, rule)) {
                let rest = format!(
                    " appears twice in this list, first in line {}",
                    line_of(other)
                );
                let message = MessageText::about(&subject(rule), &rest);
                let help = "keep one of them, or give each its own id and replacement";
                self.mistakes
                    .push(Mistake::new(span.clone(), message).with_help(help));
            }
            earlier.push(entry);
            let id = &rule.id;
            let first = *by_id.entry((id, ids::operation(rule))).or_insert(entry);
            if !id.is_empty() && ids::subject(&first.1) != ids::subject(rule) {
                let line = line_of(first);
                let message =
                    format!("the id `{id}` is already used for another element in line {line}");
                let help = "give each entry of an operation its own id";
                self.mistakes
                    .push(Mistake::new(span.clone(), message).with_help(help));
            }
        }
    }
}

/// The subject of an entry for messages: ``field `total` of POST /v2/orders``. The subject of an endpoint is its operation.
fn subject(rule: &Rule) -> String {
    let operation = rule.announced.as_ref().map(ToString::to_string);
    let operation = operation.unwrap_or_default();
    match rule.element.name() {
        None => operation,
        Some(_) => format!("{} of {operation}", named(&rule.element, in_backticks)),
    }
}

/// Whether two entries about one element contradict each other: neither their ids nor their replacements distinguish them, or
/// their removal dates differ.
fn are_contradictory(one: &Rule, other: &Rule) -> bool {
    let have_ids = !one.id.is_empty() && !other.id.is_empty();
    let are_distinct = have_ids && one.id != other.id;
    !are_distinct && (one.replacement == other.replacement || one.removal != other.removal)
}

/// Extracts `total` from `Use total instead.`, only if the replacement is a single word and thus unambiguous.
fn named_replacement(message: &str) -> Option<String> {
    let (_, after) = message.rsplit_once("Use ")?;
    let (word, _) = after.split_once(" instead")?;
    let word = word.trim_matches('`');
    let is_word = !word.is_empty() && !word.contains(char::is_whitespace);
    is_word.then(|| word.to_owned())
}

/// Whether a name has the form `param[3]`, which generators write if they do not know the name of a parameter.
fn is_parameter_number(name: &str) -> bool {
    let inside = name
        .strip_prefix("param[")
        .and_then(|rest| rest.strip_suffix(']'));
    inside.is_some_and(is_digits)
}

/// Whether the name of a column says that it has elements.
fn is_of_elements(name: &str) -> bool {
    let kind = name.to_ascii_lowercase();
    Column::of(name) == Some(Column::Item) || TYPES.contains(&kind.as_str())
}
