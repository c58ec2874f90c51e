//! Writes made-up JSON files as any repository holds them, to measure how soon a hook is done with them.
//!
//! ```sh
//! cargo run --release --example ordinary -- target/ordinary 200
//! ```

#[path = "../benches/ordinary/mod.rs"]
mod ordinary;

use std::io::{self, Write as _};
use std::path::Path;
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let written = match arguments.as_slice() {
        [folder, count] => count
            .parse()
            .map_err(|error| format!("{count}: {error}"))
            .and_then(|count: usize| {
                ordinary::write_files(Path::new(folder), count)
                    .map_err(|error| format!("{folder}: {error}"))
            }),
        _ => Err("a folder and the number of files are needed".to_owned()),
    };
    match written {
        Ok(_) => ExitCode::SUCCESS,
        Err(mistake) => {
            // A closed standard error leaves no channel for the message.
            let _ = writeln!(io::stderr(), "ordinary: {mistake}");
            ExitCode::from(2)
        }
    }
}
