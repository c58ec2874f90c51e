//! Tables: typed columns that text, Markdown and CSV write, each in its own way.

use std::borrow::Cow;
use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::escape_unsafe;
use sundown_text_json::text::{csv, group_digits, markdown};

/// The columns of a table, each with its type and its head, and how it becomes narrower.
#[derive(Debug, Clone)]
pub struct Table {
    columns: Vec<(ColumnKind, Cow<'static, str>)>,
    narrowing: &'static [Narrowing],
}

/// The type of the cells of a column, which decides how they are aligned and escaped.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Text.
    Text,
    /// A name from rules or from an input, such as an id or an operation.
    Name,
    /// A sentence, in which backticks enclose names.
    Prose,
    /// A count, or another number.
    Number,
    /// A day or a time.
    Date,
}

/// The content of a cell.
#[derive(Debug)]
pub enum Cell {
    /// Text, not escaped.
    Text(String),
    /// A count.
    Number(u64),
}

/// A step by which a table for a terminal becomes narrower, for the column with this number.
#[derive(Debug, Clone, Copy)]
pub enum Narrowing {
    /// Texts are shortened, but to no less than so many columns of the terminal.
    Shorten(usize, usize),
    /// The column is left out.
    Drop(usize),
}

/// What separates the columns of a text.
const GAP: &str = "  ";

impl From<String> for Cell {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for Cell {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<u64> for Cell {
    fn from(number: u64) -> Self {
        Self::Number(number)
    }
}

impl<C: Into<Self>> From<Option<C>> for Cell {
    fn from(cell: Option<C>) -> Self {
        cell.map_or_else(|| Self::Text(String::new()), Into::into)
    }
}

impl Cell {
    /// The text for people, escaped.
    fn text(&self) -> String {
        match self {
            Self::Text(text) => escape_unsafe(text).into_owned(),
            Self::Number(number) => group_digits(usize::try_from(*number).unwrap_or(usize::MAX)),
        }
    }

    fn markdown(&self, kind: ColumnKind) -> String {
        match (self, kind) {
            (Self::Text(text), ColumnKind::Name) if !text.is_empty() => markdown::code_cell(text),
            (Self::Text(text), ColumnKind::Prose) => markdown::prose_cell(text),
            (Self::Text(text), _) => markdown::plain(text),
            _ => self.text(),
        }
    }

    fn csv(&self) -> String {
        match self {
            Self::Text(text) => csv::cell(text),
            Self::Number(number) => number.to_string(),
        }
    }
}

impl Table {
    /// A table with these columns. A text has no line with heads if all are empty.
    pub fn new<H: Into<Cow<'static, str>>>(
        columns: impl IntoIterator<Item = (ColumnKind, H)>,
    ) -> Self {
        let columns = columns.into_iter().map(|(kind, head)| (kind, head.into()));
        Self {
            columns: columns.collect(),
            narrowing: &[],
        }
    }

    /// Fits the table to a terminal by these steps, in their order, as many as it takes.
    #[must_use]
    pub fn narrowed_by(self, narrowing: &'static [Narrowing]) -> Self {
        Self { narrowing, ..self }
    }

    /// The lines of a text: the heads, if there are any, and a line for each row. Empty columns are left out. No line is longer than
    /// `width`.
    pub fn lines(
        &self,
        rows: impl IntoIterator<Item = impl AsRef<[Cell]>>,
        width: Option<usize>,
    ) -> Vec<String> {
        let rows = rows.into_iter().map(|row| {
            let cells = row.as_ref().iter();
            cells.map(Cell::text).collect::<Vec<_>>()
        });
        let rows: Vec<_> = rows.collect();
        let widths = self.fit(&rows, width);
        let heads: Vec<_> = self.columns.iter().map(|(_, it)| it.to_string()).collect();
        let has_heads = heads.iter().any(|head| !head.is_empty());
        let lines = has_heads.then_some(&heads).into_iter().chain(&rows);
        lines
            .map(|row| self.line(row, &widths, width.unwrap_or(usize::MAX)))
            .collect()
    }

