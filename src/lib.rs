//! sundown finds every use of a deprecated or removed API element (an operation, a field, a parameter, a header field) in
//! JSON bodies, captured HTTP traffic and API descriptions, and grades each by the days left until its removal date.
//!
//! The library checks what a program has in memory: load [`Rules`], create a [`Checker`], and check an [`HttpExchange`] or
//! a single body. The program `sundown` reads files and writes reports.
//!
//! ```
//! use sundown::{Checker, Rules, Side};
//!
//! let rules = Rules::from_toml(
//!     "shop.toml",
//!     r#"
//!         api = "Shop API"
//!         [[rule]]
//!         id = "order-legacy-id"
//!         operation = "POST /v1/orders"
//!         field = "legacyId"
//!         at = ["$.order.legacyId"]
//!         replacement = "id"
//!         removal = 2027-01-15
//!     "#,
//! )?;
//! let today = "2026-11-20".parse()?;
//! let body = br#"{"order": {"legacyId": 17}}"#;
//! let checked = Checker::new(&rules, today).check_body("POST", "/v1/orders", Side::Request, body);
//! assert_eq!(checked.findings[0].rule, "order-legacy-id");
//! assert_eq!(checked.findings[0].days_left, Some(56));
//! assert_eq!(checked.findings[0].span, Some(11..21));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![warn(missing_docs)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

/// The example of the documentation's page about this library, which is compiled and run with the tests.
#[cfg(doctest)]
#[doc = include_str!("../docs/library.md")]
pub struct LibraryPage;

mod api;
mod builtin;
#[cfg(feature = "program")]
mod cli;
#[cfg(test)]
#[cfg(feature = "program")]
mod tests;

pub use api::{Checked, Checker, DeprecatedUse, ElementInside, HttpExchange, Rules, RulesFault};
#[cfg(feature = "program")]
#[doc(hidden)]
pub use cli::main;
pub use sundown_exchange::Side;
pub use sundown_lint::rules::Severity;
