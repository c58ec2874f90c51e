//! Rules: in files, packs, descriptions and lists; what they find, and the mistakes in them.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::disallowed_methods, reason = "tests open files of their own")]

mod description_import;
mod exporting;
mod importing;
mod packs;

#[path = "../support/mod.rs"]
mod support;
