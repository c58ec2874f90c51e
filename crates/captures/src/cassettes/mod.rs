//! Cassettes: the requests and responses that test suites record and play back, in YAML or JSON. The recorders write nearly
//! the same: a list of interactions, each a request and a response.

mod body;
mod json;
mod list;
mod reader;
mod recorder;
mod two_lists;
mod yaml;

pub(crate) use reader::{GO_VCR, VCR, VCRPY};
