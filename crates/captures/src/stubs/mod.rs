//! Stubs and contracts: requests that a test double or a consumer declares, with their responses.

pub(super) mod hoverfly;
pub(super) mod pact;
mod pattern;
pub(super) mod wiremock;
