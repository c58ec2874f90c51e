//! Writes to standard output and standard error.

use crate::report::{Failure, ScreenSize, Verbosity};
use crate::run::Status;
use crate::text::escape_unsafe;
use std::io::{self, BufWriter, IsTerminal, Write};
use terminal_size::{Height, Width, terminal_size_of};

/// Writes to standard output; a closed pipe is not an error.
pub(super) fn print(text: &str) -> Result<Status> {
    print_written(|out| out.write_all(text.as_bytes()))
}

/// Writes to standard output while it is made; a closed pipe is not an error.
pub(super) fn print_written(
    write: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> Result<Status> {
    let mut stdout = BufWriter::new(io::stdout().lock());
    match write(&mut stdout).and_then(|()| stdout.flush()) {
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
    Some(ScreenSize {
        rows: rows.into(),
        columns: columns.into(),
    })
}

/// The result of a command, or what prevents it.
pub(super) type Result<T, E = Failure> = std::result::Result<T, E>;
