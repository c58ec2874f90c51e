//! What users can rely on, whatever a stranger sends: no value in an output, no file overwritten, no work without a limit.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::disallowed_methods, reason = "tests open files of their own")]

mod bombs;
mod canaries;
mod determinism;
mod faults;
mod fixes;
mod hostile_configuration;
mod outputs;
mod strangers;

#[path = "../support/mod.rs"]
mod support;
