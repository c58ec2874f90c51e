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
//!
//! The feature `internals` makes all modules public, for the tests, benchmarks and fuzz targets of this repository. It is not
//! part of the API: anything in it may change in any version.
//!
//! The lowest layers are the crates `sundown-text-json` and `sundown-exchange`. Those above them, from the top down. A module imports
//! only modules of lower layers; a test enforces it.
//!
//! | layer | modules |
//! |---|---|
//! | 12 | `api`, `cli` |
//! | 11 | `run` |
//! | 10 | `config` |
//! | 9 | `usage` |
//! | 8 | `report` |
//! | 7 | `inspect` |
//! | 6 | `lint` |
//! | 5 | `findings` |
//! | 4 | `rules`, `formats`, `source_maps` |
//! | 3 | `openapi` |
//! | 2 | `selector`, `toml_file` |
//! | 1 | `html` |
//! | 0 | `files` |
#![warn(missing_docs)]
#![cfg_attr(
    not(feature = "internals"),
    allow(
        unreachable_pub,
        reason = "the feature `internals` makes these items public"
    )
)]
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

mod api;

pub use api::{Checked, Checker, DeprecatedUse, ElementInside, HttpExchange, Rules, RulesFault};
#[doc(hidden)]
pub use cli::main;
pub use rules::Severity;
pub use traffic::Side;

#[cfg(not(feature = "internals"))]
use sundown_exchange as traffic;
#[cfg(feature = "internals")]
pub use sundown_exchange as traffic;
#[cfg(not(feature = "internals"))]
use sundown_text_json::{json, text};
#[cfg(feature = "internals")]
pub use sundown_text_json::{json, text};

// Written out, because rustfmt does not find modules that a macro declares.
#[cfg(not(feature = "internals"))]
mod builtin;
#[cfg(feature = "internals")]
pub mod builtin;

#[cfg(not(feature = "internals"))]
mod cli;
#[cfg(feature = "internals")]
pub mod cli;

#[cfg(not(feature = "internals"))]
mod config;
#[cfg(feature = "internals")]
pub mod config;

#[cfg(not(feature = "internals"))]
use sundown_files as files;
#[cfg(feature = "internals")]
pub use sundown_files as files;

#[cfg(not(feature = "internals"))]
use sundown_lint::findings;
#[cfg(feature = "internals")]
pub use sundown_lint::findings;

#[cfg(not(feature = "internals"))]
use sundown_captures as formats;
#[cfg(feature = "internals")]
pub use sundown_captures as formats;

#[cfg(not(feature = "internals"))]
mod html;
#[cfg(feature = "internals")]
pub mod html;

#[cfg(not(feature = "internals"))]
use sundown_lint::inspect;
#[cfg(feature = "internals")]
pub use sundown_lint::inspect;

#[cfg(not(feature = "internals"))]
use sundown_lint as lint;
#[cfg(feature = "internals")]
pub use sundown_lint as lint;

#[cfg(not(feature = "internals"))]
use sundown_openapi as openapi;
#[cfg(feature = "internals")]
pub use sundown_openapi as openapi;

#[cfg(not(feature = "internals"))]
mod report;
#[cfg(feature = "internals")]
pub mod report;

#[cfg(not(feature = "internals"))]
use sundown_lint::rules;
#[cfg(feature = "internals")]
pub use sundown_lint::rules;

#[cfg(not(feature = "internals"))]
mod run;
#[cfg(feature = "internals")]
pub mod run;

#[cfg(not(feature = "internals"))]
use sundown_selector as selector;
#[cfg(feature = "internals")]
pub use sundown_selector as selector;

#[cfg(not(feature = "internals"))]
mod source_maps;
#[cfg(feature = "internals")]
pub mod source_maps;

#[cfg(not(feature = "internals"))]
use sundown_files::toml_file;
#[cfg(feature = "internals")]
pub use sundown_files::toml_file;

#[cfg(not(feature = "internals"))]
mod usage;
#[cfg(feature = "internals")]
pub mod usage;

#[cfg(test)]
mod tests;
