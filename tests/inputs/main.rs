//! Files as the program finds them: of every tool, cut off, compressed, broken, or of another kind.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::disallowed_methods, reason = "tests open files of their own")]

mod bad_input;
mod decompression;
mod logs;
mod manifests;
mod quick_walk;
mod streaming;
mod stubs;
mod wire;

#[path = "../support/mod.rs"]
mod support;

/// The benchmarks' traffic: every use in it is known.
#[path = "../../benches/traffic/mod.rs"]
mod traffic;
