//! Reads a list in a table of Markdown.

use super::super::collector::{EntryCells, ListCell, ListCollector};
use super::inline::InlineText;
use super::words::{ListedAdvice, ListedItem};
use std::borrow::Cow;
use sundown_files::toml_file::WithSpan;

pub(super) const OPERATION_HELP: &str =
    "write the method and the path, or `same` for the operation of the row above";

/// The content of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum MarkdownColumn {
    Id,
    Operation,
    Method,
    Path,
    Item,
    /// A replacement, a note, or both.
    Advice,
    Replacement,
    Note,
    Introduced,
    Removal,
    Docs,
}

impl MarkdownColumn {
    fn of(header: &str) -> Option<Self> {
        Some(match header.trim().to_lowercase().as_str() {
            "id" => Self::Id,
            "operation" | "endpoint" => Self::Operation,
            "method" => Self::Method,
            "path" => Self::Path,
            "item" | "element" => Self::Item,
            "replacement or note" | "replacement / note" | "replacement/note" => Self::Advice,
            "replacement" | "use instead" => Self::Replacement,
            "note" | "notes" => Self::Note,
            "introduced" | "deprecated since" | "deprecated on" => Self::Introduced,
            "removal" | "removal date" | "sunset" => Self::Removal,
            "docs" | "read more" => Self::Docs,
            _ => return None,
        })
    }
}

/// A table: its header and its rows, split into cells.
pub(super) struct MarkdownTable<'t> {
    header: Vec<WithSpan<&'t str>>,
    rows: Vec<Vec<WithSpan<&'t str>>>,
}

/// Whether the text contains a table.
pub(in crate::rules::lists::import) fn has_table(text: &str) -> bool {
    !tables(text).is_empty()
}

/// Reads all lists of a document.
pub(in crate::rules::lists::import) fn read(text: &str, collector: &mut ListCollector) {
    let tables = tables(text);
    let mut lists = 0;
    for table in &tables {
        let columns: Vec<_> = table
            .header
            .iter()
            .map(|cell| MarkdownColumn::of(&InlineText::of(cell.value).text))
            .collect();
        if is_list(&columns) {
            lists += 1;
            collector.mark_as_list();
            read_table(table, &columns, collector);
        }
    }
    if lists == 0 {
        let end = text.find('\n').unwrap_or(text.len());
        let found = match tables.len() {
            0 => "no table in this document".to_owned(),
            1 => "the only table in this document is not a deprecation list".to_owned(),
            count => format!("none of the {count} tables in this document is a deprecation list"),
        };
        let help =
            "the header of a deprecation list has the columns Operation, Item and Removal date";
        collector.add_mistake(0..end, found, help);
    }
}

pub(super) fn is_list(columns: &[Option<MarkdownColumn>]) -> bool {
    use MarkdownColumn::{Item, Method, Operation, Path, Removal};
    let has = |column| columns.contains(&Some(column));
    (has(Operation) || has(Method) && has(Path)) && has(Item) && has(Removal)
}

pub(super) fn read_table(
    table: &MarkdownTable<'_>,
    columns: &[Option<MarkdownColumn>],
    collector: &mut ListCollector,
) {
    collector.check_columns(&table.header, columns);
    let mut last = None;
    for row in &table.rows {
        if row.len() == columns.len() {
            let cells = row
                .iter()
                .zip(columns)
                .filter_map(|(cell, column)| Some((column.as_ref().copied()?, cell)));
            read_row(&MarkdownRow(cells.collect()), &mut last, collector);
            continue;
        }
        let help =
            "write a cell for each column, even if it is empty; write `|` in a cell as `\\|`";
        collector.add_row_mistake(row, columns.len(), help);
    }
}

pub(super) struct MarkdownRow<'r>(Vec<(MarkdownColumn, &'r WithSpan<&'r str>)>);

impl<'r> MarkdownRow<'r> {
    fn get(&self, column: MarkdownColumn) -> Option<&'r WithSpan<&'r str>> {
        self.0
            .iter()
            .find(|(it, _)| *it == column)
            .map(|(_, cell)| *cell)
    }

    fn text(&self, column: MarkdownColumn) -> Option<ListCell<'static>> {
        self.get(column).and_then(non_blank)
    }
}

