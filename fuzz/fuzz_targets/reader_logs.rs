//! Logs, a line a call: as servers write them, and as JSON.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_captures::Format;

fuzz_target!(|bytes: &[u8]| {
    sundown_fuzz::read_as(&[Format::AccessLog, Format::Ndjson], bytes);
});
