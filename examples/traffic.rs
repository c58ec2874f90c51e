//! Writes made-up traffic or made-up rules to standard output.
//!
//! ```sh
//! cargo run --release --example traffic -- --format ndjson --bytes 1000000000 --hits 1 --seed 7 --truth truth.ndjson
//! cargo run --release --example traffic -- --format har --layout indented --bytes 500000000 --hits 20 --seed 7
//! cargo run --release --example traffic -- --format access-log --bytes 1000000000 --hits 1 --seed 7
//! cargo run --release --example traffic -- --rules 10000 --seed 7
//! ```

#[path = "../benches/traffic/mod.rs"]
mod traffic;

use std::fs::File;
use std::io::{self, BufWriter, ErrorKind, Write};
use std::process::ExitCode;
use traffic::{Format, Layout, Settings, Traffic, write_rules};

/// The options of the command line.
struct Options {
    settings: Settings,
    bytes: u64,
    truth: Option<String>,
    rules: Option<u32>,
}

/// Large enough that writing is a few calls a second.
const BUFFER: usize = 1 << 20;

fn main() -> ExitCode {
    let outcome = match Options::parse(std::env::args().skip(1)) {
        Ok(options) => options.run().map_err(|error| match error.kind() {
            // The reader has closed the pipe.
            ErrorKind::BrokenPipe => None,
            _ => Some(error.to_string()),
        }),
        Err(mistake) => Err(Some(mistake)),
    };
    match outcome {
        Ok(()) | Err(None) => ExitCode::SUCCESS,
        Err(Some(message)) => {
            // A closed standard error leaves no channel for the message.
            let _ = writeln!(io::stderr(), "traffic: {message}");
            ExitCode::from(2)
        }
    }
}

impl Options {
    fn parse(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self {
            settings: Settings {
                format: Format::Ndjson,
                layout: Layout::Minified,
                hits: 1,
                seed: 7,
            },
            bytes: 10_000_000,
            truth: None,
            rules: None,
        };
        while let Some(name) = arguments.next() {
            let value = arguments
                .next()
                .ok_or_else(|| format!("{name} needs a value"))?;
            options.set(&name, value)?;
        }
        Ok(options)
    }

    fn set(&mut self, name: &str, value: String) -> Result<(), String> {
        match (name, value.as_str()) {
            ("--format", "ndjson") => self.settings.format = Format::Ndjson,
            ("--format", "access-log") => self.settings.format = Format::AccessLog,
            ("--format", "har") => self.settings.format = Format::Har,
            ("--layout", "minified") => self.settings.layout = Layout::Minified,
            ("--layout", "indented") => self.settings.layout = Layout::Indented,
            ("--hits", _) => self.settings.hits = number(name, &value)?,
            ("--seed", _) => self.settings.seed = number(name, &value)?,
            ("--bytes", _) => self.bytes = number(name, &value)?,
            ("--rules", _) => self.rules = Some(number(name, &value)?),
            ("--truth", _) => self.truth = Some(value),
            _ => return Err(format!("{name} {value}: no such option")),
        }
        Ok(())
    }

    fn run(self) -> io::Result<()> {
        let mut out = BufWriter::with_capacity(BUFFER, io::stdout().lock());
        if let Some(count) = self.rules {
            write_rules(count, self.settings.seed, &mut out)?;
            return out.flush();
        }
        let traffic = Traffic::new(self.settings);
        match self.truth {
            Some(path) => {
                let mut truth = BufWriter::new(File::create(path)?);
                traffic.write(self.bytes, &mut out, &mut truth)?;
                truth.flush()?;
            }
            None => {
                traffic.write(self.bytes, &mut out, &mut io::sink())?;
            }
        }
        out.flush()
    }
}

fn number<T: std::str::FromStr>(name: &str, value: &str) -> Result<T, String> {
    value
        .parse()
        .map_err(|_| format!("{name} {value}: not a number"))
}
