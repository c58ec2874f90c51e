//! Checks the requirements of a rule set: evaluates their conditions on an exchange, and reports violations where they are.
//!
//! A condition is evaluated at sites: the header fields or members that it is about, or the exchange as a whole. At each site
//! it holds or fails. What the capture does not show is no site, so that nothing follows from it.

#![allow(
    clippy::similar_names,
    reason = "a message is a side, and a place in it a site"
)]

mod bodies;
mod checks;
mod condition;

pub(super) use checks::{RequirementChecks, RequirementNeeds};
