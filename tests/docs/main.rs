//! The documentation and the packages: links lead somewhere, examples work, and what they name exists.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test fails by panicking"
)]
#![allow(clippy::disallowed_methods, reason = "tests open files of their own")]

mod documents;
mod examples;
mod links;
mod packaging;
mod pages;

#[path = "../support/mod.rs"]
mod support;
