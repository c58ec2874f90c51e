//! Writes a large cassette to standard output: the interactions of a recorded one, over and over.
//!
//! ```sh
//! cargo run --release --example cassettes -- testdata/captures/cassettes/vcrpy-text.yaml 100000000 > large.yaml
//! cargo run --release --example cassettes -- testdata/captures/cassettes/vcrpy-json.json 100000000 > large.json
//! ```

#![allow(
    clippy::disallowed_methods,
    reason = "an example opens files of its own"
)]

use std::io::{self, BufWriter, Write};
use std::process::ExitCode;

/// A cassette in three parts: the text before its interactions, the interactions, and the text after them.
struct Cassette<'t> {
    before: &'t str,
    interactions: &'t str,
    after: &'t str,
    /// The separator between interactions.
    between: &'static str,
}

fn main() -> ExitCode {
    match write() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            // A closed standard error leaves no channel for the message.
            let _ = writeln!(io::stderr(), "cassettes: {error}");
            ExitCode::from(2)
        }
    }
}

fn write() -> Result<(), String> {
    let mut arguments = std::env::args().skip(1);
    let path = arguments
        .next()
        .ok_or("which cassette is to be written over and over?")?;
    let bytes = arguments
        .next()
        .and_then(|bytes| bytes.parse().ok())
        .unwrap_or(100_000_000usize);
    let text = std::fs::read_to_string(&path).map_err(|error| format!("{path}: {error}"))?;
    let parts = in_yaml(&text).or_else(|| in_json(&text));
    let cassette = parts.ok_or_else(|| format!("{path}: no list of interactions"))?;
    cassette.repeated(bytes).map_err(|error| error.to_string())
}

/// A YAML list with items that begin lines.
fn in_yaml(text: &str) -> Option<Cassette<'_>> {
    let start = text.find("\n- ")? + 1;
    let is_end = |line: &str| !line.starts_with([' ', '-', '\n']);
    let mut at = start;
    let end = text.get(start..)?.split_inclusive('\n').find_map(|line| {
        at += line.len();
        is_end(line).then_some(at - line.len())
    });
    let (before, rest) = text.split_at(start);
    let (interactions, after) = rest.split_at(end.unwrap_or(text.len()) - start);
    Some(Cassette {
        before,
        interactions,
        after,
        between: "",
    })
}

/// A JSON list that ends with the last bracket of the file.
fn in_json(text: &str) -> Option<Cassette<'_>> {
    let start = text.find('[')? + 1;
    let end = text.rfind(']')?;
    let interactions = text.get(start..end)?;
    Some(Cassette {
        before: &text[..start],
        interactions,
        after: &text[end..],
        between: ",",
    })
}

impl Cassette<'_> {
    fn repeated(&self, bytes: usize) -> io::Result<()> {
        let mut out = BufWriter::new(io::stdout().lock());
        out.write_all(self.before.as_bytes())?;
        for round in 0..=bytes / self.interactions.len().max(1) {
            if round > 0 {
                out.write_all(self.between.as_bytes())?;
            }
            out.write_all(self.interactions.as_bytes())?;
        }
        out.write_all(self.after.as_bytes())?;
        out.flush()
    }
}
