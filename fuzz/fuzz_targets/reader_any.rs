//! Any registered format: the first byte of the input chooses it, so that a new format needs no target of its own.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_captures::Format;

fuzz_target!(|input: (u8, &[u8])| {
    let (choice, bytes) = input;
    let formats = Format::by_family();
    sundown_fuzz::read_as(&[formats[usize::from(choice) % formats.len()]], bytes);
});
