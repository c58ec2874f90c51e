//! Tables: typed columns that text, Markdown and CSV write, each in its own way.

use std::borrow::Cow;
use std::io::{self, Write};

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::escape_unsafe;
use sundown_text_json::text::{csv, group_digits, markdown};

/// The columns of a table, each with its type and its head.
#[derive(Debug)]
pub struct Table {
    columns: Vec<(ColumnKind, Cow<'static, str>)>,
    /// The numbers of those that a narrow terminal does not show, in this order.
    optional: &'static [usize],
}

/// The type of the cells of a column, which decides how they are aligned and escaped.
#[derive(Debug, Clone, Copy)]
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

/// The width to which a column may become narrower, in columns of the terminal, where a word is longer.
const MIN_WIDTH: usize = 4;

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
            optional: &[],
        }
    }

    /// A table of so many columns of text without heads.
    pub fn plain(columns: usize) -> Self {
        Self::new(vec![(ColumnKind::Text, ""); columns])
    }

    /// Leaves out these columns, one after the other, as long as a terminal has no room for the longest words of all.
    #[must_use]
    pub fn optional(self, optional: &'static [usize]) -> Self {
        Self { optional, ..self }
    }

    /// The heads, if there are any, and the rows as texts. Empty columns are left out. If `width` has no room for the others, a row is
    /// several lines: the widest columns become narrower and break between words, and within words that fit no line.
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
        let widths = self.fit(&rows, width.unwrap_or(usize::MAX));
        let heads: Vec<_> = self.columns.iter().map(|(_, it)| it.to_string()).collect();
        let has_heads = heads.iter().any(|head| !head.is_empty());
        let lines = has_heads.then_some(&heads).into_iter().chain(&rows);
        lines.map(|row| self.line(row, &widths)).collect()
    }

    /// The widths of the columns; 0 for those that are left out.
    fn fit(&self, rows: &[Vec<String>], limit: usize) -> Vec<usize> {
        let mut widths = self.measure(rows, text_width);
        let mut least = self.measure(rows, longest_word);
        for &column in self.optional {
            if total(&least) > limit {
                for widths in [&mut widths, &mut least] {
                    widths.get_mut(column).map(std::mem::take);
                }
            }
        }
        if total(&least) > limit {
            least.fill(MIN_WIDTH);
        }
        for _ in limit..total(&widths) {
            let wide = widths.iter_mut().zip(&least);
            let wide = wide.filter(|(width, least)| **width > **least);
            if let Some((width, _)) = wide.max_by_key(|(width, _)| **width) {
                *width -= 1;
            }
        }
        widths
    }

    /// The greatest width in each column; 0 for those that are empty.
    fn measure(&self, rows: &[Vec<String>], width_of: fn(&str) -> usize) -> Vec<usize> {
        let columns = self.columns.iter().enumerate();
        let widths = columns.map(|(at, (_, head))| {
            let cells = rows.iter().filter_map(|row| row.get(at));
            let width = cells.map(|cell| width_of(cell)).max().unwrap_or_default();
            if width > 0 {
                width.max(width_of(head))
            } else {
                0
            }
        });
        widths.collect()
    }

    fn line(&self, row: &[String], widths: &[usize]) -> String {
        let columns = row.iter().zip(widths).zip(&self.columns);
        let columns = columns.filter(|((_, width), _)| **width > 0);
        let columns =
            columns.map(|((cell, width), (kind, _))| (break_text(cell, *width), *width, *kind));
        let columns: Vec<_> = columns.collect();
        let count = columns.iter().map(|(lines, ..)| lines.len()).max();
        let lines = (0..count.unwrap_or_default()).map(|at| {
            let mut line = String::new();
            for (lines, width, kind) in &columns {
                let text = lines.get(at).map_or("", String::as_str);
                let padding = " ".repeat(width.saturating_sub(text_width(text)));
                match kind {
                    ColumnKind::Number => line.extend([GAP, &padding, text]),
                    _ => line.extend([GAP, text, &padding]),
                }
            }
            line.trim_end().to_owned()
        });
        lines.collect::<Vec<_>>().join("\n")
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

/// The lines of a text, none of which takes more columns: words that would are broken.
fn break_text(text: &str, width: usize) -> Vec<String> {
    if text_width(text) <= width {
        return vec![text.to_owned()];
    }
    let mut lines = Vec::new();
    for line in wrap(text, width) {
        let mut part = String::new();
        for character in line.chars() {
            if text_width(&part) + character.width().unwrap_or_default() > width {
                lines.push(std::mem::take(&mut part));
            }
            part.push(character);
        }
        lines.push(part);
    }
    lines
}

fn longest_word(text: &str) -> usize {
    text.split(' ').map(text_width).max().unwrap_or_default()
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
        .optional(&[3])
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
    fn columns_become_narrower_and_break_between_words_until_the_lines_fit() {
        let lines = |width| table().lines(rows(), width).join("\n");
        let whole = "  name              uses                                 last
  注文            12,345  use `b|c` instead, or nothing  2026-11-20
  =cmd|\\u{1b}[2J  12,345";
        assert_eq!(lines(None), whole);
        let broken = "  name              uses                  last
  注文            12,345  use `b|c`       2026-11-20
                          instead, or
                          nothing
  =cmd|\\u{1b}[2J  12,345";
        assert_eq!(lines(Some(52)), broken);
        let without_last = "  name         uses
  注文       12,345  use `b|c`
                     instead,
                     or
                     nothing
  =cmd|\\u{1  12,345
  b}[2J";
        assert_eq!(lines(Some(30)), without_last);
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
        fn no_line_is_longer_than_the_terminal(cells in prop::collection::vec("[a-z注é ]{0,40}", 8), width in 24usize..120) {
            let rows: Vec<Vec<Cell>> = cells.chunks(4).map(|row| row.iter().map(|text| text.as_str().into()).collect()).collect();
            for line in table().lines(rows, Some(width)).iter().flat_map(|row| row.lines()) {
                prop_assert!(text_width(line) <= width, "{}", line);
            }
        }
    }
}
