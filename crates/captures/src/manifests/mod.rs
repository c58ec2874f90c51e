//! Kubernetes manifests: YAML streams and JSON with the objects that a cluster is to have.
//!
//! An object is read as the request that creates it, because it is the body of this request. A reference to an object of another
//! API version is read as the request that looks it up.

mod api_type;
mod objects;
mod reader;
mod template;

pub(crate) use reader::{read, sniff};
