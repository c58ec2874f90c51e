//! The graph of schemas: every schema object once, however often it is referred to, and its edges to the schemas inside it.

mod model;
mod reader;
mod schemas;

pub(super) use model::{Discriminator, Schema};
pub use model::{Edge, EdgeKind, SchemaId, SchemaStep};
pub(super) use reader::SchemaReader;
pub use schemas::Schemas;
