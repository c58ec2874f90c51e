//! HTTP exchanges, as captures and logs have them.
//!
//! An [`Exchange`](traffic::Exchange) is a call with its request and its response. It borrows what its file holds: a
//! [`Target`](traffic::Target), header fields, and a [`Body`](traffic::Body) with its codings, which are undone when it is read. Header
//! fields that announce deprecations are [`Signal`](traffic::Signal)s, and what cannot be read is a [`Skip`](traffic::Skip) with a
//! [`Reason`](traffic::Reason).
//!
//! ```
//! use sundown_exchange::traffic::Target;
//!
//! let target = Target::parse("https://api.example.com/v1/orders?limit=5");
//! assert_eq!(target.segments, ["v1", "orders"]);
//! assert_eq!(target.parameters[0].name, "limit");
//! ```
#![cfg_attr(
    test,
    allow(clippy::disallowed_methods, reason = "tests open files of their own")
)]

use sundown_text_json::{json, text};

pub mod traffic;
