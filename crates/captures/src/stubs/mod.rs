//! Stubs and contracts: requests that a test double or a consumer declares, with their responses.

pub(super) mod hoverfly;
mod matchers;
pub(super) mod pact;
pub(super) mod wiremock;

pub use matchers::Stubs;
