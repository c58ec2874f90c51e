//! Reports in every format, pages, and the usage of elements.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::disallowed_methods, reason = "tests open files of their own")]

mod inventory;
mod report_formats;
mod report_schema;
mod reports;
mod usage;
mod web_pages;

#[path = "../support/mod.rs"]
mod support;
