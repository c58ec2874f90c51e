//! Lists as a table in a Markdown document (GitHub Flavored Markdown, section 4.10), as API references publish them.
//!
//! A table is a deprecation list if its header has an operation, an item and a removal date. A renderer accepts a row with too
//! few or too many cells; here it is a mistake.

use std::ops::Range;

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

use super::collector::ListCollector;
use super::phrases::{InlineText, ListedAdvice, ListedItem, is_absent, is_same, joined};
use super::row::{Column, ListCell, ListRow};
use crate::rules::in_backticks;
use sundown_files::toml_file::WithSpan;
use sundown_text_json::text::join;

const OPERATION_HELP: &str =
    "write the method and the path, or `same` for the operation of the row above";

type MarkdownCell = WithSpan<InlineText>;

/// A row of a table. The first row is the header.
struct MarkdownRow {
    cells: Vec<MarkdownCell>,
    span: Range<usize>,
}

/// Whether the text contains a table.
pub(super) fn has_table(text: &str) -> bool {
    let mut events = Parser::new_ext(text, Options::ENABLE_TABLES);
    events.any(|event| matches!(event, Event::Start(Tag::Table(_))))
}

/// Reads all lists of a document.
pub(super) fn read(text: &str, collector: &mut ListCollector) {
    let tables = tables(text);
    let mut lists = 0;
    for table in &tables {
        let Some((header, rows)) = table.split_first() else {
            continue;
        };
        let names = header.cells.iter().map(|cell| WithSpan {
            value: cell.value.text.clone(),
            span: cell.span.clone(),
        });
        let names: Vec<ListCell> = names.collect();
        let columns = names.iter().map(|name| Column::of(&name.value));
        // An item has the type, the name and the value.
        let parts = [Column::Kind, Column::Name, Column::Value];
        let columns: Vec<_> = columns
            .map(|own| own.filter(|own| !parts.contains(own)))
            .collect();
        let wanted = [
            ("Operation", Column::have_operation(&columns)),
            ("Item", columns.contains(&Some(Column::Item))),
            ("Removal date", columns.contains(&Some(Column::Removal))),
        ];
        let missing = wanted.iter().filter(|(_, is_there)| !is_there);
        let missing: Vec<_> = missing.map(|(name, _)| *name).collect();
        if missing.is_empty() {
            lists += 1;
            collector.mark_as_list();
            collector.check_columns(&names, &columns);
            read_rows(rows, &columns, text, collector);
            continue;
        }
        // Many tables have one of these columns.
        if missing.len() == 1 || missing.len() == 2 && names.iter().any(may_have_day) {
            let missing = join(missing, " and no column ");
            let mut message = format!("this table has no column {missing}: left out");
            let unknown = names.iter().zip(&columns);
            let unknown = unknown.filter(|(_, column)| column.is_none());
            let unknown = join(unknown.map(|(name, _)| in_backticks(&name.value)), ", ");
            if !unknown.is_empty() {
                message = format!("{message}; not understood: {unknown}");
            }
            collector.remark(header.span.start, message);
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

/// Whether a column may have the last day, by its name.
fn may_have_day(name: &ListCell) -> bool {
    let name = name.value.to_lowercase();
    let words = ["date", "sunset", "remov", "end of", "until", "retire"];
    words.iter().any(|word| name.contains(word))
}

/// All tables of a document.
fn tables(text: &str) -> Vec<Vec<MarkdownRow>> {
    let mut tables: Vec<Vec<MarkdownRow>> = Vec::new();
    let mut open: Option<MarkdownCell> = None;
    for (event, span) in Parser::new_ext(text, Options::ENABLE_TABLES).into_offset_iter() {
        if matches!(event, Event::Start(Tag::Table(_))) {
            tables.push(Vec::new());
        }
        let Some(table) = tables.last_mut() else {
            continue;
        };
        match event {
            Event::Start(Tag::TableHead | Tag::TableRow) => {
                let cells = Vec::new();
                table.push(MarkdownRow { cells, span });
            }
            Event::Start(Tag::TableCell) => {
                let cell = text.get(span.clone()).unwrap_or_default();
                let start = span.end - cell.trim_start().len();
                let span = start..start + cell.trim().len();
                let value = InlineText::default();
                open = Some(WithSpan { value, span });
            }
            Event::End(TagEnd::TableCell) => {
                if let Some(row) = table.last_mut() {
                    row.cells.extend(open.take());
                }
            }
            event => {
                if let Some(cell) = &mut open {
                    cell.value.push(event, span, text);
                }
            }
        }
    }
    tables
}

/// Whether a row has a cell for each column: the parser adds empty cells at the end of a short row, and leaves out those of a long
/// one.
fn is_complete(row: &MarkdownRow, text: &str) -> bool {
    let Some(last) = row.cells.last() else {
        return false;
    };
    let after = text.get(last.span.end..row.span.end).unwrap_or_default();
    match after.trim() {
        "|" => true,
        "" => !last.span.is_empty(),
        _ => false,
    }
}

fn read_rows(
    rows: &[MarkdownRow],
    columns: &[Option<Column>],
    text: &str,
    collector: &mut ListCollector,
) {
    let mut last = None;
    for row in rows {
        if is_complete(row, text) {
            read_row(&row.cells, columns, &mut last, collector);
            continue;
        }
        let message = format!(
            "the header has {} cells, and this row has more or fewer",
            columns.len()
        );
        let help =
            "write a cell for each column, even if it is empty; write `|` in a cell as `\\|`";
        let start = row.cells.first().map_or(0, |cell| cell.span.start);
        let written = text.get(start..row.span.end).unwrap_or_default();
        collector.add_mistake(start..start + written.trim_end().len(), message, help);
    }
}

/// Adds an entry for each name of a row, and one for each further replacement. `last` is the operation above.
fn read_row(
    cells: &[MarkdownCell],
    columns: &[Option<Column>],
    last: &mut Option<ListCell>,
    collector: &mut ListCollector,
) {
    let get = |column| {
        let at = columns.iter().position(|own| *own == Some(column))?;
        cells.get(at)
    };
    let operation = operation(&get, last.as_ref(), collector);
    if operation.is_some() {
        last.clone_from(&operation);
    }
    let Some(item_cell) = get(Column::Item) else {
        return;
    };
    let item = match ListedItem::parse(&item_cell.value) {
        Ok(item) => item,
        Err(error) => {
            let help = "write field `x`, fields `x`, `y`, parameter `x`, header `x`, value `V` of field `x`, or whole endpoint";
            return collector.add_mistake(item_cell.span.clone(), error, help);
        }
    };
    let Some(operation) = operation else { return };
    let item_span = &item_cell.span;
    let (advice, advice_span) = match (get(Column::Advice), get(Column::Replacement)) {
        (Some(cell), _) => (ListedAdvice::of_both(&cell.value), &cell.span),
        (None, Some(cell)) => (ListedAdvice::of_replacement(&cell.value), &cell.span),
        (None, None) => (ListedAdvice::default(), item_span),
    };
    let mut row = ListRow {
        span: item_span.clone(),
        cells: vec![(Column::Operation, operation)],
    };
    for column in [
        Column::Id,
        Column::Note,
        Column::Message,
        Column::Introduced,
        Column::Removal,
        Column::Docs,
    ] {
        if let Some(cell) = get(column).filter(|cell| !is_absent(&cell.value.text)) {
            let InlineText { text, link, .. } = &cell.value;
            let link = link.as_ref().filter(|_| column == Column::Docs);
            row.set(column, &cell.span, link.or(Some(text)).cloned());
        }
    }
    let note = joined([advice.note, row.text(Column::Note), item.note]);
    row.set(Column::Kind, item_span, Some(item.kind.to_owned()));
    row.set(Column::Value, item_span, item.value);
    let mut replacements = vec![advice.replacement];
    replacements.extend(advice.seconds.into_iter().map(Some));
    let names = item.names.into_iter().map(Some);
    let endpoint = (item.kind == "endpoint").then_some(None);
    for name in names.chain(endpoint) {
        row.set(Column::Name, item_span, name);
        row.set(Column::Note, advice_span, note.clone());
        for replacement in &replacements {
            row.set(Column::Replacement, advice_span, replacement.clone());
            collector.add_row(&row);
            row.set(Column::Note, advice_span, None);
        }
    }
}

/// The operation of a row, or that of the row above if the row refers to it.
fn operation<'c>(
    get: &impl Fn(Column) -> Option<&'c MarkdownCell>,
    last: Option<&ListCell>,
    collector: &mut ListCollector,
) -> Option<ListCell> {
    let own = get(Column::Operation);
    let MarkdownCell { value, span } = own.or(get(Column::Path))?;
    if is_same(&value.text) {
        if last.is_none() {
            let message = "there is no operation above this row";
            collector.add_mistake(span.clone(), message, OPERATION_HELP);
        }
        return last.cloned();
    }
    if value.text.trim().is_empty() {
        collector.add_mistake(span.clone(), "the operation is missing", OPERATION_HELP);
        return None;
    }
    let mut path = value.text.clone();
    if let Some((before, inside)) = value.split_parenthesis() {
        let message = format!("`{}` has no place in an operation: left out", inside.text);
        collector.remark(span.start, message);
        path = before.text;
    }
    let method = get(Column::Method).filter(|_| own.is_none());
    if let Some(method) = method {
        path = format!("{} {path}", method.value.text);
    }
    Some(WithSpan {
        value: path,
        span: span.clone(),
    })
}

/// The text of a cell.
#[cfg(test)]
pub(super) fn cell(text: &str) -> InlineText {
    let table = format!("| a |\n|---|\n| {text} |\n");
    let mut rows = tables(&table).remove(0);
    rows.remove(1).cells.remove(0).value
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_their_spans() {
        let text = "| a | b |\n|---|---|\n| é |  b |\n";
        let cells = &tables(text)[0][1].cells;
        let written: Vec<_> = cells.iter().map(|cell| &text[cell.span.clone()]).collect();
        assert_eq!(written, ["é", "b"]);
    }

    #[test]
    fn a_row_is_complete_if_it_has_a_cell_for_each_column() {
        for (row, is_whole) in [
            ("| a | b |", true),
            ("a | b", true),
            ("a | `b\\|`", true),
            ("| | |", true),
            ("| a |", false),
            ("| a", false),
            ("||", false),
            ("| a | b | c |", false),
            ("| a | b | |", false),
            ("a", false),
        ] {
            let text = format!("> | x | y |\n> |---|---|\n> {row}\n");
            assert_eq!(is_complete(&tables(&text)[0][1], &text), is_whole, "{row}");
        }
    }
}
