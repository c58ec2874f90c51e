//! Finds quotes, brackets and the ends of containers, and validates and decodes strings, 64 bytes at a time. It is the one module with
//! unsafe code, for the wide instructions of processors. Each function has a plain variant for processors without them; tests compare the two.
//!
//! The arithmetic is that of simdjson (Langdale and Lemire, "Parsing Gigabytes of JSON per Second", section 3.1).
#![allow(
    unsafe_code,
    reason = "wide loads, and calls of functions that need instructions found at run time"
)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod block;
mod dispatch;
mod plain;
mod word;

pub(super) use dispatch::{container_end, escapes, index, string, string_end, unescape};
pub(super) use word::Word;
