//! API descriptions: OpenAPI 3.0, 3.1 and 3.2 and Swagger 2.0, as a graph.
//!
//! A [`Description`] is one or more files, the operations that they describe, and every schema once, however often it is
//! referred to. It is used both as the source of rules, from its [markers](Marker), and as an input that is searched for uses.
//!
//! - *What is deprecated:* [`Description::markers`] are all markers; [`Description::deprecated_values`] are the marked
//!   members and elements, and [`Description::deprecation_of`] combines the parts of a composed schema.
//! - *Where a body leads:* [`SchemaGraph`] is the graph of schemas as the automaton follows it.
//! - *What is affected:* [`Reach::find`] finds the operations whose bodies reach a schema.
//!
//! A part that cannot be read (for example one whose reference has no target, or leads to the network, from which nothing is
//! fetched) does not prevent the rest from being read; it is one of the [`Description::problems`].
//!
//! ```
//! use sundown_openapi::{Description, MarkedElement, MarkerOptions};
//!
//! let text = br#"{"openapi": "3.1.0", "paths": {"/v1/orders": {"post": {"deprecated": true}}}}"#;
//! let no_other_file = |_: &str| Err(std::io::ErrorKind::NotFound.into());
//! let description = Description::from_bytes("api.json", text, &no_other_file, MarkerOptions::default())?;
//! assert_eq!(description.markers()[0].element, MarkedElement::Operation);
//! # Ok::<(), sundown_openapi::LoadError>(())
//! ```

mod ancestry;
mod deprecation_status;
mod descent;
mod description;
mod example;
mod files;
mod graph;
mod library;
mod limits;
mod local_files;
mod marker;
mod node;
mod operation;
mod path_template;
mod paths;
mod problem;
mod prose;
mod reach;
mod schema;
mod server;
mod unread_keys;
mod version;

use ancestry::reachable;
use library::Library;
use node::{narrow, string_of};

pub use ancestry::Ancestry;
pub use deprecation_status::DeprecationStatus;
pub use description::Description;
pub use files::{FileSource, local_name};
pub use graph::{BodyChoice, BodyRoot, SchemaGraph, SchemaGraphs, SchemasWithRules, UsePatterns};
pub use local_files::LocalFiles;
pub use marker::{MarkedElement, Marker, MarkerDate, MarkerOptions, MarkerSource};
pub use node::{DescriptionFile, FileId, NodeId};
pub use operation::{
    Carrier, DescribedBody, DescribedOperation, Direction, Label, OperationId, OperationRole,
    Parameter, ParameterId, ParameterLocation,
};
pub use problem::DescriptionProblemKind;
pub use problem::{DescriptionProblem, LoadError, LoadErrorKind};
pub use prose::{DeprecatedElement, DeprecationWarning, ProseReader, prose_texts};
pub use reach::{EntryPoint, Reach};
pub use schema::{Edge, EdgeKind, SchemaId, SchemaStep, Schemas};