    /// The widths of the columns; 0 for those that are left out.
    fn fit(&self, rows: &[Vec<String>], limit: Option<usize>) -> Vec<usize> {
        let mut widths = vec![0; self.columns.len()];
        for row in rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = text_width(cell).max(*width);
            }
        }
        for (width, (_, head)) in widths.iter_mut().zip(&self.columns) {
            if *width > 0 {
                *width = text_width(head).max(*width);
            }
        }
        let Some(limit) = limit else { return widths };
        let natural = widths.clone();
        for step in self.narrowing {
            let excess = total(&widths).saturating_sub(limit);
            let (Narrowing::Shorten(column, _) | Narrowing::Drop(column)) = *step;
            if let Some(width) = widths.get_mut(column).filter(|_| excess > 0) {
                *width = match *step {
                    Narrowing::Shorten(_, least) => {
                        width.saturating_sub(excess).max(least).min(*width)
                    }
                    Narrowing::Drop(_) => 0,
                };
            }
        }
        // What a dropped column leaves is for those that were shortened before.
        let mut spare = limit.saturating_sub(total(&widths));
        for (width, natural) in widths.iter_mut().zip(natural).filter(|it| *it.0 > 0) {
            let more = spare.min(natural.saturating_sub(*width));
            spare -= more;
            *width += more;
        }
        widths
    }

    fn line(&self, row: &[String], widths: &[usize], limit: usize) -> String {
        let mut line = String::new();
        for ((cell, &width), (kind, _)) in row.iter().zip(widths).zip(&self.columns) {
            if width == 0 {
                continue;
            }
            let cell = shorten(cell, width);
            let padding = " ".repeat(width.saturating_sub(text_width(&cell)));
            let is_number = *kind == ColumnKind::Number;
            let (before, after) = if is_number {
                (padding.as_str(), "")
            } else {
                ("", padding.as_str())
            };
            line.extend([GAP, before, &cell, after]);
        }
        shorten(line.trim_end(), limit).into_owned()
    }

    /// Writes a table in GitHub Flavored Markdown.
    pub fn write_markdown(
        &self,
        rows: impl IntoIterator<Item = impl AsRef<[Cell]>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let heads: Vec<_> = self.columns.iter().map(|(_, head)| &**head).collect();
        let rules = self.columns.iter().map(|(kind, _)| match kind {
            ColumnKind::Number => "---:",
            _ => "---",
        });
        let rules: Vec<_> = rules.collect();
        writeln!(out, "| {} |\n|{}|", heads.join(" | "), rules.join("|"))?;
        for row in rows {
            let cells = row.as_ref().iter().zip(&self.columns);
            let cells: Vec<_> = cells
                .map(|(cell, (kind, _))| cell.markdown(*kind))
                .collect();
            writeln!(out, "| {} |", cells.join(" | "))?;
        }
        Ok(())
    }

    /// Writes comma-separated values (RFC 4180).
    pub fn write_csv(
        &self,
        rows: impl IntoIterator<Item = impl AsRef<[Cell]>>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let heads: Vec<_> = self
            .columns
            .iter()
            .map(|(_, head)| csv::cell(head))
            .collect();
        write!(out, "{}\r\n", heads.join(","))?;
        for row in rows {
            let cells: Vec<_> = row.as_ref().iter().map(Cell::csv).collect();
            write!(out, "{}\r\n", cells.join(","))?;
        }
        Ok(())
    }
}

/// The width of all columns that are shown.
fn total(widths: &[usize]) -> usize {
    let shown = widths.iter().filter(|width| **width > 0);
    shown.map(|width| width + GAP.len()).sum()
}

/// The width of a text, in columns of a terminal: Chinese, Japanese and Korean characters take two.
pub(crate) fn text_width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The lines of a text that breaks between words where more than so many columns would be needed.
pub fn wrap(text: &str, width: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for (index, word) in text.split(' ').enumerate() {
        let is_full = text_width(&line) + 1 + text_width(word) > width;
        if is_full && !line.trim().is_empty() {
            lines.push(std::mem::take(&mut line));
        } else if index > 0 {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

/// A text that takes no more than so many columns, with an ellipsis in place of its end.
fn shorten(text: &str, width: usize) -> Cow<'_, str> {
    if text_width(text) <= width {
        return text.into();
    }
    let mut short = String::new();
    let mut rest = width.saturating_sub(1);
    for character in text.chars() {
        let Some(less) = rest.checked_sub(character.width().unwrap_or_default()) else {
            break;
        };
        rest = less;
        short.push(character);
    }
    short.push('…');
    short.into()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn table() -> Table {
        Table::new([
            (ColumnKind::Name, "name"),
            (ColumnKind::Number, "uses"),
            (ColumnKind::Prose, ""),
            (ColumnKind::Date, "last"),
        ])
        .narrowed_by(&[
            Narrowing::Shorten(2, 6),
            Narrowing::Drop(3),
            Narrowing::Shorten(0, 4),
        ])
    }

    fn rows() -> [[Cell; 4]; 2] {
        let long = "use `b|c` instead, or nothing";
        [
            ["注文", long, "2026-11-20"].map(Cell::from),
            ["=cmd|\u{1b}[2J", "", ""].map(Cell::from),
        ]
        .map(|[name, text, date]| [name, Cell::Number(12_345), text, date])
    }

    #[test]
    fn columns_become_narrower_in_their_order_until_the_lines_fit() {
        let lines = |width| table().lines(rows(), width).join("\n");
        let whole = "  name              uses                                 last
  注文            12,345  use `b|c` instead, or nothing  2026-11-20
  =cmd|\\u{1b}[2J  12,345";
        assert_eq!(lines(None), whole);
        let shortened = "  name              uses                  last
  注文            12,345  use `b|c` ins…  2026-11-20
  =cmd|\\u{1b}[2J  12,345";
        assert_eq!(lines(Some(52)), shortened);
        let dropped = "  name        uses
  注文      12,345  use `…
  =cmd|\\u…  12,345";
        assert_eq!(lines(Some(26)), dropped);
    }

    #[test]
    fn each_format_escapes_names_and_aligns_numbers_for_its_destination() {
        let mut out = Vec::new();
        table().write_markdown(rows(), &mut out).unwrap();
        table().write_csv(rows(), &mut out).unwrap();
        let text = String::from_utf8(out).unwrap();
        let expected = r#"| name | uses |  | last |
|---|---:|---|---|
| `注文` | 12,345 | use `b\|c` instead, or nothing | 2026-11-20 |
| `=cmd\|\u{1b}[2J` | 12,345 |  |  |
name,uses,,last
注文,12345,"use `b|c` instead, or nothing",2026-11-20
"'=cmd|\u{1b}[2J",12345,,
"#;
        let text = text.replace('\r', "");
        assert_eq!(text, expected);
    }

    proptest! {
        #[test]
        fn no_line_is_longer_than_the_terminal(cells in prop::collection::vec("[a-z注é ]{0,40}", 8), width in 1usize..120) {
            let rows: Vec<Vec<Cell>> = cells.chunks(4).map(|row| row.iter().map(|text| text.as_str().into()).collect()).collect();
            for line in table().lines(rows, Some(width)) {
                prop_assert!(text_width(&line) <= width, "{}", line);
            }
        }
    }
}
