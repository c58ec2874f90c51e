//! Captures of the wire: packets, flows, bare messages, sessions.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_captures::FormatFamily;

fuzz_target!(|bytes: &[u8]| sundown_fuzz::read_as_family(FormatFamily::Wire, bytes));
