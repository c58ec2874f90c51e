//! Parses every line of a log, or a whole document, and prints how many values are valid: the least that a program does which
//! looks at each record with a parser.
//!
//! Usage: `parsers-peer serde_json|sonic-rs|simd-json lines|document FILE`

use std::fs::File;
use std::io::{BufRead, BufReader, Error};

use serde_json::value::RawValue;
use simd_json::Buffers;
use sonic_rs::LazyValue;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, parser, unit, file] = arguments.as_slice() else {
        return Err(Error::other(
            "usage: parsers-peer PARSER lines|document FILE",
        ));
    };
    let mut buffers = Buffers::default();
    let valid = match parser.as_str() {
        "serde_json" => count(file, unit, |text| {
            serde_json::from_slice::<&RawValue>(text).is_ok()
        }),
        "sonic-rs" => count(file, unit, |text| {
            sonic_rs::from_slice::<LazyValue>(text).is_ok()
        }),
        // It unescapes strings where they are.
        "simd-json" => count(file, unit, |text| {
            simd_json::to_tape_with_buffers(text, &mut buffers).is_ok()
        }),
        _ => Err(Error::other(format!("there is no parser '{parser}'"))),
    }?;
    println!("{valid}");
    Ok(())
}

fn count(
    file: &str,
    unit: &str,
    mut is_valid: impl FnMut(&mut [u8]) -> bool,
) -> Result<usize, Error> {
    if unit == "document" {
        return Ok(usize::from(is_valid(&mut std::fs::read(file)?)));
    }
    let mut lines = BufReader::with_capacity(1 << 20, File::open(file)?);
    let (mut line, mut valid) = (Vec::new(), 0);
    while lines.read_until(b'\n', &mut line)? > 0 {
        valid += usize::from(is_valid(&mut line));
        line.clear();
    }
    Ok(valid)
}
