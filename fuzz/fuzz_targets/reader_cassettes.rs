//! Cassettes of tests, in YAML and JSON.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_captures::FormatFamily;

fuzz_target!(|bytes: &[u8]| sundown_fuzz::read_as_family(FormatFamily::Cassettes, bytes));
