//! Stubs and contracts.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown::formats::Format;

fuzz_target!(|bytes: &[u8]| {
    sundown_fuzz::read_as(&[Format::WireMock, Format::Pact, Format::Hoverfly], bytes);
});
