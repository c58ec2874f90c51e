//! Lists as comma-separated values (RFC 4180) with a header; semicolons and tabs separate as well.
//!
//! `csv_core` is the parser of the crate `csv`, which does not say where a cell is. It accepts every text, so a cell whose quotes
//! do not close at its end is a mistake here: it may hide the rest of the file.

use std::ops::Range;

use csv_core::ReadFieldResult;

use super::collector::ListCollector;
use super::row::{Column, ListCell, ListRow};
use sundown_files::toml_file::{MessageText, WithSpan};
use sundown_text_json::text::csv;

/// The columns that the exporter writes. The importer accepts any order, and more names ([`Column::of`]).
pub(in crate::rules) const COLUMNS: [&str; 10] = [
    "id",
    "operation",
    "type",
    "name",
    "value",
    "replacement",
    "note",
    "introduced",
    "removal",
    "docs",
];

const SEPARATORS: [u8; 3] = [b',', b';', b'\t'];

/// Whether the text begins with a header that has a column for operations.
pub(super) fn is_list(text: &str) -> bool {
    separator(text).is_some()
}

/// Finds the separator with which the first line is a header that has a column for operations.
fn separator(text: &str) -> Option<u8> {
    SEPARATORS.into_iter().find(|&separator| {
        let columns = columns(&CsvRows::new(text, separator).next().unwrap_or_default());
        columns.iter().flatten().count() > 1 && Column::have_operation(&columns)
    })
}

/// The columns of a header. Phrases are for tables that people read.
fn columns(header: &[ListCell]) -> Vec<Option<Column>> {
    let columns = header.iter().map(|cell| Column::of(&cell.value));
    columns
        .map(|column| column.filter(|column| !matches!(column, Column::Item | Column::Advice)))
        .collect()
}

/// Reads a list.
pub(super) fn read(text: &str, collector: &mut ListCollector) {
    let mut rows = CsvRows::new(text, separator(text).unwrap_or(b','));
    let Some(header) = rows
        .next()
        .filter(|row| !has_open_quote(text, row, collector))
    else {
        return;
    };
    let columns = columns(&header);
    collector.check_columns(&header, &columns);
    if !Column::have_operation(&columns) {
        let help = format!("the first line names the columns: {}", COLUMNS.join(","));
        let message = "no column names the operation";
        return collector.add_mistake(span(&header), message, MessageText::own(help));
    }
    // Many tables have methods, paths and names.
    let specific = [Column::Replacement, Column::Introduced, Column::Removal];
    if columns
        .iter()
        .flatten()
        .any(|column| specific.contains(column))
    {
        collector.mark_as_list();
    }
    for row in rows {
        if has_open_quote(text, &row, collector) {
            continue;
        }
        let span = span(&row);
        if row.len() != columns.len() {
            let plural = if row.len() == 1 { "" } else { "s" };
            let message = format!(
                "{} cell{plural} here, and {} in the header",
                row.len(),
                columns.len()
            );
            let help = "write a cell for each column, even if it is empty; put a cell that contains the separator in quotes";
            collector.add_mistake(span, message, help);
            continue;
        }
        let cells = columns.iter().copied().zip(row);
        let cells = cells.filter_map(|(column, cell)| {
            let column = column?;
            // An empty value in quotes is a value; without quotes, it is absent.
            let is_absent = cell.value.trim().is_empty() && !written(text, &cell).starts_with('"');
            (column != Column::Value || !is_absent).then_some((column, cell))
        });
        collector.add_row(&ListRow {
            span,
            cells: cells.collect(),
        });
    }
}

/// The span from the first to the last cell of a row.
fn span(row: &[ListCell]) -> Range<usize> {
    let start = row.first().map_or(0, |cell| cell.span.start);
    start..row.last().map_or(start, |cell| cell.span.end)
}

/// A cell as it is in the file, with its quotes.
fn written<'t>(text: &'t str, cell: &ListCell) -> &'t str {
    text.get(cell.span.clone()).unwrap_or_default()
}

/// Reports the cells of a row whose quotes do not close at their end.
fn has_open_quote(text: &str, row: &[ListCell], collector: &mut ListCollector) -> bool {
    let mut has_one = false;
    for cell in row {
        let written = written(text, cell);
        let is_even = written.matches('"').count().is_multiple_of(2);
        let is_closed = written.len() > 1 && written.ends_with('"') && is_even;
        if written.starts_with('"') && !is_closed {
            has_one = true;
            let start = cell.span.start;
            let message = "the quote that begins this cell does not close at its end";
            let help = "close it there, and double each quote that belongs to the text";
            collector.add_mistake(start..start + 1, message, help);
        }
    }
    has_one
}

/// The rows of a text without the empty ones.
struct CsvRows<'t> {
    text: &'t str,
    at: usize,
    separator: u8,
    parser: csv_core::Reader,
    /// Room for the text of any cell.
    cell: Vec<u8>,
}

impl<'t> CsvRows<'t> {
    fn new(text: &'t str, separator: u8) -> Self {
        Self {
            text,
            at: 0,
            separator,
            parser: csv_core::ReaderBuilder::new().delimiter(separator).build(),
            cell: vec![0; text.len() + 1],
        }
    }
}

impl Iterator for CsvRows<'_> {
    type Item = Vec<ListCell>;

    fn next(&mut self) -> Option<Vec<ListCell>> {
        let mut row = Vec::new();
        let (mut start, mut length) = (self.at, 0);
        loop {
            let rest = self.text.as_bytes().get(self.at..)?;
            let room = self.cell.get_mut(length..)?;
            let (result, read, added) = self.parser.read_field(rest, room);
            self.at += read;
            length += added;
            let is_last = match result {
                ReadFieldResult::Field { record_end } => record_end,
                // The next call ends the last cell.
                ReadFieldResult::InputEmpty => continue,
                ReadFieldResult::OutputFull | ReadFieldResult::End => return None,
            };
            // The end of the line above belongs to the first cell of a row.
            let read = self.text.get(start..self.at)?;
            let cell = read.trim_start_matches(['\r', '\n']);
            start += read.len() - cell.len();
            let cell = if is_last {
                cell.trim_end_matches(['\r', '\n'])
            } else {
                cell.trim_end_matches(char::from(self.separator))
            };
            let value = String::from_utf8_lossy(self.cell.get(..length)?);
            row.push(WithSpan {
                value: csv::decode(value).into_owned(),
                span: start..start + cell.len(),
            });
            if is_last {
                return Some(row);
            }
            (start, length) = (self.at, 0);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_their_spans_with_quotes() {
        let text = "a,é\r\n\r\n\"x,\"\"\n\",,b\n";
        let rows: Vec<Vec<_>> = CsvRows::new(text, b',')
            .map(|row| {
                row.into_iter()
                    .map(|cell| (text[cell.span].to_owned(), cell.value))
                    .collect()
            })
            .collect();
        let pair = |written: &str, value: &str| (written.to_owned(), value.to_owned());
        assert_eq!(
            rows,
            [
                vec![pair("a", "a"), pair("é", "é")],
                vec![pair("\"x,\"\"\n\"", "x,\"\n"), pair("", ""), pair("b", "b")],
            ]
        );
    }
}
