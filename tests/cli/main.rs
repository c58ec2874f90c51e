//! The command line: its commands, the configuration, baselines, partial results, and the hook.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::disallowed_methods, reason = "tests open files of their own")]

mod baseline;
mod changed_since;
mod command_line;
mod configuration;
mod fix;
mod hook;
#[cfg(unix)]
mod lsp;
mod partials;
mod silent_passes;
mod stdin_file;

#[path = "../support/mod.rs"]
mod support;

/// The hook's benchmark: files that hold nothing.
#[path = "../../benches/ordinary/mod.rs"]
mod ordinary;
