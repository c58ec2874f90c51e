//! Lists as a table in a Markdown document (GitHub Flavored Markdown, section 4.10), as API references publish them.
//!
//! A table is a deprecation list if its header has an operation, an item and a removal date. The parser of rows is our own:
//! Markdown renderers accept a row with too few or too many cells, and here both are mistakes.

mod inline;
mod table;
mod words;

pub(super) use table::{has_table, read};
