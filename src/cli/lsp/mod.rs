//! `sundown lsp`: a language server on standard input and output, which marks findings while people type.
//!
//! `frames` reads and writes messages, and a `TextIndex` counts positions as the client does. A `Project` is what a configuration says
//! about the files of a folder. `problems`, `actions` and `completion` are about one `OpenDocument`. The `Session` keeps the
//! documents, and answers one message after another.
//!
//! A document is checked as `sundown check FILE --skip-unrelated --no-fold` checks its text, with the workspace folder as the working
//! folder. The server writes no file, and runs nothing.

mod actions;
mod completion;
mod document;
mod frames;
mod problems;
mod project;
mod session;

pub(super) use project::LspArgs;
