//! Writes to standard output and standard error.

use std::io::{self, Write};

use super::Result;
use crate::report::{Failure, Verbosity};
use crate::run::Status;
use crate::text::escape_unsafe;

/// Writes to standard output; a closed pipe is not an error.
pub(super) fn print(text: &str) -> Result<Status> {
    match io::stdout().lock().write_all(text.as_bytes()) {
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
