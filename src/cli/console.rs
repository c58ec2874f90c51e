//! Writes to standard output and standard error.

use std::io::{self, IsTerminal, Write};

use terminal_size::{Height, Width, terminal_size_of};

use super::Result;
use crate::report::{Failure, ScreenSize, Verbosity};
use crate::run::Status;
use crate::text::escape_unsafe;

/// Writes to standard output; a closed pipe is not an error.
pub(super) fn print(text: &str) -> Result<Status> {
    print_bytes(text.as_bytes())
}

/// Writes bytes to standard output; a closed pipe is not an error.
pub(super) fn print_bytes(bytes: &[u8]) -> Result<Status> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(Failure::new(format!("standard output: {error}")))
        }
        _ => Ok(Status::Clean),
    }
}

/// Writes a line to standard error. If that fails, there is nowhere to report it.
pub(super) fn print_error(text: &str) {
    let _ = writeln!(anstream::stderr().lock(), "{text}");
}

/// Writes notes to standard error, unless the user asked for quiet.
pub(super) fn print_notes(notes: &[String], verbosity: Verbosity) {
    for note in notes.iter().filter(|_| verbosity != Verbosity::Quiet) {
        print_error(&format!("note: {}", escape_unsafe(note)));
    }
}

/// Returns the size of the terminal; `None` if standard output is no terminal.
pub(super) fn screen_size() -> Option<ScreenSize> {
    let (Width(columns), Height(rows)) =
        terminal_size_of(io::stdout()).filter(|_| io::stdout().is_terminal())?;
    Some(ScreenSize { rows: rows.into(), columns: columns.into() })
}
