//! Markers of deprecation: `deprecated: true`, and the extensions that mark an element or give details.

mod extension;
mod model;
mod prose;
mod reader;

pub(super) use extension::{has_part, is_fact, is_one_of, looks_like_mark};
pub use model::{MarkedElement, Marker, MarkerDate, MarkerOptions, MarkerSource};
pub(super) use reader::read;
