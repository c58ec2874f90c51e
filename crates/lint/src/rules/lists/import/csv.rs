//! Lists as comma-separated values (RFC 4180) with a header; semicolons and tabs separate as well.
//!
//! The parser is our own for two reasons: a mistake is reported with the span of its cell, and malformed CSV is a mistake.
//! A lenient parser guesses, and an unclosed quote then hides the rest of the file.

use std::borrow::Cow;
use std::ops::Range;

use super::collector::{EntryCells, ListCell, ListCollector, row_span};
use sundown_files::toml_file::{MessageText, WithSpan};
use sundown_text_json::text::csv;

/// The columns that the exporter writes. The importer accepts any order, and more names ([`CsvColumn::of`]).
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

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CsvColumn {
    Id,
    Operation,
    Method,
    Path,
    Kind,
    Name,
    Value,
    Replacement,
    Note,
    Introduced,
    Removal,
    Docs,
}

impl CsvColumn {
    fn of(header: &str) -> Option<Self> {
        let letters = header.chars().filter(char::is_ascii_alphanumeric);
        Some(
            match letters.collect::<String>().to_ascii_lowercase().as_str() {
                "id" => Self::Id,
                "operation" => Self::Operation,
                "method" => Self::Method,
                "path" => Self::Path,
                "type" | "kind" => Self::Kind,
                "name" | "field" => Self::Name,
                "value" | "enumvalue" => Self::Value,
                "replacement" => Self::Replacement,
                "note" | "message" => Self::Note,
                "introduced" => Self::Introduced,
                "removal" | "removaldate" | "sunset" => Self::Removal,
                "docs" => Self::Docs,
                _ => return None,
            },
        )
    }

    /// Whether such a column is rare outside of deprecation lists. Many tables have methods, paths and names.
    fn is_specific_to_lists(self) -> bool {
        matches!(self, Self::Replacement | Self::Introduced | Self::Removal)
    }
}

type CsvRow<'t> = Vec<ListCell<'t>>;

/// Whether the text begins with a header that has a column for operations.
pub(super) fn is_list(text: &str) -> bool {
    separator(text).is_some()
}

/// Finds the separator with which the first line is a header that has a column for operations.
fn separator(text: &str) -> Option<u8> {
    SEPARATORS.into_iter().find(|&separator| {
        let header = CsvReader {
            text,
            at: 0,
            separator,
        }
        .row();
        let columns: Vec<_> = match header {
            Some(Ok(row)) => row
                .iter()
                .filter_map(|cell| CsvColumn::of(&cell.value))
                .collect(),
            _ => return false,
        };
        columns.len() > 1 && has_operation(&columns)
    })
}

fn has_operation(columns: &[CsvColumn]) -> bool {
    columns.contains(&CsvColumn::Operation)
        || columns.contains(&CsvColumn::Method) && columns.contains(&CsvColumn::Path)
}

/// Reads a list.
pub(super) fn read(text: &str, collector: &mut ListCollector) {
    let separator = separator(text).unwrap_or(b',');
    let mut reader = CsvReader {
        text,
        at: 0,
        separator,
    };
    let header = match reader.row() {
        None => return,
        Some(Err(error)) => return error.report(collector),
        Some(Ok(header)) => header,
    };
    let columns: Vec<_> = header
        .iter()
        .map(|cell| CsvColumn::of(&cell.value))
        .collect();
    collector.check_columns(&header, &columns);
    if !has_operation(&columns.iter().flatten().copied().collect::<Vec<_>>()) {
        let span = row_span(&header);
        let help = format!("the first line names the columns: {}", COLUMNS.join(","));
        collector.add_mistake(
            span,
            "no column names the operation",
            MessageText::own(help),
        );
        return;
    }
    if columns
        .iter()
        .flatten()
        .any(|column| column.is_specific_to_lists())
    {
        collector.mark_as_list();
    }
    while let Some(row) = reader.row() {
        match row {
            Err(error) => return error.report(collector),
            Ok(row) if row.len() == columns.len() => add_row(row, &columns, collector),
            Ok(row) => {
                let help = "write a cell for each column, even if it is empty; put a cell that contains the separator in quotes";
                collector.add_row_mistake(&row, columns.len(), help);
            }
        }
    }
}

fn add_row(row: CsvRow<'_>, columns: &[Option<CsvColumn>], collector: &mut ListCollector) {
    let mut cells = EntryCells {
        span: row_span(&row),
        ..EntryCells::default()
    };
    let mut method = None;
    let mut path = None;
    for (cell, column) in row.into_iter().zip(columns) {
        let Some(column) = column else { continue };
        // An empty value in quotes is a value; without quotes, it is absent.
        let is_quoted = cell.span.len() > cell.value.len();
        if cell.value.trim().is_empty() && !(*column == CsvColumn::Value && is_quoted) {
            continue;
        }
        let value = csv::decode(cell.value);
        let cell = WithSpan {
            value,
            span: cell.span,
        };
        *match column {
            CsvColumn::Id => &mut cells.id,
            CsvColumn::Operation => &mut cells.operation,
            CsvColumn::Method => &mut method,
            CsvColumn::Path => &mut path,
            CsvColumn::Kind => &mut cells.kind,
            CsvColumn::Name => &mut cells.name,
            CsvColumn::Value => &mut cells.value,
            CsvColumn::Replacement => &mut cells.replacement,
            CsvColumn::Note => &mut cells.note,
            CsvColumn::Introduced => &mut cells.introduced,
            CsvColumn::Removal => &mut cells.removal,
            CsvColumn::Docs => &mut cells.docs,
        } = Some(cell);
    }
    if let (None, Some(method), Some(path)) = (&cells.operation, method, path) {
        let value = Cow::Owned(format!("{} {}", method.value, path.value));
        cells.operation = Some(WithSpan {
            value,
            span: path.span,
        });
    }
    collector.add_entry(&cells);
}

