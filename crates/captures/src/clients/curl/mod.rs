//! Commands of curl: in shell scripts, in code blocks of Markdown, and alone, as browsers copy them.
//!
//! A command is read as words and as curl reads them. Nothing is run: a value that only running would show is not known, and a
//! file that would be sent is not opened.

mod call;
mod commands;
mod markdown;
mod options;
mod reader;
mod words;

pub use reader::is_shell;
pub(crate) use reader::{read, read_script, sniff};
