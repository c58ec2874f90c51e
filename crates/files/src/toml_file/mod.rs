//! Reads TOML files that people write (rules, configuration) key by key, and reports every mistake with its position.

mod content;
mod excerpt;
mod key_counts;
mod message;
mod mistake;
mod table_reader;

pub use content::{TomlContent, read_table};
pub use excerpt::{Disclosure, Excerpt};
pub use key_counts::KeyCounts;
pub use message::MessageText;
pub use mistake::{FileMistakes, Mistake};
pub use table_reader::{TableReader, WithSpan};
