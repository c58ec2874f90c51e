//! A row of a list: the text of each column, with its place.

use std::ops::Range;

use sundown_files::toml_file::WithSpan;

/// The text of a cell, with the span of the cell in the list.
pub(super) type ListCell = WithSpan<String>;

/// The content of a column.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Column {
    Id,
    Operation,
    Method,
    Path,
    /// One of the types of elements.
    Kind,
    Name,
    Value,
    /// Type, names and value in a phrase.
    Item,
    /// A replacement, a note, or both.
    Advice,
    Replacement,
    Note,
    /// A sentence, in place of replacement and note.
    Message,
    Introduced,
    Removal,
    Docs,
}

impl Column {
    /// The column with this name. Only letters and digits of the name count.
    pub(super) fn of(name: &str) -> Option<Self> {
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        Some(
            match letters.collect::<String>().to_ascii_lowercase().as_str() {
                "id" => Self::Id,
                "operation" | "endpoint" => Self::Operation,
                "method" => Self::Method,
                "path" => Self::Path,
                "type" | "kind" => Self::Kind,
                "name" | "field" => Self::Name,
                "value" | "enumvalue" => Self::Value,
                "item" | "element" => Self::Item,
                "replacementornote" | "replacementnote" => Self::Advice,
                "replacement" | "useinstead" => Self::Replacement,
                "note" | "notes" => Self::Note,
                "message" => Self::Message,
                "introduced" | "deprecatedsince" | "deprecatedon" => Self::Introduced,
                "removal" | "removaldate" | "sunset" | "sunsetdate" => Self::Removal,
                "docs" | "readmore" => Self::Docs,
                _ => return None,
            },
        )
    }

    /// Whether one of these columns, or two together, have the operation.
    pub(super) fn have_operation(columns: &[Option<Self>]) -> bool {
        let has = |column| columns.contains(&Some(column));
        has(Self::Operation) || has(Self::Method) && has(Self::Path)
    }
}

/// A row of a table, or an entry of a list in JSON.
#[derive(Clone, Default)]
pub(super) struct ListRow {
    /// The span that messages about the row as a whole show.
    pub span: Range<usize>,
    pub cells: Vec<(Column, ListCell)>,
}

impl ListRow {
    /// Whether the list has this column.
    pub(super) fn has(&self, column: Column) -> bool {
        self.cells.iter().any(|(own, _)| *own == column)
    }

    /// The cell of a column. A blank one counts as none, but a value may be blank.
    pub(super) fn get(&self, column: Column) -> Option<&ListCell> {
        let mut cells = self.cells.iter();
        let cell = cells.find_map(|(own, cell)| (*own == column).then_some(cell))?;
        (column == Column::Value || !cell.value.trim().is_empty()).then_some(cell)
    }

    /// The operation as it is written, and its place: a column of its own, or those of method and path.
    pub(super) fn operation(&self) -> Option<ListCell> {
        if let Some(cell) = self.get(Column::Operation) {
            return Some(cell.clone());
        }
        let (method, path) = self.get(Column::Method).zip(self.get(Column::Path))?;
        Some(WithSpan {
            value: format!("{} {}", method.value, path.value),
            span: path.span.clone(),
        })
    }

    /// The text of a column.
    pub(super) fn text(&self, column: Column) -> Option<String> {
        self.get(column).map(|cell| cell.value.clone())
    }

    /// Sets the text of a column, or leaves it out.
    pub(super) fn set(&mut self, column: Column, span: &Range<usize>, text: Option<String>) {
        self.cells.retain(|(own, _)| *own != column);
        let span = span.clone();
        self.cells
            .extend(text.map(|value| (column, WithSpan { value, span })));
    }
}