/// A violation of the CSV format. The rest of the text cannot be read.
struct CsvError {
    span: Range<usize>,
    message: &'static str,
    help: &'static str,
}

impl CsvError {
    fn report(self, collector: &mut ListCollector) {
        collector.add_mistake(self.span, self.message, self.help);
    }
}

/// Splits the text into rows.
struct CsvReader<'t> {
    text: &'t str,
    at: usize,
    separator: u8,
}

impl<'t> CsvReader<'t> {
    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    /// Consumes a line end, if there is one.
    fn line_end(&mut self) -> bool {
        let rest = self.text.get(self.at..).unwrap_or_default();
        let length = match rest.as_bytes() {
            [b'\r', b'\n', ..] => 2,
            [b'\n' | b'\r', ..] => 1,
            _ => 0,
        };
        self.at += length;
        length > 0
    }

    /// The next row, empty lines passed over; `None` at the end.
    fn row(&mut self) -> Option<Result<CsvRow<'t>, CsvError>> {
        while self.line_end() {}
        self.peek()?;
        let mut row = Vec::new();
        loop {
            match self.cell() {
                Ok(cell) => row.push(cell),
                Err(broken) => return Some(Err(broken)),
            }
            if self.peek() == Some(self.separator) {
                self.at += 1;
            } else {
                self.line_end();
                return Some(Ok(row));
            }
        }
    }

    fn cell(&mut self) -> Result<ListCell<'t>, CsvError> {
        if self.peek() == Some(b'"') {
            return self.quoted();
        }
        let start = self.at;
        let bytes = self.text.as_bytes().get(start..).unwrap_or_default();
        self.at += bytes
            .iter()
            .position(|byte| *byte == self.separator || matches!(byte, b'\r' | b'\n'))
            .unwrap_or(bytes.len());
        let value = self.text.get(start..self.at).unwrap_or_default();
        if let Some(quote) = value.find('"') {
            return Err(CsvError {
                span: start + quote..start + quote + 1,
                message: "a quote inside a cell that does not begin with a quote",
                help: "put the whole cell in quotes, and write each quote in it twice",
            });
        }
        Ok(WithSpan {
            value: Cow::Borrowed(value),
            span: start..self.at,
        })
    }

    fn quoted(&mut self) -> Result<ListCell<'t>, CsvError> {
        let start = self.at;
        let mut value = String::new();
        loop {
            let rest = self.text.get(self.at + 1..).unwrap_or_default();
            let Some(length) = rest.find('"') else {
                return Err(CsvError {
                    span: start..start + 1,
                    message: "this quote is never closed",
                    help: "close it, or double each quote that belongs to the text",
                });
            };
            value.push_str(rest.get(..length).unwrap_or_default());
            self.at += length + 2;
            if self.peek() != Some(b'"') {
                break;
            }
            value.push('"');
        }
        match self.peek() {
            None | Some(b'\r' | b'\n') => {}
            Some(byte) if byte == self.separator => {}
            Some(_) => {
                return Err(CsvError {
                    span: self.at - 1..self.at,
                    message: "there is text after the closing quote of this cell",
                    help: "double each quote that belongs to the text",
                });
            }
        }
        Ok(WithSpan {
            value: Cow::Owned(value),
            span: start..self.at,
        })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn rows(text: &str) -> Option<Vec<Vec<String>>> {
        let mut reader = CsvReader {
            text,
            at: 0,
            separator: b',',
        };
        let mut rows = Vec::new();
        while let Some(row) = reader.row() {
            rows.push(
                row.ok()?
                    .into_iter()
                    .map(|cell| cell.value.into_owned())
                    .collect(),
            );
        }
        Some(rows)
    }

    /// Reads with the `csv` crate, which also accepts malformed text.
    fn by_library(text: &str) -> Vec<Vec<String>> {
        let mut reader = ::csv::ReaderBuilder::new()
            .has_headers(false)
            .flexible(true)
            .from_reader(text.as_bytes());
        let rows = reader
            .records()
            .map(|row| row.unwrap().iter().map(str::to_owned).collect());
        rows.collect()
    }

    proptest! {
        #[test]
        fn rows_match_the_csv_crate(text in "[ab,\"\n\r é]{0,24}") {
            if let Some(rows) = rows(&text) {
                prop_assert_eq!(rows, by_library(&text));
            }
        }

        #[test]
        fn output_of_the_csv_crate_is_read(
            rows in prop::collection::vec(prop::collection::vec("[a,\"\n\r é;]{0,5}", 2..4), 1..4),
        ) {
            let mut writer = ::csv::WriterBuilder::new().flexible(true).from_writer(Vec::new());
            for row in &rows {
                writer.write_record(row).unwrap();
            }
            let text = String::from_utf8(writer.into_inner().unwrap()).unwrap();
            prop_assert_eq!(super::tests::rows(&text), Some(rows));
        }
    }

    #[test]
    fn malformed_csv_is_reported_with_its_offset() {
        for (text, at) in [("a,\"b", 2), ("a,b\"c", 3), ("a,\"b\"c", 4), ("\"a\"\"", 0)] {
            let mut reader = CsvReader {
                text,
                at: 0,
                separator: b',',
            };
            let Some(Err(broken)) = reader.row() else {
                panic!("{text}")
            };
            assert_eq!(broken.span.start, at, "{text}");
        }
    }
}