pub(super) fn read_row(
    row: &MarkdownRow<'_>,
    last: &mut Option<ListCell<'static>>,
    collector: &mut ListCollector,
) {
    let operation = operation(row, last.as_ref(), collector);
    if operation.is_some() {
        last.clone_from(&operation);
    }
    let Some(item_cell) = row.get(MarkdownColumn::Item) else {
        return;
    };
    let item = match ListedItem::parse(&InlineText::of(item_cell.value)) {
        Ok(item) => item,
        Err(error) => {
            let help = "write field `x`, fields `x`, `y`, parameter `x`, header `x`, value `V` of field `x`, or whole endpoint";
            collector.add_mistake(item_cell.span.clone(), error, help);
            return;
        }
    };
    let place = row
        .get(MarkdownColumn::Advice)
        .or(row.get(MarkdownColumn::Replacement))
        .unwrap_or(item_cell);
    let advice = advice(row);
    let notes = [advice.note, item.note]
        .into_iter()
        .flatten()
        .collect::<Vec<_>>()
        .join("; ");
    let cells = EntryCells {
        span: item_cell.span.clone(),
        id: row.text(MarkdownColumn::Id),
        operation,
        kind: Some(cell_at(item_cell, item.kind.to_owned())),
        name: None,
        value: item.value.map(|value| cell_at(item_cell, value)),
        replacement: advice.replacement.map(|text| cell_at(place, text)),
        note: (!notes.is_empty()).then(|| cell_at(place, notes)),
        introduced: row.text(MarkdownColumn::Introduced),
        removal: row.text(MarkdownColumn::Removal),
        docs: row.get(MarkdownColumn::Docs).and_then(link),
    };
    if cells.operation.is_none() {
        return;
    }
    let names = item.names.into_iter();
    let names: Vec<_> = if item.kind == "endpoint" {
        vec![None]
    } else {
        names.map(|name| Some(cell_at(item_cell, name))).collect()
    };
    for name in names {
        let cells = EntryCells {
            name,
            ..cells.clone()
        };
        collector.add_entry(&cells);
        for second in &advice.seconds {
            let replacement = Some(cell_at(place, second.clone()));
            collector.add_entry(&EntryCells {
                replacement,
                note: None,
                ..cells.clone()
            });
        }
    }
}

/// The operation of a row, or that of the row above if the row refers to it.
pub(super) fn operation(
    row: &MarkdownRow<'_>,
    last: Option<&ListCell<'static>>,
    collector: &mut ListCollector,
) -> Option<ListCell<'static>> {
    let (cell, mut text) = match (
        row.get(MarkdownColumn::Operation),
        row.get(MarkdownColumn::Method),
        row.get(MarkdownColumn::Path),
    ) {
        (Some(cell), _, _) => (cell, InlineText::of(cell.value)),
        (None, Some(method), Some(path)) => (
            path,
            InlineText::of(&format!("{} {}", method.value, path.value)),
        ),
        _ => return None,
    };
    if super::words::is_same(&text.text) {
        if last.is_none() {
            let what = "there is no operation above this row";
            collector.add_mistake(cell.span.clone(), what, OPERATION_HELP);
        }
        return last.cloned();
    }
    if text.text.trim().is_empty() {
        collector.add_mistake(
            cell.span.clone(),
            "the operation is missing",
            OPERATION_HELP,
        );
        return None;
    }
    if let Some((head, inside)) = text.split_parenthesis() {
        let what = format!("`{}` has no place in an operation: left out", inside.text);
        collector.remark(cell.span.start, what);
        text = head;
    }
    Some(cell_at(cell, text.text))
}

/// A text that was taken from a cell.
fn cell_at(cell: &WithSpan<&str>, value: String) -> ListCell<'static> {
    WithSpan {
        value: Cow::Owned(value),
        span: cell.span.clone(),
    }
}

pub(super) fn advice(row: &MarkdownRow<'_>) -> ListedAdvice {
    if let Some(cell) = row.get(MarkdownColumn::Advice) {
        return ListedAdvice::of_both(&InlineText::of(cell.value));
    }
    let mut advice = row
        .get(MarkdownColumn::Replacement)
        .map(|cell| ListedAdvice::of_replacement(&InlineText::of(cell.value)))
        .unwrap_or_default();
    advice.note = row
        .text(MarkdownColumn::Note)
        .map(|note| note.value.into_owned());
    advice
}

/// The text of a cell, unless it is empty or states that there is no information.
pub(super) fn non_blank(cell: &WithSpan<&str>) -> Option<ListCell<'static>> {
    let text = InlineText::of(cell.value).text;
    (!super::words::is_absent(&text)).then(|| cell_at(cell, text))
}

/// The URL of a link, or the text of a cell without a link.
pub(super) fn link(cell: &WithSpan<&str>) -> Option<ListCell<'static>> {
    let text = non_blank(cell)?.value;
    let inside = text
        .strip_prefix('<')
        .and_then(|rest| rest.strip_suffix('>'));
    let target = text
        .strip_suffix(')')
        .filter(|text| text.starts_with('['))
        .and_then(|rest| rest.split_once("]("))
        .map(|(_, target)| target);
    let url = inside.or(target).unwrap_or(&text).to_owned();
    Some(cell_at(cell, url))
}

