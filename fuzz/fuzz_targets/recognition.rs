//! A file of unknown format, compressed or not.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sundown_fuzz::{hold, options, report};

fuzz_target!(|bytes: &[u8]| hold(&report(&options(None), bytes), bytes));
