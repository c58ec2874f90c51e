//! HTTP Archives.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_captures::Format;

fuzz_target!(|bytes: &[u8]| {
    sundown_fuzz::read_as(&[Format::Har], bytes);
});