/// All tables of a document, except for those in code blocks.
pub(super) fn tables(text: &str) -> Vec<MarkdownTable<'_>> {
    let mut tables = Vec::new();
    let mut fence: Option<&str> = None;
    let mut above: Option<(usize, &str)> = None;
    let mut open: Option<MarkdownTable<'_>> = None;
    let mut start = 0;
    for whole in text.split_inclusive('\n') {
        let at = start;
        start += whole.len();
        let line = whole.trim_end_matches(['\r', '\n']);
        if let Some(mark) = fence_mark(line) {
            fence = match fence {
                None => Some(mark),
                Some(opened) if mark.starts_with(opened) => None,
                opened => opened,
            };
        }
        if fence.is_some() || ends_table(line) {
            tables.extend(open.take());
            above = None;
            continue;
        }
        if let Some(table) = &mut open {
            table.rows.push(row(line, at));
            continue;
        }
        if let Some((above_at, above)) = above
            && let Some(columns) = delimiters(line)
        {
            let header = row(above, above_at);
            if header.len() == columns && above.contains('|') {
                open = Some(MarkdownTable {
                    header,
                    rows: Vec::new(),
                });
            }
        }
        above = Some((at, line));
    }
    tables.extend(open);
    tables
}

pub(super) fn fence_mark(line: &str) -> Option<&str> {
    let line = line.trim_start();
    let mark = line
        .chars()
        .next()
        .filter(|first| matches!(first, '`' | '~'))?;
    let length = line.len() - line.trim_start_matches(mark).len();
    (length >= 3).then(|| line.get(..length)).flatten()
}

/// Whether a line ends a table: an empty line or the beginning of another block.
pub(super) fn ends_table(line: &str) -> bool {
    let line = line.trim_start();
    line.is_empty() || line.starts_with(['#', '>']) || fence_mark(line).is_some()
}

/// The number of columns of the delimiter row below a header; `None` for any other line.
pub(super) fn delimiters(line: &str) -> Option<usize> {
    let cells = row(line, 0);
    (line.contains(['|', '-'])
        && cells.iter().all(|cell| {
            let inside = cell.value.trim_start_matches(':').trim_end_matches(':');
            !inside.is_empty() && inside.bytes().all(|byte| byte == b'-')
        }))
    .then_some(cells.len())
}

/// Splits a line into cells at each `|` without a backslash. A `|` at the beginning or the end of the line does not add an
/// empty cell.
pub(super) fn row(line: &str, start: usize) -> Vec<WithSpan<&str>> {
    let mut cells = Vec::new();
    let mut from = 0;
    let mut is_escaped = false;
    let indent = line.len() - line.trim_start().len();
    let mut cut = |from: usize, to: usize| {
        let cell = line.get(from..to).unwrap_or_default();
        let text = cell.trim();
        let at = start + from + (cell.len() - cell.trim_start().len());
        cells.push(WithSpan {
            value: text,
            span: at..at + text.len(),
        });
    };
    for (at, byte) in line.bytes().enumerate() {
        if byte == b'|' && !is_escaped {
            if at > indent {
                cut(from, at);
            }
            from = at + 1;
        }
        is_escaped = byte == b'\\' && !is_escaped;
    }
    if from == 0 || !line.get(from..).unwrap_or_default().trim().is_empty() {
        cut(from, line.len());
    }
    cells
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells(line: &str) -> Vec<&str> {
        row(line, 0).into_iter().map(|cell| cell.value).collect()
    }

    #[test]
    fn rows_are_split_at_pipes() {
        assert_eq!(cells("| a | b |"), ["a", "b"]);
        assert_eq!(cells("a|b"), ["a", "b"]);
        assert_eq!(cells("  | a \\| x | `b\\|` |  "), ["a \\| x", "`b\\|`"]);
        assert_eq!(cells("| | b | |"), ["", "b", ""]);
        assert_eq!(cells("|a\\\\|b|"), ["a\\\\", "b"]);
        assert_eq!(cells("no table"), ["no table"]);
    }

    #[test]
    fn cells_have_their_spans() {
        let line = "| é |  b |";
        let spans: Vec<_> = row(line, 10).into_iter().map(|cell| cell.span).collect();
        assert_eq!(spans, [12..14, 18..19]);
    }

    #[test]
    fn tables_end_and_code_blocks_contain_none() {
        let text = "a | b\n--|:-:\n1 | 2\n3 | 4\n\n```md\n| x | y |\n|---|---|\n```\n~~~\n```\n|q|w|\n|-|-|\n~~~\n|c|\n|-|\n|5|\n# end\n";
        let found: Vec<_> = tables(text)
            .iter()
            .map(|table| (table.header.len(), table.rows.len()))
            .collect();
        assert_eq!(found, [(2, 2), (1, 1)]);
    }

    #[test]
    fn a_line_of_dashes_below_other_cells_is_not_a_table() {
        assert!(!has_table("a | b\n---\n"));
        assert!(!has_table("title\n---\n"));
    }
}
