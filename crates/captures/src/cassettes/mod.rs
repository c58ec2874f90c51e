//! Cassettes: the requests and responses that test suites record and play back, in YAML or JSON. The recorders write nearly
//! the same: a list of interactions, each a request and a response, in which the shapes of [`RECORDERS`](crate::shapes::RECORDERS)
//! find the pieces of a call.

mod items;
mod reader;
mod yaml;

pub(crate) use reader::{is_of, read};
